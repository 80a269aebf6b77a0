"""Real workers share the machine's slots for searches, whichever of them a request reaches."""

import threading
import time
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
