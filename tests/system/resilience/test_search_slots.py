"""Real workers share the machine's slots for searches, whichever of them a request reaches."""

import contextlib
import json
import resource
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.processes import wait_for
from tests.support.server import Answer, Server

SEARCH_S = 1.0
SLOTS = 2
WORKERS = 2


@pytest.fixture(scope="module")
def patient() -> Iterator[Server]:
    """Requests wait long enough for three rounds of searches."""
    with serving(KINAROW_SEARCH_WAIT_MS="15000") as server:
        yield server


def serving(**settings: str):
    defaults = {"KINAROW_WORKERS": str(WORKERS), "KINAROW_SEARCHES": str(SLOTS)}
    return Server.started(KINAROW_MAX_NODES=str(10**9), KINAROW_MAX_TIME_MS="60000", **defaults | settings)


def search(server: Server, number: int, seconds: float = SEARCH_S) -> tuple[Answer, float]:
    """A search that takes all its time, of a board that differs with the number, and when it was answered."""
    rows = [["."] * 15 for _ in range(15)]
    rows[number % 15][number // 15], rows[(number + 7) % 15][14] = "X", "O"
    limits = {"max_nodes": 10**9, "time_limit_ms": round(seconds * 1000)}
    answer = server.post("/move", {"board": ["".join(row) for row in rows], "goal": 5, **limits})
    return answer, time.monotonic()


def searches(server: Server, numbers: range, seconds: float = SEARCH_S) -> list[tuple[Answer, float]]:
    """Such searches at once, on connections of their own; each with the seconds until it was answered."""
    began = time.monotonic()
    with ThreadPoolExecutor(len(numbers)) as pool:
        answers = pool.map(lambda number: search(server, number, seconds), numbers)
        return [(answer, ended - began) for answer, ended in answers]


def test_six_searches_end_in_three_rounds_and_never_more_than_two_run(patient):
    """So that no search takes another's core."""
    most, over = [0.0], threading.Event()

    def watch():
        while not over.wait(0.05):
            most[0] = max(most[0], patient.told("searches_running"))

    with ThreadPoolExecutor() as pool:
        pool.submit(watch)
        found = searches(patient, range(40, 46))
        over.set()
    assert most == [SLOTS]
    assert [answer.status for answer, _ in found] == [200] * 6
    assert max(seconds for _, seconds in found) < 3.9 * SEARCH_S


def test_a_review_uses_both_slots_and_gives_one_to_another_request():
    """The review takes far longer than the longest wait of a request; on one slot its answer is the same."""
    game = {"game": "gomoku", "moves": "h8h9i8g8j8k8g9i9f8j10i10i11h11g12g10f9h12j12k11l10", "max_nodes": 400_000}
    reviews = []
    with serving() as server, ThreadPoolExecutor() as pool:
        review = pool.submit(server.post, "/review", game)
        wait_for(lambda: server.told("searches_running") == 1)
        assert [answer.status for answer, _ in searches(server, range(3), 0.3)] == [200] * 3
        assert not review.done()
        reviews.append(review.result())
    with serving(KINAROW_SEARCHES="1") as server:
        reviews.append(server.post("/review", game))
    assert [review.status for review in reviews] == [200, 200]
    assert reviews[0].json == reviews[1].json


def test_by_default_what_waits_too_long_is_refused():
    with serving() as server:
        found = searches(server, range(6), 4)
    assert Counter(answer.status for answer, _ in found) == {200: 2, 503: 4}
    for answer, seconds in found:
        if answer.status == 503:
            assert answer.json["detail"] == "No search slot became free in time."
            assert 2 <= seconds < 4


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
