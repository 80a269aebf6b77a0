"""Labels rows: reads their positions, in NumPy where possible, and values them. Runs in worker processes."""

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kinarow.errors import InputError, NotationError, quoted
from kinarow.game import position_arrays as boards
from kinarow.game.notation import writes_columns
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, NAMES, O, Rules, X
from kinarow.reading.moves import as_counted
from kinarow.reading.moves import counted_otherwise as only_other
from kinarow.reading.positions import read_position, read_start
from kinarow.search import bulk
from kinarow.search_types import Limits, Stop
from kinarow.strict_json import NotJson, parse

POSITION_COLUMNS = ("moves", "board", "to_move", "composed")
Columns = Mapping[str, Sequence[Any]]
"""Position columns by name, with texts, numbers, lists or booleans as in a request; None means no value."""


class BadRow(str):
    """The reason why a row can't be read; replaces each of its values."""


ERROR = "error"
"""The last label column: the reason of a bad row, null in good rows."""

LABELS = pa.schema(
    {
        "score": pa.float64(),
        "outcome": pa.string(),
        "distance": pa.int16(),
        "distance_is_bound": pa.bool_(),
        "proven": pa.bool_(),
        "best_moves": pa.list_(pa.int16()),
        "best_moves_complete": pa.bool_(),
    }
)

_OF_MOVES = [("tile", pa.int16()), ("score", pa.float64()), ("distance_is_bound", pa.bool_()), ("proven", pa.bool_())]
VALUES = pa.field("values", pa.list_(pa.struct(_OF_MOVES)))
"""The label column that ``--values`` adds."""

_NO_MARK = 255
_MARKS = np.full(256, _NO_MARK, np.uint8)
for _text, _mark in ((b"Xx", X), (b"Oo", O), (b".", EMPTY)):  # boards with other characters are read one by one
    _MARKS[list(_text)] = _mark
_ZERO = ord("0")


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """The options of all rows; raises ``InputError`` if the rules are impossible."""

    fields: dict[str, Any]  # the rule fields, the size and ``composed`` of all rows
    max_nodes: int | None = None
    values: bool = False  # True adds the value of every move
    empty_is_start: bool = False  # True reads a row with only an empty text as the empty board, not as a bad row
    moves_as: str | None = None  # one of ``tables.COUNTINGS``; by default texts are text and lists are tiles

    def __post_init__(self) -> None:
        if {"rows", "columns"} <= self.fields.keys() or "game" in self.fields:
            self.rules()

    def rules(self) -> Rules:
        """Return the rules of all rows; raise ``InputError`` if they are impossible, or the fields have no size."""
        return read_start(self.fields | {"first": "X"}).rules


def columns_of(options: LabelOptions) -> pa.Schema:
    """Return the schema of the label columns."""
    return LABELS.append(VALUES) if options.values else LABELS


def empty_labels(options: LabelOptions) -> pa.Table:
    """Return the label columns without rows."""
    return label_rows(options, {"moves": []})


def with_labels(options: LabelOptions, table: Any, prefix: str, error_column: str | None) -> Any:
    """Append the labels to a Table or RecordBatch; they are null in bad rows.

    ``prefix`` begins the names of the labels; ``error_column`` is a further column with the reasons of bad rows.
    Raises ``InputError`` if the table has no position columns.
    """
    if not isinstance(table, pa.Table | pa.RecordBatch):
        raise TypeError(f"label takes a pyarrow Table or RecordBatch, not {type(table).__name__}")
    rows = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    if rows.column_names and not {"moves", "board"} & {*rows.column_names}:
        raise InputError("/moves", f"the table has the columns {', '.join(rows.column_names)}; name one moves or board")
    for name in POSITION_COLUMNS:
        if rows.column_names.count(name) > 1:
            raise InputError(f"/{name}", f"the table has several columns named {name}; keep one")
    check_size(options, rows.column_names)
    added = label_rows(options, position_columns(rows) or {"moves": []})
    labels, reasons = added.drop_columns([ERROR]), added[ERROR]
    labels = labels.rename_columns([prefix + name for name in labels.column_names])
    if error_column is not None:
        if error_column in labels.column_names:
            raise InputError("/error_column", f"{error_column} is the name of a label column; choose another name")
        labels = labels.append_column(error_column, reasons)
    labelled = add_columns(rows, labels)
    if isinstance(table, pa.Table):
        return labelled
    columns = [column.combine_chunks() for column in labelled.columns]
    return pa.RecordBatch.from_arrays(columns, schema=labelled.schema)


