"""Writes labelled rows as a file of the input's format or as a folder of Parquet parts."""

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.labelling.parts import DONE, ERRORS, FINISHED, Parts, write_atomically
from kinarow.labelling.reading import FORMATS, SNAPPY, InputFileError, RowFile, TableRows, format_of, rechunk
from kinarow.labelling.rows import ERROR

MOST_PARTS = 100  # files of a folder
ABOUT = "_label.json"
STANDARD = "-"


class Counts(NamedTuple):
    """Numbers of rows; ``read = labelled + bad``."""

    read: int
    labelled: int
    bad: int


class Labelled:
    """The good rows of a run with their labels; ``counts`` is set after the last block."""

    def __init__(self, rows: RowFile, parts: Parts, empty: pa.Table, prefix: str, block_rows: int) -> None:
        self.rows, self.block_rows, self.counts = rows, block_rows, Counts(0, 0, 0)
        self.names = [prefix + name for name in empty.column_names if name != ERROR]
        self._parts, self._empty = parts, empty

    def blocks(self, errors: TextIO) -> Iterator[Any]:
        """Yield blocks of labelled rows, and write the reasons of bad rows to ``errors``."""
        labels = rechunk(chain([self._empty], self._parts.tables()), self.block_rows)
        read = labelled = 0
        for block, added in zip(self.rows.blocks(self.block_rows), labels, strict=False):
            reasons = added[ERROR].to_pylist()
            if len(reasons) != len(block):
                break
            for number, reason in enumerate(reasons, read + 1):
                if reason is not None:
                    errors.write(json.dumps({"row": number, "reason": reason}, ensure_ascii=False) + "\n")
            good = [reason is None for reason in reasons]
            kept = added.filter(pa.array(good, pa.bool_())).drop_columns([ERROR]).rename_columns(self.names)
            yield self.rows.append_labels(block, good, kept)
            read, labelled = read + len(block), labelled + len(kept)
        if read != self.rows.count:
            raise InputFileError(f"the input has changed: {self.rows.count} rows, {read} with labels; label again")
        self.counts = Counts(read, labelled, read - labelled)

    def lines(self, errors: TextIO) -> Iterator[bytes]:
        """Yield the lines of the output file."""
        assert not isinstance(self.rows, TableRows)
        yield self.rows.head(self.names).encode()
        for block in self.blocks(errors):
            for line in block:
                yield line.encode()


