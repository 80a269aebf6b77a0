"""Records of games as programs and people keep them, read to a position and the moves from there.

- SGF: the main line of the first game, with stones set up before its first move. A point is two letters from the upper
  left corner (``hh``), or written as on the board (``h8``). Black is X.
- Piskvork's ``.psq``: a header with the size, a line ``x,y,time`` for each move, then the names of the players.
- Moves as ``kinarow.reading.moves`` reads them, with numbers and a result.
"""

import codecs
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from kinarow.errors import InputError, NotationError, PositionError, quoted
from kinarow.game.notation import NamedMove
from kinarow.game.position import Position
from kinarow.game.rules import NAMES, RULES, Rules
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.reading import moves as reading
from kinarow.reading import tables
from kinarow.reading.boards import read_side
from kinarow.reading.positions import read_board
from kinarow.reading.tables import MAX_RECORD

POINTER = "/record"
LETTERS_OF_SGF = string.ascii_lowercase
_FOUL = "0-1"
Format = Literal["sgf", "psq", "moves"]
Players = dict[Literal["X", "O"], str | None]

_OF_CALLER = ("game", *RULES, "rows", "columns", "layers", "first", "composed")
_RULES = frozenset({"game", *RULES})


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was read.

    Attributes:
        format: how it was written: ``sgf``, ``psq`` or ``moves``.
        start: the position before its first move, with the rules.
        moves: the cells that were marked in turn, counted row by row from 0.
        players: the names of X and O; None where the record has none.
        result: the result that the record claims, in its own words, such as ``B+`` or ``1-0``; None if it claims none.
            If a foul of the side that began ends a game of Renju, that move is not in ``moves``, and the result is
            ``0-1`` by default.
        other_games: the number of further games in an SGF collection, of which this is the first.
    """

    format: Format
    start: Position
    moves: tuple[int, ...]
    players: Players
    result: str | None
    other_games: int = 0

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self.start.after(self.moves)


def read_record(
    text: str | bytes, fields: Mapping[str, Any], max_side: int = MAX_SIDE, counted: str | None = None
) -> Record:
    """Read the game in a record.

    Args:
        text: the whole text. Bytes are decoded as the ``CA`` of SGF says, otherwise as UTF-8, or else as Latin-1.
        fields: what the caller says of the game, as fields of a request: ``game`` and the rule fields replace those of
            the record; size and ``first`` must agree with it. SGF and ``.psq`` are Gomoku by default. Other fields are
            ignored.
        max_side: the most rows or columns, 1 to 25.
        counted: what numbers in a text of moves are, one of ``tables.COUNTINGS``; None for its notation.

    Raises:
        InputError: the text cannot be read, or no game is like this. An error of the text has the pointer ``/record``,
            and its detail begins with line and column.
    """
    if len(text) > MAX_RECORD:
        raise NotationError(POINTER, f"a record has at most {MAX_RECORD:,} characters, not {len(text):,}")
    source = (_decoded(text) if isinstance(text, bytes) else text).removeprefix("\ufeff")
    said = {name: fields[name] for name in _OF_CALLER if fields.get(name) is not None}
    try:
        written = _read(source, said)
        start = _start(written, said, max_side)
        moves, result = _played(start, list(_named(written, start.rules, counted)), written)
    except _Wrong as wrong:
        raise NotationError(POINTER, f"{_line_and_column(source, wrong.place)}: {wrong}") from None
    return Record(written.format, start, moves, written.players, result, written.other_games)


class _Wrong(Exception):
    """An error at a place of the record's text, an index of its characters."""

    def __init__(self, place: int, detail: str) -> None:
        super().__init__(detail)
        self.place = place


@contextmanager
def _at(place: int, before: str = "") -> Iterator[None]:
    """Context manager: turn an ``InputError`` into a ``_Wrong`` at this place; its text begins with ``before``."""
    try:
        yield
    except InputError as wrong:
        raise _Wrong(place, before + wrong.problems[0][1]) from None


def _line_and_column(text: str, place: int) -> str:
    """Return a place in words, such as ``line 2, column 5``."""
    lines = re.split(r"\r\n|\r|\n", text[:place])
    return f"line {len(lines)}, column {len(lines[-1]) + 1}"


