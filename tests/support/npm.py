"""Node's packages for tests: installed from the registry exactly as a lock says, kept from run to run."""

import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.support.commands import ended, run
from tests.support.server import REPOSITORY

OLDEST_NODE = (20, 0)
INSTALL_WITHIN_S = 240


def program(name: str) -> str:
    """The path of ``node`` or ``npm``; where it is missing the test is skipped."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def node(oldest: tuple[int, int] = OLDEST_NODE) -> str:
    """Node of this version or newer; where it is missing the test is skipped."""
    found = program("node")
    version = run(found, "--version")
    if tuple(map(int, version.lstrip("v").split(".")[:2])) < oldest:
        pytest.skip(f"Node is too old: {version}")
    return found


def installed(source: Path) -> Path:
    """A folder below ``build`` whose ``node_modules`` is what the lock in the source folder says."""
    npm = program("npm")
    files = [source / name for name in ("package.json", "package-lock.json")]
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    folder = REPOSITORY / "build" / f"npm-{source.name}-{wanted[:12]}"
    if folder.exists():
        return folder
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="npm-", dir=folder.parent) as fresh:
        for file in files:
            shutil.copy(file, fresh)
        words = ("ci", "--ignore-scripts", "--no-audit", "--no-fund")
        done = ended(npm, *words, folder=Path(fresh), seconds=INSTALL_WITHIN_S)
        if done.returncode:
            pytest.skip(f"npm cannot install: {done.stderr[-300:]}")
        # Whole or not at all, and whoever is first: other tests may install the same.
        whole = Path(fresh, "whole")
        whole.mkdir()
        for path in [path for path in Path(fresh).iterdir() if path != whole]:
            path.rename(whole / path.name)
        with contextlib.suppress(OSError):
            whole.rename(folder)
    return folder
