# mypy: ignore-errors
"""Search whether a side can force a line within a number of plies: normal play without gravity."""

from numba import int64, uint64

from kinarow.kernels.declare import part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, highest_scored, lowest_bit, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_proof_table import TABLE, UNKNOWN, find, store, stored_answer
from kinarow.solvers.free_placement.kernel_lines import (
    FIRST,
    GAME,
    OFF_DISTANCE,
    OFF_IDLE,
    OFF_POTENTIAL,
    SECOND,
    STATE,
    UNIT,
    position_key,
    scan_lines,
    score_cells,
)

_UNDECIDED = -1  # an answer that needs a search


@part(int64(STATE, int64, uint64))
def _succeed(state, ply, move):
    """Return 1; at the root also store the lowest of the bits ``move`` as the best move."""
    if ply == 1:
        state.root_move = int64(lowest_index(move))
    return 1


@part(uint64(STATE, uint64))
def _replies_to_four(state, cell):
    """Return the cells that complete a line once the first side has marked ``cell``: the replies that block."""
    partners = ZERO
    for i in range(state.pairs):
        if (state.pair[i] & cell) != ZERO:
            partners |= state.pair[i] & ~cell
    return partners


@part(int64(GAME, STATE, int64, int64))
def _attacker_at_once(game, state, plies, ply):
    """Take steps 1 to 4 of ``can_win_within`` with the attacker to move; return 1, 0 or ``_UNDECIDED``.

    Set ``state.forced`` to the cell where the attacker must block, or 0.
    """
    wins = state.completing[FIRST]
    losses = state.completing[SECOND]
    state.forced = losses
    if wins != ZERO:
        return _succeed(state, ply, wins)
    if plies < 3 or (losses & (losses - ONE)) != ZERO:
        return 0
    if losses == ZERO and state.fork != ZERO:
        return _succeed(state, ply, state.fork)
    if (game.off & OFF_POTENTIAL) == 0 and 2 * state.potential[FIRST] < UNIT:
        return 0
    if plies > 3:
        return _UNDECIDED
    # In three plies the attacker's second mark must complete a line. That needs a fork, here by the forced mark.
    replies = _replies_to_four(state, losses)
    if (replies & (replies - ONE)) == ZERO:
        return 0
    return _succeed(state, ply, losses)


