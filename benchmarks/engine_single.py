"""What a single call costs besides its kernel: easy positions, solved by ``best_move`` in a few nodes.

    python -m benchmarks.engine_single [--beside FOLDER]

``FOLDER`` is another checkout, such as a worktree of an earlier commit. Both take the same positions in turn, each in
a process of its own. Every figure is a mean over positions of the least time of many calls, so other programs on the
machine disturb little. Python is the whole call less the kernel; the kernel's time includes handing it its arguments.
"""

import argparse
import importlib.util
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
POSITIONS = 10
CALLS = 200
ROUNDS = 5
SEED = 36
BOARDS = {
    "6 × 7 goal 4, gravity": ({"rows": 6, "columns": 7, "goal": 4, "gravity": True}, 36),
    "3 × 3": ({"rows": 3, "columns": 3, "goal": 3}, 5),
    "4 × 4": ({"rows": 4, "columns": 4, "goal": 4}, 12),
}
"""Rules, and the marks on the board."""


class Cost(NamedTuple):
    """Nanoseconds of a call and of its kernel."""

    call: int
    kernel: int


class Timed:
    """A kernel that keeps the time of its last call."""

    def __init__(self, kernel: Callable[..., object]) -> None:
        self._kernel = kernel
        self.last_ns = 0

    def __call__(self, *arguments: object) -> object:
        started = time.perf_counter_ns()
        answer = self._kernel(*arguments)
        self.last_ns = time.perf_counter_ns() - started
        return answer


def positions(rules: Any, marks: int) -> list[Any]:
    """Random ongoing positions without a win at once, the same in every run."""
    from kinarow.game.position import Position
    from kinarow.game.tactics import winning_moves

    source, found = random.Random(SEED), []
    while len(found) < POSITIONS:
        position = Position.empty(rules)
        while position.ending().state == "ongoing" and rules.cells - position.empties < marks:
            position = position.play(source.choice(position.legal_moves()))
        if position.ending().state == "ongoing" and not winning_moves(position):
            found.append(position)
    return found


def costs(position: Any, module: Any) -> Cost:
    """The least times of some calls; the kernel is timed in calls of their own."""
    from kinarow import best_move
    from kinarow.game.position import Position

    # Each call gets a position of its own: a position remembers how its game stands.
    same = [Position(position.rules, position.cells, position.to_move) for _ in range(CALLS)]
    calls = []
    for each in same:
        started = time.perf_counter_ns()
        best_move(each)
        calls.append(time.perf_counter_ns() - started)
    kernel = module.solve
    module.solve = timed = Timed(kernel)
    kernels = [timed.last_ns for each in same if best_move(each)]
    module.solve = kernel
    return Cost(min(calls), min(kernels))


def entry(rules: Any) -> Any:
    """The module whose ``solve`` begins a search under these rules; some versions have an entry of its own."""
    solver = f"kinarow.solvers.{'gravity' if rules.gravity else 'free_placement'}"
    own = importlib.util.find_spec(f"{solver}.kernel_entry")
    return importlib.import_module(f"{solver}.kernel_entry" if own else f"{solver}.kernel")


def work() -> None:
    """Measure once for each line on the standard input, and answer with a line."""
    from kinarow.game.rules import Rules

    games = [(Rules(**fields), marks) for fields, marks in BOARDS.values()]
    sets = [(entry(rules), positions(rules, marks)) for rules, marks in games]
    for _ in sys.stdin:
        print(json.dumps([[costs(each, module) for each in chosen] for module, chosen in sets]), flush=True)


def worker(folder: Path) -> "subprocess.Popen[str]":
    """A process that measures the checkout in a folder."""
    return subprocess.Popen(
        [sys.executable, __file__, "--work"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def measure(worker: "subprocess.Popen[str]") -> list[list[Cost]]:
    """The costs of one round: a list for each board."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write("\n")
    worker.stdin.flush()
    return [[Cost(*each) for each in board] for board in json.loads(worker.stdout.readline())]


def means(rounds: tuple[list[list[Cost]], ...]) -> Iterator[tuple[float, float]]:
    """For each board the microseconds of Python and of the kernel."""
    for board in zip(*rounds, strict=True):
        least = [Cost(*map(min, zip(*each, strict=True))) for each in zip(*board, strict=True)]
        call, kernel = (sum(column) / len(column) / 1000 for column in zip(*least, strict=True))
        yield call - kernel, kernel


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine_single", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--beside", type=Path, help="another checkout to measure in the same run")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work()
        return
    folders = [ROOT] if arguments.beside is None else [ROOT, arguments.beside.resolve()]
    workers = [worker(folder) for folder in folders]
    rounds = [[measure(each) for each in workers] for _ in range(ROUNDS)]
    for each in workers:
        each.communicate()
    titles = ["Python µs", "kernel µs", *(["beside: Python", "kernel", "ratio"] if len(folders) > 1 else [])]
    print(f"{'board':24}" + "".join(f"{title:>16}" for title in titles))
    for name, found in zip(BOARDS, zip(*map(means, zip(*rounds, strict=True)), strict=True), strict=True):
        ratio = [found[0][0] / found[1][0]] if len(found) > 1 else []
        figures = [*(figure for pair in found for figure in pair), *ratio]
        print(f"{name:24}" + "".join(f"{figure:16.2f}" for figure in figures))


if __name__ == "__main__":
    main()
