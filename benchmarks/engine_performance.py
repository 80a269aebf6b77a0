"""Measures proofs of Connect Four positions against BitBully, and of empty boards by size.

    python -m benchmarks.engine_performance

Positions come from fixed seeds, so they are the same in every run. kinarow and BitBully (C++, no book) must agree on
the values. Calls are timed as users make them: each builds its position from the moves, and nothing happens between
calls, since clearing a table of 64 MB would also clear the processor's caches. The ratio is the result. It writes
docs/figures/connect-four.csv, docs/figures/empty-boards.csv and docs/images/performance.svg.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from benchmarks.figures import IMAGES, show_figures
from benchmarks.peers import CONNECT_FOUR, as_bitbully, random_positions
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.library import best_move
from kinarow.search.best_move import warm_up
from kinarow.search_types import Limits, Score, SearchResult
from kinarow.solvers import select

BUDGET = Limits(max_nodes=500_000_000)
COUNT = 100
MARKS = (32, 28, 24, 20, 18, 16, 14)
ROUNDS = 5
BOARDS = [
    Rules(3, 3, 3),
    Rules(4, 4, 4),
    Rules(4, 5, 4),
    Rules(4, 6, 4),
    Rules(4, 7, 4),
    Rules(5, 5, 4),
    Rules(5, 6, 4),
    Rules(6, 6, 4),
    Rules(7, 7, 4),
    Rules(8, 8, 4),
    Rules(9, 9, 4),
    Rules(15, 15, 4),
    Rules(5, 5, 5),
    Rules(6, 6, 5),
    Rules(7, 7, 5),
    Rules(15, 15, 9),
    Rules(4, 4, 4, misere=True),
    Rules(4, 5, 4, misere=True),
    Rules(4, 4, 4, gravity=True),
    Rules(4, 5, 4, gravity=True),
    Rules(4, 6, 4, gravity=True),
    Rules(5, 5, 4, gravity=True),
    Rules(5, 6, 4, gravity=True),
    Rules(6, 5, 4, gravity=True),
    CONNECT_FOUR,
]
PROOF_HEAD = ("board", "value", "nodes", "ms")
FOUR_HEAD = ("marks", "empty cells", "nodes", "ms", "BitBully ms", "kinarow / BitBully")

Measured = TypeVar("Measured")


class Proof(NamedTuple):
    """The proof of an empty board and its cost."""

    rules: Rules
    outcome: str
    distance: int | None
    nodes: int
    seconds: float


class Marks(NamedTuple):
    """Means of kinarow and of BitBully over Connect Four positions with this number of marks."""

    marks: int
    nodes: float
    seconds: float
    peer_seconds: float


def timed(work: Callable[[], Measured]) -> tuple[float, Measured]:
    """Return the processor seconds and the result of ``work``."""
    started = time.process_time()
    answer = work()
    return time.process_time() - started, answer


def report(what: str, measured: Measured) -> Measured:
    """Print a progress line and return ``measured``."""
    print(f"measured: {what}", file=sys.stderr, flush=True)
    return measured


def prove(rules: Rules) -> Proof:
    """Prove an empty board without the opening book; the time is a median if the proof takes less than a second."""
    position = Position.empty(rules)
    seconds, (score, nodes) = timed(lambda: value_of(position))
    rounds = [seconds] + [timed(lambda: value_of(position))[0] for _ in range(ROUNDS - 1 if seconds < 1 else 0)]
    return Proof(rules, score.outcome, score.distance, nodes, statistics.median(rounds))


def value_of(position: Position) -> tuple[Score, int]:
    """Return the value that the position's solver finds, and its nodes."""
    budget = select.new_budget(BUDGET, None)
    *_, last = select.run_plan(position, BUDGET, budget, None)
    return last.score, budget.nodes


