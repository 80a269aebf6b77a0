"""Checks before a server loads anything: its settings, its address, the folder of its metrics."""

import atexit
import contextlib
import fcntl
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from kinarow.errors import SettingsError, one_line
from service.searches.slots import MEMORY_FOLDER, temporary_folder
from service.settings import Settings, load_settings

_FOLDER_PREFIX = "kinarow-metrics-"
_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus-client when it is imported

_INHERITED = frozenset({"GUNICORN_FD", "LISTEN_FDS"})
"""Set if the process inherits its listening socket, from gunicorn's upgrade in place or from systemd."""


def prepare() -> Settings:
    """Return the settings after checking the address and making the metrics folder; on failure print why and exit."""
    try:
        temporary_folder()
    except OSError:
        exit_with_error(f"no temporary folder can be written: make {MEMORY_FOLDER} or /tmp writable, or set TMPDIR")
    try:
        settings = load_settings()
        _make_metrics_folder()
        _check_address(settings)  # last: it creates gevent's hub, which closes files only in its loop
    except SettingsError as wrong:
        exit_with_error(wrong)
    except OSError as error:
        exit_with_error(f"cannot make the folder of the metrics: {error}")
    return settings


def _check_address(settings: Settings) -> None:
    """Exit with an error if the service can't listen on its address."""
    if _INHERITED.intersection(os.environ):
        return
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        exit_with_error(f"KINAROW_HOST, KINAROW_PORT: cannot listen on {settings.host} port {settings.port}: {reason}")


def exit_with_error(why: object) -> NoReturn:
    """Print why the service can't start, and exit."""
    print(f"kinarow serve: {one_line(why)}", file=sys.stderr)  # noqa: T201 - there may be no log yet
    sys.exit(2)


def _make_metrics_folder() -> None:
    """Make the folder, to be removed at exit, and remove the folders of killed masters. May raise ``OSError``."""
    parent = temporary_folder()
    for old in parent.glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = _lock(old, fcntl.LOCK_EX)
            shutil.rmtree(old, ignore_errors=True)
            os.close(lock)
    # Renamed once it is locked: another starting master would remove an unlocked folder with the final name.
    new = Path(tempfile.mkdtemp(prefix=f".{_FOLDER_PREFIX}", dir=parent))
    _lock(new, fcntl.LOCK_SH)
    folder = new.rename(parent / new.name[1:])
    os.environ[_FOLDER_VARIABLE] = str(folder)
    master = os.getpid()
    # Every worker inherits this function, but only the master may remove the folder.
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == master else None)


def _lock(folder: Path, kind: int) -> int:
    """Lock a folder until this process and its forks end; return the descriptor, or raise ``OSError``."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
