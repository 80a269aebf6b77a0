"""Fits what the search of large boards learns: the estimate, here, and the order of moves (``training.order``).

    python -m training.fit --games games judged --out weights.npz

The estimate of a position for the side to move is the sum of the points of its empty cells for that side, less those
for the other side, and points for the kinds of threatening cells on the board, alone and two by two. A cell's points
are those of the unordered four-tuple of its patterns. The fit starts from the hand-set points, and a prior holds it
near them. The target is the value of the search as a chance of a win. All positions count in which no side can
complete a line and the mover cannot make an open four.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.kernel_board import THREATS, threats
from kinarow.solvers.large_boards.tunables import DEFAULTS
from kinarow.solvers.large_boards.weights import PATTERNS
from training import order
from training.games import GAMES, JUDGED, files
from training.tuples import PAIRS, TUPLES, Floats, minimise, parts, quiet_positions, tuples_on

HELD_OUT = 6
"""Every sixth position or game is kept out of the fit and judges it."""

SCALE = 800.0
"""The points at which a side's odds of winning are e to 1."""

MOST_ODDS = 6.0
"""No search is believed beyond odds of e to this."""

THREAT_BITS = 11
PART_SPREAD = (0.05, 0.02, 0.03)
"""The spread of the prior of a pattern, a pair and a tuple, in natural logarithms of odds."""

THREAT_SPREAD = 0.3
DOUBT = 3.0
"""Positions of one game are alike: so many count as one against the prior."""

STEPS = 70
MOST_THREAT_POINTS = 3000


class Data(NamedTuple):
    """Positions as sparse counts of tuples.

    Attributes:
        row, number, count: a position, a tuple, and how many more cells of the side to move have it than of the other.
        threats: of each position, as the search numbers them.
        value: of the search, in natural logarithms of odds, for the side to move.
        group: of each position, its game.
    """

    row: NDArray[np.int64]
    number: NDArray[np.int64]
    count: Floats
    threats: NDArray[np.int64]
    value: Floats
    group: NDArray[np.int64]


def collect(paths: list[Path]) -> Data:
    """The positions of games and of files of single positions that a search has valued."""
    parts_found, kinds, values, groups = [], [], [], []
    for group, game, ply, side, board in quiet_positions(paths):
        cells = np.flatnonzero(board.mark[: board.cells] == 0)
        own, other = (
            np.bincount(tuples_on(board, cells, s), minlength=len(TUPLES)) for s in (side, 1 - side)
        )
        seen = np.flatnonzero(own != other)
        parts_found.append(np.stack([np.full(len(seen), len(values)), seen, (own - other)[seen]]))
        kinds.append(int(threats(board, side)))
        values.append(game.values[ply] / SCALE)
        groups.append(group)
    row, number, count = np.concatenate(parts_found, axis=1)
    value = np.clip(values, -MOST_ODDS, MOST_ODDS)
    return Data(row, number, count.astype(np.float64), np.array(kinds), value, np.array(groups))


def part_of(data: Data, wanted: NDArray[np.bool_]) -> Data:
    """Some of the positions."""
    kept = wanted[data.row]
    place = np.cumsum(wanted) - 1
    return Data(
        place[data.row[kept]],
        data.number[kept],
        data.count[kept],
        *(each[wanted] for each in (data.threats, data.value, data.group)),
    )


class Points(NamedTuple):
    """The estimate, in natural logarithms of odds.

    Attributes:
        cells: of each tuple.
        threats: of each number of kinds of threatening cells.
    """

    cells: Floats
    threats: Floats


def threat_parts() -> Floats:
    """What each number of threats consists of: having the move, each kind, and each two kinds, (2048, 67)."""
    bits = (np.arange(THREATS)[:, None] >> np.arange(THREAT_BITS) & 1).astype(np.float64)
    pairs = [bits[:, i] * bits[:, j] for i in range(THREAT_BITS) for j in range(i)]
    return np.column_stack([np.ones(THREATS), bits, *pairs])


def hand_set() -> Points:
    """The hand-set estimate: sums of the points of patterns, and bonuses."""
    points = np.array(DEFAULTS["pattern_points"], np.float64)
    own, other = np.array(DEFAULTS["threat_bonus"], np.float64)[:, :0:-1]
    bonuses = np.concatenate([[DEFAULTS["move_bonus"], 0], own, [0], -other, [0]])
    return Points(
        points[np.array(TUPLES)].sum(axis=1) / SCALE,
        threat_parts()[:, : len(bonuses)] @ bonuses.astype(np.float64) / SCALE,
    )


