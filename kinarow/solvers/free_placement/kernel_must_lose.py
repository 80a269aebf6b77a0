# mypy: ignore-errors
"""Search whether a side can be forced to complete a line within a number of plies: misere without gravity.

These are Avoider-Enforcer games (Hefetz, Krivelevich and Szabo 2007).
"""

from numba import int64, uint64

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ZERO, highest_scored, lowest_index, popcount
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_proof_table import TABLE, UNKNOWN, can_mirror, find, store, stored_answer
from kinarow.solvers.free_placement.kernel_lines import (
    FIRST,
    GAME,
    OFF_DISTANCE,
    OFF_MIRROR,
    OFF_POTENTIAL,
    OFF_RESERVE,
    SECOND,
    STATE,
    UNIT,
    position_key,
    scan_lines,
    score_cells,
)
from kinarow.solvers.free_placement.kernel_plans import avoider_holds, enforcer_outlasts, mirror_move


@inlined
def _without_search(game, state, table, enforcer, avoider, plies, ply, mover, limit, key_first, key_second):
    """Take steps 3 to 5 of ``must_lose_within`` and probe the table; return 1 (yes), 0 (no) or ``UNKNOWN``."""
    off = game.off
    empty = game.full & ~(enforcer | avoider)
    completing_avoider = state.completing[SECOND]
    moves_left = (plies + 1 - mover) >> 1
    # 3. Potential.
    unanswered = (int64(popcount(empty)) - mover) & 1
    if (off & OFF_POTENTIAL) == 0 and (state.potential[SECOND] << unanswered) < UNIT:
        return 0
    # 4. Plans.
    if avoider_holds(game, state, ply, enforcer, avoider, completing_avoider, moves_left, limit, mover):
        return 0
    if (off & OFF_RESERVE) == 0 and enforcer_outlasts(
        game, state, ply, enforcer, avoider, state.completing[FIRST], plies, mover
    ):
        return 1
    # The table.
    entry = find(table, state.generation, key_first, key_second)
    if entry >= 0:
        answer = stored_answer(table, entry, plies)
        if answer != UNKNOWN:
            return answer
    # 5. Mirror play.
    if (off & OFF_MIRROR) == 0:
        if mover == 1:
            return 0 if can_mirror(game.images, enforcer, avoider) else UNKNOWN
        if game.decisive != 0 and plies >= int64(popcount(empty)) - 1:
            return 1 if can_mirror(game.images, avoider, enforcer) else UNKNOWN
    return UNKNOWN


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64, int64))
def must_lose_within(game, state, budget, table, enforcer, avoider, plies, ply, mover):
    """Return 1 if the avoider can be forced to complete a line within ``plies`` plies, else 0; in misere.

    ``mover`` is 1 if the enforcer is to move (``plies`` is then even), 0 if the avoider is (odd). The avoider has
    k = (plies + 1 - mover) // 2 moves left. If the enforcer completes a line, or the board is full, the answer is 0.

    Sound shortcuts, with or without an exact goal:

    1. Ends. Nobody marks a cell that completes an own line while there is another cell: that would lose at once.
    2. The avoider can't complete a line whose need is above k (OFF_DISTANCE).
    3. Potential (Hefetz, Krivelevich and Szabo 2007): the sum of 2^-need over the avoider's lines. A completed line
       counts 1. Let the avoider always mark the cell whose lines have the least sum. Its mark adds that sum to the
       total, and the enforcer's next mark removes at least as much, because every other cell had at least that sum. So
       the total never grows from one turn of the avoider to the next. Only the last mark on the board has no answer;
       it at most doubles the total. So with the avoider to move the answer is no if the total is below 1 and the
       number of empty cells even, or if the total is below 1/2 and the number odd. With the enforcer to move, whose
       mark only lowers the total, the same holds for the number after that mark. (If the number is even and even the
       cell with the least sum completes a line, every sum is at least 1/2, and two of them, without the lines that
       they share, make 1.) (OFF_POTENTIAL)
    4. Plans. A plan is a set of cells that contains no whole line alive for a side: if the side marks only these, it
       completes none. If the avoider is sure of enough cells of a plan for its k moves, or for as many as the enforcer
       has, the answer is no (``avoider_holds``: OFF_PLAN, OFF_RESERVE). If a plan of the enforcer lasts longer than the
       avoider's safe moves, the answer is yes (``enforcer_outlasts``: OFF_RESERVE). Cells that complete a line for one
       side, now and later (``permanently_losing``), are private cells of the other side.
    5. Mirror play (``can_mirror``: OFF_MIRROR). An avoider that mirrors never completes a line. If every full board has
       a line (``game.decisive``), an enforcer that mirrors makes the avoider complete one, at the latest with its last
       mark, the last but one on the board. (3 x 3 x 3: Golomb and Hales, Hypercube Tic-Tac-Toe, 2002.) At the first
       two plies the move that begins to mirror is searched first.
    """
    if not may_visit(budget):
        return 0
    empty = game.full & ~(enforcer | avoider)
    empties = int64(popcount(empty))
    limit = (plies + 1 - mover) >> 1 if (game.off & OFF_DISTANCE) == 0 else game.goal
    scan_lines(game, state, ply, enforcer, avoider, limit)

    # 1. Ends.
    completing_enforcer = state.completing[FIRST]
    completing_avoider = state.completing[SECOND]
    candidates = empty & ~(completing_enforcer if mover == 1 else completing_avoider)
    if empties == 0:
        return 0
    if candidates == ZERO:
        return 1 - mover
    if plies < 2 and ply > 1:
        return 0
    # 2 to 5. The root is searched in any case, to find a move.
    _, key_first, key_second = position_key(game, enforcer, avoider, mover)
    if ply > 1:
        answer = _without_search(game, state, table, enforcer, avoider, plies, ply, mover, limit, key_first, key_second)
        if answer != UNKNOWN:
            return answer

    # The search: cells on few lines of either side first.
    nodes = budget.nodes
    score_cells(game, state, ply, enforcer, avoider, game.goal, game.goal, 0)
    if ply <= 2 and (game.off & OFF_MIRROR) == 0:
        first, second = (enforcer, avoider) if mover == 1 else (avoider, enforcer)
        mirrored = mirror_move(game, first, second, candidates)
        if mirrored != ZERO:
            state.score[ply, lowest_index(mirrored)] = 1
    answer = 1 - mover
    while candidates != ZERO:
        move = highest_scored(state.score[ply], candidates)
        candidates &= ~move
        forcing, avoiding = (enforcer | move, avoider) if mover == 1 else (enforcer, avoider | move)
        reply = must_lose_within(game, state, budget, table, forcing, avoiding, plies - 1, ply + 1, 1 - mover)
        if budget.reason != RUNNING:
            return 0
        if reply == mover:
            answer = mover
            if ply == 1:
                state.root_move = int64(lowest_index(move))
            break
    store(table, state.generation, key_first, key_second, plies, answer, ZERO, budget.nodes - nodes)
    return answer
