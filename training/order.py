"""Fits the order of moves: points of each four-tuple of patterns for the mover, and for the other side.

    python -m training.order --games positions --out order.npz

The score of a move is the sum of the points of its cell's patterns for either side, and of points for where the cell
lies from the last mark. The chance of a move is the softmax of the scores of all candidates; the fit is that of
greatest likelihood for the moves that deeper searches chose, in positions where no side can complete a line and the mover
cannot make an open four.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.kernel_patterns import FIVE_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.tunables import DEFAULTS
from training.fit import HELD_OUT, PATTERNS, TUPLES, _board, tuple_numbers
from training.games import GAMES, files, read
from kinarow.solvers.large_boards.kernel_board import put

REACH = 5
PLACES = (REACH + 1) * (REACH + 2) // 2 + 1
"""Where a cell lies from the last mark: the larger and the smaller of the distances in rows and columns, or far."""


class Choices(NamedTuple):
    """Candidates of positions, one after another.

    Attributes:
        first: of each position, its first candidate.
        own, other: the tuple of each candidate for the mover, and for the other side.
        place: where it lies from the last mark.
        before: where it lies from the mover's own last mark.
        chosen: of each position, the place of the move chosen among all candidates.
        present: the order in force.
        position: of each candidate.
    """

    first: NDArray[np.int64]
    own: NDArray[np.int64]
    other: NDArray[np.int64]
    place: NDArray[np.int64]
    before: NDArray[np.int64]
    chosen: NDArray[np.int64]
    present: NDArray[np.int64]
    position: NDArray[np.int64]


def places(cells: NDArray[np.int64], last: int, columns: int) -> NDArray[np.int64]:
    """The number of the place of each cell as seen from another."""
    rows = np.abs(cells // columns - last // columns)
    across = np.abs(cells % columns - last % columns)
    far, near = np.maximum(rows, across), np.minimum(rows, across)
    return np.where(far <= REACH, far * (far + 1) // 2 + near, PLACES - 1)


def collect(paths: list[Path]) -> Choices:
    """The candidates of all positions of files of games."""
    numbers = tuple_numbers()
    kept: dict = {}
    parts: list[tuple] = []
    lengths, chosen = [], []
    order = np.array(DEFAULTS["cell_pattern_order"])
    seen = 0
    for game in read(paths):
        boards = _board(kept, game)
        board = boards[0]
        cells = board.cells
        for ply, cell in enumerate(game.moves):
            if ply >= max(game.opening, 2) and not game.drawn[ply]:
                side = ply % 2
                counts = board.count
                if not (counts[:, FIVE_CELL].any() or counts[side, OPEN_FOUR_CELL]):
                    near = np.flatnonzero((board.mark[:cells] == 0) & (board.near[:cells] > 0))
                    where = np.flatnonzero(near == cell)
                    if len(where):
                        patterns = board.pattern[near].astype(np.int64)
                        found = numbers[tuple(np.moveaxis(patterns, 2, 0))]
                        points = board.points[near].astype(np.int64)
                        kinds = board.cell_pattern[near]
                        present = (
                            points[:, side] + points[:, 1 - side] * 14 // 16
                            + order[0][kinds[:, side]] + order[1][kinds[:, 1 - side]]
                        )
                        parts.append(
                            (
                                found[:, side].astype(np.int16),
                                found[:, 1 - side].astype(np.int16),
                                places(near, int(game.moves[ply - 1]), game.side).astype(np.int8),
                                places(near, int(game.moves[ply - 2]), game.side).astype(np.int8),
                                present.astype(np.int32),
                            )
                        )
                        lengths.append(len(near))
                        chosen.append(seen + int(where[0]))
                        seen += len(near)
            if ply + 1 < len(game.moves):
                put(board, int(cell), ply % 2)
    own, other, place, before, present = (np.concatenate(each) for each in zip(*parts, strict=True))
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return Choices(first, own, other, place, before, np.array(chosen), present, np.repeat(np.arange(len(lengths)), lengths))