class _Point(NamedTuple):
    """A point as it is written; column and row count from 0."""

    column: int
    row: int
    place: int  # the index in the record's text
    shown: str  # the text of the point, for errors
    from_bottom: bool = False  # whether rows count from the bottom

    def cell(self, written: "_Written", rules: Rules) -> int:
        """Return the point's cell; raise ``_Wrong`` if it is not on the board."""
        if self.column >= rules.columns or self.row >= rules.rows:
            hint = "" if "rows" in written.fields else "; a record without a size needs rows and columns"
            raise _Wrong(self.place, f"{self.shown} is not on the board of {rules.size}{hint}")
        return (rules.rows - 1 - self.row if self.from_bottom else self.row) * rules.columns + self.column


@dataclass(frozen=True, slots=True)
class _Written:
    """A record before its board and rules are known.

    Attributes:
        fields: what the record says of the game, as fields of a request.
        assumed: the game if neither record nor caller names one; empty if they must.
        points: the moves, if the record has points.
        text: the moves, if they are text; the record begins with it.
        stones: the stones set up, in order, each with its mark.
    """

    format: Format
    fields: dict[str, Any] = field(default_factory=dict)
    assumed: str = ""
    points: Sequence[_Point] = ()
    text: str = ""
    stones: Sequence[tuple[int, _Point]] = ()
    players: Players = field(default_factory=lambda: {"X": None, "O": None})
    result: str | None = None
    other_games: int = 0


def _read(text: str, said: Mapping[str, Any]) -> _Written:
    """Read a record in the format that its text shows; ``said`` has the caller's fields."""
    if found := _SGF_BEGIN.search(text):
        return _read_sgf(text, found.start(), said)
    if found := _PSQ_HEADER.match(text):
        return _read_psq(text, found)
    if text.startswith("?") or ("://" in text and len(text.split(maxsplit=1)) == 1):
        raise _Wrong(0, "this is an address; send its moves")
    moves, result = reading.split_result(text)
    return _Written("moves", text=moves, result=None if result == tables.UNFINISHED else result)


def _start(written: _Written, said: Mapping[str, Any], max_side: int) -> Position:
    """Return the position before the first move, by what the record and the caller say."""
    if "first" in said:
        said = {**said, "first": NAMES[read_side(said["first"], "/first")]}
    for name in ("rows", "columns", "layers", "first"):
        if name in said and said[name] != written.fields.get(name, said[name]):
            raise InputError(f"/{name}", f"{name} says {said[name]}, the record {written.fields[name]}")
    own = {name: value for name, value in written.fields.items() if name not in _RULES or not _RULES & said.keys()}
    fields = {**own, **said}
    if not _RULES & fields.keys():
        if not written.assumed:
            likely = "gomoku" if re.search("[A-Za-z]", written.text) else "connect-four"
            raise InputError("/game", f"these moves do not say their game: send game, such as {likely}")
        fields["game"] = written.assumed
    try:
        start = read_board(fields, "first", max_side)
    except InputError as wrong:
        pointer, detail = wrong.problems[0]
        raise wrong if pointer[1:].partition("/")[0] in said else NotationError(POINTER, detail) from None
    if not written.stones:
        return start
    cells = bytearray(start.cells)
    for mark, point in written.stones:
        cells[point.cell(written, start.rules)] = mark
    with _at(written.stones[-1][1].place, "the stones set up: "):
        side = start.to_move if "first" in fields else None
        return Position.from_cells(start.rules, bytes(cells), side, composed=bool(fields.get("composed")))


def _named(written: _Written, rules: Rules, counted: str | None) -> Iterator[tuple[NamedMove, int]]:
    """Yield each move, not checked to be legal, with its index in the text; ``counted`` as in ``read_record``."""
    for point in written.points:
        cell = point.cell(written, rules)
        yield NamedMove(cell, cell % rules.stacks), point.place
    try:
        for index, (move, place) in enumerate(reading.named_words(written.text, rules, counted)):
            if index == rules.cells:
                wrong = f"a board of {rules.size} has {rules.cells} cells; this is one move more"
                raise _Wrong(place, wrong)
            yield move, place
    except reading.MisreadWord as wrong:
        raise _Wrong(wrong.place, wrong.problems[0][1]) from None
    if written.format == "moves" and not written.text.strip():
        raise _Wrong(len(written.text), "the record has no moves")


