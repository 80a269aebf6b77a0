"""Logs: a request id for every answer, one JSON line for each request, nothing of its body; no reader is waited for."""

import contextlib
import http.client
import json
import os
import signal
import sys
import time

import pytest

from service.telemetry import logs
from tests.support.app import Broken, client_with
from tests.support.commands import ended
from tests.support.processes import wait_for, workers
from tests.support.server import Server

BODY = {"board": "X.O/.X./..O", "to_move": "X"}


@pytest.fixture
def client():
    return client_with()


def test_one_line_for_each_request_says_what_was_done(client, log_lines):
    for _ in range(3):
        client.post("/move", json=BODY)
    first, second, third = log_lines()
    assert list(first) == [
        "timestamp", "level", "event", "pid", "method", "route", "status", "ms", "waited_ms", "search_ms", "request_id",
        "cached", "nodes", "stopped_by",
    ]  # fmt: skip
    assert (first["event"], first["method"], first["route"], first["status"]) == ("request", "POST", "/move", 200)
    assert [line["cached"] for line in (first, second, third)] == [False, True, True]
    assert first["nodes"] == second["nodes"] == third["nodes"] > 0
    assert first["stopped_by"] == third["stopped_by"] == "proof"
    assert 0 < third["ms"] < 10_000
    assert 0 < first["search_ms"] < first["ms"]
    assert second["search_ms"] == third["waited_ms"] == 0
    client.post("/move", json={"board": ["secret"], "secret": "secret"})
    client.post("/move", data=b"secret", content_type="application/json")
    assert "secret" not in json.dumps(log_lines()), "nothing of a body is logged"


@pytest.mark.parametrize(
    ("method", "path", "route", "status"),
    [
        ("GET", "/healthz", "/healthz", 200), ("GET", "/nothing", "unmatched", 404), ("PUT", "/move", "unmatched", 405),
        ("GET", "/web/none.js", "/web/<path:name>", 404), ("POST", "/analysis", "/analysis", 415),
    ],
)  # fmt: skip
def test_failures_are_logged_by_their_route(client, log_lines, method, path, route, status):
    client.open(path, method=method)
    (line,) = log_lines()
    assert (line["method"], line["route"], line["status"], line["level"]) == (method, route, status, "info")


def test_the_callers_request_id_is_kept(client, log_lines):
    for sent in ("a", "7f3e-11.A_b:c@d+e/f=", "x" * 128):
        response = client.get("/healthz", headers={"X-Request-ID": sent})
        assert response.headers["X-Request-ID"] == log_lines()[-1]["request_id"] == sent


@pytest.mark.parametrize("sent", [None, "", " ", "a b", "x" * 129, 'a"b', "a\\b", "é", "<script>"])
def test_a_request_id_that_is_missing_or_strange_is_replaced(client, log_lines, sent):
    given = {} if sent is None else {"HTTP_X_REQUEST_ID": sent}
    replies = [client.get("/healthz", environ_overrides=given).headers["X-Request-ID"] for _ in range(2)]
    assert sent not in replies
    assert replies[0] != replies[1]
    assert all(len(reply) == 16 for reply in replies)


@pytest.mark.parametrize(("level", "expected"), [("debug", 2), ("info", 2), ("warning", 1), ("error", 1)])
def test_the_level_decides_whether_requests_are_logged_but_faults_always_are(log_lines, level, expected):
    logs.configure(level)
    client = client_with(searching=Broken(ZeroDivisionError()))
    client.get("/healthz")
    client.post("/move", json=BODY)
    requests = [line for line in log_lines() if line["event"] == "request"]
    assert len(requests) == expected
    assert (requests[-1]["level"], requests[-1]["status"]) == ("error", 500)
    fault = log_lines()[-2]
    assert fault["request_id"] == requests[-1]["request_id"]
    assert "ZeroDivisionError" in fault["exception"]


LOGGING = """
import logging, logging.config, sys
from service.telemetry import logs
if sys.argv[1] == "all":
    logging.config.dictConfig(logs.logging_config("info"))
    sys.stderr = logs.STREAM
else:
    logs.configure("info")
logging.getLogger("service.part").info("something é \\ud800", extra={"number": 5})
logging.getLogger("service.part").debug("too small")
logging.getLogger("other").warning("from %s", "afar")
try:
    raise ZeroDivisionError("why")
except ZeroDivisionError:
    logging.getLogger("service").exception("broken")
if sys.argv[1] == "all":
    print("printed", 1, file=sys.stderr)
"""


@pytest.mark.parametrize("whose", ["all", "its own"])
def test_events_are_json_lines_and_all_are_written_before_the_process_ends(whose):
    """Under another server its own loggers are left alone."""
    lines = ended(sys.executable, "-c", LOGGING, whose).stderr.splitlines()
    if whose == "all":
        assert lines.pop() == "printed 1"
        assert json.loads(lines.pop(1))["event"] == "from afar"
    else:
        assert lines.pop(lines.index("from afar")) == "from afar"
    own, broken = map(json.loads, lines)
    assert (own["event"], own["number"], own["level"]) == ("something é \ud800", 5, "info")
    assert "ZeroDivisionError: why" in broken["exception"]


def test_waiting_lines_are_written_together_as_far_as_a_pipe_takes_them_whole():
    reader, writer = os.pipe2(os.O_DIRECT)  # keeps the writes apart
    stream = logs._ThreadedWriter(writer)
    for stream._has_thread in (True, True, True, True, False):
        stream.write(b"x" * 1999 + b"\n")
    assert [len(os.read(reader, 8192)) for _ in range(3)] == [4000, 4000, 2000]


def test_a_closed_standard_error_fails_nothing():
    closed = "import os; os.close(2)\n" + LOGGING + "print('done')"
    assert ended(sys.executable, "-c", closed, "all").stdout == "done\n"


class Unread:
    """A pipe as standard error that nobody reads, full from the start."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(self.writer, b"x" * 4096)
        os.set_blocking(self.writer, True)

    def close(self):
        os.close(self.reader)
        os.close(self.writer)


@pytest.fixture
def unread():
    pipe = Unread()
    yield pipe
    pipe.close()


def test_a_server_whose_log_nobody_reads_answers_counts_what_it_drops_and_stops(unread):
    """Neither its workers nor its master wait for the reader, also not for what the master says while it stops."""
    with Server.started(stderr=unread.writer, KINAROW_WORKERS="1") as server:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as kept:
            # The thread that writes holds as many lines as a pipe takes at once, fewer than 50.
            for _ in range(logs.MAX_WAITING_LINES + 100):
                kept.request("GET", "/healthz")
                assert kept.getresponse().read()
        assert server.told("log_lines_dropped_total") >= 50
        before = workers(server)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: len(workers(server)) == 1 and workers(server) != before, 30)
        assert server.post("/move", BODY).status == 200
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        assert time.monotonic() - began < 20
    assert os.get_blocking(unread.writer), "others write there too"
