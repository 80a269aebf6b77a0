"""The service under gunicorn: its options, made from the settings, and the warm-up before the workers start.

The master imports the code, opens the kernels and then forks, so workers share that memory and are ready at once. Each
worker builds its own app after the fork, so that they share no locks and no random state. A master calls
``service.server.start.prepare`` before it imports this module.
"""

import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gevent
import structlog
from gunicorn.glogging import Logger

from kinarow.kernels.library import KernelsMissing
from kinarow.search import best_move
from kinarow.settings import SettingsError, is_loopback
from kinarow.version import VERSION, engine_version
from service.app import create_app
from service.searches.slots import slots_folder
from service.settings import Settings, unknown_variables
from service.telemetry import logs, metrics

MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - gunicorn makes its own unnamed files there
"""Folder for the heartbeat files; on a disk, a slow write would look like a hung worker."""

KEEP_ALIVE_S = 75
"""Time for a kept connection to send the whole head of its next request. Common proxies keep idle connections for
60 s, so they close first."""

GRACE_S = 5  # seconds, beyond the longest search, in which a stopping worker may finish its requests
WORKER_TIMEOUT_S = 60  # seconds without a heartbeat after which a worker is replaced; this does not limit a request
SWITCH_S = 0.001  # time slice of threads that run Python: its default of 5 ms is as long as a whole answer takes

TURN_REQUESTS = 8
"""Number of requests after which a worker's loop lets other connections go on; these take a few milliseconds if
none of them waits."""

MAX_CONNECTIONS = 2000
MIN_CONNECTIONS = 50
OTHER_FILES = 100  # files that a worker may have open in addition to its connections
MAX_REQUEST_LINE = 4094
MAX_HEADERS = 64
MAX_HEADER_BYTES = 8190


class QuietLogger(Logger):  # type: ignore[misc]
    """Gunicorn's logger without its line for each request, which the app writes."""

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Write nothing, and save the time of formatting a line."""


def options(settings: Settings) -> dict[str, Any]:
    """The options of gunicorn, by the names of its settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host

    def begin(server: Any) -> None:
        """Say that it listens; have the system disconnect clients that do not read: accepted sockets inherit this."""
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            for listener in server.LISTENERS:
                if listener.sock.family in (socket.AF_INET, socket.AF_INET6):
                    listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(settings.send_s * 1000))
        for listener in server.LISTENERS:
            say(f"listening at {listener} with {server.cfg.workers} workers; play at /, read at /docs")

    return {
        "bind": [f"{host}:{settings.port}"],
        "worker_class": "gevent",
        "workers": settings.workers,
        "worker_connections": _connections(),
        "timeout": WORKER_TIMEOUT_S,
        "graceful_timeout": settings.max_time_ms // 1000 + GRACE_S,
        "keepalive": KEEP_ALIVE_S,
        "worker_tmp_dir": str(MEMORY_FOLDER) if os.access(MEMORY_FOLDER, os.W_OK) else None,
        "control_socket_disable": True,
        "forwarder_headers": "",  # no header of a client may set SCRIPT_NAME
        "limit_request_line": MAX_REQUEST_LINE,
        "limit_request_fields": MAX_HEADERS,
        "limit_request_field_size": MAX_HEADER_BYTES,
        "accesslog": None,  # the app writes a line for each request
        "logger_class": QuietLogger,
        "logconfig_dict": logs.logging_config(settings.log_level),
        "proc_name": "kinarow",
        "when_ready": begin,
        "worker_int": _quit_once,
        "post_request": _let_others_go_on,
        "child_exit": lambda server, worker: metrics.worker_exited(worker.pid),
    }


def only_loopback(listeners: Iterable[Any]) -> bool:
    """Whether all listeners of gunicorn are TCP sockets that only this machine reaches."""
    sockets = [listener.sock for listener in listeners]
    return all(
        each.family in (socket.AF_INET, socket.AF_INET6) and is_loopback(each.getsockname()[0]) for each in sockets
    )


def _connections() -> int:
    """The most connections of one worker, bounded by the number of files that it may open."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, open_files - OTHER_FILES))


def _quit_once(worker: Any) -> None:
    """Ctrl-C reaches a worker from the terminal and from the master; the second time it is ending already."""
    previous = [signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGQUIT)]
    if signal.SIG_IGN in previous:
        raise gevent.GreenletExit


def _let_others_go_on(worker: Any, req: Any, environ: Any, resp: Any) -> None:
    """Let other connections go on: a client that sends many requests without waiting would occupy the loop."""
    if worker.nr % TURN_REQUESTS == 0:
        gevent.sleep(0)


def say(line: str) -> None:
    """Print a line on a terminal; otherwise log it as JSON."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - a person reads it
    else:
        structlog.get_logger().info(line)


def complaint(what: object) -> int:
    """Print why a server cannot start, and give the code with which it then exits."""
    print(f"kinarow serve: {what}", file=sys.stderr)  # noqa: T201 - there may be no log yet
    return 2


def check_address(settings: Settings) -> None:
    """Refuse an address that is in use or not of this machine by a ``SettingsError``."""
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
        raise SettingsError(
            f"KINAROW_HOST, KINAROW_PORT: cannot listen on {settings.host} port {settings.port}: {reason}"
        ) from None


_INHERITED = frozenset({"GUNICORN_FD", "LISTEN_FDS"})
"""Variables that are set if the process inherits its listening socket: from gunicorn's upgrade in place or systemd."""


def warm_up_master(settings: Settings) -> None:
    """Begin to log, and open all kernels: workers share this memory, modules included."""
    logs.configure(settings.log_level, all_loggers=True)
    for warning in unknown_variables(os.environ):
        structlog.get_logger().warning(warning)
    say(f"kinarow {VERSION}: loading")
    try:
        best_move.warm_up()
    except KernelsMissing as missing:
        sys.exit(complaint(missing))
    engine_version()  # read once, for all workers
    # A shared table would be copied page by page as each worker writes to it.
    best_move.free_idle_tables()

    # All present objects stay alive. Frozen, they are not touched by the collector, so workers go on sharing them.
    gc.collect()
    gc.freeze()


def build_app(settings: Settings) -> Any:
    """A worker's app."""
    logs.configure(settings.log_level)
    return create_app(settings, slots_folder=slots_folder(settings.host, settings.port))
