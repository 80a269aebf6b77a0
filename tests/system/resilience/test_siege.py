"""Two thousand connections of every idle kind beside one that must be answered."""

import contextlib
import json
import resource
import socket
import time

import pytest

from tests.support.server import Server

HEAD = b"POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
HARD = json.dumps({"board": ["." * 15] * 15, "goal": 5, "max_nodes": 50_000_000}).encode()
JOINED, SILENT, HALF = 1400, 400, 70
ASKED_S = 8  # fewer than a body may take to arrive, and a search by default


@pytest.fixture
def many_files():
    """As many open files as the connections of a worker need, here and in the server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip("this system lets no process open 4,096 files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def read_answer(connection: socket.socket) -> tuple[int, bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65_536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    while len(body) < length:
        body += connection.recv(65_536)
    return int(head.split()[1]), body


@pytest.mark.release
@pytest.mark.usefixtures("many_files")
def test_a_full_worker_says_each_second_that_it_is_alive_and_answers_all_who_joined():
    with Server.started(KINAROW_WORKERS="1", KINAROW_SEARCHES="1") as server, contextlib.ExitStack() as stack:

        def connected(data: bytes) -> socket.socket:
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            connection.sendall(data)
            return connection

        joined = [connected(HEAD % len(HARD) + HARD) for _ in range(JOINED)]
        for data, count in ((b"", SILENT), (b"POST /move HTTP/1.1\r\nHost: lo", HALF), (HEAD % 100 + b"{", HALF)):
            for _ in range(count):
                connected(data)
        assert server.get("/healthz").status == 200, "all connections have been taken"
        slowest, end = 0.0, time.monotonic() + ASKED_S
        while time.monotonic() < end:
            began = time.monotonic()
            assert server.get("/healthz").status == 200
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(1)
        print(f"/healthz: the slowest of {ASKED_S} took {slowest * 1000:.0f} ms")
        assert slowest < 1
        answers = [read_answer(connection) for connection in joined]
        assert {status for status, _ in answers} == {200}
        assert len({json.loads(body)["move"]["tile"] for _, body in answers}) == 1
