"""``kinarow label``: the value of every position in a file, as one file or as Parquet parts."""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from kinarow.commands import WRONG_USE, complain, options
from kinarow.errors import InputError, several
from kinarow.game.size import MAX_CELLS
from kinarow.search.bulk import load_kernels
from kinarow.search_types import MOST_NODES
from kinarow.version import engine_version

if TYPE_CHECKING:
    from kinarow.labelling.rows import Question
    from kinarow.labelling.writing import Counts

PART_ROWS = 16_384
MAX_PART_ROWS = 1_000_000

_BAR = 24
_REPORT_EVERY_S = 10.0  # where stderr is no terminal


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Finished parts stay, so the same command continues after any stop."
    parser.usage = "kinarow label [options] IN OUT\n       kinarow label --all [options] OUT"
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="IN: a .parquet, .csv, .tsv or .jsonl file with a column moves or board; OUT: one of the same kind, or "
        "for Parquet a folder; - for JSON lines on standard input or output",
    )
    parser.add_argument("--all", action="store_true", help="label every reachable position of a small game")
    parser.add_argument("--symmetry", action="store_true", help="with --all, one of each set of symmetric positions")
    parser.add_argument(
        "--max-marks",
        metavar="N",
        type=options.between(0, MAX_CELLS),
        help="with --all, only positions of at most N marks",
    )
    options.add_rules(parser)
    options.add_size(parser, "needed if neither --game nor a board gives it")
    options.add_composed(parser)
    parser.add_argument("--values", action="store_true", help="add the score of every move; may take far longer")
    parser.add_argument(
        "--max-nodes",
        type=options.between(1, MOST_NODES),
        help="maximum nodes for each row; by default unlimited on boards that an exact solver takes",
    )
    options.add_moves(parser)
    parser.add_argument("--multiline", action="store_true", help="allow line breaks in quoted fields of CSV")
    parser.add_argument(
        "--empty-is-start", action="store_true", help="read an empty text as the empty board instead of a bad row"
    )
    parser.add_argument("--prefix", default="", help="what the names of the new columns begin with")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a row is bad")
    options.add_at_once(parser, "processes")
    parser.add_argument(
        "--part-rows",
        type=options.between(1, MAX_PART_ROWS),
        default=PART_ROWS,
        help=f"maximum rows of a part ({PART_ROWS})",
    )
    options.add_dask(parser)


def run(arguments: argparse.Namespace) -> int:
    """Label the rows."""
    # Only here: the extra may be missing while --help is printed.
    from kinarow.labelling import enumeration
    from kinarow.labelling.parts import Miscounted
    from kinarow.labelling.reading import InputFileError
    from kinarow.labelling.rows import Question

    alone = arguments.symmetry or arguments.max_marks is not None
    if len(arguments.paths) != (1 if arguments.all else 2) or (alone and not arguments.all):
        complain("label", "give IN and OUT, or OUT alone with --all, which --symmetry and --max-marks go with")
        return WRONG_USE
    fields = _fields(arguments)
    question = Question(fields, arguments.max_nodes, arguments.values, arguments.empty_is_start, arguments.moves)
    if arguments.all:
        enumeration.check(question.rules(), symmetry=arguments.symmetry, max_marks=_most_marks(arguments))
    progress = Progress(sys.stderr)
    try:
        with ExitStack() as opened:
            done = _label(arguments, question, progress, opened)
    except (InputFileError, InputError, OSError, BrokenExecutor) as failure:
        progress.end()
        complain("label", failure.problems[0][1] if isinstance(failure, InputError) else failure)
        return WRONG_USE if isinstance(failure, Miscounted) else options.FAILED
    progress.end()
    read, labelled, bad = several(done.read, "row"), several(done.labelled, "row"), several(done.bad, "bad row")
    print(f"{read} read, {labelled} labelled, {bad}", file=sys.stderr)
    return options.FAILED if arguments.strict and done.bad else 0


