"""Makes the record of a game on a bitboard: its bit layout, strides, columns and move order."""

from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common.capacity import MAX_COLUMNS, WORD_BITS
from kinarow.solvers.common.layout import GAME_DTYPE


def fits(rows: int, columns: int) -> bool:
    """Whether a board of this size has a layout in 64 bits, and no more columns than a record lists."""
    by_columns = (rows + 1) * columns <= WORD_BITS
    by_rows = (columns + 1) * rows <= WORD_BITS
    return (by_columns or by_rows) and columns <= MAX_COLUMNS


def cell_bits(rows: int, columns: int) -> list[int]:
    """The bit of each cell, 0 to 63, cells row by row from the top left."""
    up, side = _steps(rows, columns)
    return [(rows - 1 - row) * up + column * side for row in range(rows) for column in range(columns)]


def _steps(rows: int, columns: int) -> tuple[int, int]:
    """Bits to the cell above and to the cell on the right."""
    return (1, rows + 1) if (rows + 1) * columns <= WORD_BITS else (columns + 1, 1)


def _strides(rows: int, columns: int, goal: int) -> list[int]:
    """The strides of the directions in which a span of ``goal`` cells fits the board."""
    up, side = _steps(rows, columns)
    if columns == 1:
        strides = [up] if goal <= rows else []
        if goal == 1:
            # Across the column a mark is a line by itself. No cell lies to its side, so the stride is the longest
            # shift, which moves every cell onto bits that are never marked.
            strides.append(WORD_BITS - 1)
        return strides
    short = min(rows, columns)
    lengths = ((up, rows), (side, columns), (side + up, short), (abs(side - up), short))
    return [stride for stride, length in lengths if goal <= length]


def new_game(rules: Rules, off: int = 0) -> Any:
    """An array of one record of a game on a bitboard that ``fits``; ``off`` is the sum of ``OFF_...`` switches."""
    rows, columns, goal = rules.rows, rules.columns, rules.goal
    up, side = _steps(rows, columns)
    places = cell_bits(rows, columns)
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["rows"], game["columns"], game["cells"], game["goal"] = rows, columns, rules.cells, goal
    game["gravity"], game["misere"] = rules.gravity, rules.misere
    game["exact_goal"], game["off"] = rules.exact_goal, off
    game["up"], game["side"], game["by_rows"] = up, side, side == 1 and up != 1
    strides = _strides(rows, columns, goal)
    game["directions"] = len(strides)
    game["stride"][0, : len(strides)] = strides
    game["fill_steps"] = max(0, rows - 1).bit_length()
    game["board"] = sum(1 << place for place in places)
    game["bottom"] = sum(1 << column * side for column in range(columns))
    game["claim"] = sum(1 << places[row * columns + c] for row in range(0, rows, 2) for c in range(columns))
    for column in range(columns):
        spare = 1 << column * side + rows if up == 1 else 0
        game["column"][0, column] = spare | sum(1 << places[row * columns + column] for row in range(rows))
    for index, cell in enumerate(geometry(rules).move_order):
        game["order"][0, index] = places[cell]
        game["rank"][0, places[cell]] = index
    return game
