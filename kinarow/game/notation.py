"""Boards and moves as people write them, to cells and back.

A board is a list of rows, each a string or a list of cells, or one string with ``/`` between rows; where its
size is known, also one list or string of all cells. ``X`` ``x`` ``1`` are the first mark, ``O`` ``o`` ``2`` the
second, ``.`` ``_`` ``-``, a space, an empty string, ``None`` and ``0`` an empty cell, ``#`` a blocked one. A board with
layers is the list of the rows of all layers, the bottom layer first; or a list with such a list for each layer; or a
string with ``//`` between layers.

JSON pointers count rows, columns and layers from 0, sentences from 1.

Moves are a list (of tiles, ``[row, column]`` or cells; with layers ``[layer, row, column]``) or, on a board of one
layer, a text in the coordinates that each game prints: under gravity, with at most nine columns, the numbers of the
columns from 1; else a letter for the column from ``a`` and a number for the row, counted from the bottom. Spaces and
commas may stand between moves::

    connect-four   1 2 3 4 5 6 7        tic-tac-toe   3  . . .
                   . . . . . . .                      2  . X .     "b2a1": X in the centre,
                   . . . X . . .                      1  O . .     O in the lower left corner
                   . . . X O . .   "443 5"               a b c
"""

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeGuard

from kinarow.errors import InputError, NotationError, quoted
from kinarow.game.rules import BLOCKED, EMPTY, NAMES, O, Rules, Side, Size, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE

_MARKS: dict[str, int] = {
    **dict.fromkeys("Xx1", X),
    **dict.fromkeys("Oo2", O),
    **dict.fromkeys("._- 0", EMPTY),
    "": EMPTY,
    "#": BLOCKED,
}
_ARRAY_MARKS: dict[int | float, object] = {0: EMPTY, 1: X, 2: O, -1: O, 3: "#"}
_TO_BYTES = {ord(mark): chr(value) for mark, value in _MARKS.items() if mark}
_KNOWN = frozenset(mark for mark in _MARKS if mark)
_PRINTED = bytes.maketrans(bytes([EMPTY, X, O, BLOCKED]), b".XO#")

ROW_SEPARATOR = "/"
LAYER_SEPARATOR = "//"
_KNOWN_MARKS = "X x 1, O o 2, . _ - for an empty cell, or # for a blocked one"
MAX_DIGIT_COLUMNS = 9  # With more columns one digit cannot name a column
MAX_MOVES = MAX_CELLS
MAX_MOVES_TEXT = 5 * MAX_MOVES  # The most characters of moves as text: a letter, two digits, a comma and a space each
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_SMALL_LETTERS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""The letters of ASCII alone: ``lower`` would read the Kelvin sign as a k."""
_WRITTEN_MOVE = re.compile(r"([a-z])([1-9][0-9]?)")


class Array(Protocol):
    """A numpy array, or another that makes itself a list."""

    def tolist(self) -> Any:
        """The cells as lists in lists."""


def read_array(array: Array) -> list[object]:
    """An array of cells as a board for ``read_grid``: 0 is empty, 1 is X, 2 or -1 is O, 3 is blocked."""
    marks = _marks_of(array.tolist())
    return marks if isinstance(marks, list) else [marks]


def _marks_of(cells: object) -> object:
    if isinstance(cells, list):
        return list(map(_marks_of, cells))
    return _ARRAY_MARKS.get(cells, cells) if isinstance(cells, int | float) else cells


class Grid(NamedTuple):
    """A board that has been read but not yet judged by any rules: its size and its cells row by row."""

    rows: int
    columns: int
    cells: bytes
    layers: int = 1


class _Row(NamedTuple):
    """Where a row of a sent board stands: its JSON pointer, and its row and layer from 0; no layer if there is one."""

    pointer: str
    row: int
    layer: int | None

    def named(self, column: int | None = None) -> str:
        """The row in words, or one of its cells: ``row 1, column 4 of layer 2``."""
        cell = "" if column is None else f", column {column + 1}"
        return f"row {self.row + 1}{cell}" + ("" if self.layer is None else f" of layer {self.layer + 1}")


def read_grid(
    board: object,
    *,
    rows: int | None = None,
    columns: int | None = None,
    layers: int | None = None,
    usual_size: Size | None = None,
    max_side: int = MAX_SIDE,
) -> Grid:
    """Read a board in any of the notations of this module.

    Args:
        board: a list of rows or one string, with layers also a list of layers; it is not changed.
        rows, columns: how many the caller says there are; 1 lets a flat board stand for a single row or column.
        layers: how many layers there are; by default as many as ``usual_size`` has, or 1 without it.
        usual_size: the size of a flat board where the caller gives none.
        max_side: the most rows, columns or layers that are accepted, 1 to 25.

    Raises:
        NotationError: it is no board; the pointer names the row or cell.
    """
    deep = layers or (usual_size.layers if usual_size else 1)
    if deep > max_side:
        raise NotationError("/layers", f"at most {max_side} layers are allowed here, not {deep}")
    in_layers = _is_in_layers(board, deep, rows)
    parts = _parts(board, deep, in_layers, max_side)
    if not parts:
        raise NotationError("/board", "the board has no rows")
    if deep > 1:
        split = _layers(parts, deep, in_layers)
    else:
        split = [_flat(parts, rows, columns, usual_size) if _is_flat(board, parts) else parts]
    read: list[tuple[_Row, bytes]] = []
    for index, layer in enumerate(split):
        read += _read_layer(layer, index if deep > 1 else None, in_layers, max_side)
        if len(layer) != len(split[0]):
            detail = f"layer 1 has {len(split[0])} rows, layer {index + 1} has {len(layer)}"
            raise NotationError(f"/board/{index}", detail)
    _check_same_width(read, deep)
    grid = Grid(len(split[0]), len(read[0][1]), b"".join(row for _, row in read), deep)
    for name, said, actual in (("rows", rows, grid.rows), ("columns", columns, grid.columns)):
        if said is not None and said != actual:
            raise NotationError(f"/{name}", f"{name} says {said}, the board has {actual}")
    return grid


def _check_same_width(read: list[tuple[_Row, bytes]], layers: int) -> None:
    first, width = read[0][0], len(read[0][1])
    for place, row in read:
        if len(row) != width:
            hint = "; // stands between layers, which need layers" if layers == 1 and not row else ""
            detail = f"{first.named()} has {width} cells, {place.named()} has {len(row)}{hint}"
            raise NotationError(place.pointer, detail)


def row_pointer(board: Any, grid: Grid, row: int, column: int | None = None) -> str:
    """The JSON pointer to a row of a board that was read; ``row`` counts the rows of all layers from 0.

    With a ``column`` it is that of the cell, unless the row is a text.
    """
    places = divmod(row, grid.rows) if _is_in_layers(board, grid.layers, grid.rows) else (row,)
    for place in places:
        board = board[place] if isinstance(board, list | tuple) and place < len(board) else None
    return "/".join(["/board", *map(str, places), *([str(column)] if isinstance(board, list | tuple) else [])])


def _is_in_layers(board: object, layers: int, rows: int | None) -> bool:
    """Whether a board is written layer by layer rather than as the rows of all layers.

    One list of single cells for each layer could be both: it is read as layers of one column, unless ``rows`` is 1.
    """
    if layers == 1:
        return False
    if isinstance(board, str):
        return LAYER_SEPARATOR in board or board.count(ROW_SEPARATOR) < layers
    if not isinstance(board, list | tuple):
        return False
    lists = [part for part in board if isinstance(part, list | tuple)]
    hold_rows = any(isinstance(row, list | tuple) or _is_long(row) for part in lists for row in part)
    return hold_rows or (len(lists) == len(board) == layers and rows != 1)


def _parts(board: object, layers: int, in_layers: bool, max_side: int) -> Sequence[object]:
    """The layers, rows or cells of a board, as it is written."""
    if isinstance(board, str):
        # A board of the largest size has fewer characters; do not split a novel.
        if len(board) > layers * (max_side + 1) ** 2:
            raise NotationError("/board", f"a board has at most {max_side} rows and {max_side} columns")
        if in_layers:
            return [layer.split(ROW_SEPARATOR) for layer in board.split(LAYER_SEPARATOR)]
        return board.split(ROW_SEPARATOR) if layers > 1 or ROW_SEPARATOR in board else list(board)
    if isinstance(board, list | tuple):
        return board
    forms = (
        "rows or layers, or a string with // between layers" if layers > 1 else "rows, or a string with / between rows"
    )
    raise NotationError("/board", f"the board must be a list of {forms}")


def _layers(parts: Sequence[object], layers: int, in_layers: bool) -> list[Sequence[object]]:
    """The rows of each layer."""
    if not in_layers:
        if len(parts) % layers:
            raise NotationError("/layers", f"the {len(parts)} rows of the board do not make {layers} layers")
        high = len(parts) // layers
        return [parts[start : start + high] for start in range(0, len(parts), high)]
    if len(parts) != layers:
        raise NotationError("/layers", f"layers says {layers}, the board has {len(parts)}")
    split: list[Sequence[object]] = []
    for index, layer in enumerate(parts):
        if not isinstance(layer, list | tuple):
            raise NotationError(f"/board/{index}", f"layer {index + 1} must be a list of rows, not {quoted(layer)}")
        split.append(layer)
    return split


def _is_long(value: object) -> bool:
    return isinstance(value, str) and len(value) > 1


def _read_layer(split: Sequence[object], layer: int | None, in_layers: bool, max_side: int) -> list[tuple[_Row, bytes]]:
    """The rows of a layer and where each stands; ``layer`` is None if there is only one."""
    pointer = f"/board/{layer}" if in_layers else "/board"
    name = "the board" if layer is None else f"layer {layer + 1}"
    if not split:
        raise NotationError(pointer, f"{name} has no rows")
    if len(split) > max_side:
        raise NotationError(pointer, f"{name} has {len(split)} rows, at most {max_side} are allowed")
    above = 0 if in_layers or layer is None else layer * len(split)
    places = [_Row(f"{pointer}/{above + row}", row, layer) for row in range(len(split))]
    read = [(place, _row(row, place, max_side)) for place, row in zip(places, split, strict=True)]
    if not read[0][1]:
        raise NotationError(places[0].pointer, f"{places[0].named()} has no cells")
    return read


def _is_flat(board: object, parts: Sequence[object]) -> bool:
    """Whether the parts of a board of one layer are bare cells."""
    if isinstance(board, str):
        return ROW_SEPARATOR not in board
    if any(isinstance(part, list | tuple) or _is_long(part) for part in parts):
        return False
    return len(parts) > 1 or not isinstance(parts[0], str)


def _flat(cells: Sequence[object], rows: int | None, columns: int | None, usual_size: Size | None) -> Sequence[object]:
    """The rows of a board sent as bare cells, row by row, which is clear only where its size is known."""
    if rows == 1:
        return [list(cells)]
    if columns == 1:
        return [[cell] for cell in cells]
    high = rows or (usual_size.rows if usual_size else None)
    wide = columns or (usual_size.columns if usual_size else None)
    if high is None or wide is None:
        raise NotationError(
            "/board", 'this is a flat board: send rows, ["X.O", ".X.", "..."] or X.O/.X./..., or say rows and columns'
        )
    if len(cells) != high * wide:
        raise NotationError(
            "/board", f"a flat board of {high} × {wide} has {high * wide} cells, this one has {len(cells)}"
        )
    return [list(cells[start : start + wide]) for start in range(0, len(cells), wide)]


def _row(row: object, place: _Row, max_side: int) -> bytes:
    if not isinstance(row, str | list | tuple):
        raise NotationError(place.pointer, f"{place.named()} must be a string or a list of cells, not {quoted(row)}")
    if len(row) > max_side:
        detail = f"{place.named()} has {len(row)} cells, at most {max_side} are allowed"
        raise NotationError(place.pointer, detail)
    if isinstance(row, str):
        if not _KNOWN.issuperset(row):
            column = next(index for index, mark in enumerate(row) if mark not in _KNOWN)
            raise _unknown_mark(row[column], place.pointer, place.named(column))
        return row.translate(_TO_BYTES).encode("ascii")
    return bytes(_cell(cell, place, column) for column, cell in enumerate(row))


def _cell(cell: object, place: _Row, column: int) -> int:
    if cell is None:
        return EMPTY
    if isinstance(cell, str) and cell in _MARKS:
        return _MARKS[cell]
    if isinstance(cell, int) and not isinstance(cell, bool) and cell in (EMPTY, X, O):
        return cell
    raise _unknown_mark(cell, f"{place.pointer}/{column}", place.named(column))


def _unknown_mark(mark: object, pointer: str, where: str) -> NotationError:
    shown = f'"{quoted(mark)[1:-1]}"' if isinstance(mark, str) else quoted(mark)
    is_row = isinstance(mark, list | tuple) or _is_long(mark)
    hint = "; a board of several layers needs layers" if is_row else ""
    return NotationError(pointer, f"unknown mark {shown} in {where}; use {_KNOWN_MARKS}{hint}")


def read_side(name: str, pointer: str = "/to_move") -> Side:
    """The side with this name, ``X`` or ``O`` in either case; another is a ``NotationError``."""
    if name in ("X", "x"):
        return X
    if name in ("O", "o"):
        return O
    raise NotationError(pointer, f"{pointer.removeprefix('/')} is X or O, not {quoted(name)}")


class NamedMove(NamedTuple):
    """A move as it is named: its cell, None where the mark falls, and its stack: the column, with layers the place."""

    cell: int | None
    stack: int


def read_moves(moves: object, rules: Rules, pointer: str = "/moves") -> list[NamedMove]:
    """The moves of a text, or of a list of what ``read_move`` takes; whether they can be made is not checked.

    What is no cell of the board is a ``NotationError`` at ``pointer`` with the number of the move behind it.
    """
    if isinstance(moves, str):
        return _read_text(moves, rules, pointer)
    if not isinstance(moves, list | tuple):
        raise NotationError(pointer, f"moves are a list or a text, not {quoted(moves)}")
    if len(moves) > MAX_MOVES:
        raise NotationError(pointer, f"a game has at most {MAX_MOVES} moves, not {len(moves)}")
    return [read_move(written, rules, f"{pointer}/{index}") for index, written in enumerate(moves)]


def as_columns(moves: object, rules: Rules) -> list[NamedMove] | None:
    """The moves that a list of tiles means if its numbers are columns, from 0 if there is a 0; None if they are not."""
    if not rules.gravity or rules.layers > 1 or not isinstance(moves, list | tuple):
        return None
    numbers = [number for number in moves if _is_integer(number)]
    first = min(numbers, default=0) and 1
    if not numbers or len(numbers) < len(moves) or not all(first <= each < first + rules.columns for each in numbers):
        return None
    return [NamedMove(None, number - first) for number in numbers]


def suggesting(wrong: InputError, name: str, cells: Sequence[int], rules: Rules) -> InputError:
    """The error with the text that was meant by the list in a field: these moves."""
    pointer, detail = wrong.problems[0]
    text = "".join(write_move(cell, rules) for cell in cells)
    return type(wrong)(pointer, f'{detail}; did you mean "{name}": "{text}"?')


def read_move(written: object, rules: Rules, pointer: str) -> NamedMove:
    """One entry of a list of moves; what is no cell of the board is a ``NotationError`` at the pointer.

    It is a tile (1 to the number of cells), ``[row, column]``, ``{"row": r, "column": c}`` with or without the ``tile``
    it is, or under gravity ``{"column": c}``; rows and columns from 0. With layers it is ``[layer, row, column]``, and
    the same in an object, of which gravity needs no layer.
    """
    names = ("layer", "row", "column") if rules.layers > 1 else ("row", "column")
    if _is_integer(written):
        return _named(_in_range(written, 1, rules.cells, "tile", pointer) - 1, rules)
    if isinstance(written, list | tuple) and len(written) == len(names):
        return _named(_cell_at(dict(zip(names, written, strict=True)), rules, pointer), rules)
    if isinstance(written, dict):
        falling = names[1:] if rules.layers > 1 else ("column",)
        if rules.gravity and written.keys() == set(falling):
            return NamedMove(None, _cell_at(written, rules, pointer))
        if written.keys() - {"tile"} == set(names):
            named = _named(_cell_at(written, rules, pointer), rules)
            if "tile" in written:
                tile = written["tile"]
                if not _is_integer(tile) or tile - 1 != named.cell:
                    raise NotationError(pointer, f"tile {quoted(tile)} does not agree with row and column")
            return named
    forms = f"a tile, [{', '.join(names)}], or an object with {' and '.join(names)}"
    if rules.gravity:
        forms += " or without layer" if rules.layers > 1 else " or with column alone"
    raise NotationError(pointer, f"a move is {forms}, not {quoted(written)}")


def _cell_at(place: Mapping[str, object], rules: Rules, pointer: str) -> int:
    """The cell at a layer, row and column, each 0 if missing."""
    cell = 0
    for name in ("layer", "row", "column"):
        size = getattr(rules, f"{name}s")
        cell = cell * size + (_in_range(place[name], 0, size - 1, name, pointer) if name in place else 0)
    return cell


def _named(cell: int, rules: Rules) -> NamedMove:
    return NamedMove(cell, cell % rules.stacks)


def writes_columns(rules: Rules) -> bool:
    """Whether a move is written as the number of its column alone."""
    return rules.gravity and rules.columns <= MAX_DIGIT_COLUMNS and rules.layers == 1


def column_label(column: int, rules: Rules) -> str:
    """What stands under a column: its number from 1 where moves are columns, and with layers; else its letter."""
    return str(column + 1) if rules.layers > 1 or writes_columns(rules) else _LETTERS[column]


def row_label(row: int, rules: Rules) -> str:
    """What stands beside a row: its number, counted from 1 at the bottom, with layers from 1 at the top."""
    return str(row + 1 if rules.layers > 1 else rules.rows - row)


def write_move(cell: int, rules: Rules) -> str:
    """A move as text, such as ``4`` in Connect Four and ``h8`` in Gomoku; with layers its tile."""
    if rules.layers > 1:
        return str(cell + 1)
    row, column = divmod(cell, rules.columns)
    name = column_label(column, rules)
    return name if writes_columns(rules) else name + row_label(row, rules)


def write_rows(cells: bytes, columns: int) -> list[str]:
    """The board as one string of ``X``, ``O``, ``.`` and ``#`` for each row."""
    text = cells.translate(_PRINTED).decode("ascii")
    return [text[start : start + columns] for start in range(0, len(text), columns)]


def write_board(cells: bytes, rules: Rules) -> str:
    """The board as text: ``/`` between rows, ``//`` between layers."""
    rows = write_rows(cells, rules.columns)
    layers = (rows[at : at + rules.rows] for at in range(0, len(rows), rules.rows))
    return LAYER_SEPARATOR.join(map(ROW_SEPARATOR.join, layers))


def write_cell(cell: int, rules: Rules) -> dict[str, int]:
    """A cell as answers show it: row, column and tile, with layers the layer first."""
    row, column = divmod(cell, rules.columns)
    if rules.layers == 1:
        return {"row": row, "column": column, "tile": cell + 1}
    layer, row = divmod(row, rules.rows)
    return {"layer": layer, "row": row, "column": column, "tile": cell + 1}


def name_move(cell: int, rules: Rules) -> str:
    """A move in words: ``column 4`` in Connect Four, ``h8`` in Gomoku, with layers ``tile 17``."""
    kind = "tile " if rules.layers > 1 else "column " if writes_columns(rules) else ""
    return kind + write_move(cell, rules)


def name_cell(cell: int, rules: Rules) -> str:
    """A cell in words: as a move, and where moves are columns by its tile too."""
    name = name_move(cell, rules)
    return f"tile {cell + 1} in {name}" if writes_columns(rules) else name


