"""Proves the openings of a game with gravity in parts, and writes the book: python -m training.book --plies 6

Finished parts are kept in the work folder; the same command continues where it was stopped.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from kinarow.commands import options
from kinarow.game.rules import Rules
from kinarow.labelling.tasks import run_tasks
from kinarow.search.bulk import load_kernels
from kinarow.search.known import book
from training import book_builder

_WORDS_PER_MEGABYTE = 1 << 17


def main(words: Sequence[str] | None = None) -> int:
    """Prove the missing parts, then write the book."""
    parser = argparse.ArgumentParser(prog="python -m training.book", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=6, help="rows of the board (6)")
    parser.add_argument("--columns", type=int, default=7, help="columns of the board (7)")
    parser.add_argument("--goal", type=int, default=4, help="marks in a row that end the game (4)")
    parser.add_argument("--misere", action="store_true", help="completing a line loses")
    parser.add_argument("--exact-goal", action="store_true", help="a run longer than the goal is not a line")
    parser.add_argument("--plies", type=int, default=6, help="maximum number of marks on the boards in the book (6)")
    parser.add_argument("--work", type=Path, default=Path("build/book"), help="folder of finished parts (build/book)")
    parser.add_argument("--output", type=Path, help="file of the finished book; by default in the work folder")
    options.add_at_once(parser, "processes")
    parser.add_argument(
        "--threads", type=int, default=1, help="of each process, which share its table; 0 for all cores"
    )
    parser.add_argument("--table-megabytes", type=int, default=1024, help="a power of two, for each process (1024)")
    chosen = parser.parse_args(words)
    rules = Rules(
        chosen.rows, chosen.columns, chosen.goal, gravity=True, misere=chosen.misere, exact_goal=chosen.exact_goal
    )
    load_kernels()
    sizes = [len(part) for part in book_builder.parts(rules, chosen.plies)]
    folder = chosen.work / f"{Path(book.file_name(rules)).stem}-{chosen.plies}-{len(sizes)}-parts"
    folder.mkdir(parents=True, exist_ok=True)
    output = chosen.output or chosen.work / book.file_name(rules)
    _prove_missing(rules, chosen, folder, sizes)
    proven = [_read_part(folder, index, size) or [] for index, size in enumerate(sizes)]
    made = book_builder.assemble(rules, chosen.plies, proven)
    book.write(made, output)
    print(f"{output}: {len(made.values)} positions to {made.plies} plies, {output.stat().st_size} bytes")
    return 0


def _prove_missing(rules: Rules, arguments: argparse.Namespace, folder: Path, sizes: list[int]) -> None:
    parts = book_builder.parts(rules, arguments.plies)
    missing = [index for index, size in enumerate(sizes) if size and _read_part(folder, index, size) is None]
    total, done = sum(sizes), sum(sizes) - sum(sizes[index] for index in missing)
    before, started = done, time.monotonic()
    words = arguments.table_megabytes * _WORDS_PER_MEGABYTE
    jobs = [(index, rules, parts[index], words, arguments.threads) for index in missing]
    proven = run_tasks(book_builder.prove, jobs, processes=arguments.processes)
    for index, values in proven if jobs else ():
        _write_part(folder, index, values)
        done += len(values)
        seconds = time.monotonic() - started
        left = seconds / max(1, done - before) * (total - done)
        print(
            f"part {index}: {done} of {total} positions, {seconds:.0f} s, about {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )


def _part_file(folder: Path, index: int) -> Path:
    return folder / f"part-{index:04}.json"


def _read_part(folder: Path, index: int, size: int) -> list[int] | None:
    try:
        values = json.loads(_part_file(folder, index).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(values, list) or len(values) != size or not all(type(value) is int for value in values):
        return None
    return values


def _write_part(folder: Path, index: int, values: list[int]) -> None:
    path = _part_file(folder, index)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(values), "utf-8")
    os.replace(unfinished, path)


if __name__ == "__main__":
    raise SystemExit(main())