def _played(
    start: Position, named: Sequence[tuple[NamedMove, int]], written: _Written
) -> tuple[tuple[int, ...], str | None]:
    """Play the moves; return their cells and the result. A foul that ends a game of Renju is not among the moves."""
    cells: list[int] = []
    result, is_foul = written.result, False
    try:
        cells.extend(cell for cell, _ in start.played([move for move, _ in named]))
    except PositionError as wrong:
        move, place = named[len(cells)]
        is_last = start.rules.renju and len(cells) == len(named) - 1
        is_foul = is_last and move.cell in start.after(cells).forbidden()
        if not is_foul:
            raise _Wrong(place, f"move {len(cells) + 1}: {wrong.problems[0][1]}") from None
        result = result or _FOUL
    if written.format == "moves":
        with _at(len(written.text)):
            if is_foul and result != _FOUL:
                raise InputError(POINTER, f"{result}, but the side that began lost by a foul: write 0-1")
            reading.check_result(result, start, start.after(cells))
    return tuple(cells), result


# ---------------------------------------------------------------- SGF

_SGF_BEGIN = re.compile(r"\(\s*;")
_SGF_TOKEN = re.compile(r"\s*+(?:([();])|([A-Za-z]++)|\[([^\\\]]*+(?:\\.[^\\\]]*+)*+)\])", re.DOTALL)
_SGF_BRACKET = re.compile(r"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]|\((?=\s*;)|\)", re.DOTALL)
_SGF_SIZE = re.compile(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?")
_SGF_POINT = re.compile(r"([A-Za-z])(?:([A-Za-z])|([1-9][0-9]?))")
_SGF_CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([^\]\s]{1,40})\s*\]")
_TEXT_CODEC = re.compile(r"ascii|utf_?-?(8|16|32)|iso8859|cp\d|gb|big5|euc|shift|koi8|mac|hz|iso2022")
_GOMOKU = "4"
_MARKS = {name: mark for mark, name in NAMES.items()} | {".": 0}

_Node = dict[str, list[tuple[str, int]]]  # by property its values, each with its index in the record's text


def _read_sgf(text: str, begin: int, said: Mapping[str, Any]) -> _Written:
    """Read the main line of the first game, which begins at the index ``begin``."""
    nodes, other_games = _main_line(text, begin)
    root = nodes[0]
    game, place = root.get("GM", [(_GOMOKU, 0)])[0]
    if game.strip() != _GOMOKU and not said.keys() & _RULES:
        name = tables.SGF_GAMES.get(game.strip(), "another game")
        raise _Wrong(place, f"GM[{quoted(game)[1:-1]}] is {name}; if its moves are of a game in a row, send game")
    fields: dict[str, Any] = {}
    if "SZ" in root:
        value, place = root["SZ"][0]
        found = _SGF_SIZE.fullmatch(value)
        if found is None:
            raise _Wrong(place, f"{quoted(value)} is no size; write one as 15 or 15:13")
        fields = _size(found[2] or found[1], found[1], place)
    if rules := tables.SGF_RULES.get(_words_in(root, "RU").lower()):
        fields["game"] = rules
    stones, points, first = _sgf_moves(nodes)
    if first := _sgf_first(nodes, first):
        fields["first"] = first
    players: Players = {"X": _words_in(root, "PB") or None, "O": _words_in(root, "PW") or None}
    result = _words_in(root, "RE") or None
    return _Written("sgf", fields, "gomoku", points, "", stones, players, result, other_games)


