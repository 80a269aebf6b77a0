"""Boards and moves as people write them, to cells and back.

A board is a list of rows, each a string or a list of cells, or one string with ``/`` between rows; where its
size is known, also one list or string of all cells. ``X`` ``x`` ``1`` are the first mark, ``O`` ``o`` ``2`` the
second, ``.`` ``_`` ``-``, a space, an empty string, ``None`` and ``0`` an empty cell, ``#`` a blocked one.

Moves are a list (of tiles, ``[row, column]`` or cells) or a text in the coordinates that each game prints: under
gravity, with at most nine columns, the numbers of the columns from 1; else a letter for the column from ``a``
and a number for the row, counted from the bottom::

    connect-four   1 2 3 4 5 6 7        tic-tac-toe   3  . . .
                   . . . . . . .                      2  . X .     "b2a1": X in the centre,
                   . . . X . . .                      1  O . .     O in the lower left corner
                   . . . X O . .   "443 5"               a b c
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

from kinarow.errors import NotationError, quoted
from kinarow.rules import BLOCKED, EMPTY, MAX_SIDE, NAMES, O, Rules, Side, X

_MARKS: dict[str, int] = {
    **dict.fromkeys("Xx1", X),
    **dict.fromkeys("Oo2", O),
    **dict.fromkeys("._- 0", EMPTY),
    "": EMPTY,
    "#": BLOCKED,
}
_TO_BYTES = {ord(mark): chr(value) for mark, value in _MARKS.items() if mark}
_KNOWN = frozenset(mark for mark in _MARKS if mark)
_PRINTED = bytes.maketrans(bytes([EMPTY, X, O, BLOCKED]), b".XO#")

ROW_SEPARATOR = "/"
_KNOWN_MARKS = "X x 1, O o 2, . _ - for an empty cell, or # for a blocked one"

MAX_DIGIT_COLUMNS = 9
"""With more columns one digit cannot name a column."""
MAX_MOVES = MAX_SIDE * MAX_SIDE
MAX_MOVES_TEXT = 4 * MAX_MOVES
"""The most characters of moves as text: a letter, two digits and a space for each."""
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_WRITTEN_MOVE = re.compile(r"([a-z])([1-9][0-9]?)")


class Grid(NamedTuple):
    """A board that has been read but not yet judged by any rules: its size and its cells row by row."""

    rows: int
    columns: int
    cells: bytes


def read_grid(
    board: object,
    *,
    rows: int | None = None,
    columns: int | None = None,
    usual_size: tuple[int, int] | None = None,
    max_side: int = MAX_SIDE,
) -> Grid:
    """Read a board in any of the notations of this module.

    Args:
        board: a list of rows or one string; it is never changed.
        rows: how many rows the caller says there are; 1 lets a flat board stand for a single row.
        columns: the same for columns.
        usual_size: rows and columns that a flat board has where the caller does not say them.
        max_side: the most rows or columns that are accepted, 1 to 25.

    Raises:
        NotationError: it is no board; the pointer names the row or cell.
    """
    split = _split(board, rows, columns, usual_size or (None, None), max_side)
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


def _split(
    board: object,
    rows: int | None,
    columns: int | None,
    usual_size: tuple[int | None, int | None],
    max_side: int,
) -> Sequence[object]:
    """The rows of a board, not yet read."""
    if isinstance(board, str):
        # A board of the largest size has max_side * (max_side + 1) characters; do not split a novel.
        if len(board) > max_side * (max_side + 1):
            raise NotationError("/board", f"a board has at most {max_side} rows and {max_side} columns")
        if ROW_SEPARATOR in board:
            return board.split(ROW_SEPARATOR)
        return _flat(list(board), rows, columns, usual_size)
    if not isinstance(board, list | tuple):
        raise NotationError("/board", "the board must be a list of rows, or a string with / between rows")
    if not board:
        raise NotationError("/board", "the board has no rows")
    looks_flat = not any(
        isinstance(row, list | tuple) or (isinstance(row, str) and len(row) > 1) for row in board
    )
    if looks_flat and (len(board) > 1 or not isinstance(board[0], str)):
        return _flat(board, rows, columns, usual_size)
    return board


def _flat(
    cells: Sequence[object],
    rows: int | None,
    columns: int | None,
    usual_size: tuple[int | None, int | None],
) -> Sequence[object]:
    """The rows of a board sent as bare cells, row by row, which is clear only where its size is known."""
    if not cells:
        raise NotationError("/board", "the board has no rows")
    if rows == 1:
        return [list(cells)]
    if columns == 1:
        return [[cell] for cell in cells]
    high, wide = rows or usual_size[0], columns or usual_size[1]
    if high is None or wide is None:
        raise NotationError(
            "/board",
            'this is a flat board: send rows, such as ["X.O", ".X.", "..."], or say rows and columns',
        )
    if len(cells) != high * wide:
        raise NotationError(
            "/board", f"a flat board of {high} × {wide} has {high * wide} cells, this one has {len(cells)}"
        )
    return [list(cells[start : start + wide]) for start in range(0, len(cells), wide)]


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


def read_side(name: str, pointer: str = "/to_move") -> Side:
    """The side with this name, ``X`` or ``O`` in either case.

    Raises:
        NotationError: it is neither.
    """
    if name in ("X", "x"):
        return X
    if name in ("O", "o"):
        return O
    raise NotationError(pointer, f"{pointer.removeprefix('/')} is X or O, not {quoted(name)}")


class NamedMove(NamedTuple):
    """A move as it is named: its column and its row, each from 0; no row where the mark falls."""

    row: int | None
    column: int


def read_moves(moves: object, rules: Rules, pointer: str = "/moves") -> list[NamedMove]:
    """The moves of a text or a list; whether they can be made is not asked.

    Args:
        moves: a text, or a list of what ``read_move`` takes.
        rules: the game, which says how a text is read.
        pointer: what an error names, with the number of the move behind it.

    Raises:
        NotationError: it is neither, or an entry is no cell of the board.
    """
    if isinstance(moves, str):
        return _read_text(moves, rules, pointer)
    if not isinstance(moves, list | tuple):
        raise NotationError(pointer, f"moves are a list or a text, not {quoted(moves)}")
    if len(moves) > MAX_MOVES:
        raise NotationError(pointer, f"a game has at most {MAX_MOVES} moves, not {len(moves)}")
    return [read_move(written, rules, f"{pointer}/{index}") for index, written in enumerate(moves)]


def read_move(written: object, rules: Rules, pointer: str) -> NamedMove:
    """One entry of a list of moves.

    Args:
        written: a tile (1 to the number of cells), ``[row, column]``, ``{"row": r, "column": c}`` with or
            without the ``tile`` it is, or under gravity ``{"column": c}``; rows and columns from 0.
        rules: the game.
        pointer: what an error names.

    Raises:
        NotationError: it is no cell of the board.
    """
    if _is_integer(written):
        return _cell_at(_in_range(written, 1, rules.cells, "tile", pointer) - 1, rules)
    if isinstance(written, list | tuple) and len(written) == 2:
        return _at(written[0], written[1], rules, pointer)
    if isinstance(written, dict):
        if written.keys() == {"column"} and rules.gravity:
            return NamedMove(None, _in_range(written["column"], 0, rules.columns - 1, "column", pointer))
        if written.keys() - {"tile"} == {"row", "column"}:
            named = _at(written["row"], written["column"], rules, pointer)
            if "tile" in written:
                _check_tile(written["tile"], named, rules, pointer)
            return named
    forms = "a tile, [row, column], or an object with row and column"
    if rules.gravity:
        forms += " or with column alone"
    raise NotationError(pointer, f"a move is {forms}, not {quoted(written)}")


def writes_columns(rules: Rules) -> bool:
    """Whether a move is written as the number of its column alone."""
    return rules.gravity and rules.columns <= MAX_DIGIT_COLUMNS


def column_label(column: int, rules: Rules) -> str:
    """What stands under a column: its number from 1 where moves are columns, else its letter from ``a``."""
    return str(column + 1) if writes_columns(rules) else _LETTERS[column]


def row_label(row: int, rules: Rules) -> str:
    """What stands beside a row: its number, counted from 1 at the bottom."""
    return str(rules.rows - row)


def write_move(cell: int, rules: Rules) -> str:
    """A move as text, such as ``4`` in Connect Four and ``h8`` in Gomoku."""
    row, column = divmod(cell, rules.columns)
    name = column_label(column, rules)
    return name if writes_columns(rules) else name + row_label(row, rules)


def write_rows(cells: bytes, columns: int) -> list[str]:
    """The board as one string of ``X``, ``O``, ``.`` and ``#`` for each row."""
    text = cells.translate(_PRINTED).decode("ascii")
    return [text[start : start + columns] for start in range(0, len(text), columns)]


