"""Reads rows of Parquet, CSV and JSON lines, plain or gzipped, in blocks, and appends labels to them.

Each line of a text file is a row, even if it opens a quote or bracket, so a broken line spoils no other row.
"""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.errors import quoted, several
from kinarow.labelling.rows import POSITION_COLUMNS, BadRow, Columns, add_columns, position_columns
from kinarow.strict_json import NotJson, parse

MAX_LINE_CHARACTERS = 1 << 20  # a longer line is a bad row
_BREAKS = ("\n", "\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_CHUNK = 1 << 16  # characters read at once
_MARK = "\ufeff"  # the byte-order mark
SNAPPY = "snappy"  # the codec of Parquet files, unless the input has another
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"  # the first bytes of such files

FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "tsv"} | dict.fromkeys((".jsonl", ".ndjson", ".json"), "json")
"""The formats by suffix; all except Parquet's may be followed by ``.gz``."""


class InputFileError(Exception):
    """The input can't be labelled or the output can't be written; the message is one line."""


def format_of(name: str) -> tuple[str | None, bool]:
    """Return ``(format, is_gzip)`` by a name's suffix; the format is None if the suffix is unknown."""
    path = Path(name.lower())
    compressed = path.suffix == ".gz"
    kind = FORMATS.get(Path(path.stem).suffix if compressed else path.suffix)
    return None if compressed and kind == "parquet" else kind, compressed


def open_rows(path: Path) -> "RowFile":
    """Open a file, count its rows and read its column names; raise ``InputFileError`` if it has no positions."""
    kind, _ = format_of(path.name)
    if kind is None:
        raise InputFileError(f"{path}: unknown format; end its name in {', '.join(FORMATS)}, or one of these and .gz")
    if path.is_fifo():  # a second read would block for ever
        raise InputFileError(f"{path} can be read only once; write it to a file")
    with path.open("rb") as file:
        if (file.read(len(_PARQUET)) == _PARQUET) != (kind == "parquet"):
            raise InputFileError(
                f"{path} is {'not a' if kind == 'parquet' else 'a'} Parquet file; its name says otherwise"
            )
    rows: RowFile
    if kind == "parquet":
        rows = TableRows(path)
    else:
        rows = JsonRows(path) if kind == "json" else CsvRows(path)
    if rows.names and not {"moves", "board"} & {*rows.names}:
        shown = ", ".join(rows.names)  # anything, if it isn't really such a file
        shown = shown if shown.isprintable() and len(shown) < 200 else quoted(shown)
        raise InputFileError(f"{path} has the columns {shown}; name one moves or board")
    if len(set(rows.names)) != len(rows.names):
        raise InputFileError(f"{path} has two columns with the same name; rename one")
    return rows


# ---------------------------------------------------------------- tables


@contextmanager
def with_file_name(place: str) -> Iterator[None]:
    """Context manager: add the file to Arrow's errors, which don't name it."""
    try:
        yield
    except (pa.ArrowException, OSError) as failure:
        if getattr(failure, "errno", None) is not None:
            raise
        raise InputFileError(f"{place}: {str(failure).strip()}") from failure


class TableRows:
    """The rows of a Parquet file."""

    is_gzip = False

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._opened() as file:
            self.names, self.count = file.schema_arrow.names, file.metadata.num_rows
            self.compression = SNAPPY
            if file.metadata.num_row_groups and file.metadata.num_columns:
                codec = file.metadata.row_group(0).column(0).compression.lower()
                self.compression = "none" if codec == "uncompressed" else codec

    @contextmanager
    def _opened(self) -> Iterator[pq.ParquetFile]:
        with with_file_name(str(self._path)), pq.ParquetFile(self._path) as file:
            yield file

    def blocks(self, size: int) -> Iterator[pa.Table]:
        """Yield blocks of ``size`` rows; the last may be smaller, and there is at least one."""
        with self._opened() as file:
            batches = (pa.Table.from_batches([batch]) for batch in file.iter_batches(batch_size=size))
            yield from rechunk(chain([file.schema_arrow.empty_table()], batches), size)

    def positions(self, block: pa.Table) -> Columns:
        """Return the position columns of a block."""
        return position_columns(block)

    def append_labels(self, block: pa.Table, good: Sequence[bool], labels: pa.Table) -> pa.Table:
        """Return the good rows of a block with their labels."""
        return add_columns(block.filter(pa.array(good, pa.bool_())), labels).combine_chunks()


