# mypy: ignore-errors
"""Numba's types of the record of a large board."""

import numba
from numba import types

from kinarow.solvers.large_boards.board.layout import BOARD_DTYPE

BOARD = numba.from_dtype(BOARD_DTYPE)
BOARDS = types.Array(BOARD, 1, "C")
