"""Records of games as programs and people keep them, read to a position and the moves from there.

- SGF: the main line of the first game, with stones set up before its first move. A point is two letters from the upper
  left corner (``hh``), or written as on the board (``h8``). Black is X.
- Piskvork's ``.psq``: a header with the size, a line ``x,y,time`` for each move, then the names of the players.
- Moves as ``kinarow.reading.moves`` reads them, with numbers and a result, perhaps below tags (``[Black "Ann"]``).
- Addresses of front ends: ``?pos=4453``, gomocalc's ``#/h8h9``, and the links of this project's page.
"""

import codecs
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from kinarow.errors import InputError, NotationError, PositionError, quoted
from kinarow.game.notation import TILE, NamedMove
from kinarow.game.position import Position
from kinarow.game.rules import NAMES, RULES, O, Rules, Side, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.reading import moves as reading
from kinarow.reading import tables
from kinarow.reading.boards import read_side
from kinarow.reading.positions import read_board

MAX_RECORD = 1_000_000  # the most characters, or bytes, of a record
POINTER = "/record"
LETTERS_OF_SGF = string.ascii_lowercase
_FOUL = "0-1"
Format = Literal["sgf", "psq", "moves", "address"]
Players = dict[Literal["X", "O"], str | None]

_OF_CALLER = ("game", *RULES, "rows", "columns", "layers", "first", "composed")
_MAX_NODES = 10_000  # of a main line; each move has one
_MAX_STONES = 4 * MAX_CELLS  # Later ones may replace earlier ones
_MAX_NAME = 100
_MAX_PARAMETERS = 100


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was read.

    Attributes:
        format: how it was written: ``sgf``, ``psq``, ``moves`` or ``address``.
        start: the position before its first move, with the rules.
        moves: the cells that were marked in turn, counted row by row from 0.
        players: the names of X and O; None where the record has none.
        result: the result that it claims, in its own words, such as ``B+`` or ``1-0``; None if it claims none. Where
            a foul of the side that began ends a game of Renju, that move is not in ``moves``, and the result ``0-1``.
        other_games: the number of games in a collection of SGF besides this one, its first.
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
    """Return the game in a record.

    Args:
        text: the whole text. Bytes are decoded as the ``CA`` of SGF says, otherwise as UTF-8, or else as Latin-1.
        fields: what the caller says of the game, by the names of a request: ``game`` and the rule fields count more
            than what the record says; size and ``first`` must agree with it. SGF and ``.psq`` are Gomoku by default.
            Other fields do not matter.
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
        named, places = _named_moves(written, start.rules, None if written.format != "moves" else counted)
        if not named and written.format == "moves":
            raise _Wrong(len(source), "the record has no moves")
        moves, is_foul = _cells(start, named, places)
        result = written.result or (_FOUL if is_foul else None)
        if written.compared:
            with _at(places[-1] if places else 0):
                if is_foul and result != _FOUL:
                    raise InputError(POINTER, f"{result} says another end than the foul of the side that began")
                reading.check_result(result, start, start.after(moves))
    except _Wrong as wrong:
        raise NotationError(POINTER, f"{_line_and_column(source, wrong.place)}: {wrong}") from None
    return Record(written.format, start, moves, written.players, result, written.other_games)


class _Wrong(Exception):
    """What is wrong at a place of the text."""

    def __init__(self, place: int, detail: str) -> None:
        super().__init__(detail)
        self.place = place


@contextmanager
def _at(place: int, before: str = "") -> Iterator[None]:
    """Name the place in the text of an ``InputError``."""
    try:
        yield
    except InputError as wrong:
        raise _Wrong(place, before + wrong.problems[0][1]) from None


def _line_and_column(text: str, place: int) -> str:
    lines = re.split(r"\r\n|\r|\n", text[:place])
    return f"line {len(lines)}, column {len(lines[-1]) + 1}"


class _Point(NamedTuple):
    """A point as it is written, both numbers from 0."""

    column: int
    row: int
    from_bottom: bool = False

    @property
    def name(self) -> str:
        """The point as SGF writes it."""
        return LETTERS_OF_SGF[self.column] + (str(self.row + 1) if self.from_bottom else LETTERS_OF_SGF[self.row])

    def cell(self, rules: Rules) -> int | None:
        """Its cell, None if it is not on the board."""
        if self.column >= rules.columns or self.row >= rules.rows:
            return None
        return (rules.rows - 1 - self.row if self.from_bottom else self.row) * rules.columns + self.column


@dataclass(frozen=True, slots=True)
class _Written:
    """A record before its board and rules are known.

    Attributes:
        fields: what it says of the game, by the names of a request.
        assumed: the game if nobody says one; an empty text if that is an error.
        points: its moves if they are points, each with its place and how it is written.
        text: its moves if they are a text for ``reading.moves``, from the place ``at`` on.
        words: its moves on a board with layers, as the links of the page have them, from the place ``at`` on.
        stones: the stones set up, in order: the mark, the point and the place.
        compared: whether the result names the winner by who moved first.
    """

    format: Format
    fields: dict[str, Any] = field(default_factory=dict)
    assumed: str = ""
    points: Sequence[tuple[_Point, int, str]] = ()
    text: str | None = None
    at: int = 0
    words: Sequence[str] = ()
    stones: Sequence[tuple[int, _Point, int]] = ()
    players: Players = field(default_factory=lambda: {"X": None, "O": None})
    result: str | None = None
    compared: bool = False
    other_games: int = 0


def _read(text: str, said: Mapping[str, Any]) -> _Written:
    if found := _SGF_BEGIN.search(text):
        return _read_sgf(text, found.start(), said)
    if found := _PSQ_HEADER.match(text):
        return _read_psq(text, found)
    if _ADDRESS.fullmatch(text):
        return _read_address(text)
    return _read_moves(text)


def _start(written: _Written, said: Mapping[str, Any], max_side: int) -> Position:
    """The position before the first move."""
    if "first" in said:
        said = {**said, "first": NAMES[read_side(said["first"], "/first")]}
    for name in ("rows", "columns", "layers", "first"):
        if name in said and said[name] != written.fields.get(name, said[name]):
            raise InputError(f"/{name}", f"{name} says {said[name]}, the record {written.fields[name]}")
    rules = {"game", *RULES}
    own = {name: value for name, value in written.fields.items() if name not in rules or not rules & said.keys()}
    fields = {**own, **said}
    if not rules & fields.keys():
        if not written.assumed:
            likely = "gomoku" if re.search("[A-Za-z]", written.text or "") else "connect-four"
            raise InputError("/game", f"these moves do not say their game: send game, such as {likely}")
        fields["game"] = written.assumed
    try:
        start = read_board(fields, "first", max_side)
    except InputError as wrong:
        pointer, detail = wrong.problems[0]
        raise wrong if pointer[1:].partition("/")[0] in said else NotationError(POINTER, detail) from None
    return _with_stones(start, written, fields)


def _with_stones(start: Position, written: _Written, fields: Mapping[str, Any]) -> Position:
    if not written.stones:
        return start
    cells = bytearray(start.cells)
    for mark, point, place in written.stones:
        cell = point.cell(start.rules)
        if cell is None:
            raise _outside(place, start.rules, point.name, written)
        cells[cell] = mark
    with _at(written.stones[-1][2], "the stones set up: "):
        side = start.to_move if "first" in fields else None
        return Position.from_cells(start.rules, bytes(cells), side, composed=bool(fields.get("composed")))


def _named_moves(written: _Written, rules: Rules, counted: str | None) -> tuple[list[NamedMove], list[int]]:
    """Return the moves, and the place of each in the text."""
    if written.text is None:
        points = []
        for point, place, line in written.points:
            cell = point.cell(rules)
            if cell is None:
                name = line.strip() if written.format == "psq" else point.name
                raise _outside(place, rules, name, written)
            points.append(NamedMove(cell, cell % rules.stacks))
        words = [_on_layers(word, written.at, rules) for word in written.words]
        return points + words, [place for _, place, _ in written.points] + [written.at for _ in words]
    counted = None if counted == "text" else counted
    places = _places(written, written.text, rules, counted)
    has_more = len(places) > rules.cells + 1
    text = written.text[: places[rules.cells] - written.at] if has_more else written.text
    try:
        named = (
            reading.read_text(text, rules)
            if counted is None
            else reading.read_moves(reading.as_counted(text, counted), rules)
        )
    except InputError as wrong:
        pointer, detail = wrong.problems[0]
        index = int(pointer.rpartition("/")[2]) if pointer[-1].isdigit() else 0
        raise _Wrong(places[index], detail) from None
    if has_more:
        place = places[rules.cells]
        raise _Wrong(place, f"a board of {rules.size} has {rules.cells} cells; this is one move more")
    return named, places


def _places(written: _Written, text: str, rules: Rules, counted: str | None) -> list[int]:
    """Return where the moves of the text stand, at most one more than cells, and where the rest begins."""
    places, at = list[int](), 0
    with suppress(InputError):
        for word, place in reading.words_of(text, rules) if counted is None else reading.counted_words(text, counted):
            places.append(written.at + place)
            at = place + len(word)
            if len(places) > rules.cells:
                break
    return [*places, written.at + len(text) - len(text[at:].lstrip(tables.SEPARATORS + string.whitespace))]


def _outside(place: int, rules: Rules, name: str, written: _Written) -> _Wrong:
    hint = "" if "rows" in written.fields else "; a record without a size needs rows and columns"
    return _Wrong(place, f"{name} is not on the board of {rules.size}{hint}")


def _cells(start: Position, named: Sequence[NamedMove], places: Sequence[int]) -> tuple[tuple[int, ...], bool]:
    """Return the cells of the moves, and whether a foul of Renju, which is none of them, ends the game.

    A move that is not possible is named by its place in the text.
    """
    cells: list[int] = []
    try:
        cells.extend(cell for _, cell in start.played(named))
        return tuple(cells), False
    except PositionError as wrong:
        if start.rules.renju and len(cells) == len(named) - 1 and named[-1].cell in start.after(cells).forbidden():
            return tuple(cells), True
        pointer, detail = wrong.problems[0]
        index = int(pointer.rpartition("/")[2])
        raise _Wrong(places[index] if index < len(places) else 0, f"move {index + 1}: {detail}") from None


# ---------------------------------------------------------------- SGF

_SGF_BEGIN = re.compile(r"\(\s*;")
_SGF_TOKEN = re.compile(r"\s*+(?:([();])|([A-Za-z]++)|\[([^\\\]]*+(?:\\.[^\\\]]*+)*+)\])", re.DOTALL)
_SGF_BRACKET = re.compile(r"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]|\((?=\s*;)|\)", re.DOTALL)
_SGF_SIZE = re.compile(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?")
_SGF_POINT = re.compile(r"([A-Za-z])(?:([A-Za-z])|([1-9][0-9]?))")
_SGF_CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([^\]\s]{1,40})\s*\]")
_TEXT_CODEC = re.compile(r"ascii|utf_?-?(8|16|32)|iso8859|cp\d|gb|big5|euc|shift|koi8|mac|hz|iso2022")
_GOMOKU = "4"
_SIDES: dict[str, Side] = {"B": X, "W": O}
_STONES = {"AB": X, "AW": O, "AE": 0}

_Node = dict[str, list[tuple[str, int]]]  # the values of each property and their places


def _read_sgf(text: str, begin: int, said: Mapping[str, Any]) -> _Written:
    nodes = _main_line(text, begin)
    root = nodes[0]
    game, place = root.get("GM", [(_GOMOKU, 0)])[0]
    if game.strip() != _GOMOKU and not said.keys() & {"game", *RULES}:
        name = tables.SGF_GAMES.get(game.strip(), "another game")
        raise _Wrong(place, f"GM[{quoted(game)[1:-1]}] is {name}; if its moves are of a game in a row, send game")
    fields = _sgf_size(root)
    rules = tables.SGF_RULES.get(_words_in(root, "RU").lower())
    stones, points = _sgf_moves(nodes)
    first = _sgf_first(nodes, points)
    if first is not None:
        fields["first"] = NAMES[first]
    return _Written(
        "sgf",
        fields | ({"game": rules} if rules else {}),
        "gomoku",
        points,
        stones=stones,
        players={"X": _words_in(root, "PB") or None, "O": _words_in(root, "PW") or None},
        result=_words_in(root, "RE") or None,
        other_games=_other_games(text, begin),
    )


def _main_line(text: str, begin: int) -> list[_Node]:
    """The nodes of the first game's main line: each variation continues with its first one."""
    nodes: list[_Node] = []
    values: list[tuple[str, int]] | None = None  # those of the property that was named last
    lacks_value, at = False, begin
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
            # Older files have small letters between, as in GaMe.
            short = name if name.isupper() else "".join(filter(str.isupper, name))
            if not nodes or not short:
                raise _Wrong(found.start(2), f"{quoted(name)} is no property" if nodes else "a property before any ;")
            values, lacks_value = nodes[-1].setdefault(short, []), True
        elif sign == ")":
            return nodes
        else:
            values = None
            if sign == ";":
                nodes.append({})
            if len(nodes) > _MAX_NODES:
                raise _Wrong(at, f"a main line has at most {_MAX_NODES:,} nodes")
        at = found.end()
    rest = text[at:].lstrip()
    at = len(text) - len(rest)
    if not rest:
        raise _Wrong(at, "the game is not closed by )")
    raise _Wrong(at, "a [ is not closed by ]" if rest[0] == "[" else f"{quoted(rest[0])} is no SGF")