def rechunk(tables: Iterable[pa.Table], size: int) -> Iterator[pa.Table]:
    """Regroup rows into tables of ``size`` rows; the last may be smaller, and there is at least one."""
    waiting, begun = None, False
    for table in tables:
        waiting = table if waiting is None or not len(waiting) else pa.concat_tables([waiting, table])
        while len(waiting) >= size:
            yield waiting[:size]
            waiting, begun = waiting[size:], True
    if waiting is not None and (len(waiting) or not begun):
        yield waiting


# ---------------------------------------------------------------- lines


class _Lines:
    """The rows of a text file."""

    names: list[str]
    count: int

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            self.is_gzip = file.read(len(_GZIP)) == _GZIP
        self._mark = ""  # the byte-order mark, if the file begins with it

    def blocks(self, size: int) -> Iterator[list[Any]]:
        """Yield blocks of ``size`` rows; the last may be smaller, and there is at least one."""
        rows, begun = self._rows(), False
        while (block := list(islice(rows, size))) or not begun:
            yield block
            begun = True

    def _rows(self) -> Iterator[Any]:
        raise NotImplementedError

    def _lines(self) -> Iterator[str]:
        """Yield the lines with their line breaks; invalid UTF-8 becomes lone surrogates."""
        with self._path.open("rb") as raw:
            file = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if self.is_gzip else raw
            try:
                with TextIOWrapper(file, "utf-8", "surrogateescape", newline="") as text:
                    lines = _split(text)
                    first = next(lines, "")
                    if first.startswith(_MARK):
                        self._mark = _MARK
                    yield from (line for line in (first.removeprefix(_MARK),) if line)
                    yield from lines
            except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
                raise InputFileError(f"{self._path} is not a complete gzip file: {failure}") from failure


