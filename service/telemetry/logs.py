"""Structured logs on standard error, one JSON line for each event and each request; and traces of requests.

Events go through the standard library's ``logging``. The line of a request is written directly, since its cost is part
of every answer. ``STREAM`` writes in its own thread, so logging never waits for the reader. Bodies are never logged.

A line has the trace id of its request. Spans are sent if ``OTEL_EXPORTER_OTLP_ENDPOINT`` or
``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`` names an OpenTelemetry collector; this needs the extra ``otel``. Each worker
creates its exporter after the fork.
"""

import atexit
import io
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from time import perf_counter, time
from typing import Any

from flask import Flask, Response, g, has_app_context, request
from gevent import monkey
from pydantic_core import to_json

from kinarow.searches import Span
from kinarow.version import VERSION
from service.searches.threads import native
from service.telemetry.metrics import log_lines_dropped

MAX_WAITING_LINES = 2000
"""Most unwritten lines in each process; further lines are dropped."""
LAST_LINES_S = 0.5  # longest wait for the reader at exit
GATHER_S = 0.05  # lines of this time are written together; a write for each costs an eighth of a cached answer
_WHOLE_BYTES = 4096  # a write of at most PIPE_BUF bytes is atomic, so lines of several processes don't mix

REQUEST_ID_HEADER = "X-Request-ID"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:@+/=-]{1,128}")
_NEW_ID_BYTES = 8

_UNMATCHED = "unmatched"
_TIMES = {"search.wait": "waited_ms", "search.join": "waited_ms", "search": "search_ms"}
_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_PARENT = r"(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
_TRACEPARENT = re.compile(f"00-{_PARENT}|(?!00|ff)[0-9a-f]{{2}}-{_PARENT}(?:-.*)?")
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NOT_TRACED = "healthz,readyz,metrics"  # regular expressions of paths

_log = logging.getLogger(__name__)
_sleep = monkey.get_original("time", "sleep")
_SimpleQueue = monkey.get_original("queue", "SimpleQueue")


class _ThreadedWriter(io.RawIOBase):
    """Writes to a file descriptor in a native thread, since a blocking write would stop gevent's loop.

    The descriptor stays blocking, because other processes share it.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._reset()
        os.register_at_fork(after_in_child=self._reset)
        atexit.register(self._write_last)

    def _reset(self) -> None:
        self._lines = _SimpleQueue()
        self._has_thread = self._is_writing = False

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return True if a person reads the log."""
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Queue a line; never block."""
        line = bytes(data)
        if self._lines.qsize() >= MAX_WAITING_LINES:
            log_lines_dropped.inc()
        else:
            self._lines.put(line)
            if not self._has_thread:
                self._has_thread = True
                native.start_new_thread(self._write_all, (self._lines,))
        return len(line)

    def _write_all(self, lines: Any) -> None:
        while True:
            text = lines.get()
            self._is_writing = True
            _sleep(GATHER_S)
            while lines.qsize():
                line = lines.get()
                if len(text) + len(line) > _WHOLE_BYTES:
                    self._write(text)
                    text = b""
                text += line
            self._write(text)
            self._is_writing = False

    def _write(self, text: bytes) -> None:
        while text:
            try:
                text = text[os.write(self._descriptor, text) :]
            except BlockingIOError:  # another process has made the file non-blocking
                _sleep(GATHER_S)
            except OSError:
                return  # it is closed: nobody reads the log

    def _write_last(self) -> None:
        """Wait at exit until all lines are written, at most ``LAST_LINES_S``."""
        end = perf_counter() + LAST_LINES_S
        while (self._lines.qsize() or self._is_writing) and perf_counter() < end:
            _sleep(GATHER_S / 50)


_RAW = _ThreadedWriter(sys.__stderr__.fileno() if sys.__stderr__ is not None else -1)
STREAM = io.TextIOWrapper(_RAW, "utf-8", "backslashreplace", line_buffering=True)  # type: ignore[type-var]
"""Standard error; writing to it never blocks."""


def _begin_line(seconds: float, level: int, event: str) -> dict[str, Any]:
    return {
        "timestamp": datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds"),
        "level": logging.getLevelName(level).lower(),
        "event": event,
        "pid": os.getpid(),
    }


class JsonFormatter(logging.Formatter):
    """Formats a record as a line of JSON: time, level and event, then the fields of ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line = _begin_line(record.created, record.levelno, record.getMessage())
        line |= {name: value for name, value in vars(record).items() if name not in _OF_EVERY_RECORD}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def logging_config(level: str) -> dict[str, Any]:
    """Return the ``dictConfig`` for gunicorn that sends all loggers to standard error."""
    quiet = {"handlers": ["stderr"], "level": level.upper(), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonFormatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": STREAM}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {"gunicorn.error": quiet, "gunicorn.access": {**quiet, "level": "WARNING"}},
    }


