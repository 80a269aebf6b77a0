"""Where compiled kernels are kept: a folder of their own for each version of the sources, Numba and the CPU asked for.

    <root>/<16 hex digits>/       what Numba writes; the digits are a hash of all that shapes the code

Numba's own cache looks only at the file of a function, not at the files that this one imports, takes
its folder from the environment only before it is imported, and fails where the folder cannot be
written. Hence the hash, and a copy in a temporary folder where the root is read-only (a container's
image, say): the copy takes over what the read-only folder holds, so nothing is compiled again.
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
"""A folder that no process has started with for this many days is removed."""

_SECONDS_PER_DAY = 86_400
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}")
_LOCK_NAME = ".lock"
_KERNELS = Path(__file__).parent
# Kernels may import this one file from outside their folder, so its constants are compiled in too.
_SOURCES_OUTSIDE = (_KERNELS.parent / "score.py",)

_log = logging.getLogger("kinarow.kernels")


def use_kernel_cache(root: str | os.PathLike[str] | None = None) -> Path:
    """Tell Numba to keep compiled kernels below ``root``; must come before the first kernel is defined.

    Args:
        root: a folder; by default the environment's ``KINAROW_KERNEL_CACHE_DIR``, else the user's cache
            folder. Where it cannot be written a private temporary folder takes its place, and the
            log says so.

    Returns:
        The folder that Numba uses.

    Raises:
        OSError: neither the root nor any temporary folder can be written.
    """
    import numba

    wanted = Path(root or os.environ.get(ROOT_VARIABLE) or _user_root())
    digest = fingerprint()
    folder = _claim(wanted, digest)
    if folder is None:
        folder = _stand_in(wanted, digest)
    numba.config.CACHE_DIR = str(folder)
    return folder


def fingerprint() -> str:
    """16 hex digits that change whenever compiled kernels may: sources, versions, and the CPU asked for."""
    import llvmlite
    import numba

    digest = hashlib.sha256()
    for fact in (sys.version, numba.__version__, llvmlite.__version__, *_target()):
        digest.update(fact.encode() + b"\0")
    for source in (*sorted(_KERNELS.glob("*.py")), *_SOURCES_OUTSIDE):
        digest.update(source.name.encode() + b"\0" + hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _target() -> tuple[str, str]:
    """The CPU to compile for and its features; without a setting it is this machine's."""
    import llvmlite.binding
    import numba

    name = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    return name, "of the machine" if features is None else features


def _user_root() -> Path:
    """The user's cache folder, by the XDG base directory rules; may not exist."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "kinarow" / "kernels"


def _claim(root: Path, digest: str) -> Path | None:
    """The folder of this digest below root, made and marked as in use; None where it cannot be written."""
    folder = root / digest
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root, fcntl.LOCK_SH):
            folder.mkdir(exist_ok=True)
            # Numba asks the same: a folder may be there and not be writable.
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
    except OSError:
        return None
    _remove_old(root, keep=digest)
    return folder


def _stand_in(wanted: Path, digest: str) -> Path:
    """A private temporary folder that begins with what the read-only one holds."""
    root = _private_root()
    folder = _claim(root, digest)
    if folder is None:
        raise OSError(f"no folder for compiled kernels can be written; set {ROOT_VARIABLE} to one that can")
    source = wanted / digest
    complete = source.is_dir()
    if complete:
        _copy_missing(source, folder)
    # With nothing to take over the kernels are compiled now, and again when the temporary folder is gone.
    level = logging.INFO if complete else logging.WARNING
    _log.log(level, "the kernel cache %s cannot be written; %s takes its place", wanted, root)
    return folder


def _private_root() -> Path:
    """A temporary folder that only this user can write, the same for all processes of the user."""
    bases = [tempfile.gettempdir()] if _has_temporary_folder() else []
    for base in (*bases, "/dev/shm"):  # noqa: S108 - only a folder proven private is used
        root = Path(base) / f"kinarow-kernels-{os.geteuid()}"
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileExistsError):
                root.mkdir(mode=0o700)
            if _is_private(root):
                return root
    # Somebody else holds the name: compiled code must not come from there.
    return Path(tempfile.mkdtemp(prefix="kinarow-kernels-"))


def _has_temporary_folder() -> bool:
    """Whether the system has a temporary folder that can be written."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether it is a real folder of this user that nobody else may write, and can be written."""
    facts = folder.lstat()
    mine = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022
    return mine and os.access(folder, os.W_OK)


def _copy_missing(source: Path, target: Path) -> None:
    """Copy the files that the target lacks; each appears whole, so that processes may do so at once."""
    for file in source.rglob("*"):
        copy = target / file.relative_to(source)
        if file.is_dir() or copy.exists():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        draft = copy.with_name(f".{copy.name}.{os.getpid()}")
        shutil.copyfile(file, draft)
        draft.replace(copy)


def _remove_old(root: Path, keep: str) -> None:
    """Remove folders that were not used for long; another process that starts now keeps its own."""
    oldest = time.time() - DAYS_KEPT * _SECONDS_PER_DAY
    with contextlib.suppress(OSError):
        old = [folder for folder in root.iterdir() if folder.name != keep and _unused_since(folder, oldest)]
        if not old:
            return
        with _locked(root, fcntl.LOCK_EX | fcntl.LOCK_NB):
            for folder in old:
                if _unused_since(folder, oldest):  # nobody has claimed it since
                    shutil.rmtree(folder, ignore_errors=True)


def _unused_since(folder: Path, when: float) -> bool:
    """Whether it is a folder of ours that was last claimed before this time."""
    return _FOLDER_NAME.fullmatch(folder.name) is not None and folder.stat().st_mtime < when


@contextlib.contextmanager
def _locked(root: Path, kind: int) -> Iterator[None]:
    """Hold the root's lock; claims share it, removal has it alone."""
    descriptor = os.open(root / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)
