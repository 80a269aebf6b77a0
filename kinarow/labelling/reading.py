"""Rows to label, in parts of a fixed number: those of a Parquet, CSV or JSON lines file, or all positions of a game.

One line of a text file is one row, whatever quotes or brackets it opens, so a broken line costs no other one. A row
that cannot be read is reported, not lost.
"""

import csv
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.game.boards import write_board
from kinarow.game.rules import NAMES, O, Rules, X
from kinarow.labelling.enumeration import layers
from kinarow.labelling.rows import TEXT_COLUMNS

MAX_LINE_CHARACTERS = 1 << 20  # a longer line of a file is a row that cannot be read
_TOO_LONG = f"the line has more than {MAX_LINE_CHARACTERS} characters"
_UNEXPECTED_END = "unexpected end of data"  # the csv module's words
_OPEN_QUOTE = "a quote is not closed"
_BREAKS = ("\n", "\r")
T = TypeVar("T")
_FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json"}


class InputFileError(Exception):
    """The input cannot be labelled; the message is one line."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some consecutive rows of the input.

    Attributes:
        index: from 0.
        rows: those that could be read.
        numbers: the number of each in the input, from 1.
        errors: the numbers of the others, each with the reason.
    """

    index: int
    rows: pa.Table
    numbers: list[int]
    errors: list[tuple[int, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many rows of the input it stands for."""
        return len(self.numbers) + len(self.errors)


def read_parts(path: Path, part_rows: int, *, multiline: bool = False) -> Iterator[Part]:
    """The input in parts; each but the last stands for ``part_rows`` rows.

    With ``multiline`` the quoted fields of a CSV file may hold line breaks, ``moves`` and ``board`` apart. A file of
    another format, or with neither a column ``moves`` nor ``board``, is an ``InputFileError``.
    """
    kind = _format_of(path)
    if kind == "parquet":
        parts = _parquet_parts(path, part_rows)
    else:
        parts = _text_parts(path, part_rows, kind, multiline)
    for part in parts:
        if part.rows.num_columns and not {"moves", "board"} & set(part.rows.column_names):
            raise InputFileError(f"{path} has no column moves or board, but {', '.join(part.rows.column_names)}")
        yield part


def count_rows(path: Path) -> int:
    """The number of rows of a Parquet file, or of the lines of a text file below its header."""
    kind = _format_of(path)
    if kind == "parquet":
        try:
            return int(pq.read_metadata(path).num_rows)
        except pa.ArrowException as failure:
            raise InputFileError(f"{path}: {failure}") from failure
    header_lines = 1 if kind == "csv" else 0
    return max(0, _count_lines(path) - header_lines)


def _count_lines(path: Path) -> int:
    """The lines of a file, each ended by LF, CR, CRLF or the end of the file."""
    count, last = 0, b""
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            count += block.count(b"\n") + block.count(b"\r") - (last + block).count(b"\r\n")
            last = block[-1:]
    return count + (last not in (b"", b"\n", b"\r"))


def _format_of(path: Path) -> str:
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise InputFileError(f"{path}: the name of a file ends in one of {', '.join(_FORMATS)}")
    return kind


def _parquet_parts(path: Path, part_rows: int) -> Iterator[Part]:
    try:
        with pq.ParquetFile(path) as file:
            waiting, first, index = pa.table({}), 1, 0
            for batch in file.iter_batches(batch_size=part_rows):
                table = _with_text(pa.Table.from_batches([batch]))
                waiting = pa.concat_tables([waiting, table]) if len(waiting) else table
                while len(waiting) >= part_rows:
                    yield Part(index, waiting[:part_rows], list(range(first, first + part_rows)))
                    waiting, first, index = waiting[part_rows:], first + part_rows, index + 1
            if len(waiting) or index == 0:
                rows = waiting if len(waiting) else _with_text(file.schema_arrow.empty_table())
                yield Part(index, rows, list(range(first, first + len(rows))))
    except pa.ArrowException as failure:
        raise InputFileError(f"{path}: {failure}") from failure


def _with_text(table: pa.Table) -> pa.Table:
    for name in TEXT_COLUMNS:
        if name in table.column_names:
            place = table.column_names.index(name)
            table = table.set_column(place, name, table[name].cast(pa.string()))
    return table


def _text_parts(path: Path, part_rows: int, kind: str, multiline: bool) -> Iterator[Part]:
    newline = "" if multiline else None  # only a field with several lines keeps its kind of line break
    with path.open(encoding="utf-8-sig", errors="backslashreplace", newline=newline) as file:
        if kind == "csv":
            yield from _csv_parts(file, path, part_rows, multiline)
        else:
            yield from _json_parts(file, part_rows)


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of a file. One of more than ``MAX_LINE_CHARACTERS`` is cut after the first character too many."""
    while line := file.readline(MAX_LINE_CHARACTERS + 1):
        if len(line) > MAX_LINE_CHARACTERS:
            rest = line
            while rest and not rest.endswith(_BREAKS):
                rest = file.readline(MAX_LINE_CHARACTERS)
        yield line


def _csv_parts(file: TextIO, path: Path, part_rows: int, multiline: bool) -> Iterator[Part]:
    """The rows of a CSV file; all columns are text."""
    lines = _lines(file)
    names = _csv_row(next(lines, ""))
    if isinstance(names, str) or names == [""]:
        raise InputFileError(f"{path} has no line with the names of its columns")
    if len(set(names)) != len(names):
        raise InputFileError(f"{path} has two columns of one name")
    rows = _multiline_rows(lines, names) if multiline else (_fitting(_csv_row(line), names) for line in lines)
    for index, taken in _chunks(rows, part_rows):
        good = [row for _, row in taken if isinstance(row, list)]
        columns = zip(*good, strict=True) if good else [[] for _ in names]
        table = pa.table([pa.array(column, pa.string()) for column in columns], names)
        numbers = [number for number, row in taken if isinstance(row, list)]
        yield Part(index, table, numbers, [(number, row) for number, row in taken if isinstance(row, str)])


def _chunks(rows: Iterable[T], size: int) -> Iterator[tuple[int, list[tuple[int, T]]]]:
    """Lists of ``size`` rows with their numbers, from 1, and the index of each list; at least one list."""
    numbered = enumerate(rows, 1)
    for index in count():
        taken = list(islice(numbered, size))
        if taken or index == 0:
            yield index, taken
        if len(taken) < size:
            return


def _csv_row(line: str) -> list[str] | str:
    """The fields of a line of CSV, or why it has none."""
    if '"' in line:
        return _next_row([line])
    return _TOO_LONG if len(line) > MAX_LINE_CHARACTERS else line.rstrip("\r\n").split(",")


def _next_row(lines: Iterable[str]) -> list[str] | str:
    """The fields of the row that begins with the first of these lines, or why it has none; takes no line after it."""
    reader = csv.reader(_not_too_long(lines), strict=True)
    try:
        return next(reader)
    except csv.Error as failure:
        return f"not a row of CSV: {_OPEN_QUOTE if str(failure) == _UNEXPECTED_END else failure}"


def _not_too_long(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if len(line) > MAX_LINE_CHARACTERS:
            raise csv.Error(_TOO_LONG)
        yield line


def _fitting(row: list[str] | str, names: Sequence[str]) -> list[str] | str:
    """The row if it has a field for each name, otherwise why it cannot be read."""
    if len(row) == len(names) or isinstance(row, str):
        return row
    return f"the row has {len(row)} fields, the first line {len(names)}"


def _multiline_rows(lines: Iterator[str], names: Sequence[str]) -> Iterator[list[str] | str]:
    """Rows whose quoted fields may hold line breaks.

    If the lines that a quote joins make no row, only the first of them is a bad row. The others are read again, each by
    itself, so a stray quote loses none of them.
    """
    one_line = [place for place, name in enumerate(names) if name in TEXT_COLUMNS]
    ahead: deque[str] = deque()
    while line := ahead.popleft() if ahead else next(lines, ""):
        row = _fitting(_csv_row(line), names)
        if isinstance(row, str) and '"' in line:
            taken: list[str] = []
            row = _fitting(_next_row(chain([line], _taken(ahead, lines, taken))), names)
            for place in one_line:
                if isinstance(row, list) and any(each in row[place] for each in _BREAKS):
                    row = f"a line break in {names[place]}"
            if isinstance(row, str):
                ahead.extendleft(reversed(taken))
        yield row


def _taken(ahead: deque[str], lines: Iterator[str], taken: list[str]) -> Iterator[str]:
    """The next lines, first those ahead; all that are taken stand in ``taken`` then."""
    while line := ahead.popleft() if ahead else next(lines, ""):
        taken.append(line)
        yield line


def _json_parts(file: TextIO, part_rows: int) -> Iterator[Part]:
    """The objects of a file of JSON lines; the first part says which columns there are."""
    schema = None
    for index, taken in _chunks(_json_rows(file), part_rows):
        good = [(number, row) for number, row in taken if isinstance(row, dict)]
        errors = [(number, row) for number, row in taken if not isinstance(row, dict)]
        if schema is None:
            schema = _schema_of([row for _, row in good])
        yield _part(index, good, errors, schema)


Row = dict[str, Any] | str  # a JSON object, or why it cannot be read


def _json_rows(file: TextIO) -> Iterator[Row]:
    for line in _lines(file):
        if len(line) > MAX_LINE_CHARACTERS:
            yield _TOO_LONG
            continue
        if not line.strip():
            yield "the line is empty"
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as failure:
            yield f"not JSON: {failure}"
            continue
        yield row if isinstance(row, dict) else "not a JSON object"


def _schema_of(rows: list[dict[str, Any]]) -> pa.Schema:
    """The columns of the first rows of JSON lines, by what their values are; a mixed column is text."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    fields = []
    for name in names:
        try:
            kind = pa.array([row.get(name) for row in rows]).type
        except pa.ArrowException:
            kind = pa.string()
        fields.append((name, pa.string() if name in TEXT_COLUMNS or pa.types.is_null(kind) else kind))
    return pa.schema(fields)


def _part(index: int, good: list[tuple[int, dict[str, Any]]], errors: list[tuple[int, str]], schema: pa.Schema) -> Part:
    """The part with these rows; those that do not fit the columns become errors."""
    try:
        table = _table([row for _, row in good], schema)
        numbers = [number for number, _ in good]
    except (pa.ArrowException, ValueError):
        tables, numbers = [schema.empty_table()], []
        for number, row in good:
            try:
                tables.append(_table([row], schema))
                numbers.append(number)
            except (pa.ArrowException, ValueError) as failure:
                errors = [*errors, (number, f"not like the first rows: {failure}")]
        table = pa.concat_tables(tables)
    return Part(index, table, numbers, sorted(errors))


def _table(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table; a ``ValueError`` where a row has a column that the schema lacks, or moves that are no text."""
    known = set(schema.names)
    for row in rows:
        if more := row.keys() - known:
            raise ValueError(f"the column {min(more)!r:.100} is new")
        for name in TEXT_COLUMNS:
            if not isinstance(row.get(name), str | None):
                raise ValueError(f"{name} is no text")
    return pa.Table.from_pylist(rows, schema)


def all_parts(rules: Rules, part_rows: int, *, symmetry: bool) -> Iterator[Part]:
    """Every position that games of X reach, layer by layer, with the columns ``marks``, ``board`` and ``to_move``.

    Parts have ``part_rows`` at most, and each layer begins a new one. With ``symmetry`` one of symmetric positions
    counts.
    """
    index, number = 0, 1
    for layer in layers(rules, symmetry=symmetry):
        marks = int(np.isin(layer[0], (X, O)).sum())
        for at in range(0, len(layer), part_rows):
            boards = layer[at : at + part_rows]
            rows = pa.table(
                {
                    "marks": pa.array([marks] * len(boards), pa.int16()),
                    "board": [write_board(board.tobytes(), rules) for board in boards],
                    "to_move": [NAMES[X if marks % 2 == 0 else O]] * len(boards),
                }
            )
            yield Part(index, rows, list(range(number, number + len(boards))))
            index, number = index + 1, number + len(boards)