def _other_games(text: str, begin: int) -> int:
    """Return the number of games after the one that begins at ``begin``."""
    depth = games = 0
    for found in _SGF_BRACKET.finditer(text, begin):
        depth += {"(": 1, ")": -1}.get(found[0][0], 0)
        games += depth == 1 and found[0][0] == "("
        if depth < 0:
            break
    return games - 1


def _sgf_size(root: _Node) -> dict[str, Any]:
    if "SZ" not in root:
        return {}
    value, place = root["SZ"][0]
    found = _SGF_SIZE.fullmatch(value)
    if found is None:
        raise _Wrong(place, f"{quoted(value)} is no size, such as 15 or 15:13")
    return _size(found[2] or found[1], found[1], place)


def _size(rows: str, columns: str, place: int) -> dict[str, Any]:
    for name, number in (("rows", rows), ("columns", columns)):
        if not 1 <= int(number) <= MAX_SIDE:
            raise _Wrong(place, f"a board has 1 to {MAX_SIDE} {name}, not {number}")
    return {"rows": int(rows), "columns": int(columns)}


def _sgf_moves(nodes: Sequence[_Node]) -> tuple[list[tuple[int, _Point, int]], list[tuple[_Point, int, str]]]:
    """The stones set up before the first move, and the moves with their places and sides."""
    stones: list[tuple[int, _Point, int]] = []
    moves: list[tuple[_Point, int, str]] = []
    for node in nodes:
        for name in filter(node.__contains__, _STONES):
            for value, place in node[name]:
                if moves:
                    raise _Wrong(place, f"stones are set up after move {len(moves)}")
                stones += [(_STONES[name], point, place) for point in _sgf_points(value, place)]
                if len(stones) > _MAX_STONES:
                    raise _Wrong(place, f"more than {_MAX_STONES:,} stones are set up")
        for name in filter(node.__contains__, _SIDES):
            value, place = node[name][0]
            if len(node[name]) > 1 or _SIDES.keys() <= node.keys():
                raise _Wrong(place, "a node has one move")
            if len(moves) == MAX_CELLS:
                raise _Wrong(place, f"a game has at most {MAX_CELLS} moves")
            if not value.strip():
                raise _Wrong(place, "a side passes, which these games do not allow")
            if moves and moves[-1][2] == name:
                raise _Wrong(place, f"{'Black' if name == 'B' else 'White'} moves twice in a row")
            moves.append((_sgf_point(value, place), place, name))
    written = {point.from_bottom: place for _, point, place in stones} | {
        point.from_bottom: at for point, at, _ in moves
    }
    if len(written) > 1:
        raise _Wrong(max(written.values()), "points are written in two ways, such as hh and h8")
    return stones, moves