def _main_line(text: str, begin: int) -> tuple[list[_Node], int]:
    """Return the nodes of the first game's main line, always the first variation, and the number of games after it."""
    nodes: list[_Node] = []
    values: list[tuple[str, int]] | None = None  # the values of the property named last
    lacks_value, at, depth = False, begin, 0
    while found := _SGF_TOKEN.match(text, at):
        sign, name, value = found.groups()
        if value is not None:
            if values is None:
                raise _Wrong(found.start(3), "a value without a property")
            values.append((value, found.start(3)))
            lacks_value = False
        elif lacks_value:
            raise _Wrong(at, "a property without a value")
        elif name is not None:
            # Older files also have small letters in names, such as GaMe, which don't count.
            short = name if name.isupper() else "".join(filter(str.isupper, name))
            if not nodes or not short:
                raise _Wrong(found.start(2), f"{quoted(name)} is no property" if nodes else "a property before any ;")
            values, lacks_value = nodes[-1].setdefault(short, []), True
        elif sign == ")":
            return nodes, _games_after(text, found.end(), depth - 1)
        else:
            values = None
            depth += sign == "("
            if sign == ";":
                nodes.append({})
            if len(nodes) > tables.MAX_NODES:
                raise _Wrong(at, f"a main line has at most {tables.MAX_NODES:,} nodes")
        at = found.end()
    rest = text[at:].lstrip()
    at = len(text) - len(rest)
    if not rest:
        raise _Wrong(at, "the game is not closed by )")
    raise _Wrong(at, "a [ is not closed by ]" if rest[0] == "[" else f"{quoted(rest[0])} is no SGF")


def _games_after(text: str, at: int, depth: int) -> int:
    """Return the number of further games from the index ``at`` on, where ``depth`` brackets are open."""
    games = 0
    for found in _SGF_BRACKET.finditer(text, at):
        games += depth == 0 and found[0][0] == "("
        depth += {"(": 1, ")": -1}.get(found[0][0], 0)
        if depth < 0:
            break
    return games


def _size(rows: str, columns: str, place: int) -> dict[str, Any]:
    """Return the size as fields of a request; raise ``_Wrong`` if a side is out of range."""
    for name, number in (("rows", rows), ("columns", columns)):
        if not 1 <= int(number) <= MAX_SIDE:
            raise _Wrong(place, f"a board has 1 to {MAX_SIDE} {name}, not {number}")
    return {"rows": int(rows), "columns": int(columns)}


def _sgf_moves(nodes: Sequence[_Node]) -> tuple[list[tuple[int, _Point]], list[_Point], str | None]:
    """Return the stones set up before the first move, the moves, and the side of the first move."""
    stones: list[tuple[int, _Point]] = []
    moves: list[_Point] = []
    names: list[str] = []
    for node in nodes:
        for name in filter(node.__contains__, tables.SGF_STONES):
            for value, place in node[name]:
                if moves:
                    raise _Wrong(place, f"stones can be set up before the first move only, not after move {len(moves)}")
                stones += [(_MARKS[tables.SGF_STONES[name]], point) for point in _sgf_points(value, place)]
                if len(stones) > tables.MAX_STONES:
                    raise _Wrong(place, f"more than {tables.MAX_STONES:,} stones are set up")
        for name in filter(node.__contains__, tables.SGF_SIDES):
            value, place = node[name][0]
            if len(node[name]) > 1 or tables.SGF_SIDES.keys() <= node.keys():
                raise _Wrong(place, "two moves in a node; write ; before each")
            if len(moves) == MAX_CELLS:
                raise _Wrong(place, f"a game has at most {MAX_CELLS} moves")
            if not value.strip():
                raise _Wrong(place, reading.PASSES)
            if names[-1:] == [name]:
                raise _Wrong(place, f"{'Black' if name == 'B' else 'White'} moves twice in a row")
            moves.append(_sgf_point(value, place))
            names.append(name)
    points = [*(point for _, point in stones), *moves]
    other = [point for point in points if point.from_bottom != points[0].from_bottom]
    if other:
        raise _Wrong(other[-1].place, "points are written as hh and as h8; use one way")
    return stones, moves, tables.SGF_SIDES[names[0]] if names else None


def _sgf_points(value: str, place: int) -> Iterator[_Point]:
    """Yield a point, or all points of a rectangle ``aa:cc``."""
    corners = [_sgf_point(corner, place) for corner in value.split(":", 1)]
    one, other = corners[0], corners[-1]
    for column in range(min(one.column, other.column), max(one.column, other.column) + 1):
        for row in range(min(one.row, other.row), max(one.row, other.row) + 1):
            yield one._replace(column=column, row=row)


