# mypy: ignore-errors
"""The entry for a single search: it takes records in arrays, which Numba reads ten times as fast as records."""

from numba import types

from kinarow.jit.compiler import njit
from kinarow.solvers.common.kernel_bitboard import GAME
from kinarow.solvers.common.kernel_budget import BUDGETS
from kinarow.solvers.gravity import kernel
from kinarow.solvers.gravity.kernel import RESULT, STATE, TABLE

_GAMES = types.Array(GAME, 1, "C")
_STATES = types.Array(STATE, 1, "C")
_RESULTS = types.Array(RESULT, 1, "C")


@njit(
    types.void(
        _GAMES, _STATES, types.uint64, types.uint64, types.int64, types.int64, types.uint64, BUDGETS, TABLE, _RESULTS
    ),
    cache=True,
    nogil=True,
)
def solve(games, states, own, opponent, lower, upper, candidates, budgets, table, results):
    """As ``kernel.solve``, for the only record of each array."""
    kernel.solve(games[0], states[0], own, opponent, lower, upper, candidates, budgets[0], table, results[0])
