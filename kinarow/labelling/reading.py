"""Files of rows: Parquet, CSV and JSON lines, plain or compressed by gzip, read one block after the other.

One line of a text file is one row, whatever quotes or brackets it opens, so a broken line costs no other one. A row
that cannot be read is reported, not lost. A JSON line keeps the text of its values.
"""

import csv
import gzip
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.errors import quoted, several
from kinarow.labelling import json_values
from kinarow.labelling.rows import POSITION_COLUMNS, column_values

MAX_LINE_CHARACTERS = 1 << 20  # a longer line of a file is a row that cannot be read
_TOO_LONG = f"the line has more than {MAX_LINE_CHARACTERS} characters"
_NOT_UTF8 = "the line is not UTF-8"
_UNEXPECTED_END = "unexpected end of data"  # the csv module's words
_OPEN_QUOTE = "a quote is not closed"
_BREAKS = ("\n", "\r")
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"  # how such files begin
_AT_ONCE = 4096  # rows of a block where a file is only counted

FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "tsv", ".jsonl": "json", ".ndjson": "json"}
"""By the end of a file's name its format. Behind each but Parquet's may stand ``.gz``."""

Block = Any
"""Consecutive rows of a file: a table, rows of CSV, or JSON lines. A row of CSV is its fields, or why it has none."""


class InputFileError(Exception):
    """The input cannot be labelled, or the output not be written; the message is one line."""


class Positions(NamedTuple):
    """The columns of a block that describe positions, and for each row why it cannot be read, or None."""

    columns: dict[str, list[Any]]
    errors: list[str | None]


def format_of(name: str) -> tuple[str | None, bool]:
    """The format that the end of a name says, None for an unknown one, and whether it is compressed."""
    path = Path(name.lower())
    compressed = path.suffix == ".gz"
    kind = FORMATS.get(Path(path.stem).suffix if compressed else path.suffix)
    return None if compressed and kind == "parquet" else kind, compressed


def open_rows(path: Path, *, multiline: bool = False, typed: bool = True) -> "RowFile":
    """The rows of a file, which is read once to count them.

    Args:
        multiline: whether the quoted fields of CSV may hold line breaks, ``moves`` and ``board`` apart.
        typed: whether the columns of JSON lines will be asked for.

    Raises:
        InputFileError: the file has another format, or neither a column ``moves`` nor ``board``.
    """
    kind, _ = format_of("a.jsonl" if path.name.lower().endswith((".json", ".json.gz")) else path.name)
    if kind is None:
        raise InputFileError(f"{path}: the name of a file ends in one of {', '.join(FORMATS)}, perhaps with .gz")
    if path.is_fifo():  # it would wait for ever when it is read again
        raise InputFileError(f"{path} can be read only once; write it to a file")
    with path.open("rb") as file:
        if (file.read(len(_PARQUET)) == _PARQUET) != (kind == "parquet"):
            raise InputFileError(f"{path} is {'not a' if kind == 'parquet' else 'a'} Parquet file")
    rows: RowFile
    if kind == "parquet":
        rows = ParquetRows(path)
    else:
        rows = JsonRows(path, typed=typed) if kind == "json" else CsvRows(path, multiline=multiline)
    if rows.names and not {"moves", "board"} & {*rows.names}:
        raise InputFileError(f"{path} has no column moves or board, but {_shown(rows.names)}")
    if len(set(rows.names)) != len(rows.names):
        raise InputFileError(f"{path} has two columns of one name")
    return rows


def _shown(names: Sequence[str]) -> str:
    """Names of columns in an error; those of a file of another kind may be anything."""
    text = ", ".join(names)
    return text if text.isprintable() and len(text) < MAX_SHOWN else quoted(text)


MAX_SHOWN = 200

# ---------------------------------------------------------------- tables


@contextmanager
def named(place: str) -> Iterator[None]:
    """Name the file in an error of Arrow, which does not; the system's own errors do."""
    try:
        yield
    except (pa.ArrowException, OSError) as failure:
        if getattr(failure, "errno", None) is not None:
            raise
        raise InputFileError(f"{place}: {str(failure).strip()}") from failure


class TableRows:
    """The rows of a table.

    Attributes:
        names: its columns.
        count: how many there are.
    """

    def __init__(self, table: pa.Table) -> None:
        self.names, self.count = table.column_names, len(table)
        self._table = table

    def blocks(self, size: int) -> Iterator[pa.Table]:
        """The rows in blocks of ``size``, but for the last one; at least one block."""
        return regrouped([self._table], size)

    def positions(self, block: pa.Table) -> Positions:
        """The positions of a block."""
        columns = {name: column_values(block, name) for name in POSITION_COLUMNS if name in self.names}
        return Positions(columns, [None] * len(block))

    def kept(self, block: pa.Table, flags: Sequence[bool]) -> pa.Table:
        """The rows of a block that have a flag."""
        return block.filter(pa.array(flags, pa.bool_()))

    def table(self, block: pa.Table) -> pa.Table:
        """The columns of a block of rows that can be read."""
        return block

    def objects(self, block: pa.Table) -> Iterable[str]:
        """Such rows as JSON objects."""
        return map(json_values.as_json, json_values.plain(block).to_pylist())


