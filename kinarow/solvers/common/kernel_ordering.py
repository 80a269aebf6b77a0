# mypy: ignore-errors
"""Picks the best-scored move of a set: the move ordering of the kernels for small boards."""

from numba import int64, types, uint64

from kinarow.kernels.declare import part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_bit, lowest_index

SCORES = types.Array(int64, 1, "C")
_ABOVE_EVERY_SCORE = 1 << 62


@part(uint64(SCORES, uint64))
def highest_scored(scores, cells):
    """Return the cell with the highest score (all are 0 or more), of equals the lowest bit; 0 for no cells."""
    best = int64(-1)
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if scores[place] > best:
            best = scores[place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen


@part(uint64(SCORES, uint64))
def lowest_scored(scores, cells):
    """Return the cell with the lowest score, of equals the lowest bit; 0 for no cells."""
    best = int64(_ABOVE_EVERY_SCORE)
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if scores[place] < best:
            best = scores[place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen
