"""What ``kinarow label`` writes: a file, a folder of Parquet parts, or JSON lines on standard output."""

import csv
import gzip
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from functools import partial
from io import TextIOWrapper
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.labelling.comparing import Comparison
from kinarow.labelling.json_values import as_json, plain
from kinarow.labelling.parts import DIFFERING, DONE, ERRORS, FINISHED, Parts, write_whole
from kinarow.labelling.reading import FORMATS, InputFileError, RowFile, format_of, regrouped
from kinarow.labelling.rows import ERROR, add_columns

MOST_PARTS = 100  # files of a folder
ABOUT = "_label.json"
STANDARD = "-"
_COMPRESSION = 6


class Counts(NamedTuple):
    """The rows of a run: ``read`` is the sum of the next two, ``differing`` those that a comparison found."""

    read: int
    labelled: int
    bad: int
    differing: int = 0


class Labelled:
    """Rows and their labels, without those that have none; ``counts`` is right after the last block.

    A ``comparison`` counts the rows, and those that differ are written to ``differing``.
    """

    def __init__(
        self,
        rows: RowFile,
        parts: Parts,
        empty: pa.Table,
        prefix: str,
        block_rows: int,
        comparison: Comparison | None = None,
    ) -> None:
        self.rows, self.block_rows, self.counts = rows, block_rows, Counts(0, 0, 0)
        self.tiles = prefix + "best_moves"
        self.comparison, self.differing = comparison, cast(TextIO, sys.stderr)
        self._parts, self._empty, self._prefix = parts, empty, prefix

    def blocks(self, errors: TextIO) -> Iterator[tuple[Any, pa.Table]]:
        """The rows as their file has them, and the labels; why a row has none is written to ``errors``."""
        labels = regrouped(chain([self._empty], self._parts.tables()), self.block_rows)
        read = labelled = 0
        for block, added in zip(self.rows.blocks(self.block_rows), labels, strict=False):
            reasons = added[ERROR].to_pylist()
            if len(reasons) != len(block):
                break
            for number, reason in enumerate(reasons, read + 1):
                if reason is not None:
                    errors.write(json.dumps({"row": number, "reason": reason}, ensure_ascii=False) + "\n")
            good = [reason is None for reason in reasons]
            kept = added.filter(pa.array(good, pa.bool_())).drop_columns([ERROR])
            rows = self.rows.kept(block, good)
            named = kept.rename_columns([self._prefix + name for name in kept.column_names])
            if self.comparison is not None:
                for row, labels, shown in zip(
                    self.rows.objects(rows), kept.to_pylist(), named.to_pylist(), strict=True
                ):
                    if self.comparison.differ(row, labels):
                        self.differing.write(f"{row[:-1].rstrip()}, {as_json(shown)[1:]}\n")
            yield rows, named
            read, labelled = read + len(block), labelled + len(kept)
        if read != self.rows.count:
            raise InputFileError(f"{self.rows.count} rows read, but {read} have labels: the input has changed")
        differing = 0 if self.comparison is None else self.comparison.differing
        self.counts = Counts(read, labelled, read - labelled, differing)

    def tables(self, errors: TextIO) -> Iterator[pa.Table]:
        """The blocks with all columns."""
        for block, added in self.blocks(errors):
            yield add_columns(self.rows.table(block), added).combine_chunks()

    def lines(self, errors: TextIO) -> Iterator[bytes]:
        """The rows as JSON objects, each with the text that its values had."""
        for block, added in self.blocks(errors):
            for row, labels in zip(self.rows.objects(block), added.to_pylist(), strict=True):
                yield f"{row[:-1].rstrip()}, {as_json(labels)[1:]}\n".encode()


