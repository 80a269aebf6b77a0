"""The exact solver for boards without gravity whose cells fit one 64-bit word, under every rule.

A *position* is two disjoint words, own marks (the side to move) and the opponent's, nobody having
completed a line yet. Values are on one scale, with ``cells = rows * columns``:

    a win for the side to move in n plies     cells + 1 - n   (the winner hurries, the loser delays)
    a loss in n plies                         n - cells - 1
    a draw                                    0

Every question the solver asks is of one kind: *can this side bring about its win within n plies, whatever
the other side does?* Normally the asking side is the ``attacker``, who must complete a line; in misere it is
the ``enforcer``, and the ``avoider`` must be driven into completing one. Such a yes-or-no search meets many
sound short cuts that a search for a value does not, and each n is a question of its own, so that the least n
with a yes is the exact distance. The two recursive searches are ``attack`` and ``enforce``; each states its
short cuts, why they are sound and under which rules, and each short cut has a switch (``OFF_...``).
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, popcount
from service.engine.kernels.control import CONTROL, OUT_OF_NODES, RUNNING
from service.engine.kernels.proof_table import TABLE, new_generation
from service.engine.kernels.word_free_attack import attack
from service.engine.kernels.word_free_enforce import enforce
from service.engine.kernels.word_free_lines import FIRST, MAX_CELLS, SPACE, prepare, survey

# Without gravity and misere, wins up to this many plies are looked for one distance after the other first.
NEAR_PLIES = 11
# The principal variation may cost so many nodes beyond as many again as the proof took.
LINE_NODES = 2000

RESULT_DTYPE = np.dtype(
    [
        ("value", np.int64),
        ("lower", np.int64),
        ("upper", np.int64),
        ("move", np.int64),
        ("proven", np.int64),
        ("moves", np.int64),
        ("line", np.int64, (MAX_CELLS,)),
        ("move_value", np.int64, (MAX_CELLS,)),
    ],
    align=True,
)
RESULT = numba.from_dtype(RESULT_DTYPE)


def new_result() -> np.recarray:
    """Room for an answer: an array of one record; ``result[0]`` is what kernels take."""
    return np.zeros(1, RESULT_DTYPE).view(np.recarray)


def table_size_hint(empty: int, misere: bool = False) -> int:
    """The ``buckets_log2`` that serves a position with so many empty cells well; from 8 to 22."""
    return max(8, min(22, empty + (4 if misere else 1)))


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.int64), cache=True)
def ends_within(space, control, table, own, opponent, plies, ply):
    """Can the side that gains by it have a line end the game within so many plies, at a ply of the same
    parity?

    An odd number of plies: a line of the side to move, to its gain normally and its loss in misère. An even
    number: a line of the opponent. 1 yes, 0 no. ``ply`` is 1 for a first position; deeper ones need not name
    a move.
    """
    if plies < 1:
        return 0
    odd = plies & 1
    if space.misere != 0:
        if odd == 1:
            return enforce(space, control, table, opponent, own, plies, ply, 1 - odd)
        return enforce(space, control, table, own, opponent, plies, ply, 1 - odd)
    if odd == 1:
        return attack(space, control, table, own, opponent, plies, ply, odd)
    return attack(space, control, table, opponent, own, plies, ply, odd)


@njit(types.int64(SPACE, types.int64), cache=True)
def value_of(space, plies):
    """The value for the side to move of a line that ends the game with the last of so many plies."""
    wins = (plies & 1) == 1 if space.misere == 0 else (plies & 1) == 0
    return space.cells + 1 - plies if wins else plies - space.cells - 1


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64), cache=True, nogil=True)
def at_least(space, control, table, own, opponent, value):
    """Is the value of the position at least so much? 1 yes, 0 no (void when ``control.reason`` is set)."""
    space.generation = new_generation(table)
    prepare(space)
    empties = types.int64(popcount(space.full & ~(own | opponent)))
    to_win = 1 if space.misere == 0 else 0
    if value > 0:
        plies = min(space.cells + 1 - value, empties)
        plies -= (plies + to_win) & 1
        return ends_within(space, control, table, own, opponent, plies, 2)
    # At least a loss in m plies: no loss within fewer.
    plies = min(space.cells + value, empties)
    plies -= (plies + to_win + 1) & 1
    return 1 - ends_within(space, control, table, own, opponent, plies, 2)


@njit(types.boolean(SPACE, RESULT, types.int64, types.int64, types.int64), cache=True)
def note(space, result, empties, plies, answer):
    """Narrow the bounds by the answer to a question at the root; True when that settles the value.

    After a no, a line that ends the game for the same side comes two plies later at the earliest, or never.
    """
    value = value_of(space, plies)
    later = value_of(space, plies + 2) if plies + 2 <= empties else 0
    if value > 0:
        if answer == 0:
            result.upper = min(result.upper, later)
        elif value > result.lower:
            result.lower = value
            result.move = space.root_move
    elif answer != 0:
        result.upper = min(result.upper, value)
    elif later > result.lower:
        result.lower = later
        result.move = space.root_move
    return result.lower >= result.upper


@njit(types.void(SPACE, CONTROL, TABLE, types.uint64, types.uint64, RESULT), cache=True)
def find_value(space, control, table, own, opponent, result):
    """Ask until the value of the position is settled or the budget spent; keeps the bounds in the result.

    Wanted: ``space.least <= value <= space.most``, true of the position by another argument (or the trivial
    bounds); what that answers is not asked.

    1. Normally: wins and losses within 1, 2, 3 ... plies, while they are near.
    2. Is it won, or lost, at all?
    3. If so, halve the distances left.
    """
    empties = types.int64(popcount(space.full & ~(own | opponent)))
    first_quick = min(NEAR_PLIES, empties) if space.misere == 0 else 0
    result.lower = max(min(value_of(space, 1), value_of(space, 2)), space.least)
    result.upper = min(max(value_of(space, 1), value_of(space, 2)), space.most)
    if result.lower >= result.upper:
        return
    for plies in range(1, first_quick + 1):
        if value_of(space, plies) > result.upper or value_of(space, plies) < result.lower:
            continue
        answer = ends_within(space, control, table, own, opponent, plies, 1)
        if control.reason != RUNNING or note(space, result, empties, plies, answer):
            return
        if answer != 0:
            result.lower = result.upper = value_of(space, plies)
            return
    least = first_quick + 1
    for longest in range(empties, max(empties - 2, least - 1), -1):
        if value_of(space, longest) > result.upper or value_of(space, longest) < result.lower:
            continue
        answer = ends_within(space, control, table, own, opponent, longest, 1)
        if control.reason != RUNNING or note(space, result, empties, longest, answer):
            return
        if answer != 0:
            low = least + ((least ^ longest) & 1)
            high = longest
            while low < high:
                middle = low + ((high - low) >> 2 << 1)
                answer = ends_within(space, control, table, own, opponent, middle, 1)
                if control.reason != RUNNING or note(space, result, empties, middle, answer):
                    return
                if answer != 0:
                    high = middle
                else:
                    low = middle + 2
            result.lower = result.upper = value_of(space, high)
            return
    result.lower = result.upper = 0


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.uint64), cache=True)
def attains(space, control, table, own, opponent, value, move):
    """Whether a move keeps the known value of a position: 1 yes, 0 no (void when the budget is spent)."""
    space.alive_count[1] = space.lines
    for i in range(space.lines):
        space.alive[1, i] = i
    survey(space, 2, own, opponent, space.goal)
    completes = (space.completing[FIRST] & move) != ZERO
    empties = types.int64(popcount(space.full & ~(own | opponent)))
    if completes:
        return 1 if value == value_of(space, 1) else 0
    if value == value_of(space, 1):
        return 0
    gain = 1 if space.misere == 0 else 0
    if value > 0:
        return ends_within(space, control, table, opponent, own | move, space.cells - value, 2)
    # The opponent's win must not come sooner: in the position after the move his plies are odd, in misère even.
    plies = space.cells + value - 1 if value < 0 else empties - 1
    plies -= (plies + gain) & 1
    return 1 - ends_within(space, control, table, opponent, own | move, plies, 2)


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64), cache=True)
def first_best(space, control, table, own, opponent, value):
    """The first move in the fixed order that keeps the known value, as a bit; -1 when the budget is spent."""
    for i in range(space.cells):
        place = space.order[i]
        move = ONE << types.uint64(place)
        if ((own | opponent) & move) != ZERO:
            continue
        kept = attains(space, control, table, own, opponent, value, move)
        if control.reason != RUNNING:
            return -1
        if kept != 0:
            return place
    return -1


@njit(types.void(SPACE, CONTROL, TABLE, types.uint64, types.uint64, RESULT), cache=True)
def find_line(space, control, table, own, opponent, result):
    """The principal variation from a solved position on, as far as a small budget of its own goes."""
    limit = control.node_limit
    control.node_limit = min(limit, 2 * control.nodes + LINE_NODES)
    value = result.value
    move = result.move
    result.moves = 0
    while move >= 0 and result.moves < MAX_CELLS:
        result.line[result.moves] = move
        result.moves += 1
        bit = ONE << types.uint64(move)
        if value == value_of(space, 1) or (own | opponent | bit) == space.full:
            break
        own, opponent = opponent, own | bit
        value = -1 - value if value > 0 else (1 - value if value < 0 else 0)
        move = first_best(space, control, table, own, opponent, value)
    if control.reason == OUT_OF_NODES and control.nodes < limit:
        control.reason = RUNNING
    control.node_limit = limit


@njit(types.void(SPACE, types.uint64, types.uint64, CONTROL, TABLE, RESULT), cache=True, nogil=True)
def solve(space, own, opponent, control, table, result):
    """The value of an unfinished position, a best move and a line of best moves, or bounds when the budget
    ends.

    Always                      result.lower <= value of the position <= result.upper, and ``result.move``
                                (a bit) keeps at least ``result.lower``.
    result.proven = 1           lower = upper = ``result.value``, exact, and the move keeps it; ``line`` holds
                                ``moves`` best moves, the first of them ``move``; it may stop early.
    result.proven = 0           ``control.reason`` says why; ``result.value`` is void.

    Of several best moves it is the one through most lines, then the first in tile order. ``control.reason``
    may be set after a proof too, when the budget ended before the first of equal moves or the line was known:
    the move is then one that the proof found.
    """
    space.generation = new_generation(table)
    prepare(space)
    result.proven = 0
    result.value = 0
    result.moves = 0
    for i in range(space.cells - 1, -1, -1):
        if ((own | opponent) & (ONE << types.uint64(space.order[i]))) == ZERO:
            result.move = space.order[i]
    find_value(space, control, table, own, opponent, result)
    if result.lower < result.upper:
        return
    result.proven = 1
    result.value = result.lower
    move = first_best(space, control, table, own, opponent, result.value)
    if move >= 0:
        result.move = move
        find_line(space, control, table, own, opponent, result)
    else:
        result.line[0] = result.move
        result.moves = 1


@njit(types.int64(SPACE, types.uint64, types.uint64, CONTROL, TABLE, RESULT), cache=True, nogil=True)
def solve_moves(space, own, opponent, control, table, result):
    """Write the exact value of every move into ``result.move_value``, by bit; returns how many are known.

    In the fixed order; the values are those of the position for the side to move if it marks that cell. When
    the budget ends, the first so many empty cells of the order have their value. The other fields of the
    result are void.
    """
    space.generation = new_generation(table)
    known = 0
    for i in range(space.cells):
        place = space.order[i]
        move = ONE << types.uint64(place)
        if ((own | opponent) & move) != ZERO:
            continue
        prepare(space)
        survey(space, 1, own, opponent, space.goal)
        value = 0
        if (space.completing[FIRST] & move) != ZERO:
            value = value_of(space, 1)
        elif (own | opponent | move) != space.full:
            find_value(space, control, table, opponent, own | move, result)
            if result.lower < result.upper:
                return known
            value = result.lower
            value = 1 - value if value > 0 else (-1 - value if value < 0 else 0)
        result.move_value[place] = value
        known += 1
    return known
