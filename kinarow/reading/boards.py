"""Boards as people write them, read to a size and cells; ``docs/api.md`` describes the forms, ``tables.py`` the marks.

A board is a list of rows, each a text or a list of cells, or one text with ``/`` or a line break between rows. With
layers it lists the rows of all layers, or the layers; a text has ``//`` or an empty line between layers. A board whose
size is known, or of nine cells, may be a flat list of cells. A board is read in four steps: the lines of a text, its
spaces, its rows, its marks. JSON pointers count from 0, sentences from 1.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol, cast

from kinarow.errors import NotationError, quoted, several
from kinarow.game.notation import place_name
from kinarow.game.rules import BLOCKED, EMPTY, O, Side, Size, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.reading import tables
from kinarow.reading.tables import BLANK, MAX_BOARD_TEXT, USUAL_SIDE

BOTH_SECOND = "2 and -1 are both marks of the second side; an array has one of them"
SPACES = "spaces may be cells or stand between them; write . for an empty cell"
MINUS_ONE = "-1 may be the second side or an empty cell; write 0 for an empty cell, 1 and 2 for the sides"
_USE = "use X or 1, O or 2, one of . _ - 0 or a blank for an empty cell, or # for a blocked one"
_BOTH = "write the marks of both sides as letters, or both as numbers"


class Array(Protocol):
    """A NumPy array, or another object with ``tolist``."""

    def tolist(self) -> Any:
        """Return the cells as lists in lists."""


def without_arrays(board: object) -> object:
    """Return the board with its arrays as lists of marks; in an array 0 is empty, 1 X, 2 or -1 O, and 3 blocked."""
    numbers: set[object] = set()

    def listed(part: object, in_array: bool = False) -> object:
        if hasattr(part, "tolist"):
            part, in_array = part.tolist(), True
        if isinstance(part, list | tuple):
            is_plain = not in_array and _PLAIN_TYPES.issuperset(map(type, part))
            return part if is_plain else [listed(each, in_array) for each in part]
        if not in_array or isinstance(part, bool) or not isinstance(part, Real):
            return part
        numbers.add(part)
        return _ARRAY_MARKS.get(part, float(part))  # no mark is a float, so unknown numbers stay unknown

    lists = listed(board)
    if {2, -1} <= numbers:
        raise NotationError("/board", BOTH_SECOND)
    return lists


class Written(NamedTuple):
    """The rows of a board, as they were sent and as texts."""

    texts: list[str]  # the rows of all layers, a character for each cell
    sent: Sequence[Any]  # the same rows as they were sent
    high: int  # the number of rows of a layer
    in_layers: bool = False  # whether the board was sent as a list of layers
    is_flat: bool = False  # whether the board was sent as a flat list of cells

    def place(self, row: int, column: int | None = None) -> tuple[str, str]:
        """Return the JSON pointer to a row or cell, and its name, such as ``row 1, column 4 of layer 2``."""
        layer, row_of_layer = divmod(row, self.high)
        pointer = f"/board/{layer}/{row_of_layer}" if self.in_layers else f"/board/{row}"
        pointer = "/board" if self.is_flat else pointer
        if column is not None and not isinstance(self.sent[row], str):
            pointer += f"/{row * len(self.texts[0]) + column if self.is_flat else column}"
        of_layer = f" of layer {layer + 1}" if len(self.sent) > self.high else ""
        return pointer, place_name(row_of_layer, column) + of_layer

    def show(self, row: int, column: int) -> str:
        """Return a cell as it was sent, with its place in words."""
        cell = self.texts[row][column] if isinstance(self.sent[row], str) else self.sent[row][column]
        shown = f'"{cell}"' if isinstance(cell, str) and not cell.strip() else cell
        return f"{'null' if cell is None else shown} in {self.place(row, column)[1]}"


class Grid(NamedTuple):
    """The size of a board and its cells row by row, not checked against any rules."""

    rows: int
    columns: int
    cells: bytes
    layers: int = 1
    written: Written | None = None  # None if the board was sent as rows of text without spaces

    def pointer_to(self, pointer: str) -> str:
        """Convert a pointer ``/board/row/column`` to one into the board as it was sent; return others unchanged."""
        _, _, *place = pointer.split("/")
        if len(place) < 2:
            return pointer
        row, column = map(int, place)
        return self.written.place(row, column)[0] if self.written else f"/board/{row}"


class _Said(NamedTuple):
    """The size of a board as the caller or the game says it."""

    rows: int | None  # as the caller says, like ``columns``
    columns: int | None
    layers: int
    usual: Size | None  # the usual size of the game
    max_side: int  # the most rows or columns

    @property
    def sides(self) -> tuple[int | None, int | None]:
        """The rows and columns that the caller or else the game says; None for an unknown number."""
        usual = self.usual
        return self.rows or (usual and usual.rows), self.columns or (usual and usual.columns)

    def sides_of(self, cells: int) -> tuple[int, int] | None:
        """Return the rows and columns of a layer of a flat board with ``cells`` cells; None if they are unknown."""
        if 1 in (self.rows, self.columns) and (self.layers == 1 or self.sides.count(None)):
            long = cells // self.layers
            return (1, long) if self.rows == 1 else (long, 1)
        if self.sides == (None, None) and self.layers == 1 and cells == USUAL_SIDE**2:
            return USUAL_SIDE, USUAL_SIDE
        high, wide = self.sides
        return (high, wide) if high and wide else None


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
        grid = _read_spaced(board, _Said(rows, columns, deep, usual_size, max_side))
    for name, said, actual in (("rows", rows, grid.rows), ("columns", columns, grid.columns)):
        if said is not None and said != actual:
            raise NotationError(f"/{name}", f"{name} says {said}, the board has {actual}")
    return grid


def _read_plain(board: object, max_side: int) -> Grid | None:
    """Read the usual boards fast: rows of ``XO.xo#`` or of ``012``; return None for all others."""
    rows = board.split(tables.ROW_SEPARATOR) if type(board) is str else board
    if type(rows) is not list or len(rows) < 2 or not _PLAIN_ROWS.issuperset(map(type, rows)):
        return None
    is_text = type(board) is str or set(map(type, rows)) == {str}
    board = rows if is_text else list(map(_characters, rows))
    wide, text = len(board[0]), "".join(board)
    if not 1 < wide <= max_side or len(board) > max_side or set(map(len, board)) != {wide}:
        return None
    if text.strip("XO.xo#") and text.strip("012"):
        return None
    written = None if is_text else Written(board, rows, len(board))
    return Grid(len(board), wide, text.encode("ascii").translate(_BYTES), written=written)


