"""The folders of compiled kernels, one for each version of the sources, of Numba and of the target processor.

    <root>/<16 hex digits>/       the digits are a hash of everything that determines the code

If the root is read-only (for example in a container image), what is there is used all the same, and a temporary folder
takes what is compiled anew.
"""

import contextlib
import hashlib
import logging
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba

from kinarow.jit.file_lock import locked
from kinarow.jit.sources import sources_digest

ROOT_VARIABLE = "KINAROW_KERNEL_CACHE_DIR"
DAYS_KEPT = 14  # Days after which a folder that no process has used is removed
SHIPPED = Path(__file__).with_name("compiled")  # Where a wheel has its kernels, in a folder for each target

TARGETS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {
        "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
        "x86-64-v2": ("cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
    },
    "aarch64": {"generic": ()},
    "arm64": {"generic": ()},
}
"""The processors that wheels have kernels for, by the machine, the best first, with the features that they need."""

_SECONDS_PER_DAY = 86_400
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")
_LOCK_NAME = ".lock"  # In the root: who claims a folder shares it with others, who removes folders holds it alone
_COMPILING_NAME = ".compiling"
_COMPLETE = ".complete"
_TRIES, _BETWEEN_TRIES_S = 5, 0.02

_log = logging.getLogger("kinarow.kernels")


def is_complete(solver: str, use: str = "search") -> bool:
    """Whether all kernels of a solver for this use that Python calls have been compiled and kept."""
    return any((folder / f"{solver}-{use}{_COMPLETE}").exists() for folder in folders())


def mark_complete(solver: str, use: str = "search") -> None:
    """Note that they are."""
    (own_folder() / f"{solver}-{use}{_COMPLETE}").touch()


def is_compiling() -> bool:
    """Whether a process holds ``compiling``."""
    try:
        with locked(own_folder() / _COMPILING_NAME, shared=True, wait=False):
            return False
    except BlockingIOError:
        return True


@contextlib.contextmanager
def compiling() -> Iterator[bool]:
    """Say to other processes that this one compiles; False within the context if another one does.

    The system takes the sign away when the process ends, however it does.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(_TRIES):
            try:
                stack.enter_context(locked(own_folder() / _COMPILING_NAME, wait=False))
            except BlockingIOError:
                time.sleep(_BETWEEN_TRIES_S)  # a process that only looks lets go at once
            else:
                yield True
                return
        yield False


def folders() -> Iterator[Path]:
    """The folders in which compiled kernels of these sources may lie, the first to look in first.

    Those of a wheel come first; as long as they suffice, no other folder is made.
    """
    shipped = _shipped()
    if shipped is not None:
        yield shipped
    yield from _own_folders(_root())


def own_folder() -> Path:
    """The folder for what is compiled from now on; an ``OSError`` if not even a temporary one can be written."""
    return _own_folders(_root())[0]


@cache
def _shipped() -> Path | None:
    """The folder of the wheel's kernels that this processor can run, if it has any."""
    for target in (_target(),) if numba.config.CPU_NAME else ((level, "") for level in _levels_of_host()):
        folder = SHIPPED / fingerprint(target)
        if folder.is_dir():
            return folder
    if SHIPPED.is_dir():
        _log.warning("the shipped kernels are for another Numba (here %s) or processor", numba.__version__)
    return None


def _levels_of_host() -> list[str]:
    features = llvmlite.binding.get_host_cpu_features()
    targets = TARGETS.get(platform.machine().lower(), {})
    return [level for level, needed in targets.items() if all(features.get(name) for name in needed)]


@cache
def _own_folders(root: Path) -> tuple[Path, ...]:
    own = claim_folder(root)
    wanted = root / own.name
    return (own,) if own == wanted else (own, wanted)


def _root() -> Path:
    """The folder of all versions: ``KINAROW_KERNEL_CACHE_DIR``, else the user's cache folder."""
    return Path(os.environ.get(ROOT_VARIABLE) or _user_root())


def claim_folder(root: Path) -> Path:
    """The folder below a root for kernels of these sources, created if needed and marked as in use.

    If the root cannot be written, a private temporary folder takes its place, and a log line says so; if that cannot be
    written either, this is an ``OSError``.
    """
    digest = fingerprint()
    return _claim(root, digest) or _stand_in(root, digest)


def fingerprint(target: tuple[str, str] | None = None) -> str:
    """16 hex digits that change whenever compiled code may: a hash of sources, versions and target processor.

    The target is its name and its features; by default that for which this process compiles.
    """
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    facts = (python, sys.platform, numba.__version__, llvmlite.__version__, *(target or _target()), sources_digest())
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]


def _target() -> tuple[str, str]:
    """The processor to compile for and its features; by default those of this machine."""
    name = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    return name, "of the machine" if features is None else features


def _user_root() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "kinarow" / "kernels"


def _claim(root: Path, digest: str) -> Path | None:
    """The folder of this digest below root, created and marked as in use; None if it cannot be written."""
    folder = root / digest
    try:
        root.mkdir(parents=True, exist_ok=True)
        with locked(root / _LOCK_NAME, shared=True):
            folder.mkdir(exist_ok=True)
            # A folder may exist and not be writable.
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
    except OSError:
        return None
    _remove_old(root, keep=digest)
    return folder


def _stand_in(wanted: Path, digest: str) -> Path:
    root = private_root()
    folder = _claim(root, digest)
    if folder is None:
        raise OSError(f"no folder for compiled kernels can be written; set {ROOT_VARIABLE} to one that can be")
    # Kernels that are not there are compiled now, and again once the temporary folder is removed.
    level = logging.INFO if (wanted / digest).is_dir() else logging.WARNING
    _log.log(level, "the kernel cache %s cannot be written; %s takes its place", wanted, root)
    return folder


def private_root() -> Path:
    """A temporary folder that only this user can write, the same for all processes of the user."""
    bases = ["/dev/shm"]  # noqa: S108 - only a folder proven private is used
    with contextlib.suppress(FileNotFoundError):  # no temporary folder can be written
        bases.insert(0, tempfile.gettempdir())
    for base in bases:
        root = Path(base) / f"kinarow-kernels-{_user()}"
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileExistsError):
                root.mkdir(mode=0o700)
            if _is_private(root):
                return root
    # Another user owns the name: compiled code must not come from there.
    return Path(tempfile.mkdtemp(prefix="kinarow-kernels-"))


def _is_private(folder: Path) -> bool:
    """Whether this is a writable folder of this user, not a link, that nobody else may write."""
    facts = folder.lstat()
    mine = stat.S_ISDIR(facts.st_mode) and facts.st_uid == _user() and not facts.st_mode & 0o022
    return mine and os.access(folder, os.W_OK)


def _user() -> int:
    """The number of this user; on Windows, where each user has a temporary folder, 0 as in the facts of files."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _remove_old(root: Path, keep: str) -> None:
    """Remove folders unused for ``DAYS_KEPT`` days; a process that starts meanwhile keeps its own."""
    oldest = time.time() - DAYS_KEPT * _SECONDS_PER_DAY
    with contextlib.suppress(OSError):
        old = [folder for folder in root.iterdir() if folder.name != keep and _unused_since(folder, oldest)]
        if not old:
            return
        with locked(root / _LOCK_NAME, wait=False):
            for folder in old:
                if _unused_since(folder, oldest):  # no process has claimed it since
                    shutil.rmtree(folder, ignore_errors=True)


def _unused_since(folder: Path, when: float) -> bool:
    """Whether this is one of our folders, last claimed before this time."""
    return _FOLDER_NAME.fullmatch(folder.name) is not None and folder.stat().st_mtime < when
