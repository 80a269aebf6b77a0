"""The exact solver for gravity boards that fit one 64-bit word, under every rule.

A *position* is two disjoint words, own marks (of the side to move, the *mover*) and the opponent's (the
*follower*), nobody having completed a line. Inside, values count from the start of the game: with p marks
on the board when it ends,

    a win     cells + 1 - p        a loss    p - cells - 1        a draw    0

so that the value of a position is minus that of its best child, with no plies to add. ``outward`` turns
that into the scale of the callers, on which plies count from the position asked: a win in n plies is
cells + 1 - n. The order is the same: quick wins, slow wins, draw, slow losses, quick losses.

Every question is a null window: *is the value at least beta?* ``search`` (a completed line wins) and
``misere_search`` (it loses) answer it fail-soft,

    value >= beta  =>  beta <= answer <= value        value < beta  =>  value <= answer < beta

and ``solve`` narrows bounds by such questions until they meet. The short cuts are sound bounds, each with a
switch (``OFF_...``):

- **Lines left** (every rule). A side that could not get a line even with all empty cells never completes
  one: normally it cannot win, in misère it cannot lose.
- **Follow-up** (``followed``; every rule), asked of every child before any is searched. If the columns with an odd
  number of empty cells can be paired, the follower can answer each move in the column it was made in, or, on the
  lowest cell of an odd column, on the lowest of its partner. So it gets every second cell, and what no such game
  can give the mover cannot happen. This is the claimeven and baseinverse of Allis (A Knowledge-based Approach of
  Connect-Four, 1988), extended by *cuts*: where following would give it a cell that completes its line, the cells
  above are never reached.
- **Two threats** (normal and exact goal). A move that leaves two cells to complete a line at once, or one
  below the other, wins in three plies.
- **Table cutoffs** (every rule). A child whose table entry answers the question is not searched.

A table entry holds the whole key, so an answer taken from it is certain.
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_bit, lowest_index, mix, popcount
from service.engine.kernels.control import CONTROL, RUNNING, may_visit
from service.engine.kernels.word import (
    GAME,
    MAX_BITS,
    MAX_COLUMNS,
    bit,
    can_line,
    completing,
    fill_down,
    fill_up,
    has_line,
    has_window,
    landing,
    mirror,
)  # fmt: skip

OFF_LINES_LEFT = 1
OFF_FOLLOW_UP = 2
OFF_TWO_THREATS = 4
OFF_TABLE_CUTOFF = 8
OFF_SYMMETRY = 16
ALL_SWITCHES = 31

MAX_PLIES = MAX_BITS + 2
# The principal variation may cost so many nodes beyond what the proof took.
LINE_NODES = 2000
# Below so many empty cells, or nodes beneath, a position is not worth an entry (measured).
TABLE_EMPTIES = 6
STORE_NODES = 4
# The children's entries are looked at from so many empty cells on (measured).
CUTOFF_EMPTIES = 12
# Values further from the draw than this are asked about first: quick wins are cheap to see (measured).
NEAR = 14
# A search begins with this many buckets, which stay in the processor's cache, and doubles when they are full to
# so many eighths of an entry each: 28 is seven eighths of four entries.
FIRST_BUCKETS = 256
FULL_EIGHTHS = 28

# A table is buckets of four entries of two words, key and facts: one cache line of 64 bytes.
ENTRY_WORDS = 2
BUCKET_WORDS = 8
# The facts word, lowest bits first: generation, lower and upper bound (+64), best move (63: none), effort (log4 of
# nodes), which columns are full (by-rows layout, where the key does not say).
LAST_GENERATION = 511
_GENERATION = np.uint64(LAST_GENERATION)
_LOWER_SHIFT = np.uint64(9)
_UPPER_SHIFT = np.uint64(16)
_MOVE_SHIFT = np.uint64(23)
_EFFORT_SHIFT = np.uint64(29)
_EXTRA_SHIFT = np.uint64(33)
_SEVEN_BITS = np.uint64(127)
_SIX_BITS = np.uint64(63)
_FOUR_BITS = np.uint64(15)
_BIAS = 64
_BUCKET = np.uint64(BUCKET_WORDS)
_NONE = -1
_KNOWN_WEIGHT = 1 << 20  # the move of a table entry goes first
_INFINITE = 64  # above every value

STATE_DTYPE = np.dtype(
    [
        ("generation", np.uint64),
        ("bucket_mask", np.uint64),
        ("last_mask", np.uint64),
        ("filled", np.int64),
        ("symmetric", np.int64),
        ("root_move", np.uint64),
        ("move", np.uint64, (MAX_PLIES, MAX_COLUMNS)),
        ("threat", np.uint64, (MAX_PLIES, MAX_COLUMNS)),
        ("weight", np.int64, (MAX_PLIES, MAX_COLUMNS)),
    ],
    align=True,
)
"""The room of one search: the part of the table in use (``bucket_mask``, at most ``last_mask``) and its entries, the
move that answered last, and the list of moves, their new completing cells and weights, by marks on the board."""
STATE = numba.from_dtype(STATE_DTYPE)

RESULT_DTYPE = np.dtype(
    [
        ("value", np.int64),
        ("lower", np.int64),
        ("upper", np.int64),
        ("move", np.int64),
        ("proven", np.int64),
        ("moves", np.int64),
        ("line", np.int64, (MAX_BITS,)),
        ("move_value", np.int64, (MAX_BITS,)),
    ],
    align=True,
)
"""An answer: ``lower <= value <= upper``, ``move`` (a bit) secures ``lower``; ``line`` holds ``moves`` best moves."""
RESULT = numba.from_dtype(RESULT_DTYPE)
TABLE = types.Array(types.uint64, 1, "C")


# ---------------------------------------------------------------- what Python prepares


def new_state() -> np.recarray:
    """Room for one search at a time: an array of one record; ``state[0]`` is what kernels take."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)


