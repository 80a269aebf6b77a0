# mypy: ignore-errors
"""The lines of a board without gravity as a list of bitboards, and scans of these lines.

A line is *alive* for a side while it contains no mark of the other side and, with an exact goal, while none of the
side's own marks is on its flanks (the cells that would make it longer). Marks never leave the board, so a dead line
stays dead, and every line completed later is among those alive now. The ``need`` of an alive line is the number of its
empty cells. Each ply of a search lists the lines that are alive for at least one side.
"""

import numba
from numba import int64, types, uint64, void

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index, popcount
from kinarow.solvers.common.kernel_proof_table import make_key
from kinarow.solvers.free_placement.layout import GAME_DTYPE, STATE_DTYPE

# Switches for tests: each turns off one shortcut of ``can_win_within`` or ``must_lose_within``.
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

# 1 in the fixed-point sums of 2^-need (potentials). They are exact, because no goal is above 25.
UNIT = 1 << 40
# The ordering score that a line gives its empty cells is this, divided by four for each cell that it needs.
_WEIGHT = 1 << 24

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)

# Indices of the two sides in ``completing`` and ``potential``.
FIRST = 0  # attacker or enforcer
SECOND = 1  # defender or avoider


@inlined
def is_alive(game, index, own, other):
    """Return True if the line is alive for a side with marks ``own``."""
    return (game.line[index] & other) == ZERO and (game.exact_goal == 0 or (game.flank[index] & own) == ZERO)


@part(void(GAME, STATE))
def prepare(game, state):
    """List every line as alive at plies 0 and 1, for a search that begins at ply 1 or 2."""
    for i in range(game.lines):
        state.alive[0, i] = i
        state.alive[1, i] = i
    state.alive_count[0] = game.lines
    state.alive_count[1] = game.lines


@inlined
def earlier_pair(state, pairs, pair):
    """Return the last of the first ``pairs`` listed pairs of cells that shares exactly one cell with ``pair``, or 0."""
    earlier = ZERO
    for j in range(pairs):
        other = state.pair[j]
        if (other & pair) != ZERO and other != pair:
            earlier = other
    return earlier


@part(void(GAME, STATE, int64, uint64, uint64, int64))
def scan_lines(game, state, ply, first, second, limit):
    """List the lines alive at this ply, among those of the ply before, and set what they threaten.

    ``alive[ply]``: the lines alive for at least one side. ``completing[s]``: the empty cells that complete a line for
    side s. ``potential[s]``: the sum of 2^-need over its lines with need <= limit, as a fraction of ``UNIT``. ``pair``:
    the two empty cells of each line of the first side with need 2. ``fork``: a cell on two different pairs, or 0.
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
    """Write an ordering score of each empty cell, by the lines through it, to ``score[ply]``.

    A line counts for a side if it is alive and its need is within the side's limit; the second side's lines count
    double if ``twice`` is 1. In misere scores are negative. Return the empty cells on any line that counts.
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
            if game.misere != 0:
                weight = -weight
            cells = line & ~(first | second)
            touched |= cells
            while cells != ZERO:
                state.score[ply, lowest_index(cells)] += weight
                cells &= cells - ONE
    return touched


@part(types.Tuple((int64, uint64, uint64))(GAME, uint64, uint64, int64))
def position_key(game, first, second, mover):
    """Return the table key of a position, as ``make_key`` does; symmetric positions share it if there are few marks."""
    few_marks = int64(popcount(first | second)) <= SYMMETRY_MARKS
    return make_key(game.images, first, second, mover, few_marks and (game.off & OFF_SYMMETRY) == 0)
