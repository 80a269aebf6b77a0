"""Labels the rows of a file in processes or on a cluster, into part files from which a later run continues."""

import contextlib
import os
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.labelling.reading import InputFileError, RowFile, with_file_name
from kinarow.labelling.rows import ERROR, Columns, LabelOptions, counted_otherwise, label_rows
from kinarow.labelling.tasks import Job, run_tasks
from kinarow.search_types import SearchStopped, Stop

PART_S = 10.0  # seconds of work after which a part is written
TASK_S = 1.0  # seconds after which a task ends, so that its rows count as progress
_SLICE_S = TASK_S / 4  # seconds that a slice, rows valued together, should take
_PATIENCE_S = 4 * TASK_S  # a slice that takes longer is stopped, and its rows are valued one by one
_GROWTH = 4  # a slice has at most so many times the rows of the slice before

FINISHED, ERRORS, DONE = ("finished", "errors.jsonl", "done")  # written beside the parts by ``writing``
POSITIONS = "positions.parquet"
UNFINISHED = ".unfinished"
_NAME = re.compile(r"part-(\d+)-(\d+)\.parquet")


class Parts:
    """The part files of a run: the labels of rows, named by the numbers of their first and last row.

    Files are written atomically, with ``about``, all that the labels depend on, as metadata. Raises ``InputFileError``
    if the folder's parts have another ``about``; if it has no parts, deletes what an aborted run left.
    """

    def __init__(self, folder: Path, about: dict[str, str]) -> None:
        self.folder = folder
        self._about: dict[bytes | str, bytes | str] = {f"kinarow.{name}": text for name, text in about.items()}
        self._begun = self._ranges()
        if not self._begun:
            self.remove()
            return
        before = self._read(*self._begun[0]).schema.metadata or {}
        for name, text in about.items():
            if (old := before.get(f"kinarow.{name}".encode(), b"").decode()) != text:
                raise InputFileError(f"{folder} was begun with {name} {old}; remove it to begin again")

    def missing(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges ``(begin, end)`` between ``first`` and ``end`` without labels of an earlier run."""
        for begin, last in self._begun:
            if first <= last and begin < end:
                if first < begin:
                    yield first, begin
                first = last + 1
        if first < end:
            yield first, end

    def write(self, first: int, labels: pa.Table) -> None:
        """Write a part with the labels of the rows from ``first`` on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        table = labels.replace_schema_metadata(self._about)
        write_atomically(self._file(first, first + len(labels) - 1), lambda file: pq.write_table(table, file))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the labels of all rows in order; raise ``InputFileError`` if some are missing."""
        after = 0
        for first, last in self._ranges():
            table = self._read(first, last)
            if (first, last) != (after + 1, after + len(table)):
                missing = f"rows {after + 1} to {last}"
                raise InputFileError(f"{self.folder} lacks labels of {missing}; remove it, label again")
            yield table.replace_schema_metadata()
            after = last

    def remove(self) -> None:
        """Delete the files of a run, and the folder if it is then empty."""
        shutil.rmtree(self.folder / FINISHED, ignore_errors=True)
        for file in self.folder.glob("*"):
            if _NAME.fullmatch(file.name) or file.suffix == UNFINISHED or file.name in (POSITIONS, FINISHED, ERRORS):
                file.unlink()
        (self.folder / DONE).unlink(missing_ok=True)  # last, since it marks a complete output
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _ranges(self) -> list[tuple[int, int]]:
        names = (_NAME.fullmatch(path.name) for path in self.folder.glob("part-*"))
        return sorted((int(name[1]), int(name[2])) for name in names if name)

    def _file(self, first: int, last: int) -> Path:
        return self.folder / f"part-{first:012}-{last:012}.parquet"

    def _read(self, first: int, last: int) -> pa.Table:
        path = self._file(first, last)
        with with_file_name(f"{path} cannot be read, remove it and label again"):
            return pq.read_table(path, partitioning=None)


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file atomically: under another name, which is then replaced."""
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)  # frees the disk, which may be full
        with contextlib.suppress(OSError):
            path.parent.rmdir()
        raise