def _label(arguments: argparse.Namespace, question: "Question", progress: "Progress", opened: ExitStack) -> "Counts":
    """Label the rows into the output; nothing is written before it and the input have been checked."""
    from kinarow.labelling import enumeration, reading, rows, writing
    from kinarow.labelling.parts import POSITIONS, Parts, label_parts

    output = writing.Output(arguments.paths[-1])
    new = rows.columns_of(question)
    table = None
    if arguments.all:
        source = f"all positions{' up to symmetry' * arguments.symmetry}"
        source += "" if arguments.max_marks is None else f", at most {arguments.max_marks} marks"
    else:
        path = _spooled(opened) if arguments.paths[0] == writing.STANDARD else Path(arguments.paths[0])
        table = reading.open_rows(path, multiline=arguments.multiline)
        output.check(arguments.paths[0], table)
        rows.check_names(table.names, [arguments.prefix + name for name in new.names])
        rows.check_size(question, table.names)
        source = _digest_of(path)
    about = _about(arguments, question.fields, source)
    if (finished := output.finished(about)) is not None:
        return finished
    parts = Parts(output.parts or Path(opened.enter_context(tempfile.TemporaryDirectory()), "parts"), about)
    if table is None:
        positions = parts.folder / POSITIONS
        if not positions.exists():
            boards = enumeration.tables(question.rules(), symmetry=arguments.symmetry, max_marks=_most_marks(arguments))
            writing.write_tables(positions, boards)
        table = reading.open_rows(positions)
    progress.total = table.count
    load_kernels()  # once, before processes start
    label_parts(
        table,
        question,
        parts,
        block_rows=arguments.part_rows,
        processes=arguments.processes,
        dask=arguments.dask,
        progress=progress,
    )
    empty = rows.empty_labels(question)
    labelled = writing.Labelled(table, parts, empty, arguments.prefix, arguments.part_rows)
    return output.write(labelled, parts, about)


def _most_marks(arguments: argparse.Namespace) -> int:
    return MAX_CELLS if arguments.max_marks is None else arguments.max_marks


def _spooled(opened: ExitStack) -> Path:
    """A file with what comes on standard input, which is read more than once."""
    file = opened.enter_context(tempfile.NamedTemporaryFile(suffix=".jsonl"))  # noqa: SIM115 - it is entered
    shutil.copyfileobj(sys.stdin.buffer, file)
    file.flush()
    return Path(file.name)


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return f"{path.stat().st_size} bytes, {hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"


def _fields(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields that hold for every row."""
    names = (*options.RULE_OPTIONS, "rows", "columns", "layers", "composed")
    return {name: value for name, value in options.fields_of(arguments).items() if name in names}


def _about(arguments: argparse.Namespace, fields: dict[str, Any], source: str) -> dict[str, str]:
    limits = "to the proof" if arguments.max_nodes is None else f"{arguments.max_nodes} nodes"
    return {
        "engine_version": engine_version(),
        "input": source,
        "rules": json.dumps(fields, sort_keys=True),
        "limits": limits,
        "values": json.dumps(arguments.values),
        "multiline": json.dumps(arguments.multiline),
        "empty_is_start": json.dumps(arguments.empty_is_start),
        **({} if arguments.moves is None else {"moves": arguments.moves}),
    }


class Progress:
    """Shows progress: a bar on a terminal, otherwise a line every ten seconds.

    ``total`` is the number of rows of the input, None if unknown; ``unit`` names what is counted.
    """

    def __init__(self, stream: TextIO, unit: str = "rows") -> None:
        self.total: int | None = None
        self.unit = unit
        self._stream = stream
        self._live = stream.isatty()
        self._started = self._reported = time.monotonic()
        self._rows = self._before = 0

    def __call__(self, rows: int, finished_before: bool) -> None:
        """Count the rows of a finished part."""
        self._rows += rows
        if finished_before:
            self._before += rows
        now = time.monotonic()
        if self._live:
            self._stream.write("\r\x1b[K" + self.text(now))
            self._stream.flush()
        elif now - self._reported >= _REPORT_EVERY_S:
            self._reported = now
            self._stream.write(self.text(now) + "\n")
            self._stream.flush()

    def end(self) -> None:
        """End the line of the bar."""
        if self._live and self._rows:
            self._stream.write("\n")

    def text(self, now: float) -> str:
        """The progress at this moment of the monotonic clock."""
        rate = (self._rows - self._before) / max(1e-9, now - self._started)
        if not self.total:
            return f"{self._rows:,} {self.unit}, {rate:,.0f} {self.unit}/s"
        part = min(1.0, self._rows / self.total)
        bar = ("#" * round(part * _BAR)).ljust(_BAR, ".")
        left = f", about {duration((self.total - self._rows) / rate)} left" if rate and part < 1 else ""
        return f"[{bar}] {self._rows:,} of {self.total:,} {self.unit}, {rate:,.0f} {self.unit}/s{left}"


def duration(seconds: float) -> str:
    """A duration in its two largest units."""
    minutes, hours = seconds / 60, seconds / 3600
    if hours >= 1:
        return f"{int(hours)} h {int(minutes % 60)} min"
    return f"{int(minutes)} min {int(seconds % 60)} s" if minutes >= 1 else f"{max(0, round(seconds))} s"
