# mypy: ignore-errors
"""Can a side complete a line within so many plies, whatever the other side does? Without gravity and misere."""

from numba import int64, uint64

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_bit, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_ordering import highest_scored
from kinarow.solvers.common.kernel_proof_table import TABLE, UNKNOWN, find, mapped, store, stored_answer, zone_of
from kinarow.solvers.free_placement.kernel_lines import (
    FIRST,
    GAME,
    OFF_DISTANCE,
    OFF_IDLE,
    OFF_PASS,
    OFF_POTENTIAL,
    SECOND,
    STATE,
    UNIT,
    line_cells,
    position_key,
    scan_lines,
    score_cells,
)

# Plies in which the attacker must win after a pass; more cost more than they prune (measured).
PASS_PLIES = 3

_OPEN = -1  # returned by the first steps when they do not answer the query


@part(int64(STATE, int64, uint64, uint64))
def _succeed(state, ply, move, zone):
    """Write the zone of a yes, and at the root the attacker's move; returns 1."""
    state.zone[ply] = zone
    if ply == 1:
        state.root_move = int64(lowest_index(move))
    return 1


@part(uint64(STATE, uint64))
def _partners(state, cell):
    """The cells on which the attacker would complete a line after a mark on this cell."""
    partners = ZERO
    for i in range(state.pairs):
        if (state.pair[i] & cell) != ZERO:
            partners |= state.pair[i] & ~cell
    return partners


@part(int64(GAME, STATE, int64, int64))
def _attacker_at_once(game, state, plies, ply):
    """Steps 1 to 4 with the attacker to move: 1, 0 or ``_OPEN``; ``state.forced`` is the cell it must mark, or 0."""
    wins = state.completing[FIRST]
    losses = state.completing[SECOND]
    state.forced = losses
    if wins != ZERO:
        return _succeed(state, ply, wins, lowest_bit(wins))
    if plies < 3 or (losses & (losses - ONE)) != ZERO:
        return 0
    if losses == ZERO and state.fork[0] != ZERO:
        return _succeed(state, ply, state.fork[0], state.fork[1])
    if (game.off & OFF_POTENTIAL) == 0 and 2 * state.potential[FIRST] < UNIT:
        return 0
    if plies > 3:
        return _OPEN
    # With three plies left the attacker's second mark must complete a line: only a forced mark that makes a fork does.
    partners = _partners(state, losses)
    if (partners & (partners - ONE)) == ZERO:
        return 0
    return _succeed(state, ply, losses, partners | losses)


@part(int64(GAME, STATE, int64, int64))
def _defender_at_once(game, state, plies, ply):
    """Steps 1 to 3 with the defender to move: 1, 0 or ``_OPEN``; ``state.forced`` is the cell it must mark, or 0."""
    wins = state.completing[FIRST]
    losses = state.completing[SECOND]
    state.forced = wins
    if losses != ZERO:
        if ply == 1:
            state.root_move = int64(lowest_index(losses))
        return 0
    if (wins & (wins - ONE)) != ZERO:
        state.zone[ply] = wins
        return 1
    # At the root the search goes on, so that it finds a move.
    if ply > 1 and (plies < 4 or ((game.off & OFF_POTENTIAL) == 0 and state.potential[FIRST] < UNIT)):
        return 0
    return _OPEN


