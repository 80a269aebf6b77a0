"""Moves as people write them, read to cells.

Moves are a list (of numbers of cells, ``[row, column]``, cells or texts of one move; with layers
``[layer, row, column]``) or, on a board of one layer, a text in the coordinates of ``kinarow.game.notation``, with
numbers of moves, separators, comments in braces and a result. A number in a list is a tile, from 1, in requests and
files, and a cell, from 0, in Python. JSON pointers count from 0, sentences from 1.
"""

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from numbers import Integral
from typing import Any, cast

from kinarow.errors import InputError, NotationError, PositionError, quoted
from kinarow.game.notation import CELL, LETTERS, TILE, NamedMove, write_move, writes_columns
from kinarow.game.position import Position
from kinarow.game.replaying import after_named
from kinarow.game.rules import NAMES, Rules, other
from kinarow.game.size import MAX_CELLS
from kinarow.reading import tables

MAX_MOVES = MAX_CELLS
MAX_MOVES_TEXT = 12 * MAX_MOVES  # The most characters of moves as text: each with its number and separators
_SMALL_LETTERS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""The letters of ASCII alone: ``lower`` would read the Kelvin sign as a k."""
_PLAIN_COORDINATES = re.compile(r"(?:[a-z][0-9]{1,2}\s*)*+")
_PLAIN_WORD = re.compile(r"[a-z][0-9]+")
_BETWEEN = rf"[\s{tables.SEPARATORS}]"
_NOTES = r"(?:\{[^{}]*+\}\s*+|[!?]++)++"
_COLUMN_WORDS = re.compile(rf"([0-9]{{1,9}})(\.+)|{_NOTES}|{_BETWEEN}++|[0-9]|[^\s,;_0-9-][^\s,;_-]*+")
_COORDINATE_WORDS = re.compile(
    rf"([0-9]{{1,9}})(\.+|\s++(?=[A-Za-z]))|{_NOTES}|{_BETWEEN}++|[A-Za-z][^\s,;_A-Za-z{{!?-]*+|[^\s,;_A-Za-z{{!?-]++|."
)
_NUMBER_WORDS = re.compile(rf"([0-9]{{1,9}})(\.+)|{_NOTES}|{_BETWEEN}++|[^\s,;_{{!?-]++|.")
_PASS, _LONE_HYPHEN = re.compile("--"), re.compile(r"(?<!\S)-(?!\S)")
_LETTERED = re.compile("([a-y])[0-9]{0,2}")
_LIST = re.compile(r"""\s*+\[\s*+[][{"'0-9-]""")
_PAIR = re.compile(r"[0-9]++[^0-9]++[0-9]")
_RESULT = re.compile(rf"\s({'|'.join(map(re.escape, [*tables.RESULTS, tables.UNFINISHED]))})\s*+\Z")
ORDER_UNKNOWN = "the order of coordinates in pairs of numbers is unknown: write a letter and a number, as in h8"
PASSES = "a side passes, which these games do not allow"
_FROM = {CELL: "cells count from 0", TILE: "tiles count from 1"}
_IN_A_LIST = "; numbers of cells stand in a list, as numbers"
_NO_SEPARATORS = str.maketrans("", "", tables.SEPARATORS + string.whitespace)
_SHOWN = 3  # The most moves of a list that a hint repeats


def after(start: Position, moves: object, first_cell: int = CELL) -> Position:
    """Return the position after moves from ``start``, a text or a list; a result at the end of a text is compared."""
    moves, result = split_result(moves) if isinstance(moves, str) else (moves, None)
    try:
        last = after_named(start, read_moves(moves, start.rules, first_cell=first_cell))
    except InputError as wrong:
        raise _suggesting_columns(wrong, start, moves) from None
    check_result(result, start, last)
    return last


def replay(start: Position, moves: object, first_cell: int = CELL) -> Iterator[tuple[Position, int]]:
    """Yield, for each move from ``start``, the position before it and its cell; raise as ``after``."""
    moves, result = split_result(moves) if isinstance(moves, str) else (moves, None)
    last = start
    try:
        for before, move in start.played(read_moves(moves, start.rules, first_cell=first_cell)):
            yield before, move
            last = before.play(move) if result else last
    except InputError as wrong:
        raise _suggesting_columns(wrong, start, moves) from None
    check_result(result, start, last)


def check_result(result: str | None, start: Position, last: Position) -> None:
    """Raise a ``PositionError`` if a finished game has another winner than ``result``, one of ``tables.RESULTS``."""
    won = tables.RESULTS.get(result or "")
    claimed = None if won is None else (start.to_move, other(start.to_move))[won]
    if result in tables.RESULTS and last.is_over and last.winner != claimed:
        says = "a draw" if claimed is None else f"a win of {NAMES[claimed]}"
        ended = "drawn" if last.winner is None else f"won by {NAMES[last.winner]}"
        raise PositionError("/moves", f"{result} says {says}; the moves end with the game {ended}")


def split_result(text: str) -> tuple[str, str | None]:
    """Return a text of moves without its result, and the result: one of ``tables.RESULTS``, ``*``, or None."""
    if "-" not in text and tables.UNFINISHED not in text:
        return text, None
    found = _RESULT.search(text, max(0, len(text.rstrip()) - 10))
    return (text[: found.start()], found[1]) if found else (text, None)


def _suggesting_columns(wrong: InputError, start: Position, moves: object) -> InputError:
    meant = {}
    for first, named in columns_meant(moves, start.rules).items():
        with suppress(PositionError):
            meant[first] = [cell for _, cell in start.played(named)]
    return suggesting(wrong, "moves", meant, start.rules) if meant else wrong


def columns_meant(moves: object, rules: Rules) -> dict[int, list[NamedMove]]:
    """Return the moves that a list of numbers means as columns, by what these are counted from, 1 or 0."""
    listed = as_list(moves)
    if not rules.gravity or rules.layers > 1 or not listed:
        return {}
    numbers = [number for number in map(_whole, listed) if number is not None]
    if len(numbers) < len(listed):
        return {}
    low, high = min(numbers), max(numbers)
    counts = [first for first in (1, 0) if first <= low and high < first + rules.columns]
    return {first: [NamedMove(None, number - first) for number in numbers] for first in counts}


def suggesting(wrong: InputError, name: str, cells: Mapping[int, Sequence[int]], rules: Rules) -> InputError:
    """Return the error with the moves that the numbers of a field mean as columns, by what these are counted from."""
    pointer, detail = wrong.problems[0]
    meant = []
    for first, moves in cells.items():
        columns = [cell % rules.columns for cell in moves]
        many = "s" * (len(columns) > 1)
        numbers = ", ".join(str(column + first) for column in columns)
        if first:
            text = "".join(write_move(cell, rules) for cell in moves)
            meant.append(f'column{many} {numbers} of 1 to {rules.columns} ("{name}": "{text}")')
        else:
            objects = [f'{{"column": {column}}}' for column in columns[:_SHOWN]] + ["…"] * (len(columns) > _SHOWN)
            meant.append(f'column{many} {numbers} counted from 0 ("{name}": [{", ".join(objects)}])')
    return type(wrong)(pointer, f"{detail}; did you mean {', or '.join(meant)}?")


def as_counted(moves: object, counted: str) -> object:
    """Return moves whose numbers are ``counted``, one of ``tables.COUNTINGS``, as requests count them.

    A result at the end of a text is left out. Other entries than numbers are a ``NotationError``.
    """
    listed = as_list(moves)
    if counted == "text":
        if isinstance(moves, str) or (listed is not None and all(isinstance(each, str) for each in listed)):
            return moves
        raise NotationError("/moves", f"moves are counted as text, which {quoted(moves)} is not")
    what, first = tables.COUNTED[counted]
    if isinstance(moves, str):
        listed = [word for word, _ in counted_words(split_result(moves)[0], counted)]
    if listed is None:
        raise NotationError("/moves", f"moves are a list or a text, not {quoted(moves)}")
    numbers = [int(each) if isinstance(each, str) and each.isdecimal() else _whole(each) for each in listed]
    if None in numbers:
        index = numbers.index(None)
        raise NotationError(f"/moves/{index}", f"moves are counted as {counted}, not {quoted(listed[index])}")
    if what == "column":
        return [{"column": cast(int, number) - first} for number in numbers]
    return [cast(int, number) - first + TILE for number in numbers]


def counted_words(text: str, counted: str) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a text, each with its place; columns without separators have one digit each."""
    digits = text.strip(tables.SEPARATORS + string.whitespace)
    if tables.COUNTED[counted][0] == "column" and digits.isdecimal():
        return zip(digits, count(text.index(digits)))
    return words_of(text, None)


def counted_otherwise(counted: str | None, possible: Callable[[str], bool]) -> str | None:
    """Return the only other one of ``tables.COUNTINGS`` under which all moves are possible, or None."""
    found = [each for each in tables.COUNTINGS if each != counted and possible(each)]
    return found[0] if len(found) == 1 else None


def as_list(moves: object) -> Sequence[object] | None:
    """Return a list of moves, or a NumPy array as one; None if it is neither."""
    if hasattr(moves, "tolist"):
        moves = moves.tolist()
    return moves if isinstance(moves, list | tuple) else None


def read_moves(moves: object, rules: Rules, pointer: str = "/moves", first_cell: int = TILE) -> list[NamedMove]:
    """Return the moves of a text, or of a list of what ``read_move`` takes, without checking that they are legal.

    What is no cell of the board is a ``NotationError`` at ``pointer`` with the number of the move behind it. The
    number of the first cell in a list is ``CELL`` or ``TILE``.
    """
    if isinstance(moves, str):
        if len(moves) > MAX_MOVES_TEXT:
            raise NotationError(pointer, f"moves as text have at most {MAX_MOVES_TEXT} characters, not {len(moves)}")
        if "[" in moves and "]" in moves and not _LIST.match(moves):
            raise NotationError(pointer, "this text is a record, such as SGF: a review takes it as record")
        named = read_text(moves, rules, pointer)
        if not named and moves.strip():
            raise NotationError(pointer, f"{quoted(moves)} has no move; the text of no moves is empty")
        return named
    listed = as_list(moves)
    if listed is None:
        raise NotationError(pointer, f"moves are a list or a text, not {quoted(moves)}")
    if len(listed) > MAX_MOVES:
        raise NotationError(pointer, f"a game has at most {MAX_MOVES} moves, not {len(listed)}")
    return [read_move(written, rules, f"{pointer}/{index}", first_cell) for index, written in enumerate(listed)]


def read_move(written: object, rules: Rules, pointer: str, first_cell: int = TILE) -> NamedMove:
    """Return one entry of a list of moves; what is no cell of the board is a ``NotationError`` at the pointer.

    It is the number of a cell from ``first_cell`` on, ``[row, column]``, ``{"row": r, "column": c}`` with or without
    its ``tile``, under gravity ``{"column": c}``, or a text of one move; rows and columns from 0. With layers it is
    ``[layer, row, column]``, and the same in an object, of which gravity needs no layer. In Python it may be the
    result of an earlier call.
    """
    names = ("layer", "row", "column") if rules.layers > 1 else ("row", "column")
    number = _whole(written)
    if number is not None:
        outside = rules.cells if first_cell == CELL else 0
        hint = f"; {_FROM[first_cell]}" if number == outside else ""
        last, name = rules.cells - 1 + first_cell, "cell" if first_cell == CELL else "tile"
        return _named(_in_range(number, first_cell, last, name, pointer, hint) - first_cell, rules)
    if isinstance(written, str):
        return _read_word(written, rules, pointer)
    if hasattr(written, "tolist"):
        written = written.tolist()
    if isinstance(written, list | tuple) and len(written) == len(names):
        return _named(_cell_at(dict(zip(names, written, strict=True)), rules, pointer), rules)
    if isinstance(written, Mapping):
        return _read_object({name: each for name, each in written.items() if each is not None}, names, rules, pointer)
    if first_cell == CELL and _whole(cell := getattr(written, "move", None)) is not None:
        return read_move(cell, rules, pointer, first_cell)
    forms = f"a {'tile' if first_cell else 'cell'}, [{', '.join(names)}], or an object with {' and '.join(names)}"
    if rules.gravity:
        forms += " or without layer" if rules.layers > 1 else " or with column alone"
    raise NotationError(pointer, f"a move is {forms}, not {quoted(written)}")


def _read_object(written: Mapping[Any, object], names: Sequence[str], rules: Rules, pointer: str) -> NamedMove:
    falling = set(names[1:] if rules.layers > 1 else ("column",))
    if rules.gravity and written.keys() == falling:
        return NamedMove(None, _cell_at(written, rules, pointer))
    if written.keys() - {"tile"} == set(names):
        named = _named(_cell_at(written, rules, pointer), rules)
        if "tile" in written and (_whole(written["tile"]) or 0) - TILE != named.cell:
            raise NotationError(pointer, f"tile {quoted(written['tile'])} does not agree with row and column")
        return named
    others = sorted(str(name) for name in written.keys() - {*names, "tile"})
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    if rules.gravity:
        listed += f", or {' and '.join(sorted(falling, reverse=True))} alone"
    instead = f", not {' and '.join(quoted(name)[1:-1] for name in others[:_SHOWN])}" if others else ""
    raise NotationError(pointer, f"a move as an object has {listed}, counted from 0{instead}")


def _cell_at(place: Mapping[str, object], rules: Rules, pointer: str) -> int:
    """Return the cell at a layer, row and column, each 0 if missing."""
    cell = 0
    for name in ("layer", "row", "column"):
        size = getattr(rules, f"{name}s")
        cell = cell * size + (_in_range(place[name], 0, size - 1, name, pointer) if name in place else 0)
    return cell


def _named(cell: int, rules: Rules) -> NamedMove:
    return NamedMove(cell, cell % rules.stacks)


def read_text(text: str, rules: Rules, pointer: str = "/moves") -> list[NamedMove]:
    """Return the moves of a text of any length that has no result, as ``read_moves``."""
    if _LIST.match(text):
        raise NotationError(pointer, "this text is a list in JSON; send the list itself as moves, or text")
    if rules.layers > 1 and text.strip():
        raise NotationError(pointer, "with layers moves are a list, not text")
    by_column = writes_columns(rules)
    if not by_column:
        text = text.translate(_SMALL_LETTERS)
    known = _written_moves(rules.rows, rules.columns, by_column)
    words: Sequence[str]
    if by_column and "--" not in text and (columns := text.translate(_NO_SEPARATORS)).isdigit():
        words = columns
    elif not by_column and _PLAIN_COORDINATES.fullmatch(text):
        words = _PLAIN_WORD.findall(text)
    else:
        words = []
        for word, _ in words_of(text, rules, pointer):
            words.append(word)
            if word not in known:
                break  # the numbers of moves after it may be right
    named = list(map(known.get, words))
    if not all(named):
        index = named.index(None)
        raise _unknown_move(words[index], rules, f"{pointer}/{index}")
    return cast(list[NamedMove], named)


def words_of(text: str, rules: Rules | None, pointer: str = "/moves") -> Iterator[tuple[str, int]]:
    """Yield the moves of a text as they are written, each with its place; a wrong number is a ``NotationError``.

    Without rules the moves are whole numbers.
    """
    by_column = rules is not None and writes_columns(rules)
    form = _NUMBER_WORDS if rules is None else _COLUMN_WORDS if by_column else _COORDINATE_WORDS
    most = rules.cells if rules and not by_column else 0
    index, plies_per_number, numbered, is_after_hyphen = 0, {1, 2}, -1, False
    for found in form.finditer(text):
        number, dots = found.groups()
        if number is not None:
            counted = {plies for plies in plies_per_number if number == str(index // plies + 1)}
            plies_per_number = {plies for plies in counted if index % plies == 0 or len(dots.strip()) > 1}
            if not plies_per_number or numbered == index:
                raise NotationError(f"{pointer}/{index}", f"{number}. is not the number of move {index + 1}")
            if is_after_hyphen:
                raise NotationError(f"{pointer}/{index}", PASSES)
            numbered = index
        elif found[0][0] in tables.SEPARATORS or found[0][0].isspace():
            if _PASS.search(found[0]):
                raise NotationError(f"{pointer}/{index}", PASSES)
            if "-" in found[0] and _LONE_HYPHEN.search(text, max(0, found.start() - 1), found.end() + 1):
                if numbered >= 0:
                    raise NotationError(f"{pointer}/{index}", PASSES)
                is_after_hyphen = True
        elif found[0][0] not in "{!?" or found[0] == "{":
            if index == 0 and most and _PAIR.match(text, found.start()) and not re.search("[A-Za-z]", text):
                tiles = list(map(int, re.findall("[0-9]{1,9}", text)))
                may_be = len(set(tiles)) == len(tiles) and min(tiles) > 0 and max(tiles) <= most
                raise NotationError(f"{pointer}/0", ORDER_UNKNOWN + (_IN_A_LIST if may_be else ""))
            if plies_per_number == {1, 2} and -1 < numbered < index:
                plies_per_number = {2}  # a second move without a number of its own
            yield found[0], found.start()
            index += 1


@lru_cache(maxsize=64)
def _written_moves(rows: int, columns: int, by_column: bool) -> dict[str, NamedMove]:
    """Return the moves of a board of one layer by how they are written."""
    if by_column:
        return {str(column + 1): NamedMove(None, column) for column in range(columns)}
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    return {f"{LETTERS[column]}{rows - row}": NamedMove(row * columns + column, column) for row, column in cells}


def _unknown_move(word: str, rules: Rules, pointer: str) -> NotationError:
    hint = ""
    if writes_columns(rules):
        lettered = _LETTERED.fullmatch(word.translate(_SMALL_LETTERS))
        column = LETTERS.index(lettered[1]) + 1 if lettered else rules.columns + 1
        if word == "0" or column <= rules.columns:
            hint = "; columns count from 1" if word == "0" else f"; column {word[0]} is {column}"
        return NotationError(pointer, f"a column is 1 to {rules.columns}, not {quoted(word)}{hint}")
    if word.isdecimal() and word.isascii() and len(word) < 4 and 0 < int(word) <= rules.cells:
        hint = _IN_A_LIST
    last = f"{LETTERS[rules.columns - 1]}{rules.rows}"
    form = f"a move is a column's letter and a row's number, a1 to {last}"
    return NotationError(pointer, f"{form}, not {quoted(word)}{hint}")


def _read_word(word: str, rules: Rules, pointer: str) -> NamedMove:
    """Return one move that is a text."""
    if rules.layers > 1:
        raise NotationError(pointer, "with layers no move is a text: send its tile")
    known = _written_moves(rules.rows, rules.columns, writes_columns(rules))
    named = known.get(word.strip().translate(_SMALL_LETTERS))
    if named is None:
        raise _unknown_move(word, rules, pointer)
    return named


def _in_range(value: object, low: int, high: int, name: str, pointer: str, hint: str = "") -> int:
    number = _whole(value)
    if number is None or not low <= number <= high:
        raise NotationError(pointer, f"{name} is a whole number from {low} to {high}, not {quoted(value)}{hint}")
    return number


def _whole(value: object) -> int | None:
    """Return a whole number, also one of NumPy; None for anything else, ``True`` too."""
    if type(value) is int:
        return value
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)