def _sgf_point(value: str, place: int) -> _Point:
    """Read a point: ``hh``, with rows from the top, or ``h8``, with rows from the bottom."""
    found = _SGF_POINT.fullmatch(value.strip())
    if found is None:
        raise _Wrong(place, f"{quoted(value)} is no point: two letters, as hh, or a letter and a number, as h8")
    column, shown = LETTERS_OF_SGF.index(found[1].lower()), found[0].lower()
    if found[3]:
        return _Point(column, int(found[3]) - 1, place, shown, from_bottom=True)
    return _Point(column, LETTERS_OF_SGF.index(found[2].lower()), place, shown)


def _sgf_first(nodes: Sequence[_Node], first: str | None) -> str | None:
    """Return the side that moves first: that of the first recorded move, ``first``, or else that which ``PL`` names."""
    for value, place in (named for node in nodes for named in node.get("PL", [])):
        side = tables.SGF_BEGINNERS.get(value.strip().lower()[:1])
        if side is None or first not in (None, side):
            raise _Wrong(place, "PL is B or W" if side is None else "PL names the other side than the first move")
        first = side
    return first


def _words_in(root: _Node, name: str) -> str:
    """Return the text of a property of the root on one line, without escapes; empty if the root lacks it."""
    if name not in root:
        return ""
    text = re.sub(r"\\(?:\r\n|[\r\n])", "", root[name][0][0])
    return " ".join(re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL).split())[: tables.MAX_NAME]


# ---------------------------------------------------------------- Piskvork

_PSQ_HEADER = re.compile(r"\s*piskvorky\s+([0-9]{1,3})\s*x\s*([0-9]{1,3})([^\r\n]*)", re.IGNORECASE)
_PSQ_SETTINGS = re.compile(r"[\s0-9,:;-]*")
_PSQ_MOVE = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*(?:,\s*-?[0-9]+\s*){0,2}")
_PSQ_CODE = re.compile(r"\s*-?[0-9]+\s*(?:,\s*[A-Za-z][^,]*)?")
_PSQ_SPOILT_MOVE = re.compile(r"\s*[0-9-].*|.*,\s*[0-9]+\s*")
_LINE = re.compile(r"[^\r\n]+")


def _read_psq(text: str, header: re.Match[str]) -> _Written:
    """Read the moves up to the first line that is no move, then the names of two players and codes of the program."""
    columns, rows, settings = header.groups()
    if not _PSQ_SETTINGS.fullmatch(settings):
        raise _Wrong(header.start(3), f"{quoted(settings.strip())} in the header is unknown")
    points: list[_Point] = []
    names: list[str] = []
    after_moves = False
    for line in _LINE.finditer(text, header.end()):
        place, move = line.start(), _PSQ_MOVE.fullmatch(line[0])
        if not line[0].strip():
            continue
        if len(points) == MAX_CELLS:
            raise _Wrong(place, f"a game has at most {MAX_CELLS} moves")
        if move is not None and not after_moves and int(move[1]) and int(move[2]):
            points.append(_Point(int(move[1]) - 1, int(move[2]) - 1, place, line[0].strip()))
            continue
        if move is not None:
            raise _Wrong(place, "a move after the last one" if after_moves else "x and y count from 1")
        after_moves = True
        if _PSQ_CODE.fullmatch(line[0]):
            continue
        if _PSQ_SPOILT_MOVE.fullmatch(line[0]) or len(names) == len(NAMES):
            raise _Wrong(place, f"{quoted(line[0].strip())} is neither a move x,y,time nor a player's name")
        names.append(" ".join(line[0].split())[: tables.MAX_NAME])
    first, second = [*names, None, None][:2]
    size = _size(rows, columns, header.start(1))
    return _Written("psq", size, "gomoku", points, players={"X": first, "O": second})


# ---------------------------------------------------------------- bytes


def _decoded(data: bytes) -> str:
    """Decode a record: UTF-16 by its byte-order mark, as the ``CA`` of SGF says, or as UTF-8 or else Latin-1."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    charset = _SGF_CHARSET.search(data) if b"(" in data else None
    if charset is not None and not data.startswith(codecs.BOM_UTF8):
        name = charset[1].decode("ascii", "replace")
        with suppress(LookupError, ValueError):
            if _TEXT_CODEC.match(codecs.lookup(name).name):
                return data.decode(name)
        raise NotationError(POINTER, f"this is not {quoted(name)}, as CA says; save the file in UTF-8, without CA")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