def connect_four(count: int, marks: int) -> Marks:
    """Value the same positions with both programs alternately; return medians of the rounds.

    Raises:
        RuntimeError: they disagree about a value.
    """
    from bitbully import BitBully, Board

    positions = list(random_positions(count, marks))
    games = [columns for columns, _ in positions]
    texts = ["".join(str(column + 1) for column in columns) for columns in games]
    peer = BitBully(opening_book=None)

    def own() -> list[SearchResult]:
        return [best_move(moves=text, game="connect-four", limits=BUDGET) for text in texts]

    def others() -> list[int]:
        return [peer.mtdf(Board(columns)) for columns in games]

    rounds = []
    for _ in range(ROUNDS):
        peer.reset_transposition_table()  # it has the positions of the last round
        peer_s, theirs = timed(others)
        best_move(moves=texts[0], game="connect-four", limits=BUDGET)
        own_s, ours = timed(own)
        rounds.append((own_s / count, peer_s / count))
    for (columns, position), mine, its in zip(positions, ours, theirs, strict=True):
        if as_bitbully(mine.score.value, position) != its:
            raise RuntimeError(f"{columns}: kinarow {mine}, BitBully {its}")
    own_s, peer_s = (statistics.median(column) for column in zip(*rounds, strict=True))
    return Marks(marks, statistics.mean(mine.nodes for mine in ours), own_s, peer_s)


def name(rules: Rules) -> str:
    """Return the rules in words."""
    extras = [word for word, on in (("gravity", rules.gravity), ("misère", rules.misere)) if on]
    return ", ".join([f"{rules.rows} × {rules.columns} goal {rules.goal}", *extras])


def ms(seconds: float) -> str:
    """Format milliseconds with three digits, or as an integer."""
    return f"{1000 * seconds:.3g}" if seconds < 1 else f"{1000 * seconds:.0f}"


def proof_cells(each: Proof) -> tuple[str, ...]:
    """Return a row of docs/figures/empty-boards.csv."""
    value = f"{each.outcome} in {each.distance}" if each.outcome != "draw" else "draw"
    return name(each.rules), value, str(each.nodes), ms(each.seconds)


def four_cells(each: Marks) -> tuple[str, ...]:
    """Return a row of docs/figures/connect-four.csv."""
    ratio = f"{each.seconds / each.peer_seconds:.2f}"
    nodes = f"{each.nodes:.0f}"
    return str(each.marks), str(CONNECT_FOUR.cells - each.marks), nodes, ms(each.seconds), ms(each.peer_seconds), ratio


def draw(proofs: Sequence[Proof], fours: Sequence[Marks]) -> None:
    """Plot the time by empty cells, and by rows × columns."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "kinarow"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    empties = [CONNECT_FOUR.cells - each.marks for each in fours]
    left.semilogy(empties, [1000 * each.seconds for each in fours], "o-", label="kinarow")
    left.semilogy(empties, [1000 * each.peer_seconds for each in fours], "s--", label="BitBully")
    left.set(title="Connect Four 6 × 7", xlabel="empty cells", ylabel="ms a position")
    kinds = {
        "goal 4": [each for each in proofs if each.rules.goal == 4 and not each.rules.misere | each.rules.gravity],
        "goal 5": [each for each in proofs if each.rules.goal == 5],
        "goal 4, gravity": [each for each in proofs if each.rules.gravity],
    }
    for (label, some), style in zip(kinds.items(), ("o-", "s-", "^-"), strict=True):
        ordered = sorted(some, key=lambda each: each.rules.cells)
        right.loglog(
            [each.rules.cells for each in ordered], [1000 * each.seconds for each in ordered], style, label=label
        )
    right.set(title="Empty boards", xlabel="rows × columns", ylabel="ms to the proof")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(IMAGES / "performance.svg", metadata={"Date": None})


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; write the figures unless ``--no-write`` is given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine_performance", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=COUNT, help=f"Connect Four positions a row ({COUNT})")
    parser.add_argument(
        "--write", action=argparse.BooleanOptionalAction, default=True, help="write the figures and the plot"
    )
    arguments = parser.parse_args(words)
    warm_up()
    proofs = [report(name(rules), prove(rules)) for rules in BOARDS]
    fours = [report(f"Connect Four, {marks} marks", connect_four(arguments.count, marks)) for marks in MARKS]
    show_figures("connect-four", FOUR_HEAD, [four_cells(each) for each in fours], write=arguments.write)
    show_figures("empty-boards", PROOF_HEAD, [proof_cells(each) for each in proofs], write=arguments.write)
    if arguments.write:
        draw(proofs, fours)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
