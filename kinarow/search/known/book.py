"""Proven openings: the exact value of every position in the first plies of a gravity game.

A book is a file in ``data/``, made by ``training.book`` and named after its rules. A key describes a position from
the view of the side to move, and mirror images have the same key::

    each column, from its top mark down:  1, then for each mark 1 (own) or 0 (the opponent's)

so that the place of the first 1 shows the height of the column; the columns stand side by side, ``rows + 1`` bits each.
As bitboards the key is the sum of the own marks, of all marks and of the bottom row.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.position_arrays import Boards, Children, children, parents
from kinarow.game.rules import Rules, Size
from kinarow.game.tactics import completing_cells
from kinarow.reading.rules import read_rules
from kinarow.score import Score
from kinarow.search_types import KnownBounds, SearchResult
from kinarow.solvers.common.bounds import CellBits
from kinarow.solvers.common.capacity import NO_VALUE, WORD_BITS

FOLDER = Path(__file__).parent / "data"
SUFFIX = ".book"
RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal"})


class BookError(ValueError):
    """A book cannot be made or read; the message is one line."""


@dataclass(frozen=True, slots=True)
class Book:
    """The values of all ongoing positions with at most ``plies`` marks that are reachable from the empty board."""

    rules: Rules
    plies: int
    keys: NDArray[np.uint64]  # ascending
    values: NDArray[np.int8]  # one for each key, on the scale of proven scores, for the side to move

    def known(self, position: Position) -> SearchResult | KnownBounds | None:
        """Return the result of an ongoing position, or bounds with ``plies`` marks or one more; None if unknown."""
        if position.rules.cells - position.empties > self.plies + 1:
            return None
        found = self._best_moves(position)
        if found is None:
            return self.bounds(position)
        best, equals = found
        move = position.geometry.first_of(equals)
        line = (move, *self.line(position.play(move)))
        value = score.proven(best, position.rules.cells, position.empties)
        depth = value.distance or 0
        return SearchResult(move, value, line, equals, best_moves_complete=True, depth=depth, source="book")

    def value(self, position: Position) -> Score | None:
        """Return the exact score of an ongoing position, or None if it is not in the book."""
        empties = position.empties
        if position.rules.cells - empties > self.plies:
            return None
        value = self._value_of(key(position))
        return None if value is None else score.proven(value, position.rules.cells, empties)

    def _best_moves(self, position: Position) -> tuple[int, tuple[int, ...]] | None:
        """Return the value of a position and its best moves in tile order; None if the book lacks a move."""
        values = self.moves(position)
        if values is None:
            return None
        best = max(values.values())
        return best, tuple([move for move, value in values.items() if value == best])

    def moves(self, position: Position) -> dict[int, int] | None:
        """Return the value of every legal move, in tile order, on the scale of proven scores; None if the book lacks
        one.
        """
        cells = position.rules.cells
        if cells - position.empties >= self.plies:
            return None
        completing = completing_cells(position, position.to_move)
        known: dict[int, int] = {}
        for move, key_after in _keys_after(position):
            if move in completing:
                value = -cells if position.rules.misere else cells
            elif (after := self._value_of(key_after)) is None:
                return None
            else:
                # One ply earlier a win or loss is one ply further away, so its score is one point nearer to 0.
                value = (after > 0) - (after < 0) - after
            known[move] = value
        return known

    def bounds(self, position: Position) -> KnownBounds | None:
        """Return bounds on an ongoing position with ``plies`` marks, or with one more; None for any other."""
        cells = position.rules.cells
        marks = cells - position.empties
        if not self.plies <= marks <= self.plies + 1:
            return None
        board = np.frombuffer(position.relative(), np.uint8)[np.newaxis]
        if marks > self.plies:
            return KnownBounds(int(self._least_values(board)[0]), cells, position.legal_moves())
        exact = self.value(position)
        if exact is None:
            return None
        value = int(exact.value)
        after = children(board, self.rules)
        most = values_before(after, self.rules, self._least_values(after.boards)[~after.completed])
        return KnownBounds(value, value, tuple(after.moves[most >= value].tolist()))

    def _least_values(self, boards: Boards) -> NDArray[np.int8]:
        """Return a lower bound on the value of each board: ``boards`` has a row of cells for each, ``plies + 1`` marks.

        Taking back a possible last move gives a position of the book. No move is worth more to its side than that
        position, so the board is worth at least minus its value. The greatest of these bounds counts.
        """
        before, numbers = parents(boards, self.rules)  # ``numbers``: the index in ``boards`` that each leads to
        values = self._values_of(keys(before, self.rules)).astype(np.int64)
        known = values != NO_VALUE
        # One ply later a win or loss is one ply nearer, so its score is one point further from 0.
        least = np.full(len(boards), -self.rules.cells - 1, np.int8)
        np.maximum.at(least, numbers[known], (-values - np.sign(values))[known].astype(np.int8))
        return least

    def move_values(self, boards: Boards) -> NDArray[np.int8]:
        """Return an array (boards, cells) with the value of each move, for boards with fewer than ``plies`` marks.

        Boards are seen from the side to move: 0 empty, 1 own, 2 the opponent's. Illegal moves have ``NO_VALUE``, and so
        have all moves of a board if the book lacks one of them.
        """
        after = children(boards, self.rules)
        wanted = keys(after.boards[~after.completed], self.rules)
        values = values_before(after, self.rules, self._values_of(wanted))
        by_move = np.full(boards.shape, NO_VALUE, np.int8)
        by_move[after.parents, after.moves] = values
        by_move[after.parents[values == NO_VALUE]] = NO_VALUE
        return by_move

    def _values_of(self, wanted: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the value of each key, ``NO_VALUE`` if the book lacks it."""
        places = np.minimum(self.keys.searchsorted(wanted), len(self.keys) - 1)
        return np.where(self.keys[places] == wanted, self.values[places], np.int8(NO_VALUE))

    def _value_of(self, wanted: int) -> int | None:
        """Return the value of one key, or None if the book lacks it."""
        keys = self.keys.data
        place = bisect_left(keys, wanted)
        return int(self.values[place]) if place < len(keys) and keys[place] == wanted else None

    def line(self, position: Position) -> Iterator[int]:
        """Yield the principal variation as far as the book goes; among equal moves, the first in the fixed order."""
        while position.ending().state == "ongoing" and (found := self._best_moves(position)):
            move = position.geometry.first_of(found[1])
            yield move
            position = position.play(move)


