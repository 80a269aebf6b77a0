"""Streams of a real server: what holds them all starves nobody else."""

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlencode

import pytest

from tests.support.processes import processor_s, wait_for, workers
from tests.support.server import Server, read_events

KNOWN = {"board": ["X.O", ".X.", "..."]}
NEW = {"board": ["X..", "...", "..."]}
LONG = {"board": ["." * 15] * 15, "goal": 5, "max_nodes": 10**9, "time_limit_ms": 20_000}
EVENTS = {"Content-Type": "application/json", "Accept": "text/event-stream"}
ANSWERED_WITHIN_S = 2.0
"""Generous: on a quiet machine these take a few milliseconds, and without a free thread they would take 20 s."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One worker in which 4 streams may search at once, and 16 be open."""
    limits = {"KINAROW_SEARCHES": "4", "KINAROW_SEARCH_QUEUE": "0"}
    limits |= {"KINAROW_MAX_NODES": str(10**9), "KINAROW_MAX_TIME_MS": "20000"}
    with Server.started(KINAROW_WORKERS="1", **limits) as started:
        assert (started.post("/move", KNOWN).status, started.post("/analysis", KNOWN).status) == (200, 200)
        yield started


@contextlib.contextmanager
def streaming(server, count, question=None):
    """The answers of this many streams, which have all begun: each of its own search, or all of one question."""
    with contextlib.ExitStack() as stack:
        connections = []
        for number in range(count):
            board = ["." * 15] * 14 + ["." * number + "XO" + "." * (13 - number)]
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            stack.callback(connection.close)
            connection.request("POST", "/analysis", json.dumps(question or {**LONG, "board": board}), EVENTS)
            connections.append(connection)
        yield [connection.getresponse() for connection in connections]
    wait_for(lambda: running(server) == 0)


def running(server):
    """The searches and streams under way."""
    return server.told("streams") + server.told("searches_running")


def check_soon(ask, status):
    """Fail unless the answer has this status and comes soon."""
    began = time.monotonic()
    assert ask().status == status
    assert time.monotonic() - began < ANSWERED_WITHIN_S


@pytest.mark.parametrize(("count", "question", "known"), [(4, None, 200), (16, LONG, 503)], ids=["searches", "streams"])
def test_streams_that_leave_no_room_for_another_block_no_other_request(server, count, question, known):
    """Health checks, known answers and a search that is over at once."""
    with streaming(server, count, question) as held:
        assert [response.status for response in held] == [200] * count
        for response in held if question is None else held[:1]:
            assert b"event: progress\n" in (response.readline() for _ in range(3))
        for path in ("/healthz", "/readyz", "/metrics"):
            check_soon(partial(server.get, path), 200)
        for path in ("/move", "/analysis"):
            check_soon(partial(server.post, path, KNOWN), 200)
        check_soon(partial(server.post, "/analysis", KNOWN, Accept="text/event-stream"), known)
        check_soon(partial(server.post, "/analysis", NEW, Accept="text/event-stream"), 503)
        check_soon(partial(server.post, "/move", {"board": ["O..", "X..", "..."]}), 200)


