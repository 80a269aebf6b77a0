# mypy: ignore-errors
"""Misere without gravity: plans, which are sets of empty cells that a side can mark without completing a line.

A *private* cell of a side is one on which the other side would complete a line, now and later.
"""

from numba import boolean, int64, uint64

from kinarow.kernels.declare import part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_bit, popcount
from kinarow.solvers.common.kernel_proof_table import can_mirror
from kinarow.solvers.free_placement.kernel_lines import GAME, OFF_PLAN, OFF_RESERVE, STATE, is_alive


@part(uint64(GAME, STATE, int64, uint64, uint64, uint64))
def permanently_losing(game, state, ply, own, other, empty):
    """Return the empty cells where the side with marks ``own`` completes a line, now and for the rest of the game."""
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
    """Return a plan for the side with marks ``own``: a subset of the empty cells ``plan``.

    Remove one cell of each line that is alive for the side, has need <= limit and has all its empty cells in the plan:
    preferably none of ``private_cells``, and one on many such lines. ``state.pair`` is scratch memory.
    """
    # The cells on at least two, three, four and one of these lines.
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
    """Return how many private cells of its plan a side needs so as not to run out of moves before the other side.

    The side first marks the f cells of ``plan`` that are open to the other side too, and gets at least every second of
    them, beginning with the first if it moves first. The other side has these f cells and g more, so it makes at most
    g + f // 2 moves, or g + (f + 1) // 2 if it moves first.
    """
    open_cells = int64(popcount(plan & ~losing_for_other))
    besides = int64(popcount(empty & ~losing_for_other)) - open_cells
    return besides + 1 - (open_cells & 1) if moves_first == 1 else besides + (open_cells & 1)


@part(boolean(GAME, STATE, int64, uint64, uint64, uint64, int64, int64, int64))
def avoider_holds(game, state, ply, enforcer, avoider, completing_avoider, moves_left, limit, mover):
    """Return True if a plan lets the avoider make its next moves without completing a line.

    Either it is sure of ``moves_left`` cells of the plan: all private ones and every second of the others (OFF_PLAN);
    or the plan lasts until the enforcer has no safe move left (``private_cells_needed``: OFF_RESERVE).
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

    Three things must hold. The plan has a move for the enforcer as long as the avoider has a safe one
    (``private_cells_needed``). Then one more private cell of the enforcer is left, where the avoider must complete a
    line. And that happens within ``plies`` plies.
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
    """Return a move of ``candidates`` after which its side can mirror all later moves (``can_mirror``), or 0."""
    while candidates != ZERO:
        move = lowest_bit(candidates)
        candidates ^= move
        if can_mirror(game.images, other, own | move):
            return move
    return ZERO
