# mypy: ignore-errors
"""Values of many positions of one gravity game in one call, each position with an empty table."""

import numpy as np
from numba import int8, int64, uint64, void

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.capacity import ALL_MOVES, NO_MOVES
from kinarow.solvers.common.kernel_bitboard import GAME, bit, landing
from kinarow.solvers.common.kernel_bits import ONE, ZERO, popcount
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.gravity.kernel import (
    RESULT,
    STATE,
    TABLE,
    begin_search,
    from_position,
    from_start,
    next_test_value,
    null_window_move,
    solve_by_null_windows,
)
from kinarow.solvers.gravity.layout import BUCKET_WORDS, LAST_GENERATION

_LAST = np.uint64(LAST_GENERATION)


@part(uint64(STATE, TABLE, uint64))
def next_generation(state, table, used):
    """Make the table count as empty; returns the largest bucket mask since the table was last cleared.

    Stamps are few, so after the last one the part of the table that was in use is cleared.
    """
    if state.generation == _LAST:
        table[: int64(used + ONE) * BUCKET_WORDS] = ZERO
        state.generation = ZERO
        used = ZERO
    state.generation += ONE
    return used


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, uint64, int64, int64))
def move_value(game, state, budget, table, own, opponent, move, best, everything):
    """The value of a move, at most ``best``, the position's; counted from the start of the game.

    Without ``everything``, the value of a move that is not as good as the best is any bound below ``best``.
    """
    lower = -game.cells
    upper = best
    beta = best
    while lower < upper:
        result = null_window_move(game, state, budget, table, own, opponent, move, beta)
        if budget.reason != RUNNING:
            return 0
        if result >= beta:
            lower = result
        else:
            upper = result
            if everything == 0:
                return upper
        if lower < upper:
            beta = next_test_value(game.misere, lower, upper)
    return upper


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64, int64[::1], int8[::1]))
def value_moves(game, state, budget, table, own, opponent, value, moves, cell_of_bit, move_values):
    """Write the values of the position's moves by cell; ``value``, that of the position, counts from there."""
    marks = int64(popcount(own | opponent))
    reach = landing(game, own | opponent)
    best = from_start(value, marks)
    everything = 1 if moves == ALL_MOVES else 0
    for i in range(game.cells):
        move = bit(game.order[i])
        if (reach & move) == ZERO:
            continue
        each = move_value(game, state, budget, table, own, opponent, move, best, everything)
        if budget.reason != RUNNING:
            return
        if each == best or everything != 0:
            move_values[cell_of_bit[game.order[i]]] = from_position(each, marks)


@entry(
    int64(
        GAME, STATE, BUDGET, TABLE, RESULT, uint64[::1], uint64[::1], int64[::1], int64, int64, int8[::1], int8[:, ::1]
    )
)
def value_positions(game, state, budget, table, result, own, opponent, cell_of_bit, moves, shared, values, move_values):
    """Value ongoing positions in turn; returns how many were valued before the budget ended.

    Each position has the table to itself, so its values do not depend on the others. The moves of one position
    share the table. (For positions taken at random an empty table, which the processor's cache holds, beats a full
    one; measured.)

    With ``shared`` the table is that of all positions instead, in all calls with this state. Mirror images share an
    entry throughout, as from the empty board.

    Required: the table and the state are cleared before the first call; ``move_values`` is filled with ``NO_VALUE`` and
    has a column for each cell.
    """
    used = ZERO
    for i in range(len(own)):
        if shared == 0:
            used = next_generation(state, table, used)
            begin_search(game, state, table, own[i], opponent[i])
        elif state.generation == ZERO:
            state.generation = ONE
            begin_search(game, state, table, ZERO, ZERO)
        empties = game.cells - int64(popcount(own[i] | opponent[i]))
        solve_by_null_windows(game, state, budget, table, own[i], opponent[i], -empties, empties, result)
        if budget.reason == RUNNING and moves != NO_MOVES:
            value_moves(
                game, state, budget, table, own[i], opponent[i], result.lower, moves, cell_of_bit, move_values[i]
            )
        if budget.reason != RUNNING:
            return i
        values[i] = result.lower
        used = max(used, state.bucket_mask)
    return len(own)