def evaluate(data: Data, points: Points) -> Floats:
    """The estimate of each position for the side to move."""
    sums = np.bincount(data.row, data.count * points.cells[data.number], minlength=len(data.value))
    return np.asarray(sums + points.threats[data.threats], np.float64)


def loss(data: Data, points: Points) -> float:
    """The mean cross-entropy of the estimate's chances of a win and those of the search."""
    found, target = evaluate(data, points), 1 / (1 + np.exp(-data.value))
    return float(np.mean(np.logaddexp(0, found) - target * found))


def floor(data: Data) -> float:
    """The cross-entropy of the search's own chances."""
    return float(np.mean(np.logaddexp(0, data.value) - data.value / (1 + np.exp(-data.value))))


def fit(data: Data) -> Points:
    """The points of greatest likelihood."""
    basis, kinds, start = parts(), threat_parts(), hand_set()
    spread = np.repeat((*PART_SPREAD, THREAT_SPREAD), (PATTERNS, len(PAIRS), len(TUPLES), kinds.shape[1]))
    ends = np.cumsum([basis.shape[1], len(TUPLES)])
    target = 1 / (1 + np.exp(-data.value))

    def points_of(at: Floats) -> Points:
        shared, own, bonuses = np.split(at * spread, ends)
        return Points(start.cells + basis @ shared + own, kinds @ bonuses)

    def of(at: Floats) -> tuple[float, Floats]:
        found = evaluate(data, points_of(at))
        error = 1 / (1 + np.exp(-np.clip(found, -30, 30))) - target
        by_tuple = np.bincount(data.number, error[data.row] * data.count, len(TUPLES))
        by_kind = np.bincount(data.threats, error, THREATS)
        gradient = np.concatenate([basis.T @ by_tuple, by_tuple, kinds.T @ by_kind]) * spread
        value = float(np.sum(np.logaddexp(0, found) - target * found)) + DOUBT / 2 * float(at @ at)
        return value, gradient + DOUBT * at

    return points_of(minimise(of, np.zeros(len(spread)), STEPS))


def export(points: Points, moves: Floats, path: Path) -> None:
    """Write the file that ``kinarow.solvers.large_boards.weights`` reads."""
    found = np.round(SCALE * (points.cells - points.cells[0])).astype(np.int16)
    limit = MOST_THREAT_POINTS
    kinds = np.clip(np.round(SCALE * points.threats), -limit, limit).astype(np.int16)
    np.savez_compressed(path, points=found, threats=kinds, order=order.export(moves))


def _held_out(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which positions judge the fit."""
    return np.asarray(groups % HELD_OUT == 0, np.bool_)


def main(words: Sequence[str] | None = None) -> int:
    """Fit both, say what they gain on what was kept out, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m training.fit", description=__doc__.split("\n")[0])
    folders = "folders (training/games and training/judged)"
    parser.add_argument("--games", type=Path, nargs="+", default=[GAMES, JUDGED], help=folders)
    parser.add_argument(
        "--out", type=Path, default=Path("weights.npz"), help="the file to write (weights.npz)"
    )
    chosen = parser.parse_args(words)
    paths = [path for folder in chosen.games for path in files(folder)]
    data = collect(paths)
    out = _held_out(data.group)
    fitted, held = part_of(data, ~out), part_of(data, out)
    points = fit(fitted)
    print(
        f"estimate: {len(fitted.value)} positions, held out {len(held.value)}, least possible {floor(held):.4f}"
    )
    print(f"  hand-set {loss(held, hand_set()):.4f}, learned {loss(held, points):.4f}")
    choices = order.collect(paths)
    out = _held_out(np.arange(len(choices.first)))
    learned, judges = order.part_of(choices, ~out), order.part_of(choices, out)
    moves = order.fit(learned)
    print(f"order of moves: {len(learned.first)} positions, held out {len(judges.first)}")
    print(f"  hand-set {order.report(judges, order.scores(judges, order.hand_set()))}")
    print(f"  learned {order.report(judges, order.scores(judges, moves))}")
    export(points, moves, chosen.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