def configure(level: str) -> None:
    """Send the service's own events from this level up to standard error; leave the server's loggers alone."""
    handler = logging.StreamHandler(STREAM)
    handler.setFormatter(JsonFormatter())
    own = logging.getLogger("service")
    own.handlers, own.propagate = [handler], False
    own.setLevel(level.upper())


@dataclass(slots=True)
class _Entry:
    request_id: str
    started: float
    notes: dict[str, object]
    waited_ms: float = 0.0
    search_ms: float = 0.0


def _current_entry() -> _Entry | None:
    found: _Entry | None = g.get("log") if has_app_context() else None
    return found


def note(**fields: object) -> None:
    """Add fields to the log line of the current request."""
    entry = _current_entry()
    if entry is not None:
        entry.notes.update(fields)


def request_id() -> str | None:
    """Return the id of the current request; None in an app without ``init_app``."""
    entry = _current_entry()
    return entry.request_id if entry else None


def timed(span: Span) -> Span:
    """Wrap a span factory: add the milliseconds of waits and searches to the log line of the current request."""

    @contextmanager
    def measured(name: str) -> Iterator[None]:
        began = perf_counter()
        try:
            with span(name):
                yield
        finally:
            entry, total = _current_entry(), _TIMES[name]
            if entry is not None:
                setattr(entry, total, getattr(entry, total) + (perf_counter() - began) * 1000)

    return lambda name: measured(name) if name in _TIMES else span(name)


def init_app(app: Flask, count: Callable[[str, str, int, float], None]) -> None:
    """Give every request of an app an id and a log line; call it before other hooks, which may need the id.

    The id is the client's ``X-Request-ID`` if it has at most 128 plain characters, else a new one; every response
    has it. ``count`` is called with method, route, status and seconds of every request.
    """
    app.before_request(_begin)
    app.after_request(partial(_finish, count))


def _begin() -> None:
    sent = request.environ.get("HTTP_X_REQUEST_ID", "")  # a third of the time of request.headers
    own_id = sent if _REQUEST_ID.fullmatch(sent) else os.urandom(_NEW_ID_BYTES).hex()
    found = trace_id(request.environ.get("HTTP_TRACEPARENT", ""))
    g.log = _Entry(own_id, perf_counter(), {} if found is None else {"trace_id": found})


def _finish(count: Callable[[str, str, int, float], None], response: Response) -> Response:
    entry: _Entry = g.log
    response.headers.add(REQUEST_ID_HEADER, entry.request_id)
    rule, method, status = request.url_rule, request.method, response.status_code
    route = _UNMATCHED if rule is None else rule.rule

    def end() -> None:
        seconds = perf_counter() - entry.started
        count(method, route, status, seconds)
        # 503 means that the service is busy, which is no error.
        level = logging.INFO if status < 500 else logging.WARNING if status == 503 else logging.ERROR
        if _log.isEnabledFor(level):
            line = {
                **_begin_line(time(), level, "request"),
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 3),
                "waited_ms": round(entry.waited_ms, 3),
                "search_ms": round(entry.search_ms, 3),
                "request_id": entry.request_id,
                **entry.notes,
            }
            _RAW.write(to_json(line) + b"\n")

    if response.is_streamed:
        response.call_on_close(end)  # a stream is computed while it is sent, so its time ends with it
    else:
        end()
    return response


def start_traces(app: Flask, environ: Mapping[str, str] = os.environ) -> Span:
    """Return the app's span factory; spans are exported if ``environ`` names a collector. Call after ``init_app``."""
    is_off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or environ.get("OTEL_TRACES_EXPORTER") == "none"
    has_collector = any(environ.get(name) for name in _ENDPOINTS)
    span = _start_exporter(app, environ) if has_collector and not is_off else None
    return timed(span or nullcontext)


def trace_id(traceparent: str) -> str | None:
    """Return the trace id in a W3C ``traceparent`` header; None if the header is invalid."""
    match = _TRACEPARENT.fullmatch(traceparent)
    return None if match is None else match[1] or match[2]


def _start_exporter(app: Flask, environ: Mapping[str, str]) -> Span | None:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.flask import FlaskInstrumentor
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        _log.warning("traces are not sent: pip install 'kinarow[otel]'")
        return None
    about = {SERVICE_VERSION: VERSION, SERVICE_NAME: environ.get("OTEL_SERVICE_NAME", "kinarow")}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    FlaskInstrumentor().instrument_app(app, tracer_provider=provider, excluded_urls=_NOT_TRACED)
    start: Span = provider.get_tracer("kinarow", VERSION).start_as_current_span
    return start
