"""A stop: what was asked is answered, idle connections do not delay it, and new connections are refused at once."""

import contextlib
import http.client
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support import proxy
from tests.support.load import Load
from tests.support.processes import wait_for
from tests.support.server import Server

pytestmark = [pytest.mark.slow, pytest.mark.alone]

IDLE_STOP_S = 3
REFUSED_AFTER_S = 1
MOST_LATE_S = 1
SEARCH_MS = 4000
LONG = {"board": ["." * 15] * 15, "goal": 5, "time_limit_ms": SEARCH_MS, "max_nodes": 100_000_000}


def kept(server: Server) -> http.client.HTTPConnection:
    """A connection that has asked once and is open."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/healthz")
    assert connection.getresponse().read()
    return connection


def ask(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
    connection.request("GET", "/healthz")
    response = connection.getresponse()
    assert response.read()
    return response


@pytest.mark.parametrize("workers", ["1", "2"])
def test_with_idle_connections_alone_it_is_short(workers):
    """Connections that have asked, and some that never did; one that asks a moment after the signal is answered."""
    with Server.started(KINAROW_WORKERS=workers) as server, contextlib.ExitStack() as stack:
        connections = [stack.enter_context(contextlib.closing(kept(server))) for _ in range(6)]
        for _ in range(3):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        assert [(each.status, each.will_close) for each in map(ask, connections[:3])] == [(200, True)] * 3
        assert server.process.wait(20) == 0
        assert time.monotonic() - began <= IDLE_STOP_S


def test_a_running_answer_is_finished_and_new_connections_are_refused():
    with Server.started(KINAROW_WORKERS="2") as server, ThreadPoolExecutor() as pool:
        asked = pool.submit(server.post, "/move", LONG)
        wait_for(lambda: server.told("searches_running") == 1)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        refused = 0
        while server.process.poll() is None:
            tried = time.monotonic()
            try:
                # Until its socket is closed, one that connects is answered.
                with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert connection.recv(15) == b"HTTP/1.1 200 OK"
                assert tried - began < REFUSED_AFTER_S
            except ConnectionRefusedError:
                refused += 1
            time.sleep(0.02)
        answer = asked.result(30)
        assert (answer.status, answer.json["search"]["stopped_by"]) == (200, "time")
        assert refused > SEARCH_MS / 100
        assert time.monotonic() - began < SEARCH_MS / 1000 + 2


def test_a_running_review_is_finished():
    """It may take five times as long as a search."""
    moves = [cell * 31 % 225 + 1 for cell in range(20)]
    game = {"game": "gomoku", "moves": moves, "max_nodes": 100_000_000}
    with Server.started(KINAROW_WORKERS="1", KINAROW_MAX_TIME_MS="2000") as server, ThreadPoolExecutor() as pool:
        asked = pool.submit(server.post, "/review", game)
        wait_for(lambda: server.told("searches_running") >= 1)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        answer = asked.result(30)
        assert (answer.status, len(answer.json["moves"])) == (200, len(moves))
        assert answer.json["summary"]["cut_by_time"] > 0
        assert time.monotonic() - began > 2 + 5.5, "the review was too short to show anything"
        assert server.process.wait(10) == 0


@pytest.mark.skipif(proxy.NGINX is None, reason="nginx is not installed")
@pytest.mark.parametrize("others", [0, 1], ids=["the only instance", "one of two"])
def test_behind_the_proxy_under_load(others):
    """Beside another instance no answer is lost and none is late; without one, the proxy then answers 502."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server.started(KINAROW_WORKERS="1")) for _ in range(1 + others)]
        running = stack.enter_context(proxy.started(servers, unlimited=True))
        with Load(running.port, clients=12) as load:
            load.wait_for(200)
            began = time.monotonic()
            servers[0].process.send_signal(signal.SIGTERM)
            assert servers[0].process.wait(20) == 0
            assert time.monotonic() - began <= IDLE_STOP_S
            if others:
                load.wait_for(200)
        assert set(load.lost) <= (set() if others else {"status 502"}), load.lost
        assert max(load.seconds) <= MOST_LATE_S
