"""What the bulk calls of the exact solvers take and give, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.common.capacity import NO_VALUE


@dataclass(frozen=True, slots=True)
class BulkValues:
    """The values of positions and of their moves on the scale of proven scores, for the side to move."""

    values: NDArray[np.int8]  # one for each position; NO_VALUE where it is not known
    move_values: NDArray[np.int8]  # a row a position, by cell; NO_VALUE where it cannot be marked or was not wanted

    @classmethod
    def empty(cls, boards: NDArray[np.uint8]) -> "BulkValues":
        """No value for any of these boards yet."""
        return cls(np.full(len(boards), NO_VALUE, np.int8), np.full(boards.shape, NO_VALUE, np.int8))


def marks_as_words(boards: NDArray[np.uint8], mark: int, places: Sequence[int]) -> NDArray[np.uint64]:
    """The cells with this mark as bitboards; cell ``c`` is bit ``places[c]``."""
    weights = np.uint64(1) << np.array(places, np.uint64)
    return np.asarray((boards == mark) @ weights, np.uint64)


def cells_of_bits(places: Sequence[int]) -> NDArray[np.int64]:
    """For each of the 64 bits of a word the cell that it stands for; 0 if it stands for none."""
    cells = np.zeros(64, np.int64)
    cells[list(places)] = np.arange(len(places))
    return cells
