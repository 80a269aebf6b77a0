"""Text, lists and tile numbers to positions and back.

A board is a list of rows, each a string or a list of cells, or one string with ``/`` between rows.
``X`` ``x`` ``1`` are the first mark, ``O`` ``o`` ``2`` the second, ``.`` ``_`` ``-``, a space, an
empty string, ``None`` and ``0`` an empty cell.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from service.engine.errors import NotationError, quoted
from service.engine.position import EMPTY, NAMES, O, Position, Side, X
from service.engine.rules import MAX_SIDE

_MARKS: dict[str, int] = {
    **dict.fromkeys("Xx1", X),
    **dict.fromkeys("Oo2", O),
    **dict.fromkeys("._- 0", EMPTY),
    "": EMPTY,
}
_TO_BYTES = {ord(mark): chr(value) for mark, value in _MARKS.items() if mark}
_KNOWN = frozenset(mark for mark in _MARKS if mark)
_PRINTED = bytes.maketrans(bytes([EMPTY, X, O]), b".XO")

ROW_SEPARATOR = "/"
_KNOWN_MARKS = "X x 1, O o 2, or . _ - for an empty cell"


class Grid(NamedTuple):
    """A board that has been read but not yet judged by any rules: its size and its cells row by row."""

    rows: int
    columns: int
    cells: bytes


def read_grid(
    board: object, *, rows: int | None = None, columns: int | None = None, max_side: int = MAX_SIDE
) -> Grid:
    """Read a board in any of the notations of this module.

    Args:
        board: a list of rows or one string; it is never changed.
        rows: how many rows the caller says there are; 1 lets a flat board stand for a single row.
        columns: the same for columns.
        max_side: the most rows or columns that are accepted, 1 to 25.

    Raises:
        NotationError: it is no board; the pointer names the row or cell.
    """
    split = _split(board, rows, columns, max_side)
    if len(split) > max_side:
        raise NotationError("/board", f"the board has {len(split)} rows, at most {max_side} are allowed")
    read = [_row(row, f"/board/{index}", max_side) for index, row in enumerate(split)]
    if not read[0]:
        raise NotationError("/board/0", "row 0 has no cells")
    width = len(read[0])
    for index, row in enumerate(read):
        if len(row) != width:
            raise NotationError(f"/board/{index}", f"row {index} has {len(row)} cells, row 0 has {width}")
    for name, said, actual in (("rows", rows, len(read)), ("columns", columns, width)):
        if said is not None and said != actual:
            raise NotationError(f"/{name}", f"{name} says {said}, the board has {actual}")
    return Grid(len(read), width, b"".join(read))


def _split(board: object, rows: int | None, columns: int | None, max_side: int) -> Sequence[object]:
    """The rows of a board, not yet read."""
    if isinstance(board, str):
        # A board of the largest size has max_side * (max_side + 1) characters; do not split a novel.
        if len(board) > max_side * (max_side + 1):
            raise NotationError("/board", f"a board has at most {max_side} rows and {max_side} columns")
        if ROW_SEPARATOR in board:
            return board.split(ROW_SEPARATOR)
        return _flat(list(board), rows, columns)
    if not isinstance(board, list | tuple):
        raise NotationError("/board", "the board must be a list of rows, or a string with / between rows")
    if not board:
        raise NotationError("/board", "the board has no rows")
    looks_flat = not any(
        isinstance(row, list | tuple) or (isinstance(row, str) and len(row) > 1) for row in board
    )
    if looks_flat and (len(board) > 1 or not isinstance(board[0], str)):
        return _flat(board, rows, columns)
    return board


def _flat(cells: Sequence[object], rows: int | None, columns: int | None) -> Sequence[object]:
    """The rows of a board sent as bare cells, which is clear only when it has one row or one column."""
    if not cells:
        raise NotationError("/board", "the board has no rows")
    if rows == 1:
        return [list(cells)]
    if columns == 1:
        return [[cell] for cell in cells]
    raise NotationError("/board", 'this is a flat board: send rows, such as ["X.O", ".X.", "..."]')


def _row(row: object, pointer: str, max_side: int) -> bytes:
    """One row as bytes, a byte a cell."""
    if not isinstance(row, str | list | tuple):
        raise NotationError(pointer, f"a row is a string or a list of cells, not {quoted(row)}")
    if len(row) > max_side:
        raise NotationError(pointer, f"the row has {len(row)} cells, at most {max_side} are allowed")
    if isinstance(row, str):
        if not _KNOWN.issuperset(row):
            column = next(index for index, mark in enumerate(row) if mark not in _KNOWN)
            raise NotationError(
                pointer, f"unknown mark {quoted(row[column])} in column {column}; use {_KNOWN_MARKS}"
            )
        return row.translate(_TO_BYTES).encode("ascii")
    return bytes(_cell(cell, f"{pointer}/{column}") for column, cell in enumerate(row))


def _cell(cell: object, pointer: str) -> int:
    """One cell of a list."""
    if cell is None:
        return EMPTY
    if isinstance(cell, str) and cell in _MARKS:
        return _MARKS[cell]
    if isinstance(cell, int) and not isinstance(cell, bool) and cell in (EMPTY, X, O):
        return cell
    raise NotationError(pointer, f"unknown mark {quoted(cell)}; use {_KNOWN_MARKS}")


def read_side(name: str) -> Side:
    """The side with this name, ``X`` or ``O`` in either case.

    Raises:
        NotationError: it is neither.
    """
    if name in ("X", "x"):
        return X
    if name in ("O", "o"):
        return O
    raise NotationError("/to_move", f"to_move is X or O, not {quoted(name)}")


def write_rows(position: Position) -> list[str]:
    """The board as one string of ``X``, ``O`` and ``.`` for each row."""
    text = position.cells.translate(_PRINTED).decode("ascii")
    columns = position.rules.columns
    return [text[start : start + columns] for start in range(0, len(text), columns)]


def write_cell(cell: int, columns: int) -> dict[str, int]:
    """A cell as answers show it: row, column and tile."""
    row, column = divmod(cell, columns)
    return {"row": row, "column": column, "tile": cell + 1}


def side_name(side: Side) -> str:
    """``X`` or ``O``."""
    return NAMES[side]


def write_ending(position: Position) -> dict[str, Any]:
    """Whether the game is over, who won and by which cells, as answers show it."""
    ending = position.ending()
    return {
        "state": ending.state,
        "winner": None if ending.winner is None else side_name(ending.winner),
        "winning_cells": [write_cell(cell, position.rules.columns) for cell in ending.winning_cells],
    }