def _sgf_points(value: str, place: int) -> Iterator[_Point]:
    """A point, or all of a rectangle ``aa:cc``."""
    corners = [_sgf_point(corner, place) for corner in value.split(":", 1)]
    one, other = corners[0], corners[-1]
    for column in range(min(one.column, other.column), max(one.column, other.column) + 1):
        for row in range(min(one.row, other.row), max(one.row, other.row) + 1):
            yield one._replace(column=column, row=row)


def _sgf_point(value: str, place: int) -> _Point:
    found = _SGF_POINT.fullmatch(value.strip())
    if found is None:
        raise _Wrong(place, f"{quoted(value)} is no point: two letters, as hh, or a letter and a number, as h8")
    column = ord(found[1].lower()) - ord("a")
    return _Point(column, ord(found[2].lower()) - ord("a")) if found[2] else _Point(column, int(found[3]) - 1, True)


def _sgf_first(nodes: Sequence[_Node], moves: Sequence[tuple[_Point, int, str]]) -> Side | None:
    """The side of the first move, which ``PL`` may name too."""
    first = _SIDES[moves[0][2]] if moves else None
    for value, place in (named for node in nodes for named in node.get("PL", [])):
        side = {"b": X, "1": X, "w": O, "2": O}.get(value.strip().lower()[:1])
        if side is None or first not in (None, side):
            raise _Wrong(place, "PL is B or W" if side is None else "PL names the other side than the first move")
        first = side
    return first