@inlined
def _defences(game, state, budget, table, attacker, defender, plies, ply, mover, limit):
    """Step 6: the defender's moves to search and the zone to begin with; no moves if the answer is no."""
    candidates = game.full & ~(attacker | defender)
    zone = candidates
    answered = False
    if (game.off & OFF_PASS) == 0:
        pass_plies = min(plies - 1, PASS_PLIES)
        # No literal may be passed in a recursive call: the code would compile, but not load from the cache.
        if can_win_within(game, state, budget, table, attacker, defender, pass_plies, ply + 1, 1 - mover) != 0:
            zone = state.zone[ply + 1]
            candidates = zone | line_cells(game, state, ply, attacker, defender, (pass_plies + 1) >> 1)
        elif pass_plies == plies - 1 and game.exact_goal == 0 and ply > 1:
            answered = True
    if answered:
        candidates = ZERO
    else:
        touched = score_cells(game, state, ply, attacker, defender, limit, game.goal)
        if game.exact_goal == 0 and (game.off & OFF_IDLE) == 0 and touched != ZERO:
            candidates &= touched
    return candidates, zone, answered


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64, int64))
def can_win_within(game, state, budget, table, attacker, defender, plies, ply, mover):
    """Can the attacker complete a line within so many plies? 1 yes, 0 no. Rules without misere.

    ``mover`` is 1 when the attacker is to move (plies odd), 0 when the defender is (plies even). A line of the
    defender ends the game with a no. The attacker has k = (plies + 1) // 2 moves.

    A yes leaves in ``zone[ply]`` the empty cells on which the proof rests: as long as the attacker finds these empty,
    further marks of the defender elsewhere change nothing, except for lines that they are part of (step 6).

    Sound shortcuts, and the rules under which they hold (all without misere):

    1. Immediate ends. If two cells complete a line, one of them stays, whatever the other side marks. With an exact
       goal too, because what completes a line for one side depends on its own marks and one empty cell.
    2. The attacker cannot complete a line whose need is above k, so only nearer lines count (OFF_DISTANCE).
    3. Potential (Erdos and Selfridge, On a combinatorial game, 1973). If the defender only blocks, always where the
       sum of 2^-need over the attacker's lines through the cell is largest, that sum over all lines never grows from
       one turn of the defender to the next, and a completed line would count 1. So below 1 with the defender to move,
       or below 1/2 with the attacker to move (a move at most doubles it), the answer is no. Only the lines alive now
       count, with an exact goal too (OFF_POTENTIAL).
    4. A fork: if no threat forces it elsewhere, the attacker marks a cell that leaves two completing cells.
    5. Without an exact goal a cell on no line alive for either side is worth less than any other: whoever marks
       another cell instead has one mark more where it may help and never where it hurts. The same holds for lines
       that are too far to be completed within the plies left (OFF_IDLE).
    6. Passing. If the attacker wins within p < ``plies`` plies even when the defender passes, the defender must
       interfere with that proof: mark a cell of its zone, or a cell of a line that the defender could complete
       earlier, with this move and the (p - 1) / 2 that follow. Suppose it marks another cell. The attacker follows the
       proof and treats each mark outside the current zone as a pass. All cells that the proof wants are empty then, so
       the attacker wins, unless the defender completes a line first. That line holds a mark that was treated as a
       pass. Take the first such mark: the line then needed no more marks than the defender had moves left, so its
       cells were among those examined and would not have been treated as a pass. With an exact goal too: more marks
       of the defender never stop the attacker elsewhere, and can only spoil the defender's lines.
       Without an exact goal an additional mark never hurts its owner. So if the pass does not lose within plies - 1,
       some real move does not lose either, and the answer is no; this is used where it costs little (OFF_PASS).
    """
    if not may_visit(budget):
        return 0
    limit = (plies + 1) >> 1 if (game.off & OFF_DISTANCE) == 0 else game.goal
    scan_lines(game, state, ply, attacker, defender, limit)
    # 1 to 4: ends, forced moves, potential, fork.
    answer = _attacker_at_once(game, state, plies, ply) if mover == 1 else _defender_at_once(game, state, plies, ply)
    if answer != _OPEN:
        return answer
    forced = state.forced
    # The table; at the root the search continues, so that it finds a move.
    symmetry, key_first, key_second = position_key(game, attacker, defender, mover)
    if ply > 1:
        entry = find(table, state.generation, key_first, key_second)
        if entry >= 0:
            answer = stored_answer(table, entry, plies)
            if answer == 1:
                state.zone[ply] = zone_of(game.images, table, entry, symmetry)
            if answer != UNKNOWN:
                return answer
    # 5 and 6: the moves to search.
    nodes = budget.nodes
    answer = 1 - mover
    zone = ZERO
    candidates = forced
    if forced != ZERO:
        zone = forced
    elif mover == 1:
        candidates = score_cells(game, state, ply, attacker, defender, limit, limit)
        if game.exact_goal != 0 or (game.off & OFF_IDLE) != 0:
            candidates = game.full & ~(attacker | defender)
    else:
        candidates, zone, answered = _defences(game, state, budget, table, attacker, defender, plies, ply, mover, limit)
        if budget.reason != RUNNING:
            return 0
        if answered:
            answer = 0
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
            if mover == 1:
                zone = move | state.zone[ply + 1]
            break
        zone |= state.zone[ply + 1]
    state.zone[ply] = zone
    if symmetry:
        zone = mapped(game.images, symmetry, zone)
    store(table, state.generation, key_first, key_second, plies, answer, zone, budget.nodes - nodes)
    return answer
