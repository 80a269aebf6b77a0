"""Must a side complete a line within so many plies, whatever it does? Free placement, misere."""

from numba import njit, types

from service.engine.kernels.bits import ZERO, lowest_index, popcount
from service.engine.kernels.control import CONTROL, RUNNING, may_visit
from service.engine.kernels.ordering import lightest
from service.engine.kernels.proof_table import TABLE, UNKNOWN, find, known, store
from service.engine.kernels.word_free_lines import (
    FIRST,
    OFF_DISTANCE,
    OFF_MIRROR,
    OFF_POTENTIAL,
    OFF_RESERVE,
    SECOND,
    SPACE,
    UNIT,
    position_key,
    survey,
    weigh,
)
from service.engine.kernels.word_free_plans import avoider_holds, barred, enforcer_outlasts, mirrored


@njit(
    types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.int64),
    cache=True,
)
def enforce(space, control, table, enforcer, avoider, plies, ply, mover):
    """Must the avoider complete a line within so many plies? 1 yes, 0 no. Rules with misère.

    ``mover`` is 1 when the enforcer is to move (plies even), 0 when the avoider is (plies odd). The avoider
    has k = (plies + 1) // 2 moves then, or k = plies // 2. The enforcer completing a line, or the full
    board, is a no.

    Sound short cuts, with or without an exact goal:

    1. Ends. Nobody marks a cell that completes an own line while another is left: that would lose at once.
    2. The avoider cannot complete a line whose need is above k (OFF_DISTANCE).
    3. Potential (the counterpart of Erdos and Selfridge's for avoiding; Hefetz, Krivelevich and Szabo,
       Avoider-Enforcer games, 2007). Let the avoider always mark where the sum of 2^-need over his lines
       through the cell is least. His mark raises the total by that sum; the enforcer's next mark removes at
       least as much, since every other cell had at least that sum. So from one turn of the avoider to the
       next the total never grows, and only a mark that the enforcer does not answer, the last on the board,
       may raise it for good, at most to twice its size. A completed line counts 1. Hence no, if with the
       avoider to move and an even number of cells empty the total is below 1, or with an odd number below
       1/2; with the enforcer to move, whose mark only lowers the total, the same for the cells left after
       it. (Even, and the least cell completes a line: its sum is at least 1/2 and so is that of any other
       cell, without the lines they share, which makes 1.) (OFF_POTENTIAL)
    4. Plans. A side that marks only cells of a set in which no line alive for it lies whole completes none,
       whatever the other does. If the avoider surely gets enough cells of such a set for the plies asked
       about, or as many as the enforcer has moves, no (``avoider_holds``: OFF_PLAN, OFF_RESERVE). If the
       enforcer surely has such moves longer than the avoider has any, yes (``enforcer_outlasts``:
       OFF_RESERVE). Cells *barred* to a side, that would complete a line for it now and ever, are the
       reserve of the other.
    5. Pairing: the avoider has an answer laid down for each move of the enforcer (``answered``: OFF_PAIRING).
    6. Mirror play (``mirrored``: OFF_MIRROR).
    """
    if not may_visit(control):
        return 0
    empty = space.full & ~(enforcer | avoider)
    empties = types.int64(popcount(empty))
    off = space.off
    moves_left = (plies + 1 - mover) >> 1
    limit = moves_left if (off & OFF_DISTANCE) == 0 else space.goal
    survey(space, ply, enforcer, avoider, limit)

    # Step 1: ends.
    completing_enforcer = space.completing[FIRST]
    completing_avoider = space.completing[SECOND]
    candidates = empty & ~(completing_enforcer if mover == 1 else completing_avoider)
    if empties == 0:
        return 0
    if candidates == ZERO:
        return 1 - mover
    if plies < 2 and ply > 1:
        return 0

    position_key(space, enforcer, avoider, mover)
    key_first = space.images.key[0]
    key_second = space.images.key[1]
    if ply > 1:
        # Steps 3 to 5: potential, plans, pairing.
        if (off & OFF_POTENTIAL) == 0 and (space.potential[SECOND] << ((empties - mover) & 1)) < UNIT:
            return 0
        barred_enforcer = barred(space, ply, enforcer, avoider, empty)
        if avoider_holds(
            space, ply, enforcer, avoider, barred_enforcer, completing_avoider, moves_left, limit, mover
        ):
            return 0
        if (off & OFF_RESERVE) == 0 and enforcer_outlasts(
            space, ply, enforcer, avoider, completing_enforcer, plies, mover
        ):
            return 1
        # The table.
        entry = find(table, space.generation, key_first, key_second)
        if entry >= 0:
            answer = known(table, entry, plies)
            if answer != UNKNOWN:
                return answer
        # Step 6: mirror play.
        if (off & OFF_MIRROR) == 0 and mover == 1 and mirrored(space, enforcer, avoider):
            return 0

    # The moves: cells on few lines first, for either side.
    nodes = control.nodes
    weigh(space, ply, enforcer, avoider, space.goal, space.goal)
    answer = 1 - mover
    while candidates != ZERO:
        move = lightest(space.score[ply], candidates)
        candidates &= ~move
        if mover == 1:
            found = enforce(space, control, table, enforcer | move, avoider, plies - 1, ply + 1, 1 - mover)
        else:
            found = enforce(space, control, table, enforcer, avoider | move, plies - 1, ply + 1, 1 - mover)
        if control.reason != RUNNING:
            return 0
        if found == mover:
            answer = mover
            if ply == 1:
                space.root_move = types.int64(lowest_index(move))
            break
    store(table, space.generation, key_first, key_second, plies, answer, ZERO, control.nodes - nodes)
    return answer
