"""``kinarow label``: adds the value of every position of a file."""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from kinarow.commands import WRONG_USE, options, print_error
from kinarow.errors import InputError, several
from kinarow.game.size import MAX_CELLS
from kinarow.search.bulk import load_kernels
from kinarow.search_types import MOST_NODES
from kinarow.version import engine_version

if TYPE_CHECKING:
    from kinarow.labelling.rows import LabelOptions
    from kinarow.labelling.writing import Counts

PART_ROWS = 16_384
MAX_PART_ROWS = 1_000_000

_BAR = 24
_REPORT_EVERY_S = 10.0  # if stderr isn't a terminal


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
    parser.add_argument("--symmetry", action="store_true", help="with --all: one of each set of symmetric positions")
    to_most = options.between(0, MAX_CELLS)
    parser.add_argument("--max-marks", metavar="N", type=to_most, help="with --all: positions with at most N marks")
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
    parser.add_argument("--empty-is-start", action="store_true", help="read an empty text as the empty board")
    parser.add_argument("--prefix", default="", help="prefix of the new columns' names")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a row is bad")
    options.add_at_once(parser, "processes")
    parser.add_argument(
        "--part-rows",
        type=options.between(1, MAX_PART_ROWS),
        default=PART_ROWS,
        help=f"maximum rows of a part ({PART_ROWS})",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        nargs="?",
        const="",
        help="use the Dask cluster at this address; without an address, start one on this machine",
    )


def run(arguments: argparse.Namespace) -> int:
    """Label the rows."""
    # Imported here, since --help must work without the extra.
    from kinarow.labelling import enumeration
    from kinarow.labelling.parts import WrongCounting
    from kinarow.labelling.reading import InputFileError
    from kinarow.labelling.rows import LabelOptions

    alone = arguments.symmetry or arguments.max_marks is not None
    if len(arguments.paths) != (1 if arguments.all else 2) or (alone and not arguments.all):
        print_error("label", "give IN and OUT, or --all and OUT; --symmetry and --max-marks need --all")
        return WRONG_USE
    names = (*options.RULE_OPTIONS, "rows", "columns", "layers", "composed")
    fields = {name: value for name, value in options.fields_of(arguments).items() if name in names}
    wanted = LabelOptions(fields, arguments.max_nodes, arguments.values, arguments.empty_is_start, arguments.moves)
    if arguments.all:
        enumeration.check(wanted.rules(), symmetry=arguments.symmetry, max_marks=arguments.max_marks)
    progress = Progress(sys.stderr)
    try:
        with ExitStack() as opened:
            done = _label(arguments, wanted, progress, opened)
    except (InputFileError, InputError, OSError, BrokenExecutor) as failure:
        progress.end()
        print_error("label", failure.problems[0][1] if isinstance(failure, InputError) else failure)
        return WRONG_USE if isinstance(failure, WrongCounting) else options.FAILED
    progress.end()
    read, bad = several(done.read, "row"), several(done.bad, "bad row")
    print(f"{read} read, {several(done.labelled, 'row')} labelled, {bad}", file=sys.stderr)
    return options.FAILED if arguments.strict and done.bad else 0


def _label(arguments: argparse.Namespace, wanted: "LabelOptions", progress: "Progress", opened: ExitStack) -> "Counts":
    """Label the rows into the output, after checking input and output."""
    from kinarow.labelling import enumeration, reading, rows, writing
    from kinarow.labelling.parts import POSITIONS, Parts, label_parts

    output, table = writing.Output(arguments.paths[-1]), None
    if arguments.all:
        source = f"all positions{' up to symmetry' * arguments.symmetry}"
        source += "" if arguments.max_marks is None else f", at most {arguments.max_marks} marks"
    else:
        path = Path(arguments.paths[0])
        if arguments.paths[0] == writing.STANDARD:  # the input is read more than once
            spool = opened.enter_context(tempfile.NamedTemporaryFile(suffix=".jsonl"))  # noqa: SIM115 - it is entered
            shutil.copyfileobj(sys.stdin.buffer, spool)
            spool.flush()
            path = Path(spool.name)
        table = reading.open_rows(path)
        output.check(arguments.paths[0], table)
        rows.check_names(table.names, [arguments.prefix + name for name in rows.columns_of(wanted).names])
        rows.check_size(wanted, table.names)
        with path.open("rb") as file:
            source = f"{path.stat().st_size} bytes, {hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"
    about = _about(arguments, wanted.fields, source)
    if (finished := output.finished(about)) is not None:
        return finished
    parts = Parts(output.parts or Path(opened.enter_context(tempfile.TemporaryDirectory()), "parts"), about)
    if table is None:
        positions, most = parts.folder / POSITIONS, arguments.max_marks
        if not positions.exists():
            boards = enumeration.tables(wanted.rules(), symmetry=arguments.symmetry, max_marks=most)
            writing.write_tables(positions, boards)
        table = reading.open_rows(positions)
    progress.total = table.count
    load_kernels()  # once, before processes start
    label_parts(
        table,
        wanted,
        parts,
        block_rows=arguments.part_rows,
        processes=arguments.processes,
        dask=arguments.dask,
        progress=progress,
    )
    labelled = writing.Labelled(table, parts, rows.empty_labels(wanted), arguments.prefix, arguments.part_rows)
    return output.write(labelled, parts, about)


def _about(arguments: argparse.Namespace, fields: dict[str, Any], source: str) -> dict[str, str]:
    """Return everything that the labels depend on, by name; a run continues only parts of an equal run."""
    return {
        "engine_version": engine_version(),
        "input": source,
        "rules": json.dumps(fields, sort_keys=True),
        "limits": "to the proof" if arguments.max_nodes is None else f"{arguments.max_nodes} nodes",
        **{name: json.dumps(getattr(arguments, name)) for name in ("values", "empty_is_start")},
        **({} if arguments.moves is None else {"moves": arguments.moves}),
    }


class Progress:
    """Shows finished rows: as a bar on a terminal, otherwise as a line every ten seconds."""

    def __init__(self, stream: TextIO) -> None:
        self.total = 0
        self._stream = stream
        self._started = self._reported = time.monotonic()
        self._rows = self._before = 0

    def __call__(self, rows: int, finished_before: bool) -> None:
        """Count rows and show the progress; ``finished_before`` marks rows of an earlier run."""
        self._rows += rows
        self._before += rows * finished_before
        now = time.monotonic()
        if self._stream.isatty():
            self._stream.write("\r\x1b[K" + self.text(now))
        elif now - self._reported >= _REPORT_EVERY_S:
            self._reported = now
            self._stream.write(self.text(now) + "\n")
        self._stream.flush()

    def end(self) -> None:
        """End the bar's line."""
        if self._stream.isatty() and self._rows:
            self._stream.write("\n")

    def text(self, now: float) -> str:
        """Return the progress at a time of ``time.monotonic()``."""
        rate = (self._rows - self._before) / max(1e-9, now - self._started)
        part = min(1.0, self._rows / max(1, self.total))
        bar = ("#" * round(part * _BAR)).ljust(_BAR, ".")
        seconds = round((self.total - self._rows) / rate) if rate else 0
        left = f", about {timedelta(seconds=seconds)} left" if seconds else ""
        return f"[{bar}] {self._rows:,} of {self.total:,} rows, {rate:,.0f} rows/s{left}"
