"""The first steps of a server, before its modules are imported: patch this process, and read the settings."""

import atexit
import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from service.settings import Settings

_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - folders of our own are made there
_FOLDER_PREFIX = "kinarow-metrics-"
_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus-client when it is imported


_settings: "Settings | None" = None  # once ``prepare`` has been called


def prepare(*, check_address: bool = False) -> "Settings":
    """Patch this process, read the settings, and make a folder for workers' metrics.

    With ``check_address`` it also checks that the service can listen on KINAROW_HOST and KINAROW_PORT. If a setting is
    impossible, it prints the error and raises ``SystemExit``. Called again, it returns the settings alone.
    """
    global _settings
    if _settings is None:
        _settings = _prepared(check_address)
    return _settings


def settings_of_master() -> "Settings | None":
    """The settings that ``prepare`` read, which workers inherit by the fork; None if it was not called."""
    return _settings


def read_keys_again() -> None:
    """Read the file of API keys again for the workers that are forked from now on; a bad file changes nothing."""
    import structlog

    from kinarow.settings import SettingsError

    global _settings
    assert _settings is not None
    try:
        _settings = _settings.with_keys_read_again()
    except SettingsError as wrong:
        structlog.get_logger().error("the API keys were not changed", reason=str(wrong))


def trust_loopback() -> None:
    """In a worker: the server listens on loopback addresses alone, so that requests name this machine by default."""
    global _settings
    assert _settings is not None
    _settings = _settings.listening_on_loopback()


def _prepared(check_address: bool) -> "Settings":
    from gevent import monkey

    monkey.patch_all()
    from kinarow.settings import SettingsError
    from service.settings import load_settings

    try:
        _temporary_folder()
    except OSError:
        _refuse(f"no temporary folder can be written: make {_MEMORY_FOLDER} or /tmp writable, or set TMPDIR")
    try:
        settings = load_settings()
        if settings.metrics:
            _make_metrics_folder()
        if check_address:
            from service.server import hooks  # imports prometheus-client, which must know the folder

            hooks.check_address(settings)
    except SettingsError as wrong:
        _refuse(wrong)
    except OSError as error:
        _refuse(f"KINAROW_METRICS: cannot make a folder for the workers' counts ({error})")
    return settings


def _refuse(why: object) -> NoReturn:
    """Print why the service cannot start, and end."""
    from service.server import hooks

    sys.exit(hooks.complaint(why))


def _temporary_folder() -> Path:
    """A folder for short-lived files, in memory if possible; an ``OSError`` if none can be written."""
    return _MEMORY_FOLDER if os.access(_MEMORY_FOLDER, os.W_OK) else Path(tempfile.gettempdir())


def _make_metrics_folder() -> None:
    """Make the folder, removed at the end, and remove those of killed masters; an ``OSError`` if it cannot be made."""
    parent = _temporary_folder()
    for old in parent.glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = _locked(old, fcntl.LOCK_EX)
            shutil.rmtree(old, ignore_errors=True)
            os.close(lock)
    # It gets its final name only when it is locked; before that, another starting master would remove it.
    new = Path(tempfile.mkdtemp(prefix=f".{_FOLDER_PREFIX}", dir=parent))
    _locked(new, fcntl.LOCK_SH)
    folder = new.rename(parent / new.name[1:])
    os.environ[_FOLDER_VARIABLE] = str(folder)
    master = os.getpid()
    # Every worker inherits this function, but only the master may remove the folder.
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == master else None)


def _locked(folder: Path, kind: int) -> int:
    """Lock a folder until this process and all its forks have ended or closed the descriptor, which is returned.

    An ``OSError`` says that another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
