"""Structured logs on standard error: one JSON line for each event and for each request.

The line of a request is written directly, with one system call, because its cost is part of every
answer. All other events go through structlog; ``logging_config`` gives the standard library's loggers
the same form. Bodies are never logged.
"""

import logging
import logging.config
import os
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import structlog
from flask import Flask, Response, g, request
from pydantic_core import to_json

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

REQUEST_ID_HEADER = "X-Request-ID"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:@+/=-]{1,128}")
_NEW_ID_BYTES = 8

_UNMATCHED = "unmatched"


def now() -> str:
    """The time as logs show it: UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_line(line: bytes) -> None:
    """Write one line to standard error in a single system call, so that lines of processes never mix."""
    try:
        os.write(sys.stderr.fileno(), line + b"\n")
    except (OSError, ValueError, AttributeError):
        # Standard error is closed or no real file: a service must not fail because nobody reads its log.
        pass


class _Entry(NamedTuple):
    """What the log line of a request will say."""

    request_id: str
    started: float
    notes: dict[str, object]


def note(**fields: object) -> None:
    """Add fields to the log line of the current request."""
    entry: _Entry | None = g.get("log")
    if entry is not None:
        entry.notes.update(fields)


def request_id() -> str | None:
    """The id of the current request; None in an app without ``RequestLog``."""
    entry: _Entry | None = g.get("log")
    return entry.request_id if entry else None


class RequestLog:
    """Gives every request of an app an id and a log line.

    The id is the caller's ``X-Request-ID`` if it has at most 128 plain characters, else a new one; every response
    carries it. A line is written for each request at level ``info`` or below, and for a status of 500 and above at
    every level. ``count`` is called with method, route, status and seconds of every request, at any level.
    """

    def __init__(
        self,
        level: str,
        write: Callable[[bytes], None] = write_line,
        count: Callable[[str, str, int, float], None] | None = None,
    ) -> None:
        self._logs_all = LEVELS[level] <= logging.INFO
        self._write, self._count = write, count

    def init_app(self, app: Flask) -> None:
        """Log the requests of an app; its other hooks then have the id."""
        app.before_request(self._begin)
        app.after_request(self._finish)

    def _begin(self) -> None:
        sent = request.environ.get("HTTP_X_REQUEST_ID", "")  # a third of the time of request.headers
        own_id = sent if _REQUEST_ID.fullmatch(sent) else os.urandom(_NEW_ID_BYTES).hex()
        g.log = _Entry(own_id, perf_counter(), {})

    def _finish(self, response: Response) -> Response:
        entry: _Entry = g.log
        response.headers.add(REQUEST_ID_HEADER, entry.request_id)
        rule, method = request.url_rule, request.method
        end = partial(self._end, entry, method, _UNMATCHED if rule is None else rule.rule, response.status_code)
        if response.is_streamed:
            # The work of a stream is done while it is sent: it is counted when it ends.
            response.call_on_close(end)
        else:
            end()
        return response

    def _end(self, entry: _Entry, method: str, route: str, status: int) -> None:
        seconds = perf_counter() - entry.started
        if self._count is not None:
            self._count(method, route, status, seconds)
        if self._logs_all or status >= 500:
            line = {
                "timestamp": now(),
                "level": "info" if status < 500 else "warning" if status == 503 else "error",  # 503: busy, no fault
                "event": "request",
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 3),
                "request_id": entry.request_id,
                **entry.notes,
            }
            self._write(to_json(line))


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
_RENDER: list[Any] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


class _LineWriter:
    def msg(self, message: str) -> None:
        write_line(message.encode())

    log = debug = info = warning = error = critical = exception = msg


def configure(level: str, *, all_loggers: bool = False) -> None:
    """Send structlog's events to standard error as JSON lines, from this level up.

    Args:
        all_loggers: whether the standard library's loggers do so too.
    """
    if all_loggers:
        logging.config.dictConfig(logging_config(level))
    structlog.configure(
        processors=[*_SHARED, *_RENDER],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: _LineWriter(),
        cache_logger_on_first_use=False,
    )


def logging_config(level: str) -> dict[str, Any]:
    """The configuration of the standard library's loggers, for ``logging.config.dictConfig`` and gunicorn."""
    handler = {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_RENDER],
        "foreign_pre_chain": _SHARED,
    }
    quiet = {"handlers": ["stderr"], "level": level.upper(), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": formatter},
        "handlers": {"stderr": handler},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {"gunicorn.error": quiet, "gunicorn.access": {**quiet, "level": "WARNING"}},
    }