class ParquetRows(TableRows):
    """The rows of a Parquet file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._opened() as file:
            super().__init__(file.schema_arrow.empty_table())
            self.count = file.metadata.num_rows

    @contextmanager
    def _opened(self) -> Iterator[pq.ParquetFile]:
        with named(str(self._path)), pq.ParquetFile(self._path) as file:
            yield file

    def blocks(self, size: int) -> Iterator[pa.Table]:
        """The rows in blocks of ``size``, but for the last one; at least one block."""
        with self._opened() as file:
            batches = file.iter_batches(batch_size=size)
            yield from regrouped(chain([self._table], (pa.Table.from_batches([batch]) for batch in batches)), size)


def regrouped(tables: Iterable[pa.Table], size: int) -> Iterator[pa.Table]:
    """The rows of tables in tables of ``size``, but for the last one; at least one table."""
    waiting, begun = None, False
    for table in tables:
        waiting = table if waiting is None or not len(waiting) else pa.concat_tables([waiting, table])
        while len(waiting) >= size:
            yield waiting[:size]
            waiting, begun = waiting[size:], True
    if waiting is not None and (len(waiting) or not begun):
        yield waiting


# ---------------------------------------------------------------- lines


@contextmanager
def _text(path: Path, newline: str | None = None) -> Iterator[TextIO]:
    """A text file, perhaps compressed; bytes that are not UTF-8 are read as lone surrogates."""
    with path.open("rb") as raw:
        compressed = raw.read(len(_GZIP)) == _GZIP
        raw.seek(0)
        file = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if compressed else raw
        try:
            with TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline) as text:
                yield text
        except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
            raise InputFileError(f"{path} is not a whole file of gzip: {failure}") from failure


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of a file. One of more than ``MAX_LINE_CHARACTERS`` is cut after the first character too many."""
    while line := file.readline(MAX_LINE_CHARACTERS + 1):
        if len(line) > MAX_LINE_CHARACTERS:
            rest = line
            while rest and not rest.endswith(_BREAKS):
                rest = file.readline(MAX_LINE_CHARACTERS)
        yield line


def _wrong(line: str) -> str | None:
    """Why a line cannot be read, whatever it says; None if it can."""
    if len(line) > MAX_LINE_CHARACTERS:
        return _TOO_LONG
    return None if line.isascii() or json_values.is_unicode(line) else _NOT_UTF8


class _Lines:
    """The rows of a text file."""

    count: int

    def blocks(self, size: int) -> Iterator[list[Any]]:
        """The rows in blocks of ``size``, but for the last one; at least one block."""
        rows, begun = self._rows(), False
        while (block := list(islice(rows, size))) or not begun:
            yield block
            begun = True

    def _rows(self) -> Iterator[Any]:
        raise NotImplementedError

    def kept(self, block: list[Any], flags: Sequence[bool]) -> list[Any]:
        """The rows of a block that have a flag."""
        return list(compress(block, flags))


class JsonRows(_Lines):
    """The objects of a file of JSON lines.

    Attributes:
        names: all names in them.
        count: the number of lines.
    """

    def __init__(self, path: Path, *, typed: bool) -> None:
        self._path = path
        self.count = 0
        columns = json_values.Columns()
        for line in self._rows():
            self.count += 1
            row = _read(line)
            if isinstance(row, dict):
                columns.add(json_values.texts_of(line) if typed else dict.fromkeys(row, "null"))
        self._types = columns.types()
        self.names = list(self._types)

    def _rows(self) -> Iterator[str]:
        with _text(self._path) as file:
            lines = _lines(file)
            first = next(lines, "")
            for opened, advice in (("[", "jq -c '.[]'"), ("{", "jq -c .")):
                if first.strip() == opened or (opened == "[" and first.lstrip().startswith(opened)):
                    raise InputFileError(f"{self._path} is JSON of several rows; write one object a line: {advice}")
            yield from chain([first] if first else [], lines)

    def positions(self, block: list[str]) -> Positions:
        """The positions of a block."""
        rows = [_read(line) for line in block]
        errors = [row if isinstance(row, str) else None for row in rows]
        names = [name for name in POSITION_COLUMNS if name in self._types]
        columns = {name: [row.get(name) if isinstance(row, dict) else None for row in rows] for name in names}
        return Positions(columns or {"moves": [None] * len(rows)}, errors)

    def table(self, block: list[str]) -> pa.Table:
        """The columns of a block of rows that can be read."""
        rows = [json_values.texts_of(line) for line in block]
        columns = {}
        for name, kind in self._types.items():
            texts = (row.get(name) for row in rows)
            columns[name] = pa.array([None if text is None else kind.read(text) for text in texts], kind.type)
        return pa.table({json_values.column_name(name): column for name, column in columns.items()})

    def objects(self, block: list[str]) -> Iterable[str]:
        """Such rows as JSON objects."""
        return map(str.strip, block)


