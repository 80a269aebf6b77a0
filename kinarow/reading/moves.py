"""Moves as people write them, read to cells.

Moves are a list or, on a board of one layer, a text in the coordinates of ``kinarow.game.notation``, with numbers of
moves, separators, comments in braces and a result. A list has a number, ``[row, column]`` (with layers
``[layer, row, column]``), an object or a text for each move. A number is a tile, from 1, in requests and files, and a
cell, from 0, in Python. JSON pointers count from 0, sentences from 1.
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
from kinarow.game.rules import NAMES, Rules, other
from kinarow.game.size import MAX_CELLS
from kinarow.reading import tables

MAX_MOVES = MAX_CELLS
MAX_MOVES_TEXT = 12 * MAX_MOVES  # The most characters of moves as text: each with its number and separators
_SMALL_LETTERS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""The letters of ASCII alone: ``lower`` would read the Kelvin sign as a k."""
_PLAIN_COORDINATES = re.compile(r"(?:[a-z][0-9]{1,2}\s*)*+")
_PLAIN_WORD = re.compile(r"[a-z][0-9]+")
_NUMBER = r"(?P<number>[0-9]{1,9}\.+)"
_SKIPPED = r"(?P<pass>--|(?<!\S)-(?!\S))|[\s,;_]++|-|(?:\{[^{}]*+\}\s*+|[!?]++)++"
_COLUMN_WORDS = re.compile(rf"{_NUMBER}|{_SKIPPED}|(?P<move>[0-9]|[^\s,;_0-9-][^\s,;_-]*+)")
_COORDINATE_WORDS = re.compile(
    r"(?P<number>[0-9]{1,9}(?:\.+|\s++(?=[A-Za-z])))|"
    rf"{_SKIPPED}|(?P<move>[A-Za-z][^\s,;_A-Za-z{{!?-]*+|[^\s,;_A-Za-z{{!?-]++|.)"
)
_NUMBER_WORDS = re.compile(rf"{_NUMBER}|{_SKIPPED}|(?P<move>[^\s,;_{{!?-]++|.)")
"""Match the next word of a text of moves; the name of the group says whether it is a number, a pass or a move."""
_LIST = re.compile(r"""\s*+\[\s*+[][{"'0-9-]""")
_PAIR = re.compile(r"[0-9]++[^0-9]++[0-9]")
_RESULT = re.compile(rf"\s({'|'.join(map(re.escape, [*tables.RESULTS, tables.UNFINISHED]))})\s*+\Z")
ORDER_UNKNOWN = "the order of coordinates in pairs of numbers is unknown: write a letter and a number, as in h8"
PASSES = "a side passes, which these games do not allow"
_FROM = {CELL: "cells count from 0", TILE: "tiles count from 1"}
_NO_SEPARATORS = str.maketrans("", "", tables.SEPARATORS + string.whitespace)
_SHOWN = 3  # The most fields of an object that an error repeats, and moves of a list that a hint does


def after(start: Position, moves: object, first_cell: int = CELL) -> Position:
    """Return the position after moves from ``start``, a text or a list; a result at the end of a text is checked."""
    plies = list(replay(start, moves, first_cell))
    return plies[-1][2] if plies else start


def replay(start: Position, moves: object, first_cell: int = CELL) -> Iterator[tuple[Position, int, Position]]:
    """Yield, for each move from ``start``, the position before it, its cell and the position after it."""
    moves, result = split_result(moves) if isinstance(moves, str) else (moves, None)
    last = start
    try:
        for move, after in start.played(read_moves(moves, start.rules, first_cell=first_cell)):
            yield last, move, after
            last = after
    except InputError as wrong:
        raise _suggesting_columns(wrong, start, moves) from None
    check_result(result, start, last)


def check_result(result: str | None, start: Position, last: Position) -> None:
    """Raise a ``PositionError`` if the game has ended otherwise than ``result``, one of ``tables.RESULTS``, says."""
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


def columns_meant(moves: object, rules: Rules) -> dict[int, list[NamedMove]]:
    """Read a list of numbers as columns counted from 1 and from 0; return the moves by that first number if all fit."""
    listed = as_list(moves) or ()
    numbers = [number for number in map(_whole, listed) if number is not None]
    if not rules.gravity or rules.layers > 1 or not numbers or len(numbers) < len(listed):
        return {}
    counts = [first for first in (1, 0) if first <= min(numbers) and max(numbers) < first + rules.columns]
    return {first: [NamedMove(None, number - first) for number in numbers] for first in counts}