@lru_cache(maxsize=16)
def _layouts(rules: Rules) -> tuple[tuple[CellBits, int], tuple[CellBits, int]]:
    """Return the key's bit for each cell, of a board and of its mirror image, each with the key of the empty board."""
    rows, columns = np.indices((rules.rows, rules.columns))
    places = (columns * (rules.rows + 1) + rules.rows - 1 - rows).ravel()
    mirrored = places.reshape(rules.rows, rules.columns)[:, ::-1].ravel()
    floor = sum(1 << place for place in places[-rules.columns :].tolist())
    return (CellBits(places.tolist()), floor), (CellBits(mirrored.tolist()), floor)


def key(position: Position) -> int:
    """Return the key of a position, below 2**64; only its mirror image has the same."""
    found = []
    for bits, floor in _layouts(position.rules):
        own, others = bits.bitboards(position)
        found.append(2 * own + others + floor)
    return min(found)


def _keys_after(position: Position) -> Iterator[tuple[int, int]]:
    """Yield each legal move with the key of the position after it."""
    (plain, floor), (mirrored, _) = _layouts(position.rules)
    keys = []
    for bits in (plain, mirrored):
        own, others = bits.bitboards(position)
        keys.append(own + 2 * others + floor)  # after the move the opponent's marks are those of the side to move
    for move in position.legal_moves():
        yield move, min(keys[0] + (1 << plain.places[move]), keys[1] + (1 << mirrored.places[move]))


def keys(boards: Boards, rules: Rules) -> NDArray[np.uint64]:
    """Return the key of each board: a row of cells, seen from the side to move, 1 own and 2 the opponent's."""
    worth = np.array([0, 2, 1], np.uint64)[boards]
    plain, mirrored = (
        worth @ (np.uint64(1) << np.array(bits.places, np.uint64)) + np.uint64(floor) for bits, floor in _layouts(rules)
    )
    return np.minimum(plain, mirrored)


def values_before(after: Children, rules: Rules, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the value of each move in ``after`` for the side that makes it; ``NO_VALUE`` if its position has none.

    ``values`` has the values of the positions after the moves that complete no line, for the side to move there.
    """
    after_move = np.full(len(after.moves), rules.cells + 1 if rules.misere else -rules.cells - 1)
    after_move[~after.completed] = values
    # One ply earlier a win or loss is one ply further away, so its score is one point nearer to 0.
    before = np.where(after_move == NO_VALUE, NO_VALUE, np.sign(after_move) - after_move)
    return before.astype(np.int8)


def fits(rules: Rules) -> bool:
    """Return True if a book can be made for these rules."""
    return (
        rules.within(RULES_HANDLED) and rules.plain and rules.gravity and (rules.rows + 1) * rules.columns <= WORD_BITS
    )


def file_name(rules: Rules) -> str:
    """Return the name of the file that holds the book of these rules."""
    return "-".join([f"{rules.rows}x{rules.columns}", f"goal{rules.goal}", *rules.special()]) + SUFFIX


def shipped(rules: Rules) -> Book | None:
    """Return the book in the package for exactly these rules, or None."""
    # Requests may name any rules, so only rules with a book may enter the cache of ``_load``.
    return _load(rules) if rules in _shipped() else None


@cache
def _shipped() -> frozenset[Rules]:
    return frozenset(_rules_of(path.stem) for path in FOLDER.glob(f"[0-9]*x[0-9]*-goal[0-9]*{SUFFIX}"))


def _rules_of(name: str) -> Rules:
    """Return the rules that the name of a book's file says; ``name`` has no suffix."""
    size, goal, *flags = name.split("-")
    rows, columns = map(int, size.split("x"))
    given: dict[str, Any] = dict.fromkeys(flags, True)
    return read_rules({"goal": int(goal.removeprefix("goal")), **given}, Size(rows, columns))


@cache
def _load(rules: Rules) -> Book:
    return read(FOLDER / file_name(rules), rules)


def read(path: Path, rules: Rules) -> Book:
    """Read the book in a file; raise ``BookError`` if the file is no book or is damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return Book(rules, int(stored["plies"]), np.cumsum(stored["steps"]), stored["values"])
    except Exception as failure:  # numpy and zipfile raise a dozen kinds; of other formats numpy says to unpickle them
        raise BookError(f"{path}: damaged, or a book of another version; training.book writes a new one") from failure


def write(book: Book, path: Path) -> None:
    """Write a book as NumPy's ``.npz``; it stores the differences of the keys, which compress better."""
    with path.open("wb") as file:
        np.savez_compressed(file, plies=book.plies, steps=np.diff(book.keys, prepend=np.uint64(0)), values=book.values)
