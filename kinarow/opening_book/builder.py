"""Builds a book: splits an opening into parts that separate processes prove, and combines their values.

The positions after ``plies`` marks are the *leaves*. The exact solver proves each leaf; the values of earlier
positions follow by minimax. A *part* has the leaves below one position of ``ROOT_PLIES`` marks, without those of
earlier parts. A process proves its parts one after the other with one table, because their leaves share most of the
positions below.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.opening_book.reader import Book, BookError, fits, key
from kinarow.position import Position
from kinarow.rules import Rules
from kinarow.solvers.select import exact_prover

ROOT_PLIES = 4
"""Marks on the board where parts begin. An interruption costs a part for each process, so parts are small."""

MAX_PLIES = 16
"""The most plies of a book; with more, the list of its positions alone would not fit into memory."""


@lru_cache(maxsize=1)
def parts(rules: Rules, plies: int) -> tuple[tuple[Position, ...], ...]:
    """The leaves of every part, always in the same order. A leaf or its mirror image is in one part only.

    Raises:
        BookError: no book can be made for these rules or plies.
    """
    if not fits(rules):
        raise BookError("a book needs gravity, and (rows + 1) * columns of at most 64")
    if not 0 <= plies <= min(MAX_PLIES, rules.cells - 1):
        raise BookError(f"a book goes to 0 to {min(MAX_PLIES, rules.cells - 1)} plies, not {plies}")
    seen: set[int] = set()
    roots = _levels(rules, min(ROOT_PLIES, plies))[-1]
    return tuple(tuple(_leaves(root, plies, seen)) for root in roots.values())


def boards_of(leaves: Sequence[Position]) -> NDArray[np.uint8]:
    """Leaves as ``prove`` takes them: a row of cells for each, seen from the side to move."""
    return np.array([list(leaf.relative()) for leaf in leaves], np.uint8)


def prove(rules: Rules, boards: NDArray[np.uint8], table_words: int) -> list[int]:
    """The values of some leaves, in their order, on the scale of proven scores.

    Args:
        rules: the game.
        boards: at least one, from ``boards_of``.
        table_words: the size of the transposition table, a power of two, in words of 8 bytes. The process keeps the
            table for its next part.
    """
    return _prover(rules, table_words)(boards)


@lru_cache(maxsize=1)
def _prover(rules: Rules, table_words: int) -> Callable[[NDArray[np.uint8]], list[int]]:
    return exact_prover(rules, table_words)


def assemble(rules: Rules, plies: int, proven: list[list[int]]) -> Book:
    """The book of all positions up to the leaves, from the values of every part."""
    values: dict[int, int] = {}
    for leaves, found in zip(parts(rules, plies), proven, strict=True):
        values.update(zip(map(key, leaves), found, strict=True))
    for level in reversed(_levels(rules, plies)[:-1]):
        for known, position in level.items():
            values[known] = _value(position, values)
    keys = sorted(values)
    return Book(rules, plies, np.array(keys, np.uint64), np.array([values[known] for known in keys], np.int8))


def _levels(rules: Rules, plies: int) -> list[dict[int, Position]]:
    """The ongoing positions after 0, 1, … ``plies`` marks, by their keys."""
    levels = [{key(position): position for position in [Position.empty(rules)]}]
    for _ in range(plies):
        children = (child for position in levels[-1].values() for child in _ongoing_children(position))
        levels.append({})
        for child in children:
            levels[-1].setdefault(key(child), child)
    return levels


def _leaves(root: Position, plies: int, seen: set[int]) -> list[Position]:
    """The leaves below a position, depth first, so that neighbours share much; without those ``seen`` before."""
    known = key(root)
    if known in seen:
        return []
    seen.add(known)
    if root.rules.cells - root.empties == plies:
        return [root]
    return [leaf for child in _ongoing_children(root) for leaf in _leaves(child, plies, seen)]


def _ongoing_children(position: Position) -> list[Position]:
    """The positions after each move that does not end the game."""
    children = (position.play(move) for move in position.legal_moves())
    return [child for child in children if child.ending().state == "ongoing"]


def _value(position: Position, values: dict[int, int]) -> int:
    """The value of a position from those of its children."""
    cells = position.rules.cells
    children = map(position.play, position.legal_moves())
    found = [
        child.final_score() or score.proven(values[key(child)], cells, child.empties) for child in children
    ]
    return int(max(score.before_move(each, cells).value for each in found))
