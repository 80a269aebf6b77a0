"""The folder of the compiled kernels: one for each version of the sources, of Numba and of the target CPU.

    <root>/<16 hex digits>/       written by Numba; the digits are a hash of everything that determines the code

Numba's own cache checks only the file of a function, not the files that it imports; so the folder's name is a hash of
all of them. Numba reads the folder's name from the environment only when it is imported, and fails if the folder
cannot be written. If the root is read-only (for example in a container image), a temporary folder takes its place; it
begins as a copy of the read-only folder, so nothing is compiled again.
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
from pathlib import Path

ROOT_VARIABLE = "KINAROW_KERNEL_CACHE_DIR"
DAYS_KEPT = 14
"""Days after which a folder that no process has used is removed."""

_SECONDS_PER_DAY = 86_400
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")
_LOCK_NAME = ".lock"
_PACKAGE = Path(__file__).parents[1]

_log = logging.getLogger("kinarow.kernels")


@contextlib.contextmanager
def kernel_cache() -> Iterator[None]:
    """Import kernels within this context: it sets Numba's cache folder, and puts the previous one back at the end.

    If no kernel has been compiled yet, one log line says so, because compilation takes up to two minutes.
    """
    import numba

    before = numba.config.CACHE_DIR
    try:
        if not numba.config.DISABLE_JIT:
            folder = use_kernel_cache()
            if not _holds_kernels(folder):
                _log.warning("compiling the kernels once, for up to two minutes; they are kept in %s", folder)
        yield
    finally:
        numba.config.CACHE_DIR = before


def has_kernels() -> bool:
    """Whether kernels of these sources have been compiled and kept, so that processes can load them."""
    return _holds_kernels(claim_folder())


def _holds_kernels(folder: Path) -> bool:
    return next(folder.rglob("*.nbi"), None) is not None


def use_kernel_cache(root: str | os.PathLike[str] | None = None) -> Path:
    """Make Numba keep compiled kernels below ``root``; call it before the first kernel is defined.

    Args:
        root: as for ``claim_folder``.

    Returns:
        The folder that Numba uses from now on.

    Raises:
        OSError: neither the root nor any temporary folder can be written.
    """
    import numba

    folder = claim_folder(root)
    numba.config.CACHE_DIR = str(folder)
    return folder


def claim_folder(root: str | os.PathLike[str] | None = None) -> Path:
    """The folder for kernels of these sources, created if needed and marked as in use.

    Args:
        root: its parent folder; by default the environment's ``KINAROW_KERNEL_CACHE_DIR``, else the user's cache
            folder. If it cannot be written, a private temporary folder takes its place, and a log line says so.

    Raises:
        OSError: neither the root nor any temporary folder can be written.
    """
    wanted = Path(root or os.environ.get(ROOT_VARIABLE) or _user_root())
    digest = fingerprint()
    return _claim(wanted, digest) or _stand_in(wanted, digest)


def kernel_sources() -> list[Path]:
    """The files that determine compiled code, in a fixed order; they import no other files of this package."""
    solvers = _PACKAGE / "solvers"
    return sorted([*solvers.rglob("kernel*.py"), solvers / "common" / "budget_record.py"])


def fingerprint() -> str:
    """16 hex digits that change whenever compiled code may: a hash of kernel sources, versions and target CPU."""
    import llvmlite
    import numba

    digest = hashlib.sha256()
    for fact in (sys.version, numba.__version__, llvmlite.__version__, *_target()):
        digest.update(fact.encode() + b"\0")
    for source in kernel_sources():
        name = source.relative_to(_PACKAGE).as_posix()
        digest.update(name.encode() + b"\0" + hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _target() -> tuple[str, str]:
    """The CPU to compile for and its features; by default those of this machine."""
    import llvmlite.binding
    import numba

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
            # Numba tests the same: a folder may exist and not be writable.
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
    except OSError:
        return None
    _remove_old(root, keep=digest)
    return folder


def _stand_in(wanted: Path, digest: str) -> Path:
    """A private temporary folder that begins with the contents of the read-only one."""
    root = private_root()
    folder = _claim(root, digest)
    if folder is None:
        raise OSError(
            f"no folder for compiled kernels can be written; set {ROOT_VARIABLE} to one that can be"
        )
    source = wanted / digest
    complete = source.is_dir()
    if complete:
        _copy_missing(source, folder)
    # Without files to copy, the kernels are compiled now, and again once the temporary folder is removed.
    level = logging.INFO if complete else logging.WARNING
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


def _copy_missing(source: Path, target: Path) -> None:
    """Copy the files that the target lacks; each appears whole, so that several processes may copy at once."""
    for file in source.rglob("*"):
        copy = target / file.relative_to(source)
        if file.is_dir() or copy.exists():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        draft = copy.with_name(f".{copy.name}.{os.getpid()}")
        shutil.copyfile(file, draft)
        draft.replace(copy)


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