def suggesting_columns(
    wrong: InputError, name: str, sent: object, rules: Rules, played: Callable[[list[NamedMove]], list[int]]
) -> InputError:
    """Return the error ``wrong``; if the field's numbers can be played as columns, its text suggests these moves.

    ``name`` is the field, ``sent`` its value; ``played`` returns the cells of moves, or raises a ``PositionError``.
    """
    meant = []
    for first, named in columns_meant(sent, rules).items():
        with suppress(PositionError):
            text = "".join(write_move(cell, rules) for cell in played(named))
            objects = [f'{{"column": {stack}}}' for _, stack in named[:_SHOWN]] + ["…"] * (len(named) > _SHOWN)
            form = f'"{text}"' if first else f"[{', '.join(objects)}]"
            columns = f"column{'s' * (len(named) > 1)} {', '.join(str(stack + first) for _, stack in named)}"
            of = f"of 1 to {rules.columns}" if first else "counted from 0"
            meant.append(f'{columns} {of} ("{name}": {form})')
    if not meant:
        return wrong
    pointer, detail = wrong.problems[0]
    return type(wrong)(pointer, f"{detail}; did you mean {', or '.join(meant)}?")


def _suggesting_columns(wrong: InputError, start: Position, moves: object) -> InputError:
    return suggesting_columns(
        wrong, "moves", moves, start.rules, lambda named: [cell for cell, _ in start.played(named)]
    )


def as_counted(moves: object, counted: str) -> object:
    """Convert moves whose numbers are ``counted`` as one of ``tables.COUNTINGS`` to moves of a request.

    Moves ``counted`` as ``text`` stay as they are. Otherwise a result at the end of a text is dropped, and an entry
    that is no number is a ``NotationError``.
    """
    listed = as_list(moves)
    if counted == "text":
        if isinstance(moves, str) or (listed is not None and all(isinstance(each, str) for each in listed)):
            return moves
        raise NotationError("/moves", f"moves are declared as text, but this is {quoted(moves)}")
    what, first = tables.COUNTED[counted]
    if isinstance(moves, str):
        listed = [word for word, _ in _counted_words(split_result(moves)[0], counted)]
    if listed is None:
        raise NotationError("/moves", f"moves are a list or a text, not {quoted(moves)}")
    numbers = [int(each) if isinstance(each, str) and each.isdecimal() else _whole(each) for each in listed]
    if None in numbers:
        index = numbers.index(None)
        raise NotationError(f"/moves/{index}", f"moves are declared as {counted}, but this is {quoted(listed[index])}")
    if what == "column":
        return [{"column": cast(int, number) - first} for number in numbers]
    return [cast(int, number) - first + TILE for number in numbers]


