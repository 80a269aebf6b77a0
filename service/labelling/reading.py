"""Rows to label, in parts of a fixed number: those of a Parquet, CSV or JSON lines file, or all positions of a game.

An unreadable row is reported, not lost.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.game.notation import write_board
from kinarow.game.rules import NAMES, O, Rules, X
from kinarow.search.enumeration import layers

MAX_LINE_CHARACTERS = 1 << 20  # a longer line of a file is a row that cannot be read
TEXT_COLUMNS = ("moves", "board", "to_move")  # the columns that describe a position; they are always text
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


def read_parts(path: Path, part_rows: int) -> Iterator[Part]:
    """The input in parts; each but the last stands for ``part_rows`` rows.

    A file of another format, or with neither a column ``moves`` nor ``board``, is an ``InputFileError``.
    """
    kind = _format_of(path)
    parts = _parquet_parts(path, part_rows) if kind == "parquet" else _text_parts(path, part_rows, kind)
    for part in parts:
        if part.rows.num_columns and not {"moves", "board"} & set(part.rows.column_names):
            raise InputFileError(f"{path} has no column moves or board, but {', '.join(part.rows.column_names)}")
        yield part


def count_rows(path: Path) -> int:
    """How many rows the input has, nearly: of a text file its lines."""
    if _format_of(path) == "parquet":
        try:
            return int(pq.read_metadata(path).num_rows)
        except pa.ArrowException as failure:
            raise InputFileError(f"{path}: {failure}") from failure
    with path.open("rb") as lines:
        count = sum(block.count(b"\n") for block in iter(lambda: lines.read(1 << 20), b""))
    return max(0, count - (_format_of(path) == "csv"))


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


def _text_parts(path: Path, part_rows: int, kind: str) -> Iterator[Part]:
    with path.open(encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
        yield from _csv_parts(file, path, part_rows) if kind == "csv" else _json_parts(file, part_rows)


def _csv_parts(file: TextIO, path: Path, part_rows: int) -> Iterator[Part]:
    """The rows of a CSV file; all columns are text."""
    reader = csv.reader(file, strict=True)
    try:
        names = next(reader, [])
    except csv.Error:
        names = []
    if not names:
        raise InputFileError(f"{path} has no line with the names of its columns")
    if len(set(names)) != len(names):
        raise InputFileError(f"{path} has two columns of one name")
    first = 1
    for index in count():
        rows, ended = _csv_rows(reader, part_rows, len(names))
        if not rows and index:
            return
        good = [row for row in rows if isinstance(row, list)]
        columns = zip(*good, strict=True) if good else [[] for _ in names]
        table = pa.table([pa.array(column, pa.string()) for column in columns], names)
        numbers = [number for number, row in enumerate(rows, first) if isinstance(row, list)]
        errors = [(number, row) for number, row in enumerate(rows, first) if isinstance(row, str)]
        yield Part(index, table, numbers, errors)
        if ended:
            return
        first += len(rows)


def _csv_rows(reader: Iterator[list[str]], most: int, width: int) -> tuple[list[list[str] | str], bool]:
    """The next rows, and whether the file has ended. The reason stands in place of a row that cannot be read."""
    rows: list[list[str] | str] = []
    ended = False
    while len(rows) < most and not ended:
        taken: list[list[str] | str] = []
        wanted = most - len(rows)
        try:
            # One call reads many rows, which is several times as quick as a call for each.
            taken.extend(islice(reader, wanted))
            ended = len(taken) < wanted
        except csv.Error as failure:  # ``taken`` already holds the rows before the failure
            taken.append(f"not a row of CSV: {failure}")
        rows += [row for row in taken if row]
    for place, row in enumerate(rows):
        if len(row) != width and isinstance(row, list):
            rows[place] = f"the row has {len(row)} fields, the first line {width}"
    return rows, ended


def _json_parts(file: TextIO, part_rows: int) -> Iterator[Part]:
    """The objects of a file of JSON lines; the first part says which columns there are."""
    numbered = enumerate(_json_rows(file), 1)
    schema = None
    for index in count():
        taken = list(islice(numbered, part_rows))
        if not taken and index:
            return
        good = [(number, row) for number, row in taken if isinstance(row, dict)]
        errors = [(number, row) for number, row in taken if not isinstance(row, dict)]
        if schema is None:
            schema = _schema_of([row for _, row in good])
        yield _part(index, good, errors, schema)
        if len(taken) < part_rows:
            return


Row = dict[str, Any] | str  # a JSON object, or why it cannot be read


def _json_rows(file: TextIO) -> Iterator[Row]:
    while line := file.readline(MAX_LINE_CHARACTERS):
        if len(line) == MAX_LINE_CHARACTERS and not line.endswith("\n"):
            while (rest := file.readline(MAX_LINE_CHARACTERS)) and not rest.endswith("\n"):
                pass
            yield f"the line has more than {MAX_LINE_CHARACTERS} characters"
        elif line.strip():
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
