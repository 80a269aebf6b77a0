"""Moves as people write them, to cells and back.

Moves are a list (of tiles, ``[row, column]`` or cells; with layers ``[layer, row, column]``) or, on a board of one
layer, a text in the coordinates that each game prints: under gravity, with at most nine columns, the numbers of the
columns from 1; else a letter for the column from ``a`` and a number for the row, counted from the bottom. Spaces and
commas may stand between moves::

    connect-four   1 2 3 4 5 6 7        tic-tac-toe   3  . . .
                   . . . . . . .                      2  . X .     "b2a1": X in the centre,
                   . . . X . . .                      1  O . .     O in the lower left corner
                   . . . X O . .   "443 5"               a b c

JSON pointers count from 0, sentences from 1.
"""

import re
import string
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeGuard

from kinarow.errors import InputError, NotationError, quoted
from kinarow.game.rules import NAMES, Rules, Side
from kinarow.game.size import MAX_CELLS

MAX_DIGIT_COLUMNS = 9  # With more columns one digit cannot name a column
MAX_MOVES = MAX_CELLS
MAX_MOVES_TEXT = 5 * MAX_MOVES  # The most characters of moves as text: a letter, two digits, a comma and a space each
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_SMALL_LETTERS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""The letters of ASCII alone: ``lower`` would read the Kelvin sign as a k."""
_WRITTEN_MOVE = re.compile(r"([a-z])([1-9][0-9]?)")


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