def _counted_words(text: str, counted: str) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a text, each with its index there; columns without separators have one digit each."""
    digits = text.strip(tables.SEPARATORS + string.whitespace)
    if tables.COUNTED[counted][0] == "column" and digits.isdecimal():
        return zip(digits, count(text.index(digits)))
    return words_of(text, None)


def counted_otherwise(counted: str | None, possible: Callable[[str], bool]) -> str | None:
    """Return the counting other than ``counted`` under which all moves are possible; None if not exactly one is."""
    found = [each for each in tables.COUNTINGS if each != counted and possible(each)]
    return found[0] if len(found) == 1 else None


def as_list(moves: object) -> Sequence[object] | None:
    """Return a list of moves, or a NumPy array as one; None if it is neither."""
    if hasattr(moves, "tolist"):
        moves = moves.tolist()
    return moves if isinstance(moves, list | tuple) else None


def read_moves(moves: object, rules: Rules, pointer: str = "/moves", first_cell: int = TILE) -> list[NamedMove]:
    """Read the moves of a text, or of a list of entries for ``read_move``; they are not checked to be legal.

    A ``NotationError`` about a move has the pointer ``{pointer}/{index}``. The number of the first cell in a list,
    ``first_cell``, is ``CELL`` or ``TILE``.
    """
    if isinstance(moves, str):
        if len(moves) > MAX_MOVES_TEXT:
            raise NotationError(pointer, f"moves as text have at most {MAX_MOVES_TEXT} characters, not {len(moves)}")
        if "[" in moves and "]" in moves and not _LIST.match(moves):
            raise NotationError(pointer, "this text is a record, such as SGF; send it to a review, as record")
        named = read_text(moves, rules, pointer)
        if not named and moves.strip():
            raise NotationError(pointer, f"{quoted(moves)} has no move; for no moves send an empty text")
        return named
    listed = as_list(moves)
    if listed is None:
        raise NotationError(pointer, f"moves are a list or a text, not {quoted(moves)}")
    if len(listed) > MAX_MOVES:
        raise NotationError(pointer, f"a game has at most {MAX_MOVES} moves, not {len(listed)}")
    return [read_move(written, rules, f"{pointer}/{index}", first_cell) for index, written in enumerate(listed)]


def read_move(written: object, rules: Rules, pointer: str, first_cell: int = TILE) -> NamedMove:
    """Read one entry of a list of moves; raise a ``NotationError`` with the pointer if it is no cell of the board.

    An entry is the number of a cell from ``first_cell`` on, ``[row, column]``, ``{"row": r, "column": c}`` with or
    without its ``tile``, under gravity ``{"column": c}``, or a text of one move; rows and columns count from 0. With
    layers it is ``[layer, row, column]``, or an object with these, under gravity also without the layer. If
    ``first_cell`` is ``CELL``, it may also be a search result.
    """
    number = _whole(getattr(written, "move", written) if first_cell == CELL else written)
    if number is not None:
        last, name = rules.cells - 1 + first_cell, "cell" if first_cell == CELL else "tile"
        hint = f"; {_FROM[first_cell]}" if number == (rules.cells if first_cell == CELL else 0) else ""
        return _named(_in_range(number, first_cell, last, name, pointer, hint) - first_cell, rules)
    if isinstance(written, str):
        return _read_word(written, rules, pointer)
    names = ("layer", "row", "column") if rules.layers > 1 else ("row", "column")
    written = written.tolist() if hasattr(written, "tolist") else written
    if isinstance(written, list | tuple) and len(written) == len(names):
        written = dict(zip(names, written, strict=True))
    if not isinstance(written, Mapping):
        forms = (
            f"a {'tile' if first_cell else 'cell'}, [{', '.join(names)}], or an object with {_in_words(names, rules)}"
        )
        raise NotationError(pointer, f"a move is {forms}, not {quoted(written)}")
    return _read_place({name: each for name, each in written.items() if each is not None}, names, rules, pointer)


def _read_place(place: Mapping[Any, object], names: Sequence[str], rules: Rules, pointer: str) -> NamedMove:
    """Return the move of an object with layer, row and column, all counted from 0; ``names`` are those it needs."""
    sides = place.keys() - {"tile"}
    falls = rules.gravity and place.keys() == _falling(names)
    if not falls and sides != set(names):
        others = ", ".join(sorted(quoted(str(name))[1:-1] for name in sides - set(names))[:_SHOWN])
        instead = f", not {others}" if others else ""
        wrong = f"a move as an object has {_in_words(names, rules)}, counted from 0{instead}"
        raise NotationError(pointer, wrong)
    cell = 0
    for name in ("layer", "row", "column"):
        size = getattr(rules, f"{name}s")
        cell = cell * size + (_in_range(place[name], 0, size - 1, name, pointer) if name in place else 0)
    if "tile" in place and _whole(place["tile"]) != cell + TILE:
        raise NotationError(pointer, f"tile {quoted(place['tile'])} is not at this row and column")
    return NamedMove(None, cell) if falls else _named(cell, rules)


def _falling(names: Sequence[str]) -> set[str]:
    """Return the fields that name a stack, in which a mark falls: the column, with layers also the row."""
    return {"row", "column"} if len(names) > 2 else {"column"}


def _in_words(names: Sequence[str], rules: Rules) -> str:
    """Return the fields that an object needs in words, for errors."""
    needed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{needed}, or {' and '.join(sorted(_falling(names), reverse=True))} alone" if rules.gravity else needed


def _named(cell: int, rules: Rules) -> NamedMove:
    return NamedMove(cell, cell % rules.stacks)


class MisreadWord(NotationError):
    """An error about a word of a text of moves; ``place`` is the word's index in the text."""

    def __init__(self, index: int | None, place: int, detail: str) -> None:
        super().__init__("/moves" if index is None else f"/moves/{index}", detail)
        self.place = place


def read_text(text: str, rules: Rules, pointer: str = "/moves") -> list[NamedMove]:
    """Read the moves of a text of any length, like ``read_moves``; the text may not end with a result."""
    by_column = writes_columns(rules)
    plain = text if by_column else text.translate(_SMALL_LETTERS)
    words: Sequence[str] = ()
    if rules.layers == 1 and by_column and "-" not in text:
        words = text.translate(_NO_SEPARATORS)  # each character is a move
    elif rules.layers == 1 and not by_column and _PLAIN_COORDINATES.fullmatch(plain):
        words = _PLAIN_WORD.findall(plain)
    named = list(map(_written_moves(rules.rows, rules.columns, by_column).get, words))
    if named and all(named):
        return cast(list[NamedMove], named)
    try:
        return [move for move, _ in named_words(text, rules)]
    except MisreadWord as wrong:
        where, detail = wrong.problems[0]
        raise NotationError(where.replace("/moves", pointer, 1), detail) from None


