# mypy: ignore-errors
"""Numba's types of the record of a search on a large board."""

import numba
from numba import types

from kinarow.solvers.large_boards.search.layout import MOVE_RESULT_DTYPE, SEARCH_DTYPE

SEARCH = numba.from_dtype(SEARCH_DTYPE)
SEARCHES = types.Array(SEARCH, 1, "C")
MOVE_RESULTS = types.Array(numba.from_dtype(MOVE_RESULT_DTYPE), 1, "C")
