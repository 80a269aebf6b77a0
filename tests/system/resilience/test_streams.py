"""Streams of a real server: what holds them all starves nobody else."""

import contextlib
import http.client
import json
import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests.support.processes import wait_for
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
