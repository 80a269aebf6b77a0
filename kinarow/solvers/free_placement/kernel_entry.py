# mypy: ignore-errors
"""The entry for a single search: it takes records in arrays, which Numba reads ten times as fast as records."""

from numba import types

from kinarow.jit.compiler import njit
from kinarow.solvers.common.kernel_budget import BUDGETS
from kinarow.solvers.common.kernel_proof_table import TABLE
from kinarow.solvers.free_placement import kernel
from kinarow.solvers.free_placement.kernel import RESULT
from kinarow.solvers.free_placement.kernel_lines import BOARD

_BOARDS = types.Array(BOARD, 1, "C")
_RESULTS = types.Array(RESULT, 1, "C")


@njit(types.void(_BOARDS, types.uint64, types.uint64, BUDGETS, TABLE, _RESULTS), cache=True, nogil=True)
def solve(boards, own, opponent, budgets, table, results):
    """As ``kernel.solve``, for the only record of each array."""
    kernel.solve(boards[0], own, opponent, budgets[0], table, results[0])