def _split(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file, truncated to ``MAX_LINE_CHARACTERS + 1`` so that a long line is noticed."""
    rest = ""
    while chunk := file.read(_CHUNK):
        while chunk.endswith("\r") and (more := file.read(1)):  # the next character may be the \n of this line break
            chunk += more
        *lines, rest = [*_LINE.findall(rest + chunk), ""]
        if lines and not lines[-1].endswith(_BREAKS):
            rest = lines.pop()[: MAX_LINE_CHARACTERS + 1]
        yield from lines
    if rest:
        yield rest


def _line_error(line: str) -> BadRow | None:
    """Return the reason why a line can't be read in any format, or None."""
    if len(line) > MAX_LINE_CHARACTERS:
        return BadRow(f"the line has more than {MAX_LINE_CHARACTERS} characters")
    try:
        line.encode()
    except UnicodeEncodeError:
        return BadRow("the line is not UTF-8")
    return None


def _split_break(row: str) -> tuple[str, str]:
    text = row.rstrip("\r\n")
    return text, row[len(text) :]


class JsonRows(_Lines):
    """The objects of a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.count, names = 0, dict[str, None]()
        for line in self._rows():
            self.count += 1
            row = _read(line)
            if isinstance(row, dict):
                names |= dict.fromkeys(row)
        self.names = list(names)

    def _rows(self) -> Iterator[str]:
        lines = self._lines()
        first = next(lines, "")
        for opened, advice in (("[", "jq -c '.[]'"), ("{", "jq -c .")):
            if first.strip() == opened or (opened == "[" and first.lstrip().startswith(opened)):
                raise InputFileError(f"{self._path} is not JSON lines; write one object a line: {advice}")
        yield from chain([first] if first else [], lines)

    def positions(self, block: list[str]) -> Columns:
        """Return the position columns of a block."""
        rows = [_read(line) for line in block]
        names = [name for name in POSITION_COLUMNS if name in self.names] or ["moves"]
        return {name: [row if isinstance(row, BadRow) else row.get(name) for row in rows] for name in names}

    def head(self, names: Sequence[str]) -> str:
        """Return the text before the rows."""
        return self._mark

    def append_labels(self, block: list[str], good: Sequence[bool], labels: pa.Table) -> Iterator[str]:
        """Yield the good rows of a block, with their labels inserted before the last brace."""
        for row, added in zip(compress(block, good), labels.to_pylist(), strict=True):
            end = row.rindex("}")
            yield f"{row[:end]}, {json.dumps(added, ensure_ascii=False)[1:-1]}{row[end:]}"


def _read(line: str) -> dict[str, Any] | BadRow:
    if wrong := _line_error(line):
        return wrong
    try:
        row = parse(line.encode(), "the line")
    except NotJson as failure:
        return BadRow(failure)
    return row if isinstance(row, dict) else BadRow("the line is not a JSON object")


_CsvRow = list[str] | BadRow


class CsvRows(_Lines):
    """The rows of a CSV file, whose delimiter is a comma, a semicolon or a tab."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._header = next(self._lines(), "")
        if _line_error(self._header) or "\0" in self._header:
            raise InputFileError(f"{path} is not text in UTF-8")
        self.names, self._delimiter = _names(self._header)
        if not self.names:
            raise InputFileError(f"{path} has no line with the names of its columns")
        self.count = sum(1 for _ in self._rows())

    def _rows(self) -> Iterator[tuple[str, _CsvRow]]:
        lines = self._lines()
        next(lines)
        for line in lines:
            row, width = _csv_row(line, self._delimiter), len(self.names)
            if len(row) != width and not isinstance(row, BadRow):
                row = BadRow(f"the row has {several(len(row), 'field')}, the first line {width}")
            yield line, row

    def positions(self, block: list[tuple[str, _CsvRow]]) -> Columns:
        """Return the position columns of a block."""
        places = {name: self.names.index(name) for name in POSITION_COLUMNS if name in self.names}
        columns: dict[str, list[Any]] = {
            name: [row if isinstance(row, BadRow) else row[place] for _, row in block] for name, place in places.items()
        }
        if "to_move" in columns:  # in CSV, an empty field is a missing value
            columns["to_move"] = [side or None for side in columns["to_move"]]
        return columns

    def head(self, names: Sequence[str]) -> str:
        """Return the header with the names of the labels."""
        text, line_break = _split_break(self._header)
        return f"{self._mark}{text}{self._delimiter}{_write_csv([names], self._delimiter)[0]}{line_break}"

    def append_labels(self, block: list[tuple[str, _CsvRow]], good: Sequence[bool], labels: pa.Table) -> Iterator[str]:
        """Yield the good rows of a block with their labels; lists are numbers with spaces between, or JSON."""
        columns = [_texts(labels[name]) for name in labels.column_names]
        added = _write_csv(zip(*columns, strict=True), self._delimiter)
        for (row, _), fields in zip(compress(block, good), added, strict=True):
            text, line_break = _split_break(row)
            yield f"{text}{self._delimiter}{fields}{line_break}"


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    if not pa.types.is_list(column.type):
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
        return texts
    if pa.types.is_integer(column.type.value_type):
        return [" ".join(map(str, cells)) for cells in column.to_pylist()]
    return [json.dumps(each) for each in column.to_pylist()]


def _write_csv(rows: Iterable[Iterable[str | None]], delimiter: str) -> list[str]:
    text = StringIO()
    csv.writer(text, lineterminator="\n", delimiter=delimiter).writerows(rows)
    return text.getvalue().split("\n")[:-1]


RowFile = TableRows | CsvRows | JsonRows


def _names(header: str) -> tuple[list[str], str]:
    """Return the column names in a CSV header, and its delimiter."""
    read = {delimiter: _csv_row(header, delimiter) for delimiter in ",;\t"}
    for delimiter, names in read.items():
        if isinstance(names, list) and {"moves", "board"} & {*names}:
            return names, delimiter
    names = read[","]
    return ([] if isinstance(names, str) or names == [""] else names), ","


def _csv_row(line: str, delimiter: str) -> _CsvRow:
    if wrong := _line_error(line):
        return wrong
    if '"' not in line:
        return line.rstrip("\r\n").split(delimiter)
    try:
        return next(csv.reader([line], strict=True, delimiter=delimiter))
    except csv.Error as failure:
        is_open = str(failure) == "unexpected end of data"
        return BadRow(f"not a row of CSV: {'a quote is not closed' if is_open else failure}")
