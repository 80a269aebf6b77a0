# mypy: ignore-errors
"""Operations on 64-bit words. Constants are uint64, because Numba makes ``uint64 + int64`` a float."""

import numpy as np
from numba import int64, types, uint64

from kinarow.kernels.declare import part

ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
FOUR = np.uint64(4)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)
_BYTE_SHIFT = np.uint64(56)

_MIX_SHIFT_1 = np.uint64(30)
_MIX_SHIFT_2 = np.uint64(27)
_MIX_SHIFT_3 = np.uint64(31)
_MIX_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_FACTOR_2 = np.uint64(0x94D049BB133111EB)

_BELOW_EVERY_SCORE = -(1 << 62)


@part("uint64(uint64)")
def popcount(word):
    """Return the number of set bits, 0 to 64 (LLVM recognises this form and emits one instruction)."""
    word = word - ((word >> ONE) & _PAIRS)
    word = (word & _NIBBLES) + ((word >> TWO) & _NIBBLES)
    word = (word + (word >> FOUR)) & _BYTES
    return (word * _SUM) >> _BYTE_SHIFT


@part("uint64(uint64)")
def lowest_bit(word):
    """Return the lowest set bit alone; 0 for 0."""
    return word & (~word + ONE)


@part("uint64(uint64)")
def lowest_index(word):
    """Return the index of the lowest set bit, 0 to 63; 64 for 0."""
    return popcount((word & (~word + ONE)) - ONE)


@part("uint64(uint64)")
def mix(word):
    """Return an invertible hash of a word (the finaliser of SplitMix64, Steele, Lea and Flood 2014)."""
    word = (word ^ (word >> _MIX_SHIFT_1)) * _MIX_FACTOR_1
    word = (word ^ (word >> _MIX_SHIFT_2)) * _MIX_FACTOR_2
    return word ^ (word >> _MIX_SHIFT_3)


@part(uint64(types.Array(int64, 1, "C"), uint64))
def highest_scored(scores, cells):
    """Return the cell with the highest score, of equals the lowest bit; 0 for no cells."""
    best = int64(_BELOW_EVERY_SCORE)
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if scores[place] > best:
            best = scores[place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen
