# mypy: ignore-errors
"""The lines of a board without gravity: the records of a game and of a search, and scans of the lines.

Lines are kept as bitboards in a list, and each ply of a search keeps the list of the lines that at least one side can
still complete. A line is *alive* for a side while it holds no mark of the other side and, with an exact goal, no own
mark on its flanks (the cells that would make it longer). Own marks never leave the board, so a dead line stays dead,
and every line completed later is among those alive now. ``need`` is the number of its empty cells. With an exact goal
the span that completes a line is alive until it is full, so everything said of alive lines holds there too, unless a
step says otherwise.
"""

import numba
from numba import int64, types, uint64, void

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index, popcount
from kinarow.solvers.common.kernel_proof_table import make_key
from kinarow.solvers.free_placement.layout import GAME_DTYPE, STATE_DTYPE

# Switches: each turns one shortcut off, so that tests can compare (see ``can_win_within`` and ``must_lose_within``).
OFF_POTENTIAL = 1
OFF_DISTANCE = 2
OFF_SYMMETRY = 4
OFF_PLAN = 8
OFF_MIRROR = 16
OFF_RESERVE = 32
OFF_IDLE = 64
OFF_FOURS = 128
ALL_SWITCHES = 255

# Symmetric positions share a table entry up to this many marks; with more the images cost more than they save.
SYMMETRY_MARKS = 14

# A potential counts a line as 2^-need in these units: exact, because no rules ask for more than 25 in a row.
UNIT = 1 << 40
# Score of a line for its empty cells in move ordering, before division by four for each cell it needs.
_WEIGHT = 1 << 24

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)

# Indices of the two sides in ``completing`` and ``potential``.
FIRST = 0  # attacker or enforcer
SECOND = 1  # defender or avoider


@inlined
def is_alive(game, index, own, other):
    """Return True if a side can still complete a line."""
    return (game.line[index] & other) == ZERO and (game.exact_goal == 0 or (game.flank[index] & own) == ZERO)


@part(void(GAME, STATE))
def prepare(game, state):
    """List every line as alive at plies 0 and 1, so that a search can begin at ply 1 or 2."""
    for i in range(game.lines):
        state.alive[0, i] = i
        state.alive[1, i] = i
    state.alive_count[0] = game.lines
    state.alive_count[1] = game.lines


@inlined
def earlier_pair(state, pairs, pair):
    """Return the last of the listed pairs that shares exactly one cell with this one; 0 if there is none."""
    earlier = ZERO
    for j in range(pairs):
        other = state.pair[j]
        if (other & pair) != ZERO and other != pair:
            earlier = other
    return earlier


@part(void(GAME, STATE, int64, uint64, uint64, int64))
def scan_lines(game, state, ply, first, second, limit):
    """List the lines of the previous ply that are still alive, and collect what they threaten.

    ``alive[ply]`` gets the lines alive for at least one side. ``completing[s]``: the empty cells that complete a line
    for side s. ``potential[s]``: the sum of 2^-need over its lines with need <= limit, in units of 2^-40. ``pair``:
    the two empty cells of each line of the first side with need = 2. ``fork``: a cell on two different pairs, or 0.
    """
    goal = game.goal
    exact_goal = game.exact_goal
    count = 0
    completing_first = ZERO
    completing_second = ZERO
    potential_first = 0
    potential_second = 0
    pairs = 0
    seen = ZERO
    fork = ZERO
    for i in range(state.alive_count[ply - 1]):
        index = state.alive[ply - 1, i]
        line = game.line[index]
        own = line & first
        other = line & second
        for_first = other == ZERO
        for_second = own == ZERO
        if exact_goal != 0:
            for_first = for_first and (game.flank[index] & first) == ZERO
            for_second = for_second and (game.flank[index] & second) == ZERO
        if not (for_first or for_second):
            continue
        state.alive[ply, count] = index
        count += 1
        if for_first:
            left = line ^ own
            need = goal - int64(popcount(own))
            if need <= limit:
                potential_first += UNIT >> need
            if need == 1:
                completing_first |= left
            elif need == 2:
                if (left & seen) != ZERO and fork == ZERO:
                    fork = earlier_pair(state, pairs, left) & left
                state.pair[pairs] = left
                pairs += 1
                seen |= left
        if for_second:
            need = goal - int64(popcount(other))
            if need <= limit:
                potential_second += UNIT >> need
            if need == 1:
                completing_second |= line ^ other
    state.alive_count[ply] = count
    state.completing[FIRST] = completing_first
    state.completing[SECOND] = completing_second
    state.potential[FIRST] = potential_first
    state.potential[SECOND] = potential_second
    state.fork = fork
    state.pairs = pairs


@part(uint64(GAME, STATE, int64, uint64, uint64, int64, int64, int64))
def score_cells(game, state, ply, first, second, limit_first, limit_second, twice):
    """Score each cell by the lines through it into ``score[ply]``; return the empty cells on any of them.

    Lines of the two sides count within their limits of need, and double if ``twice`` is 1.
    """
    goal = game.goal
    exact_goal = game.exact_goal
    touched = ZERO
    for cell in range(MAX_CELLS):
        state.score[ply, cell] = 0
    for i in range(state.alive_count[ply]):
        index = state.alive[ply, i]
        line = game.line[index]
        own = line & first
        other = line & second
        weight = 0
        if other == ZERO and (exact_goal == 0 or (game.flank[index] & first) == ZERO):
            need = goal - int64(popcount(own))
            if need <= limit_first:
                weight += max(_WEIGHT >> (2 * need), 1)
        if own == ZERO and (exact_goal == 0 or (game.flank[index] & second) == ZERO):
            need = goal - int64(popcount(other))
            if need <= limit_second:
                weight += max(_WEIGHT >> (2 * need), 1) << twice
        if weight != 0:
            cells = line & ~(first | second)
            touched |= cells
            while cells != ZERO:
                state.score[ply, lowest_index(cells)] += weight
                cells &= cells - ONE
    return touched


@part(types.Tuple((int64, uint64, uint64))(GAME, uint64, uint64, int64))
def position_key(game, first, second, mover):
    """Return the symmetry by which a position is mapped, and the two words of its key in the table."""
    few_marks = int64(popcount(first | second)) <= SYMMETRY_MARKS
    return make_key(game.images, first, second, mover, few_marks and (game.off & OFF_SYMMETRY) == 0)