def named_words(text: str, rules: Rules, counted: str | None = None) -> Iterator[tuple[NamedMove, int]]:
    """Yield the moves of a text, each with its index there; raise ``MisreadWord`` at the first word that is no move.

    ``counted`` says what numbers mean, as one of ``tables.COUNTINGS``; None: moves are in the notation of the game.
    """
    if counted not in (None, "text"):
        for index, (word, place) in enumerate(_counted_words(text, counted)):
            try:
                (sent,) = cast(list[object], as_counted([word], counted))
                yield read_move(sent, rules, ""), place
            except NotationError as wrong:
                raise MisreadWord(index, place, wrong.problems[0][1]) from None
        return
    if _LIST.match(text):
        raise MisreadWord(None, 0, "a JSON list inside a string; send the list itself, or text such as h8i9")
    if rules.layers > 1 and text.strip():
        raise MisreadWord(None, 0, "with layers moves are a list, not text")
    by_column = writes_columns(rules)
    known = _written_moves(rules.rows, rules.columns, by_column)
    for index, (word, place) in enumerate(words_of(text, rules)):
        named = known.get(word if by_column else word.translate(_SMALL_LETTERS))
        if named is None:
            raise MisreadWord(index, place, _unknown_move(word, rules))
        yield named, place


def words_of(text: str, rules: Rules | None) -> Iterator[tuple[str, int]]:
    """Yield each move of a text as it is written, with its index there; move numbers and comments are skipped.

    Move numbers count plies (1. 2. 3.) or pairs of plies; the first numbers show which, and a later number that does
    not fit is an error. Without rules the moves themselves are whole numbers.
    """
    form = _NUMBER_WORDS if rules is None else _COLUMN_WORDS if writes_columns(rules) else _COORDINATE_WORDS
    made, numbered = 0, -1  # the moves so far, and the index of the move that the last number was for
    has_hyphen = False  # True after a lone hyphen, which separates moves if none has a number
    counts = [1, 2]  # the plies for which a number may stand
    for found in form.finditer(text):
        kind, word, place = found.lastgroup, found[0], found.start()
        has_hyphen = has_hyphen or (word == "-" and kind == "pass")
        if word == "--" or (has_hyphen and (kind == "number" or numbered >= 0)):
            raise MisreadWord(made, place, PASSES)
        if kind == "number":
            number, is_second = word.rstrip(string.whitespace + "."), word.rstrip().endswith("..")
            fitting = [plies for plies in counts if number == str(made // plies + 1)]
            counts = [plies for plies in fitting if is_second or made % plies == 0]
            if not counts or numbered == made:
                raise MisreadWord(made, place, f"{number}. is not the next number; leave the numbers out")
            numbered = made
        if kind == "move":
            if made == 0 and form is _COORDINATE_WORDS and _PAIR.match(text, place) and not re.search("[A-Za-z]", text):
                raise MisreadWord(0, place, ORDER_UNKNOWN)
            if len(counts) == 2 and -1 < numbered < made:
                counts = [2]  # this is a second move without a number of its own
            yield word, place
            made += 1


@lru_cache(maxsize=64)
def _written_moves(rows: int, columns: int, by_column: bool) -> dict[str, NamedMove]:
    """Return the moves of a board of one layer by their notation, such as ``4`` or ``h8``."""
    if by_column:
        return {str(column + 1): NamedMove(None, column) for column in range(columns)}
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    return {f"{LETTERS[column]}{rows - row}": NamedMove(row * columns + column, column) for row, column in cells}


def _unknown_move(word: str, rules: Rules) -> str:
    """Return the error's text for a word that is no move."""
    if not writes_columns(rules):
        last = f"{LETTERS[rules.columns - 1]}{rules.rows}"
        return f"a move is a column's letter and a row's number, a1 to {last}, not {quoted(word)}"
    hint = "; columns count from 1" if word == "0" else ""
    return f"a column is 1 to {rules.columns}, not {quoted(word)}{hint}"


def _read_word(word: str, rules: Rules, pointer: str) -> NamedMove:
    """Read a move that is a text of its own."""
    if rules.layers > 1:
        raise NotationError(pointer, "with layers a move is not a text; send its tile")
    known = _written_moves(rules.rows, rules.columns, writes_columns(rules))
    named = known.get(word.strip().translate(_SMALL_LETTERS))
    if named is None:
        raise NotationError(pointer, _unknown_move(word, rules))
    return named


def _in_range(value: object, low: int, high: int, name: str, pointer: str, hint: str = "") -> int:
    """Return a whole number from ``low`` to ``high``, or raise a ``NotationError``."""
    number = _whole(value)
    if number is None or not low <= number <= high:
        raise NotationError(pointer, f"{name} is a whole number from {low} to {high}, not {quoted(value)}{hint}")
    return number


def _whole(value: object) -> int | None:
    """Return a whole number, also of NumPy's types, as ``int``; None for anything else, such as ``True``."""
    if type(value) is int:
        return value
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)
