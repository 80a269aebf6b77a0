# mypy: ignore-errors
"""Values of many positions of one game without gravity in one call, each position with an empty table."""

from numba import int8, int64, uint64, void

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.budget_record import OUT_OF_NODES, RUNNING
from kinarow.solvers.common.capacity import ALL_MOVES, NO_MOVES, NO_VALUE
from kinarow.solvers.common.kernel_bits import ZERO, lowest_bit, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.common.kernel_proof_table import TABLE, new_generation
from kinarow.solvers.free_placement.kernel import RESULT, find_value, keeps_value, value_of
from kinarow.solvers.free_placement.kernel_lines import FIRST, GAME, STATE, prepare, scan_lines

_WORDS = uint64[::1]


@part(int64(int64))
def before_move(value):
    """The value of a move for the side that makes it, from the value of the position after it."""
    if value > 0:
        return 1 - value
    return -1 - value if value < 0 else 0


@part(int64(GAME, STATE, BUDGET, TABLE, RESULT, uint64, uint64, uint64, int64, int64))
def move_value(game, state, budget, table, result, own, opponent, move, best, everything):
    """The value of a move; without ``everything`` it is ``NO_VALUE`` unless it equals ``best``, the position's."""
    scan_lines(game, state, 1, own, opponent, game.goal)
    if (state.completing[FIRST] & move) != ZERO:
        value = value_of(game, 1)
        return value if value == best or everything != 0 else NO_VALUE
    if (own | opponent | move) == game.full:
        return 0
    if keeps_value(game, state, budget, table, own, opponent, best, move) != 0:
        return best
    if everything == 0 or budget.reason != RUNNING:
        return NO_VALUE
    find_value(game, state, budget, table, opponent, own | move, result)
    return before_move(result.lower)


@part(void(GAME, STATE, BUDGET, TABLE, RESULT, uint64, uint64, int64, int64, int64, int64[::1], int8[::1]))
def value_moves(game, state, budget, table, result, own, opponent, value, moves, nodes, cell_of_bit, move_values):
    """Write the values of the position's moves by cell, each within so many nodes."""
    everything = 1 if moves == ALL_MOVES else 0
    empty = game.full & ~(own | opponent)
    while empty != ZERO:
        move = lowest_bit(empty)
        empty ^= move
        budget.node_limit = budget.nodes + nodes
        each = move_value(game, state, budget, table, result, own, opponent, move, value, everything)
        if budget.reason != RUNNING:
            return
        move_values[cell_of_bit[int64(lowest_index(move))]] = each


@entry(
    int64(
        GAME, STATE, BUDGET, TABLE, RESULT, uint64[::1], uint64[::1], int64[::1], int64, int64, int8[::1], int8[:, ::1]
    )
)
def value_positions(game, state, budget, table, result, own, opponent, cell_of_bit, moves, nodes, values, move_values):
    """Value ongoing positions in turn; returns how many were tried before something but the nodes ended the search.

    Each position has the table to itself, and each search of it ends after so many nodes. A position that they do
    not suffice for keeps ``NO_VALUE``; the values of its moves are void.

    Required: ``move_values`` and ``values`` are filled with ``NO_VALUE``.
    """
    for i in range(len(own)):
        state.generation = new_generation(table)
        prepare(game, state)
        budget.node_limit = budget.nodes + nodes
        find_value(game, state, budget, table, own[i], opponent[i], result)
        value = result.lower
        if budget.reason == RUNNING and moves != NO_MOVES:
            board = own[i], opponent[i]
            value_moves(game, state, budget, table, result, *board, value, moves, nodes, cell_of_bit, move_values[i])
        if budget.reason == RUNNING:
            values[i] = value
        elif budget.reason == OUT_OF_NODES:
            budget.reason = RUNNING
        else:
            return i
    return len(own)
