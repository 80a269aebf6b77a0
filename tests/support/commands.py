"""Commands run to their end, without a standard input."""

import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def kinarow(capsys: Any, *words: str, typed: str = "") -> tuple[Any, str, str]:
    """The exit code and both outputs of a command run in this process, with what is typed into it."""
    from kinarow.commands import cli

    before, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        code = cli.main(words)
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdin = before
    said = capsys.readouterr()
    return code, said.out, said.err
