"""Style, types, imports and their layers, and lock files without addresses."""

import ast
import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from kinarow.version import VERSION
from tests.support import commands, npm

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def run(tool: str, *words: str) -> None:
    """Run a tool of this environment in the repository; its complaints are the failure."""
    commands.run(commands.tool(tool), *words, seconds=280)


def test_ruff_finds_nothing():
    run("ruff", "check", ".")


def test_ruff_would_format_nothing_differently():
    run("ruff", "format", "--check", ".")


def test_no_docstring_of_a_function_is_a_question():
    """Properties apart, which name what they are; ruff's D401 sees the other noun phrases."""
    found = []
    for path in (*ROOT.glob("kinarow/**/*.py"), *ROOT.glob("service/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
                if not named & {"property", "cached_property"} and re.match(
                    r"(Whether|What|How|Why)\b", ast.get_docstring(node) or ""
                ):
                    found.append(f"{path}: {node.name}")
    assert found == []


@pytest.mark.slow
def test_mypy_finds_nothing():
    run("mypy")


@pytest.mark.slow
def test_tsc_finds_nothing_in_the_page(tmp_path):
    """The types of the client that it uses are made here, as `npm run prepare` makes them beside the client."""
    client = ROOT / "clients" / "javascript"
    tools = npm.installed(client) / "node_modules"
    prepare = json.loads((client / "package.json").read_text("utf-8"))["scripts"]["prepare"].split()[4:]
    made = ("--output", tmp_path / "api.d.ts", *prepare)
    commands.run(npm.node(), tools / "openapi-typescript" / "bin" / "cli.js", ROOT / "openapi.yaml", *made)
    options = {"rootDirs": [str(client), str(tmp_path)]}
    project = {"extends": str(ROOT / "tests" / "web" / "tsconfig.json"), "compilerOptions": options}
    (tmp_path / "tsconfig.json").write_text(json.dumps(project), "utf-8")
    commands.run(npm.node(), tools / "typescript" / "bin" / "tsc", "--project", tmp_path)


def test_no_file_is_a_symbolic_link():
    """Git writes a link as a file with its target where the system has none, as on most Windows machines."""
    links = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in ("build", "node_modules")]
        links += [name for name in files + folders if Path(folder, name).is_symlink()]
    assert links == []


def test_import_layers_hold():
    run("lint-imports", "--no-cache")


READS = {
    "all_inner_texts", "all_text_contents", "board", "empties", "get_attribute", "inner_html", "inner_text",
    "input_value", "is_checked", "is_disabled", "is_enabled", "is_hidden", "is_visible", "text_content",
}  # fmt: skip


def reads_once(node: ast.AST) -> bool:
    """Whether it asks a page once, by a method of a locator, by its count, or by the address."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in READS or (node.func.attr == "count" and not node.args)
    return isinstance(node, ast.Attribute) and ast.unparse(node).endswith("page.url")


def test_what_a_page_shows_is_waited_for():
    """A page may show something later than a click returns: ``tests/web/table.py`` has what waits."""
    found = []
    for path in (ROOT / "tests").rglob("*.py"):
        if re.search(r"playwright|sit_down|tests\.web", text := path.read_text("utf-8")):
            asserts = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
            found += [(path, each.lineno) for each in asserts if any(map(reads_once, ast.walk(each.test)))]
    assert found == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_place_and_has_a_hash_for_everything(lock):
    text = lock.read_text("utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    for block in re.split(r"\n(?=\S)", text.strip()):
        if not block.startswith("#"):
            assert PIN.match(block), block
            assert "--hash=sha256:" in block, block


def test_the_locks_agree_with_each_other():
    versions: dict[tuple[str, str], str] = {}
    for lock in LOCKS:
        for line in lock.read_text("utf-8").splitlines():
            pin = PIN.match(line)
            if pin:
                marker = line.partition(";")[2].strip(" \\")
                known = versions.setdefault((pin[1], marker), pin[2])
                assert known == pin[2], f"{pin[1]} is {known} in one lock, {pin[2]} in {lock.name}"


EXTRAS, GROUPS = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
EVERYDAY = ("serve", "kernels", "label", "mcp")
WANTED = {
    "serve.txt": [PROJECT["project"]["dependencies"], EXTRAS["serve"]],
    "redis.txt": [PROJECT["project"]["dependencies"], EXTRAS["serve"], EXTRAS["redis"]],
    "kernels.txt": [EXTRAS["kernels"]],
    "test.txt": [PROJECT["project"]["dependencies"], *(EXTRAS[name] for name in EVERYDAY), GROUPS["test"]],
    "dev.txt": [
        PROJECT["project"]["dependencies"],
        *EXTRAS.values(),
        *(GROUPS[name] for name in ("test", "guide", "dev")),
    ],
    "guide.txt": [GROUPS["guide"]],
    "bench.txt": [GROUPS["bench"]],
    "build.txt": [PROJECT["build-system"]["requires"]],
}
"""What each lock must hold."""


@pytest.mark.parametrize("lock", WANTED)
def test_the_lock_holds_what_the_project_asks_for(lock):
    pinned = dict(PIN.findall((ROOT / "requirements" / lock).read_text("utf-8")))
    for text in (each for wanted in WANTED[lock] for each in wanted if isinstance(each, str)):  # not included groups
        requirement = Requirement(text)
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        assert name in pinned, f"{name} is not in {lock}: make lock"
        assert requirement.specifier.contains(pinned[name]), f"{name} {pinned[name]} is not {requirement.specifier}"


def test_every_place_names_one_version():
    for file, words in {
        "CITATION.cff": f"\nversion: {VERSION}\n",
        "server.json": f'"version": "{VERSION}",\n  "packages"',
        "browser/package.json": f'"version": "{VERSION}"',
        "clients/javascript/package.json": f'"version": "{VERSION}"',
        "clients/javascript/package-lock.json": f'"version": "{VERSION}"',
        "docs/operating.md": f"\nkinarow {VERSION}: loading\n",
    }.items():
        assert words in (ROOT / file).read_text("utf-8"), file


def test_the_entry_of_the_mcp_registry_is_as_the_registry_wants_it():
    """Its schema bounds name and description; the package's README must name the server."""
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']}" in (ROOT / "kinarow" / "README.md").read_text("utf-8")
    (package,) = entry["packages"]
    assert (package["identifier"], package["version"]) == (PROJECT["project"]["name"], VERSION)
    assert package["runtimeArguments"][0]["value"] == PROJECT["project"]["optional-dependencies"]["mcp"][0]


def test_the_changelog_begins_with_this_version_or_with_what_is_not_released():
    first = re.search(r"^## \[(.*)\](.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == "Unreleased" or (first[1] == VERSION and re.fullmatch(r" - \d{4}-\d\d-\d\d", first[2]))