def _words_in(root: _Node, name: str) -> str:
    """A text of the root on one line, without its escapes; empty if it has none."""
    if name not in root:
        return ""
    text = re.sub(r"\\(?:\r\n|[\r\n])", "", root[name][0][0])
    return " ".join(re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL).split())[:_MAX_NAME]


# ---------------------------------------------------------------- Piskvork

_PSQ_HEADER = re.compile(r"\s*piskvorky\s+([0-9]{1,3})\s*x\s*([0-9]{1,3})([^\r\n]*)", re.IGNORECASE)
_PSQ_SETTINGS = re.compile(r"[\s0-9,:;-]*")
_PSQ_MOVE = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*(?:,\s*-?[0-9]+\s*){0,2}")
_PSQ_CODE = re.compile(r"\s*-?[0-9]+\s*(?:,\s*[A-Za-z][^,]*)?")
_PSQ_SPOILT_MOVE = re.compile(r"\s*[0-9-].*|.*,\s*[0-9]+\s*")
_LINE = re.compile(r"[^\r\n]+")


def _read_psq(text: str, header: re.Match[str]) -> _Written:
    """The moves up to the first line that is none; then the names of two players and codes of the program."""
    columns, rows, settings = header.groups()
    if not _PSQ_SETTINGS.fullmatch(settings):
        raise _Wrong(header.start(3), f"{quoted(settings.strip())} in the header is unknown")
    points: list[tuple[_Point, int, str]] = []
    names: list[str] = []
    after_moves = False
    for line in _LINE.finditer(text, header.end()):
        place, move = line.start(), _PSQ_MOVE.fullmatch(line[0])
        if not line[0].strip():
            continue
        if len(points) == MAX_CELLS:
            raise _Wrong(place, f"a game has at most {MAX_CELLS} moves")
        if move is not None and not after_moves and int(move[1]) and int(move[2]):
            points.append((_Point(int(move[1]) - 1, int(move[2]) - 1), place, line[0]))
            continue
        if move is not None:
            raise _Wrong(place, "a move after the last one" if after_moves else "x and y count from 1")
        after_moves = True
        if _PSQ_CODE.fullmatch(line[0]):
            continue
        if _PSQ_SPOILT_MOVE.fullmatch(line[0]) or len(names) == len(NAMES):
            raise _Wrong(place, f"{quoted(line[0].strip())} is no move x,y,time and no name of a player")
        names.append(" ".join(line[0].split())[:_MAX_NAME])
    first, second = [*names, None, None][:2]
    size = _size(rows, columns, header.start(1))
    return _Written("psq", size, "gomoku", points, players={"X": first, "O": second})


