"""The folder that holds the labelled rows: Parquet parts, each there as a whole or not at all."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.errors import InputError
from kinarow.labelling.reading import InputFileError, Part
from kinarow.labelling.rows import add_columns

ABOUT = "_label.json"
ERRORS = "_errors.jsonl"
ERRORS_KEY = b"kinarow.errors"
UNFINISHED = ".unfinished"


class Counts(NamedTuple):
    """The rows of a run: ``read`` is the sum of the other two."""

    read: int
    labelled: int
    bad: int


class OutputFolder:
    """Parts of one run, which may be interrupted and repeated.

    ``about`` is what the labels depend on, as text by name; every part has it as metadata. The errors of a part stand
    there too until the end, so that a part is finished by a single renaming. A folder that holds something else, or
    parts of another run, is an ``InputFileError``.
    """

    def __init__(self, path: Path, about: dict[str, str]) -> None:
        self._path = path
        self._about = about
        path.mkdir(parents=True, exist_ok=True)
        about_file = path / ABOUT
        if about_file.exists():
            before = _read_about(about_file)
            for name in about.keys() | before.keys():
                if about.get(name) != before.get(name):
                    raise InputFileError(f"{path} was begun with another {name}: {before.get(name)}")
        elif any(not each.name.startswith(ABOUT) for each in path.iterdir()):
            raise InputFileError(f"{path} is not empty and was not made by kinarow label")
        else:
            self._write(ABOUT, (json.dumps(about, indent=2) + "\n").encode())
        for left in path.glob(f"*{UNFINISHED}"):
            left.unlink()

    def has(self, index: int) -> bool:
        """Whether the part with this number is finished."""
        return self._part(index).exists()

    def write(self, part: Part, labels: pa.Table, errors: dict[int, str]) -> None:
        """Finish a part: the rows with their labels, without those that have an error, by their place."""
        rows = part.rows
        if errors:
            kept = [place for place in range(len(rows)) if place not in errors]
            rows = rows.take(pa.array(kept, pa.int64()))  # without the type none kept has no integers
        try:
            rows = add_columns(rows, labels)
        except InputError as clash:
            raise InputFileError(clash.problems[0][1]) from None
        bad = sorted([*part.errors, *((part.numbers[place], reason) for place, reason in errors.items())])
        metadata: dict[bytes | str, bytes | str] = {f"kinarow.{name}": text for name, text in self._about.items()}
        metadata[ERRORS_KEY] = json.dumps(bad)
        sink = pa.BufferOutputStream()
        pq.write_table(rows.replace_schema_metadata(metadata), sink)
        self._write(self._part(part.index).name, sink.getvalue())

    def finish(self, parts: int, read: int) -> Counts:
        """Write the errors of all parts into one file; an ``InputFileError`` if the parts do not hold the rows read."""
        labelled, lines = 0, []
        for index in range(parts):
            metadata = pq.read_metadata(self._part(index))
            labelled += metadata.num_rows
            for number, reason in json.loads(metadata.metadata[ERRORS_KEY]):
                lines.append(json.dumps({"row": number, "reason": reason}, ensure_ascii=False) + "\n")
        if labelled + len(lines) != read:
            raise InputFileError(
                f"{read} rows read, but {labelled} labelled and {len(lines)} bad; remove {self._path} and label again"
            )
        self._write(ERRORS, "".join(lines).encode())
        return Counts(read, labelled, len(lines))

    def _part(self, index: int) -> Path:
        return self._path / f"part-{index:05}.parquet"

    def _write(self, name: str, content: Any) -> None:
        write_whole(self._path / name, lambda file: file.write(content))


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file so that it is there as a whole or not at all, whatever ends this process."""
    unfinished = path.with_name(path.name + UNFINISHED)
    with unfinished.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _read_about(path: Path) -> dict[str, Any]:
    """The ``about`` of the run that began a folder; empty if it cannot be read."""
    try:
        about = json.loads(path.read_text("utf-8"))
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}
