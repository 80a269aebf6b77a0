"""Bounds on the value of a position: the result of an exact solver."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kinarow.game.geometry import TABLE_BYTES
from kinarow.game.position import Position
from kinarow.game.rules import O, X


@dataclass(frozen=True, slots=True)
class Bounds:
    """``lower <= value <= upper`` on the scale of proven scores, for the side to move."""

    lower: int  # the least that move guarantees
    upper: int  # the most that any move can reach
    move: int  # a legal cell
    line: tuple[int, ...]  # the best moves beginning with move if the value is exact; it may end before the game

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper


def bitboards(position: Position, places: Sequence[int]) -> tuple[np.uint64, np.uint64]:
    """The marks of the side to move and all others as bitboards; cell ``c`` is bit ``places[c]``."""
    bits = _layout(tuple(places)).by_bit.translate(position.cells.ljust(TABLE_BYTES, b"\0"))
    own, others = _BINARY[position.to_move]
    return np.uint64(int(bits.translate(own), 2)), np.uint64(int(bits.translate(others), 2))


def read_bounds(result: Any, places: Sequence[int]) -> Bounds:
    """The bounds in the result record of an exact kernel."""
    cell_of = _layout(tuple(places)).cell_of
    line = result["line"].ravel()[: result["moves"].item()].tolist()
    return Bounds(
        result["lower"].item(),
        result["upper"].item(),
        cell_of[result["move"].item()],
        tuple(map(cell_of.__getitem__, line)),
    )


_BINARY = {
    side: (bytes.maketrans(bytes([0, 1, 2, 3]), own), bytes.maketrans(bytes([0, 1, 2, 3]), others))
    for side, own, others in ((X, b"0100", b"0011"), (O, b"0010", b"0101"))
}
"""For each side to move what makes digits of its marks, and what makes digits of all others."""


class _Layout(NamedTuple):
    """The bits of a board's cells: the cell of each bit, and the cells from the highest bit down."""

    cell_of: dict[int, int]
    by_bit: bytes


@lru_cache(maxsize=128)
def _layout(places: tuple[int, ...]) -> _Layout:
    cell_of = {place: cell for cell, place in enumerate(places)}
    # A bit that no cell has takes the entry after the last cell, which is empty.
    cells = [cell_of.get(place, len(places)) for place in range(max(places), -1, -1)]
    return _Layout(cell_of, bytes(cells))