def new_result() -> np.recarray:
    """Room for an answer: an array of one record; ``result[0]`` is what kernels take."""
    return np.zeros(1, RESULT_DTYPE).view(np.recarray)


def table_size_hint(game: np.recarray, empties: int, node_limit: int) -> int:
    """How many words of table serve a search well: a power of two from 8 to 2**24 (128 MB)."""
    entries = min(node_limit, 1 << min(23, empties))
    return BUCKET_WORDS * (1 << max(0, (max(1, entries // 4) - 1).bit_length()))


# ---------------------------------------------------------------- keys and the table


@njit(types.int64(types.uint64), cache=True)
def stored_lower(facts):
    """The lower bound of an entry."""
    return types.int64((facts >> _LOWER_SHIFT) & _SEVEN_BITS) - _BIAS


@njit(types.int64(types.uint64), cache=True)
def stored_upper(facts):
    """The upper bound of an entry."""
    return types.int64((facts >> _UPPER_SHIFT) & _SEVEN_BITS) - _BIAS


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def plain_key(game, own, occupied):
    """The key of a position: own marks, and a bit on the landing cell of each column.

    In the layout by columns the spare bit above a full column counts as its landing cell, so the highest bit
    of a column always is its landing cell and the key is unique. By rows full columns have none: there the
    ``extra`` part of the key says which they are.
    """
    above = ((occupied << game.up) | game.bottom) & ~occupied
    if game.by_rows != 0:
        above &= game.board
    return own | above


@njit(types.uint64(GAME, types.uint64), cache=True)
def extra_key(game, occupied):
    """The full columns in the layout by rows, else 0."""
    if game.by_rows != 0:
        return (occupied & game.board) >> (types.uint64(game.rows - 1) * game.up)
    return ZERO


@njit(types.uint64(GAME, STATE, types.uint64), cache=True)
def shared_key(game, state, key):
    """The smaller key of a position and its mirror image, where a search can meet both."""
    if state.symmetric == 0:
        return key
    return min(key, mirror(game, key))


@njit(types.int64(STATE, TABLE, types.uint64, types.uint64), cache=True)
def find(state, table, key, extra):
    """The word index of the entry with this key in the present generation, or -1."""
    base = types.int64((mix(key + extra) & state.bucket_mask) * _BUCKET)
    for i in range(base, base + BUCKET_WORDS, ENTRY_WORDS):
        if table[i] == key:
            facts = table[i + 1]
            if (facts & _GENERATION) == state.generation and (facts >> _EXTRA_SHIFT) == extra:
                return i
    return _NONE


@njit(types.void(STATE, TABLE), cache=True)
def grow(state, table):
    """Take twice as much of the table into use: each entry keeps its place or moves up by the old size."""
    old = types.int64(state.bucket_mask + ONE) * BUCKET_WORDS
    state.bucket_mask = state.bucket_mask + state.bucket_mask + ONE
    for i in range(0, old, ENTRY_WORDS):
        facts = table[i + 1]
        if (facts & _GENERATION) == state.generation:
            base = types.int64((mix(table[i] + (facts >> _EXTRA_SHIFT)) & state.bucket_mask) * _BUCKET)
            if base >= old:
                table[i + old] = table[i]
                table[i + old + 1] = facts
                table[i + 1] = ZERO


@njit(types.int64(STATE, TABLE, types.uint64, types.uint64), cache=True)
def place_for(state, table, key, extra):
    """The word index where to enter a new key: a stale entry, else the one of the bucket that took the fewest nodes."""
    base = types.int64((mix(key + extra) & state.bucket_mask) * _BUCKET)
    place = base
    least = _FOUR_BITS
    for i in range(base, base + BUCKET_WORDS, ENTRY_WORDS):
        facts = table[i + 1]
        if (facts & _GENERATION) != state.generation:
            state.filled += 1
            return i
        effort = (facts >> _EFFORT_SHIFT) & _FOUR_BITS
        if effort < least:
            least = effort
            place = i
    return place


@njit(
    types.void(STATE, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.uint64, types.int64),
    cache=True,
)
def store(state, table, key, extra, lower, upper, move, nodes):
    """Enter lower <= value <= upper and the best move (a bit index; 63 for none); narrow an entry of the same key."""
    # 1. The place.
    place = find(state, table, key, extra)
    if place >= 0:
        lower = max(lower, stored_lower(table[place + 1]))
        upper = min(upper, stored_upper(table[place + 1]))
    else:
        place = place_for(state, table, key, extra)
    # 2. Effort: the base-4 logarithm of the nodes, at most 15.
    effort = ZERO
    while nodes > 3 and effort < _FOUR_BITS:
        nodes >>= 2
        effort += ONE
    # 3. Write, and make room when little is left.
    table[place] = key
    table[place + 1] = (
        state.generation
        | (types.uint64(lower + _BIAS) << _LOWER_SHIFT)
        | (types.uint64(upper + _BIAS) << _UPPER_SHIFT)
        | (move << _MOVE_SHIFT)
        | (effort << _EFFORT_SHIFT)
        | (extra << _EXTRA_SHIFT)
    )
    if (
        state.bucket_mask < state.last_mask
        and 8 * state.filled > types.int64(state.bucket_mask) * FULL_EIGHTHS
    ):
        grow(state, table)


# ---------------------------------------------------------------- bounds


@njit(types.boolean(GAME, types.uint64, types.uint64, types.uint64), cache=True)
def shares_window(game, cells, first, rest):
    """Whether these cells hold a window, together with a base of each pair: pairs are at most checked one by one."""
    if rest == ZERO or (rest & (rest - ONE)) != ZERO:
        return has_window(game, cells | first | rest)
    return has_window(game, cells | first) or has_window(game, cells | rest)


@njit(
    types.int64(GAME, types.uint64, types.uint64, types.uint64, types.uint64, types.int64, types.int64),
    cache=True,
)
def followed(game, own, opponent, mine, theirs, marks, beta):
    """An upper bound < beta on the value for the mover, who loses to (or draws against) the pairing; else 64.

    ``mine`` and ``theirs``: the completing cells of mover and follower. The pairing: each move is answered by
    the next cell above it; a move on the lowest cell (*base*) of a column with an odd number of empty cells by the
    base of its partner column, above which both go on as even columns. With no odd column, or an even number of
    them, the follower always has its answer, so at the end it holds *its* cells, the mover the others and of each
    two bases one. Where a column has an odd number of empty cells and the follower completes a line on one of
    those it gets by answering from the base on, the column needs no partner: it is *cut* there, for the game
    ends when that cell is reached. Even columns are cut in the same way.

    Normally (and with an exact goal, where a line is also a window) the mover has no win if its share holds no
    window; then a cut or a line in the follower's share is a win for the follower, at the latest when all
    other cells are full. In misère it is the follower's share that must hold no window, and the mover's in
    which a line is its loss. With an exact goal there are no cuts: the line might become an overline.
    """
    # 1. Odd columns: their landing cell lies an odd number of cells from above the top.
    if beta < 0 and theirs == ZERO and game.misere == 0:
        return _INFINITE
    occupied = own | opponent
    empty = game.board & ~occupied
    odd = landing(game, occupied) & game.claim
    odd_cells = ZERO
    if odd != ZERO:
        odd_cells = fill_up(game, odd, empty)
    follower_cells = (game.claim ^ odd_cells) & empty
    # 2. Cuts, what lies above them, and what the follower can hope for at best.
    cut = ZERO
    reached = empty
    paired = odd
    bound = 0
    if game.misere == 0 and game.exact_goal == 0:
        cut = theirs & follower_cells
    if cut != ZERO:
        above = fill_up(game, (cut << game.up) & empty, empty)
        cut &= ~above
        reached = empty & ~above & ~cut
        paired = odd & ~fill_down(game, cut, empty)
        bound = marks + types.int64(popcount(reached)) - types.int64(popcount(cut)) + 1 - game.cells
    elif beta <= 0:
        bound = -1 if game.misere == 0 else -2
    if bound >= beta or (popcount(paired) & ONE) != ZERO:
        return _INFINITE
    # 3. Odd columns that are paired: above the base the follower gets the cells an even column would give it.
    if paired != ZERO:
        follower_cells ^= odd_cells if paired == odd else fill_up(game, paired, empty)
        follower_cells &= ~paired
    mover_cells = reached & ~follower_cells & ~paired
    follower_cells &= reached
    # 4. Who must not get a line gets none. A completing cell in the share is a window; that is quickly seen.
    first = lowest_bit(paired)
    rest = paired ^ first
    if game.misere == 0:
        if (mine & mover_cells) != ZERO or shares_window(game, own | mover_cells, first, rest):
            return _INFINITE
    elif (theirs & follower_cells) != ZERO or shares_window(game, opponent | follower_cells, first, rest):
        return _INFINITE
    # 5. Who must get a line for more than a draw gets one, with or without the bases. In misère the mover makes
    # the last move but one at the latest. With an exact goal a base might make the line too long.
    if bound < 0 and cut == ZERO:
        if paired != ZERO and game.exact_goal != 0:
            return _INFINITE
        winner = opponent | follower_cells if game.misere == 0 else own | mover_cells
        if not has_line(game, winner):
            return _INFINITE
    return bound


# ---------------------------------------------------------------- what both searches do


@njit(types.uint64(GAME, STATE, TABLE, types.uint64, types.uint64, types.uint64), cache=True)
def probe(game, state, table, own, occupied, key):
    """The facts stored for a position whose plain key this is, the move turned as the position is; 0 for none."""
    shared = shared_key(game, state, key)
    place = find(state, table, shared, extra_key(game, occupied))
    if place < 0:
        return ZERO
    facts = table[place + 1]
    move = (facts >> _MOVE_SHIFT) & _SIX_BITS
    if shared != key and move != _SIX_BITS:
        facts ^= (move ^ lowest_index(mirror(game, ONE << move))) << _MOVE_SHIFT
    return facts


@njit(
    types.void(
        GAME, STATE, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.uint64, types.int64
    ),
    cache=True,
)
def remember(game, state, table, key, occupied, lower, upper, move, nodes):
    """Store bounds and best move (a bit index; 63 for none) of a position whose plain key this is."""
    shared = shared_key(game, state, key)
    if shared != key and move != _SIX_BITS:
        move = lowest_index(mirror(game, ONE << move))
    store(state, table, shared, extra_key(game, occupied), lower, upper, move, nodes)


@njit(types.void(STATE, types.int64, types.int64, types.uint64, types.uint64, types.int64), cache=True)
def insert(state, marks, count, move, threats, weight):
    """Add a move to the list of ``count`` moves of a ply, which is kept in order of falling weight."""
    i = count
    while i > 0 and state.weight[marks, i - 1] < weight:
        state.weight[marks, i] = state.weight[marks, i - 1]
        state.move[marks, i] = state.move[marks, i - 1]
        state.threat[marks, i] = state.threat[marks, i - 1]
        i -= 1
    state.weight[marks, i] = weight
    state.move[marks, i] = move
    state.threat[marks, i] = threats


@njit(
    types.int64(
        GAME, STATE, TABLE, types.uint64, types.uint64, types.uint64, types.int64, types.int64, types.int64
    ),
    cache=True,
)
def known_child(game, state, table, own, opponent, theirs, count, marks, beta):
    """A bound >= beta that follow-up or the table gives one of the listed moves, without search; else -64."""
    occupied = own | opponent
    if (game.off & OFF_FOLLOW_UP) == 0:
        for i in range(count):
            move = state.move[marks, i]
            threats = state.threat[marks, i]
            bound = -followed(game, opponent, own | move, theirs & ~move, threats, marks + 1, 1 - beta)
            if bound >= beta:
                state.root_move = move
                return bound
    if (game.off & OFF_TABLE_CUTOFF) == 0 and game.cells - marks >= CUTOFF_EMPTIES and count > 1:
        for i in range(count):
            move = state.move[marks, i]
            key = shared_key(game, state, plain_key(game, opponent, occupied | move))
            place = find(state, table, key, extra_key(game, occupied | move))
            if place >= 0:
                bound = -stored_upper(table[place + 1])
                if bound >= beta:
                    state.root_move = move
                    return bound
    return -_INFINITE


# ---------------------------------------------------------------- a completed line wins

_SEARCH = types.int64(
    GAME, STATE, CONTROL, TABLE, types.uint64, types.uint64, types.uint64, types.uint64, types.int64
)


@njit(_SEARCH, cache=True)
def search(game, state, control, table, own, opponent, mine, theirs, beta):
    """Whether the value is at least beta, fail-soft; not in misère.

    ``mine`` and ``theirs`` are the completing cells of mover and follower. Required: the mover cannot
    complete a line at once (mine & landing = 0), there is an empty cell, and ``followed`` was asked.
    """
    # 1. Budget.
    if not may_visit(control):
        return 0
    # 2. Moves: block a line, never play below a cell that completes one. No such move: lost in two plies.
    occupied = own | opponent
    empty = game.board & ~occupied
    reach = landing(game, occupied)
    marks = types.int64(popcount(occupied))
    empties = game.cells - marks
    moves = reach
    forced = reach & theirs
    if forced != ZERO:
        if (forced & (forced - ONE)) != ZERO:
            return 1 - empties
        moves = forced
    moves &= ~(theirs >> game.up)
    if moves == ZERO:
        return 1 - empties
    # Any of these moves attains the bounds of the next two steps.
    state.root_move = lowest_bit(moves)
    if empties <= 2:
        return 0
    # 3. Distance and lines left: a win takes three plies or more, a loss four.
    lower = 3 - empties
    upper = empties - 2
    if (game.off & OFF_LINES_LEFT) == 0:
        if beta > 0:
            if mine == ZERO and not can_line(game, own, empty):
                upper = 0
        elif lower < 0 and theirs == ZERO and not can_line(game, opponent, empty):
            lower = 0
    if upper < beta:
        return upper
    if lower >= beta:
        return lower
    # 4. The table; a position with one move goes on to the next at once.
    keep = empties >= TABLE_EMPTIES and (moves & (moves - ONE)) != ZERO
    key = ZERO
    best_move = _SIX_BITS
    known = ZERO
    if keep:
        key = plain_key(game, own, occupied)
        facts = probe(game, state, table, own, occupied, key)
        if facts != ZERO:
            lower = max(lower, stored_lower(facts))
            upper = min(upper, stored_upper(facts))
            best_move = (facts >> _MOVE_SHIFT) & _SIX_BITS
            if best_move != _SIX_BITS:
                known = ONE << best_move
                state.root_move = known
            if lower >= beta:
                return lower
            if upper < beta:
                return upper
    # 5. Each move's new completing cells; two that cannot both be met win in three plies.
    count = 0
    rest = moves
    while rest != ZERO:
        move = lowest_bit(rest)
        rest ^= move
        threats = completing(game, own | move, empty ^ move)
        landings = (reach ^ move) | (move << game.up)
        if (game.off & OFF_TWO_THREATS) == 0:
            now = threats & landings
            if (now & (now - ONE)) != ZERO or ((now << game.up) & threats) != ZERO:
                state.root_move = move
                return empties - 2
        weight = _KNOWN_WEIGHT
        if move != known:
            weight = types.int64(2 * popcount(threats) + popcount(threats & reach))
            weight = weight * MAX_BITS - game.rank[types.int64(lowest_index(move))]
        insert(state, marks, count, move, threats, weight)
        count += 1
    # 6. A child known to be good enough without search.
    best = known_child(game, state, table, own, opponent, theirs, count, marks, beta)
    if best >= beta:
        return best
    # 7. Search.
    start = control.nodes
    for i in range(count):
        move = state.move[marks, i]
        threats = state.threat[marks, i]
        value = -search(game, state, control, table, opponent, own | move, theirs & ~move, threats, 1 - beta)
        if control.reason != RUNNING:
            return 0
        best = max(best, value)
        if best >= beta:
            best_move = lowest_index(move)
            state.root_move = move
            break
    # 8. Remember.
    if keep and control.nodes - start >= STORE_NODES:
        if best >= beta:
            remember(game, state, table, key, occupied, best, upper, best_move, control.nodes - start)
        else:
            remember(game, state, table, key, occupied, lower, best, best_move, control.nodes - start)
    return best


# ---------------------------------------------------------------- misère: a completed line loses


@njit(_SEARCH, cache=True)
def misere_search(game, state, control, table, own, opponent, mine, theirs, beta):
    """Whether the value is at least beta, fail-soft; in misère. ``mine`` and ``theirs`` as in ``search``."""
    # 1. Budget.
    if not may_visit(control):
        return 0
    # 2. Moves that complete no line; none left: lost in one ply, or drawn if the board is full.
    occupied = own | opponent
    empty = game.board & ~occupied
    reach = landing(game, occupied)
    marks = types.int64(popcount(occupied))
    empties = game.cells - marks
    if empty == ZERO:
        return 0
    moves = reach & ~mine
    if moves == ZERO:
        return -empties
    # Any of these moves attains the lower bounds of the next step.
    state.root_move = lowest_bit(moves)
    # 3. Distance and lines left: a win takes two plies or more, a loss three; who gets no line cannot lose.
    lower = min(2 - empties, 0)
    upper = empties - 1
    if (game.off & OFF_LINES_LEFT) == 0:
        if beta > 0:
            if theirs == ZERO and not can_line(game, opponent, empty):
                upper = 0
        elif mine == ZERO and not can_line(game, own, empty):
            lower = 0
    if upper < beta:
        return upper
    if lower >= beta:
        return lower
    # 4. The table.
    keep = empties >= TABLE_EMPTIES and (moves & (moves - ONE)) != ZERO
    key = ZERO
    best_move = _SIX_BITS
    known = ZERO
    if keep:
        key = plain_key(game, own, occupied)
        facts = probe(game, state, table, own, occupied, key)
        if facts != ZERO:
            lower = max(lower, stored_lower(facts))
            upper = min(upper, stored_upper(facts))
            best_move = (facts >> _MOVE_SHIFT) & _SIX_BITS
            if best_move != _SIX_BITS:
                known = ONE << best_move
                state.root_move = known
            if lower >= beta:
                return lower
            if upper < beta:
                return upper
    # 5. Order: leave the opponent few safe moves, make few cells unsafe for oneself. None safe: won in two plies.
    count = 0
    rest = moves
    while rest != ZERO:
        move = lowest_bit(rest)
        rest ^= move
        safe = ((reach ^ move) | ((move << game.up) & game.board)) & ~theirs
        if safe == ZERO and empties > 1:
            state.root_move = move
            return empties - 1
        unsafe = completing(game, own | move, empty ^ move)
        weight = _KNOWN_WEIGHT
        if move != known:
            weight = -types.int64(2 * popcount(unsafe) + popcount(safe))
            weight = weight * MAX_BITS - game.rank[types.int64(lowest_index(move))]
        insert(state, marks, count, move, unsafe, weight)
        count += 1
    # 6. A child known to be good enough without search.
    best = known_child(game, state, table, own, opponent, theirs, count, marks, beta)
    if best >= beta:
        return best
    # 7. Search.
    start = control.nodes
    for i in range(count):
        move = state.move[marks, i]
        unsafe = state.threat[marks, i]
        value = -misere_search(
            game, state, control, table, opponent, own | move, theirs & ~move, unsafe, 1 - beta
        )
        if control.reason != RUNNING:
            return 0
        best = max(best, value)
        if best >= beta:
            best_move = lowest_index(move)
            state.root_move = move
            break
    # 8. Remember.
    if keep and control.nodes - start >= STORE_NODES:
        if best >= beta:
            remember(game, state, table, key, occupied, best, upper, best_move, control.nodes - start)
        else:
            remember(game, state, table, key, occupied, lower, best, best_move, control.nodes - start)
    return best


# ---------------------------------------------------------------- the whole answer


@njit(types.int64(GAME, STATE, CONTROL, TABLE, types.uint64, types.uint64, types.int64), cache=True)
def at_least(game, state, control, table, own, opponent, beta):
    """Whether the value of any ongoing position is at least beta, fail-soft, counted from the start of the game."""
    occupied = own | opponent
    empty = game.board & ~occupied
    marks = types.int64(popcount(occupied))
    mine = completing(game, own, empty)
    theirs = completing(game, opponent, empty)
    winning = mine & landing(game, occupied)
    if game.misere == 0 and winning != ZERO:
        state.root_move = lowest_bit(winning)
        return game.cells - marks
    if (game.off & OFF_FOLLOW_UP) == 0 and empty != ZERO:
        bound = followed(game, own, opponent, mine, theirs, marks, beta)
        if bound < beta:
            return bound
    if game.misere != 0:
        return misere_search(game, state, control, table, own, opponent, mine, theirs, beta)
    return search(game, state, control, table, own, opponent, mine, theirs, beta)


@njit(
    types.int64(GAME, STATE, CONTROL, TABLE, types.uint64, types.uint64, types.uint64, types.int64),
    cache=True,
)
def move_at_least(game, state, control, table, own, opponent, move, beta):
    """As ``at_least`` for the position's value if the mover makes this legal move."""
    empty = game.board & ~(own | opponent)
    if (completing(game, own, empty) & move) != ZERO:
        empties = types.int64(popcount(empty))
        return -empties if game.misere != 0 else empties
    if empty == move:
        return 0
    return -at_least(game, state, control, table, opponent, own | move, 1 - beta)


@njit(types.int64(types.int64, types.int64), cache=True)
def outward(value, marks):
    """A value counted from the start of the game as one counted from a position with so many marks."""
    if value > 0:
        return value + marks
    if value < 0:
        return value - marks
    return 0


@njit(types.void(GAME, STATE, TABLE, types.uint64, types.uint64), cache=True)
def prepare(game, state, table, own, opponent):
    """Begin with a small part of the table, and see whether mirror images can both come up in this search."""
    state.last_mask = types.uint64(len(table) // BUCKET_WORDS - 1)
    state.bucket_mask = min(state.last_mask, types.uint64(FIRST_BUCKETS - 1))
    state.filled = 0
    state.symmetric = 0
    conflict = (own & mirror(game, opponent)) != ZERO
    if not conflict and game.by_rows == 0 and (game.off & OFF_SYMMETRY) == 0:
        state.symmetric = 1


@njit(types.void(GAME, RESULT, types.int64, types.int64, types.int64), cache=True)
def note(game, result, marks, lower, upper):
    """Write bounds into the result."""
    result.lower = outward(lower, marks)
    result.upper = outward(upper, marks)
    result.proven = 1 if lower == upper else 0
    result.value = result.lower if lower == upper else 0


@njit(types.int64(types.int64, types.int64), cache=True)
def next_beta(lower, upper):
    """The next question, lower < beta <= upper, while lower < upper.

    Quick ends first, for they are seen by shallow searches; then loss or not, win or not; then, with the side
    that wins known, the distance: halving while the interval is wide, else the nearest to the draw.
    """
    if lower < 0 < upper:
        if lower < -NEAR and -lower >= upper:
            return min(-NEAR, lower // 2) + 1
        if upper > NEAR:
            return max(NEAR, upper // 2) + 1
        if lower < -NEAR:
            return min(-NEAR, lower // 2) + 1
    if lower < 0 <= upper:
        return 0
    if lower == 0:
        return 1
    if upper - lower > NEAR:
        return lower + (upper - lower) // 2
    return lower + 1 if lower > 0 else upper


@njit(types.int64(GAME, STATE, CONTROL, TABLE, types.uint64, types.uint64, types.int64), cache=True)
def first_best(game, state, control, table, own, opponent, value):
    """The first move in the game's order that attains this value of the position, as a bit index, or -1."""
    reach = landing(game, own | opponent)
    for i in range(game.cells):
        place = game.order[i]
        move = bit(place)
        if (reach & move) == ZERO:
            continue
        found = move_at_least(game, state, control, table, own, opponent, move, value)
        if control.reason != RUNNING:
            return _NONE
        if found >= value:
            return place
    return _NONE


@njit(types.void(GAME, STATE, CONTROL, TABLE, types.uint64, types.uint64, RESULT), cache=True)
def find_value(game, state, control, table, own, opponent, result):
    """Narrow the bounds on the value until they meet or the budget ends; ``result.move`` attains the lower one."""
    marks = types.int64(popcount(own | opponent))
    empties = game.cells - marks
    lower = -empties
    upper = empties
    note(game, result, marks, lower, upper)
    while lower < upper:
        beta = next_beta(lower, upper)
        state.root_move = ZERO
        value = at_least(game, state, control, table, own, opponent, beta)
        if control.reason != RUNNING:
            return
        if value >= beta:
            lower = value
            if state.root_move != ZERO:
                result.move = types.int64(lowest_index(state.root_move))
        else:
            upper = value
        note(game, result, marks, lower, upper)


@njit(types.void(GAME, STATE, CONTROL, TABLE, types.uint64, types.uint64, RESULT), cache=True)
def find_line(game, state, control, table, own, opponent, result):
    """Go on from ``result.move``, each time by the first best move, while LINE_NODES last."""
    marks = types.int64(popcount(own | opponent))
    value = result.value
    if value != 0:
        value = value - marks if value > 0 else value + marks
    node_limit = control.node_limit
    control.node_limit = min(node_limit, control.nodes + LINE_NODES)
    result.moves = 0
    place = result.move
    while place >= 0:
        move = bit(place)
        result.line[result.moves] = place
        result.moves += 1
        empty = game.board & ~(own | opponent)
        if empty == move or (completing(game, own, empty) & move) != ZERO:
            break
        own, opponent = opponent, own | move
        value = -value
        place = first_best(game, state, control, table, own, opponent, value)
    control.node_limit = node_limit


@njit(types.void(GAME, STATE, types.uint64, types.uint64, CONTROL, TABLE, RESULT), cache=True, nogil=True)
def solve(game, state, own, opponent, control, table, result):
    """Prove the value of an ongoing position, the first move in the game's order that attains it, and a best line.

    Required: ``state.generation`` is from 1 to LAST_GENERATION and has not been used with this table since it
    was cleared; the table has BUCKET_WORDS times a power of two words. Where the budget ends before the proof,
    ``lower <= value <= upper`` still holds and ``move`` is a legal move that attains ``lower``. Where it ends
    in the choice among equal moves the value is proven all the same, and the move one that the proof found.
    """
    prepare(game, state, table, own, opponent)
    reach = landing(game, own | opponent)
    result.moves = 0
    for i in range(game.cells - 1, -1, -1):
        if (bit(game.order[i]) & reach) != ZERO:
            result.move = game.order[i]
    find_value(game, state, control, table, own, opponent, result)
    if result.proven == 0:
        return
    marks = types.int64(popcount(own | opponent))
    value = result.value
    if value != 0:
        value = value - marks if value > 0 else value + marks
    place = first_best(game, state, control, table, own, opponent, value)
    if place >= 0:
        result.move = place
        find_line(game, state, control, table, own, opponent, result)
    else:
        result.line[0] = result.move
        result.moves = 1


@njit(types.int64(GAME, STATE, types.uint64, types.uint64, CONTROL, TABLE, RESULT), cache=True, nogil=True)
def solve_moves(game, state, own, opponent, control, table, result):
    """Write the exact value of every legal move into ``result.move_value``, by bit; returns how many are known.

    In the game's order; the values are those of the position for the mover if it makes that move. When the
    budget ends, the first so many legal moves of the order have their value. Requirements as for ``solve``;
    the other fields of the result are void.
    """
    prepare(game, state, table, own, opponent)
    reach = landing(game, own | opponent)
    marks = types.int64(popcount(own | opponent))
    known = 0
    for i in range(game.cells):
        place = game.order[i]
        move = bit(place)
        if (reach & move) == ZERO:
            continue
        lower = marks - game.cells
        upper = game.cells - marks
        while lower < upper:
            beta = next_beta(lower, upper)
            value = move_at_least(game, state, control, table, own, opponent, move, beta)
            if control.reason != RUNNING:
                return known
            if value >= beta:
                lower = value
            else:
                upper = value
        result.move_value[place] = outward(lower, marks)
        known += 1
    return known