# ---------------------------------------------------------------- moves and addresses

_TAG = re.compile(r'\s*\[\s*([A-Za-z]\w{0,40})\s+"((?:[^"\\\r\n]|\\.)*+)"\s*\]')
_TAGS_OF = {"Black": "X", "X": "X", "White": "O", "O": "O"}
_MAX_ADDRESS = 16_000
_ADDRESS = re.compile(r"\s*+(?=\S*?(?:://|[?#]))\S++\s*+")
_GOMOCALC = re.compile(r"/?((?:[A-Za-z][0-9]{1,2})+)/?")


def _read_moves(text: str) -> _Written:
    at, tags = 0, dict[str, str]()
    while found := _TAG.match(text, at):
        tags[found[1]] = found[2]
        at = found.end()
    moves, result = reading.split_result(text[at:])
    players: Players = {"X": None, "O": None}
    for name, value in tags.items():
        if name in _TAGS_OF and value.strip():
            players["X" if _TAGS_OF[name] == "X" else "O"] = " ".join(value.split())[:_MAX_NAME]
    # Programs that write tags do not agree on whose win 1-0 is.
    result = result or tags.get("Result")
    result = None if result == tables.UNFINISHED else result
    return _Written("moves", text=moves, at=at, players=players, result=result, compared=not tags)


