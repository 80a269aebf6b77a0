"""Clients that are slow, silent or gone take nothing from others, without any proxy in front."""

import contextlib
import json
import socket
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.server.application import OTHER_FILES
from tests.support import faults
from tests.support.load import BOARDS, Load
from tests.support.server import Server

RECEIVE_S = 1.0
CONNECTIONS = 100
OPEN_FILES = CONNECTIONS + OTHER_FILES
ATTACKERS = 60

HEAD = b"POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = b'{"board": "X.O/.X./..O", "to_move": "X"}'
SLOW_MS = 750  # what an answer from memory may take on a crowded machine; a held thread costs a second and more


@pytest.fixture(scope="module")
def server():
    command = ("sh", "-c", f'ulimit -n {OPEN_FILES}; exec "$0" -m kinarow.commands.cli serve', sys.executable)
    with Server.started(command, KINAROW_WORKERS="1", KINAROW_RECEIVE_S=str(RECEIVE_S)) as running:
        # Each twice: what the load asks comes from the cache of responses.
        for board in BOARDS * 3:
            running.post("/move", board)
        yield running


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def read_all(sock):
    data = b""
    with contextlib.suppress(ConnectionError):
        while piece := sock.recv(65536):
            data += piece
    return data


def split(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def besieged(server, name, *attacks):
    """Run attackers, who do the attacks in turns, for some seconds beside one normal client, which must not notice."""
    over = threading.Event()
    with ThreadPoolExecutor(ATTACKERS) as pool:
        with Load(server.port, clients=1) as load:
            load.wait_for(100)
            quiet, before = statistics.median(load.seconds), len(load.seconds)
            held = [pool.submit(attacks[number % len(attacks)], server, over) for number in range(ATTACKERS)]
            time.sleep(RECEIVE_S + 1.5)
        over.set()
        for each in held:
            each.result(30)
    beside = load.seconds[before:]
    print(
        f"\n{name}: {len(beside)} answers, median {statistics.median(beside) * 1000:.2f} ms beside"
        f" {quiet * 1000:.2f} ms, slowest {max(beside) * 1000:.0f} ms, {len(load.lost)} lost"
    )
    faults.report(name, load.sent, len(load.lost), None)
    assert load.lost == [], load.lost
    assert len(beside) > 5
    assert statistics.median(beside) < 5 * quiet + 0.05
    assert max(beside) * 1000 < SLOW_MS
    assert server.get("/healthz").status == 200


def trickle(server, head, data, over):
    """Send a byte now and then until all is sent, the other side has had enough, or the test is over."""
    with connect(server) as sock, contextlib.suppress(OSError):
        sock.sendall(head)
        for byte in data:
            if over.wait(0.1):
                return
            sock.send(bytes([byte]))


def slow_head(server, over):
    trickle(server, b"", HEAD * 100, over)


def slow_body(server, over):
    trickle(server, HEAD + b"Content-Length: 60000\r\n\r\n", b"x" * 60000, over)


def slow_chunks(server, over):
    trickle(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 10_000, over)


def silence(server, over):
    with connect(server):
        over.wait(30)


def never_read(server, over):
    with unread(server) as sock, contextlib.suppress(OSError):
        sock.settimeout(0.2)
        sock.sendall(LARGE * 20)
        over.wait(30)


LARGE = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"


def unread(server):
    """A connection with hardly any room for answers."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", server.port))
    return sock


ATTACKS = {
    "nothing": [silence],
    "the head slowly": [slow_head],
    "the body slowly": [slow_body],
    "chunks slowly": [slow_chunks],
    "slowly, or never read": [slow_head, slow_body, never_read],
}


@pytest.mark.parametrize("what", ATTACKS)
def test_sixty_slow_clients_delay_no_other(server, what):
    besieged(server, f"60 clients send {what}", *ATTACKS[what])


def test_more_slow_bodies_than_connections_lock_others_out_for_the_reading_limit_at_most(server):
    with contextlib.ExitStack() as stack:
        for _ in range(2 * CONNECTIONS):
            sock = stack.enter_context(connect(server))
            sock.sendall(HEAD + b"Content-Length: 60000\r\n\r\nx")
        started = time.monotonic()
        assert server.post("/move", BODY).status == 200
        # The first half must end before the second, which waits in the backlog, has its turn.
        assert time.monotonic() - started < 2 * RECEIVE_S + 10


def test_a_client_that_never_reads_is_cut_off(server):
    with unread(server) as sock:
        sock.settimeout(30)
        sock.sendall(LARGE * 100)
        time.sleep(4 * RECEIVE_S)
        assert 0 < read_all(sock).count(b"HTTP/1.1 200 OK") < 100


def test_a_slow_body_is_408(server):
    with connect(server) as sock:
        sock.sendall(HEAD + b"Content-Length: 100\r\n\r\nx")
        started = time.monotonic()
        status, body = split(read_all(sock))
        assert RECEIVE_S - 0.5 < time.monotonic() - started < RECEIVE_S + 20
    assert (status, json.loads(body)["type"]) == (408, "/problems#too-slow")


CHUNKS = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (BODY[:7], BODY[7:])) + b"0\r\n\r\n"
LENGTH = b"Content-Length: %d" % len(BODY)


@pytest.mark.parametrize(
    ("headers", "pieces"),
    [
        (b"Connection: close\r\n" + LENGTH, (BODY[:7], BODY[7:])),
        (b"Connection: close\r\nTransfer-Encoding: chunked", (CHUNKS,)),
        (b"Connection: close\r\nExpect: 100-continue\r\n" + LENGTH, (BODY,)),
    ],
    ids=["two pieces", "chunks", "expect"],
)
def test_a_body_is_read_however_it_comes(server, headers, pieces):
    with connect(server) as sock:
        for piece in (HEAD + headers + b"\r\n\r\n", *pieces):
            sock.sendall(piece)
            time.sleep(0.1)
        status, body = split(read_all(sock).removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n"))
    assert status == 200
    assert json.loads(body)["move"]["tile"] == 6


@pytest.mark.parametrize(
    "sent", [b"Content-Length: 100000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n20000\r\n" + b" " * 0x20000]
)
def test_a_body_that_is_too_long_is_refused_without_being_read(server, sent):
    with connect(server) as sock:
        sock.sendall(HEAD + sent)
        assert sock.recv(1000).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("coding", [b"gzip, chunked", b"deflate, chunked"])
def test_a_transfer_coding_beside_chunked_is_refused(server, coding):
    with connect(server) as sock:
        sock.sendall(HEAD + b"Connection: close\r\nTransfer-Encoding: " + coding + b"\r\n\r\n0\r\n\r\n")
        status, body = split(read_all(sock))
    assert (status, json.loads(body)["type"]) == (501, "/problems#unsupported-coding")
