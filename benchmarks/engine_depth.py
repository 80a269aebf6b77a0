"""Measures depth and speed of the large-board search by the size of the board; part of ``make bench``.

Fixed balanced openings on square boards from 9 x 9 to 25 x 25, goal 5, are searched with the same number of nodes and
empty tables. Nodes, depth and branching are the same on every machine; seconds are processor time. The effective
branching factor is the growth of nodes per ply from ``FIRST_DEPTH`` to the last completed iteration: (nodes to the last
/ nodes to the first) ** (1 / plies between). ``--write`` writes docs/figures/large-boards.csv and
docs/images/large-boards.svg.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.figures import IMAGES, show_figures
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits, SearchInfo
from training.arena import read_openings

SIZES = (9, 11, 13, 15, 17, 19, 20, 25)
GOAL = 5
POSITIONS = 6
NODES = 200_000
FIRST_DEPTH = 4
TIMED_DEPTH = 6


class Searched(NamedTuple):
    """A search: nodes, processor seconds, and both at the completion of each depth."""

    nodes: int
    seconds: float
    depths: dict[int, tuple[int, float]]

    @property
    def depth(self) -> int:
        """The last completed depth."""
        return max(self.depths, default=0)

    @property
    def branching(self) -> float | None:
        """The effective branching factor; None if too few depths were completed."""
        if self.depth <= FIRST_DEPTH or FIRST_DEPTH not in self.depths:
            return None
        growth = self.depths[self.depth][0] / self.depths[FIRST_DEPTH][0]
        return float(growth ** (1 / (self.depth - FIRST_DEPTH)))


class Row(NamedTuple):
    """Means over the positions of a board size; None if no position reached the depth."""

    size: int
    speed: float
    depth: float
    branching: float | None
    nodes_to_depth: float | None
    ms_to_depth: float | None


def measure(opening: Sequence[int], size: int, nodes: int) -> Searched:
    """Search the position after an opening."""
    position = Position.empty(Rules(size, size, GOAL))
    for cell in opening:
        position = position.play(cell)
    depths: dict[int, tuple[int, float]] = {}
    began = time.thread_time()

    def progress(info: SearchInfo) -> None:
        depths.setdefault(info.depth, (info.nodes, time.thread_time() - began))

    result = search(position, Limits(nodes), progress=progress)
    return Searched(result.nodes, time.thread_time() - began, depths)


def row(size: int, positions: int, nodes: int) -> Row:
    """Measure one board size."""
    every = [measure(opening, size, nodes) for opening in read_openings(size)[:positions]]
    branching = [one.branching for one in every if one.branching is not None]
    timed = [one.depths[TIMED_DEPTH] for one in every if TIMED_DEPTH in one.depths]
    return Row(
        size,
        sum(one.nodes for one in every) / sum(one.seconds for one in every),
        statistics.fmean(one.depth for one in every),
        statistics.geometric_mean(branching) if branching else None,
        statistics.fmean(count for count, _ in timed) if timed else None,
        statistics.fmean(seconds for _, seconds in timed) * 1000 if timed else None,
    )


def cells(each: Row) -> tuple[str, ...]:
    """Return a row of docs/figures/large-boards.csv."""
    return (
        f"{each.size} × {each.size}",
        f"{each.speed:.0f}",
        f"{each.depth:.1f}",
        "" if each.branching is None else f"{each.branching:.2f}",
        "" if each.nodes_to_depth is None else f"{each.nodes_to_depth:.0f}",
        "" if each.ms_to_depth is None else f"{each.ms_to_depth:.0f}",
    )


def draw(rows: Sequence[Row], nodes: int) -> None:
    """Plot depth and speed by board size."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "kinarow"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    sizes = [each.size for each in rows]
    left.plot(sizes, [each.depth for each in rows], "o-")
    left.set(title=f"Depth after {nodes:,} nodes", xlabel="side of the board", ylabel="plies", ylim=(0, None))
    right.plot(sizes, [each.speed / 1e6 for each in rows], "o-", color="tab:orange")
    right.set(title="Speed", xlabel="side of the board", ylabel="million nodes a second", ylim=(0, None))
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(IMAGES / "large-boards.svg", metadata={"Date": None})


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; with ``--write`` also write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine_depth", description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=NODES, help=f"nodes for a position ({NODES})")
    parser.add_argument("--positions", type=int, default=POSITIONS, help=f"positions a board ({POSITIONS})")
    parser.add_argument("--write", action="store_true", help="write the figures and the plot of the documentation")
    arguments = parser.parse_args(words)
    measure(read_openings(SIZES[0])[0], SIZES[0], 1000)  # loads the compiled kernels
    head = ("board", "nodes a second", f"depth after {arguments.nodes} nodes", "effective branching")
    head += (f"nodes to depth {TIMED_DEPTH}", f"ms to depth {TIMED_DEPTH}")
    rows = []
    for size in SIZES:
        rows.append(row(size, arguments.positions, arguments.nodes))
        print(f"measured: {size} × {size}", file=sys.stderr, flush=True)
    show_figures("large-boards", head, [cells(each) for each in rows], write=arguments.write)
    if arguments.write:
        draw(rows, arguments.nodes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
