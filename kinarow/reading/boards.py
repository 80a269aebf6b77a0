"""Boards as people write them, read to a size and cells; ``docs/api.md`` describes the forms, ``tables.py`` the marks.

A board is a list of rows, each a text or a list of cells, or one text with ``/`` or a line break between rows. With
layers it lists the rows of all layers, or the layers; a text has ``//`` or an empty line between them. A board whose
size is known, or of nine cells, may be flat. Spaces are read as cells and as separators: the reading that makes a board
counts. JSON pointers count from 0, sentences from 1.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol

from kinarow.errors import NotationError, quoted, several
from kinarow.game.notation import place_name
from kinarow.game.rules import BLOCKED, EMPTY, O, Side, Size, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.reading import tables
from kinarow.reading.tables import BLANK

MAX_BOARD_TEXT = 4 * MAX_CELLS  # The most characters of a board as one text: some cells have a space and a line break
USUAL_SIDE = 3  # The rows and columns of a flat board of nine cells
BOTH_SECOND = "2 and -1 are both marks of the second side; an array has one of them"
SPACES = "spaces may be cells or stand between them; write . for an empty cell"
MINUS_ONE = "-1 may be the second side or an empty cell; write 0 for an empty cell, 1 and 2 for the sides"
_USE = "use X or 1, O or 2, one of . _ - 0 or a blank for an empty cell, or # for a blocked one"
_BOTH = "write the marks of both sides as letters, or both as numbers"

# A cell becomes one character: its mark, or one of these.
_MINUS_ONE, _UNKNOWN = "\ue000", "\ue001"
_WORDS = {word: chr(0xE010 + index) for index, word in enumerate(tables.EMPTY_WORDS)}
_NUMBERS = 0xF0000  # the character of 10 and more, less the number
_NUMBER = re.compile("0|[1-9][0-9]{0,2}")

_ALPHABETS = {name: (frozenset(xs), frozenset(os)) for name, (xs, os) in tables.ALPHABETS.items()}
_ALPHABETS["numbers"] = (frozenset("1"), frozenset("2" + _MINUS_ONE))
_XS, _OS = (frozenset().union(*each) for each in zip(*_ALPHABETS.values(), strict=True))
_EMPTIES = frozenset((*tables.EMPTY_MARKS, *tables.EMPTY_BESIDE, *_WORDS.values(), BLANK))
_VISIBLE = frozenset(tables.NOT_BLANK + "3456789")
_VALUES = {**dict.fromkeys(_XS, X), **dict.fromkeys(_OS, O), **dict.fromkeys(_EMPTIES, EMPTY)}
_VALUES |= {tables.BLOCKED_MARK: BLOCKED}
_CELLS = {ord(mark): chr(value) for mark, value in (_VALUES | {"x": X, "o": O}).items()}
_LARGE = str.maketrans(tables.SMALL_LETTERS)
_PLAIN_TYPES = frozenset({str, int, type(None)})  # True and 1.0 equal 1, but are no marks
_PLAIN_CELLS: dict[object, str] = {
    **{chr(code): value for code, value in ((code, chr(code)) for code in _CELLS) if value.isprintable()},
    **{number: str(number) for number in range(10)},
    **{str(number): str(number) for number in range(10)},
    None: BLANK,
    "": BLANK,
    -1: _MINUS_ONE,
}
_CHARACTERS = bytes(ord(_CELLS.get(code, "\0")) for code in range(256))
_ARRAY_MARKS: dict[object, object] = {0: 0, 1: 1, 2: 2, -1: 2, 3: tables.BLOCKED_MARK}
_HINTS = [(re.compile(pattern, re.DOTALL), hint) for pattern, hint in tables.BOARD_HINTS]


class Array(Protocol):
    """A numpy array, or another that makes itself a list."""

    def tolist(self) -> Any:
        """Return the cells as lists in lists."""


def without_arrays(board: object) -> object:
    """Return the board with lists in place of arrays, in which 0 is empty, 1 is X, 2 or -1 is O, and 3 is blocked."""
    numbers: set[object] = set()

    def as_marks(cells: object) -> object:
        if isinstance(cells, list):
            return [as_marks(cell) for cell in cells]
        if isinstance(cells, bool) or not isinstance(cells, Real):
            return cells
        numbers.add(cells)
        return _ARRAY_MARKS.get(cells, float(cells))  # a float is no mark

    def as_lists(part: object) -> object:
        if isinstance(part, list | tuple):
            return part if _PLAIN_TYPES.issuperset(map(type, part)) else [as_lists(each) for each in part]
        return as_marks(part.tolist()) if hasattr(part, "tolist") else part

    lists = as_lists(board)
    if {2, -1} <= numbers:
        raise NotationError("/board", BOTH_SECOND)
    return lists


class Grid(NamedTuple):
    """The size of a board and its cells row by row, not judged by any rules."""

    rows: int
    columns: int
    cells: bytes
    layers: int = 1


class _Said(NamedTuple):
    """What is known of the size of a board besides the board itself."""

    rows: int | None
    columns: int | None
    layers: int
    usual: Size | None
    max_side: int

    def sides(self, cells: int) -> tuple[int, int] | None:
        """Return the rows and columns of a flat board of that many cells; None if they are not known."""
        if self.layers == 1 and 1 in (self.rows, self.columns):
            return (1, cells) if self.rows == 1 else (cells, 1)
        if self.rows is None and self.columns is None and self.usual is None:
            return (USUAL_SIDE, USUAL_SIDE) if cells == USUAL_SIDE**2 and self.layers == 1 else None
        high = self.rows or (self.usual.rows if self.usual else None)
        wide = self.columns or (self.usual.columns if self.usual else None)
        return (high, wide) if high and wide else None


class _Written(NamedTuple):
    """The rows of a board, those of all layers, with a character for each cell."""

    texts: list[str]
    sent: Sequence[Any]  # the rows as they came
    heights: Sequence[int]  # the rows of each layer
    in_layers: bool = False
    is_flat: bool = False

    def place(self, row: int, column: int | None = None) -> tuple[str, str]:
        """Return the JSON pointer to a row or cell, and its name, such as ``row 1, column 4 of layer 2``."""
        layer, row_of_layer = 0, row
        while row_of_layer >= self.heights[layer]:
            row_of_layer -= self.heights[layer]
            layer += 1
        pointer = f"/board/{layer}/{row_of_layer}" if self.in_layers else f"/board/{row}"
        pointer = "/board" if self.is_flat else pointer
        if column is not None and not isinstance(self.sent[row], str):
            pointer += f"/{row * len(self.texts[0]) + column if self.is_flat else column}"
        return pointer, place_name(row_of_layer, column) + (f" of layer {layer + 1}" if len(self.heights) > 1 else "")

    def show(self, row: int, column: int) -> str:
        """Return a cell as it came, with its place in words."""
        cell = self.texts[row][column] if isinstance(self.sent[row], str) else self.sent[row][column]
        shown = f'"{cell}"' if isinstance(cell, str) and not cell.strip() else cell
        return f"{'null' if cell is None else shown} in {self.place(row, column)[1]}"


def read_grid(
    board: object,
    *,
    rows: int | None = None,
    columns: int | None = None,
    layers: int | None = None,
    usual_size: Size | None = None,
    max_side: int = MAX_SIDE,
) -> Grid:
    """Read a board; a ``NotationError`` names the row or cell that is wrong.

    Args:
        board: a list of rows or one text, with layers also a list of layers; it is not changed.
        rows, columns: how many the caller says there are; 1 lets a flat board be a single row or column.
        layers: how many layers there are; by default as many as ``usual_size`` has, or 1 without it.
        usual_size: the size of a flat board where the caller gives none.
        max_side: the most rows, columns or layers that are accepted, 1 to 25.
    """
    deep = layers or (usual_size.layers if usual_size else 1)
    if deep > max_side:
        raise NotationError("/layers", f"at most {max_side} layers are allowed here, not {deep}")
    grid = _read_plain(board, max_side) if deep == 1 else None
    if grid is None:
        grid = _read_either(board, _Said(rows, columns, deep, usual_size, max_side))
    for name, said, actual in (("rows", rows, grid.rows), ("columns", columns, grid.columns)):
        if said is not None and said != actual:
            raise NotationError(f"/{name}", f"{name} says {said}, the board has {actual}")
    return grid


def _read_plain(board: object, max_side: int) -> Grid | None:
    """Return a board of one layer whose rows are letters, dots or plain numbers; None if it needs a closer look."""
    if type(board) is str:
        board = board.split(tables.ROW_SEPARATOR)
    if type(board) is not list or len(board) < 2:
        return None
    kinds = set(map(type, board))
    if kinds == {list}:
        if not all(_PLAIN_TYPES.issuperset(map(type, row)) for row in board):
            return None
        rows = [list(map(_PLAIN_CELLS.get, row)) for row in board]
        board = ["".join(row) for row in rows if None not in row]  # type: ignore[arg-type]
        if len(board) < len(rows):
            return None
    elif kinds != {str}:
        return None
    wide, text = len(board[0]), "".join(board)
    if not 1 < wide <= max_side or len(board) > max_side or set(map(len, board)) != {wide}:
        return None
    if text.strip("XO.xo#") and text.strip("012"):
        return None
    return Grid(len(board), wide, text.encode("ascii").translate(_CHARACTERS))


def _read_either(board: object, said: _Said) -> Grid:
    """Return the board, whether spaces are its cells or stand between them."""
    found: list[tuple[bool, Grid]] = []
    wrong: list[NotationError] = []
    is_sure, readings = _readings(board, said)
    for is_separated, parts in readings:
        try:
            found.append((is_separated, _grid(parts, said, isinstance(board, str))))
        except NotationError as error:
            wrong.append(error)
        else:
            if is_sure:
                return found[0][1]
    if not found:
        raise wrong[-1 if is_sure else 0]
    high, wide = (said.rows or (said.usual and said.usual.rows), said.columns or (said.usual and said.usual.columns))
    fitting = [each for each in found if high in (None, each[1].rows) and wide in (None, each[1].columns)] or found
    of_cells = next((grid for is_separated, grid in fitting if not is_separated), None)
    separated = next((grid for is_separated, grid in fitting if is_separated), of_cells)
    assert separated is not None
    if of_cells in (None, separated):
        return separated
    if of_cells is not None and of_cells[:2] == (USUAL_SIDE, USUAL_SIDE):
        return of_cells
    if EMPTY in separated.cells:
        raise NotationError("/board", SPACES)
    return separated


def _readings(board: object, said: _Said) -> tuple[bool, Iterable[tuple[bool, Sequence[Any]]]]:
    """Return whether one alone can fit, and the parts with spaces as cells (False) and without spaces (True)."""
    parts: Any = _lines(board) if isinstance(board, str) else board
    if not isinstance(parts, list | tuple):
        forms = "rows, or a string with / between rows"
        if said.layers > 1:
            forms = "rows or layers, or a string with // between layers"
        raise NotationError("/board", f"the board must be a list of {forms}")
    if not parts:
        raise NotationError("/board", "the board has no rows")
    # With layers the rows may stand in a list for each layer.
    lists = [part for part in parts if isinstance(part, list | tuple)] if said.layers > 1 else []
    texts = [text.replace("\t", BLANK) for part in (parts, *lists) for text in part if isinstance(text, str)]
    if not any(BLANK in text for text in texts):
        return True, [(False, parts)]

    def changed(change: Callable[[str], str], part: Any = parts) -> Any:
        if isinstance(part, list | tuple) and (part is parts or said.layers > 1):
            return [changed(change, each) for each in part]
        return change(part.replace("\t", BLANK)) if isinstance(part, str) else part

    is_visible = any(not _VISIBLE.isdisjoint(text) for text in texts)
    has_ends = is_visible or bool(said.rows or said.columns or said.usual) or len(parts) == USUAL_SIDE**2
    are_rows = len(lists) + sum(isinstance(part, str) for part in parts) == len(parts)

    def readings() -> Iterator[tuple[bool, Sequence[Any]]]:
        has_cells = not is_visible
        if has_cells:
            yield False, changed(str)
        for strips, first in product((False, True)[: 1 + has_ends], (0, 1, None)):
            if are_rows or first is None:
                change = partial(_without_spaces, first=first, strips=strips, has_ends=has_ends)
                rows = [change(text) for text in texts]
                # Where blanks may be cells only a full board has spaces around it.
                may_strip = is_visible or not strips or all(row and BLANK not in row for row in rows if row is not None)
                if None not in rows and rows != texts and may_strip:
                    yield True, changed(change)
                    has_cells = has_cells or len(set(map(len, texts))) > 1
        if not has_cells:
            yield False, changed(str)

    return is_visible, readings()


def _without_spaces(row: str, first: int | None, strips: bool, has_ends: bool) -> Any:
    """Return every second place of a row from ``first`` on, or all of it; None if no spaces stand between them."""
    row = row.strip(BLANK) if strips else row
    if first is None:
        return row
    is_spaced = not row[1 - first :: 2].strip(BLANK) and (has_ends or (first == 0 and len(row) % 2 == 1))
    return row[first::2] if is_spaced else None


def _lines(text: str) -> list[str]:
    """Return the rows of a text; with layers an empty one stands between two layers."""
    if len(text) > MAX_BOARD_TEXT:
        raise NotationError("/board", f"a board as text has at most {MAX_BOARD_TEXT} characters, not {len(text)}")
    text = text.replace("\t", BLANK).replace("\r\n", "\n").replace("\r", "\n")
    if BLANK in text and not _VISIBLE.isdisjoint(text):
        text = re.sub(" *([/\n]) *", r"\1", text.strip(BLANK))
    lines = re.split("/\n|/|\n", text)
    return lines[0 if lines[0] else 1 : None if lines[-1] else -1]


def row_pointer(board: Any, grid: Grid, pointer: str) -> str:
    """Return where a cell at ``/board/row/column`` stands in the board as it was sent; other pointers as they are."""
    _, _, *place = pointer.split("/")
    if len(place) < 2:
        return pointer
    row, column = map(int, place)
    is_text = isinstance(board, str)
    parts = _lines(board) if is_text else board
    if is_text and len(parts) == 1:
        return "/board"
    if not is_text and len(parts) == len(grid.cells):
        return f"/board/{row * grid.columns + column}"
    if grid.layers > 1 and ("" in parts or len(parts) == grid.layers < grid.layers * grid.rows):
        layer, row = divmod(row, grid.rows)
        is_text, pointer = is_text or isinstance(parts[layer][row], str), f"/board/{layer}/{row}"
    else:
        is_text, pointer = is_text or isinstance(parts[row], str), f"/board/{row}"
    return pointer if is_text else f"{pointer}/{column}"


# ---------------------------------------------------------------- the rows of a board


def _grid(parts: Sequence[Any], said: _Said, is_text: bool) -> Grid:
    """Return the board of parts whose spaces are cells."""
    if _is_flat(parts, is_text) and (written := _cut(parts[0] if is_text else parts, said)):
        pass
    else:
        written = _by_rows(parts, said, is_text)
    wide = _width(written, said)
    return Grid(written.heights[0], wide, _read_marks(written), said.layers)


def _is_long(value: object, cells: int) -> bool:
    """Return True for a text of several cells, not a word or the number of one of ``cells``."""
    if not isinstance(value, str) or len(value) < 2 or value.lower() in _WORDS or value == "-1":
        return False
    return not (_NUMBER.fullmatch(value) and int(value) <= cells)


def _is_flat(parts: Sequence[Any], is_text: bool) -> bool:
    """Return True if the parts of a board are bare cells."""
    if is_text:
        return len(parts) == 1
    if any(isinstance(part, list | tuple) for part in parts):
        return False
    widths = {len(part) if isinstance(part, str) and part.lower() not in _WORDS else 1 for part in parts}
    if len(widths) == 1:
        return widths <= {0, 1} and (len(parts) > 1 or not isinstance(parts[0], str))
    # Rows have one width. Cells may be numbers, or words that are no marks.
    return 2 * sum(_is_long(part, MAX_CELLS) for part in parts) < len(parts)


def _cut(cells: Sequence[Any], said: _Said) -> _Written | None:
    """Return the rows of a flat board; None with layers of one column whose height is not known."""
    text, count = _characters(cells), len(_characters(cells))
    sides = said.sides(count)
    if count and sides and sides[0] * sides[1] * said.layers == count:
        high, wide = sides
        cuts = range(0, count, wide)
        sent = [cells[at : at + wide] for at in cuts] if len(cells) == count else [text[at : at + wide] for at in cuts]
        return _Written([text[at : at + wide] for at in cuts], sent, [high] * said.layers, is_flat=True)
    if said.layers > 1 and said.columns == 1 and sides is None and all(isinstance(cell, str) for cell in cells):
        return None
    if count <= MAX_CELLS:
        _read_marks(_Written([text], [cells if len(cells) == count else text], [1], is_flat=True))
    if sides is None:
        example = '["X.O", ".X.", "..."] or X.O/.X./...'
        raise NotationError("/board", f"this is a flat board: send rows, {example}, or say rows and columns")
    size = f"{said.layers} × " * (said.layers > 1) + f"{sides[0]} × {sides[1]}"
    wanted = said.layers * sides[0] * sides[1]
    hint = "" if said.rows and said.columns else "; say rows and columns"
    raise NotationError("/board", f"a flat board of {size} has {several(wanted, 'cell')}, this one has {count}{hint}")


def _by_rows(parts: Sequence[Any], said: _Said, is_text: bool) -> _Written:
    """Return the rows of a board that is not flat."""
    layers, in_layers = [parts], False
    if said.layers > 1:
        layers, in_layers = _layers(parts, said, is_text)
    rows = [row for layer in layers for row in layer]
    written = _Written([""] * len(rows), rows, list(map(len, layers)), in_layers)
    for index, row in enumerate(rows):
        if not isinstance(row, str | list | tuple):
            pointer, name = written.place(index)
            raise NotationError(pointer, f"{name} must be a string or a list of cells, not {quoted(row)}")
        written.texts[index] = _characters(row)
    return written


def _layers(parts: Sequence[Any], said: _Said, is_text: bool) -> tuple[list[Sequence[Any]], bool]:
    """Return the rows of each layer, and whether the board is written layer by layer.

    One list of single cells for each layer could be both: it is read as layers of one column, unless ``rows`` is 1.
    """
    count = said.layers
    if is_text:
        in_layers = "" in parts or len(parts) <= count
    else:
        lists = [part for part in parts if isinstance(part, list | tuple)]
        cells = [cell for part in lists for cell in part]
        in_layers = any(isinstance(cell, list | tuple) or _is_long(cell, len(cells)) for cell in cells)
        in_layers = in_layers or (len(lists) == len(parts) == count and said.rows != 1)
    if not in_layers:
        if len(parts) % count:
            raise NotationError("/layers", f"the {several(len(parts), 'row')} of the board do not make {count} layers")
        high = len(parts) // count
        return [parts[start : start + high] for start in range(0, len(parts), high)], False
    if is_text:
        ends = [index for index, line in enumerate(parts) if not line]
        starts = [0, *(end + 1 for end in ends)]
        parts = [parts[start:end] for start, end in zip(starts, [*ends, len(parts)], strict=True) if start < end]
    if len(parts) != count:
        raise NotationError("/layers", f"layers says {count}, the board has {len(parts)}")
    for index, layer in enumerate(parts):
        if not isinstance(layer, list | tuple):
            raise NotationError(f"/board/{index}", f"layer {index + 1} must be a list of rows, not {quoted(layer)}")
    return list(parts), True


def _width(written: _Written, said: _Said) -> int:
    """Return the number of columns; a ``NotationError`` if layers or rows differ, or are too many."""
    texts, heights, first = written.texts, written.heights, 0
    for layer, high in enumerate(heights):
        pointer = f"/board/{layer}" if written.in_layers else "/board"
        name = "the board" if len(heights) == 1 else f"layer {layer + 1}"
        if not high:
            raise NotationError(pointer, f"{name} has no rows")
        if high > said.max_side:
            raise NotationError(pointer, f"{name} has {high} rows, at most {said.max_side} are allowed")
        if high != heights[0]:
            raise NotationError(pointer, f"layer 1 has {several(heights[0], 'row')}, {name} has {high}")
        if not texts[first]:
            pointer, name = written.place(first)
            raise NotationError(pointer, f"{name} has no cells{_columns_meant(written, said)}")
        first += high
    wide = len(texts[0])
    if len(set(map(len, texts))) > 1 or wide > said.max_side:
        _read_marks(written)  # Another mark says more than the size
    for index, text in enumerate(texts):
        if len(text) == wide <= said.max_side:
            continue
        pointer, name = written.place(index)
        if len(text) > said.max_side:
            raise NotationError(pointer, f"{name} has {len(text)} cells, at most {said.max_side} are allowed")
        if len(text) != wide:
            hint = _columns_meant(written, said)
            if not text and isinstance(written.sent[index], str):
                hint = "; // or an empty line stands between layers, which need layers"
            elif hinted := _hint(written):
                hint = f"; {hinted}"
            raise NotationError(
                pointer, f"{written.place(0)[1]} has {several(wide, 'cell')}, {name} has {len(text)}{hint}"
            )
    return wide


def _columns_meant(written: _Written, said: _Said) -> str:
    is_turned = said.usual is not None and len(written.sent) == said.usual.columns
    is_turned = is_turned and not any(isinstance(row, str) for row in written.sent)
    return "; does it list columns? Send rows, from top to bottom" if is_turned else ""


# ---------------------------------------------------------------- the marks of a board


def _characters(cells: Sequence[Any]) -> str:
    """Return a character for each cell of a text or a list."""
    if isinstance(cells, str):
        return cells.replace(tables.IGNORED, "") if not cells.isascii() else cells
    if _PLAIN_TYPES.issuperset(map(type, cells)):
        plain = list(map(_PLAIN_CELLS.get, cells))
        if None not in plain:
            return "".join(plain)  # type: ignore[arg-type]
    return "".join(map(_character, cells))


def _character(cell: object) -> str:
    if cell is None:
        return BLANK
    if isinstance(cell, str):
        text = cell.replace(tables.IGNORED, "").strip(" \t")
        if len(text) < 2:
            return text or BLANK
        if text == "-1":
            return _MINUS_ONE
        number = int(text) if _NUMBER.fullmatch(text) else None
        if number is None:
            return _WORDS.get(text.lower(), _UNKNOWN)
    else:
        number = None if isinstance(cell, bool) or not isinstance(cell, Integral) else int(cell)
    if number is None or not -1 <= number <= MAX_CELLS:
        return _UNKNOWN
    return _MINUS_ONE if number == -1 else str(number) if number < 10 else chr(_NUMBERS + number)


def _read_marks(written: _Written) -> bytes:
    """Return the cells of a board in any alphabet."""
    text = "".join(written.texts)
    used = frozenset(text.translate(_LARGE))
    if used <= _VALUES.keys() and _is_one_alphabet(used):
        if _MINUS_ONE in used and used <= {"0", "1", _MINUS_ONE} and abs(text.count("0") - text.count("1")) <= 1:
            raise NotationError("/board", MINUS_ONE)
        return text.translate(_CELLS).encode("latin-1")
    numbered = _read_numbered(text.translate(_LARGE))
    if numbered is None:
        raise _refusal(written)
    return numbered


def _is_one_alphabet(used: frozenset[str]) -> bool:
    """Return True if known marks are those of one alphabet, with one spelling each."""
    sides = used & (_XS | _OS)
    fits = any(sides <= xs | os and len(used & xs) < 2 and len(used & os) < 2 for xs, os in _ALPHABETS.values())
    beside = all(mark not in used or used & {*marks} for mark, marks in tables.EMPTY_BESIDE.items())
    return fits and beside and len(used & _EMPTIES) < 2


def _number(character: str) -> int | None:
    """Return the number that a character stands for, None if it is none."""
    if character.isascii():
        return int(character) if character.isdecimal() else None
    return ord(character) - _NUMBERS if ord(character) >= _NUMBERS else None


def _read_numbered(text: str) -> bytes | None:
    """Return the cells of a board whose free cells hold their own numbers, from 0 or from 1; None if it is another."""
    if len(text) > MAX_CELLS:
        return None
    numbers = {index: number for index, mark in enumerate(text) if (number := _number(mark)) is not None}
    offsets = {number - index for index, number in numbers.items()}
    marks = frozenset(mark for index, mark in enumerate(text) if index not in numbers)
    if offsets not in ({0}, {1}) or not marks <= _XS | _OS | {tables.BLOCKED_MARK} or not _is_one_alphabet(marks):
        return None
    if not marks & (_XS | _OS) and max(numbers.values()) <= O:
        return None
    return bytes(EMPTY if index in numbers else _VALUES[mark] for index, mark in enumerate(text))


def _refusal(written: _Written) -> NotationError:
    """Return why the marks of a board are not those of one alphabet."""
    places: dict[str, tuple[int, int]] = {}
    for row, text in enumerate(written.texts):
        for column, mark in enumerate(text.translate(_LARGE)):
            places.setdefault(mark, (row, column))
    hint = _hint(written)
    for mark, place in places.items():
        if mark not in _VALUES:
            return (None if hint else _misnumbered(written)) or _unknown_mark(written, place, hint)
    both = hint or _BOTH
    sides = [mark for mark in places if mark in _XS | _OS]
    pairs = [(one, other) for at, other in enumerate(sides) for one in sides[:at]]
    pairs.sort(key=lambda pair: _VALUES[pair[0]] != _VALUES[pair[1]])
    for one, other in pairs:
        if not _is_one_alphabet(frozenset((one, other))):
            which = "first" if one in _XS else "second"
            same = _VALUES[one] == _VALUES[other]
            why = f"are both marks of the {which} side" if same else "are of two alphabets"
            shown = f"{written.show(*places[one])} and {written.show(*places[other])} {why}"
            return NotationError(written.place(*places[other])[0], f"{shown}; {both}")
    empties = [mark for mark in places if mark in _EMPTIES]
    pointer = written.place(*places[empties[-1]])[0]
    if len(empties) == 1:
        shown = written.show(*places[empties[0]])
        return NotationError(pointer, f"{shown} may be a mark or an empty cell; write . for an empty cell")
    one, other = (written.show(*places[mark]) for mark in empties[:2])
    if "0" in empties and not _OS & places.keys():
        hint = f"0 is an empty cell: write {2 if '1' in places else 'O'} for the second side"
    hint = hint or "use one of them"
    pointer = written.place(*places[empties[1]])[0]
    return NotationError(pointer, f"{one} and {other} are both marks of an empty cell; {hint}")


def _hint(written: _Written) -> str:
    """Return what is likely wrong with the board as a whole, else nothing."""
    rows = written.sent
    if all(isinstance(row, str) for row in rows):
        text = "/".join(rows)
        return next((hint for pattern, hint in _HINTS if pattern.fullmatch(text)), "")
    cells = [cell for row in rows for cell in row]
    if all(isinstance(row, list | tuple) and len(row) == 1 and _is_long(row[0], len(cells)) for row in rows):
        return "write each row without a list around it"
    if all(
        isinstance(cell, list | tuple) or (_is_long(cell, len(cells)) and set(cell) <= _CELLS.keys()) for cell in cells
    ):
        return "leave out the list around the rows" if len(rows) == 1 else "a board of several layers needs layers"
    return ""


def _misnumbered(written: _Written) -> NotationError | None:
    """Return the error of the first cell without its own number, if most numbers above 2 are those of their cells."""
    text = "".join(written.texts).translate(_LARGE)
    if len(text) > MAX_CELLS:
        return None
    numbers = {index: number for index, mark in enumerate(text) if (number := _number(mark)) is not None}
    offsets = Counter(number - index for index, number in numbers.items() if number > O)
    offset = next((first for first in (0, 1) if 2 * offsets[first] > offsets.total() > 1), None)
    for index, mark in enumerate(text if offset is not None and len(set(map(len, written.texts))) == 1 else ""):
        if mark not in _XS | _OS | {tables.BLOCKED_MARK} and numbers.get(index) != index + (offset or 0):
            place = divmod(index, len(written.texts[0]))
            if mark == _UNKNOWN or (mark not in _VALUES and index not in numbers):
                return _unknown_mark(written, place, "")
            hint = "where free cells are numbered, each holds its own number, from 0 or from 1 throughout"
            shown = written.show(*place)
            return NotationError(written.place(*place)[0], f"{shown} is not the number of its cell; {hint}")
    return None


def _unknown_mark(written: _Written, place: tuple[int, int], hint: str) -> NotationError:
    row, column = place
    cell = written.texts[row][column] if isinstance(written.sent[row], str) else written.sent[row][column]
    pointer, name = written.place(row, column)
    shown = f'"{quoted(cell)[1:-1]}"' if isinstance(cell, str) else quoted(cell)
    return NotationError(pointer, f"unknown mark {shown} in {name}; {hint or _USE}")


# ---------------------------------------------------------------- sides


def read_side(side: object, pointer: str = "/to_move") -> Side:
    """Return the side of ``X`` or ``O`` in any spelling, or of 1 or 2, also as text; else a ``NotationError``."""
    mark = _character(side).translate(_LARGE) if side is not None else ""
    if mark in _XS:
        return X
    if mark in _OS and mark != _MINUS_ONE:
        return O
    raise NotationError(pointer, f"sides are X and O, or 1 and 2, not {quoted(side)}")
