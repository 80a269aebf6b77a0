"""The library and the command line alone: without extras, whose commands name them, and without Unix."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kinarow.commands.cli import COMMANDS
from tests.support.commands import ended, run
from tests.support.environments import brought_by
from tests.support.server import REPOSITORY

GAME = {"game": "tic-tac-toe", "moves": [5, 1], "players": {"X": "a", "O": "b"}}
RUNS = {
    "move": (["XX./OO./..."], "", "X wins"),
    "analyse": (["XX./OO./..."], "", "X wins"),
    "review": (["-", "--game", "tic-tac-toe"], "b2 a1\n", "best"),
    "play": (["XX./OO./...", "--x", "10", "--o", "1", "--seed", "1"], "", "has won"),
    "puzzles": (["--game", "tic-tac-toe", "--count", "1"], "", '"plies"'),
    "jsonl": ([], '{"id": 1, "action": "move", "game": "tic-tac-toe", "moves": "b2"}\n', '"outcome"'),
    "judge": (["games.jsonl", "--out", "report"], "", "| a |"),
    "piskvork": ([], "START 15\nINFO max_node 100\nBEGIN\nEND\n", ","),
    "prove": (["XX./OO./..."], "", "proven: X wins"),
    "check": (["--help"], "", "usage"),
}
"""The words, the input and a part of the output of each command that needs no extra."""

IMPORTS = """
import sys
import kinarow

loaded = sys.modules
assert not [name for name in loaded if name.split(".")[0] in ("pydantic", "pyarrow", "cachetools", "numba", "flask")]
private = ("adapters", "commands", "contract", "gym", "labelling", "protocols")
assert not [name for name in loaded if name.startswith(tuple(f"kinarow.{each}" for each in private))]
print(kinarow.best_move("X.O/.X./..O", goal=3).move)
for use in ("kinarow.label(None)", "import kinarow.gym", "import kinarow.adapters.open_spiel"):
    try:
        exec(use)
    except ImportError as missing:
        print(missing)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python with the locked dependencies of the library and nothing else; it imports the sources."""
    folder = tmp_path_factory.mktemp("without-extras")
    lock = re.split(r"\n(?=\S)", (REPOSITORY / "requirements" / "serve.txt").read_text("utf-8"))
    names = brought_by()
    kept = folder / "lock.txt"
    kept.write_text("\n".join(block for block in lock if block.partition("==")[0] in names) + "\n", "utf-8")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    inside = folder / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", inside)
    run(*pip, "install", "--quiet", "--no-deps", "--no-compile", "--require-hashes", "-r", kept, seconds=300)
    return inside


def in_folder(python: Path, folder: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """A run of Python in a folder, with the sources of this repository."""
    own = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [python, *words], cwd=folder, env=own, input=text, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_the_library_searches_and_says_what_needs_an_extra(python, tmp_path):
    done = in_folder(python, tmp_path, "-c", IMPORTS)
    assert done.stderr == ""
    move, *told = done.stdout.splitlines()
    assert move == "5"
    told = [line.partition("pip install ")[2] for line in told]
    assert told == ["'kinarow[label]'", "'kinarow[gym]'", "'kinarow[openspiel]'"]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_works_or_names_its_extra(python, tmp_path, name):
    (tmp_path / "games.jsonl").write_text(f"{GAME}\n".replace("'", '"'), "utf-8")
    if COMMANDS[name].package is None:
        words, text, said = RUNS[name]
        done = in_folder(python, tmp_path, "-m", "kinarow", name, *words, text=text)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout + done.stderr
    else:
        done = in_folder(python, tmp_path, "-m", "kinarow", name, *(["a", "b"] if name == "label" else []))
        told = f"kinarow {name}: not installed: pip install 'kinarow[{name}]'\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
    assert ended(python, "-c", "import flask").returncode == 1


WITHOUT_UNIX = """
import os, signal, sys, time
for name in ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for module, names in (
    (os, "fork forkpty geteuid getuid getpgid killpg register_at_fork sched_getaffinity setsid O_CLOEXEC"),
    (signal, "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 pthread_sigmask setitimer"),
    (time, "CLOCK_MONOTONIC"),
):
    for name in names.split():
        delattr(module, name)
# Before Python 3.13 two clocks of Windows have different zero points.
monotonic_ns, an_hour_ns = time.monotonic_ns, 3600 * 10**9
time.monotonic_ns = lambda: monotonic_ns() - an_hour_ns
time.get_clock_info = lambda name: __import__("types").SimpleNamespace(implementation=name)
"""


def without_unix(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has no module and no function of Unix; it writes in a code page of Windows."""
    encoding = {**os.environ, "PYTHONIOENCODING": "cp1252", **environment}
    return ended(sys.executable, "-c", WITHOUT_UNIX + code, environment=encoding, seconds=240)


def test_library_and_command_line_search_without_unix():
    done = without_unix("""
import kinarow
from kinarow.commands.cli import main

answer = kinarow.best_move("X.O/.../...", goal=3, time_limit_ms=5000)
assert answer.proven and answer.nodes, answer
sys.exit(main(["move", "X.O/.../...", "--goal", "3"]))
""")
    assert done.returncode == 0, done.stderr
    assert "X wins" in done.stdout


def test_all_commands_can_be_imported_and_serve_says_what_it_needs():
    modules = ", ".join(f"kinarow.commands.{name}" for name in COMMANDS)
    done = without_unix(f"import {modules}\nfrom kinarow.commands.cli import main\nsys.exit(main(['serve']))\n")
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr == "kinarow serve: the service needs a Unix: Linux, macOS, or on Windows WSL or Docker\n"