# ---------------------------------------------------------------- rows


def _rows(board: object, said: _Said) -> tuple[Sequence[Any], bool]:
    """Return the rows of all layers, or the cells of a flat board, and True if the board lists its layers."""
    parts = _lines(board) if isinstance(board, str) else board
    if not isinstance(parts, list | tuple):
        forms = "rows, or a string with / between rows"
        if said.layers > 1:
            forms = "rows or layers, or a string with // between layers"
        raise NotationError("/board", f"the board must be a list of {forms}")
    if not parts:
        raise NotationError("/board", "the board has no rows")
    layers = _layers(parts, said, isinstance(board, str)) if said.layers > 1 else None
    if layers is None:
        return parts, False
    if len(layers) != said.layers:
        raise NotationError("/layers", f"layers says {said.layers}, the board has {len(layers)}")
    high = len(layers[0])
    for index, layer in enumerate(layers):
        if len(layer) != high:
            wrong = f"layer 1 has {several(high, 'row')}, layer {index + 1} has {len(layer)}"
            raise NotationError(f"/board/{index}", wrong)
    return [row for layer in layers for row in layer], True


def _lines(text: str) -> list[str]:
    """Return the rows of a text; with layers an empty row stands between two layers."""
    if len(text) > MAX_BOARD_TEXT:
        raise NotationError("/board", f"a board as text has at most {MAX_BOARD_TEXT} characters, not {len(text)}")
    text = text.replace("\t", BLANK).replace("\r\n", "\n").replace("\r", "\n")
    if BLANK in text and not _VISIBLE.isdisjoint(text):
        text = re.sub(" *([/\n]) *", r"\1", text.strip(BLANK))
    lines = re.split("/\n|/|\n", text)
    return lines[0 if lines[0] else 1 : None if lines[-1] else -1]


