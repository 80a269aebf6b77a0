"""What a request may cost: its time beyond the limit, the memory it leaves, and what others notice of it."""

import gc
import http.client
import itertools
import json
import math
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from benchmarks import http_floor
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import warm_up
from kinarow.search_types import Limits
from tests.support.processes import resident_bytes, workers
from tests.support.searches import Searches
from tests.support.server import Server

OVERSHOOT_MS = 20  # the 99th percentile stays below it

GAMES = {
    "free 7 × 7": Rules(7, 7, 4), "free 8 × 8": Rules(8, 8, 5), "misère 5 × 5": Rules(5, 5, 4, misere=True),
    "Connect Four": Rules(6, 7, 4, gravity=True), "gravity 8 × 7": Rules(8, 7, 4, gravity=True),
    "gomoku": Rules(15, 15, 5), "standard gomoku": Rules(15, 15, 5, exact_goal=True),
    "misère 12 × 12": Rules(12, 12, 5, misere=True), "gravity 20 × 20": Rules(20, 20, 5, gravity=True),
    "19 × 19": Rules(19, 19, 5), "25 × 25": Rules(25, 25, 6),
}  # fmt: skip
LIMITS_MS = (20, 50)
UNLIMITED_NODES = 10**9


def positions(rules: Rules, seed: int) -> Iterator[Position]:
    choose = random.Random(seed)
    while True:
        position = Position.empty(rules)
        for _ in range(choose.randrange(2, 9)):
            position = position.play(choose.choice(position.legal_moves()))
            if position.ending().state != "ongoing":
                break
        else:
            yield position


def overshoot_ms(ask: Callable[[], object], limit_ms: int) -> float:
    """The processor time spent on an answer after its time limit: on a machine that does nothing else, its lateness."""
    clock = time.pthread_getcpuclockid(threading.get_ident())
    at_limit: list[float] = []
    timer = threading.Timer(limit_ms / 1000, lambda: at_limit.append(time.clock_gettime(clock)))
    timer.start()
    ask()
    used = time.clock_gettime(clock)
    timer.cancel()
    return (used - at_limit[0]) * 1000 if at_limit else 0.0


def overshoots(searches: Searches, rounds: int, seed: int) -> list[float]:
    """The overshoots of moves, analyses and levels on every game at every limit, in order of size."""
    found = []
    for number, (rules, limit_ms) in enumerate(itertools.product(GAMES.values(), LIMITS_MS * rounds)):
        position = next(positions(rules, seed + number))
        limits = Limits(UNLIMITED_NODES, time_limit_ms=limit_ms)
        for ask in (
            partial(searches.move, position, limits),
            partial(searches.analysis, position, limits),
            partial(searches.move, position, limits, level=6, seed=1),
        ):
            found.append(overshoot_ms(ask, limit_ms))
    return sorted(found)


@pytest.mark.parametrize(("rounds", "share"), [(3, 0.9), pytest.param(15, 0.99, marks=pytest.mark.release)])
def test_answers_come_soon_after_their_time_limit(rounds, share):
    """Of the few answers of the short form the 99th percentile would be the slowest of all."""
    warm_up()
    gc.collect()
    gc.freeze()  # as a worker does: a collection would trace all modules, which takes 50 ms
    searches = Searches(0)
    for rules in GAMES.values():
        # What is worked out and set aside once for each kind of board is no part of any one answer.
        searches.analysis(next(positions(rules, 0)), Limits(UNLIMITED_NODES, time_limit_ms=20))
    found = overshoots(searches, rounds, seed=0)
    gc.unfreeze()
    late = found[math.ceil(len(found) * share) - 1]
    print(f"\n{share:.0%} of {len(found)} overshoots within {late:.1f} ms, half in {found[len(found) // 2]:.1f} ms")
    assert late < OVERSHOOT_MS


def boards(seed: int) -> Iterator[bytes]:
    choose = random.Random(seed)
    for number in itertools.count():
        rows, columns = choose.randrange(3, 16), choose.randrange(3, 16)
        marks = choose.randrange(0, min(20, rows * columns // 3))
        cells = ["."] * (rows * columns)
        for place, cell in enumerate(choose.sample(range(rows * columns), marks)):
            cells[cell] = "XO"[place % 2]
        board = ["".join(cells[row * columns : (row + 1) * columns]) for row in range(rows)]
        rules = {"goal": max(rows, columns), "misere": number % 3 == 0, "exact_goal": number % 5 == 0}
        asked = {"board": board, **rules, "max_nodes": 1 + number % 50, "to_move": "XO"[marks % 2]}
        yield json.dumps(asked).encode()


def ask_all(server: Server, bodies: Iterator[bytes], count: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for body in itertools.islice(bodies, count):
        connection.request("POST", "/move", body=body, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
    connection.close()


def test_the_memory_of_a_worker_levels_off():
    """Once the caches are full, 3,000 boards more cost no more than tables of new sizes, which join the pool."""
    small = {"KINAROW_CACHE_BYTES": "500000"}
    with Server.started(KINAROW_WORKERS="1", KINAROW_LOG_LEVEL="warning", **small) as server:
        worker = workers(server)[0]
        bodies = boards(1)
        ask_all(server, bodies, 4_000)
        before = resident_bytes(worker)
        ask_all(server, bodies, 3_000)
        after = resident_bytes(worker)
        print(f"\n4,000 boards: {before >> 20} MiB; 7,000: {after >> 20} MiB")
        assert workers(server) == [worker]
        assert after - before < 32 << 20


@pytest.mark.parametrize("count", [120, pytest.param(5_000, marks=[pytest.mark.release, pytest.mark.timeout(1800)])])
def test_a_worker_grows_by_what_its_cache_may_hold_however_many_analyses_differ(count):
    """As objects an analysis of 25 × 25 takes 233 to 463 kB."""
    setting = 1 << 20
    with Server.started(KINAROW_WORKERS="1", KINAROW_LOG_LEVEL="warning", KINAROW_CACHE_BYTES=str(setting)) as server:
        worker = workers(server)[0]
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for number in range(-30, count):
            if number == 0:
                before = resident_bytes(worker)
            nodes, cell = divmod(number + 30, 625)
            move = f"{chr(97 + cell % 25)}{cell // 25 + 1}"
            connection.request("GET", f"/analysis?rows=25&columns=25&goal=5&moves={move}&max_nodes={nodes + 1}")
            assert len(connection.getresponse().read()) > 50_000
        connection.close()
        grown = resident_bytes(worker) - before
        print(f"\n{count} analyses: {grown >> 20} MiB")
        assert grown < 1.2 * setting + 30_000_000


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
    assert shares["cached /move, log on"] >= 0.60
    assert shares["cached /move, log off"] >= 0.65
