"""The record of a large board: made empty for some rules, and loaded with a position."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinarow.solvers.large_boards.kernel_board import (
    BIT_MASK,
    BOARD_DTYPE,
    INPUTS,
    MAX_REGIONS,
    MAX_TABLE_CELLS,
    REGIONS_KEPT,
    WORD_SHIFT,
    fill_keys,
    prepare,
    put,
)
from kinarow.solvers.large_boards.kernel_patterns import (
    BEGINNER_FLAG,
    BUILD_UNIT,
    FIVE,
    FIVE_UNIT,
    FORBIDDEN_UNIT,
    FOUR,
    FOUR_UNIT,
    LINE_FOURS,
    OPEN_FOUR,
    OPEN_FOUR_UNIT,
    OPEN_THREE,
    OPEN_THREE_2,
    OPEN_THREE_UNIT,
    OPEN_TWO,
    OPEN_TWO_2,
    OPEN_TWO_3,
    OVERLINE,
    THREE,
    caro_codes_of_end,
    fill_beginner_patterns,
    fill_caro_patterns,
    fill_patterns,
)
from kinarow.solvers.large_boards.kernel_vectors import BOTH, HIDDEN
from kinarow.solvers.large_boards.weights import (
    PATTERNS,
    Weights,
    cell_patterns_of_quads,
    hand_set,
    learned,
    patterns_of_quads,
    tuples_of_quads,
)

PATTERN_TABLES_KEPT = 8

MAX_CARO_CELLS = 10
"""Cells of a surrounding for which the table has room under Caro, whose surroundings also say where the edge is."""

_BEGINNER_KEYS = (0xD6E8FEB86659FD93, 0x9FB21C651E98DF25)

_TALLY_UNITS = {
    BUILD_UNIT: (THREE, OPEN_TWO, OPEN_TWO_2, OPEN_TWO_3),
    OPEN_THREE_UNIT: (OPEN_THREE, OPEN_THREE_2),
    FOUR_UNIT: (FOUR,),
    OPEN_FOUR_UNIT: (OPEN_FOUR,),
    FIVE_UNIT: (FIVE,),
    FORBIDDEN_UNIT: (OVERLINE, LINE_FOURS),
}
"""What each direction pattern adds to the tally of a cell."""


def new_board(
    rows: int,
    columns: int,
    goal: int,
    gravity: bool,
    misere: bool,
    exact_goal: bool,
    tunables: np.recarray,
    caro: bool = False,
    beginner: int = -1,
    weights: Weights | None = None,
) -> np.recarray:
    """An empty board for these rules.

    Args:
        rows, columns: 1 to 25 each.
        goal: 1 to max(rows, columns).
        tunables: from ``tunables.new_tunables``.
        caro: not with gravity or misere.
        beginner: in Renju the side that began, 0 or 1: goal 5 without another rule.
        weights: of the estimate and the order of moves; by default those in force for the rules.

    Returns:
        An array of one record; ``board[0]`` is what kernels take. Keep the array alive while they run.
    """
    board = np.zeros(1, BOARD_DTYPE).view(np.recarray)
    record = board[0]
    radius = goal if exact_goal or caro or beginner >= 0 else goal - 1
    record.rows, record.columns, record.cells = rows, columns, rows * columns
    record.words = (rows * columns + BIT_MASK) >> WORD_SHIFT
    record.goal, record.gravity, record.misere, record.exact_goal = goal, gravity, misere, exact_goal
    record.caro, record.beginner = caro, beginner
    record.empty = rows * columns
    record.radius = radius
    record.no_pattern_table = 2 * radius > (MAX_CARO_CELLS if caro else MAX_TABLE_CELLS)
    record.step[:] = (1, columns, columns + 1, columns - 1)
    for unit, patterns in _TALLY_UNITS.items():
        record.unit[list(patterns)] = unit
    units = tuple(record.unit.tolist())
    if weights is None:
        weights = hand_set(tunables, units) if gravity or misere else learned()
    record.cell_pattern_of_quad[0] = cell_patterns_of_quads(units)
    record.cell_pattern_of_quad[1] = cell_patterns_of_quads(units, BEGINNER_FLAG)
    if beginner >= 0:
        record.quad_row[beginner] = 1
    _set_estimate(record, weights)
    record.quad_order[:] = weights.order
    record.pattern_points[:] = tunables["pattern_points"][0]
    if not record.no_pattern_table:
        table = _caro_table(goal, exact_goal) if caro else _pattern_table(goal, radius, exact_goal)
        record.pattern_table[: len(table)] = table
        if beginner >= 0:
            # The patterns of the side that began come after those of the other.
            record.pattern_table[len(table) : 2 * len(table)] = _beginner_table(goal)
            record.first_code[beginner] = len(table)
            # What passes lead to must not be taken for a position of games that the other side began.
            record.key = _BEGINNER_KEYS[beginner]
        record.power[: 2 * radius] = _caro_powers(radius) if caro else [3**i for i in range(2 * radius)]
    fill_keys(record)
    prepare(record)
    return board


def _set_estimate(record: np.record, weights: Weights) -> None:
    """Give a board its points and its network."""
    record.tuple_of_quad[:] = tuples_of_quads()
    points = weights.points.astype(np.int64)
    record.tuple_points[:] = points[:, 0] + (points[:, 1] << 32)
    record.features[:] = weights.features.ravel()
    record.threat_points[:] = weights.threats
    network = weights.network
    record.has_network = network is not None
    if network is not None:
        record.embedding[:] = _for_both_sides(network.embedding).ravel()
        record.cell_bias[:], record.region_bias[:] = (
            np.tile(network.cell_bias, 2),
            np.tile(network.region_bias, 2),
        )
        record.input_bias[:] = network.input_bias
        # Those of two inputs side by side, as ``kernel_vectors.add_layer`` takes them.
        record.layer[:] = network.layer.reshape(INPUTS // 2, 2, HIDDEN).swapaxes(1, 2).ravel()
        record.threat_layer[:], record.output[:] = network.threat_layer, network.output


def _for_both_sides(embedding: NDArray[np.int16]) -> NDArray[np.int16]:
    """The embeddings as side 0 and then as side 1 sees the same patterns and marks; those of marks are rectified."""
    pairs = np.arange(PATTERNS**2)
    swapped = np.concatenate([pairs % PATTERNS * PATTERNS + pairs // PATTERNS, [len(pairs) + 1, len(pairs)]])
    found = np.concatenate([embedding, embedding[swapped]], axis=1)
    found[len(pairs) :] = np.maximum(found[len(pairs) :], 0)
    return found


@lru_cache(maxsize=PATTERN_TABLES_KEPT)
def _pattern_table(goal: int, radius: int, exact_goal: bool) -> NDArray[np.uint8]:
    """The direction pattern of every surrounding under a rule."""
    table = np.zeros(3 ** (2 * radius), np.uint8)
    fill_patterns(table, radius, goal, int(exact_goal))
    return table


@lru_cache(maxsize=1)
def _beginner_table(goal: int) -> NDArray[np.uint8]:
    """The direction pattern of every surrounding for the side that began in Renju."""
    table = np.zeros(3 ** (2 * goal), np.uint8)
    fill_beginner_patterns(table, goal, goal)
    return table


@lru_cache(maxsize=PATTERN_TABLES_KEPT)
def _caro_table(goal: int, exact_goal: bool) -> NDArray[np.uint8]:
    """The direction pattern of every surrounding under the rule of Caro."""
    table = np.zeros(caro_codes_of_end(goal, goal + 1) ** 2, np.uint8)
    fill_caro_patterns(table, goal, goal, int(exact_goal))
    return table


def _caro_powers(radius: int) -> list[int]:
    """What a mark at each place of a surrounding adds to its number under Caro: nearest cells count least."""
    ends = caro_codes_of_end(radius, radius + 1)
    return [3**i for i in range(radius - 1, -1, -1)] + [ends * 3**i for i in range(radius)]


def quads_of(board: np.record) -> NDArray[np.int64]:
    """The quad of each cell for each side, (cells, 2); marked cells keep those that they had before."""
    quads: NDArray[np.int64] = (
        board["quads"][: int(board["cells"]), None].astype(np.int64) >> [0, 16] & 0xFFFF
    )
    return quads


def order_scores(board: np.record) -> NDArray[np.int64]:
    """The learned move-ordering score of each cell for side 0, (cells,)."""
    scores: NDArray[np.int64] = board["quad_order"][[0, 1], quads_of(board)].sum(axis=1, dtype=np.int64)
    return scores


def points_of_cells(board: np.record) -> NDArray[np.int64]:
    """The points of the patterns of each cell for each side, (cells, 2), as ``kernel_board.points_of``."""
    points: NDArray[np.int64] = board["pattern_points"][patterns_of_quads()].sum(axis=1)[quads_of(board)]
    return points


def copy_of(board: np.recarray) -> np.recarray:
    """A copy of a board without marks, as an array of one record.

    Leaves out the last and largest part, which is for the regions after the first mark.
    """
    copied = np.empty(1, BOARD_DTYPE)
    unused = (REGIONS_KEPT * MAX_REGIONS - int(board[0].regions)) * BOTH * np.dtype(np.int16).itemsize
    length = BOARD_DTYPE.itemsize - unused
    copied.view(np.uint8)[:length] = board.view(np.ndarray).view(np.uint8)[:length]
    return copied.view(np.recarray)


def load(board: np.recarray, cells: ArrayLike) -> None:
    """Put a position on an empty board.

    Args:
        board: from ``new_board``, with no marks.
        cells: rows * columns numbers, row by row: 0 empty, 1 side to move, 2 the other side.
    """
    for cell, mark in enumerate(np.asarray(cells).ravel().tolist()):
        if mark:
            put(board[0], cell, mark - 1)