def _layers(parts: Sequence[Any], said: _Said, is_text: bool) -> list[Sequence[Any]] | None:
    """Return the rows of each layer; None if the parts are the rows of all layers, or cells.

    One list of single cells for each layer is ambiguous: it is read as a layer of one column, unless ``rows`` is 1.
    """
    if is_text and "" in parts:
        ends = [-1, *(index for index, line in enumerate(parts) if not line), len(parts)]
        layers = [parts[end + 1 : after] for end, after in pairwise(ends)]
        return [layer for layer in layers if layer]
    if not all(isinstance(part, list | tuple) for part in parts):
        return None
    rows = [row for part in parts for row in part]
    has_rows = any(isinstance(row, list | tuple) or _is_long(row, len(rows)) for row in rows)
    return list(parts) if has_rows or (len(parts) == said.layers and said.rows != 1) else None


def _grid(rows: Sequence[Any], said: _Said, is_text: bool, in_layers: bool) -> Grid:
    """Return the board of these rows, in which spaces are empty cells."""
    if not in_layers and (len(rows) == 1 if is_text else _is_flat(rows)):
        written = _cut(rows[0] if is_text else rows, said)
    else:
        written = _by_rows(rows, said, in_layers)
    high, wide, cells = written.high, len(written.texts[0]), _read_marks(written)
    for name, side, pointer in (("rows", high, "/board"), ("columns", wide, written.place(0)[0])):
        if not 0 < side <= said.max_side:
            raise NotationError(pointer, f"a board has 1 to {said.max_side} {name} here, not {side}")
    return Grid(high, wide, cells, said.layers, written)


def _is_flat(parts: Sequence[Any]) -> bool:
    """Return True if the parts are cells, not rows: they have no common width above 1, and most are single cells."""
    widths = {len(part) if isinstance(part, str) and part.lower() not in _WORDS else 1 for part in parts}
    if any(isinstance(part, list | tuple) for part in parts) or (len(widths) == 1 and max(widths) > 1):
        return False
    is_row = len(parts) == 1 and isinstance(parts[0], str) and parts[0].lower() not in _WORDS
    return not is_row and 2 * sum(map(_is_long, parts)) < len(parts)


def _is_long(part: object, cells: int = MAX_CELLS) -> bool:
    """Return True for a text of several cells: neither a word nor the number of one of the board's ``cells`` cells."""
    if not isinstance(part, str) or len(part) < 2:
        return False
    sign = _SPELLINGS.get(part.lower())
    return sign is None or _NUMBERS.get(sign, 0) > cells


def _cut(cells: Sequence[Any], said: _Said) -> Written:
    """Cut a flat board into rows; raise ``NotationError`` if its size is unknown or doesn't fit."""
    text = _characters(cells)
    count, sides = len(text), said.sides_of(len(text))
    sent = cells if len(cells) == count else text
    if count and sides and said.layers * sides[0] * sides[1] == count:
        cuts = [slice(at, at + sides[1]) for at in range(0, count, sides[1])]
        return Written([text[cut] for cut in cuts], [sent[cut] for cut in cuts], sides[0], is_flat=True)
    _read_marks(Written([text], [sent], 1, is_flat=True))  # an unknown mark says more than the size
    if sides is None:
        example = '["X.O", ".X.", "..."] or X.O/.X./...'
        raise NotationError("/board", f"this is a flat board: send rows, {example}, or say rows and columns")
    size = f"{said.layers} × " * (said.layers > 1) + f"{sides[0]} × {sides[1]}"
    wanted = several(said.layers * sides[0] * sides[1], "cell")
    raise NotationError("/board", f"a flat board of {size} has {wanted}, this one has {count}")