def position_columns(rows: pa.Table) -> Columns:
    """Return the position columns of a table."""
    return {name: _values(rows, name) for name in POSITION_COLUMNS if name in rows.column_names}


def _values(rows: pa.Table, name: str) -> list[Any]:
    column, kind = rows[name], rows.schema.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):  # some programs write text as binary
        column = column.cast(pa.string())
    elif not (pa.types.is_null(kind) or any(is_one(kind) for is_one in _READ)):
        raise InputError(f"/{name}", f"the column {name} is {kind}; give text, numbers or lists")
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        raise InputError(f"/{name}", f"the column {name} has text that is not UTF-8") from None
    exact = _EXACT.get(str(kind))
    return [_Inexact(value) if exact and abs(value or 0) >= exact else value for value in values] if exact else values


_READ = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer, pa.types.is_floating,
    pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_boolean,
)  # fmt: skip


def add_columns(rows: pa.Table, labels: pa.Table) -> pa.Table:
    """Append the label columns to the rows."""
    check_names(rows.column_names, labels.column_names)
    for field in labels.schema:
        rows = rows.append_column(field, labels[field.name])
    return rows


def check_size(options: LabelOptions, names: Collection[str]) -> None:
    """Raise ``InputError`` if neither a column ``board`` nor the options give the size."""
    if names and "board" not in names:
        options.rules()  # raises if the size is missing


def check_names(names: Container[str], added: Iterable[str]) -> None:
    """Raise ``InputError`` if the input already has one of the added columns."""
    for name in added:
        if name in names:
            raise InputError(f"/{name}", f"the input has a column {name} already; set a prefix for the new columns")


def label_rows(options: LabelOptions, columns: Columns, stop: Stop | None = None) -> pa.Table:
    """Return the labels of rows, null in bad rows, and the column ``ERROR``; ``stop`` raises ``SearchStopped``."""
    columns = _as_counted(options, columns)
    first = next(iter(columns.values()))
    errors: list[str | None] = [value if isinstance(value, BadRow) else None for value in first]
    games, others = _read_in_numpy(
        options, {name: [None if _is_empty(name, value) else value for value in columns[name]] for name in columns}
    )
    by_rules: dict[Rules, dict[int, Position]] = {}
    for index in others:
        if errors[index]:
            continue
        try:
            position = read_position(_fields_of(options, columns, index))
        except InputError as wrong:
            pointer, detail = wrong.problems[0]
            errors[index] = f"{pointer or 'row'}: {detail}".encode("utf-8", "backslashreplace").decode()
        else:
            by_rules.setdefault(position.rules, {})[index] = position
    for rules, positions in by_rules.items():
        cells = np.array([np.frombuffer(position.cells, np.uint8) for position in positions.values()])
        sides = np.array([position.to_move for position in positions.values()], np.uint8)
        composed = np.full(len(cells), not rules.renju)  # read_position has already checked the counts of marks
        games.append(_Game(rules, np.array(list(positions)), bulk.check(cells, rules, sides, composed)))
    tables = [_labels(options, game, stop) for game in games] or [columns_of(options).empty_table()]
    places = np.concatenate([game.places for game in games] or [np.zeros(0, np.intp)])
    taken = np.full(len(first), -1)
    taken[places] = np.arange(len(places))
    labels = pa.concat_tables(tables).take(pa.array(taken, mask=taken < 0))
    return labels.append_column(ERROR, pa.array(errors, pa.string()))


def _as_counted(options: LabelOptions, columns: Columns) -> dict[str, list[Any]]:
    """Convert values to those of a request; a move that can't be counted as asked becomes a ``NotationError``."""
    read = {name: list(map(_to_request_value, values)) for name, values in columns.items() if name != "composed"}
    if "composed" in columns:
        read["composed"] = [_FLAGS.get(str(value).lower(), value) for value in columns["composed"]]
    if options.moves_as is not None and "moves" in read:
        read["moves"] = [_recount(value, options.moves_as) for value in read["moves"]]
    return read


def _recount(value: Any, counted: str) -> Any:
    if isinstance(value, float) or _is_empty("moves", value):
        return value
    if isinstance(value, str) and value.isdecimal() and counted in _DIGITS:
        return value.translate(_DIGITS[counted])  # digits can be read by NumPy
    try:
        return as_counted(value, counted)
    except NotationError as wrong:
        return wrong


_DIGITS = {"columns": {}, "columns-from-0": str.maketrans("0123456789", "123456789:")}  # to columns from 1; : is none