class Output:
    """Where labelled rows go.

    Attributes:
        format: that of the file, None for a folder.
        parts: the folder for the parts of the run, None for standard output.

    Raises:
        InputFileError: the name is of no known format.
    """

    def __init__(self, name: str) -> None:
        self._name, self._path = name, Path(name)
        self.format, self._compressed = ("json", False) if name == STANDARD else format_of(name)
        self.parts = None if name == STANDARD else self._path.with_name(f"{self._path.name}.parts")
        if self.format is None and self._path.suffix and not name.endswith("/") and not self._path.is_dir():
            known = f"{', '.join(FORMATS)}, perhaps with .gz"
            raise InputFileError(f"{name}: the name of a file ends in one of {known}, that of such a folder in /")

    def finished(self, about: dict[str, str]) -> Counts | None:
        """The counts of an earlier run that has finished here; an ``InputFileError`` if another thing is here."""
        if self.parts is None or not self._path.exists():
            return None
        folder = self.format is None and self._path.is_dir()
        if folder and not any(self._path.iterdir()):
            return None
        try:
            before = json.loads((self._path / ABOUT if folder else self.parts / DONE).read_text("utf-8"))
            counts = Counts(*before.pop("counts"))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            other = "is not empty and was not made by kinarow label" if folder else "is there already"
            raise InputFileError(f"{self._name} {other}") from None
        for name, text in about.items():
            if before.get(name) != text:
                raise InputFileError(f"{self._name} was begun with another {name}: {before.get(name)}")
        return counts

    def write(self, labelled: Labelled, parts: Parts, about: dict[str, str]) -> Counts:
        """Write the rows, as a whole or not at all, and remove the parts."""
        try:
            if self._name == STANDARD:
                sys.stdout.buffer.writelines(labelled.lines(sys.stderr))
                sys.stdout.buffer.flush()
            else:
                self._write(labelled, parts.folder, about)
        except UnicodeDecodeError:
            raise InputFileError("the input has text that is not UTF-8; only Parquet holds it") from None
        parts.remove()
        return labelled.counts

    def _write(self, labelled: Labelled, parts: Path, about: dict[str, str]) -> None:
        parts.mkdir(parents=True, exist_ok=True)
        finished, errors, done = parts / FINISHED, parts / ERRORS, parts / DONE
        try:
            with errors.open("w", encoding="utf-8") as told, ExitStack() as opened:
                if labelled.comparison is not None:
                    labelled.differing = opened.enter_context((parts / DIFFERING).open("w", encoding="utf-8"))
                if self.format is None:
                    _write_folder(finished, labelled, told, about)
                else:
                    write_whole(finished, lambda file: self._write_file(file, labelled, told, about))
                told.flush()
                os.fsync(told.fileno())
        except OSError:
            shutil.rmtree(finished, ignore_errors=True)  # they would keep the room that was lacking
            errors.unlink(missing_ok=True)
            raise
        if self.format is None:
            errors, done = errors.replace(finished / "_errors.jsonl"), finished / ABOUT
            if labelled.comparison is not None:
                (parts / DIFFERING).replace(finished / f"_{DIFFERING}")
            with suppress(OSError):
                self._path.rmdir()  # an empty one
        else:
            errors.replace(self._path.with_name(f"{self._path.name}.errors.jsonl"))
            if labelled.comparison is not None:
                (parts / DIFFERING).replace(self._path.with_name(f"{self._path.name}.{DIFFERING}"))
        write_whole(done, lambda file: file.write(json.dumps(about | {"counts": labelled.counts}, indent=2).encode()))
        finished.replace(self._path)
        _sync(self._path.parent)

    def _write_file(self, file: BinaryIO, labelled: Labelled, errors: TextIO, about: dict[str, str]) -> None:
        if self.format == "parquet":
            _write_parquet(file, labelled.tables(errors), about)
            return
        # Without a name and a time the same rows are the same bytes.
        compressed = gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) if self._compressed else nullcontext(file)
        with compressed as sink:
            if self.format == "json":
                sink.writelines(labelled.lines(errors))
            else:
                _write_csv(
                    cast(BinaryIO, sink), labelled.tables(errors), "\t" if self.format == "tsv" else ",", labelled.tiles
                )


def write_tables(path: Path, tables: Iterator[pa.Table]) -> None:
    """Write tables as a file of Parquet, as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda file: _write_parquet(file, tables, {}))


def _sync(folder: Path) -> None:
    """Let the names in a folder outlive a power cut, where the system can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)


def _write_folder(folder: Path, labelled: Labelled, errors: TextIO, about: dict[str, str]) -> None:
    """At most ``MOST_PARTS`` files of Parquet, each with the same number of blocks but the last."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    tables = labelled.tables(errors)
    blocks = max(1, -(-labelled.rows.count // (labelled.block_rows * MOST_PARTS)))
    for index in count():
        first = next(tables, None)
        if first is None:
            return
        part = chain([first], islice(tables, blocks - 1))
        write_whole(folder / f"part-{index:05}.parquet", partial(_write_parquet, tables=part, about=about))


def _write_parquet(file: BinaryIO, tables: Iterator[pa.Table], about: dict[str, str]) -> None:
    first = next(tables)
    metadata = {**(first.schema.metadata or {}), **{f"kinarow.{name}": text for name, text in about.items()}}
    with pq.ParquetWriter(file, first.schema.with_metadata(metadata)) as writer:
        for table in chain([first], tables):
            writer.write_table(table.replace_schema_metadata(metadata))


def _write_csv(file: BinaryIO, tables: Iterator[pa.Table], delimiter: str, tiles: str) -> None:
    """The tables as CSV: ``tiles`` with spaces between, other lists, objects and bytes as JSON, none as nothing."""
    text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
    plainly = csv.writer(text, lineterminator="\n", delimiter=delimiter)
    quoted = csv.writer(text, lineterminator="\n", delimiter=delimiter, quoting=csv.QUOTE_ALL)
    for index, table in enumerate(tables):
        columns = [_texts(table, name, name == tiles) for name in table.column_names]
        # The writer leaves a lone CR without quotes, and most programs read it as the end of a row.
        writer = quoted if any("\r" in item for texts in columns for item in texts if item) else plainly
        if index == 0:
            writer.writerow(table.column_names)
        writer.writerows(zip(*columns, strict=True))
    text.detach()


def _texts(table: pa.Table, name: str, tiles: bool) -> list[str | None]:
    kind = table.schema.field(name).type
    if not pa.types.is_nested(kind) and not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind):
        with suppress(pa.ArrowException):
            texts: list[str | None] = table[name].cast(pa.string()).to_pylist()
            return texts
    values = plain(table.select([name]))[name].to_pylist()
    write: Callable[[Any], str] = (lambda cells: " ".join(map(str, cells))) if tiles else as_json
    return [None if value is None else write(value) for value in values]
