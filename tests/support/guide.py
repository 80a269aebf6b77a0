"""The guide, built once for all processes of a test run."""

import fcntl
import sys
from pathlib import Path

from tests.support.commands import run
from tests.support.server import REPOSITORY


def built(folder: Path) -> Path:
    """The pages of ``docs/`` as a site below this folder, built with warnings as errors; who comes second waits."""
    pages = folder / "guide"
    with (folder / "guide.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not pages.exists():
            unfinished = folder / "guide.unfinished"
            command = (sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet")
            run(*command, REPOSITORY / "docs", unfinished, seconds=300)
            unfinished.rename(pages)
    return pages
