"""Commands run to their end, without a standard input, and what a test needs to run."""

import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import REPOSITORY


def ended(
    *command: object,
    folder: Path = REPOSITORY,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120,
    output: Any = subprocess.PIPE,
) -> "subprocess.CompletedProcess[str]":
    """A command that has ended, however it did; by default it has the environment of this process."""
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, timeout=seconds,
    )  # fmt: skip


def run(
    *command: object, folder: Path = REPOSITORY, environment: Mapping[str, str] | None = None, seconds: float = 120
) -> str:
    """What a command prints that must end well; all that it has said is part of a failure."""
    done = ended(*command, folder=folder, environment=environment, seconds=seconds)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def kinarow(capsys: Any, *words: object, typed: str = "") -> tuple[Any, str, str]:
    """The exit code and both outputs of a command run in this process, with what is typed into it."""
    from kinarow.commands import cli

    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8")
    try:
        code = cli.main([str(word) for word in words])
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdin = before
    said = capsys.readouterr()
    return code, said.out, said.err


def package(name: str) -> Any:
    """Return a module, or skip the test; at the top of a file of tests it skips them all."""
    return pytest.importorskip(name, reason=f"{name} is not installed: make dev")


def tool(name: str) -> Path:
    """The path of a command of this environment."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        pytest.skip(f"{name} is not installed: make dev")
    return path
