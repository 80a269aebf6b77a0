"""One file of labelled rows, made from the parts of a folder beside it, which goes when the file is whole."""

import csv
import json
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kinarow.labelling.output import ABOUT, ERRORS, ERRORS_KEY, Counts, OutputFolder, write_whole
from kinarow.labelling.reading import InputFileError


class OutputFile(OutputFolder):
    """A file whose name ends in one of ``FORMATS``, which has ``about`` as metadata if it is Parquet.

    Its errors are in a file beside it, of the same name with ``.errors.jsonl`` behind it. A file that is there already,
    or parts of another run, are an ``InputFileError``.
    """

    def __init__(self, path: Path, about: dict[str, str]) -> None:
        self._file = path
        parts = path.with_name(path.name + ".parts")
        if path.exists() and not parts.exists():
            raise InputFileError(f"{path} is there already")
        super().__init__(parts, about)

    def finish(self, parts: int, read: int) -> Counts:
        """Join the parts into the file."""
        done = super().finish(parts, read)
        tables = (pq.read_table(self._part(index)) for index in range(parts))
        write_whole(self._file, lambda file: FORMATS[self._file.suffix](file, tables))
        (self._path / ERRORS).replace(self._file.with_name(self._file.name + ".errors.jsonl"))
        for index in range(parts):
            self._part(index).unlink()
        (self._path / ABOUT).unlink()  # last, so that a run which ends here is still known
        self._path.rmdir()
        return done


def _write_parquet(file: BinaryIO, tables: Iterator[pa.Table]) -> None:
    first = next(tables)
    about = {name: text for name, text in first.schema.metadata.items() if name != ERRORS_KEY}
    with pq.ParquetWriter(file, first.schema.with_metadata(about)) as writer:
        for table in chain([first], tables):
            writer.write_table(table.replace_schema_metadata(about))


def _write_csv(file: BinaryIO, tables: Iterator[pa.Table]) -> None:
    """The tables as CSV: tiles with spaces between, other lists and objects as JSON, an unknown value as nothing."""
    text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
    plain = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for index, table in enumerate(tables):
        columns = list(map(_texts, table.columns))
        # The writer leaves a lone CR without quotes, and most programs read it as the end of a row.
        writer = quoted if any("\r" in item for texts in columns for item in texts if item) else plain
        if index == 0:
            writer.writerow(table.column_names)
        writer.writerows(zip(*columns, strict=True))
    text.detach()


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    kind = column.type
    texts: list[str | None]
    try:
        if pa.types.is_list(kind) and pa.types.is_integer(kind.value_type):
            texts = pc.binary_join(column.cast(pa.list_(pa.string())), " ").to_pylist()
        else:
            texts = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        texts = [None if item is None else _json(item) for item in column.to_pylist()]
    return texts


def _write_json_lines(file: BinaryIO, tables: Iterator[pa.Table]) -> None:
    for table in tables:
        file.writelines(f"{_json(row)}\n".encode() for row in table.to_pylist())


def _json(value: object) -> str:
    """A value as JSON; what JSON does not know, such as a date, is text."""
    return json.dumps(value, ensure_ascii=False, default=str)


FORMATS: dict[str, Callable[[BinaryIO, Iterator[pa.Table]], None]] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
}
"""By the end of a file's name what writes it."""
