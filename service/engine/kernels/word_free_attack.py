"""Can a side complete a line within so many plies, whatever the other does? Free placement, rules without misere."""

from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_bit, lowest_index
from service.engine.kernels.control import CONTROL, RUNNING, may_visit
from service.engine.kernels.ordering import heaviest
from service.engine.kernels.proof_table import TABLE, UNKNOWN, find, known, mapped, store, zone_of
from service.engine.kernels.word_free_lines import (
    FIRST,
    OFF_DISTANCE,
    OFF_IDLE,
    OFF_PASS,
    OFF_POTENTIAL,
    SECOND,
    SPACE,
    UNIT,
    line_cells,
    position_key,
    survey,
    weigh,
)

# A pass is tried with this many plies for the attacker: longer ones cost more than they prune (measured).
PASS_PLIES = 3

_OPEN = -1  # what the first steps say where they do not answer the question


@njit(types.int64(SPACE, types.int64, types.uint64, types.uint64), cache=True)
def _succeed(space, ply, move, zone):
    """Note a yes, the attacker's move and the zone of its proof; returns 1."""
    space.zone[ply] = zone
    if ply == 1:
        space.root_move = types.int64(lowest_index(move))
    return 1


@njit(types.uint64(SPACE, types.uint64), cache=True)
def _partners(space, cell):
    """The other cells of the pairs with this cell: what a mark of the attacker on it makes complete a line."""
    partners = ZERO
    for i in range(space.pairs):
        if (space.pair[i] & cell) != ZERO:
            partners |= space.pair[i] & ~cell
    return partners


@njit(types.int64(SPACE, types.int64, types.int64), cache=True)
def _attacker_at_once(space, plies, ply):
    """Steps 1 to 4 with the attacker to move: 1, 0 or ``_OPEN``; ``space.forced`` is the cell he must mark, or 0."""
    wins = space.completing[FIRST]
    losses = space.completing[SECOND]
    space.forced = losses
    if wins != ZERO:
        return _succeed(space, ply, wins, lowest_bit(wins))
    if plies < 3 or (losses & (losses - ONE)) != ZERO:
        return 0
    if losses == ZERO and space.fork[0] != ZERO:
        return _succeed(space, ply, space.fork[0], space.fork[1])
    if (space.off & OFF_POTENTIAL) == 0 and 2 * space.potential[FIRST] < UNIT:
        return 0
    if plies > 3:
        return _OPEN
    # His next mark but one must complete a line: only a forced mark that makes a fork is left.
    partners = _partners(space, losses)
    if (partners & (partners - ONE)) == ZERO:
        return 0
    return _succeed(space, ply, losses, partners | losses)


@njit(types.int64(SPACE, types.int64, types.int64), cache=True)
def _defender_at_once(space, plies, ply):
    """Steps 1 to 3 with the defender to move: 1, 0 or ``_OPEN``; ``space.forced`` is the cell he must mark, or 0."""
    wins = space.completing[FIRST]
    losses = space.completing[SECOND]
    space.forced = wins
    if losses != ZERO:
        if ply == 1:
            space.root_move = types.int64(lowest_index(losses))
        return 0
    if (wins & (wins - ONE)) != ZERO:
        space.zone[ply] = wins
        return 1
    # At the root the search goes on, so that it finds a move.
    if ply > 1 and (plies < 4 or ((space.off & OFF_POTENTIAL) == 0 and space.potential[FIRST] < UNIT)):
        return 0
    return _OPEN


