"""``kinarow label``: the value of every position in a file, as one file or as Parquet parts."""

import argparse
import json
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any, TextIO

from kinarow.commands import WRONG_USE, options
from kinarow.game.position_fields import read_start
from kinarow.search.bulk import load_kernels
from kinarow.search_types import MOST_NODES
from kinarow.version import engine_version

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
        type=Path,
        help="IN: a .parquet, .csv or .jsonl file with a column moves or board; OUT: one such file, or a folder",
    )
    parser.add_argument("--all", action="store_true", help="label every reachable position of a small game")
    parser.add_argument("--symmetry", action="store_true", help="with --all, one of each set of symmetric positions")
    options.add_rules(parser)
    options.add_size(parser, "needed if neither --game nor a board gives it")
    parser.add_argument("--values", action="store_true", help="add the score of every move; may take far longer")
    parser.add_argument(
        "--max-nodes",
        type=options.between(1, MOST_NODES),
        help="maximum nodes for each row; by default unlimited on boards that an exact solver takes",
    )
    parser.add_argument("--multiline", action="store_true", help="allow line breaks in quoted fields of CSV")
    parser.add_argument(
        "--empty-is-start", action="store_true", help="read an empty text as the empty board instead of a bad row"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a row is bad")
    options.add_at_once(parser, "processes")
    parser.add_argument(
        "--part-rows",
        type=options.between(1, MAX_PART_ROWS),
        default=PART_ROWS,
        help=f"rows of each part ({PART_ROWS})",
    )
    options.add_dask(parser)


def run(arguments: argparse.Namespace) -> int:
    """Label the rows."""
    # Only here: the extra may be missing while --help is printed.
    from kinarow.labelling import output, parts, reading, rows, single_file

    paths: list[Path] = arguments.paths
    if len(paths) != (1 if arguments.all else 2) or (arguments.symmetry and not arguments.all):
        print("kinarow label: give IN and OUT, or OUT alone with --all, which --symmetry goes with", file=sys.stderr)
        return WRONG_USE
    fields = _fields(arguments)
    question = rows.Question(fields, arguments.max_nodes, arguments.values, arguments.empty_is_start)
    progress = Progress(sys.stderr)
    try:
        if arguments.all:
            rules = read_start(fields).rules
            source = "all positions up to symmetry" if arguments.symmetry else "all positions"
            read = reading.all_parts(rules, arguments.part_rows, symmetry=arguments.symmetry)
        else:
            source = parts.digest_of(paths[0])
            read = reading.read_parts(paths[0], arguments.part_rows, multiline=arguments.multiline)
            progress.total = reading.count_rows(paths[0])
        kind = single_file.OutputFile if paths[-1].suffix in single_file.FORMATS else output.OutputFolder
        folder = kind(paths[-1], _about(arguments, fields, source))
        load_kernels()  # once, before processes start
        done = parts.label_parts(
            read,
            question,
            folder,
            processes=arguments.processes,
            dask=arguments.dask,
            progress=progress,
            total=None if arguments.multiline else progress.total,
        )
    except (reading.InputFileError, OSError, BrokenExecutor) as failure:
        progress.end()
        print(f"kinarow label: {failure}", file=sys.stderr)
        return options.FAILED
    progress.end()
    print(f"{done.read} rows read, {done.labelled} rows labelled, {done.bad} bad rows", file=sys.stderr)
    return options.FAILED if arguments.strict and done.bad else 0


def _fields(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields that hold for every row."""
    names = (*options.RULE_OPTIONS, "rows", "columns", "layers")
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
        "part_rows": str(arguments.part_rows),
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
