"""Boards as people write them, to cells and back.

A board is a list of rows, each a string or a list of cells, or one string with ``/`` between rows; where its
size is known, also one list or string of all cells. ``X`` ``x`` ``1`` are the first mark, ``O`` ``o`` ``2`` the
second, ``.`` ``_`` ``-``, a space, an empty string, ``None`` and ``0`` an empty cell, ``#`` a blocked one. A board with
layers is the list of the rows of all layers, the bottom layer first; or a list with such a list for each layer; or a
string with ``//`` between layers.

JSON pointers count rows, columns and layers from 0, sentences from 1.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from kinarow.errors import NotationError, quoted
from kinarow.game.rules import BLOCKED, EMPTY, O, Rules, Side, Size, X
from kinarow.game.size import MAX_SIDE

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


def write_rows(cells: bytes, columns: int) -> list[str]:
    """The board as one string of ``X``, ``O``, ``.`` and ``#`` for each row."""
    text = cells.translate(_PRINTED).decode("ascii")
    return [text[start : start + columns] for start in range(0, len(text), columns)]


def write_board(cells: bytes, rules: Rules) -> str:
    """The board as text: ``/`` between rows, ``//`` between layers."""
    rows = write_rows(cells, rules.columns)
    layers = (rows[at : at + rules.rows] for at in range(0, len(rows), rules.rows))
    return LAYER_SEPARATOR.join(map(ROW_SEPARATOR.join, layers))
