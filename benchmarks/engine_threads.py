"""Measures searches on 1, 2 and all cores, and how they slow a neighbour process with easy questions.

    python -m benchmarks.engine_threads [ROW ...] [--rounds N] [--positions N] [--games N]

The rows ``review``, ``analysis`` and ``connect-four`` have the medians of alternating rounds. *Neighbour* is the 99th
percentile of searches of 1,000 nodes in another process, in a separate round. ``depth`` compares the depth of a search
of one second, ``proofs`` all cores with one on ten proofs, and ``games`` plays all cores against one on 15 x 15. If no
row is named, these last two are left out, since they take hours. The machine must be idle: times are wall clock.
"""

import argparse
import math
import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Event
from statistics import mean, median, quantiles, stdev
from typing import Any

import kinarow
from kinarow import Limits, Position, Rules
from kinarow.cores import Cores, usable_cores, using
from kinarow.protocols.piskvork import GameSearcher
from kinarow.search.best_move import search
from kinarow.search_types import MOST_NODES, Stop
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver as gravity
from training.arena import GOAL, Game, Tally, match, read_openings

GAME = "h8h9i8g8j8k8g9i9f8j10i10i11h11g12g10f9h12j12k11l10e8d8g7f6e10d11h10f10k9l8h7h6i6j5k7l6m7m5n6n4"
OPENING = GAME[:16]
HARD = ("4", "36", "44", "4444", "342", "316", "625", "1727", "6243", "156773")
SIZE = 15
DEPTH_MS, TURN_MS = 1_000, 300


def proof(moves: str, threads: int) -> int:
    """Prove a Connect Four position without the book; return the nodes of this thread."""
    budget = Budget(1_000_000_000)
    gravity.solve(Position.from_moves(moves, game="connect-four"), budget, threads=threads)
    return budget.nodes


QUESTIONS: dict[str, tuple[str, Callable[[int], object]]] = {
    "review": (
        "review of 40 moves, 50,000 nodes each",
        lambda _: kinarow.review(moves=GAME, game="gomoku", max_nodes=50_000),
    ),
    "analysis": (
        "analysis of Gomoku, 200,000 nodes",
        lambda _: kinarow.analyse(moves=OPENING, game="gomoku", max_nodes=200_000),
    ),
    "connect-four": ("Connect Four, empty board, no book", lambda threads: proof("", threads)),
}


def neighbour(over: Event, answer: Any) -> None:
    """Ask easy questions until the event is set; put the 99th percentile of their milliseconds into ``answer``."""
    position, taken = Position.from_moves("4453", game="connect-four"), list[float]()
    while not over.is_set() or len(taken) < 100:
        began = time.perf_counter()
        kinarow.best_move(position, Limits(1_000, max_depth=30))
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.005)
    answer.put(quantiles(taken, n=100)[-1])


def measured(question: Callable[[int], object], threads: int) -> tuple[float, float]:
    """Return the wall-clock and processor seconds of a question."""
    began, processor = time.perf_counter(), time.process_time()
    with using(Cores(threads)):
        question(threads)
    return time.perf_counter() - began, time.process_time() - processor


def measure_neighbour(question: Callable[[int], object], threads: int) -> float:
    """Return the 99th percentile of the neighbour's milliseconds while the question runs again."""
    over = multiprocessing.Event()
    answer: multiprocessing.Queue[float] = multiprocessing.Queue()
    other = multiprocessing.Process(target=neighbour, args=(over, answer))
    other.start()
    measured(question, threads)
    over.set()
    percentile = answer.get()
    other.join()
    return percentile


def timed(row: str, rounds: int) -> None:
    """Print one question on 1, 2 and all cores."""
    name, question = QUESTIONS[row]
    counts = sorted({1, 2, usable_cores()})
    rows = [[measured(question, count) for count in counts] for _ in range(rounds)]
    for place, count in enumerate(counts):
        seconds, processor = (median(row[place][which] for row in rows) for which in range(2))
        relative = median(row[place][0] / row[0][0] for row in rows)
        other = measure_neighbour(question, count)
        print(f"| {name} | {count} | {seconds:.2f} | {relative:.2f} | {processor:.2f} | {other:.1f} |", flush=True)


