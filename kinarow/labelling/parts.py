"""Labels the rows of a file in processes or on a cluster, into parts that outlive an interruption."""

import contextlib
import os
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.labelling.reading import InputFileError, RowFile, named
from kinarow.labelling.rows import ERROR, Columns, Question, counted_otherwise, label_rows
from kinarow.labelling.tasks import Job, run_tasks
from kinarow.search_types import SearchStopped, Stop

PART_S = 10.0  # the seconds of work after which the next row ends a part
TASK_S = 1.0  # the seconds after which the next row ends a task, so that its rows show as progress
_SLICE_S = TASK_S / 4  # the seconds that rows taken together should need
_PATIENCE_S = 4 * TASK_S  # rows taken together that need more are left, and then taken one by one
_GROWTH = 4  # how many times as many rows are taken at most as before

FINISHED, ERRORS, DONE = ("finished", "errors.jsonl", "done")  # what ``writing`` puts beside the parts
POSITIONS = "positions.parquet"
UNFINISHED = ".unfinished"
_NAME = re.compile(r"part-(\d+)-(\d+)\.parquet")


class Parts:
    """The labels of rows in files of a folder, each there as a whole or not at all; the first one makes the folder.

    A file is named by the numbers of its first and its last row. ``about`` is what the labels depend on, as text by
    name, which each file has as metadata; files of another run are an ``InputFileError``. A folder without such files
    is no run: what one left in it goes.
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
                raise InputFileError(f"{folder} was begun with another {name}: {old}; remove it to begin again")

    def missing(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """The ranges of rows, from ``first`` to before ``end``, that had no labels when this run began."""
        for begin, last in self._begun:
            if first <= last and begin < end:
                if first < begin:
                    yield first, begin
                first = last + 1
        if first < end:
            yield first, end

    def write(self, first: int, labels: pa.Table) -> None:
        """Finish a part: the labels of the rows from this number on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        table = labels.replace_schema_metadata(self._about)
        write_whole(self._file(first, first + len(labels) - 1), lambda file: pq.write_table(table, file))

    def tables(self) -> Iterator[pa.Table]:
        """The labels of all rows in order; an ``InputFileError`` where some are missing."""
        after = 0
        for first, last in self._ranges():
            table = self._read(first, last)
            if (first, last) != (after + 1, after + len(table)):
                raise InputFileError(
                    f"{self.folder} lacks labels of rows {after + 1} to {last}; remove it, label again"
                )
            yield table.replace_schema_metadata()
            after = last

    def remove(self) -> None:
        """Remove what a run puts into the folder, and the folder if nothing else is in it."""
        shutil.rmtree(self.folder / FINISHED, ignore_errors=True)
        for file in self.folder.glob("*"):
            if _NAME.fullmatch(file.name) or file.suffix == UNFINISHED or file.name in (POSITIONS, FINISHED, ERRORS):
                file.unlink()
        (self.folder / DONE).unlink(missing_ok=True)  # last: it says that the output is whole
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _ranges(self) -> list[tuple[int, int]]:
        names = (_NAME.fullmatch(path.name) for path in self.folder.glob("part-*"))
        return sorted((int(name[1]), int(name[2])) for name in names if name)

    def _file(self, first: int, last: int) -> Path:
        return self.folder / f"part-{first:012}-{last:012}.parquet"

    def _read(self, first: int, last: int) -> pa.Table:
        path = self._file(first, last)
        with named(f"{path} cannot be read, remove it and label again"):
            return pq.read_table(path, partitioning=None)


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file so that it is there as a whole or not at all, whatever ends this process."""
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)  # it would keep the room that was lacking
        with contextlib.suppress(OSError):
            path.parent.rmdir()
        raise


@dataclass(slots=True)
class _Range:
    """Rows that are being labelled one after the other: those that wait, and the labels since the last part."""

    first: int  # the number of the first row that is in no part
    columns: Columns
    errors: list[str | None]
    labels: list[pa.Table] = field(default_factory=list)
    seconds: float = 0.0


def label_parts(
    rows: RowFile,
    question: Question,
    parts: Parts,
    *,
    block_rows: int,
    processes: int,
    dask: str | None = None,
    progress: Callable[[int, bool], None] = lambda rows, known: None,
) -> None:
    """Label the rows that the parts lack.

    ``block_rows`` are in memory at once, and in one part at most. ``dask`` is as for ``run_tasks``. ``progress`` is
    called with numbers of rows that have been finished, and whether an earlier run did it. ``InputFileError`` or
    ``OSError``: input or output failed.
    """
    more: deque[Job] = deque()
    beginning: dict[str, Sequence[Any]] = {}
    open_ranges: dict[int, _Range] = {}
    slice_rows = 1

    def jobs() -> Iterator[Job]:
        first = 1
        for block in rows.blocks(block_rows):
            end = first + len(block)
            missing = list(parts.missing(first, end))
            progress(len(block) - sum(stop - start for start, stop in missing), True)
            columns, errors = rows.positions(block) if missing else ({}, [])
            for start, stop in missing:
                while start < stop:
                    # Enough that they make a part, and that all processes have some.
                    at = start - first
                    to = min(stop - first, at + max(1, int(slice_rows * PART_S / _SLICE_S)))
                    chosen = _Range(start, {name: values[at:to] for name, values in columns.items()}, errors[at:to])
                    if start == 1:
                        beginning.update(chosen.columns)
                    open_ranges[start] = chosen
                    yield start, question, chosen.columns, slice_rows
                    start = first + to
            first = end

    for name, (labels, seconds, slice_rows) in run_tasks(label_some, jobs(), processes=processes, dask=dask, more=more):
        chosen = open_ranges[name]
        chosen.labels.append(_with_errors(labels, chosen.errors[: len(labels)]))
        chosen.seconds += seconds
        chosen.columns = {name: values[len(labels) :] for name, values in chosen.columns.items()}
        chosen.errors = chosen.errors[len(labels) :]
        progress(len(labels), False)
        if not chosen.errors or chosen.seconds >= PART_S:
            part = pa.concat_tables(chosen.labels)
            if chosen.first == 1 and part[ERROR].null_count < len(part):
                _check_counting(question, {name: values[: len(part)] for name, values in beginning.items()})
            parts.write(chosen.first, part)
            chosen.first, chosen.labels, chosen.seconds = chosen.first + len(part), [], 0.0
        if chosen.errors:
            more.append((name, question, chosen.columns, slice_rows))
        else:
            del open_ranges[name]


class Miscounted(InputFileError):
    """The moves of a file are counted in another way than the question says."""


def _check_counting(question: Question, columns: Columns) -> None:
    """Raise ``Miscounted`` if the rows of the first part are possible only with moves that are counted otherwise."""
    if other := counted_otherwise(question, columns):
        raise Miscounted(f"some rows are impossible; all so far are possible as {other}: add --moves {other}")


def _with_errors(labels: pa.Table, errors: list[str | None]) -> pa.Table:
    """The labels of rows, some of which could not be read."""
    if not any(errors):
        return labels
    reasons = [mine or other for mine, other in zip(errors, labels[ERROR].to_pylist(), strict=True)]
    return labels.set_column(len(labels.column_names) - 1, ERROR, pa.array(reasons, pa.string()))


def label_some(question: Question, columns: Columns, slice_rows: int) -> tuple[pa.Table, float, int]:
    """Label rows from the first on for about ``TASK_S``, at least one; runs in a process of its own.

    ``slice_rows`` are taken together at first. Returns the labels, the seconds, and how many rows to begin with next.
    """
    count, begun, at = len(next(iter(columns.values()))), time.monotonic(), 0
    tables: list[pa.Table] = []
    while at < count and (not tables or time.monotonic() - begun < TASK_S):
        chosen = {name: values[at : at + slice_rows] for name, values in columns.items()}
        started = time.monotonic()
        try:
            with _stop_after(_PATIENCE_S) as stop:
                tables.append(label_rows(question, chosen, stop if slice_rows > 1 else None))
        except SearchStopped:
            slice_rows = 1
            continue
        at += len(tables[-1])
        rate = len(tables[-1]) / max(1e-6, time.monotonic() - started)
        slice_rows = max(1, min(_GROWTH * slice_rows, int(rate * _SLICE_S)))
    return pa.concat_tables(tables), time.monotonic() - begun, slice_rows


@contextlib.contextmanager
def _stop_after(seconds: float) -> Iterator[Stop]:
    stop = Stop()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
