"""The options of gunicorn that follow from the settings."""

import resource
from typing import Any

from gunicorn.glogging import Logger

from service.searches.slots import temporary_folder
from service.settings import Settings
from service.telemetry import logs

KEEP_ALIVE_S = 75
"""Time for a kept connection to send the whole head of its next request. Common proxies keep idle connections for
60 s, so they close first."""

WORKER_TIMEOUT_S = 60  # seconds without a heartbeat after which a worker is replaced; this does not limit a request

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
    """The options by the names of gunicorn's settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": [f"{host}:{settings.port}"],
        "worker_class": "service.server.worker.Worker",
        "workers": settings.workers,
        "worker_connections": _connections(),
        "timeout": WORKER_TIMEOUT_S,
        "graceful_timeout": settings.stop_s,
        "keepalive": KEEP_ALIVE_S,
        "worker_tmp_dir": str(temporary_folder()),  # where a slow write would look like a hung worker
        "control_socket_disable": True,
        "forwarder_headers": "",  # no header of a client may set SCRIPT_NAME
        "limit_request_line": MAX_REQUEST_LINE,
        "limit_request_fields": MAX_HEADERS,
        "limit_request_field_size": MAX_HEADER_BYTES,
        "accesslog": None,  # the app writes a line for each request
        "logger_class": QuietLogger,
        "logconfig_dict": logs.logging_config(settings.log_level),
        "proc_name": "kinarow",
    }


def _connections() -> int:
    """The most connections of one worker, bounded by the number of files that it may open."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, open_files - OTHER_FILES))
