"""What the bulk calls of the exact solvers share: which moves get a value, and how values are stored."""

from numba import types

# How many moves get a value: none, those that are as good as the best, or all.
NO_MOVES = 0
BEST_MOVES = 1
ALL_MOVES = 2

# In place of the value of a position or move that is not legal, was not asked about or has not been found.
NO_VALUE = -128

WORDS = types.Array(types.uint64, 1, "C")
CELL_OF_BIT = types.Array(types.int64, 1, "C")
VALUES = types.Array(types.int8, 1, "C")
MOVE_VALUES = types.Array(types.int8, 2, "C")
