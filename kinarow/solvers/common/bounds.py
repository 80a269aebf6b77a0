"""Bounds on the value of a position: the result of an exact solver."""

from collections.abc import Sequence
from struct import unpack_from
from typing import Any, NamedTuple

from kinarow.game.geometry import TABLE_BYTES
from kinarow.game.position import Position
from kinarow.game.rules import O, X
from kinarow.solvers.common.layout import RESULT_DTYPE
from kinarow.solvers.common.record import offset_of


class Bounds(NamedTuple):
    """``lower <= value <= upper`` on the scale of proven scores, for the side to move."""

    lower: int  # the least that move guarantees
    upper: int  # the most that any move can reach
    move: int  # a legal cell
    line: tuple[int, ...]  # the best moves beginning with move if the value is exact; it may end before the game

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper


class CellBits:
    """Where the cells of a board are in a word of 64 bits: cell ``c`` is bit ``places[c]``."""

    def __init__(self, places: Sequence[int]) -> None:
        self.places = places
        self._cell_of = {place: cell for cell, place in enumerate(places)}
        # The cells from the highest bit down. A bit that no cell has takes the entry after the last cell, which is
        # empty.
        self._by_bit = bytes([self._cell_of.get(place, len(places)) for place in range(max(places), -1, -1)])

    def bitboards(self, position: Position) -> tuple[int, int]:
        """Return the marks of the side to move, and all other marks; shared marks are those of the side to move."""
        bits = self._by_bit.translate(position.cells.ljust(TABLE_BYTES, b"\0"))
        own, others = _BINARY[position.to_move if position.rules.marks == "own" else X]
        return int(bits.translate(own), 2), int(bits.translate(others), 2)

    def bounds(self, result: Any) -> Bounds:
        """Return the bounds in the result of an exact kernel, an array of one record."""
        lower, upper, move, moves = unpack_from("4q", result)
        line, cell_of = unpack_from(f"{moves}q", result, _LINE), self._cell_of
        return Bounds(lower, upper, cell_of[move], tuple([cell_of[place] for place in line]))


_LINE = offset_of(RESULT_DTYPE, "line")
_BINARY = {
    side: (bytes.maketrans(bytes([0, 1, 2, 3]), own), bytes.maketrans(bytes([0, 1, 2, 3]), others))
    for side, own, others in ((X, b"0100", b"0011"), (O, b"0010", b"0101"))
}
"""For each side to move what makes digits of its marks, and what makes digits of all others."""
