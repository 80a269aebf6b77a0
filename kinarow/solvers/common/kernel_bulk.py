# mypy: ignore-errors
"""The types of what the bulk calls of the exact solvers take and give."""

from numba import int8, int64, types, uint64

WORDS = types.Array(uint64, 1, "C")
CELL_OF_BIT = types.Array(int64, 1, "C")
VALUES = types.Array(int8, 1, "C")
MOVE_VALUES = types.Array(int8, 2, "C")
