"""Environments of their own for packages that must not stand beside those of the tests."""

import hashlib
import re
import shutil
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.commands import ended, run
from tests.support.server import REPOSITORY

INSTALL_WITHIN_S = 240


def python_with(name: str, *installs: str) -> Path:
    """The Python of an environment of this name, kept from run to run, after these calls of ``pip install``.

    Skips the test where pip cannot install what they say.
    """
    import fcntl  # Windows, where the tests of the library run, has none

    digest = hashlib.sha256("\n".join(installs).encode()).hexdigest()[:12]
    folder = REPOSITORY / "build" / f"{name}-{digest}-py{sys.version_info[1]}"
    python, done = folder / "bin" / "python", folder / "done"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as waiting:  # other processes of the tests want the same one
        fcntl.flock(waiting, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            run(sys.executable, "-m", "venv", "--without-pip", folder)
            for words in installs:
                _install(python, words)
            done.touch()
    return python


def _install(python: Path, words: str) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", str(python)]
    done = ended(*pip, "install", "--quiet", "--no-compile", *words.split(), seconds=INSTALL_WITHIN_S)
    if done.returncode:
        pytest.skip(f"pip cannot install {words} here: {done.stderr[-300:]}")


def normalized(name: str) -> str:
    """Return the name of a package as locks write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def brought_by(*extras: str) -> set[str]:
    """Return the names of the packages that ``pip install kinarow[EXTRAS]`` brings, those of missing ones left out."""
    found, waiting = set(), [("kinarow", extras)]
    while waiting:
        name, wanted_extras = waiting.pop()
        try:
            needs = [Requirement(text) for text in requires(name) or ()]
        except PackageNotFoundError:
            continue
        for wanted in needs:
            applies = not wanted.marker or any(wanted.marker.evaluate({"extra": each}) for each in (*wanted_extras, ""))
            if applies and normalized(wanted.name) not in found:
                found.add(normalized(wanted.name))
                waiting.append((wanted.name, tuple(wanted.extras)))
    return found
