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
from kinarow.labelling.rows import ERROR, Columns, LabelOptions, counted_otherwise, label_rows
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
    """The labels of rows in files of a folder, each there as a whole or not at all.

    A file is named by the numbers of its first and last row, and has ``about``, what the labels depend on, as metadata;
    files of another run are an ``InputFileError``. What a run left without such files is deleted.
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
        """Yield the ranges of rows from ``first`` to before ``end`` that had no labels when this run began."""
        for begin, last in self._begun:
            if first <= last and begin < end:
                if first < begin:
                    yield first, begin
                first = last + 1
        if first < end:
            yield first, end

    def write(self, first: int, labels: pa.Table) -> None:
        """Write a part: the labels of the rows from ``first`` on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        table = labels.replace_schema_metadata(self._about)
        write_whole(self._file(first, first + len(labels) - 1), lambda file: pq.write_table(table, file))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the labels of all rows in order; raise ``InputFileError`` where some are missing."""
        after = 0
        for first, last in self._ranges():
            table = self._read(first, last)
            if (first, last) != (after + 1, after + len(table)):
                missing = f"rows {after + 1} to {last}"
                raise InputFileError(f"{self.folder} lacks labels of {missing}; remove it, label again")
            yield table.replace_schema_metadata()
            after = last

    def remove(self) -> None:
        """Delete what a run puts into the folder, and the folder if nothing else is in it."""
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
    """Write a file as a whole or not at all, whatever ends this process."""
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
    """Rows that wait for labels, and the labels since the last part."""

    first: int  # the number of the first row that is in no part
    waiting: int
    columns: Columns
    labels: list[pa.Table] = field(default_factory=list)
    seconds: float = 0.0


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
    """Label the rows that the parts lack; raise ``InputFileError`` or ``OSError`` if input or output fails.

    At most ``block_rows`` are in memory at once, and in a part. ``processes`` and ``dask`` are as for ``run_tasks``.
    ``progress`` gets a number of finished rows, and whether an earlier run finished them.
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
            columns = rows.positions(block) if missing else {}
            for start, stop in missing:
                while start < stop:
                    # Enough that they make a part, and that all processes have some.
                    at = start - first
                    to = min(stop - first, at + max(1, int(slice_rows * PART_S / _SLICE_S)))
                    chosen = _Range(start, to - at, {name: values[at:to] for name, values in columns.items()})
                    if start == 1:
                        beginning.update(chosen.columns)
                    open_ranges[start] = chosen
                    yield start, options, chosen.columns, slice_rows
                    start = first + to
            first = end

    for name, (labels, seconds, slice_rows) in run_tasks(label_some, jobs(), processes=processes, dask=dask, more=more):
        chosen = open_ranges[name]
        chosen.labels.append(labels)
        chosen.seconds += seconds
        chosen.columns = {name: values[len(labels) :] for name, values in chosen.columns.items()}
        chosen.waiting -= len(labels)
        progress(len(labels), False)
        if not chosen.waiting or chosen.seconds >= PART_S:
            part = pa.concat_tables(chosen.labels)
            if chosen.first == 1 and part[ERROR].null_count < len(part):
                own = {name: values[: len(part)] for name, values in beginning.items()}
                if other := counted_otherwise(options, own):
                    wrong = f"some rows are impossible; all so far are possible as {other}: add --moves {other}"
                    raise Miscounted(wrong)
            parts.write(chosen.first, part)
            chosen.first, chosen.labels, chosen.seconds = chosen.first + len(part), [], 0.0
        if chosen.waiting:
            more.append((name, options, chosen.columns, slice_rows))
        else:
            del open_ranges[name]


class Miscounted(InputFileError):
    """The rows of the first part are possible only if moves count otherwise."""


def label_some(options: LabelOptions, columns: Columns, slice_rows: int) -> tuple[pa.Table, float, int]:
    """Label rows in order for about ``TASK_S``; return ``(labels, seconds, slice_rows)``."""
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
