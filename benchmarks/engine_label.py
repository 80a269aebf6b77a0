"""Measures how much faster ``kinarow label`` is on two cores than on one, and the memory of a run.

    python -m benchmarks.engine_label [--count N] [--rounds N] [--marks N]
    python -m benchmarks.engine_label --write games.csv

Random ongoing Connect Four games of at least ``--marks`` marks, the same in every run, are labelled alternately on one
core and on two, with a worker process for each; the command's own process shares these cores. The last line has the
medians. If the processor times of the runs differ by more than the two seconds that the second process takes to start,
other programs have disturbed them. ``--write`` only writes the file.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.position_arrays import has_line
from kinarow.game.rules import Rules

RULES = Rules(6, 7, 4, gravity=True)
SEED = 16
AT_ONCE = 1 << 16
POLL_S = 0.2


class Run(NamedTuple):
    """Wall-clock seconds and processor seconds of a run, and the peak memory of its processes in MiB."""

    seconds: float
    processor_s: float
    megabytes: float


def games(count: int, marks: int) -> Iterator[str]:
    """Yield random ongoing games of at least ``marks`` moves, as columns from 1."""
    rng = np.random.default_rng(SEED)
    while count > 0:
        columns, lengths = _play(rng)
        long = lengths >= marks
        ends = rng.integers(marks, np.maximum(lengths, marks) + 1)
        texts = (columns + ord("1")).astype(np.uint8)
        for text, end in list(zip(texts[long], ends[long], strict=True))[:count]:
            yield text[:end].tobytes().decode()
        count -= int(long.sum())


def _play(rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of random games, and the number of moves after which each was last ongoing."""
    cells = np.zeros((AT_ONCE, RULES.cells), np.uint8)
    height = np.zeros((AT_ONCE, RULES.columns), np.intp)
    played = np.zeros((AT_ONCE, RULES.cells), np.intp)
    lengths = np.zeros(AT_ONCE, np.intp)
    ongoing, every = np.ones(AT_ONCE, bool), np.arange(AT_ONCE)
    for ply in range(RULES.cells - 1):
        side = 1 + ply % 2
        column = np.where(height < RULES.rows, rng.random(height.shape), -1.0).argmax(axis=1)
        cells[every, (RULES.rows - 1 - height[every, column]) * RULES.columns + column] = side
        height[every, column] += 1
        played[:, ply] = column
        ongoing &= ~has_line(cells == side, RULES)
        lengths[ongoing] = ply + 1
    return played, lengths


def write(path: Path, count: int, marks: int) -> None:
    """Write the games as a CSV file."""
    with path.open("w", encoding="ascii") as file:
        file.write("moves\n")
        file.writelines(f"{game}\n" for game in games(count, marks))


def label(source: Path, out: Path, cores: int) -> Run:
    """Label a file with ``cores`` processes, pinned to as many cores if ``taskset`` is installed."""
    options = ["--game", "connect-four", "--processes", str(cores)]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "kinarow.commands.cli", "label", str(source), str(out), *options]
    if taskset := shutil.which("taskset"):
        usable = sorted(os.sched_getaffinity(0))[:cores]
        command = [taskset, "--cpu-list", ",".join(map(str, usable)), *command]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        most = 0
        while run.poll() is None:
            most = max(most, _memory_bytes(run.pid))
            time.sleep(POLL_S)
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        raise RuntimeError(f"kinarow label ended with {run.returncode}")
    return Run(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, most / 2**20)


def _memory_bytes(session: int) -> int:
    """Return the memory of all processes of a session; shared pages count once."""
    kilobytes = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(folder.name)) == session:
                lines = (folder / "smaps_rollup").read_text().splitlines()
                kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue  # the process has ended
    return kilobytes * 1024


def main(argv: Sequence[str] | None = None) -> None:
    """Print a line for each run, then the medians."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="positions (1,000,000)")
    parser.add_argument("--marks", type=int, default=20, help="the fewest marks of a position (20)")
    parser.add_argument("--rounds", type=int, default=3, help="runs with each number of cores (3)")
    parser.add_argument("--write", type=Path, help="make this file and end")
    arguments = parser.parse_args(argv)
    if arguments.write:
        write(arguments.write, arguments.count, arguments.marks)
        return
    runs: dict[int, list[Run]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "games.csv")
        write(source, arguments.count, arguments.marks)
        label(source, Path(folder, "first.csv"), 2)  # compiles the kernels if need be
        print(f"{'cores':>9}{'rows/s':>10}{'wall s':>9}{'CPU s':>9}{'MiB':>7}")
        for number in range(arguments.rounds):
            for cores, done in runs.items():
                run = label(source, Path(folder, f"{number}-{cores}.csv"), cores)
                done.append(run)
                print(
                    f"{cores:9}{arguments.count / run.seconds:10.0f}{run.seconds:9.1f}"
                    f"{run.processor_s:9.1f}{run.megabytes:7.0f}",
                    flush=True,
                )
    one, two = (statistics.median(run.seconds for run in done) for done in runs.values())
    most = max(run.megabytes for done in runs.values() for run in done)
    print(f"two cores: {one / two:.2f} times one; {arguments.count / two:.0f} rows/s; {most:.0f} MiB")


if __name__ == "__main__":
    main()
