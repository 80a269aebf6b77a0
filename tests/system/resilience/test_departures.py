"""A client that goes away while its answer is computed stops the search, whatever it had asked."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.support.processes import processor_s, wait_for, workers
from tests.support.server import Server

WITHIN_S = 0.1
"""How long a search may go on whose client is gone; measured in processor time, which a busy machine cannot add to."""

MEASURING_S = 0.03  # two ticks of the clock that counts processor time, and what an idle worker uses meanwhile

LARGE = {"board": ["." * 15] * 15, "goal": 5, "max_nodes": 10**9, "time_limit_ms": 20_000}
CARO = {"rows": 6, "columns": 6, "goal": 5, "caro": True, "max_nodes": 10**9}

GAME = {"rows": 15, "columns": 15, "goal": 5, "max_nodes": 10**9}
DRAWN_OUT = {"board": "/".join(["." * 15] * 15), "goal": 5, "max_nodes": 10**9}

ASKED = {
    "POST /move": ("POST", "/move", LARGE, {}),
    "GET /move": ("GET", "/move?" + urlencode(DRAWN_OUT), None, {}),
    "analysis": ("POST", "/analysis", LARGE, {}),
    "stream": ("POST", "/analysis", LARGE, {"Accept": "text/event-stream"}),
    "stream of many searches": ("POST", "/analysis", CARO, {"Accept": "text/event-stream"}),
    "moves": ("POST", "/moves", {"requests": [LARGE]}, {}),
    "review": ("POST", "/review", {**GAME, "moves": [113, 114, 98]}, {}),
    "review as events": ("POST", "/review", {**GAME, "moves": [113, 114, 99]}, {"Accept": "text/event-stream"}),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server.started(KINAROW_WORKERS="1", KINAROW_MAX_NODES=str(10**9), KINAROW_MAX_TIME_MS="20000") as started:
        yield started


def ask_and_leave(server, method, path, body, headers, *, after_s=0.3):
    """Send a request, wait until it is being computed, and close the connection; returns what the worker used on."""
    worker = workers(server)[0]
    before = processor_s(worker)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    data = None if body is None else json.dumps(body)
    connection.request(method, path, data, {"Content-Type": "application/json", **headers})
    wait_for(lambda: processor_s(worker) - before > after_s, 20)
    used = processor_s(worker)
    connection.close()
    return used


def used_since(server, used):
    worker, seen = workers(server)[0], [used]

    def rests():
        seen.append(processor_s(worker))
        time.sleep(0.3)
        return processor_s(worker) - seen[-1] <= 0.02

    wait_for(rests)
    return seen[-1] - used


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_client_that_goes_away_stops_its_search(server, asked):
    """Short searches of moves run between the iterations of an analysis with progress; the last here take seconds."""
    used = ask_and_leave(server, *asked, after_s=2.0 if CARO in asked else 0.3)
    assert used_since(server, used) < WITHIN_S + MEASURING_S
    assert server.post("/move", {"board": ["...", "...", "..."]}).status == 200


def test_a_client_that_closes_its_sending_half_counts_as_disconnected(server):
    body = json.dumps(LARGE).encode()
    headers = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    head = f"POST /move HTTP/1.1\r\n{headers}\r\n"
    worker = workers(server)[0]
    before = processor_s(worker)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(head.encode() + body)
        wait_for(lambda: processor_s(worker) - before > 0.3, 20)
        connection.shutdown(socket.SHUT_WR)
        assert used_since(server, processor_s(worker)) < WITHIN_S + MEASURING_S


def test_a_joined_request_is_answered_when_the_first_client_disconnects(server):
    """The follower computes in the place of the one who went away."""
    body = json.dumps({**LARGE, "time_limit_ms": 1500})
    leader, follower = (http.client.HTTPConnection("127.0.0.1", server.port, timeout=20) for _ in range(2))
    for connection, series in ((leader, "running"), (follower, "following")):
        connection.request("POST", "/move", body=body, headers={"Content-Type": "application/json"})
        wait_for(lambda series=series: server.told(f"searches_{series}") == 1)
    leader.close()
    answer = follower.getresponse()
    assert answer.status == 200
    assert json.loads(answer.read())["search"]["stopped_by"] == "time"
    follower.close()


def test_requests_that_were_left_are_logged_and_counted_as_such(server):
    used_since(server, ask_and_leave(server, *ASKED["POST /move"]))
    wait_for(lambda: '"status":499' in server.log)
    requests = 'requests_total{method="POST",route="/move",status="499"}'
    searches = 'searches_total{proven="false",stopped_by="client"}'
    wait_for(lambda: server.told(requests) and server.told(searches) and not server.told("searches_running"))


def test_a_connection_that_is_kept_serves_the_next_request_as_ever(server):
    """What was watched for one request is not taken for the next on the same connection."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for number in range(15):
        rows = ["." * 15] * 14 + ["." * number + "X" + "." * (14 - number)]
        body = json.dumps({"board": rows, "goal": 5, "to_move": "O", "time_limit_ms": 30})
        connection.request("POST", "/move", body=body, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
    connection.close()
