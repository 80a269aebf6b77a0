# mypy: ignore-errors
"""Misere without gravity: plans by which a side makes its remaining moves without completing a line."""

from numba import boolean, int64, uint64

from kinarow.kernels.declare import part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_bit, popcount
from kinarow.solvers.common.kernel_proof_table import can_mirror
from kinarow.solvers.free_placement.kernel_lines import GAME, OFF_PLAN, OFF_RESERVE, STATE, is_alive


@part(uint64(GAME, STATE, int64, uint64, uint64, uint64))
def permanently_losing(game, state, ply, own, other, empty):
    """Return the empty cells that complete a line for a side, now and for the rest of the game."""
    cells = ZERO
    for i in range(state.alive_count[ply]):
        index = state.alive[ply, i]
        line = game.line[index]
        if (line & other) == ZERO:
            left = line & empty
            flank = game.flank[index]
            if (left & (left - ONE)) == ZERO and (game.exact_goal == 0 or (flank & (own | empty)) == ZERO):
                cells |= left
    return cells


@part(uint64(GAME, STATE, int64, uint64, uint64, uint64, uint64, int64))
def safe_set(game, state, ply, own, other, plan, private_cells, limit):
    """Choose cells that a side can mark, all of them and no others, without completing a line.

    Starts from the empty cells ``plan`` and removes one cell of each line that is alive for the side, has need <=
    limit and has all its empty cells in the remaining plan: preferably none of ``private_cells``, and one on many
    lines. ``state.pair`` is working memory.
    """
    twice = ZERO
    thrice = ZERO
    often = ZERO
    once = ZERO
    empty = game.full & ~(own | other)
    inside = 0
    for i in range(state.alive_count[ply]):
        index = state.alive[ply, i]
        left = game.line[index] & empty
        if (left & ~plan) == ZERO and is_alive(game, index, own, other):
            often |= thrice & left
            thrice |= twice & left
            twice |= once & left
            once |= left
            state.pair[inside] = left
            inside += 1
    for i in range(inside):
        left = state.pair[i]
        if (left & ~plan) != ZERO or int64(popcount(left)) > limit:
            continue
        if (left & ~private_cells) != ZERO:
            left &= ~private_cells
        if (left & often) != ZERO:
            left &= often
        elif (left & thrice) != ZERO:
            left &= thrice
        elif (left & twice) != ZERO:
            left &= twice
        plan &= ~lowest_bit(left)
    return plan


@part(int64(uint64, uint64, uint64, int64))
def private_cells_needed(plan, losing_for_other, empty, moves_first):
    """Return the private cells that a side needs so that it never runs out of moves before the other side.

    Private cells are those on which the other side would lose. The side marks the cells of ``plan``: first the f
    cells that are open to the other side too. The other side has these and g cells besides. The side gets at least
    every second of the f cells, beginning with the first if it moves first. So the other side makes at most
    g + f // 2 moves (g + (f + 1) // 2 if it moves first).
    """
    open_cells = int64(popcount(plan & ~losing_for_other))
    besides = int64(popcount(empty & ~losing_for_other)) - open_cells
    return besides + 1 - (open_cells & 1) if moves_first == 1 else besides + (open_cells & 1)


@part(boolean(GAME, STATE, int64, uint64, uint64, uint64, int64, int64, int64))
def avoider_holds(game, state, ply, enforcer, avoider, completing_avoider, moves_left, limit, mover):
    """Return True if a plan lets the avoider make its next moves without completing a line.

    1. A plan (``safe_set``) of which the avoider surely gets ``moves_left`` cells: all private cells and every second
       of the others (OFF_PLAN).
    2. The same plan lasts until the enforcer has no move left (``private_cells_needed``, OFF_RESERVE).
    """
    off = game.off
    empty = game.full & ~(enforcer | avoider)
    losing_for_enforcer = permanently_losing(game, state, ply, enforcer, avoider, empty)
    plan = safe_set(game, state, ply, avoider, enforcer, empty & ~completing_avoider, losing_for_enforcer, limit)
    private = int64(popcount(plan & losing_for_enforcer))
    shared = int64(popcount(plan & ~losing_for_enforcer))
    if (off & OFF_PLAN) == 0 and private + ((shared + 1 - mover) >> 1) >= moves_left:
        return True
    needed = private_cells_needed(plan, losing_for_enforcer, empty, 1 - mover)
    return (off & OFF_RESERVE) == 0 and private >= needed


@part(boolean(GAME, STATE, int64, uint64, uint64, uint64, int64, int64))
def enforcer_outlasts(game, state, ply, enforcer, avoider, completing_enforcer, plies, mover):
    """Return True if a plan of the enforcer outlasts the avoider's safe moves, so that the avoider completes a line.

    Three things must hold. The plan has a move for the enforcer whenever the avoider has a safe one
    (``private_cells_needed``). After that a private cell is left, on which the avoider must complete a line. And the
    avoider runs out of safe moves early enough to do so within ``plies``.
    """
    empty = game.full & ~(enforcer | avoider)
    losing_for_avoider = permanently_losing(game, state, ply, avoider, enforcer, empty)
    if losing_for_avoider == ZERO:
        return False
    plan = safe_set(game, state, ply, enforcer, avoider, empty & ~completing_enforcer, losing_for_avoider, game.goal)
    needed = private_cells_needed(plan, losing_for_avoider, empty, mover)
    if int64(popcount(plan & losing_for_avoider)) < needed or int64(popcount(losing_for_avoider)) <= needed:
        return False
    shared = int64(popcount(plan & ~losing_for_avoider))
    open_cells = int64(popcount(empty & ~losing_for_avoider))
    avoider_moves = open_cells - shared + ((shared + 1 - mover) >> 1)
    return 2 * avoider_moves + 1 + mover <= plies


@part(uint64(GAME, uint64, uint64, uint64))
def mirror_move(game, own, other, candidates):
    """Return one of the moves after which the mover can play mirror moves to the end; 0 if there is none."""
    while candidates != ZERO:
        move = lowest_bit(candidates)
        candidates ^= move
        if can_mirror(game.images, other, own | move):
            return move
    return ZERO
