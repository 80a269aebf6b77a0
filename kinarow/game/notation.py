"""Moves and boards as text: how each game names its cells.

Under gravity, with at most nine columns, a move is the number of its column from 1; else a letter for the column from
``a`` and a number for the row, counted from the bottom; with layers the number of its cell, from 1::

    connect-four   1 2 3 4 5 6 7        tic-tac-toe   3  . . .
                   . . . . . . .                      2  . X .     "b2a1": X in the centre,
                   . . . X . . .                      1  O . .     O in the lower left corner
                   . . . X O . .   "443 5"               a b c
"""

from typing import Literal, NamedTuple

from kinarow.game.rules import BLOCKED, EMPTY, NAMES, O, Rules, Side, X

MAX_DIGIT_COLUMNS = 9  # With more columns one digit cannot name a column
CELL, TILE = 0, 1  # What numbers in a list count from: cells in Python, tiles in requests and files
LETTERS = "abcdefghijklmnopqrstuvwxy"
_PRINTED = bytes.maketrans(bytes([EMPTY, X, O, BLOCKED]), b".XO#")


class NamedMove(NamedTuple):
    """A move as a person names it, not checked to be legal."""

    cell: int | None  # None if the move names only its stack, in which the mark falls
    stack: int  # ``cell % rules.stacks``: the column; with layers the cell of the bottom layer


def writes_columns(rules: Rules) -> bool:
    """Return True if a move is written as the number of its column alone."""
    return rules.gravity and rules.columns <= MAX_DIGIT_COLUMNS and rules.layers == 1


def column_label(column: int, rules: Rules) -> str:
    """Return the label of a column: its number if moves are column numbers, or with layers; else its letter."""
    return str(column + 1) if rules.layers > 1 or writes_columns(rules) else LETTERS[column]


def row_label(row: int, rules: Rules) -> str:
    """Return the label of a row: its number, counted from 1 at the bottom, with layers from 1 at the top."""
    return str(row + 1 if rules.layers > 1 else rules.rows - row)


def write_move(cell: int, rules: Rules) -> str:
    """Return a move as text, such as ``4`` in Connect Four and ``h8`` in Gomoku; with layers its tile."""
    if rules.layers > 1:
        return str(cell + 1)
    row, column = divmod(cell, rules.columns)
    name = column_label(column, rules)
    return name if writes_columns(rules) else name + row_label(row, rules)


def write_cell(cell: int, rules: Rules) -> dict[str, int]:
    """Return a cell as answers show it: row, column and tile, with layers the layer first."""
    row, column = divmod(cell, rules.columns)
    if rules.layers == 1:
        return {"row": row, "column": column, "tile": cell + 1}
    layer, row = divmod(row, rules.rows)
    return {"layer": layer, "row": row, "column": column, "tile": cell + 1}


def name_move(cell: int, rules: Rules) -> str:
    """Return a move in words: ``column 4`` in Connect Four, ``h8`` in Gomoku, with layers ``tile 17``."""
    kind = "tile " if rules.layers > 1 else "column " if writes_columns(rules) else ""
    return kind + write_move(cell, rules)


def name_cell(cell: int, rules: Rules) -> str:
    """Return a cell in words: as a move, with its tile too if moves are column numbers."""
    name = name_move(cell, rules)
    return f"tile {cell + 1} in {name}" if writes_columns(rules) else name


def name_stack(stack: int, rules: Rules) -> str:
    """Return the name of a stack, such as ``column 4``."""
    return f"the stack on tile {stack + 1}" if rules.layers > 1 else f"column {column_label(stack, rules)}"


def side_name(side: Side) -> Literal["X", "O"]:
    """Return ``X`` or ``O``."""
    return NAMES[side]


def place_name(row: int, column: int | None = None) -> str:
    """Return the name of a row or cell of a board, such as ``row 1, column 4``; both are counted from 0."""
    return f"row {row + 1}" if column is None else f"row {row + 1}, column {column + 1}"


def write_rows(cells: bytes, columns: int) -> list[str]:
    """Return the board as one string of ``X``, ``O``, ``.`` and ``#`` for each row."""
    text = cells.translate(_PRINTED).decode("ascii")
    return [text[start : start + columns] for start in range(0, len(text), columns)]


def write_board(cells: bytes, rules: Rules) -> str:
    """Return the board as text: ``/`` between rows, ``//`` between layers."""
    rows = write_rows(cells, rules.columns)
    layers = (rows[at : at + rules.rows] for at in range(0, len(rows), rules.rows))
    return "//".join(map("/".join, layers))
