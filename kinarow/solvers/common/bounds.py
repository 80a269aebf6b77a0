"""Bounds on the value of a position: the result of an exact solver."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinarow.position import Position
from kinarow.rules import EMPTY


@dataclass(frozen=True, slots=True)
class Bounds:
    """``lower <= value <= upper`` on the scale of proven scores, for the side to move.

    Attributes:
        lower: the least that ``move`` guarantees.
        upper: the most that any move can reach.
        move: a legal cell.
        line: the best moves beginning with ``move`` if the value is exact; it may end before the game.
    """

    lower: int
    upper: int
    move: int
    line: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper


def bitboards(position: Position, places: list[int]) -> tuple[np.uint64, np.uint64]:
    """The marks of the side to move and of its opponent as bitboards; cell ``c`` is bit ``places[c]``."""
    own = opponent = 0
    side = position.to_move
    for place, mark in zip(places, position.cells, strict=True):
        if mark == side:
            own |= 1 << place
        elif mark != EMPTY:
            opponent |= 1 << place
    return np.uint64(own), np.uint64(opponent)


def read_bounds(result: Any, places: list[int]) -> Bounds:
    """The bounds in the result record of an exact kernel."""
    line = tuple(map(places.index, result["line"][: result["moves"]].tolist()))
    return Bounds(int(result["lower"]), int(result["upper"]), places.index(int(result["move"])), line)
