# mypy: ignore-errors
"""Numba's types of the record of a search on a large board."""

import numba
from numba import types

from kinarow.solvers.large_boards.search.layout import SEARCH_DTYPE

SEARCH = numba.from_dtype(SEARCH_DTYPE)
SEARCHES = types.Array(SEARCH, 1, "C")