def counted_otherwise(options: LabelOptions, columns: Columns) -> str | None:
    """Return the only other value of ``moves_as`` under which all rows are possible, or None."""

    def possible(counted: str) -> bool:
        chosen = replace(options, moves_as=counted)
        rows = _as_counted(chosen, columns)
        try:
            for index, value in enumerate(rows["moves"]):
                if not _is_empty("moves", value):
                    read_position(_fields_of(chosen, rows, index))
        except InputError:
            return False
        return True

    return only_other(options.moves_as, possible) if "moves" in columns else None


class _Inexact(float):
    """A number that may have lost digits."""


_EXACT = {"float": 2.0**24, "halffloat": 2.0**11, "double": 2.0**53}  # greater floats can't hold every integer


def _to_request_value(value: Any) -> Any:
    """Convert a value to that of a request: integers, such as 4453.0 for moves, become text, and NaN becomes None.

    A text in brackets becomes a list; it may be JSON or printed by Python.
    """
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, str):
        if value[:1] == "[":
            try:
                return _whole(parse(value.replace("'", '"').replace("None", "null").encode("utf-8", "replace")))
            except NotJson:
                return value
        if not _FLOAT.fullmatch(value):
            return value
        value = _Inexact(value) if "e" in value.lower() else float(value)
    value = _whole(value)
    # In a text, the sign of a negative number would separate moves.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else value


_FLOAT = re.compile(r"[0-9]+\.0|[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+")  # tools write integer columns with gaps like this


def _whole(value: Any) -> Any:
    """Convert whole floats to integers, also in lists; those that may have lost digits become ``_Inexact``."""
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if not isinstance(value, float) or isinstance(value, _Inexact) or not value.is_integer():
        return value
    return int(value) if abs(value) < _EXACT["double"] else _Inexact(value)


_FLAGS = {"true": True, "1": True, "false": False, "0": False, "": None}


@dataclass(frozen=True, slots=True)
class _Game:
    """Positions with the same rules, and the indices of their rows."""

    rules: Rules
    places: NDArray[np.intp]
    boards: bulk.Checked


def _labels(options: LabelOptions, game: _Game, stop: Stop | None) -> pa.Table:
    limits = None if options.max_nodes is None else Limits(max_nodes=options.max_nodes)
    labels = bulk.values(game.boards, game.rules, limits, "all" if options.values else "best", stop)
    unknown = labels["distance"] < 0
    columns = [
        pa.array(labels["score"]),
        pa.array(labels["outcome"].tolist(), pa.string()),
        pa.array(labels["distance"], mask=unknown),
        pa.array(labels["distance_is_bound"]),
        pa.array(labels["proven"]),
        _lists(labels["best_moves"]),
        pa.array(labels["best_moves_complete"]),
    ]
    if options.values:
        values = [labels[name] for name in ("move_scores", "move_is_bound", "move_proven")]
        columns.append(_lists(~np.isnan(labels["move_scores"]), *values))
    return pa.Table.from_arrays(columns, schema=columns_of(options))


def _lists(flags: NDArray[np.bool_], *values: NDArray[Any]) -> pa.Array:
    """Return for each row the list of flagged tiles; with ``values``, of structs of a tile and its values."""
    offsets = np.concatenate([[0], np.cumsum(flags.sum(axis=1))]).astype(np.int32)
    items = pa.array((flags.nonzero()[1] + 1).astype(np.int16))
    if values:
        fields = [pa.array(each[flags]) for each in values]
        items = pa.StructArray.from_arrays([items, *fields], fields=list(VALUES.type.value_type))
    return pa.ListArray.from_arrays(pa.array(offsets), items)


def _fields_of(options: LabelOptions, columns: Columns, index: int) -> dict[str, Any]:
    """Return the request fields of a row; raise ``NotationError`` if it has no position."""
    sent = {name: column[index] for name, column in columns.items() if column[index] is not None}
    row = {name: value for name, value in sent.items() if not _is_empty(name, value)}
    if not row.keys() & {"board", "moves"}:
        empty = [name for name in ("board", "moves") if name in sent]
        if not empty:
            raise NotationError("/board", "board or moves is required")
        if not options.empty_is_start:
            advice = "with --empty-is-start (Python: empty_is_start) it is the empty board"
            raise NotationError(f"/{empty[0]}", f"the text is empty; {advice}")
        row["moves"] = ""
    for name, value in row.items():
        if isinstance(value, NotationError):
            raise value
        if isinstance(value, _Inexact):
            raise NotationError(f"/{name}", f"{float(value)!r} may have lost digits; keep {name} as text or integers")
    if not isinstance(row.get("composed", False), bool):
        raise NotationError("/composed", f"composed is true or false, not {quoted(row['composed'])}")
    return options.fields | row


