"""One question on 1, 2 and all cores, and what that costs a neighbour that asks easy questions on the same machine.

    python -m benchmarks.engine_threads [--rounds N]

Each row is the median of the rounds, which alternate. *Neighbour* is the 99th percentile of a search of 1,000 nodes in
another process meanwhile. The machine must be quiet: the times are wall clock.
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Event
from statistics import median, quantiles
from typing import Any

import kinarow
from kinarow import Limits, Position
from kinarow.cores import Cores, usable_cores, using
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver as gravity

GAME = "h8h9i8g8j8k8g9i9f8j10i10i11h11g12g10f9h12j12k11l10e8d8g7f6e10d11h10f10k9l8h7h6i6j5k7l6m7m5n6n4"
OPENING = GAME[:16]
CONNECT_FOUR = "1122"

QUESTIONS: dict[str, Callable[[int], object]] = {
    "review of 40 moves, 50,000 nodes each": lambda _: kinarow.review(moves=GAME, game="gomoku", max_nodes=50_000),
    "analysis of Gomoku, 200,000 nodes": lambda _: kinarow.analyse(moves=OPENING, game="gomoku", max_nodes=200_000),
    "proof of Connect Four after four moves, without the book": lambda threads: gravity.solve(
        Position.from_moves(CONNECT_FOUR, game="connect-four"), Budget(200_000_000), threads=threads
    ),
}


def neighbour(over: Event, answer: Any) -> None:
    """Ask easy questions until the event is set; answer with the 99th percentile of their milliseconds."""
    position, taken = Position.from_moves("4453", game="connect-four"), list[float]()
    while not over.is_set() or len(taken) < 100:
        began = time.perf_counter()
        kinarow.best_move(position, Limits(1_000, max_depth=30))
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.005)
    answer.put(quantiles(taken, n=100)[-1])


def measured(question: Callable[[int], object], threads: int) -> tuple[float, float, float]:
    """Seconds by the clock and of the processor, and the milliseconds of the neighbour."""
    over = multiprocessing.Event()
    answer: multiprocessing.Queue[float] = multiprocessing.Queue()
    other = multiprocessing.Process(target=neighbour, args=(over, answer))
    other.start()
    began, processor = time.perf_counter(), time.process_time()
    with using(Cores(threads)):
        question(threads)
    took = time.perf_counter() - began, time.process_time() - processor
    over.set()
    percentile = answer.get()
    other.join()
    return *took, percentile


def main(words: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine_threads", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="(5)")
    rounds = parser.parse_args(words).rounds
    counts = sorted({1, 2, usable_cores()})
    print("| question | cores | seconds | relative to one | processor, s | neighbour, ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, question in QUESTIONS.items():
        question(1)
        rows = [[measured(question, count) for count in counts] for _ in range(rounds)]
        for place, count in enumerate(counts):
            seconds, processor, other = (median(row[place][which] for row in rows) for which in range(3))
            relative = median(row[place][0] / row[0][0] for row in rows)
            print(f"| {name} | {count} | {seconds:.2f} | {relative:.2f} | {processor:.2f} | {other:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