def write_cell(cell: int, columns: int) -> dict[str, int]:
    """A cell as answers show it: row, column and tile."""
    row, column = divmod(cell, columns)
    return {"row": row, "column": column, "tile": cell + 1}


def side_name(side: Side) -> str:
    """``X`` or ``O``."""
    return NAMES[side]


def _read_text(text: str, rules: Rules, pointer: str) -> list[NamedMove]:
    """The moves of a text in the coordinates of its game."""
    if len(text) > MAX_MOVES_TEXT:
        raise NotationError(
            pointer, f"moves as text have at most {MAX_MOVES_TEXT} characters, not {len(text)}"
        )
    by_column = writes_columns(rules)
    words = list("".join(text.split())) if by_column else _words(text.lower())
    read = _read_column if by_column else _read_coordinates
    return [read(word, rules, f"{pointer}/{index}") for index, word in enumerate(words)]


def _words(text: str) -> list[str]:
    """A text cut before each letter, so that a move is a letter and what follows it."""
    return [word for part in text.split() for word in re.findall(r"[a-z][^a-z]*|^[^a-z]+", part)]


def _read_column(word: str, rules: Rules, pointer: str) -> NamedMove:
    """A column's digit."""
    if word not in "123456789" or int(word) > rules.columns:
        raise NotationError(pointer, f"a column is 1 to {rules.columns}, not {quoted(word)}")
    return NamedMove(None, int(word) - 1)


