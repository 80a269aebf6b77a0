"""Proven openings: the exact value of every position in the first plies of a gravity game.

A book is a file in ``data/``, made by ``kinarow book`` and named after its rules. A key describes a position from
the view of the side to move, and mirror images have the same key::

    each column, from its top mark down:  1, then for each mark 1 (own) or 0 (the opponent's)

so that the first 1 is the height of the column; the columns stand side by side, ``rows + 1`` bits each.

Processes share one copy of a file in memory: it is mapped and only read. A look-up unpacks one block of keys.
"""

import mmap
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.game.position import SWAP_SIDES, Position
from kinarow.game.position_arrays import Boards, Children, children, parents
from kinarow.game.rules import Rules, other, resolve
from kinarow.score import Score
from kinarow.search_types import KnownBounds
from kinarow.solvers.common.capacity import NO_VALUE, WORD_BITS

FOLDER = Path(__file__).parent / "data"
SUFFIX = ".book"
KNOWN = frozenset({"gravity", "misere", "exact_goal"})
BLOCK_KEYS = 256

_MAGIC = b"kinarow1"
_HEADER = np.dtype([("magic", "S8"), ("checksum", "<u4"), ("plies", "<u4"), ("positions", "<u4"), ("blocks", "<u4")])
"""Then come the first key (8 bytes) of each block, the place after its packed keys (4 bytes), the values of all
positions (1 byte each), and the packed keys. The checksum is that of all of these."""

_MARK_BITS = bytes.maketrans(b"\x01\x02", b"10")


class BookError(ValueError):
    """A book cannot be made or read; the message is one line."""


