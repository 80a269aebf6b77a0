"""Traces: the caller's trace id in the log, and spans that a collector receives by OTLP over HTTP."""

import gzip
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from service.telemetry.logs import trace_id
from tests.support.app import client_with
from tests.support.commands import package
from tests.support.processes import wait_for
from tests.support.server import Server

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
ARRIVES_WITHIN_S = 60


@pytest.mark.parametrize(
    ("sent", "found"),
    [(f"00-{TRACE}-{PARENT}-{flags}", TRACE) for flags in ("01", "00")]
    + [(f"01-{TRACE}-{PARENT}-01", TRACE), (f"cc-{TRACE}-{PARENT}-01-x", TRACE)]
    + [(sent, None) for sent in (
        "", "00", TRACE, f"ff-{TRACE}-{PARENT}-01", f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01", f"00-{TRACE}-{PARENT}-01-x", f"00-{TRACE}-{PARENT}",
        f"00-{TRACE}-{PARENT}-1", f"{TRACEPARENT}\n", f" {TRACEPARENT}", f"cc-{TRACE}-{PARENT}-01x",
    )],
)  # fmt: skip
def test_a_valid_traceparent_has_a_trace_id(sent, found):
    assert trace_id(sent) == found


def test_the_log_line_has_the_trace_id(log_lines):
    client = client_with()
    for sent in (TRACEPARENT, "00-bad"):
        assert client.get("/version", headers={"traceparent": sent}).status_code == 200
    first, second = log_lines()
    assert first["trace_id"] == TRACE
    assert "trace_id" not in second


class Collector:
    """Receives spans as an OpenTelemetry collector does."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"
        self.spans = []
        self.about = {}

    def receive(self, body):
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.about = {each.key: each.value.string_value for each in resource.resource.attributes}
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]

    def of(self, trace):
        found = [span for span in self.spans if span.trace_id.hex() == trace]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def wait_for(self, count, trace=TRACE):
        wait_for(lambda: len(self.of(trace)) >= count, ARRIVES_WITHIN_S)
        return self.of(trace)


@contextmanager
def collecting():
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            collector.receive(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector = Collector(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield collector
        server.shutdown()


@pytest.fixture(scope="module")
def traced():
    package("opentelemetry.instrumentation.flask")
    with collecting() as collector:
        settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        with Server.started(KINAROW_WORKERS="1", **settings) as server:
            yield collector, server


def test_a_collector_gets_the_spans_of_a_request(traced):
    """The wait for a slot and the search lie in the cache's span, that in the request's, that in the caller's."""
    collector, server = traced
    asked = {"game": "gomoku", "moves": "h8h9", "max_nodes": 2000}
    assert server.post("/move", asked, traceparent=TRACEPARENT).status == 200
    request, cache, wait, search = collector.wait_for(4)
    assert [span.name for span in (request, cache, wait, search)] == ["POST /move", "cache", "search.wait", "search"]
    assert request.parent_span_id.hex() == PARENT
    assert cache.parent_span_id == request.span_id
    assert wait.parent_span_id == search.parent_span_id == cache.span_id
    assert search.start_time_unix_nano < search.end_time_unix_nano <= cache.end_time_unix_nano
    assert collector.about["service.name"] == "kinarow"
    assert json.loads(next(line for line in server.log.splitlines() if TRACE in line))["trace_id"] == TRACE


def test_a_cached_answer_has_no_search_and_a_health_check_no_span(traced):
    collector, server = traced
    traces = [f"{number:032x}" for number in (1, 2)]
    for trace in traces:
        server.post("/move", {"board": "X.O/.X./..O"}, traceparent=f"00-{trace}-{PARENT}-01")
    assert "search" in [span.name for span in collector.wait_for(3, traces[0])]
    assert [span.name for span in collector.wait_for(2, traces[1])] == ["POST /move", "cache"]
    assert "GET /readyz" not in {span.name for span in collector.spans}


def test_the_search_of_a_stream_belongs_to_its_request(traced):
    collector, server = traced
    trace = f"{3:032x}"
    headers = {"Accept": "text/event-stream", "traceparent": f"00-{trace}-{PARENT}-01"}
    server.post("/analysis", {"game": "gomoku", "moves": "h8h9j10", "max_nodes": 500}, **headers)
    names = [span.name for span in collector.wait_for(4, trace)]
    assert names == ["POST /analysis", "cache", "search.wait", "search"]


@pytest.mark.slow
def test_a_collector_that_is_away_costs_no_answer():
    """And the server ends soon: the exporter gives up after its timeout."""
    package("opentelemetry.instrumentation.flask")
    with Server.started(
        KINAROW_WORKERS="1", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT="2"
    ) as server:
        for _ in range(20):
            assert server.post("/move", {"board": "X.O/.X./..O"}).status == 200
        began = time.monotonic()
        server.process.terminate()
        assert server.process.wait(30) == 0
        assert time.monotonic() - began < 20