def _by_rows(rows: Sequence[Any], said: _Said, in_layers: bool) -> Written:
    """Return the rows, checked to have one width; a ``NotationError`` names the first row of another width."""
    high, rest = divmod(len(rows), said.layers)
    if rest:
        raise NotationError("/layers", f"the {len(rows)} rows of the board do not make {said.layers} layers")
    if not rows:
        raise NotationError("/board", "the board has no rows")
    written = Written([], rows, high, in_layers)
    for index, row in enumerate(rows):
        if not isinstance(row, str | list | tuple):
            pointer, name = written.place(index)
            raise NotationError(pointer, f"{name} must be a string or a list of cells, not {quoted(row)}")
        written.texts.append(_characters(row))
    wide = len(written.texts[0])
    for index, text in enumerate(written.texts):
        if len(text) != wide:
            _read_marks(written)  # an unknown mark says more than the size
            first, (pointer, name) = f"{written.place(0)[1]} has {several(wide, 'cell')}", written.place(index)
            raise NotationError(pointer, f"{first}, {name} has {len(text)}")
    return written


# ---------------------------------------------------------------- spaces

_WAYS = ((False, 0), (False, 1), (True, 0), (True, None))
"""The ways to read spaces as separators: whether to strip each row, and which of every two characters, the first (0) or
the second (1), is a cell; None if every character is one.
"""


def _read_spaced(board: object, said: _Said) -> Grid:
    """Read spaces as cells and as separators; return the board of the said size, or raise if none or several fit."""
    rows, in_layers = _rows(board, said)

    def attempt(reading: Sequence[Any]) -> Grid | NotationError:
        try:
            return _grid(reading, said, isinstance(board, str), in_layers)
        except NotationError as error:
            return error

    texts = [row for row in rows if isinstance(row, str)]
    is_visible = not all(map(_VISIBLE.isdisjoint, texts))
    read: list[Grid | NotationError] = []
    for reading in _without_spaces(rows, said, is_visible):
        read.append(attempt(reading))
        if is_visible and isinstance(read[-1], Grid):
            return read[-1]
    read.insert(0, attempt(rows))
    grids = [each for each in read if isinstance(each, Grid)]
    high, wide = said.sides
    fitting = [grid for grid in grids if high in (None, grid.rows) and wide in (None, grid.columns)] or grids
    if not fitting:
        raise cast(NotationError, read[0 if len(set(map(len, texts))) == 1 else -1])
    if len(fitting) == 1 or fitting[0] is not read[0]:
        return fitting[0]
    of_cells, separated = fitting[:2]
    if of_cells[:3] == separated[:3] or of_cells[:2] == (USUAL_SIDE, USUAL_SIDE):
        return of_cells
    if EMPTY in separated.cells:
        raise NotationError("/board", SPACES)
    return separated


def _without_spaces(rows: Sequence[Any], said: _Said, is_visible: bool) -> Iterator[Sequence[Any]]:
    """Yield the rows without the spaces that may be separators, in each of ``_WAYS`` that is possible.

    Separators are every second character of every row. They stand at its ends only if the board has a visible empty
    mark or a known size, and more than one only with a visible mark or around rows without other spaces.
    """
    texts = [row.replace("\t", BLANK) for row in rows if isinstance(row, str)]
    if not any(BLANK in text for text in texts):
        return
    has_ends = is_visible or said.sides != (None, None) or len(rows) == USUAL_SIDE**2
    for strips, first in _WAYS:
        if not has_ends and (strips or first or any(len(text) % 2 == 0 for text in texts)):
            continue
        left = [text.strip(BLANK) if strips else text for text in texts]
        if first is not None:
            if any(text[1 - first :: 2].strip(BLANK) for text in left):
                continue
            left = [text[first::2] for text in left]
        is_full = all(text and BLANK not in text for text in left)
        if left != texts and (is_visible or is_full or not strips):
            remaining = iter(left)
            yield [next(remaining) if isinstance(row, str) else row for row in rows]


# ---------------------------------------------------------------- the marks of a board

# Each cell is read to one character: its mark, or one of these.
_MINUS_ONE, _UNKNOWN = "\ue000", "\ue001"
_WORDS: dict[object, str] = {word: chr(0xE010 + index) for index, word in enumerate(tables.EMPTY_WORDS)}
_SIGNS = {number: str(number) if number < 10 else chr(0xF0000 + number) for number in range(MAX_CELLS + 1)}
_NUMBERS = {sign: number for number, sign in _SIGNS.items()}