def _read_coordinates(word: str, rules: Rules, pointer: str) -> NamedMove:
    """A column's letter and a row's number."""
    found = _WRITTEN_MOVE.fullmatch(word)
    column = _LETTERS.find(found[1]) if found else -1
    if found is None or not 0 <= column < rules.columns or int(found[2]) > rules.rows:
        last = f"{_LETTERS[rules.columns - 1]}{rules.rows}"
        raise NotationError(
            pointer, f"a move is a column's letter and a row's number, a1 to {last}, not {quoted(word)}"
        )
    return NamedMove(rules.rows - int(found[2]), column)


def _at(row: object, column: object, rules: Rules, pointer: str) -> NamedMove:
    return NamedMove(
        _in_range(row, 0, rules.rows - 1, "row", pointer),
        _in_range(column, 0, rules.columns - 1, "column", pointer),
    )


def _cell_at(cell: int, rules: Rules) -> NamedMove:
    row, column = divmod(cell, rules.columns)
    return NamedMove(row, column)


def _check_tile(tile: object, named: NamedMove, rules: Rules, pointer: str) -> None:
    """Refuse a tile that is another cell than the row and column beside it."""
    if not _is_integer(tile) or _cell_at(tile - 1, rules) != named:
        raise NotationError(pointer, f"tile {quoted(tile)} is another cell than row and column say")


def _in_range(value: object, low: int, high: int, name: str, pointer: str) -> int:
    if not _is_integer(value) or not low <= value <= high:
        raise NotationError(pointer, f"{name} is a whole number from {low} to {high}, not {quoted(value)}")
    return value


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