def proofs(rounds: int) -> None:
    """Print seconds and nodes of hard proofs on all cores, relative to one."""
    cores = usable_cores()
    ratios = []
    for moves in HARD * rounds:
        pair = []
        for count in (1, cores):
            began = time.perf_counter()
            with using(Cores(count)):
                nodes = proof(moves, count)
            pair.append((time.perf_counter() - began, nodes))
        ratios.append([many / one for one, many in zip(*pair, strict=True)])
    for name, of_all in zip(("seconds", "nodes of the first thread"), zip(*ratios, strict=True), strict=True):
        low, middle, high = min(of_all), median(of_all), max(of_all)
        print(f"{len(HARD)} proofs on {cores} cores, relative to one: {middle:.2f} ({low:.2f} to {high:.2f}) {name}")


class Player:
    """Plays with a number of threads and one transposition table for each game, as under the Piskvork protocol."""

    def __init__(self, threads: int) -> None:
        self._limits = Limits(MOST_NODES, time_limit_ms=TURN_MS, threads=threads)
        self._search = GameSearcher()

    def move(self, size: int, rule: int, moves: Sequence[int]) -> int:
        """Return the best move; see ``arena.Player``."""
        if len(moves) < 8:
            self._search = GameSearcher()
        position = after(moves)
        move = self._search(position, self._limits, Stop(), lambda info: None).move
        assert move is not None
        return move


def after(moves: Sequence[int]) -> Position:
    """Return the position of a match after these moves."""
    position = Position.empty(Rules(SIZE, SIZE, GOAL))
    for cell in moves:
        position = position.play(cell)
    return position


def depth(positions: int) -> None:
    """Print how much deeper all cores search in a second, on positions that neither proves."""
    gains = []
    for opening in read_openings(SIZE)[:positions]:
        one, many = (
            search(after(opening), Limits(MOST_NODES, time_limit_ms=DEPTH_MS, threads=threads)) for threads in (1, 0)
        )
        if not (one.proven or many.proven):
            gains.append(many.depth - one.depth)
    error = stdev(gains) / math.sqrt(len(gains))
    gain = f"{mean(gains):+.2f} ± {error:.2f} plies in {len(gains)} positions"
    print(f"depth in {DEPTH_MS} ms on {usable_cores()} cores, more than on one: {gain}", flush=True)


def play(games: int) -> None:
    """Play all cores against one and print the games."""

    def report(number: int, game: Game, tally: Tally) -> None:
        low, high = tally.interval()
        print(f"game {number + 1}: {tally}; score {low:.3f} to {high:.3f}", flush=True)

    match(Player(0), Player(1), games, SIZE, report)


def main(words: Sequence[str] | None = None) -> int:
    """Print the rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine_threads", description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join([*QUESTIONS, "depth", "proofs", "games"]))
    parser.add_argument("--rounds", type=int, default=5, help="of the questions (5)")
    parser.add_argument("--positions", type=int, default=40, help="of the depth (40)")
    parser.add_argument("--games", type=int, default=400, help="an even number (400)")
    arguments = parser.parse_args(words)
    others: dict[str, Callable[[], None]] = {
        "proofs": lambda: proofs(arguments.rounds),
        "depth": lambda: depth(arguments.positions),
        "games": lambda: play(arguments.games),
    }
    rows = arguments.rows or [*QUESTIONS, "depth"]
    if unknown := {*rows} - {*QUESTIONS, *others}:
        parser.error(f"no such row: {', '.join(unknown)}")
    if not others.keys() >= {*rows}:
        print("| question | cores | seconds | relative to one | processor, s | neighbour, ms |")
        print("| --- | --- | --- | --- | --- | --- |")
    kinarow.warm_up()
    for row in rows:
        timed(row, arguments.rounds) if row in QUESTIONS else others[row]()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