_ALPHABETS = tables.ALPHABETS | {"numbers": ("1", f"2{_MINUS_ONE}")}
_SIDES = {
    mark: side for both in _ALPHABETS.values() for side, marks in zip((X, O), both, strict=True) for mark in marks
}
_ALPHABETS_OF = {mark: {name for name, both in _ALPHABETS.items() if mark in "".join(both)} for mark in _SIDES}
_EMPTIES = (*tables.EMPTY_MARKS, *tables.EMPTY_BESIDE, *_WORDS.values(), BLANK)
_VALUES: dict[str, int] = _SIDES | dict.fromkeys(_EMPTIES, EMPTY) | {tables.BLOCKED_MARK: BLOCKED}
_KINDS = {X: "the first side", O: "the second side", EMPTY: "an empty cell"}
_FOLD = str.maketrans(tables.SMALL_LETTERS | {"\t": BLANK})
_CELLS = {ord(mark): chr(value) for mark, value in (_VALUES | {"x": X, "o": O, "\t": EMPTY}).items()}
_BYTES = bytes(ord(_CELLS.get(code, "\0")) for code in range(256))
_VISIBLE = frozenset(tables.NOT_BLANK + "3456789")
_MOST_MARKS = 7  # X, x, O, o, #, a blank and a tab

_PLAIN_ROWS = frozenset({str, list})
_PLAIN_TYPES = frozenset({str, int, type(None)})  # True and 1.0 equal 1, but are no marks
_SPELLINGS: dict[object, str] = {
    **{mark: mark for mark in (*_VALUES, *tables.SMALL_LETTERS) if mark.isprintable()},
    **{spelling: sign for number, sign in _SIGNS.items() for spelling in (number, str(number))},
    **_WORDS,
    None: BLANK,
    "": BLANK,
    -1: _MINUS_ONE,
    "-1": _MINUS_ONE,
}
"""The character for each possible cell of a list."""
_ARRAY_MARKS: dict[object, object] = {0: 0, 1: 1, 2: 2, -1: 2, 3: tables.BLOCKED_MARK}
_HINTS = [(re.compile(pattern, re.DOTALL), hint) for pattern, hint in tables.BOARD_HINTS]


def _characters(cells: Sequence[Any]) -> str:
    """Return a text or a list of cells as a text with one character for each cell."""
    if isinstance(cells, str):
        return cells if cells.isascii() else cells.replace(tables.IGNORED, "")
    if _PLAIN_TYPES.issuperset(map(type, cells)):
        plain = list(map(_SPELLINGS.get, cells))
        if None not in plain:
            return "".join(plain)  # type: ignore[arg-type]
    return "".join(map(_character, cells))


def _character(cell: object) -> str:
    """Return the character for a cell of a list; ``_UNKNOWN`` if it is no mark in any spelling."""
    if isinstance(cell, str):
        text = cell.replace(tables.IGNORED, "").strip(" \t")
        return _SPELLINGS.get(text.lower() if len(text) > 1 else text) or (text if len(text) == 1 else _UNKNOWN)
    if not isinstance(cell, bool) and isinstance(cell, Integral):
        return _SPELLINGS.get(int(cell), _UNKNOWN)
    return BLANK if cell is None else _UNKNOWN


def _read_marks(written: Written) -> bytes:
    """Return the cells of a board, a byte each; raise ``NotationError`` if its marks are not those of one alphabet."""
    text = "".join(written.texts)
    used = frozenset(text)
    if len(used) <= _MOST_MARKS and _is_one_alphabet(used):
        if _MINUS_ONE in used and used <= {"0", "1", _MINUS_ONE} and abs(text.count("0") - text.count("1")) <= 1:
            raise NotationError("/board", MINUS_ONE)
        return text.encode().translate(_BYTES) if text.isascii() else text.translate(_CELLS).encode("latin-1")
    numbered = _read_numbered(text.translate(_FOLD))
    if numbered is None:
        raise _refusal(written)
    return numbered