@dataclass(slots=True)
class _Range:
    """Consecutive rows that aren't in a part yet, and the labels of the first of them."""

    first: int  # the number of the first row
    count: int
    columns: Columns
    labels: list[pa.Table] = field(default_factory=list)
    labelled: int = 0  # rows
    seconds: float = 0.0

    def job(self, name: int, options: LabelOptions, slice_rows: int) -> Job:
        """Return the job that labels the rest of the rows."""
        return name, options, _rows_of(self.columns, self.labelled, self.count), slice_rows


def _rows_of(columns: Columns, start: int, stop: int) -> Columns:
    return {name: values[start:stop] for name, values in columns.items()}


def label_parts(
    rows: RowFile,
    options: LabelOptions,
    parts: Parts,
    *,
    block_rows: int,
    processes: int,
    dask: str | None = None,
    progress: Callable[[int, bool], None] = lambda rows, known: None,
) -> None:
    """Label the rows that have no labels in the parts; raise ``InputFileError`` or ``OSError`` if a file fails.

    ``block_rows`` limits the rows in memory and in a part. ``processes`` and ``dask`` are those of ``run_tasks``.
    ``progress`` is called with a number of finished rows, and True if an earlier run finished them.
    """
    more: deque[Job] = deque()
    open_ranges: dict[int, _Range] = {}
    slice_rows = 1

    def jobs() -> Iterator[Job]:
        first = 1
        for block in rows.blocks(block_rows):
            end = first + len(block)
            missing = list(parts.missing(first, end))
            progress(len(block) - sum(stop - start for start, stop in missing), True)
            columns = rows.positions(block) if missing else {}
            for start, stop in missing:
                while start < stop:
                    # Enough for a part; the rest of the range goes to other processes.
                    at = start - first
                    to = min(stop - first, at + max(1, int(slice_rows * PART_S / _SLICE_S)))
                    open_ranges[start] = _Range(start, to - at, _rows_of(columns, at, to))
                    yield open_ranges[start].job(start, options, slice_rows)
                    start = first + to
            first = end

    for name, (labels, seconds, slice_rows) in run_tasks(label_some, jobs(), processes=processes, dask=dask, more=more):
        chosen = open_ranges[name]
        chosen.labels.append(labels)
        chosen.labelled += len(labels)
        chosen.seconds += seconds
        progress(len(labels), False)
        if chosen.labelled == chosen.count or chosen.seconds >= PART_S:
            part = pa.concat_tables(chosen.labels)
            if chosen.first == 1 and part[ERROR].null_count < len(part):
                other = counted_otherwise(options, _rows_of(chosen.columns, 0, len(part)))
                if other:
                    raise WrongCounting(
                        f"some rows are impossible; all so far are possible as {other}: add --moves {other}"
                    )
            parts.write(chosen.first, part)
            rest = _rows_of(chosen.columns, len(part), chosen.count)
            chosen = open_ranges[name] = _Range(chosen.first + len(part), chosen.count - len(part), rest)
        if chosen.count:
            more.append(chosen.job(name, options, slice_rows))
        else:
            del open_ranges[name]


class WrongCounting(InputFileError):
    """The moves of the first part's rows are only legal if they are counted in another way."""


def label_some(options: LabelOptions, columns: Columns, slice_rows: int) -> tuple[pa.Table, float, int]:
    """Label rows from the first on for about ``TASK_S``; return ``(labels, seconds, size of the next slice)``."""
    count, begun, at = len(next(iter(columns.values()))), time.monotonic(), 0
    tables: list[pa.Table] = []
    while at < count and (not tables or time.monotonic() - begun < TASK_S):
        chosen = {name: values[at : at + slice_rows] for name, values in columns.items()}
        started, stop = time.monotonic(), Stop()
        timer = threading.Timer(_PATIENCE_S, stop.set)
        timer.daemon = True
        timer.start()
        try:
            tables.append(label_rows(options, chosen, stop if slice_rows > 1 else None))
        except SearchStopped:
            slice_rows = 1
            continue
        finally:
            timer.cancel()
        at += len(tables[-1])
        rate = len(tables[-1]) / max(1e-6, time.monotonic() - started)
        slice_rows = max(1, min(_GROWTH * slice_rows, int(rate * _SLICE_S)))
    return pa.concat_tables(tables), time.monotonic() - begun, slice_rows