@dataclass(frozen=True, slots=True)
class Book:
    """The values of all ongoing positions with at most ``plies`` marks that the empty board leads to."""

    rules: Rules
    plies: int
    values: NDArray[np.int8]  # one for each key in ascending order, on the scale of proven scores, for the side to move
    first: NDArray[np.uint64]  # the first key of each block of BLOCK_KEYS
    ends: NDArray[np.uint32]  # the place after the packed keys of each block
    packed: memoryview  # the differences of the keys of each block, compressed, one block after the other

    @classmethod
    def of(cls, rules: Rules, plies: int, keys: NDArray[np.uint64], values: NDArray[np.int8]) -> "Book":
        """The book of ascending keys and their values."""
        starts = range(0, len(keys), BLOCK_KEYS)
        blocks = [zlib.compress(np.diff(keys[at : at + BLOCK_KEYS]).astype("<u8").tobytes(), 9) for at in starts]
        ends = np.cumsum([len(block) for block in blocks], dtype=np.uint32)
        return cls(rules, plies, values, keys[::BLOCK_KEYS], ends, memoryview(b"".join(blocks)))

    def keys_of(self, block: int) -> NDArray[np.uint64]:
        """The ascending keys of a block."""
        start = int(self.ends[block - 1]) if block else 0
        steps = np.frombuffer(zlib.decompress(self.packed[start : int(self.ends[block])]), "<u8")
        return np.add.accumulate(np.concatenate([self.first[block : block + 1], steps]))

    @property
    def keys(self) -> NDArray[np.uint64]:
        """All keys, ascending."""
        return np.concatenate([self.keys_of(block) for block in range(len(self.first))])

    def value(self, position: Position) -> Score | None:
        """The exact score of an ongoing position, or None if it is not in the book."""
        empties = position.empties
        if position.rules.cells - empties > self.plies:
            return None
        (value,) = self._values_of(np.array([key(position)], np.uint64)).tolist()
        return None if value == NO_VALUE else score.proven(value, position.rules.cells, empties)

    def moves(self, position: Position) -> dict[int, Score] | None:
        """The exact score of every legal move of an ongoing position, or None if the book lacks one of them."""
        cells, empties = position.rules.cells, position.empties
        if cells - empties >= self.plies:
            return None
        own, opposing = position.marks(position.to_move), position.marks(other(position.to_move))
        completes, legal = position.geometry.completes, position.legal_moves()
        after = _keys_after(position)
        ongoing = [move for move in legal if not completes(move, own | 1 << move, opposing)]
        values = self._values_of(np.array([after[move] for move in ongoing], np.uint64)).tolist()
        if NO_VALUE in values:
            return None
        # The same as ``values_before`` of bulk calls, for a few numbers.
        ended = cells * (-1 if position.rules.misere else 1)
        known = dict.fromkeys(legal, ended) | dict(zip(ongoing, map(_value_before, values), strict=True))
        return {move: score.proven(value, cells, empties) for move, value in known.items()}

    def bounds(self, position: Position) -> KnownBounds | None:
        """What the book knows of an ongoing position with ``plies`` marks, or with one more; None of any other."""
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
        """A lower bound on the value of each position with one mark more than the book has.

        A position before it, with one of the marks taken off that may have been the last, is in the book. Its side to
        move has this move, so the move is worth at most what the position is worth.
        """
        before, numbers = parents(boards, self.rules)
        values = self._values_of(keys(before, self.rules)).astype(np.int64)
        known = values != NO_VALUE
        # A ply later a win or a loss is one ply nearer, and so one point further from the draw.
        least = np.full(len(boards), -self.rules.cells - 1, np.int8)
        np.maximum.at(least, numbers[known], (-values - np.sign(values))[known].astype(np.int8))
        return least

    def move_values(self, boards: Boards) -> NDArray[np.int8]:
        """The value of each move of ongoing positions with fewer than ``plies`` marks: a row a board, a column a cell.

        Boards are seen from the side to move: 0 empty, 1 own, 2 the opponent's. Values are on the scale of proven
        scores, and ``NO_VALUE`` where a cell cannot be marked. A position that cannot arise from the empty board may
        have none.
        """
        after = children(boards, self.rules)
        wanted = keys(after.boards[~after.completed], self.rules)
        values = values_before(after, self.rules, self._values_of(wanted))
        by_move = np.full(boards.shape, NO_VALUE, np.int8)
        by_move[after.parents, after.moves] = values
        by_move[after.parents[values == NO_VALUE]] = NO_VALUE
        return by_move

    def _values_of(self, wanted: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The value of each key, ``NO_VALUE`` where the book lacks it. Only blocks that may hold a key are unpacked."""
        if not len(wanted):
            return np.zeros(0, np.int8)
        blocks = np.unique(np.maximum(self.first.searchsorted(wanted, "right"), 1) - 1).tolist()
        known = np.concatenate([self.keys_of(block) for block in blocks])
        values = np.concatenate([self.values[at * BLOCK_KEYS : (at + 1) * BLOCK_KEYS] for at in blocks])
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[places] == wanted, values[places], np.int8(NO_VALUE))

    def line(self, position: Position) -> Iterator[int]:
        """The best moves of both sides as far as the book goes; of equal moves the first in the fixed order."""
        order = position.geometry.move_order
        while position.ending().state == "ongoing" and (known := self.moves(position)):
            best = max(value.value for value in known.values())
            move = next(cell for cell in order if cell in known and known[cell].value == best)
            yield move
            position = position.play(move)


def key(position: Position) -> int:
    """The key of a position, below 2**64; only a position and its mirror image share one."""
    return _key(_stacks(position.relative(), position.rules), position.rules)


def _stacks(relative: bytes, rules: Rules) -> list[int]:
    """The bits of each column of a board, seen from a side: 1 own, 2 the opponent's."""
    columns = rules.columns
    return [int(b"1" + relative[c::columns].lstrip(b"\0").translate(_MARK_BITS), 2) for c in range(columns)]


def _key(stacks: Sequence[int], rules: Rules) -> int:
    width = rules.rows + 1
    plain = mirrored = 0
    for stack, opposite in zip(stacks, reversed(stacks), strict=True):
        plain = plain << width | stack
        mirrored = mirrored << width | opposite
    return min(plain, mirrored)


def _keys_after(position: Position) -> dict[int, int]:
    """The key of the position after each legal move."""
    rules, found = position.rules, {}
    stacks = _stacks(position.relative().translate(SWAP_SIDES), rules)
    for move in position.legal_moves():
        column = move % rules.columns
        before = stacks[column]
        # The mark is the opponent's for the side that is then to move: a 0 below the leading 1.
        stacks[column] = before + (1 << before.bit_length() - 1)
        found[move] = _key(stacks, rules)
        stacks[column] = before
    return found


def _value_before(value: int) -> int:
    """The value of a move for the side that makes it, from the value of the position after it."""
    # A ply earlier a win or a loss is one ply further away, and so one point nearer to the draw.
    return (value > 0) - (value < 0) - value


def keys(boards: Boards, rules: Rules) -> NDArray[np.uint64]:
    """The key of each board: a row of cells, seen from the side to move, 1 own and 2 the opponent's."""
    stacks = np.ones((rules.columns, len(boards)), np.uint64)
    for cell in range(rules.cells):
        marks, stack = boards[:, cell], stacks[cell % rules.columns]
        stack[:] = np.where(marks == 0, stack, stack << np.uint64(1) | (marks == 1))
    plain, mirrored = np.zeros((2, len(boards)), np.uint64)
    for stack, opposite in zip(stacks, stacks[::-1], strict=True):
        plain = plain << np.uint64(rules.rows + 1) | stack
        mirrored = mirrored << np.uint64(rules.rows + 1) | opposite
    return np.minimum(plain, mirrored)


def values_before(after: Children, rules: Rules, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """The values of moves for the side that makes them; ``NO_VALUE`` where the position after one has none."""
    after_move = np.full(len(after.moves), rules.cells + 1 if rules.misere else -rules.cells - 1)
    after_move[~after.completed] = values
    # A ply earlier a win or a loss is one ply further away, and so one point nearer to the draw.
    before = np.where(after_move == NO_VALUE, NO_VALUE, np.sign(after_move) - after_move)
    return before.astype(np.int8)


def fits(rules: Rules) -> bool:
    """Whether a book can be made for these rules."""
    return rules.within(KNOWN) and rules.plain and rules.gravity and (rules.rows + 1) * rules.columns <= WORD_BITS


def file_name(rules: Rules) -> str:
    """The name of the file that holds the book of these rules."""
    return "-".join([f"{rules.rows}x{rules.columns}", f"goal{rules.goal}", *rules.special()]) + SUFFIX


def shipped(rules: Rules) -> Book | None:
    """The book in the package for exactly these rules, or None."""
    # A request may name any rules, so only those of a book are kept.
    return _load(rules) if rules in _shipped() else None


@cache
def _shipped() -> frozenset[Rules]:
    """The rules of the books in the package, as the names of their files say."""
    return frozenset(_rules_of(path.stem) for path in FOLDER.glob(f"[0-9]*x[0-9]*-goal[0-9]*{SUFFIX}"))


def _rules_of(name: str) -> Rules:
    size, goal, *flags = name.split("-")
    rows, columns = map(int, size.split("x"))
    given: dict[str, Any] = dict.fromkeys(flags, True)
    return resolve(rows, columns, goal=int(goal.removeprefix("goal")), **given)


@cache
def _load(rules: Rules) -> Book:
    return read(FOLDER / file_name(rules), rules)


def read(path: Path, rules: Rules) -> Book:
    """The book in a file, which is mapped into memory; a ``BookError`` if it is none, or damaged."""
    try:
        with path.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        header = np.frombuffer(content, _HEADER, 1)[0]
        rest = content[_HEADER.itemsize :]
        if header["magic"] != _MAGIC or header["checksum"] != zlib.crc32(rest):
            raise ValueError("its checksum is wrong")
    except (OSError, ValueError) as failure:
        raise BookError(f"{path}: not a book ({failure})") from failure
    blocks, positions = int(header["blocks"]), int(header["positions"])
    first, rest = np.frombuffer(rest, "<u8", blocks), rest[8 * blocks :]
    ends, rest = np.frombuffer(rest, "<u4", blocks), rest[4 * blocks :]
    values, packed = np.frombuffer(rest, np.int8, positions), rest[positions:]
    return Book(rules, int(header["plies"]), values, first, ends, packed)


def write(book: Book, path: Path) -> None:
    """Write a book."""
    arrays = (book.first.astype("<u8"), book.ends.astype("<u4"), book.values)
    rest = b"".join(array.tobytes() for array in arrays) + bytes(book.packed)
    header = np.array((_MAGIC, zlib.crc32(rest), book.plies, len(book.values), len(book.first)), _HEADER)
    path.write_bytes(header.tobytes() + rest)
