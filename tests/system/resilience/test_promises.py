"""Known answers beside long searches, what the response costs beside a bare route, and a hostile crowd's memory."""

import json
import random
import socket
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks import http_floor
from kinarow.cores import usable_cores
from loadtests.abuse import expensive
from loadtests.hostile import SMALL_CACHES, attack
from loadtests.wire import FAILED
from tests.support.processes import resident_bytes, workers
from tests.support.server import Server

KNOWN = json.dumps({"board": ["X.O", ".X.", "..."]}).encode()
LATE_MS = 250
PARTS = 5
GROWTH_BYTES = 10 * 1024 * 1024
FILLED_BY = 2
SEARCH_S = 10


def long_search(number):
    """A board that takes all its time; another one for each number."""
    rows = ["." * 15] * 14 + ["." * number + "XO" + "." * (13 - number)]
    return {"board": rows, "goal": 5, "max_nodes": 10**9, "time_limit_ms": SEARCH_S * 1000}


def test_known_answers_come_soon_beside_two_long_searches():
    """The 99th percentile of what one client on a kept connection sees."""
    with Server.started(KINAROW_WORKERS="1", KINAROW_SEARCHES="2", KINAROW_MAX_NODES=str(10**9)) as server:
        for _ in range(3):
            server.post("/move", KNOWN)
        answers = []
        searches = [
            threading.Thread(target=lambda n=n: answers.append(server.post("/move", long_search(n)))) for n in (0, 5)
        ]
        for search in searches:
            search.start()
        time.sleep(0.5)
        times = []
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            end = time.monotonic() + SEARCH_S - 2
            while time.monotonic() < end:
                began = time.monotonic()
                connection.sendall(http_floor.REQUEST)
                received = b""
                while not http_floor.is_whole_ok(received):
                    received += connection.recv(65_536)
                times.append((time.monotonic() - began) * 1000)
                time.sleep(0.01)
        for search in searches:
            search.join(60)
    # In parts, since a busy machine may be late for its own reasons for a while.
    size = len(times) // PARTS
    late = statistics.median(
        statistics.quantiles(times[part * size : (part + 1) * size], n=100)[98] for part in range(PARTS)
    )
    print(f"\n{len(times)} known answers: median {statistics.median(times):.1f} ms, 99th percentile {late:.1f} ms")
    assert [answer.json["search"]["stopped_by"] for answer in answers] == ["time", "time"]
    assert late < LATE_MS


@pytest.mark.release
@pytest.mark.timeout(1200)
def test_a_cached_answer_costs_little_beside_a_bare_route():
    """By processor time, which other programs on the machine disturb least."""
    with http_floor.servers() as running:
        rates = http_floor.measure(running, rounds=7, seconds=1.5, connections=4)
    print("\n" + http_floor.table(rates))
    bare = rates.pop(http_floor.BARE)
    shares = {
        name: statistics.median(b.processor_us / r.processor_us for b, r in zip(bare, own, strict=True))
        for name, own in rates.items()
    }
    assert shares["cached /move, logs and metrics on"] >= 0.70
    assert shares["cached /move, logs and metrics off"] >= 0.80


def fill_tables(server):
    """Search the most expensive requests to their end, on every slot at once: the tables of searches are kept for the
    next, within a bound, and what a search has not written to takes no memory yet.
    """

    def ask_all(seed):
        for data in list(expensive(random.Random(seed))) * FILLED_BY:
            with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
                connection.sendall(data)
                assert connection.recv(100).startswith(b"HTTP/1.1 200 ")

    with ThreadPoolExecutor() as clients:
        list(clients.map(ask_all, range(usable_cores())))


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_a_hostile_crowd_gets_no_fault_and_takes_no_memory():
    """20,000 requests in five parts, of which some 3,000 are no HTTP."""
    with Server.started(KINAROW_WORKERS="1", KINAROW_LOG_LEVEL="warning", **SMALL_CACHES) as server:
        (worker,) = workers(server)
        fill_tables(server)
        held, wrong = [], {}
        for part in range(5):
            found, _ = attack(server.port, 4_000, 600, seed=1 + part)
            time.sleep(3)
            held.append(resident_bytes(worker))
            wrong |= {
                (kind, came): number
                for (kind, came), number in found.items()
                if came.startswith(FAILED) or (came.startswith("5") and came not in ("501", "503"))
            }
        assert workers(server) == [worker]
        assert server.post("/move", KNOWN).status == 200
    print(f"\nafter each fifth {[size >> 20 for size in held]} MiB")
    assert wrong == {}
    assert held[-1] - held[0] <= GROWTH_BYTES