class Output:
    """The output, whose ``format`` is None for a folder, and whose ``parts`` is None for standard output."""

    def __init__(self, name: str) -> None:
        self._name, self._path = name, Path(name)
        self.format, self._compressed = ("json", False) if name == STANDARD else format_of(name)
        self.parts = None if name == STANDARD else self._path.with_name(f"{self._path.name}.parts")
        if self.format is None and self._path.suffix and not name.endswith("/") and not self._path.is_dir():
            known = f"{', '.join(FORMATS)} or one of these and .gz"
            raise InputFileError(f"{name}: unknown format; end a file's name in {known}, a folder's in /")

    def check(self, source: str, rows: RowFile) -> None:
        """Raise ``InputFileError`` unless the output has the format and the compression of ``source``."""
        wanted, _ = ("json", False) if source == STANDARD else format_of(source)
        if (self.format or "parquet") != wanted:
            suffix = next(suffix for suffix, kind in FORMATS.items() if kind == (self.format or "parquet"))
            other = Path(source.removesuffix(".gz")).with_suffix(suffix)
            advice = f"convert the input: duckdb -c \"COPY (FROM '{source}') TO '{other}'\""
            raise InputFileError(f"{self._name}: label does not convert formats; {advice}")
        if self._compressed != rows.is_gzip:
            tool = "gunzip -k" if rows.is_gzip else "gzip -k"
            raise InputFileError(f"{self._name}: must be compressed if the input is, else not; call {tool} {source}")

    def finished(self, about: dict[str, str]) -> Counts | None:
        """Return the counts if an equal run has written this output; raise ``InputFileError`` if another has."""
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
            raise InputFileError(f"{self._name} {other}; choose another name") from None
        for name, text in about.items():
            if before.get(name) != text:
                raise InputFileError(f"{self._name} was made with {name} {before.get(name)}; choose another name")
        return counts

    def write(self, labelled: Labelled, parts: Parts, about: dict[str, str]) -> Counts:
        """Write the rows atomically and delete the parts; return the counts."""
        if self._name == STANDARD:
            sys.stdout.buffer.writelines(labelled.lines(sys.stderr))
            sys.stdout.buffer.flush()
        else:
            self._write(labelled, parts.folder, about)
        parts.remove()
        return labelled.counts

    def _write(self, labelled: Labelled, parts: Path, about: dict[str, str]) -> None:
        parts.mkdir(parents=True, exist_ok=True)
        finished, errors, done = parts / FINISHED, parts / ERRORS, parts / DONE
        try:
            with errors.open("w", encoding="utf-8") as lines:
                if self.format is None:
                    _write_folder(finished, labelled, lines, about)
                else:
                    write_atomically(finished, lambda file: self._write_file(file, labelled, lines, about))
                lines.flush()
                os.fsync(lines.fileno())
        except OSError:
            shutil.rmtree(finished, ignore_errors=True)  # frees the disk, which may be full
            errors.unlink(missing_ok=True)
            raise
        if self.format is None:
            errors, done = errors.replace(finished / "_errors.jsonl"), finished / ABOUT
            with suppress(OSError):
                self._path.rmdir()  # if it is empty
        else:
            errors.replace(self._path.with_name(f"{self._path.name}.errors.jsonl"))
        write_atomically(
            done, lambda file: file.write(json.dumps(about | {"counts": labelled.counts}, indent=2).encode())
        )
        finished.replace(self._path)
        _sync(self._path.parent)

    def _write_file(self, file: BinaryIO, labelled: Labelled, errors: TextIO, about: dict[str, str]) -> None:
        if isinstance(labelled.rows, TableRows):
            _write_parquet(file, labelled.blocks(errors), about, labelled.rows.compression)
            return
        # Without name and time in its header, equal rows give equal bytes.
        compressed = gzip.GzipFile("", "wb", 6, file, mtime=0) if self._compressed else nullcontext(file)
        with compressed as sink:
            cast(BinaryIO, sink).writelines(labelled.lines(errors))


def write_tables(path: Path, tables: Iterator[pa.Table]) -> None:
    """Write tables to one Parquet file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda file: _write_parquet(file, tables, {}, SNAPPY))


def _sync(folder: Path) -> None:
    with suppress(OSError):  # where the platform supports it
        opened = os.open(folder, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)


def _write_folder(folder: Path, labelled: Labelled, errors: TextIO, about: dict[str, str]) -> None:
    """Write at most ``MOST_PARTS`` Parquet files of equally many blocks; the last may have fewer."""
    assert isinstance(labelled.rows, TableRows)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    tables = labelled.blocks(errors)
    write = partial(_write_parquet, about=about, compression=labelled.rows.compression)
    blocks = max(1, -(-labelled.rows.count // (labelled.block_rows * MOST_PARTS)))
    for index, first in enumerate(tables):
        part = chain([first], islice(tables, blocks - 1))
        write_atomically(folder / f"part-{index:05}.parquet", partial(write, tables=part))


def _write_parquet(file: BinaryIO, tables: Iterator[pa.Table], about: dict[str, str], compression: str) -> None:
    first = next(tables)
    metadata = {**(first.schema.metadata or {}), **{f"kinarow.{name}": text for name, text in about.items()}}
    with pq.ParquetWriter(file, first.schema.with_metadata(metadata), compression=compression) as writer:
        for table in chain([first], tables):
            writer.write_table(table.replace_schema_metadata(metadata))
