"""Defines the bounds that exact solvers return, and makes the game records of their kernels."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import unpack_from
from typing import Any, NamedTuple

import numpy as np

from kinarow.game.geometry import TABLE_BYTES, board_of
from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, X
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.solvers.common.layout import RESULT_DTYPE
from kinarow.solvers.common.record import offset_of

GAMES_KEPT = 64


class Bounds(NamedTuple):
    """``lower <= value <= upper`` for the side to move, on the scale of proven scores."""

    lower: int  # guaranteed by ``move``
    upper: int
    move: int  # a legal cell
    line: tuple[int, ...]  # if the value is exact the principal variation, which may end before the game

    @property
    def exact(self) -> bool:
        """True if the value is known."""
        return self.lower == self.upper


class CellBits:
    """Converts between cells and the bits of a bitboard: cell ``c`` is bit ``places[c]``."""

    def __init__(self, places: Sequence[int]) -> None:
        self.places = places
        self._cell_of = {place: cell for cell, place in enumerate(places)}
        # The cell of each bit, from the highest bit down. A bit without a cell reads the padding after the last cell.
        self._by_bit = bytes([self._cell_of.get(place, len(places)) for place in range(max(places), -1, -1)])

    def bitboards(self, position: Position) -> tuple[int, int]:
        """Return the bitboards of the side to move and of all other marks; shared marks count as the first."""
        bits = self._by_bit.translate(position.cells.ljust(TABLE_BYTES, b"\0"))
        own, others = _BINARY[position.to_move if position.rules.marks == "own" else X]
        return int(bits.translate(own), 2), int(bits.translate(others), 2)

    def bounds(self, result: Any) -> Bounds:
        """Read the bounds from a ``RESULT_DTYPE`` record."""
        lower, upper, move, moves = unpack_from("4q", result)
        line, cell_of = unpack_from(f"{moves}q", result, _LINE), self._cell_of
        return Bounds(lower, upper, cell_of[move], tuple([cell_of[place] for place in line]))


_LINE = offset_of(RESULT_DTYPE, "line")
_BINARY = {
    side: (bytes.maketrans(bytes([0, 1, 2, 3]), own), bytes.maketrans(bytes([0, 1, 2, 3]), others))
    for side, own, others in ((X, b"0100", b"0011"), (O, b"0010", b"0101"))
}
"""By side to move: the translations of marks to binary digits, for its own marks and for all others."""


def games_of(kernels: Library, dtype: "np.dtype[np.void]") -> Callable[..., tuple[Pointer, CellBits]]:
    """Return a cached function that makes a solver's game record from rules, with the bits of the board's cells."""

    @lru_cache(maxsize=GAMES_KEPT)
    def game_of(rules: Rules, off: int = 0) -> tuple[Pointer, CellBits]:
        game, board = Pointer(np.zeros(1, dtype)), board_of(rules)
        kernels.set_rules(board, game, off)
        return game, CellBits(board["place"][0, : rules.cells].tolist())

    return game_of
