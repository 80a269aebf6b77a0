"""How the service runs under gunicorn: its options from the settings, and one warm-up before the workers start.

The master imports the code and loads the kernels, then forks: workers share that memory and are ready at once. Each
worker builds its own app after the fork, so that nothing random or locked is shared. ``service.start.prepare`` comes
before this module is imported in a master.
"""

import gc
import os
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
import structlog
from gunicorn.glogging import Logger

from service import logs, metrics
from service.settings import Settings, SettingsError

MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - gunicorn makes its own unnamed files there
"""Heartbeats are written to files; on a disk a slow write would look like a hung worker."""

KEEP_ALIVE_S = 75
"""For a connection to begin the next request and to send its whole head: longer than the 60 s for which common
proxies keep idle connections, so that they close first."""

GRACE_S = 5
"""Seconds on top of the longest search for a worker to finish what it is answering when told to stop."""

WORKER_TIMEOUT_S = 60
"""Seconds without a heartbeat of a worker's loop until it is replaced; no limit of a request."""

SWITCH_S = 0.001
"""For so long a thread that works in Python may keep the others of its worker waiting; Python's own 5 ms are as
much as a whole answer takes."""

TURN_REQUESTS = 8
"""After so many requests all others have their turn: some milliseconds, where none of these had to wait."""

MAX_CONNECTIONS = 2000
MIN_CONNECTIONS = 50
OTHER_FILES = 100
"""Files that a worker may have open beside its connections."""

MAX_REQUEST_LINE = 4094
MAX_HEADERS = 64
MAX_HEADER_BYTES = 8190


class QuietLogger(Logger):  # type: ignore[misc]
    """Gunicorn's own, without its line for each request: the app writes that."""

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Spare the atoms of a line that nobody would see."""


def options(settings: Settings) -> dict[str, Any]:
    """What gunicorn is told, by the names of its settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host

    def limit_sending(server: Any) -> None:
        """Have the system cut off clients that do not take their answers; accepted sockets inherit this."""
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            for listener in server.LISTENERS:
                if listener.sock.family in (socket.AF_INET, socket.AF_INET6):
                    listener.sock.setsockopt(
                        socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(settings.send_s * 1000)
                    )
        _say_ready(server)

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
        "forwarder_headers": "",  # no header of a client's may say where the app is mounted
        "limit_request_line": MAX_REQUEST_LINE,
        "limit_request_fields": MAX_HEADERS,
        "limit_request_field_size": MAX_HEADER_BYTES,
        "accesslog": None,  # the app writes a line for each request
        "logger_class": QuietLogger,
        "logconfig_dict": logs.logging_config(settings.log_level),
        "proc_name": "kinarow",
        "when_ready": limit_sending,
        "post_fork": _after_fork,
        "post_request": _let_others_go_on,
        "child_exit": _after_exit,
    }


def _connections() -> int:
    """The most connections of one worker: as many as are useful, and as files may be open."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, open_files - OTHER_FILES))


def _say_ready(server: Any) -> None:
    for listener in server.LISTENERS:
        say(f"listening at {listener} with {server.cfg.workers} workers; play at /, read at /docs")


def _after_fork(server: Any, worker: Any) -> None:
    sys.setswitchinterval(SWITCH_S)


def _let_others_go_on(worker: Any, req: Any, environ: Any, resp: Any) -> None:
    """Give other requests their turn: a client that sends many without waiting would keep the loop to itself."""
    if worker.nr % TURN_REQUESTS == 0:
        gevent.sleep(0)


def _after_exit(server: Any, worker: Any) -> None:
    metrics.worker_exited(worker.pid)


def say(line: str) -> None:
    """Tell a person at a terminal in words, a log collector in its own form."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - a person reads it
    else:
        structlog.get_logger().info(line)


def check_address(settings: Settings) -> None:
    """Refuse an address that cannot be listened on now, rather than after the kernels are compiled.

    Raises:
        SettingsError: it is in use, or no address of this machine.
    """
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
"""Set where the listening socket is handed down: by gunicorn's upgrade in place, or by systemd."""


def warm_up_master(settings: Settings, report: Callable[[str], None]) -> None:
    """Import all that workers need and load every kernel; ``report`` gets a line for each that must be compiled."""
    from kinarow import search
    from kinarow.jit.compile_report import compile_report
    from service import app  # noqa: F401 - workers share its memory

    with compile_report(report):
        search.warm_up()
    # A table that workers share would be copied page by page, small pages, as each writes to it.
    search.solvers().free_idle_tables()

    # What lives now lives on: the collector need not touch it, so workers go on sharing its memory.
    gc.collect()
    gc.freeze()


def build_app(settings: Settings) -> Any:
    """A worker's app, warm."""
    from service.app import create_app, warm_up

    logs.configure(settings.log_level)
    app = create_app(settings)
    warm_up(app)
    return app
