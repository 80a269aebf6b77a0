"""The cell of a set that has the highest or the lowest score: how kernels on words order their moves."""

from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_bit, lowest_index

SCORES = types.Array(types.int64, 1, "C")
_ABOVE_EVERY_SCORE = 1 << 62


@njit(types.uint64(SCORES, types.uint64), cache=True)
def heaviest(scores, cells):
    """The cell with the highest score (all are 0 or more), the lowest bit among equals; 0 of none."""
    best = types.int64(-1)
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if scores[place] > best:
            best = scores[place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen


@njit(types.uint64(SCORES, types.uint64), cache=True)
def lightest(scores, cells):
    """The cell with the lowest score, the lowest bit among equals; 0 of none."""
    best = types.int64(_ABOVE_EVERY_SCORE)
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if scores[place] < best:
            best = scores[place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen
