"""Boards as people write them, to cells and back.

A board is a list of rows, each a string or a list of cells, or one string with ``/`` or a line break between rows;
where its size is known, or with nine cells, also one list or string of all cells. A board with layers is the list of
the rows of all layers, the bottom layer first; or a list with such a list for each layer; or a string with ``//`` or an
empty line between layers.

A board has one alphabet: ``X`` or ``x`` and ``O`` or ``o`` for the sides, or ``1`` and ``2``; one of ``.``, ``_``,
``-``, ``0`` and a blank (``None``, an empty string, a space) for an empty cell; and ``#`` for a blocked one. Spaces
between the cells of all rows fall away, and unless a space is the empty cell, those at the ends of rows too. Beside
letters, each free cell may hold its own number instead, from 0 or from 1 throughout.

JSON pointers count rows, columns and layers from 0, sentences from 1.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol, SupportsInt, TypeGuard

from kinarow.errors import NotationError, quoted, several
from kinarow.game.rules import BLOCKED, EMPTY, O, Rules, Side, Size, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE

_BLANK = " "
_EMPTY_MARKS = frozenset({".", "_", "-", "0", _BLANK})
_VALUES = {"X": X, "1": X, "O": O, "2": O, "#": BLOCKED, **dict.fromkeys(_EMPTY_MARKS, EMPTY)}
_MARKS: dict[object, str] = {
    **{mark: mark for mark in _VALUES},
    "x": "X",
    1: "1",
    "o": "O",
    2: "2",
    0: "0",
    "": _BLANK,
    None: _BLANK,
}
"""All spellings of a mark, each with the one that stands for them in ``_VALUES``."""
_CELLS = {spelling: _VALUES[mark] for spelling, mark in _MARKS.items()}
_CHARACTERS = bytes(_CELLS.get(chr(code), EMPTY) for code in range(256))
_PLAIN = frozenset({str, int, type(None)})  # The types of spellings; ``True`` and 1.0 are equal to 1, but no marks
_PRINTED = bytes.maketrans(bytes([EMPTY, X, O, BLOCKED]), b".XO#")
BOTH_SECOND = "2 and -1 are both marks of the second side; an array has one of them"
_ARRAY_MARKS: dict[object, object] = {0: 0, 1: 1, 2: 2, -1: 2, 3: "#"}

ROW_SEPARATOR = "/"
LAYER_SEPARATOR = "//"
MAX_BOARD_TEXT = 4 * MAX_CELLS  # The most characters of a board as one string: some cells have a space and a line break
USUAL_SIDE = 3  # The rows and columns of a flat board of nine cells
_NUMBER = re.compile("0|[1-9][0-9]{0,2}")
_SPACES_AT_ENDS = re.compile(" *([/\n]) *")
_NOT_BLANK = frozenset(".-_0") | frozenset(map(str, range(3, 10)))  # Where one of them stands, no space is a cell
_LOOK_ALIKES = {
    **dict.fromkeys("ХхΧχ×✕✖✗✘❌Ｘｘ", "the letter X"),
    **dict.fromkeys("ОоΟο○◯⭕Ｏｏ", "the letter O"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", "a space"),
    **dict.fromkeys("·•∙⋅・．", "a point"),
    **dict.fromkeys("‐‑‒–—−－", "a hyphen"),
}
_IN_COLOUR = re.compile(f"([{''.join(_LOOK_ALIKES)}])\ufe0f")
_LINES = frozenset("|│─┃━║═")
_CORNERS = ("+-", "┼─", "╋━")  # of lines, where + and ┼ alone may be empty cells
_WORDS = re.compile(r"[^\s,;|]{2,}(?:[\s,;|]+[^\s,;|]{2,})+")  # rows on one line
_MOVES = re.compile(r"(?:[A-Ya-y][0-9]{1,2}[\s,;_-]*)+|[1-9]+")
_CELL_NAME = re.compile("[A-Ya-y][0-9]{1,2}")
_RUN = re.compile("[0-9]+|[^0-9]")
_BETWEEN = frozenset(",;\t")
_OF_JSON = frozenset("[]{}\"'")


class Array(Protocol):
    """A numpy array, or another that makes itself a list."""

    def tolist(self) -> Any:
        """The cells as lists in lists."""


def without_arrays(board: object) -> object:
    """A board for ``read_grid`` from one that is an array, or has arrays or their numbers in its lists.

    In arrays 0 is empty, 1 is X, 2 or -1 is O, and 3 is blocked; texts keep their marks. 2 beside -1 is a
    ``NotationError``.
    """
    numbers: set[object] = set()
    marks = _without_arrays(board, numbers)
    if {2, -1} <= numbers:
        raise NotationError("/board", BOTH_SECOND)
    return marks


def _without_arrays(board: object, numbers: set[object]) -> object:
    """The same; adds the numbers of arrays to ``numbers``."""
    if isinstance(board, list | tuple):
        return board if _PLAIN.issuperset(map(type, board)) else [_without_arrays(each, numbers) for each in board]
    return _as_marks(board.tolist(), numbers) if hasattr(board, "tolist") else board


def _as_marks(cells: object, numbers: set[object]) -> object:
    if isinstance(cells, list):
        return [_as_marks(cell, numbers) for cell in cells]
    if isinstance(cells, bool) or not isinstance(cells, Real):
        return cells
    numbers.add(cells)
    # Another number becomes a float, which is no mark and no number of a cell.
    return _ARRAY_MARKS.get(cells, float(cells))


class Grid(NamedTuple):
    """A board that has been read but not yet judged by any rules: its size and its cells row by row."""

    rows: int
    columns: int
    cells: bytes
    layers: int = 1


class _Said(NamedTuple):
    """What is said about the size of a board besides the board itself."""

    rows: int | None
    columns: int | None
    layers: int
    usual: Size | None

    def sides(self, cells: int) -> tuple[int, int] | None:
        """The rows and columns that a flat board of that many cells should have; None if they are not known."""
        if self.rows is None and self.columns is None and self.usual is None:
            return (USUAL_SIDE, USUAL_SIDE) if cells == USUAL_SIDE**2 and self.layers == 1 else None
        high = self.rows or (self.usual.rows if self.usual else None)
        wide = self.columns or (self.usual.columns if self.usual else None)
        return (high, wide) if high and wide else None

    def width(self, rows: int) -> int | None:
        """The columns that a board of that many rows should have; None if they are not known."""
        return (self.sides(rows * USUAL_SIDE) or (None, self.columns))[1]


class _Written(NamedTuple):
    """The rows of a board as they are written, those of all layers."""

    rows: Sequence[Any]
    heights: Sequence[int]  # the number of rows of each layer
    in_layers: bool = False  # whether it is written layer by layer
    is_flat: bool = False  # whether it is written as one list or text of all cells

    def place(self, row: int, column: int | None = None) -> tuple[str, str]:
        """The JSON pointer to a row or to one of its cells, and its name, such as ``row 1, column 4 of layer 2``."""
        is_text = isinstance(self.rows[row], str)
        layer, row_of_layer = 0, row
        while row_of_layer >= self.heights[layer]:
            row_of_layer -= self.heights[layer]
            layer += 1
        pointer = f"/board/{layer}/{row_of_layer}" if self.in_layers else f"/board/{row}"
        pointer = "/board" if self.is_flat else pointer
        name = f"row {row_of_layer + 1}"
        if column is not None:
            name += f", column {column + 1}"
            if not is_text:
                pointer += f"/{row * len(self.rows[0]) + column if self.is_flat else column}"
        return pointer, name + (f" of layer {layer + 1}" if len(self.heights) > 1 else "")


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
    plain = _read_plain(board, max_side) if deep == 1 else None
    if plain is not None:
        high, wide, cells = plain
    else:
        written = _written(board, _Said(rows, columns, deep, usual_size))
        _check_lengths(written, max_side, usual_size)
        cells = _read_marks(written)
        high, wide = written.heights[0], _width(written, usual_size)
    for name, said, actual in (("rows", rows, high), ("columns", columns, wide)):
        if said is not None and said != actual:
            raise NotationError(f"/{name}", f"{name} says {said}, the board has {actual}")
    return Grid(high, wide, cells, deep)


def _read_plain(board: object, max_side: int) -> tuple[int, int, bytes] | None:
    """Rows, columns and cells of the usual form, texts of letters and dots in a list, which leaves nothing to ask.

    None for any other board.
    """
    if type(board) is not list or set(map(type, board)) != {str}:
        return None
    widths, text = set(map(len, board)), "".join(board)
    wide = len(board[0])
    if len(widths) > 1 or not 1 < wide <= max_side or len(board) > max_side or text.strip("XO.xo#"):
        return None
    return len(board), wide, text.encode("ascii").translate(_CHARACTERS)


def row_pointer(board: object, grid: Grid, row: int, column: int | None = None) -> str:
    """The JSON pointer to a row of a board that was read; ``row`` counts the rows of all layers from 0.

    With a ``column`` it is that of the cell, unless the row is a text.
    """
    return _written(board, _Said(grid.rows, grid.columns, grid.layers, None)).place(row, column)[0]


def turned(board: object, grid: Grid) -> Grid | None:
    """A board that was read, if what it lists as rows are columns; None if its rows are texts, or it has layers."""
    written = _written(board, _Said(grid.rows, grid.columns, grid.layers, None))
    if grid.layers > 1 or not (written.is_flat or all(isinstance(row, list | tuple) for row in written.rows)):
        return None
    high = grid.rows if written.is_flat else grid.columns
    return Grid(high, len(grid.cells) // high, b"".join(grid.cells[row::high] for row in range(high)))


# ---------------------------------------------------------------- the rows of a board


def _written(board: object, said: _Said) -> _Written:
    """The rows of a board without the spaces between cells; a flat board is cut into rows."""
    parts = _lines(board) if isinstance(board, str) else board
    if not isinstance(parts, list | tuple):
        forms = "rows, or a string with / between rows"
        if said.layers > 1:
            forms = "rows or layers, or a string with // between layers"
        raise NotationError("/board", f"the board must be a list of {forms}")
    if not parts:
        raise NotationError("/board", "the board has no rows")
    flat = _cut(parts[0] if isinstance(board, str) else parts, said) if _is_flat(board, parts) else None
    if flat:
        return flat
    in_layers = said.layers > 1 and _is_in_layers(board, parts, said)
    layers = [parts] if said.layers == 1 else _layers(parts, said.layers, in_layers)
    written = _Written(list(chain.from_iterable(layers)), list(map(len, layers)), in_layers)
    for index, row in enumerate(written.rows):
        if not isinstance(row, str | list | tuple):
            pointer, name = written.place(index)
            raise NotationError(pointer, f"{name} must be a string or a list of cells, not {quoted(row)}")
    return written._replace(rows=_without_spaces(written.rows, said.width(len(parts))))


def _lines(text: str) -> list[str]:
    """The rows of a text; with layers an empty one stands between two layers."""
    if len(text) > MAX_BOARD_TEXT:
        raise NotationError("/board", f"a board as text has at most {MAX_BOARD_TEXT} characters, not {len(text)}")
    if not text.isascii():
        text = _IN_COLOUR.sub(r"\1", text)
    if "\n" in text or "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if " " in text and not _NOT_BLANK.isdisjoint(text):
        text = _SPACES_AT_ENDS.sub(r"\1", text.strip(" "))
    lines = text.replace("/\n", "/").replace("\n", "/").split(ROW_SEPARATOR)
    first = 1 if not lines[0] else 0
    return lines[first : -1 if not lines[-1] else None]


def _is_long(value: object) -> bool:
    """Whether it is a text of several cells; the number of a cell is none."""
    return isinstance(value, str) and len(_IN_COLOUR.sub(r"\1", value)) > 1 and not _NUMBER.fullmatch(value)


def _is_flat(board: object, parts: Sequence[Any]) -> bool:
    """Whether the parts of a board are bare cells."""
    if isinstance(board, str):
        return len(parts) == 1
    types = set(map(type, parts))
    if not types.isdisjoint((list, tuple)):
        return False
    widths = set(map(len, parts)) if types == {str} else {len(part) if isinstance(part, str) else 1 for part in parts}
    if len(widths) == 1:
        return widths <= {0, 1} and (len(parts) > 1 or not isinstance(parts[0], str))
    # Rows have one width. Cells may be numbers, or words that are no marks.
    return 2 * sum(map(_is_long, parts)) < len(parts)


def _cut(cells: Sequence[object], said: _Said) -> _Written | None:
    """The rows of a flat board; None with layers of one column whose height is not known: the cells are its rows."""
    if isinstance(cells, str):
        sides = said.sides(len(cells))
        (cells,) = _without_spaces([cells], sides and sides[0] * sides[1] * said.layers)
    count = len(cells)
    sides = said.sides(count)
    if said.layers == 1 and 1 in (said.rows, said.columns):
        sides = (1, count) if said.rows == 1 else (count, 1)
    if sides and sides[0] * sides[1] * said.layers == count:
        high, wide = sides
        rows = [cells[at : at + wide] for at in range(0, count, wide)]
        return _Written(rows, [high] * said.layers, is_flat=True)
    if said.layers > 1 and said.columns == 1 and sides is None and all(isinstance(cell, str) for cell in cells):
        return None
    if count <= MAX_CELLS:
        _read_marks(_Written([cells], [1], is_flat=True))  # Another mark says more than the size
    if sides is None:
        example = '["X.O", ".X.", "..."] or X.O/.X./...'
        raise NotationError("/board", f"this is a flat board: send rows, {example}, or say rows and columns")
    size = f"{said.layers} × " * (said.layers > 1) + f"{sides[0]} × {sides[1]}"
    wanted = said.layers * sides[0] * sides[1]
    hint = "" if said.rows and said.columns else "; say rows and columns"
    raise NotationError("/board", f"a flat board of {size} has {several(wanted, 'cell')}, this one has {count}{hint}")


def _is_in_layers(board: object, parts: Sequence[object], said: _Said) -> bool:
    """Whether a board is written layer by layer rather than as the rows of all layers.

    One list of single cells for each layer could be both: it is read as layers of one column, unless ``rows`` is 1.
    """
    if isinstance(board, str):
        return "" in parts or len(parts) <= said.layers
    lists = [part for part in parts if isinstance(part, list | tuple)]
    hold_rows = any(isinstance(row, list | tuple) or _is_long(row) for part in lists for row in part)
    return hold_rows or (len(lists) == len(parts) == said.layers and said.rows != 1)


def _layers(parts: Sequence[Any], count: int, in_layers: bool) -> list[Sequence[object]]:
    """The rows of each layer."""
    if not in_layers:
        if len(parts) % count:
            raise NotationError("/layers", f"the {several(len(parts), 'row')} of the board do not make {count} layers")
        high = len(parts) // count
        return [parts[start : start + high] for start in range(0, len(parts), high)]
    if all(isinstance(part, str) for part in parts):  # a text, with empty lines between layers
        ends = [index for index, line in enumerate(parts) if not line]
        starts = [0, *(end + 1 for end in ends)]
        parts = [parts[start:end] for start, end in zip(starts, [*ends, len(parts)], strict=True) if start < end]
    if len(parts) != count:
        raise NotationError("/layers", f"layers says {count}, the board has {len(parts)}")
    for index, layer in enumerate(parts):
        if not isinstance(layer, list | tuple):
            raise NotationError(f"/board/{index}", f"layer {index + 1} must be a list of rows, not {quoted(layer)}")
    return list(parts)


def _without_spaces(rows: Sequence[Any], wide: int | None) -> Sequence[Any]:
    """The rows without spaces that stand between cells or at the ends of rows.

    Where spaces can be cells too, they are cells if the rows then have the width that they should have.
    """
    texts = "".join(row for row in rows if isinstance(row, str))
    if _BLANK not in texts:
        return rows
    marks = {_spelling(cell) for row in rows for cell in row}
    bare = [row.strip(_BLANK) if isinstance(row, str) else row for row in rows]
    fits = all(isinstance(row, str) and len(row) != wide and _is_spaced(row.strip(_BLANK)) for row in rows)
    fits = fits and {len(row) // 2 + 1 for row in bare} == {wide}
    if fits or not _NOT_BLANK.isdisjoint(marks) or not _NOT_BLANK.isdisjoint(texts):
        # Rows that have one width with their spaces alone have a second empty mark.
        rows = rows if len(set(map(len, rows))) == 1 < len(set(map(len, bare))) else bare
    if not all(isinstance(row, str) and _is_spaced(row) for row in rows):
        return rows
    return rows if wide == len(rows[0]) and _is_one_alphabet(marks) else [row[::2] for row in rows]


def _is_spaced(row: str) -> bool:
    """Whether a space stands in every second place of a row, and nowhere else."""
    return len(row) % 2 == 1 and row[1::2] == _BLANK * (len(row) // 2) and _BLANK not in row[::2]


def _check_lengths(written: _Written, max_side: int, usual: Size | None) -> None:
    first = 0
    for layer, high in enumerate(written.heights):
        pointer = f"/board/{layer}" if written.in_layers else "/board"
        name = "the board" if len(written.heights) == 1 else f"layer {layer + 1}"
        if not high:
            raise NotationError(pointer, f"{name} has no rows")
        if high > max_side:
            raise NotationError(pointer, f"{name} has {high} rows, at most {max_side} are allowed")
        if not len(written.rows[first]):
            pointer, name = written.place(first)
            hint = LISTS_COLUMNS if _may_list_columns(written.rows, usual) else ""
            raise NotationError(pointer, f"{name} has no cells{hint}")
        first += high
    if max(map(len, written.rows)) > max_side:
        index, row = next((index, row) for index, row in enumerate(written.rows) if len(row) > max_side)
        _read_marks(written)  # Another mark says more than the size
        pointer, name = written.place(index)
        raise NotationError(pointer, f"{name} has {len(row)} cells, at most {max_side} are allowed")


def _width(written: _Written, usual: Size | None) -> int:
    """The number of columns; a ``NotationError`` if layers or rows differ; ``usual`` is the size of the game."""
    rows, heights = written.rows, written.heights
    for layer, high in enumerate(heights):
        if high != heights[0]:
            raise NotationError(
                f"/board/{layer}", f"layer 1 has {several(heights[0], 'row')}, layer {layer + 1} has {high}"
            )
    wide = len(rows[0])
    for index, row in enumerate(rows) if len(set(map(len, rows))) > 1 else ():
        if len(row) != wide:
            hint = ""
            if row == "":
                hint = "; // or an empty line stands between layers, which need layers"
            elif _may_list_columns(rows, usual):
                hint = LISTS_COLUMNS
            pointer, name = written.place(index)
            cells = several(wide, "cell")
            raise NotationError(pointer, f"{written.place(0)[1]} has {cells}, {name} has {len(row)}{hint}")
    return wide


LISTS_COLUMNS = "; does it list columns? Send rows, from top to bottom"
_WRITE_EACH = "write each empty cell, not how many there are"


def _may_list_columns(rows: Sequence[Any], usual: Size | None) -> bool:
    """Whether rows are as many as the columns of the game, and not text."""
    return usual is not None and len(rows) == usual.columns and not any(isinstance(row, str) for row in rows)


def _has_runs(rows: Sequence[Any]) -> bool:
    """Whether the rows have one width once their numbers are read as runs of empty cells, as in the FEN of chess."""
    if len(rows) < 2 or not all(isinstance(row, str) for row in rows):
        return False
    runs = [_RUN.findall(row.partition(_BLANK)[0]) for row in rows]
    widths = {sum(int(run) if run.isdecimal() else 1 for run in row) for row in runs}
    return len(widths) == 1 and widths <= set(range(2, MAX_SIDE + 1)) and any(run.isdecimal() for run in chain(*runs))


# ---------------------------------------------------------------- the marks of a board


def _read_marks(written: _Written) -> bytes:
    """The cells of a board in any alphabet; a ``NotationError`` if it has an unknown mark or mixes two alphabets."""
    rows = written.rows
    if set(map(type, rows)) == {str}:
        rows = ["".join(rows)]
    try:
        used = frozenset[object]().union(*rows)
        types = frozenset[type]().union(*(map(type, row) for row in rows if not isinstance(row, str)))
        is_plain = types <= _PLAIN and _is_one_alphabet(set(map(_MARKS.get, used)))
    except TypeError:  # a cell is a list or an object
        is_plain = False
    if is_plain:
        return b"".join(
            row.encode("ascii").translate(_CHARACTERS) if isinstance(row, str) else bytes(map(_CELLS.__getitem__, row))
            for row in rows
        )
    marks = [_spelling(cell) for row in rows for cell in row]
    if _is_one_alphabet(set(marks)):
        return bytes(_VALUES[mark] for mark in marks if mark)
    numbered = _read_numbered(list(chain.from_iterable(rows)))
    if numbered is None:
        raise _refusal(written)
    return numbered


def _spelling(cell: object) -> str | None:
    """The mark that a cell holds, in the spelling that stands for it; None if it is not known."""
    return _MARKS.get(cell) if cell is None or isinstance(cell, str) or _is_whole(cell) else None


def _is_whole(cell: object) -> TypeGuard[SupportsInt]:
    return not isinstance(cell, bool) and isinstance(cell, Integral)


def _is_one_alphabet(marks: set[str | None]) -> bool:
    """Whether marks are those of one alphabet; None is an unknown one."""
    mixed = not marks.isdisjoint("XO") and not marks.isdisjoint("12")
    return None not in marks and not mixed and len(marks & _EMPTY_MARKS) <= 1


def _read_numbered(cells: Sequence[object]) -> bytes | None:
    """The cells of a board of which each free cell holds its own number, from 0 or from 1; None if it is another."""
    numbers = {index: number for index, cell in enumerate(cells) if (number := _number(cell)) is not None}
    offsets = {number - index for index, number in numbers.items()}
    values = [EMPTY if index in numbers else _LETTERS.get(_spelling(cell)) for index, cell in enumerate(cells)]
    is_clear = X in values or O in values or max(numbers.values(), default=0) > O
    if offsets not in ({0}, {1}) or not is_clear or None in values:
        return None
    return bytes(value or EMPTY for value in values)


_LETTERS: dict[str | None, int] = {"X": X, "O": O, "#": BLOCKED}


def _number(cell: object) -> int | None:
    """The number that a cell holds, as number or as text; None if it is none."""
    if isinstance(cell, str):
        return int(cell) if _NUMBER.fullmatch(cell) else None
    return int(cell) if _is_whole(cell) else None


class _Found(NamedTuple):
    """The first place of a mark on a board."""

    cell: object
    pointer: str
    where: str

    def __str__(self) -> str:
        if self.cell is None:
            return f"null in {self.where}"
        shown = f'"{self.cell}"' if isinstance(self.cell, str) and not self.cell.strip() else self.cell
        return f"{shown} in {self.where}"


def _refusal(written: _Written) -> NotationError:
    """Why the marks of a board are not those of one alphabet."""
    found: dict[str, _Found] = {}
    for index, row in enumerate(written.rows):
        for column, cell in enumerate(row):
            mark = _spelling(cell)
            if mark is None:
                hint = _hint_of_rows(written.rows)
                wrong = None if hint else _misnumbered(written)
                return wrong or _unknown_mark(cell, *written.place(index, column), hint)
            if mark not in found:
                found[mark] = _Found(cell, *written.place(index, column))
    of_rows = _hint_of_rows(written.rows)
    both = "write the marks of both sides as letters, or both as numbers"
    if of_rows and (of_rows != _WRITE_EACH or len(set(map(len, written.rows))) > 1):
        both = of_rows
    for letter, number, words in (("X", "1", "first"), ("O", "2", "second"), ("X", "2", None), ("O", "1", None)):
        if letter in found and number in found:
            one, other = found[letter], found[number]
            if words:
                return NotationError(other.pointer, f"{one} and {other} are both marks of the {words} side; {both}")
            return NotationError(other.pointer, f"{one} is a letter and {other} a number; {both}")
    empty = {mark: place for mark, place in found.items() if mark in _EMPTY_MARKS}
    one, other = list(empty.values())[:2]
    hint = "use one of them"
    if "0" in empty and "O" not in found and "2" not in found:
        hint = _ZERO_IS_EMPTY.format("2" if "1" in found else "O")
    elif any(isinstance(row, str) and row.strip(" +-") == "" and "---" in row for row in written.rows):
        hint = _LEAVE_OUT
    else:
        hint = of_rows or hint
    return NotationError(other.pointer, f"{one} and {other} are both marks of an empty cell; {hint}")


_ZERO_IS_EMPTY = "0 is an empty cell: write {} for the second side"


def hint_of_zero(board: object, grid: Grid) -> str:
    """What to add to an error about the position on a board where a 0 may be meant as the second side, else nothing."""
    rows = _written(board, _Said(grid.rows, grid.columns, grid.layers, None)).rows
    found = {_spelling(cell) for row in rows for cell in row}
    if "0" not in found or O in grid.cells or grid.cells.count(X) == 1:
        return ""
    return f"; {_ZERO_IS_EMPTY.format('2' if '1' in found else 'O')}"


_LEAVE_OUT = "leave out the lines of the grid, such as | and ---"


def _hint_of_rows(rows: Sequence[Any]) -> str:
    """What is likely wrong with rows as a whole, else nothing."""
    if all(isinstance(row, list | tuple) and len(row) == 1 and _is_long(row[0]) for row in rows):
        return "write each row without a list around it"
    if not all(isinstance(row, str) for row in rows):
        return _hint_of_lists(rows)
    if len(rows) == 1:
        if _MOVES.fullmatch(rows[0]):
            return "if these are moves, send them as moves"
        is_in_words = _WORDS.fullmatch(rows[0]) and len(set(map(len, re.split(r"[\s,;|]+", rows[0])))) == 1
        return "write / between the rows" if is_in_words else ""
    if all(map(_CELL_NAME.fullmatch, rows)):
        return "if these are moves, send them as moves"
    if _has_runs(rows):
        return _WRITE_EACH
    words = [row.split() if _BLANK in row else list(row) for row in rows]
    edges = (words[0], words[-1], [row[0] for row in words[1:-1] if len(row) > 1])
    is_numbered = any(word.isdecimal() for row in words[1:-1] for word in row[1:])
    if not is_numbered and any(map(_are_labels, edges)):
        return "leave out the coordinates"
    has_lines = any(not _LINES.isdisjoint(row) or any(corner in row for corner in _CORNERS) for row in rows)
    return _LEAVE_OUT if has_lines else ""


def _hint_of_lists(rows: Sequence[Any]) -> str:
    """The same for rows of which some are lists."""
    cells = list(chain.from_iterable(rows))
    count = Counter(str(cell) for cell in cells)
    if count["-1"] > count["1"] + 1:  # too many for a side
        are_sides = count.keys() <= {"-1", "0", "1"} and abs(count["0"] - count["1"]) <= 1
        return "write 0 for an empty cell, 1 and 2 for the sides" if are_sides else _USE
    sizes = {len(cell) for cell in cells if isinstance(cell, list | tuple) or _is_row(cell)}
    if len(sizes) != 1 or not all(isinstance(cell, list | tuple) or _is_row(cell) for cell in cells):
        return ""
    if len(rows) == 1:
        return "leave out the list around the rows"
    hint = "a board of several layers needs layers"
    are_few = not {len(rows), *sizes}.isdisjoint((2, 3))
    if are_few and all(mark in (0, 1) for mark in chain.from_iterable(cells)):
        hint += ", and planes of 0 and 1 are one board of 0, 1 and 2"
    return hint


def _is_row(cell: object) -> bool:
    """Whether a cell is a text of several marks."""
    return isinstance(cell, str) and _is_long(cell) and _MARKS.keys() >= set(cell)


def _are_labels(words: Sequence[str]) -> bool:
    """Whether words count the rows or columns of a drawn board."""
    is_plain = len(words) > 2 and all(word.isascii() and (word.isdecimal() or len(word) == 1) for word in words)
    numbers = [int(word) if word.isdecimal() else ord(word) for word in words if len(word) < 3] if is_plain else []
    return {after - before for before, after in pairwise(numbers)} in ({1}, {-1})


def _misnumbered(written: _Written) -> NotationError | None:
    """The error of the first cell without its own number, if most of the numbers above 2 are those of their cells."""
    cells = [(row, column, cell) for row, cells in enumerate(written.rows) for column, cell in enumerate(cells)]
    numbers = [(index, number) for index, (*_, cell) in enumerate(cells) if (number := _number(cell)) is not None]
    offsets = Counter(number - index for index, number in numbers if number > 2)
    offset = next((first for first in (0, 1) if 2 * offsets[first] > offsets.total() > 1), None)
    if offset is None:
        return None
    for index, (row, column, cell) in enumerate(cells):
        if _spelling(cell) not in _LETTERS and _number(cell) != index + offset:
            place = written.place(row, column)
            if _spelling(cell) is None and _number(cell) is None:
                return _unknown_mark(cell, *place)
            hint = "where free cells are numbered, each holds its own number, from 0 or from 1 throughout"
            return NotationError(place[0], f"{_Found(cell, *place)} is not the number of its cell; {hint}")
    return None


def _look_alike(mark: str) -> str:
    return f"it is U+{ord(mark):04X}, not {_LOOK_ALIKES[mark]}"


_USE = "use X or 1, O or 2, one of . _ - 0 or a blank for an empty cell, or # for a blocked one"


def _unknown_mark(mark: object, pointer: str, where: str, of_rows: str = "") -> NotationError:
    text = mark if isinstance(mark, str) else ""
    first = _IN_COLOUR.sub(r"\1", text[:2])
    number = _number(mark)
    hint = _USE
    if number is not None:
        hint += "; or in every free cell its own number"
    if first in _LOOK_ALIKES:
        hint = _look_alike(first)
    elif of_rows:
        hint = of_rows
    elif number == -1 or text == "-1":
        hint = "write 2 for the second side"
    elif text in _LINES:
        hint = _LEAVE_OUT
    elif text in _BETWEEN:
        hint = "leave out what stands between the cells"
    elif text in _OF_JSON:
        hint = "send a list of rows as JSON, or one string with / between the rows"
    shown = f'"{quoted(text)[1:-1]}"' if text else quoted(mark)
    return NotationError(pointer, f"unknown mark {shown} in {where}; {hint}")


def write_rows(cells: bytes, columns: int) -> list[str]:
    """The board as one string of ``X``, ``O``, ``.`` and ``#`` for each row."""
    text = cells.translate(_PRINTED).decode("ascii")
    return [text[start : start + columns] for start in range(0, len(text), columns)]


def write_board(cells: bytes, rules: Rules) -> str:
    """The board as text: ``/`` between rows, ``//`` between layers."""
    rows = write_rows(cells, rules.columns)
    layers = (rows[at : at + rules.rows] for at in range(0, len(rows), rules.rows))
    return LAYER_SEPARATOR.join(map(ROW_SEPARATOR.join, layers))


# ---------------------------------------------------------------- sides


def read_side(side: object, pointer: str = "/to_move") -> Side:
    """The side of ``X`` or ``O`` in either case, or of 1 or 2, also as text; another is a ``NotationError``."""
    mark = _spelling(side)
    if mark in ("X", "1"):
        return X
    if mark in ("O", "2"):
        return O
    hint = f"; {_look_alike(side)}" if isinstance(side, str) and side in _LOOK_ALIKES else ""
    raise NotationError(pointer, f"sides are X and O, or 1 and 2, not {quoted(side)}{hint}")
