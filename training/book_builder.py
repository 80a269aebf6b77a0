"""Builds a book: splits an opening into parts that separate processes prove, and combines their values.

The positions after ``plies`` marks are the *leaves*. The exact solver proves each leaf; the values of earlier
positions follow by minimax. A *part* has the leaves below one position of ``ROOT_PLIES`` marks, without those of
earlier parts. A process proves its parts one after the other with one table, because their leaves share most of the
positions below.
"""

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from kinarow.cores import Cores, in_order, usable_cores, using
from kinarow.game.position_arrays import Boards, children
from kinarow.game.rules import Rules
from kinarow.search.known.book import Book, BookError, fits, keys, values_before
from kinarow.search_types import Stop
from kinarow.solvers import bulk
from kinarow.solvers.common.capacity import NO_MOVES

ROOT_PLIES = 4  # Marks on the board where parts begin; they are small, since an interruption costs some
MAX_PLIES = 16  # The most plies of a book; with more, the list of its positions alone would not fit into memory
AT_ONCE = 1 << 14  # Positions whose children are made together, which bounds the memory


def check(rules: Rules, plies: int) -> None:
    """Raise a ``BookError`` where no book can be made for these rules or plies; this loads nothing."""
    if not fits(rules):
        raise BookError("a book needs gravity, and (rows + 1) * columns of at most 64")
    if not 0 <= plies <= min(MAX_PLIES, rules.cells - 1):
        raise BookError(f"a book goes to 0 to {min(MAX_PLIES, rules.cells - 1)} plies, not {plies}")


@lru_cache(maxsize=1)
def parts(rules: Rules, plies: int) -> tuple[Boards, ...]:
    """The leaves of every part, always in the same order. A leaf or its mirror image is in one part only.

    A part is an array with a row of cells for each leaf, seen from the side to move: 0 empty, 1 own, 2 the opponent's.
    The rules and plies are refused as by ``check``.
    """
    check(rules, plies)
    boards = _levels(rules, min(ROOT_PLIES, plies))[-1]
    parts = len(boards)
    part_of = np.arange(parts)  # the part of each board, always ascending: boards come in the order of their parents
    for _ in range(plies - ROOT_PLIES):
        boards, parents = _after(boards, rules)
        part_of = part_of[parents]
    return tuple(np.split(boards, np.searchsorted(part_of, np.arange(1, parts))))


def prove(rules: Rules, boards: Boards, words: int, threads: int = 1) -> list[int]:
    """The values of some leaves of a part, in their order, on the scale of proven scores.

    The transposition table has a power of two ``words`` of 8 bytes; the process keeps it for its next part.
    All ``threads`` use it; 0 stands for a thread for each usable core.
    """
    table = _table(rules, words)

    def values(begin: int, end: int, stop: Stop) -> list[int]:
        proven: list[int] = bulk.values(rules, boards[begin:end], NO_MOVES, stop, table).values.tolist()
        return proven

    if threads == 1 or len(boards) < 2:
        return values(0, len(boards), Stop())
    first = values(0, 1, Stop())
    table.share()
    with using(Cores(threads or usable_cores())):
        return sum(in_order([partial(values, leaf, leaf + 1) for leaf in range(1, len(boards))]), first)


@lru_cache(maxsize=1)
def _table(rules: Rules, words: int) -> bulk.SharedTable:
    return bulk.SharedTable(words)


def assemble(rules: Rules, plies: int, proven: list[list[int]]) -> Book:
    """The book of all positions up to the leaves, from the values of every part."""
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
    """The ongoing positions after 0, 1, … ``plies`` marks, in the order of a depth-first walk."""
    levels = [np.zeros((1, rules.cells), np.uint8)]
    for _ in range(plies):
        levels.append(_after(levels[-1], rules)[0])
    return levels


def _after(boards: Boards, rules: Rules) -> tuple[Boards, NDArray[np.intp]]:
    """The different ongoing positions after one move, and for each the number of the first position it comes from."""
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
    """The value of each position: that of its best move.

    Args:
        later_keys: the keys of the ongoing positions with one mark more, ascending.
        later: their values.
    """
    after = children(boards, rules)
    ongoing = keys(after.boards[~after.completed], rules)
    of_moves = values_before(after, rules, later[np.searchsorted(later_keys, ongoing)])
    first_moves = np.flatnonzero(np.diff(after.parents, prepend=-1))  # the moves of a position follow one another
    return np.maximum.reduceat(of_moves, first_moves).astype(np.int8)
