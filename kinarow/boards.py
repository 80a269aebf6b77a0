"""Arrays of boards of one game: a row of cells for each board."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kinarow.geometry import geometry
from kinarow.rules import Rules

Boards = NDArray[np.uint8]


def has_line(marks: NDArray[np.bool_], rules: Rules) -> NDArray[np.bool_]:
    """Whether these marks of one side, a row of cells for each board, hold a line; not in Caro and Renju."""
    lines, flanks = _lines(rules)
    if not len(lines) or not len(marks):
        return np.zeros(len(marks), bool)
    # A bit for each board, so that a step works on eight of them; the row after the last cell is never marked.
    packed = np.packbits(np.pad(marks.T, ((0, 1), (0, 0))), axis=1)
    whole = np.bitwise_and.reduce(packed[lines], axis=1)
    if rules.exact_goal:
        whole &= ~np.bitwise_or.reduce(packed[flanks], axis=1)
    found = np.bitwise_or.reduce(whole, axis=0)
    return np.unpackbits(found, count=len(marks)).astype(bool)


@lru_cache(maxsize=16)
def _lines(rules: Rules) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The cells and the flanks of each line; the number of cells stands for a flank beyond the board."""
    lines = [line for _, line in geometry(rules).directed_lines]
    flanks = [(*line.flanks, rules.cells, rules.cells)[:2] for line in lines]
    cells = np.array([line.cells for line in lines], np.intp).reshape(len(lines), rules.goal)
    return cells, np.array(flanks, np.intp).reshape(len(lines), 2)
