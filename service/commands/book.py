"""``kinarow book``: prove an opening in parts, resumable, and write the book to a file."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kinarow.rules import Rules
from service.commands.terminal import load_engine

FAILED = 1
"""Exit code when the book could not be built."""

DEFAULT_TABLE_MEGABYTES = 1024
_WORDS_PER_MEGABYTE = 1 << 17


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "Finished parts are kept in the work folder; the same command continues where it was stopped."
    )
    parser.add_argument("--rows", type=int, default=6, help="rows of the board (6)")
    parser.add_argument("--columns", type=int, default=7, help="columns of the board (7)")
    parser.add_argument("--goal", type=int, default=4, help="marks in a row that end the game (4)")
    parser.add_argument("--misere", action="store_true", help="completing a line loses")
    parser.add_argument("--exact-goal", action="store_true", help="a run longer than the goal is not a line")
    parser.add_argument("--plies", type=int, default=6, help="the most marks of a position in the book (6)")
    parser.add_argument("--work", type=Path, default=Path("build/book"), help="folder of finished parts")
    parser.add_argument(
        "--output", type=Path, help="file of the finished book; by default in the work folder"
    )
    parser.add_argument(
        "--processes", type=int, help="processes at once; by default one for each usable core"
    )
    parser.add_argument(
        "--table-megabytes",
        type=int,
        default=DEFAULT_TABLE_MEGABYTES,
        help=f"memory of each process's table, a power of two ({DEFAULT_TABLE_MEGABYTES})",
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="prove the parts on this Dask cluster instead")


def run(arguments: argparse.Namespace) -> int:
    """Prove the missing parts, then write the book."""
    load_engine()
    from kinarow.opening_book import builder as book_builder
    from kinarow.opening_book import reader as book

    rules = Rules(
        arguments.rows, arguments.columns, arguments.goal, True, arguments.misere, arguments.exact_goal
    )
    megabytes = arguments.table_megabytes
    if megabytes < 1 or megabytes & (megabytes - 1):
        print("kinarow book: --table-megabytes must be a power of two", file=sys.stderr)
        return FAILED
    try:
        sizes = [len(part) for part in book_builder.parts(rules, arguments.plies)]
        folder = arguments.work / f"{Path(book.file_name(rules)).stem}-{arguments.plies}"
        folder.mkdir(parents=True, exist_ok=True)
        output = arguments.output or arguments.work / book.file_name(rules)
        _prove_missing(rules, arguments, folder, sizes)
        proven = [_read_part(folder, index, size) for index, size in enumerate(sizes)]
        made = book_builder.assemble(rules, arguments.plies, [part or [] for part in proven])
        book.write(made, output)
    except (book.BookError, OSError) as failure:
        print(f"kinarow book: {failure}", file=sys.stderr)
        return FAILED
    print(f"{output}: {len(made.keys)} positions to {made.plies} plies, {output.stat().st_size} bytes")
    return 0


def _prove_missing(rules: Rules, arguments: argparse.Namespace, folder: Path, sizes: list[int]) -> None:
    """Prove every part that has no file yet, with progress on stderr."""
    missing = [index for index, size in enumerate(sizes) if _read_part(folder, index, size) is None]
    total, done = sum(sizes), sum(sizes) - sum(sizes[index] for index in missing)
    before, started = done, time.monotonic()
    words = arguments.table_megabytes * _WORDS_PER_MEGABYTE
    for index, values in _run_parts(arguments, rules, words, missing):
        _write_part(folder, index, values)
        done += len(values)
        seconds = time.monotonic() - started
        left = seconds / max(1, done - before) * (total - done)
        print(
            f"part {index}: {done} of {total} positions, {seconds:.0f} s, about {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )


def _run_parts(
    arguments: argparse.Namespace, rules: Rules, table_words: int, missing: list[int]
) -> Iterator[tuple[int, list[int]]]:
    """The values of each missing part, as they come."""

    def submit_all(submit: Callable[..., Any]) -> dict[Any, int]:
        return {submit(_prove_part, rules, arguments.plies, index, table_words): index for index in missing}

    if not missing:
        return
    if arguments.dask:
        try:
            import distributed
        except ImportError:
            raise OSError("Dask is not installed: pip install 'kinarow[dask]'") from None
        dask: Any = distributed  # its functions carry no types
        with dask.Client(arguments.dask) as client:
            futures = submit_all(client.submit)
            for future in dask.as_completed(futures):
                yield futures[future], future.result()
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures import as_completed as completed

    from service.settings import usable_cores

    processes = arguments.processes or usable_cores()
    # Processes are spawned: the tables of this process must not be copied into each of them.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    try:
        running = submit_all(pool.submit)
        for finished in completed(running):
            yield running[finished], finished.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _prove_part(rules: Rules, plies: int, index: int, table_words: int) -> list[int]:
    """The values of one part; runs in a new process."""
    load_engine()
    from kinarow.opening_book.builder import prove_part

    return prove_part(rules, plies, index, table_words)


def _part_file(folder: Path, index: int) -> Path:
    return folder / f"part-{index:04}.json"


def _read_part(folder: Path, index: int, size: int) -> list[int] | None:
    """The values of a finished part, or None if it is missing."""
    try:
        values = json.loads(_part_file(folder, index).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(values, list) or len(values) != size or not all(type(value) is int for value in values):
        return None
    return values


def _write_part(folder: Path, index: int, values: list[int]) -> None:
    """Write a part atomically."""
    path = _part_file(folder, index)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(values), "utf-8")
    os.replace(unfinished, path)
