"""Measures how fast many Connect Four positions are valued, against BitBully and any other solver.

    python -m benchmarks.engine_bulk [--solver COMMAND] [FILE ...]

A file has a line for each position: the columns played, from 1, and the expected score on the scale of such solvers.
Further sets are 100 random ongoing positions with 8 and with 12 marks. Every program has one core and begins each set
with an empty table. COMMAND reads a line of columns for each position and answers a line whose second word is the
score, as Pascal Pons' program does. The programs alternate on each set, several times on short sets. A row has the
median processor times; a ratio is kinarow's time divided by the other program's.
"""

import argparse
import os
import resource
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kinarow
from benchmarks.peers import CONNECT_FOUR, as_bitbully, random_positions
from kinarow.game.position import Position

COUNT = 100
MARKS = (12, 8)
ROUNDS = 9
ROUNDS_WITHIN_S = 2.0
"""A set is repeated 9 times, or until the programs have spent 2 s on it."""


class Set(NamedTuple):
    """Positions as columns from 1, with their scores if known."""

    name: str
    positions: list[str]
    scores: list[int] | None


def read_set(path: Path) -> Set:
    """Read the positions of a file."""
    lines = [line.split() for line in path.read_text("utf-8").splitlines()]
    return Set(path.stem, [moves for moves, _ in lines], [int(score) for _, score in lines])


def random_set(marks: int) -> Set:
    """Return random ongoing positions, the same in every run."""
    made = ["".join(str(column + 1) for column in columns) for columns, _ in random_positions(COUNT, marks)]
    return Set(f"random, {marks} marks", made, None)


def by_kinarow(positions: Sequence[str]) -> tuple[float, list[int]]:
    """Return the processor seconds of the bulk call, and the scores."""
    boards = [Position.from_moves(moves, game="connect-four") for moves in positions]
    cells = np.array([np.frombuffer(board.cells, np.uint8) for board in boards])
    started = time.process_time()
    found = kinarow.bulk_values(cells, CONNECT_FOUR)
    seconds = time.process_time() - started
    return seconds, [as_bitbully(value, board) for value, board in zip(found["score"].tolist(), boards, strict=True)]


def by_bitbully(positions: Sequence[str]) -> tuple[float, list[int]]:
    """Return BitBully's processor seconds without its book, and the scores."""
    from bitbully import BitBully, Board

    peer = BitBully(opening_book=None)
    boards = [Board([int(column) - 1 for column in moves]) for moves in positions]
    peer.reset_transposition_table()
    started = time.process_time()
    scores = [peer.mtdf(board) for board in boards]
    return time.process_time() - started, scores


def by_command(command: str) -> "Program":
    """Return a function that runs a program and returns its processor seconds, including its start, and the scores."""

    def solve(positions: Sequence[str]) -> tuple[float, list[int]]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = "".join(f"{moves}\n" for moves in positions)
        done = subprocess.run(shlex.split(command), input=text, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, [int(line.split()[1]) for line in done.stdout.splitlines() if line.strip()]

    return solve


def main(argv: Sequence[str] | None = None) -> None:
    """Print a table.

    Raises:
        RuntimeError: as ``measure``.
    """
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="sets of positions")
    parser.add_argument("--solver", help="the command of another solver")
    arguments = parser.parse_args(argv)
    programs: dict[str, Program] = {"kinarow": by_kinarow, "BitBully": by_bitbully}
    if arguments.solver:
        programs["solver"] = by_command(arguments.solver)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    by_kinarow(["7422341735647741166133573473242566"])  # loads or compiles the kernels
    ratios = [f"to {name}" for name in programs if name != "kinarow"]
    print(f"{'µs a position':24}" + "".join(f"{name:>12}" for name in [*programs, *ratios]))
    for positions in [*map(read_set, arguments.files), *map(random_set, MARKS)]:
        each = [seconds / len(positions.positions) * 1e6 for seconds in measure(positions, programs)]
        row = f"{positions.name:24}" + "".join(f"{value:12.1f}" for value in each)
        print(row + "".join(f"{each[0] / other:12.2f}" for other in each[1:]), flush=True)


Program = Callable[[Sequence[str]], tuple[float, list[int]]]


def measure(positions: Set, programs: dict[str, Program]) -> list[float]:
    """Return the median seconds of each program for a set.

    Raises:
        RuntimeError: two programs disagree about a value, or one differs from the file.
    """
    times: list[list[float]] = [[] for _ in programs]
    truth = positions.scores
    while len(times[0]) < ROUNDS and sum(map(sum, times)) < ROUNDS_WITHIN_S:
        for spent, (name, solve) in zip(times, programs.items(), strict=True):
            seconds, scores = solve(positions.positions)
            truth = truth or scores
            if scores != truth:
                raise RuntimeError(f"{positions.name}: {name} differs")
            spent.append(seconds)
    return [statistics.median(spent) for spent in times]


if __name__ == "__main__":
    main()