def _is_empty(name: str, value: Any) -> bool:
    """Return True for a missing or unreadable value, an empty board or blank moves; a board of spaces has cells."""
    if value is None or isinstance(value, BadRow):
        return True
    return (value in ("", []) and name != "to_move") or (name == "moves" and isinstance(value, str) and value.isspace())


# ---------------------------------------------------------------- in NumPy


def _read_in_numpy(options: LabelOptions, columns: Columns) -> tuple[list[_Game], list[int]]:
    """Read rows in NumPy, which takes the common forms only; return them and the indices of all other rows."""
    count = len(next(iter(columns.values())))
    names = {name for name, column in columns.items() if any(value is not None for value in column)}
    texts = {name: [value if isinstance(value, str) else None for value in columns[name]] for name in names}
    try:
        rules = options.rules()
    except InputError:
        return [], list(range(count))  # each row's board may have another size
    if rules.layers > 1:
        return [], list(range(count))
    sides, composed = None, np.full(count, bool(options.fields.get("composed")))
    if "composed" in names:
        flags = columns["composed"]
        composed = np.array([composed[0] if flag is None else flag is True for flag in flags])
    if names == {"moves"} and not composed.any() and writes_columns(rules) and boards.lines_stand_alone(rules):
        cells, good = _replay_columns(texts["moves"], rules)
        sides = np.where((cells != EMPTY).sum(axis=1) % 2, O, X).astype(np.uint8)
    elif names - {"to_move", "composed"} == {"board"}:
        cells, good = _read_boards(texts["board"], rules)
        if "to_move" in names:
            sides = np.array([_SIDES.get(side, 0) for side in texts["to_move"]], np.uint8)
            good &= sides != 0
        if "composed" in names:
            good &= np.array([flag is None or isinstance(flag, bool) for flag in flags])
        if sides is None:
            good &= ~composed
    else:
        return [], list(range(count))
    places = np.flatnonzero(good)
    checked = bulk.check(cells[places], rules, None if sides is None else sides[places], composed[places])
    good[places] = checked.valid
    games = [_Game(rules, places[checked.valid], checked.only(checked.valid))]
    return games, np.flatnonzero(~good).tolist()


_SIDES: dict[str | None, int] = {name: side for side, name in NAMES.items()}


def _characters(texts: Sequence[str | None], width: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return texts as rows of bytes padded with zeros, and True for those that fit and have no zero."""
    encoded = [(text or "")[: width + 1].encode("ascii", "replace") for text in texts]
    characters = np.array(encoded, f"S{width + 1}").view(np.uint8).reshape(len(encoded), width + 1)
    sizes = np.array([-1 if text is None else len(text) for text in texts])
    return characters[:, :width], (characters[:, :width] != 0).sum(axis=1) == sizes


def _replay_columns(texts: Sequence[str | None], rules: Rules) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the boards after moves written as columns, and True for rows whose moves are legal."""
    digits, good = _characters(texts, rules.cells)
    cells = np.zeros((len(texts), rules.cells), np.uint8)
    before_last = cells.copy()
    height = np.zeros((len(texts), rules.columns), np.intp)
    for ply in range(rules.cells):
        rows = np.flatnonzero((digits[:, ply] != 0) & good)
        if not len(rows):
            break
        column = digits[rows, ply].astype(np.intp) - _ZERO - 1
        legal = (column >= 0) & (column < rules.columns)
        legal[legal] = height[rows[legal], column[legal]] < rules.rows
        good[rows] = legal
        rows, column = rows[legal], column[legal]
        before_last[rows] = cells[rows]
        cells[rows, (rules.rows - 1 - height[rows, column]) * rules.columns + column] = X if ply % 2 == 0 else O
        height[rows, column] += 1
    # A game ends with its first line, so the board before the last move may have none.
    good &= ~(boards.has_line(before_last == X, rules) | boards.has_line(before_last == O, rules))
    return cells, good


def _read_boards(texts: Sequence[str | None], rules: Rules) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the boards written with ``/`` between rows, and True for those that could be read."""
    width = rules.cells + rules.rows - 1
    characters, good = _characters(texts, width)
    separators = np.arange(rules.columns, width, rules.columns + 1)
    cells = _MARKS[np.delete(characters, separators, axis=1)]
    good &= (characters[:, separators] == ord("/")).all(axis=1)
    return cells, good & (cells != _NO_MARK).all(axis=1)