@lru_cache(maxsize=256)
def _is_one_alphabet(used: frozenset[str]) -> bool:
    """Return True if marks are those of one alphabet, with one spelling each."""
    marks = {mark.translate(_FOLD) for mark in used}
    if not marks <= _VALUES.keys() or any(_clashes(marks)):
        return False
    return all(mark not in marks or marks & {*beside} for mark, beside in tables.EMPTY_BESIDE.items())


def _clashes(marks: Iterable[str]) -> Iterator[tuple[int, str, str, str]]:
    """Yield each pair of marks that no board has together, as (rank, one, other, why); errors name the lowest rank."""
    for one, other in combinations(marks, 2):
        first, second = _VALUES[one], _VALUES[other]
        if first == second:
            yield 2 if first == EMPTY else 0, one, other, f"are both marks of {_KINDS[first]}"
        elif {first, second} == {X, O} and not _ALPHABETS_OF[one] & _ALPHABETS_OF[other]:
            yield 1, one, other, "are of two alphabets"


def _read_numbered(text: str) -> bytes | None:
    """Return the cells of a board whose free cells hold their own numbers, from 0 or from 1; None for other boards."""
    numbers = {index: _NUMBERS[mark] for index, mark in enumerate(text) if mark in _NUMBERS}
    marks = frozenset(mark for index, mark in enumerate(text) if index not in numbers)
    is_numbered = {number - index for index, number in numbers.items()} in ({0}, {1})
    if not is_numbered or not _is_one_alphabet(marks) or EMPTY in map(_VALUES.get, marks):
        return None
    if marks <= {tables.BLOCKED_MARK} and max(numbers.values()) <= O:
        return None  # 0, 1 and 2 alone are marks
    return bytes(EMPTY if index in numbers else _VALUES[mark] for index, mark in enumerate(text))


def _refusal(written: Written) -> NotationError:
    """Return the error that says why the marks of a board are not those of one alphabet."""
    places: dict[str, tuple[int, int]] = {}
    for row, text in enumerate(written.texts):
        for column, mark in enumerate(text.translate(_FOLD)):
            places.setdefault(mark, (row, column))
    hint = ""
    if all(isinstance(row, str) for row in written.sent):
        text = "/".join(written.sent)
        hint = next((hint for pattern, hint in _HINTS if pattern.fullmatch(text)), "")
    unknown = next((mark for mark in places if mark not in _VALUES), None)
    if unknown is not None:
        row, column = places[unknown]
        cell = (written.texts if isinstance(written.sent[row], str) else written.sent)[row][column]
        pointer, name = written.place(row, column)
        shown = f'"{quoted(cell)[1:-1]}"' if isinstance(cell, str) else quoted(cell)
        if unknown in _NUMBERS and not hint:
            hint = "where free cells are numbered, each holds its own number, from 0 or from 1 throughout"
        return NotationError(pointer, f"unknown mark {shown} in {name}; {hint or _USE}")
    clashes = list(_clashes(places))
    if not clashes:
        mark = next(mark for mark in places if mark in tables.EMPTY_BESIDE)
        shown = f"{written.show(*places[mark])} may be a mark or an empty cell"
        return NotationError(written.place(*places[mark])[0], f"{shown}; write . for an empty cell")
    _, one, other, why = min(clashes, key=lambda clash: clash[0])
    if _VALUES[one] != EMPTY:
        hint = hint or ("use one of them" if _ALPHABETS_OF[one] & _ALPHABETS_OF[other] else _BOTH)
    elif "0" in (one, other) and O not in map(_VALUES.get, places):
        hint = f"0 is an empty cell: write {2 if '1' in places else 'O'} for the second side"
    shown = f"{written.show(*places[one])} and {written.show(*places[other])} {why}"
    return NotationError(written.place(*places[other])[0], f"{shown}; {hint or 'use one of them'}")


# ---------------------------------------------------------------- sides


def read_side(side: object, pointer: str = "/to_move") -> Side:
    """Return the side for ``X`` or ``O`` in any spelling, or 1 or 2, also as text; else raise ``NotationError``."""
    mark = _character(side).translate(_FOLD)
    if mark in _SIDES and mark != _MINUS_ONE:
        return _SIDES[mark]
    raise NotationError(pointer, f"sides are X and O, or 1 and 2, not {quoted(side)}")
