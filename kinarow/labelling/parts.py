"""Labels a source of rows into a folder, part by part, in processes or on a cluster."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from kinarow.labelling.output import Counts, OutputFolder
from kinarow.labelling.reading import InputFileError, Part
from kinarow.labelling.rows import TEXT_COLUMNS, Question, label_table
from kinarow.labelling.tasks import Job, run_tasks

_DIGESTED = 1 << 20


def label_parts(
    parts: Iterable[Part],
    question: Question,
    folder: OutputFolder,
    *,
    processes: int,
    dask: str | None = None,
    progress: Callable[[int, bool], None] = lambda rows, known: None,
    total: int | None = None,
) -> Counts:
    """Label the parts that the folder lacks; returns how many rows of all parts are labelled or bad.

    The parts come in order, the same every time; ``dask`` is as for ``run_tasks``. ``progress`` is called with the rows
    of each part, and whether it was finished before. ``total`` is the expected number of rows, or None.
    ``InputFileError`` or ``OSError``: input or output failed, or a row is missing.
    """
    waiting: dict[int, Part] = {}
    count = read = 0

    def jobs() -> Iterator[Job]:
        nonlocal count, read
        for part in parts:
            count += 1
            read += part.total
            if folder.has(part.index):
                progress(part.total, True)
                continue
            waiting[part.index] = part
            names = [name for name in TEXT_COLUMNS if name in part.rows.column_names]
            yield part.index, question, part.rows.select(names)

    for index, (labels, errors) in run_tasks(label_table, jobs(), processes=processes, dask=dask):
        part = waiting.pop(index)
        folder.write(part, labels, errors)
        progress(part.total, False)
    if total not in (None, read):
        raise InputFileError(f"the input has {total} rows, but {read} were read")
    return folder.finish(count, read)


def digest_of(path: Path) -> str:
    """A digest of an input: its size and a hash of its first megabyte."""
    with path.open("rb") as file:
        first = file.read(_DIGESTED)
    return f"{path.stat().st_size} bytes, {hashlib.sha256(first).hexdigest()[:16]}"
