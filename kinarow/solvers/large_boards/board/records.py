"""The records of a large board: that of a game with some rules, and a state with a position."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.large_boards.board.layout import BIT_MASK, GAME_DTYPE, MAX_TABLE_CELLS, STATE_DTYPE, WORD_SHIFT
from kinarow.solvers.large_boards.board.quads import cell_patterns_of_quads, patterns_of_quads, quads_of

kernels = Library("large_boards")

ArrayOrPointer = np.recarray | Pointer
_EMPTY = np.zeros(MAX_CELLS, np.int8)

PATTERN_TABLES_KEPT = 8
MAX_CARO_CELLS = 10  # Cells of a surrounding in the table under Caro, where surroundings also say where the edge is
_BEGINNER_KEYS = (0xD6E8FEB86659FD93, 0x9FB21C651E98DF25)


def new_rules(rules: Rules, beginner: int) -> np.recarray:
    """The record of a game with these rules, without tunables and weights, as an array of one (``search/records``)."""
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    record = game[0]
    columns, goal = rules.columns, rules.goal
    record.rows, record.columns, record.cells, record.goal = rules.rows, columns, rules.cells, goal
    record.words = (rules.cells + BIT_MASK) >> WORD_SHIFT
    record.gravity, record.misere, record.exact_goal = rules.gravity, rules.misere, rules.exact_goal
    record.caro, record.beginner = rules.caro, beginner
    record.step[:] = (1, columns, columns + 1, columns - 1)
    record.cell_pattern_of_quad[:] = [cell_patterns_of_quads(beginner=each) for each in (False, True)]
    if beginner >= 0:
        record.quad_row[beginner] = 1
    radius = goal if rules.exact_goal or rules.caro or rules.renju else goal - 1
    record.radius = radius
    record.no_pattern_table = 2 * radius > (MAX_CARO_CELLS if rules.caro else MAX_TABLE_CELLS)
    if not record.no_pattern_table:
        _set_patterns(record)
        # What passes lead to must not be taken for a position of games that the other side began.
        record.empty_key = _BEGINNER_KEYS[beginner] if beginner >= 0 else 0
    kernels.prepare(game, new_state())
    return game


def _set_patterns(record: np.record) -> None:
    """Give a game the direction pattern of every surrounding, and what a mark adds to a surrounding's number."""
    goal, radius, caro = int(record.goal), int(record.radius), int(record.caro)
    table = _pattern_table(goal, radius, int(record.exact_goal), caro)
    record.pattern_table[: len(table)] = table
    ends = kernels.codes_of_end(radius, radius + 1, caro)
    powers = 3 ** np.arange(radius)  # the nearest cells count least
    record.power[: 2 * radius] = [*powers[::-1], *(ends * powers)]
    beginner = int(record.beginner)
    if beginner >= 0:
        # The side that began has patterns of its own, after those of the other.
        record.first_code[beginner] = len(table)
        record.pattern_table[len(table) : 2 * len(table)] = _pattern_table(goal, goal, 1, 0, beginner=1)


@lru_cache(maxsize=PATTERN_TABLES_KEPT)
def _pattern_table(goal: int, radius: int, exact_goal: int, caro: int, beginner: int = 0) -> NDArray[np.uint8]:
    table = np.zeros(kernels.codes_of_end(radius, radius + 1, caro) ** 2, np.uint8)
    memory = np.zeros((2, 2 * radius + 1), np.int64)
    kernels.fill_patterns(table, memory[0], memory[1], radius, goal, exact_goal, caro, beginner)
    return table


def points_of_cells(game: np.record, state: np.record) -> NDArray[np.int64]:
    """The points of the patterns of each cell for each side, (cells, 2), as ``kernel_cells.points_of``."""
    points: NDArray[np.int64] = game["pattern_points"][patterns_of_quads()].sum(axis=1)[quads_of(game, state)]
    return points


def load(game: ArrayOrPointer, state: ArrayOrPointer, cells: ArrayLike = _EMPTY) -> None:
    """Put a position on the board of a state: a number a cell, 0 empty, 1 side 0, 2 side 1; by default no marks."""
    kernels.load(game, state, np.asarray(cells, np.int8).ravel())


def new_state() -> np.recarray:
    """A state without a position, as an array of one record."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)
