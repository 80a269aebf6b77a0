"""Measures proofs on boards with gravity and goal 4.

    python -m benchmarks.engine_proofs [--marks N] [--count N]
    python -m benchmarks.engine_proofs --empty [--c4 FOLDER] [--rounds N]

The first command proves every move of random ongoing Connect Four positions without an immediate win, the same in every
run, each with an empty table. The second proves value and distance of twenty empty boards without a book. FOLDER has
the source of c4 (github.com/ChristopheSteininger/c4), which g++ compiles for each size; it proves the same boards
alternately with one thread. Both have a table of a gigabyte. Times are median processor times of the rounds. The nodes
are the same on every machine.
"""

import argparse
import re
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import kinarow
from benchmarks.peers import random_positions
from kinarow.game.rules import Rules
from kinarow.search.best_move import warm_up
from kinarow.solvers import bulk
from kinarow.solvers.common.capacity import NO_MOVES

MARKS = 9
COUNT = 200
ENDLESS = kinarow.Limits(max_nodes=10**12)
LONG_S = 3.0
EMPTY_BOARDS = [(columns, rows) for columns in range(4, 10) for rows in range(4, 9) if columns + rows < 14]
TABLE_WORDS = 1 << 27


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--marks", type=int, default=MARKS, help=f"marks of a position ({MARKS})")
    parser.add_argument("--count", type=int, default=COUNT, help=f"positions ({COUNT})")
    parser.add_argument("--empty", action="store_true", help="prove empty boards instead")
    parser.add_argument("--c4", type=Path, metavar="FOLDER", help="source of c4, to be measured beside")
    parser.add_argument("--rounds", type=int, default=3, help="times that each empty board is proven (3)")
    arguments = parser.parse_args(argv)
    warm_up()
    if arguments.empty:
        print_empty_boards(arguments.rounds, arguments.c4)
    else:
        print_positions(arguments.count, arguments.marks)


def print_empty_boards(rounds: int, c4: Path | None) -> None:
    """Print the time of each empty board, and c4's.

    Raises:
        RuntimeError: the two disagree on a value.
    """
    for columns, rows in EMPTY_BOARDS:
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            program = c4 and compile_c4(c4, Path(folder), columns, rows)
            for _ in range(rounds):
                seconds, value = proof_of_empty_board(columns, rows)
                ours.append(seconds)
                if program:
                    seconds, other = run_c4(program)
                    theirs.append(seconds)
                    if np.sign(other) != np.sign(value):
                        raise RuntimeError(f"{columns} x {rows}: {value} here, {other} by c4")
        line = f"{columns} wide, {rows} high: {statistics.median(ours):8.2f} s, value {value:3}"
        if theirs:
            ratio = statistics.median(ours) / statistics.median(theirs)
            line += f"; c4 {statistics.median(theirs):8.2f} s, ratio {ratio:.2f}"
        print(line, flush=True)


def proof_of_empty_board(columns: int, rows: int) -> tuple[float, int]:
    """Return processor seconds and value of the empty board; its table is allocated before."""
    rules = Rules(rows, columns, 4, gravity=True)
    memory = bulk.shared_table(TABLE_WORDS)
    started = time.process_time()
    (value,) = bulk.values(rules, np.zeros((1, rules.cells), np.uint8), NO_MOVES, memory=memory).values
    return time.process_time() - started, int(value)


def compile_c4(source: Path, folder: Path, columns: int, rows: int) -> Path:
    """Compile c4 for boards of this size and one thread; return the program."""
    settings = (source / "src/solver/settings.h").read_text("utf-8")
    for name, value in (("BOARD_WIDTH", columns), ("BOARD_HEIGHT", rows), ("NUM_THREADS", 1)):
        settings = re.sub(rf"int {name} = \d+", f"int {name} = {value}", settings)
    program = folder / "c4"
    subprocess.run(["cp", "-r", source / "src", folder / "src"], check=True)
    (folder / "src/solver/settings.h").write_text(settings, "utf-8")
    files = [folder / "src/c4.cpp", *(folder / "src/solver").rglob("*.cpp")]
    flags = ["-std=c++20", "-O3", "-flto", "-march=native", "-DNDEBUG", "-pthread"]
    subprocess.run(["g++", *flags, *files, "-o", program], check=True)
    return program


def run_c4(program: Path) -> tuple[float, int]:
    """Run c4; return its processor seconds and score."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program], input="\n", capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    score = re.search(r"Final strong score is (-?\d+)", done.stdout)
    assert score, done.stdout
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(score[1])


def print_positions(count: int, marks: int) -> None:
    """Print the mean and greatest time and nodes of random positions.

    Raises:
        RuntimeError: a move was not proven.
    """
    seconds, nodes = [], []
    for _, position in random_positions(count, marks):
        started = time.process_time()
        found = kinarow.analyse(position, ENDLESS)
        seconds.append(time.process_time() - started)
        nodes.append(found.nodes)
        if not all(move.score.exact for move in found.moves):
            raise RuntimeError(f"not proven: {position.board}")
    times, visited = np.array(seconds), np.array(nodes)
    print(f"{len(times)} positions with {marks} marks, all moves")
    long = int((times > LONG_S).sum())
    print(f"seconds: mean {times.mean():.2f}, largest {times.max():.2f}, over {LONG_S:.0f} s {long}")
    print(f"nodes:   mean {visited.mean():,.0f}, largest {visited.max():,}")


if __name__ == "__main__":
    main()
