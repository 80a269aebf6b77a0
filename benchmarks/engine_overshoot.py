"""Measures how long after their time limit answers come, for each solver and its hardest boards.

    python -m benchmarks.engine_overshoot                 all rows, about two minutes
    python -m benchmarks.engine_overshoot --rounds 6      a quick run

Random positions with few to many marks are searched for a move and analysed, with limits of 1 to 50 ms. A figure is the
wall-clock time after the limit; an answer is ignored if the machine did something else for more than ``AWAY_MS`` during
it. ``first`` is the overshoot of the first answer on a board, which includes tables that are computed once.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.levels import move_distribution
from kinarow.search.analysis import analyse
from kinarow.search.best_move import search, warm_up
from kinarow.search_types import Limits

LIMITS_MS = (1, 2, 5, 10, 20, 50)
ROUNDS = 24
AWAY_MS = 1.0
UNLIMITED_NODES = 10**9


class Case(NamedTuple):
    """A board and its solver; boards with ``max_depth`` go to the line counts solver."""

    solver: str
    rules: Rules
    max_depth: int | None = None


CASES = [
    Case("free placement", Rules(1, 1, 1)),
    Case("free placement", Rules(7, 7, 4)),
    Case("free placement", Rules(8, 8, 6)),
    Case("free placement", Rules(8, 8, 5, exact_goal=True)),
    Case("free placement", Rules(5, 5, 4, misere=True)),
    Case("free placement", Rules(8, 8, 4, misere=True)),
    Case("free placement", Rules(8, 8, 5, misere=True, exact_goal=True)),
    Case("gravity", Rules(6, 7, 4, gravity=True)),
    Case("gravity", Rules(7, 8, 4, gravity=True, misere=True)),
    Case("gravity", Rules(8, 7, 5, gravity=True, exact_goal=True)),
    Case("building and blocking", Rules(7, 10, 5)),
    Case("building and blocking", Rules(9, 9, 6)),
    Case("near wins", Rules(9, 9, 4)),
    Case("near wins", Rules(25, 25, 4)),
    Case("near wins", Rules(25, 25, 3)),
    Case("near wins", Rules(25, 25, 2)),
    Case("pairings", Rules(9, 9, 9)),
    Case("pairings", Rules(25, 25, 9)),
    Case("pairings", Rules(25, 25, 12, misere=True, exact_goal=True)),
    Case("pairings", Rules(25, 25, 8)),
    Case("large", Rules(15, 15, 5)),
    Case("large", Rules(15, 15, 5, exact_goal=True)),
    Case("large", Rules(25, 25, 6)),
    Case("large", Rules(25, 25, 7, exact_goal=True)),
    Case("large", Rules(20, 20, 5, misere=True)),
    Case("large", Rules(25, 25, 5, gravity=True)),
    Case("large", Rules(25, 25, 12, gravity=True)),
    Case("large", Rules(25, 25, 25, gravity=True)),
    Case("large", Rules(25, 25, 13, gravity=True, misere=True, exact_goal=True)),
    Case("line tables", Rules(6, 7, 4, gravity=True), 8),
    Case("line tables", Rules(8, 8, 5), 6),
    Case("line tables", Rules(15, 15, 5), 4),
    Case("line tables", Rules(25, 25, 5), 3),
    Case("line tables", Rules(25, 25, 13), 4),
    Case("line tables", Rules(25, 25, 25), 4),
    Case("line tables", Rules(25, 25, 4, misere=True), 4),
    Case("line tables", Rules(25, 25, 13, gravity=True, exact_goal=True), 6),
]


def random_position(rules: Rules, chance: random.Random) -> Position:
    """Return an ongoing position after random moves, mostly few."""
    position = Position.empty(rules)
    for _ in range(int(chance.random() ** 2 * rules.cells)):
        after = position.play(chance.choice(position.legal_moves()))
        if after.ending().state != "ongoing":
            break
        position = after
    return position


def overshoot_ms(ask: Callable[[], object], limit_ms: int) -> float | None:
    """Return the milliseconds by which an answer exceeded its limit; None if the machine did something else."""
    began, busy = time.perf_counter(), time.thread_time()
    ask()
    took, busy = time.perf_counter() - began, time.thread_time() - busy
    return None if (took - busy) * 1000 > AWAY_MS else took * 1000 - limit_ms


def questions(case: Case, position: Position, limit_ms: int) -> list[Callable[[], object]]:
    """Return the searches of a position: a move, an analysis and, without a depth, a move of a level."""
    limits = Limits(UNLIMITED_NODES, case.max_depth, limit_ms)
    asked: list[Callable[[], object]] = [partial(search, position, limits), partial(analyse, position, limits)]
    if case.max_depth is None:
        asked.append(partial(move_distribution, position, 6, limits))
    return asked


def measure(case: Case, rounds: int) -> tuple[list[float], float]:
    """Return the sorted overshoots of a case, and the overshoot of its first answer."""
    chance = random.Random(str(case))
    first = max(overshoot_ms(ask, 1) or 0.0 for ask in questions(case, random_position(case.rules, chance), 1))
    found = []
    for number in range(rounds):
        limit_ms = LIMITS_MS[number % len(LIMITS_MS)]
        position = random_position(case.rules, chance)
        found += [overshoot_ms(ask, limit_ms) for ask in questions(case, position, limit_ms)]
    return sorted(late for late in found if late is not None), first


def share(found: Sequence[float], part: float) -> float:
    """Return a quantile of sorted figures; 0 if there are none."""
    return found[min(len(found) - 1, int(part * len(found)))] if found else 0.0


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine_overshoot", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"positions of each board ({ROUNDS})")
    parser.add_argument("--only", default="", help="the solvers whose name holds this")
    arguments = parser.parse_args(words)
    warm_up()
    print(f"{'ms after the limit':72}{'p50':>8}{'p99':>8}{'max':>8}{'first':>8}{'answers':>9}")
    everything: list[float] = []
    for case in CASES:
        if arguments.only not in case.solver:
            continue
        found, first = measure(case, arguments.rounds)
        everything += found
        depth = "" if case.max_depth is None else f", depth {case.max_depth}"
        name = f"{case.solver}: {describe(case.rules)}{depth}"
        print(line(name, found, f"{first:8.1f}"), flush=True)
    print(line("all", sorted(everything), " " * 8))
    return 0


def describe(rules: Rules) -> str:
    """Return the rules in words."""
    extras = [
        word for word, on in (("gravity", rules.gravity), ("misère", rules.misere), ("exact", rules.exact_goal)) if on
    ]
    return ", ".join([f"{rules.rows} × {rules.columns} goal {rules.goal}", *extras])


def line(name: str, found: Sequence[float], first: str) -> str:
    """Return a row of the table."""
    worst = found[-1] if found else 0.0
    return f"{name:72}{share(found, 0.5):8.1f}{share(found, 0.99):8.1f}{worst:8.1f}{first}{len(found):9}"


if __name__ == "__main__":
    raise SystemExit(main())
