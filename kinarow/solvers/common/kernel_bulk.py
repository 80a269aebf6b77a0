# mypy: ignore-errors
"""The types of what the bulk calls of the exact solvers take and give."""

from numba import types

WORDS = types.Array(types.uint64, 1, "C")
CELL_OF_BIT = types.Array(types.int64, 1, "C")
VALUES = types.Array(types.int8, 1, "C")
MOVE_VALUES = types.Array(types.int8, 2, "C")
