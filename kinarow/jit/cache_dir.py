"""The folders of compiled kernels, one for each version of the sources, of Numba and of the target processor.

    <root>/<16 hex digits>/       the digits are a hash of everything that determines the code

If the root is read-only (for example in a container image), what is there is used all the same, and a temporary folder
takes what is compiled anew.
"""

import contextlib
import fcntl
import hashlib
import logging
import os
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

from kinarow.jit.sources import sources_digest

ROOT_VARIABLE = "KINAROW_KERNEL_CACHE_DIR"
DAYS_KEPT = 14
"""Days after which a folder that no process has used is removed."""

_SECONDS_PER_DAY = 86_400
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")
_LOCK_NAME = ".lock"
_COMPLETE = ".complete"

_log = logging.getLogger("kinarow.kernels")


def is_complete(solver: str) -> bool:
    """Whether all kernels that a solver's searches call have been compiled and kept."""
    return any((folder / f"{solver}{_COMPLETE}").exists() for folder in folders())


def mark_complete(solver: str) -> None:
    """Note that all kernels that a solver's searches call are kept."""
    (own_folder() / f"{solver}{_COMPLETE}").touch()


def folders() -> tuple[Path, ...]:
    """The folders in which compiled kernels of these sources may lie, the first to look in first."""
    return _folders(_root())


def own_folder() -> Path:
    """The folder for what is compiled from now on.

    Raises:
        OSError: neither the root nor any temporary folder can be written.
    """
    return folders()[0]


@cache
def _folders(root: Path) -> tuple[Path, ...]:
    own = claim_folder(root)
    wanted = root / own.name
    return (own,) if own == wanted else (own, wanted)


def _root() -> Path:
    """The folder of all versions: ``KINAROW_KERNEL_CACHE_DIR``, else the user's cache folder."""
    return Path(os.environ.get(ROOT_VARIABLE) or _user_root())


def claim_folder(root: Path) -> Path:
    """The folder below a root for kernels of these sources, created if needed and marked as in use.

    Args:
        root: if it cannot be written, a private temporary folder takes its place, and a log line says so.

    Raises:
        OSError: neither the root nor any temporary folder can be written.
    """
    digest = fingerprint()
    return _claim(root, digest) or _stand_in(root, digest)


def fingerprint() -> str:
    """16 hex digits that change whenever compiled code may: a hash of sources, versions and target processor."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    facts = (python, sys.platform, numba.__version__, llvmlite.__version__, *_target(), sources_digest())
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]


def _target() -> tuple[str, str]:
    """The processor to compile for and its features; by default those of this machine."""
    name = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    return name, "of the machine" if features is None else features


def _user_root() -> Path:
    """The user's cache folder, by the XDG base directory rules; it may not exist."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "kinarow" / "kernels"


def _claim(root: Path, digest: str) -> Path | None:
    """The folder of this digest below root, created and marked as in use; None if it cannot be written."""
    folder = root / digest
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root, fcntl.LOCK_SH):
            folder.mkdir(exist_ok=True)
            # A folder may exist and not be writable.
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
    except OSError:
        return None
    _remove_old(root, keep=digest)
    return folder


def _stand_in(wanted: Path, digest: str) -> Path:
    """A private temporary folder in place of one that cannot be written."""
    root = private_root()
    folder = _claim(root, digest)
    if folder is None:
        raise OSError(
            f"no folder for compiled kernels can be written; set {ROOT_VARIABLE} to one that can be"
        )
    # Kernels that are not there are compiled now, and again once the temporary folder is removed.
    level = logging.INFO if (wanted / digest).is_dir() else logging.WARNING
    _log.log(level, "the kernel cache %s cannot be written; %s takes its place", wanted, root)
    return folder


def private_root() -> Path:
    """A temporary folder that only this user can write, the same for all processes of the user."""
    bases = [tempfile.gettempdir()] if _has_temporary_folder() else []
    for base in (*bases, "/dev/shm"):  # noqa: S108 - only a folder proven private is used
        root = Path(base) / f"kinarow-kernels-{os.geteuid()}"
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileExistsError):
                root.mkdir(mode=0o700)
            if _is_private(root):
                return root
    # Another user owns the name: compiled code must not come from there.
    return Path(tempfile.mkdtemp(prefix="kinarow-kernels-"))


def _has_temporary_folder() -> bool:
    """Whether the system has a writable temporary folder."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether this is a writable folder of this user, not a link, that nobody else may write."""
    facts = folder.lstat()
    mine = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022
    return mine and os.access(folder, os.W_OK)


def _remove_old(root: Path, keep: str) -> None:
    """Remove folders unused for ``DAYS_KEPT`` days; a process that starts meanwhile keeps its own."""
    oldest = time.time() - DAYS_KEPT * _SECONDS_PER_DAY
    with contextlib.suppress(OSError):
        old = [folder for folder in root.iterdir() if folder.name != keep and _unused_since(folder, oldest)]
        if not old:
            return
        with _locked(root, fcntl.LOCK_EX | fcntl.LOCK_NB):
            for folder in old:
                if _unused_since(folder, oldest):  # no process has claimed it since
                    shutil.rmtree(folder, ignore_errors=True)


def _unused_since(folder: Path, when: float) -> bool:
    """Whether this is one of our folders, last claimed before this time."""
    return _FOLDER_NAME.fullmatch(folder.name) is not None and folder.stat().st_mtime < when


@contextlib.contextmanager
def _locked(root: Path, kind: int) -> Iterator[None]:
    """Hold the root's lock; claims share it, removal needs it exclusively."""
    descriptor = os.open(root / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)