def _read_address(text: str) -> _Written:
    address = text.strip()
    if len(address) > _MAX_ADDRESS:
        raise _Wrong(text.index(address), f"an address has at most {_MAX_ADDRESS} characters")
    try:
        parts = urlsplit(address)
        query = parts.query + ("&" + parts.fragment if "=" in parts.fragment else "")
        sent = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=_MAX_PARAMETERS))
    except ValueError as wrong:
        raise _Wrong(text.index(address), f"no address: {wrong}") from None
    fields = _fields_of(sent, text)
    if "pos" in sent:
        return _Written("address", {"game": "connect-four"} | fields, text=sent["pos"], at=text.index("pos=") + 4)
    moves = sent.get("moves", "")
    if "moves" in sent or fields:
        at = max(text.find("moves="), 0)
        if fields.get("layers", 1) > 1 or fields.get("game") in ("qubic", "score-four"):
            return _Written("address", fields, words=moves.split(".") if moves else (), at=at)
        return _Written("address", fields, text=moves, at=at + len("moves="))
    if found := _GOMOCALC.fullmatch(parts.fragment):
        return _Written("address", {}, "gomoku", text=found[1], at=text.rindex(found[1]))
    raise _Wrong(text.index(address), "no address with a game that is known, such as ?pos=4453 or #/h8h9")


_PARAMETERS = {
    **dict.fromkeys(("game", "board", "first"), "choice"),
    **dict.fromkeys(("rows", "columns", "layers"), "integer"),
    "composed": "switch",
    **{name: rule.kind for name, rule in RULES.items()},
}
"""The kinds of the fields that an address may have."""


def _fields_of(sent: Mapping[str, str], text: str) -> dict[str, Any]:
    """The fields of a request among the parameters of an address."""
    fields: dict[str, Any] = {}
    for name in filter(sent.__contains__, _PARAMETERS):
        value, kind = sent[name], _PARAMETERS[name]
        at = max(text.find(f"{name}="), 0)
        if kind == "integer":
            if not re.fullmatch("[0-9]{1,3}", value):
                raise _Wrong(at, f"{name} is a whole number, not {quoted(value)}")
            fields[name] = int(value)
        elif kind == "switch":
            if value not in ("true", "false"):
                raise _Wrong(at, f"{name} is true or false, not {quoted(value)}")
            fields[name] = value == "true"
        else:
            fields[name] = value.split(",") if kind == "list" else value
    return fields


def _on_layers(word: str, at: int, rules: Rules) -> NamedMove:
    """A move of a link on a board with layers: ``2b3``, or ``b3`` where marks fall, or a tile."""
    found = _ON_LAYERS.fullmatch(word)
    tile, layer, letter, number = found.groups() if found else (None,) * 4
    column = ord(letter) - ord("a") if letter else 0
    row = rules.rows - int(number) if number else 0
    is_on_board = column < rules.columns and row >= 0 and int(layer or 1) <= rules.layers
    if found is None or not is_on_board or int(tile or 1) > rules.cells or not (tile or layer or rules.gravity):
        raise _Wrong(at, f"{quoted(word)} is no move on this board with layers, such as 1a1, or a1 where marks fall")
    stack = row * rules.columns + column
    cell = int(tile) - TILE if tile else (int(layer or 1) - 1) * rules.stacks + stack
    return NamedMove(cell if tile or layer else None, cell % rules.stacks)


_ON_LAYERS = re.compile(r"([1-9][0-9]{0,2})|([1-9][0-9]?)?([a-y])([1-9][0-9]?)")


# ---------------------------------------------------------------- bytes


def _decoded(data: bytes) -> str:
    """The text of a file."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    charset = _SGF_CHARSET.search(data) if b"(" in data else None
    names = ["utf-8", "latin-1"]
    if charset is not None and not data.startswith(codecs.BOM_UTF8):
        name = charset[1].decode("ascii", "replace")
        try:
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            codec = ""
        if not _TEXT_CODEC.match(codec):
            raise NotationError(POINTER, f"the charset {quoted(name)} in CA is unknown")
        names = [codec]
    for name in names:
        try:
            return data.decode(name)
        except UnicodeDecodeError as wrong:
            place = len(data[: wrong.start].decode(name, "replace"))
            where = _line_and_column(data[: wrong.start].decode(name, "replace"), place)
    raise NotationError(POINTER, f"{where}: no text in {names[-1]}")