def _read(line: str) -> dict[str, Any] | str:
    return _wrong(line) or json_values.read_object(line)


class CsvRows(_Lines):
    """The rows of a CSV file, whose fields are texts; commas, semicolons or tabs are between them.

    Attributes:
        names: the columns.
        count: the number of rows.
    """

    def __init__(self, path: Path, *, multiline: bool) -> None:
        self._path, self._multiline = path, multiline
        with _text(path) as file:
            header = next(_lines(file), "")
        if _wrong(header) or "\0" in header:
            raise InputFileError(f"{path} is not text in UTF-8")
        self.names, self._delimiter = _names(header)
        if not self.names:
            raise InputFileError(f"{path} has no line with the names of its columns")
        self.count = sum(len(block) for block in self.blocks(_AT_ONCE))

    def _rows(self) -> Iterator[list[str] | str]:
        newline = "" if self._multiline else None  # only a field with several lines keeps its kind of line break
        with _text(self._path, newline) as file:
            lines = _lines(file)
            next(lines)
            if self._multiline:
                yield from _multiline_rows(lines, self.names, self._delimiter)
            else:
                yield from (_fitting(_csv_row(line, self._delimiter), self.names) for line in lines)

    def positions(self, block: list[list[str] | str]) -> Positions:
        """The positions of a block."""
        places = {name: self.names.index(name) for name in POSITION_COLUMNS if name in self.names}
        columns = {
            name: [row[place] if isinstance(row, list) else None for row in block] for name, place in places.items()
        }
        if "to_move" in columns:  # an empty field is how CSV leaves a value out
            columns["to_move"] = [side or None for side in columns["to_move"]]
        return Positions(columns, [row if isinstance(row, str) else None for row in block])

    def table(self, block: list[list[str]]) -> pa.Table:
        """The columns of a block of rows that can be read."""
        columns = zip(*block, strict=True) if block else [()] * len(self.names)
        return pa.table([pa.array(column, pa.string()) for column in columns], self.names)

    def objects(self, block: list[list[str]]) -> Iterable[str]:
        """Such rows as JSON objects."""
        return (json_values.as_json(dict(zip(self.names, row, strict=True))) for row in block)


RowFile = TableRows | CsvRows | JsonRows


def _names(header: str) -> tuple[list[str], str]:
    """The names in the first line of a CSV file, none if it has none, and the delimiter between them."""
    read = {delimiter: _csv_row(header, delimiter) for delimiter in ",;\t"}
    for delimiter, names in read.items():
        if isinstance(names, list) and {"moves", "board"} & {*names}:
            return names, delimiter
    names = read[","]
    return ([] if isinstance(names, str) or names == [""] else names), ","


def _csv_row(line: str, delimiter: str) -> list[str] | str:
    """The fields of a line of CSV, or why it has none."""
    if '"' in line:
        return _next_row([line], delimiter)
    return _wrong(line) or line.rstrip("\r\n").split(delimiter)


def _next_row(lines: Iterable[str], delimiter: str) -> list[str] | str:
    """The fields of the row that begins with the first of these lines, or why it has none; takes no line after it."""
    reader = csv.reader(_right(lines), strict=True, delimiter=delimiter)
    try:
        return next(reader)
    except csv.Error as failure:
        return f"not a row of CSV: {_OPEN_QUOTE if str(failure) == _UNEXPECTED_END else failure}"


def _right(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if wrong := _wrong(line):
            raise csv.Error(wrong)
        yield line


def _fitting(row: list[str] | str, names: Sequence[str]) -> list[str] | str:
    """The row if it has a field for each name, otherwise why it cannot be read."""
    if len(row) == len(names) or isinstance(row, str):
        return row
    return f"the row has {several(len(row), 'field')}, the first line {len(names)}"


def _multiline_rows(lines: Iterator[str], names: Sequence[str], delimiter: str) -> Iterator[list[str] | str]:
    """Rows whose quoted fields may hold line breaks.

    If the lines that a quote joins make no row, only the first of them is a bad row. The others are read again, each by
    itself, so a stray quote loses none of them.
    """
    one_line = [place for place, name in enumerate(names) if name in POSITION_COLUMNS]
    ahead: deque[str] = deque()
    while line := ahead.popleft() if ahead else next(lines, ""):
        row = _fitting(_csv_row(line, delimiter), names)
        if isinstance(row, str) and '"' in line:
            taken: list[str] = []
            row = _fitting(_next_row(chain([line], _taken(ahead, lines, taken)), delimiter), names)
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
