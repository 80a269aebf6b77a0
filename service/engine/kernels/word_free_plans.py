"""Misere on a free board: plans by which a side makes its moves to the end without completing a line."""

from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_bit, popcount
from service.engine.kernels.proof_table import mapped
from service.engine.kernels.word_free_lines import OFF_PAIRING, OFF_PLAN, OFF_RESERVE, SPACE


@njit(types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.uint64), cache=True)
def barred(space, ply, own, other, empty):
    """The empty cells that complete a line for a side and always will.

    Without an exact goal all that do so now; with one, a line with an empty flank may yet become too long.
    """
    cells = ZERO
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        if (line & other) == ZERO:
            left = line & empty
            flank = space.flank[index]
            if (left & (left - ONE)) == ZERO and (space.exact_goal == 0 or (flank & (own | empty)) == ZERO):
                cells |= left
    return cells


@njit(
    types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.uint64, types.uint64, types.int64),
    cache=True,
)
def harmless(space, ply, own, other, plan, reserve, limit):
    """Cells a side can mark to the last one without completing a line, as long as it marks no others.

    Starts from the empty cells ``plan`` and takes one cell out of each line alive for the side, with need <=
    limit, whose empty cells all lie in what is left: if possible none of ``reserve``, and one on many lines.
    """
    twice = ZERO
    thrice = ZERO
    often = ZERO
    once = ZERO
    empty = space.full & ~(own | other)
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        if (line & other) != ZERO or (space.exact_goal != 0 and (space.flank[index] & own) != ZERO):
            continue
        left = line & empty
        if (left & ~plan) == ZERO:
            often |= thrice & left
            thrice |= twice & left
            twice |= once & left
            once |= left
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        if (line & other) != ZERO or (space.exact_goal != 0 and (space.flank[index] & own) != ZERO):
            continue
        left = line & empty
        if (left & ~plan) != ZERO or types.int64(popcount(left)) > limit:
            continue
        if (left & ~reserve) != ZERO:
            left &= ~reserve
        if (left & often) != ZERO:
            left &= often
        elif (left & thrice) != ZERO:
            left &= thrice
        elif (left & twice) != ZERO:
            left &= twice
        plan &= ~lowest_bit(left)
    return plan


@njit(types.int64(types.uint64, types.uint64, types.uint64, types.int64), cache=True)
def reserves_needed(plan, barred_other, empty, moves_first):
    """How many moves a side needs in cells barred to the other so as never to run out of moves before it.

    The side has the moves ``plan``: the cells of it that are open to the other, f in number, first; the other
    has these and g cells besides. Of the f, the side gets at least every second one, beginning with the
    first if it moves first. So the other makes at most g + f // 2 moves (g + (f + 1) // 2 if it moves first).
    """
    open_cells = types.int64(popcount(plan & ~barred_other))
    besides = types.int64(popcount(empty & ~barred_other)) - open_cells
    return besides + 1 - (open_cells & 1) if moves_first == 1 else besides + (open_cells & 1)


@njit(
    types.boolean(SPACE, types.int64, types.uint64, types.uint64, types.uint64, types.uint64, types.int64),
    cache=True,
)
def answered(space, ply, avoider, enforcer, completing, barred_enforcer, limit):
    """Whether the avoider, the enforcer being to move, has a safe answer to each of its moves laid down in
    advance.

    Each cell the enforcer may mark has a partner: the avoider answers a mark on one by marking the other.
    Cells that complete a line for the avoider, and one more if the others are odd in number, have as partner
    a cell barred to the enforcer, so the avoider never marks them; the rest are partners of each other, so
    the avoider never has both. Barred cells that are nobody's partner stay empty. If each line alive for the
    avoider with need <= limit holds two partners or a cell that he never marks, he completes none.
    """
    empty = space.full & ~(enforcer | avoider)
    unpaired = empty & ~barred_enforcer & ~completing
    reserve = barred_enforcer & ~completing
    spare = types.int64(popcount(reserve)) - types.int64(popcount(empty & completing & ~barred_enforcer))
    spare -= types.int64(popcount(unpaired)) & 1
    if spare < 0:
        return False
    odd = types.int64(popcount(unpaired)) & 1
    never = completing
    pairs = 0
    for need in range(2, limit + 1):
        for i in range(space.alive_count[ply]):
            index = space.alive[ply, i]
            line = space.line[index]
            if (line & enforcer) != ZERO or (
                space.exact_goal != 0 and (space.flank[index] & avoider) != ZERO
            ):
                continue
            left = line & empty
            if types.int64(popcount(left)) != need or (left & never) != ZERO:
                continue
            safe = False
            for j in range(pairs):
                if (space.pair[j] & ~left) == ZERO:
                    safe = True
                    break
            if safe:
                continue
            free = left & unpaired
            if (free & (free - ONE)) != ZERO and free != ZERO:
                first = lowest_bit(free)
                second = lowest_bit(free ^ first)
                space.pair[pairs] = first | second
                pairs += 1
                unpaired &= ~(first | second)
            elif spare > 0 and (left & reserve) != ZERO:
                spare -= 1
                kept = lowest_bit(left & reserve)
                reserve &= ~kept
                never |= kept
            elif odd != 0 and free != ZERO:
                odd = 0
                unpaired &= ~free
                never |= free
            else:
                return False
    return True


