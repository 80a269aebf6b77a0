"""Logs: a request id for every answer, one JSON line for each request, nothing of its body."""

import json
import logging
import logging.config

import pytest
import structlog

from service.telemetry import logs
from tests.service.conftest import client_with
from tests.service.http.test_problems import Broken

BODY = {"board": "X.O/.X./..O", "to_move": "X"}


@pytest.fixture
def lines():
    return []


@pytest.fixture
def client(lines):
    return client_with(write_log=lines.append)


def test_one_line_for_each_request_says_what_was_done(client, lines):
    for _ in range(3):
        client.post("/move", json=BODY)
    first, second, third = map(json.loads, lines)
    assert list(first) == [
        "timestamp", "level", "event", "method", "route", "status", "ms", "request_id", "cached", "nodes", "stopped_by",
    ]  # fmt: skip
    assert (first["event"], first["method"], first["route"], first["status"]) == ("request", "POST", "/move", 200)
    assert [line["cached"] for line in (first, second, third)] == [False, True, True]
    assert first["nodes"] == second["nodes"] == third["nodes"] > 0
    assert first["stopped_by"] == third["stopped_by"] == "proof"
    assert 0 < third["ms"] < 10_000
    client.post("/move", json={"board": ["secret"], "secret": "secret"})
    client.post("/move", data=b"secret", content_type="application/json")
    assert "secret" not in b"".join(lines).decode(), "nothing of a body is logged"


@pytest.mark.parametrize(
    ("method", "path", "route", "status"),
    [
        ("GET", "/healthz", "/healthz", 200), ("GET", "/nothing", "unmatched", 404), ("PUT", "/move", "unmatched", 405),
        ("GET", "/web/none.js", "/web/<path:name>", 404), ("POST", "/analysis", "/analysis", 415),
    ],
)  # fmt: skip
def test_failures_are_logged_by_their_route(client, lines, method, path, route, status):
    client.open(path, method=method)
    (line,) = map(json.loads, lines)
    assert (line["method"], line["route"], line["status"], line["level"]) == (method, route, status, "info")


def test_the_callers_request_id_is_kept(client, lines):
    for sent in ("a", "7f3e-11.A_b:c@d+e/f=", "x" * 128):
        response = client.get("/healthz", headers={"X-Request-ID": sent})
        assert response.headers["X-Request-ID"] == json.loads(lines[-1])["request_id"] == sent


@pytest.mark.parametrize("sent", [None, "", " ", "a b", "x" * 129, 'a"b', "a\\b", "é", "<script>"])
def test_a_request_id_that_is_missing_or_strange_is_replaced(client, lines, sent):
    given = {} if sent is None else {"HTTP_X_REQUEST_ID": sent}
    replies = [client.get("/healthz", environ_overrides=given).headers["X-Request-ID"] for _ in range(2)]
    assert sent not in replies
    assert replies[0] != replies[1]
    assert all(len(reply) == 16 for reply in replies)


@pytest.mark.parametrize(("level", "expected"), [("debug", 2), ("info", 2), ("warning", 1), ("error", 1)])
def test_the_level_decides_whether_requests_are_logged_but_faults_always_are(lines, level, expected):
    client = client_with(recommender=Broken(ZeroDivisionError()), write_log=lines.append, log_level=level)
    client.get("/healthz")
    client.post("/move", json=BODY)
    assert len(lines) == expected
    assert (json.loads(lines[-1])["level"], json.loads(lines[-1])["status"]) == ("error", 500)


def test_a_line_is_written_to_standard_error_whole_and_a_closed_one_fails_no_request(capfd, monkeypatch):
    logs.write_line('{"a": "é"}'.encode())
    assert capfd.readouterr().err == '{"a": "é"}\n'
    monkeypatch.setattr("sys.stderr", None)
    logs.write_line(b"unheard")


def test_events_and_the_standard_library_log_json_lines_too(capfd):
    structlog.reset_defaults()
    try:
        logs.configure("info")
        structlog.get_logger().info("something", number=5)
        structlog.get_logger().debug("too small")
        logging.config.dictConfig(logs.logging_config("info"))
        logging.getLogger("other").warning("from %s", "afar")
        try:
            raise ZeroDivisionError("why")
        except ZeroDivisionError:
            structlog.get_logger().exception("broken")
    finally:
        structlog.reset_defaults()
        logging.getLogger().handlers.clear()
    own, foreign, broken = map(json.loads, capfd.readouterr().err.splitlines())
    assert (own["event"], own["number"], own["level"]) == ("something", 5, "info")
    assert (foreign["event"], foreign["level"]) == ("from afar", "warning")
    assert "ZeroDivisionError: why" in broken["exception"]
