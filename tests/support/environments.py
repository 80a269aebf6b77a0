"""Environments of their own for packages that must not stand beside those of the tests."""

import fcntl
import hashlib
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.commands import ended, run

INSTALL_WITHIN_S = 240


def locked_python(repository: Path, name: str) -> Path:
    """The Python of an environment with ``requirements/<name>.txt`` and nothing else, kept from run to run.

    Skips the test where pip cannot install the lock.
    """
    lock = repository / "requirements" / f"{name}.txt"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    folder = repository / "build" / f"{name}-{digest}-py{sys.version_info[1]}"
    python, done = folder / "bin" / "python", folder / "done"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as waiting:  # other processes of the tests want the same one
        fcntl.flock(waiting, fcntl.LOCK_EX)
        if not done.exists():
            _install(lock, folder, python)
            done.touch()
    return python


def _install(lock: Path, folder: Path, python: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", str(python)]
    install = ["install", "--quiet", "--no-deps", "--no-compile", "--require-hashes", "-r", str(lock)]
    done = ended(*pip, *install, seconds=INSTALL_WITHIN_S)
    if done.returncode:
        pytest.skip(f"pip cannot install {lock} here: {done.stderr[-300:]}")