@part(int64(GAME, STATE, int64, int64))
def _defender_at_once(game, state, plies, ply):
    """Take steps 1 to 3 of ``can_win_within`` with the defender to move; return 1, 0 or ``_UNDECIDED``.

    Set ``state.forced`` to the cell where the defender must block, or 0.
    """
    wins = state.completing[FIRST]
    losses = state.completing[SECOND]
    state.forced = wins
    if losses != ZERO:
        if ply == 1:
            state.root_move = int64(lowest_index(losses))
        return 0
    if (wins & (wins - ONE)) != ZERO:
        return 1
    # The root is searched in any case, to find a move.
    if ply > 1 and (plies < 4 or ((game.off & OFF_POTENTIAL) == 0 and state.potential[FIRST] < UNIT)):
        return 0
    return _UNDECIDED


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64, int64))
def can_win_within(game, state, budget, table, attacker, defender, plies, ply, mover):
    """Return 1 if the attacker can force a line within ``plies`` plies, else 0; not in misere.

    ``mover`` is 1 if the attacker is to move (``plies`` is then odd), 0 if the defender is (even). If the defender
    completes a line first, the answer is 0. The attacker has k = (plies + 1) // 2 moves left; the ``need`` of a line is
    the number of its empty cells (``kernel_lines``).

    Sound shortcuts:

    1. Immediate ends. If two cells complete a line, an answer takes only one of them. This holds with an exact goal,
       because what completes a line for a side depends on its own marks and one empty cell.
    2. The attacker can't complete a line whose need is above k, so only nearer lines count (OFF_DISTANCE).
    3. Potential (Erdos and Selfridge, On a combinatorial game, 1973): the sum of 2^-need over the attacker's lines. A
       completed line counts 1. Let the defender always mark the cell whose lines have the largest sum: then the
       potential never grows from one turn of the defender to the next. So the answer is no if it is below 1 with the
       defender to move, or below 1/2 with the attacker to move, as a move at most doubles it (OFF_POTENTIAL).
    4. A fork: if no threat forces it elsewhere, the attacker marks a cell that leaves two completing cells.
    5. Idle cells. Without an exact goal a cell on no line alive for either side is worth less than any other, as an
       extra mark elsewhere may help its side and never hurts. The same holds for cells whose lines are too far to be
       completed within the plies left (OFF_IDLE).
    """
    if not may_visit(budget):
        return 0
    limit = (plies + 1) >> 1 if (game.off & OFF_DISTANCE) == 0 else game.goal
    scan_lines(game, state, ply, attacker, defender, limit)
    # 1 to 4: ends, forced moves, potential, fork.
    answer = _attacker_at_once(game, state, plies, ply) if mover == 1 else _defender_at_once(game, state, plies, ply)
    if answer != _UNDECIDED:
        return answer
    forced = state.forced
    # The table. The root is searched in any case, to find a move.
    _, key_first, key_second = position_key(game, attacker, defender, mover)
    if ply > 1:
        entry = find(table, state.generation, key_first, key_second)
        if entry >= 0:
            answer = stored_answer(table, entry, plies)
            if answer != UNKNOWN:
                return answer
    # 5. The moves to search.
    nodes = budget.nodes
    answer = 1 - mover
    candidates = forced
    if forced == ZERO:
        # For the defender own lines count double in move ordering, which halves the nodes of most draws (measured).
        needs = limit if mover == 1 else game.goal
        touched = score_cells(game, state, ply, attacker, defender, limit, needs, 1 - mover)
        candidates = game.full & ~(attacker | defender)
        if game.exact_goal == 0 and (game.off & OFF_IDLE) == 0 and (mover == 1 or touched != ZERO):
            candidates = touched
    # The search: the attacker needs one move that succeeds, the defender one that fails.
    while candidates != ZERO:
        move = highest_scored(state.score[ply], candidates) if forced == ZERO else forced
        candidates &= ~move
        if mover == 1:
            reply = can_win_within(game, state, budget, table, attacker | move, defender, plies - 1, ply + 1, 1 - mover)
        else:
            reply = can_win_within(game, state, budget, table, attacker, defender | move, plies - 1, ply + 1, 1 - mover)
        if budget.reason != RUNNING:
            return 0
        if reply == mover:
            answer = mover
            if ply == 1:
                state.root_move = int64(lowest_index(move))
            break
    store(table, state.generation, key_first, key_second, plies, answer, ZERO, budget.nodes - nodes)
    return answer


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64))
def wins_by_fours(game, state, budget, table, attacker, defender, plies, ply):
    """Return 1 if the attacker, to move, wins by continuous fours (VCF) within ``plies`` plies (odd), else 0.

    A *four*, for any goal, threatens to complete a line, so the defender must block; with two cells to block the
    attacker wins. (Threat-space search: Allis, van den Herik and Huntjens 1993.) ``ply`` is 1 at the root and counts
    the attacker's marks. The second word of a table key is complemented, to keep these queries apart from those of
    ``can_win_within``.
    """
    if not may_visit(budget):
        return 0
    scan_lines(game, state, ply, attacker, defender, game.goal)
    wins = state.completing[FIRST]
    losses = state.completing[SECOND]
    if wins != ZERO:
        return _succeed(state, ply, wins)
    fours = ZERO
    for i in range(state.pairs):
        fours |= state.pair[i]
    if losses != ZERO:
        fours &= losses if (losses & (losses - ONE)) == ZERO else ZERO
    if plies < 3 or fours == ZERO:
        return 0
    left = fours
    while left != ZERO:
        move = lowest_bit(left)
        left ^= move
        replies = _replies_to_four(state, move)
        if (replies & (replies - ONE)) != ZERO:
            return _succeed(state, ply, move)
        state.score[ply, lowest_index(move)] = int64(lowest_index(replies))
    _, key_first, key_second = position_key(game, attacker, defender, 1)
    entry = find(table, state.generation, key_first, ~key_second)
    if entry >= 0 and ply > 1 and stored_answer(table, entry, plies) != UNKNOWN:
        return stored_answer(table, entry, plies)
    nodes = budget.nodes
    answer = 0
    while plies >= 5 and fours != ZERO and answer == 0:
        move = lowest_bit(fours)
        fours ^= move
        reply = ONE << uint64(state.score[ply, lowest_index(move)])
        answer = wins_by_fours(game, state, budget, table, attacker | move, defender | reply, plies - 2, ply + 1)
        if budget.reason != RUNNING:
            return 0
        if answer == 1:
            _succeed(state, ply, move)
    store(table, state.generation, key_first, ~key_second, plies, answer, ZERO, budget.nodes - nodes)
    return answer
