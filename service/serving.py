"""How the service runs under gunicorn: its options from the settings, and one warm-up before the workers start.

The master imports the code and compiles or loads the kernels, then forks: workers share that memory
and are ready at once. Each worker builds its own app after the fork, so that nothing random or locked
is shared. No thread may start in the master before it forks.
"""

import ctypes
import gc
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service import logs, metrics, workers
from service.http_worker import QuietLogger, worker_for
from service.settings import Settings, SettingsError

MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - gunicorn makes its own unnamed files there
"""Heartbeats are written to files; on a disk a slow write would look like a hung worker."""

KEEP_ALIVE_S = 75
"""Longer than the 60 s for which common proxies keep idle connections, so that they close first."""

GRACE_S = 5
"""Seconds on top of the longest search for a worker to finish what it is answering when told to stop."""

WORKER_TIMEOUT_S = 60
"""Seconds without a heartbeat of a worker's main loop until it is replaced; no limit of a request."""

SWITCH_S = 0.001
"""For so long a thread that works in Python may keep the others of its worker waiting; Python's own 5 ms are as
much as a whole answer takes."""

MAX_CONNECTIONS = 2000
MIN_CONNECTIONS = 50
OTHER_FILES = 100
"""Files that a worker may have open beside its connections."""

MAX_REQUEST_LINE = 4094
MAX_HEADERS = 64
MAX_HEADER_BYTES = 8190


_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Parameters of glibc's ``mallopt``, by their names in ``malloc.h``."""
_MMAP_BYTES = 128 * 1024
"""As glibc begins; it would raise this to as much as 32 MiB, and keep blocks of that size in heaps of many threads."""


def options(settings: Settings) -> dict[str, Any]:
    """What gunicorn is told, by the names of its settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": [f"{host}:{settings.port}"],
        "worker_class": worker_for(
            max_body=settings.max_body_bytes, receive_s=settings.receive_s, send_s=settings.send_s
        ),
        "workers": settings.workers,
        "threads": settings.threads,
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
        "pre_fork": _before_fork,
        "post_fork": _after_fork,
        "child_exit": _after_exit,
    }


def _connections() -> int:
    """The most connections of one worker: as many as are useful, and as files may be open."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, open_files - OTHER_FILES))


def prepare(settings: Settings) -> None:
    """What must be there before the first worker; called once in the master.

    Raises:
        SettingsError: there is no folder for the metrics.
    """
    _keep_heaps_small()
    if settings.metrics:
        try:
            metrics.prepare()
        except OSError as error:
            raise SettingsError(
                f"KINAROW_METRICS: no folder can be made for the workers' counts ({error}); false does without"
            ) from None


def _keep_heaps_small() -> None:
    """Have all threads share one heap, and large blocks lie outside it and go back to the system when they are freed.

    Else what workers hold goes on growing for a hundred thousand requests, as each thread's heap comes to hold a hole
    for the largest blocks it has ever had. Elsewhere than with glibc nothing is done.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MMAP_BYTES)
        mallopt(_M_ARENA_MAX, 1)


def _before_fork(server: Any, worker: Any) -> None:
    workers.before_fork(worker)


def _after_fork(server: Any, worker: Any) -> None:
    sys.setswitchinterval(SWITCH_S)
    workers.after_fork(worker)
    metrics.join(workers.number())


def _after_exit(server: Any, worker: Any) -> None:
    number = workers.after_exit(worker)
    if number is not None:
        metrics.forget(number)


def warm_up_master(say: Callable[[str], None]) -> None:
    """Import all that workers need and compile or load every kernel; ``say`` gets a line for each it compiles."""
    from service.engine.kernels.compile_ahead import compile_ahead
    from service.engine.kernels.compile_report import compile_report

    compile_ahead(say)
    with compile_report(say):
        # Importing the search compiles the kernels it uses, so it must come within the report.
        from service.engine import search
        from service.engine.solvers.tables import POOL

        search.warm_up()
    # A table that workers share would be copied page by page, small pages, as each writes to it.
    POOL.free_idle()
    import service.app
    import service.recommender  # noqa: F401

    # What lives now lives on: the collector need not touch it, so workers go on sharing its memory.
    gc.collect()
    gc.freeze()


def build_app(settings: Settings) -> Any:
    """A worker's app, warm."""
    from service.app import create_app, warm_up, write_metrics

    logs.configure(settings.log_level)
    app = create_app(settings)
    warm_up(app)
    write_metrics(app)
    return app
