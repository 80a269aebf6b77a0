# mypy: ignore-errors
"""Numba's types of the records in ``layout``."""

import numba
from numba import types

from kinarow.solvers.large_boards.board.layout import GAME_DTYPE, MOVE_RESULT_DTYPE, STATE_DTYPE, WEIGHTS_DTYPE

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)
WEIGHTS = numba.from_dtype(WEIGHTS_DTYPE)
MOVE_RESULTS = types.Array(numba.from_dtype(MOVE_RESULT_DTYPE), 1, "C")