def test_a_client_that_never_reads_holds_only_its_stream(server):
    """What a search tells fits the buffers of the connection, so its end is its end."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", "/analysis", json.dumps({**LONG, "time_limit_ms": 1000}), EVENTS)
    wait_for(lambda: running(server) > 0)
    wait_for(lambda: running(server) == 0, 20)
    events = read_events(connection.getresponse().read().decode())
    assert events[-1].name == "result"
    connection.close()


def test_requests_that_joined_a_stream_get_its_result(server):
    question = {**LONG, "time_limit_ms": 1500}
    with streaming(server, 3, question=question) as held:
        results = [read_events(response.read().decode())[-1] for response in held]
    assert [result.name for result in results] == ["result"] * 3
    # Stopped by time it is never kept, so that all have the same proves that they shared it.
    assert len({json.dumps(result.data["moves"]) for result in results}) == 1
    assert sum(result.data["search"]["cached"] for result in results) == 2


WITHIN_S = 0.1
"""How long a search may go on whose client is gone; measured in processor time, which a busy machine cannot add to."""

MEASURING_S = 0.03  # two ticks of the clock that counts processor time, and what an idle worker uses meanwhile


GAME = {"rows": 15, "columns": 15, "goal": 5, "max_nodes": 10**9}
DRAWN_OUT = {"board": "/".join(["." * 15] * 15), "goal": 5, "max_nodes": 10**9}

ASKED = {
    "POST /move": ("POST", "/move", LONG, {}),
    "GET /move": ("GET", "/move?" + urlencode(DRAWN_OUT), None, {}),
    "analysis": ("POST", "/analysis", LONG, {}),
    "stream": ("POST", "/analysis", LONG, {"Accept": "text/event-stream"}),
    "moves": ("POST", "/moves", {"requests": [LONG]}, {}),
    "review": ("POST", "/review", {**GAME, "moves": [113, 114, 98]}, {}),
    "review as events": ("POST", "/review", {**GAME, "moves": [113, 114, 99]}, {"Accept": "text/event-stream"}),
}


@pytest.fixture(scope="module")
def lone_server() -> Iterator[Server]:
    with Server.started(KINAROW_WORKERS="1", KINAROW_MAX_NODES=str(10**9), KINAROW_MAX_TIME_MS="20000") as started:
        yield started


def ask_and_leave(lone_server, method, path, body, headers):
    """Send a request, wait until it is being computed, and close the connection; returns what the worker used on."""
    worker = workers(lone_server)[0]
    before = processor_s(worker)
    connection = http.client.HTTPConnection("127.0.0.1", lone_server.port, timeout=20)
    data = None if body is None else json.dumps(body)
    connection.request(method, path, data, {"Content-Type": "application/json", **headers})
    wait_for(lambda: processor_s(worker) - before > 0.3, 20)
    used = processor_s(worker)
    connection.close()
    return used


def used_since(lone_server, used):
    worker, seen = workers(lone_server)[0], [used]

    def rests():
        seen.append(processor_s(worker))
        time.sleep(0.3)
        return processor_s(worker) - seen[-1] <= 0.02

    wait_for(rests)
    return seen[-1] - used


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_client_that_goes_away_stops_its_search(lone_server, asked):
    used = ask_and_leave(lone_server, *asked)
    assert used_since(lone_server, used) < WITHIN_S + MEASURING_S
    assert lone_server.post("/move", {"board": ["...", "...", "..."]}).status == 200


def test_a_client_that_closes_its_sending_half_counts_as_disconnected(lone_server):
    body = json.dumps(LONG).encode()
    headers = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    head = f"POST /move HTTP/1.1\r\n{headers}\r\n"
    worker = workers(lone_server)[0]
    before = processor_s(worker)
    with socket.create_connection(("127.0.0.1", lone_server.port)) as connection:
        connection.sendall(head.encode() + body)
        wait_for(lambda: processor_s(worker) - before > 0.3, 20)
        connection.shutdown(socket.SHUT_WR)
        assert used_since(lone_server, processor_s(worker)) < WITHIN_S + MEASURING_S


def test_requests_that_were_left_are_logged_and_counted_as_such(lone_server):
    used_since(lone_server, ask_and_leave(lone_server, *ASKED["POST /move"]))
    wait_for(lambda: '"status":499' in lone_server.log)
    requests = 'requests_total{method="POST",route="/move",status="499"}'
    searches = 'searches_total{proven="false",stopped_by="client"}'
    wait_for(
        lambda: lone_server.told(requests) and lone_server.told(searches) and not lone_server.told("searches_running")
    )


def test_a_connection_that_is_kept_serves_the_next_request_as_ever(lone_server):
    """What was watched for one request is not taken for the next on the same connection."""
    connection = http.client.HTTPConnection("127.0.0.1", lone_server.port, timeout=20)
    for number in range(15):
        rows = ["." * 15] * 14 + ["." * number + "X" + "." * (14 - number)]
        body = json.dumps({"board": rows, "goal": 5, "to_move": "O", "time_limit_ms": 30})
        connection.request("POST", "/move", body=body, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
    connection.close()
