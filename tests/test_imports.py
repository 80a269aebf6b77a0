"""Everything imports only what the command before it has installed."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.support.environments import brought_by, normalized

ROOT = Path(__file__).parents[1]
INSTALLED = [(ROOT / "requirements" / name).read_text("utf-8") for name in ("build.txt", "test.txt")]
LOCKED = set(re.findall(r"^([a-z0-9-]+)==", "\n".join(INSTALLED), re.MULTILINE))
COLLECTED = sorted([*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests").rglob("conftest.py")])
OF_MODULES = {"pyspiel": ["open_spiel"], **packages_distributions()}
EXTRAS = {
    "gym": "kinarow/gym",
    "kernels": r"kinarow/(.*/kernel|kernels/)",
    "label": "kinarow/labelling/",
    "mcp": "kinarow/protocols/mcp",
    "openspiel": "kinarow/adapters/open_spiel",
    "serve": "service/",
}
"""The extra that brings what the files whose paths match import at their top."""


def at_top(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that an import of a module runs, in order."""
    for statement in statements:
        yield statement
        for_types = isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)
        if not for_types and not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from at_top(getattr(statement, part, []))


@cache
def imports(file: Path) -> list[tuple[str, bool]]:
    """Return the modules that a file imports at its top, in order, each with True if it is a guard by ``package``."""
    found = []
    for statement in at_top(ast.parse(file.read_text("utf-8")).body):
        if isinstance(statement, ast.Import):
            found += [(alias.name, False) for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            found += [(f"{statement.module}.{alias.name}", False) for alias in statement.names]
        elif isinstance(statement, ast.Assign | ast.Expr):
            found += [(name, True) for name in re.findall(r"\bpackage\('([\w.]+)'\)", ast.unparse(statement))]
    return found


@cache
def in_tree(module: str) -> list[Path]:
    """Return the files of this tree that an import of a module runs."""
    parts = module.split(".")
    steps = [ROOT.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    return [file for step in steps for file in (step / "__init__.py", step.with_suffix(".py")) if file.is_file()]


def distributions(module: str) -> set[str]:
    return {normalized(name) for name in OF_MODULES.get(module, [module])}


@cache
def is_installed(name: str) -> bool:
    return name in sys.stdlib_module_names or (ROOT / name).is_dir() or not LOCKED.isdisjoint(distributions(name))


def missing(file: Path) -> list[str]:
    """Return the packages that a test imports unguarded, also through this tree, and ``make test`` doesn't install."""
    found, seen, guarded, waiting = [], {file}, set[str](), [iter(imports(file))]
    while waiting:
        module, is_guard = next(waiting[-1], ("", False))
        name = module.partition(".")[0]
        if not module:
            waiting.pop()
        elif is_guard:
            guarded.add(name)
        elif files := in_tree(module):
            new = [each for each in files if each not in seen]
            seen.update(new)
            waiting += [iter(imports(each)) for each in reversed(new)]
        elif not (is_installed(name) or name in guarded):
            found.append(name)
    return found


@pytest.mark.parametrize("file", COLLECTED, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_test_imports_what_make_test_installs(file):
    assert missing(file) == [], "not in requirements/test.txt: import it inside the test, or guard it by `package`"


@pytest.mark.parametrize("package", ["kinarow", "service"])
def test_a_package_imports_what_its_extra_installs(package):
    wrong = []
    for file in (ROOT / package).rglob("*.py"):
        path = file.relative_to(ROOT).as_posix()
        allowed = brought_by(*(extra for extra, pattern in EXTRAS.items() if re.match(pattern, path)))
        names = {name.partition(".")[0] for name, _ in imports(file)} - sys.stdlib_module_names
        wrong += [(path, name) for name in names if not (ROOT / name).is_dir() and not allowed & distributions(name)]
    assert wrong == []
