"""Traces: the trace id of a request in its log line, and spans for an OpenTelemetry collector.

Spans are sent if ``OTEL_EXPORTER_OTLP_ENDPOINT`` or ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`` names a collector; this
needs the extra ``otel``. Each worker makes its own exporter, after the fork.
"""

import logging
import os
import re
from collections.abc import Mapping

from flask import Flask, request

from kinarow.version import VERSION
from service.searches.limiter import Span, no_span
from service.telemetry.logs import note, timed

_PARENT = r"(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
_TRACEPARENT = re.compile(f"00-{_PARENT}|(?!00|ff)[0-9a-f]{{2}}-{_PARENT}(?:-.*)?")
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NOT_TRACED = "healthz,readyz,metrics"  # regular expressions of paths


def start(app: Flask, environ: Mapping[str, str] = os.environ) -> Span:
    """Add the trace id to the log lines of an app; returns what makes and times the spans of its searches.

    Call it after ``RequestLog.init_app``, before other hooks.
    """
    span = _started(app, environ) if _wanted(environ) else None
    app.before_request(_note_trace_id)
    return timed(span or no_span)


def trace_id(traceparent: str) -> str | None:
    """The trace id in a header ``traceparent`` of W3C Trace Context; None if the header is invalid."""
    match = _TRACEPARENT.fullmatch(traceparent)
    return None if match is None else match[1] or match[2]


def _note_trace_id() -> None:
    sent = request.environ.get("HTTP_TRACEPARENT")  # as in logs
    found = None if sent is None else trace_id(sent)
    if found is not None:
        note(trace_id=found)


def _wanted(environ: Mapping[str, str]) -> bool:
    is_off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or environ.get("OTEL_TRACES_EXPORTER") == "none"
    return not is_off and any(environ.get(name) for name in _ENDPOINTS)


def _started(app: Flask, environ: Mapping[str, str]) -> Span | None:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.flask import FlaskInstrumentor
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logging.getLogger(__name__).warning("traces are not sent: pip install 'kinarow[otel]'")
        return None
    about = {SERVICE_VERSION: VERSION}
    if "OTEL_SERVICE_NAME" not in environ:
        about[SERVICE_NAME] = "kinarow"
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    FlaskInstrumentor().instrument_app(app, tracer_provider=provider, excluded_urls=_NOT_TRACED)
    start: Span = provider.get_tracer("kinarow", VERSION).start_as_current_span
    return start