@njit(
    types.boolean(
        SPACE,
        types.int64,
        types.uint64,
        types.uint64,
        types.uint64,
        types.uint64,
        types.int64,
        types.int64,
        types.int64,
    ),
    cache=True,
)
def avoider_holds(
    space, ply, enforcer, avoider, barred_enforcer, completing_avoider, moves_left, limit, mover
):
    """Whether a plan of its own lets the avoider make its next moves without completing a line.

    1. A plan (``harmless``) of which the avoider surely gets ``moves_left`` cells: those barred to the
       enforcer and of the others every second (OFF_PLAN).
    2. The same plan lasts until the enforcer has no move left (``reserves_needed``, OFF_RESERVE).
    3. An answer to each move of the enforcer (``answered``, OFF_PAIRING).
    """
    off = space.off
    empty = space.full & ~(enforcer | avoider)
    plan = harmless(space, ply, avoider, enforcer, empty & ~completing_avoider, barred_enforcer, limit)
    reserve = types.int64(popcount(plan & barred_enforcer))
    shared = types.int64(popcount(plan & ~barred_enforcer))
    if (off & OFF_PLAN) == 0 and reserve + ((shared + 1 - mover) >> 1) >= moves_left:
        return True
    if (off & OFF_RESERVE) == 0 and reserve >= reserves_needed(plan, barred_enforcer, empty, 1 - mover):
        return True
    return (
        (off & OFF_PAIRING) == 0
        and mover == 1
        and answered(space, ply, avoider, enforcer, completing_avoider, barred_enforcer, limit)
    )


@njit(
    types.boolean(SPACE, types.int64, types.uint64, types.uint64, types.uint64, types.int64, types.int64),
    cache=True,
)
def enforcer_outlasts(space, ply, enforcer, avoider, completing_enforcer, plies, mover):
    """Whether a plan lets the enforcer move on until the avoider, within so many plies, has only barred
    cells left.

    The plan must last longer than the avoider's moves (``reserves_needed``), one barred cell must be left
    over for the avoider to complete a line on, and its last safe move must come early enough.
    """
    empty = space.full & ~(enforcer | avoider)
    barred_avoider = barred(space, ply, avoider, enforcer, empty)
    if barred_avoider == ZERO:
        return False
    plan = harmless(space, ply, enforcer, avoider, empty & ~completing_enforcer, barred_avoider, space.goal)
    needed = reserves_needed(plan, barred_avoider, empty, mover)
    if (
        types.int64(popcount(plan & barred_avoider)) < needed
        or types.int64(popcount(barred_avoider)) <= needed
    ):
        return False
    shared = types.int64(popcount(plan & ~barred_avoider))
    open_cells = types.int64(popcount(empty & ~barred_avoider))
    avoider_moves = open_cells - shared + ((shared + 1 - mover) >> 1)
    return 2 * avoider_moves + 1 + mover <= plies


@njit(types.boolean(SPACE, types.uint64, types.uint64), cache=True)
def mirrored(space, enforcer, avoider):
    """Whether the avoider, moving second, can mirror the enforcer's moves to the end of the game.

    That is: a symmetry of the board that is its own inverse maps the enforcer's marks to the avoider's, and
    each cell it leaves in place is the avoider's already. The avoider answers each move by its image. If that
    completed a line off those cells, the image of the line had been completed by the enforcer before; a line
    on those cells holds a cell and its image (``space.mirror``), which are not both the avoider's. Lines
    keep their flanks under a symmetry, so this holds with an exact goal too.
    """
    for symmetry in range(1, space.images.count):
        fixed = space.fixed[symmetry]
        if space.mirror[symmetry] != 0 and (avoider & fixed) == fixed:
            if mapped(space.images, symmetry, enforcer) == (avoider & ~fixed):
                return True
    return False