def name_stack(stack: int, rules: Rules) -> str:
    """Where a mark falls in words, such as ``column 4``."""
    return f"the stack on tile {stack + 1}" if rules.layers > 1 else f"column {column_label(stack, rules)}"


def side_name(side: Side) -> Literal["X", "O"]:
    """``X`` or ``O``."""
    return NAMES[side]


def _read_text(text: str, rules: Rules, pointer: str) -> list[NamedMove]:
    if len(text) > MAX_MOVES_TEXT:
        raise NotationError(pointer, f"moves as text have at most {MAX_MOVES_TEXT} characters, not {len(text)}")
    if rules.layers > 1 and text.strip():
        raise NotationError(pointer, "with layers moves are a list, not text")
    by_column = writes_columns(rules)
    text = text.replace(",", " ")
    words = list("".join(text.split())) if by_column else _words(text.translate(_SMALL_LETTERS))
    read = _read_column if by_column else _read_coordinates
    return [read(word, rules, f"{pointer}/{index}") for index, word in enumerate(words)]


def _words(text: str) -> list[str]:
    """A text cut before each letter, so that a move is a letter and what follows it."""
    return [word for part in text.split() for word in re.findall(r"[a-z][^a-z]*|^[^a-z]+", part)]


_COLUMNS = {str(column + 1): NamedMove(None, column) for column in range(MAX_DIGIT_COLUMNS)}


def _read_column(word: str, rules: Rules, pointer: str) -> NamedMove:
    named = _COLUMNS.get(word)
    if named is None or named.stack >= rules.columns:
        raise NotationError(pointer, f"a column is 1 to {rules.columns}, not {quoted(word)}")
    return named


def _read_coordinates(word: str, rules: Rules, pointer: str) -> NamedMove:
    match = _WRITTEN_MOVE.fullmatch(word)
    column = _LETTERS.find(match[1]) if match else -1
    if match is None or not 0 <= column < rules.columns or int(match[2]) > rules.rows:
        last = f"{_LETTERS[rules.columns - 1]}{rules.rows}"
        raise NotationError(
            pointer, f"a move is a column's letter and a row's number, a1 to {last}, not {quoted(word)}"
        )
    return _named((rules.rows - int(match[2])) * rules.columns + column, rules)


def _in_range(value: object, low: int, high: int, name: str, pointer: str) -> int:
    if not _is_integer(value) or not low <= value <= high:
        raise NotationError(pointer, f"{name} is a whole number from {low} to {high}, not {quoted(value)}")
    return value


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
