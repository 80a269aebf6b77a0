"""The clients do what their pages say, against a real server and with the real packages."""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
NPM_WITHIN_S = 240
RUN_WITHIN_S = 120


def run(*command, **options):
    """Run a command to its end; its output is part of a failure."""
    ended = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=RUN_WITHIN_S,
        check=False,
        **options,
    )
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def node():
    """Node 20 or newer."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node is not installed")
    version = run(found, "--version")
    if int(version.lstrip("v").split(".")[0]) < 20:
        pytest.skip(f"Node is too old: {version}")
    return found


@pytest.fixture(scope="module")
def boardgame_io(repository):
    """A folder with boardgame.io installed from the registry exactly as the lock says, kept from run to run."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    files = [repository / "clients" / "boardgame-io" / name for name in ("package.json", "package-lock.json")]
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    folder = repository / "build" / f"boardgame-io-{wanted[:12]}"
    if (folder / "done").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder)
    done = subprocess.run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=folder, capture_output=True, text=True, timeout=NPM_WITHIN_S, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"npm cannot install: {done.stderr[-300:]}")
    (folder / "done").touch()
    return folder


def test_the_javascript_client_asks_a_real_server(node, live_server):
    assert run(node, HERE / "check_client.mjs", live_server.url) == "ok\n"


def test_the_javascript_client_waits_for_a_busy_server_and_tells_of_a_dead_one(node):
    assert run(node, HERE / "check_retries.mjs") == "ok\n"


def test_the_boardgame_io_bot_plays_whole_games_with_the_real_package(node, boardgame_io, live_server):
    assert run(node, HERE / "check_boardgame_io.mjs", live_server.url, boardgame_io) == "ok\n"


def test_the_python_example_plays_a_game_with_a_real_server(repository, live_server):
    example = repository / "clients" / "python" / "example.py"
    printed = run(sys.executable, "-I", example, live_server.url)
    assert printed.startswith("O plays tile 3: draw in 6 plies\n")
    assert "blocks_line [1, 2, 3]" in printed
    assert " wins\n" in printed or "a draw\n" in printed
    assert re.search(r"^grades: \d+ \w+(, \d+ \w+)*$", printed, re.MULTILINE)
    assert run(sys.executable, "-I", example, live_server.url) == printed


def test_the_python_example_needs_the_standard_library_alone(repository):
    source = (repository / "clients" / "python" / "example.py").read_text(encoding="utf-8")
    imported = {
        line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))
    }
    assert imported <= sys.stdlib_module_names


def test_the_python_example_tells_when_nothing_listens(repository):
    example = repository / "clients" / "python" / "example.py"
    ended = subprocess.run(
        [sys.executable, "-I", str(example), "http://127.0.0.1:9"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert ended.stderr.startswith("No service at http://127.0.0.1:9")


def test_the_typescript_types_are_those_of_the_specification(repository):
    folder = repository / "clients" / "javascript"
    specification = importlib.util.spec_from_file_location("generate_types", folder / "generate_types.py")
    generator = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(generator)
    document = yaml.safe_load((repository / "openapi.yaml").read_text(encoding="utf-8"))
    assert (folder / "api.d.ts").read_text(encoding="utf-8") == generator.types(document), (
        "run: python clients/javascript/generate_types.py"
    )


def test_every_call_of_the_javascript_client_is_declared(repository):
    folder = repository / "clients" / "javascript"
    code = (folder / "kinarow.js").read_text(encoding="utf-8")
    declared = (folder / "kinarow.d.ts").read_text(encoding="utf-8")
    calls = {
        line.split("(")[0].split()[-1]
        for line in code.splitlines()
        if line.startswith("  async ") and "#" not in line
    }
    assert calls
    missing = {name for name in calls if f"  {name}(" not in declared}
    assert missing == set()