@njit(
    types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.int64),
    cache=True,
)
def attack(space, control, table, attacker, defender, plies, ply, mover):
    """Can the attacker complete a line within so many plies? 1 yes, 0 no. Rules without misère.

    ``mover`` is 1 when the attacker is to move (plies odd), 0 when the defender is (plies even). A line of
    the defender ends the game without success. The attacker has k = (plies + 1) // 2 moves.

    A yes leaves in ``zone[ply]`` the empty cells that the proof rests on: as long as the attacker finds these
    empty, further marks of the defender elsewhere change nothing but for lines they are part of (step 6).

    Sound short cuts, and the rules they hold under (all without misère):

    1. Immediate ends. Two cells complete a line: one of them stays, whatever the other side marks. With an
       exact goal too, since what completes a line for one side depends on its own marks and one empty cell.
    2. The attacker cannot complete a line whose need is above k, so only nearer lines count (OFF_DISTANCE).
    3. Potential (Erdos and Selfridge, On a combinatorial game, 1973). If the defender only blocks, always
       where the sum of 2^-need over the attacker's lines through the cell is largest, that sum over all lines
       never grows from one turn of the defender to the next, and a completed line would count 1. So below 1
       with the defender to move, or below 1/2 with the attacker to move (a move at most doubles it), the
       answer is no. The lines alive now are all that count, with an exact goal too (OFF_POTENTIAL).
    4. A fork: with no threat against him the attacker marks a cell that leaves two completing cells.
    5. Without an exact goal a cell on no line alive for either side is worth less than any other: whoever
       marks another instead has one mark more where it may help and never where it hurts. Likewise a line
       that is too far to be completed within the plies left (OFF_IDLE).
    6. Passing. If the attacker wins even within p < ``plies`` plies when the defender passes, the defender must
       interfere with that proof: mark a cell of its zone, or a cell of a line that he could complete himself
       before, in this move and the (p - 1) / 2 that follow. Suppose he marks another cell. The attacker
       follows the proof and takes each mark outside the zone of the moment for a pass. All cells he wants
       are empty then, so he wins, unless the defender completes a line first; that line holds a mark that
       was taken for a pass, look at the first of these: the line needed no more marks then than the defender
       had moves left, so its cells were among those examined and not taken for a pass. With an exact goal
       too: more marks of the defender never stop the attacker elsewhere, and can only spoil the defender's
       lines.
       Without an exact goal a mark more never hurts its owner, so if the pass does not lose within plies -
       1, a real move need not lose either and the answer is no; that is used where it costs little
       (OFF_PASS).
    """
    if not may_visit(control):
        return 0
    off = space.off
    moves_left = (plies + 1) >> 1
    limit = moves_left if (off & OFF_DISTANCE) == 0 else space.goal
    survey(space, ply, attacker, defender, limit)

    # Steps 1 to 4: ends, forced moves, potential, fork.
    answer = _attacker_at_once(space, plies, ply) if mover == 1 else _defender_at_once(space, plies, ply)
    if answer != _OPEN:
        return answer
    forced = space.forced

    # The table. At the root the search goes on, so that it finds a move.
    symmetry = position_key(space, attacker, defender, mover)
    key_first = space.images.key[0]
    key_second = space.images.key[1]
    if ply > 1:
        entry = find(table, space.generation, key_first, key_second)
        if entry >= 0:
            answer = known(table, entry, plies)
            if answer == 1:
                space.zone[ply] = zone_of(space.images, table, entry, symmetry)
            if answer != UNKNOWN:
                return answer

    nodes = control.nodes
    zone = ZERO
    drop_idle = space.exact_goal == 0 and (off & OFF_IDLE) == 0
    answer = 1 - mover
    candidates = space.full & ~(attacker | defender)
    if mover == 1:
        # Step 5, the attacker's moves: one must succeed.
        if forced != ZERO:
            candidates = forced
        else:
            touched = weigh(space, ply, attacker, defender, limit, limit)
            if drop_idle:
                candidates = touched
        while candidates != ZERO:
            move = heaviest(space.score[ply], candidates) if forced == ZERO else forced
            candidates &= ~move
            if attack(space, control, table, attacker | move, defender, plies - 1, ply + 1, 1 - mover) != 0:
                zone = move | space.zone[ply + 1]
                answer = _succeed(space, ply, move, zone)
                break
            if control.reason != RUNNING:
                return 0
    else:
        # Step 6, the defender's moves: all must fail.
        if forced != ZERO:
            candidates = forced
            zone = forced
        else:
            zone = candidates
            if (off & OFF_PASS) == 0:
                pass_plies = min(plies - 1, PASS_PLIES)
                if attack(space, control, table, attacker, defender, pass_plies, ply + 1, 1 - mover) != 0:
                    zone = space.zone[ply + 1]
                    candidates = zone | line_cells(space, ply, attacker, defender, (pass_plies + 1) >> 1)
                elif pass_plies == plies - 1 and space.exact_goal == 0 and ply > 1:
                    answer = 0
                    candidates = ZERO
                if control.reason != RUNNING:
                    return 0
            touched = weigh(space, ply, attacker, defender, limit, space.goal)
            if drop_idle and touched != ZERO:
                candidates &= touched
        while candidates != ZERO:
            move = heaviest(space.score[ply], candidates) if forced == ZERO else forced
            candidates &= ~move
            if attack(space, control, table, attacker, defender | move, plies - 1, ply + 1, 1 - mover) == 0:
                answer = 0
                if control.reason == RUNNING and ply == 1:
                    space.root_move = types.int64(lowest_index(move))
                break
            zone |= space.zone[ply + 1]
    if control.reason != RUNNING:
        return 0
    space.zone[ply] = zone
    if symmetry:
        zone = mapped(space.images, symmetry, zone)
    store(table, space.generation, key_first, key_second, plies, answer, zone, control.nodes - nodes)
    return answer
