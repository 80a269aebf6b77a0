"""What an exact solver has proven when it ends: the value, or bounds on it when its budget did not suffice."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from service.engine.position import EMPTY, Position


@dataclass(frozen=True, slots=True)
class Verdict:
    """``lower <= value <= upper`` on the scale of proven scores, for the side to move.

    Attributes:
        lower: what ``move`` secures at least.
        upper: what nothing exceeds.
        move: a legal cell.
        line: best moves beginning with ``move`` where the value is exact; it may stop early.
    """

    lower: int
    upper: int
    move: int
    line: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper


def words(position: Position, places: list[int]) -> tuple[np.uint64, np.uint64]:
    """The marks of the side to move and of its opponent as words, the bit of each cell being ``places[cell]``."""
    own = opponent = 0
    for place, mark in zip(places, position.relative(), strict=True):
        if mark == 1:
            own |= 1 << place
        elif mark != EMPTY:
            opponent |= 1 << place
    return np.uint64(own), np.uint64(opponent)


def read_verdict(result: Any, places: list[int]) -> Verdict:
    """The verdict that a word kernel wrote into its result record."""
    cells = {place: cell for cell, place in enumerate(places)}
    line = tuple(cells[int(place)] for place in result.line[: int(result.moves)])
    return Verdict(int(result.lower), int(result.upper), cells[int(result.move)], line)
