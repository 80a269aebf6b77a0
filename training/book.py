"""Proves the openings of a game with gravity in parts, and writes the book: python -m training.book --plies 6

Finished parts stay in the work folder, so the same command continues after a stop. The exact solver proves the
positions after ``plies`` marks, the *leaves*; the values of earlier positions follow by minimax. A *part* is the leaves
below one position of ``ROOT_PLIES`` marks, without the leaves of earlier parts. All parts of a process use one
transposition table, because their leaves share most of the positions below.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinarow.commands import options
from kinarow.game.position_arrays import Boards, children
from kinarow.game.rules import Rules
from kinarow.labelling.tasks import run_tasks
from kinarow.search.bulk import load_kernels
from kinarow.search.known.book import Book, BookError, file_name, fits, keys, values_before, write
from kinarow.solvers import bulk
from kinarow.solvers.common.capacity import NO_MOVES

_WORDS_PER_MEGABYTE = 1 << 17
ROOT_PLIES = 4  # Marks at the root of a part; parts are small, since a stop loses the unfinished ones
MAX_PLIES = 16  # Most plies of a book; the positions of a larger book don't fit into memory
AT_ONCE = 1 << 14  # Positions whose children are made at once, which bounds the memory


def check(rules: Rules, plies: int) -> None:
    """Raise ``BookError`` if a book doesn't support these rules or plies."""
    if not fits(rules):
        raise BookError("a book needs gravity, and (rows + 1) * columns of at most 64")
    if not 0 <= plies <= min(MAX_PLIES, rules.cells - 1):
        raise BookError(f"a book goes to 0 to {min(MAX_PLIES, rules.cells - 1)} plies, not {plies}")


@lru_cache(maxsize=1)
def parts(rules: Rules, plies: int) -> tuple[Boards, ...]:
    """Return the leaves of every part, in a fixed order; each leaf is in one part only, and its mirror image in none.

    Leaves are rows of cells for the side to move. Raises ``BookError`` as ``check`` does.
    """
    check(rules, plies)
    boards = _levels(rules, min(ROOT_PLIES, plies))[-1]
    parts = len(boards)
    part_of = np.arange(parts)  # the part of each board; ascending, since boards are in the order of their parents
    for _ in range(plies - ROOT_PLIES):
        boards, parents = _after(boards, rules)
        part_of = part_of[parents]
    return tuple(np.split(boards, np.searchsorted(part_of, np.arange(1, parts))))


def prove(rules: Rules, boards: Boards, words: int) -> list[int]:
    """Return the values of leaves; the process keeps its transposition table of ``words`` words for its next part."""
    proven: list[int] = bulk.values(rules, boards, NO_MOVES, memory=_memory(rules, words)).values.tolist()
    return proven


@lru_cache(maxsize=1)
def _memory(_: Rules, words: int) -> bulk.Memory:
    return bulk.shared_table(words)


def assemble(rules: Rules, plies: int, proven: list[list[int]]) -> Book:
    """Return the book, by minimax from the values of all leaves."""
    levels = _levels(rules, plies)
    later_keys = _keys(levels[-1], rules)
    later = np.concatenate([np.array(part, np.int8) for part in proven])
    known = [(later_keys, later)]
    for boards in reversed(levels[:-1]):
        ascending = np.argsort(later_keys)
        later_keys, later = later_keys[ascending], later[ascending]
        steps = range(0, max(1, len(boards)), AT_ONCE)
        later = np.concatenate([_values(boards[at : at + AT_ONCE], rules, later_keys, later) for at in steps])
        later_keys = _keys(boards, rules)
        known.append((later_keys, later))
    every_key, values = (np.concatenate(column) for column in zip(*known, strict=True))
    ascending = np.argsort(every_key)
    return Book(rules, plies, every_key[ascending], values[ascending])


def _levels(rules: Rules, plies: int) -> list[Boards]:
    """Return the ongoing positions after 0, 1, … ``plies`` marks, in depth-first order."""
    levels = [np.zeros((1, rules.cells), np.uint8)]
    for _ in range(plies):
        levels.append(_after(levels[-1], rules)[0])
    return levels


def _after(boards: Boards, rules: Rules) -> tuple[Boards, NDArray[np.intp]]:
    """Return the different ongoing positions after one move, and the index of each one's first parent."""
    parts = []
    for at in range(0, max(1, len(boards)), AT_ONCE):
        after = children(boards[at : at + AT_ONCE], rules)
        parts.append((after.boards[~after.completed], after.parents[~after.completed] + at))
    later, parents = (np.concatenate(column) for column in zip(*parts, strict=True))
    _, first = np.unique(_keys(later, rules), return_index=True)
    first.sort()
    return later[first], parents[first]


def _keys(boards: Boards, rules: Rules) -> NDArray[np.uint64]:
    return np.concatenate([keys(boards[at : at + AT_ONCE], rules) for at in range(0, max(1, len(boards)), AT_ONCE)])


def _values(boards: Boards, rules: Rules, later_keys: NDArray[np.uint64], later: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the value of each position from the values of its children in ``later``, whose keys are sorted."""
    after = children(boards, rules)
    ongoing = keys(after.boards[~after.completed], rules)
    of_moves = values_before(after, rules, later[np.searchsorted(later_keys, ongoing)])
    first_moves = np.flatnonzero(np.diff(after.parents, prepend=-1))  # a position's moves are consecutive
    return np.maximum.reduceat(of_moves, first_moves).astype(np.int8)


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
    parser.add_argument("--table-megabytes", type=int, default=1024, help="a power of two, for each process (1024)")
    chosen = parser.parse_args(words)
    rules = Rules(
        chosen.rows, chosen.columns, chosen.goal, gravity=True, misere=chosen.misere, exact_goal=chosen.exact_goal
    )
    load_kernels()
    sizes = [len(part) for part in parts(rules, chosen.plies)]
    folder = chosen.work / f"{Path(file_name(rules)).stem}-{chosen.plies}-{len(sizes)}-parts"
    folder.mkdir(parents=True, exist_ok=True)
    output = chosen.output or chosen.work / file_name(rules)
    _prove_missing(rules, chosen, folder, sizes)
    proven = [_read_part(folder, index, size) or [] for index, size in enumerate(sizes)]
    made = assemble(rules, chosen.plies, proven)
    write(made, output)
    print(f"{output}: {len(made.values)} positions to {made.plies} plies, {output.stat().st_size} bytes")
    return 0


def _prove_missing(rules: Rules, arguments: argparse.Namespace, folder: Path, sizes: list[int]) -> None:
    leaves = parts(rules, arguments.plies)
    missing = [index for index, size in enumerate(sizes) if size and _read_part(folder, index, size) is None]
    total, done = sum(sizes), sum(sizes) - sum(sizes[index] for index in missing)
    before, started = done, time.monotonic()
    words = arguments.table_megabytes * _WORDS_PER_MEGABYTE
    jobs = [(index, rules, leaves[index], words) for index in missing]
    proven = run_tasks(prove, jobs, processes=arguments.processes)
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
