# mypy: ignore-errors
"""The exact solver for plain boards with gravity that fit one 64-bit word, also in misere and with an exact goal.

A *position* is two disjoint bitboards: own marks (of the side to move, the *mover*) and the opponent's (the
*follower*). Nobody has completed a line yet. Values count from the start of the game (``kernel_root``).

Every search has a null window: *is the value at least beta?* ``search`` (a completed line wins) and
``misere_search`` (it loses) return a fail-soft bound,

    value >= beta  =>  beta <= answer <= value        value < beta  =>  value <= answer < beta

and ``narrow`` repeats such searches until the bounds meet. Each of the following bounds is sound and has a switch
(``OFF_...``):

- **Lines left** (every rule). A side that could not complete a line even with all empty cells never completes one:
  normally it cannot win, in misere it cannot lose.
- **Follow-up** (``follow_up_bound``; every rule), computed for every child before any is searched. If the columns
  with an odd number of empty cells can be paired, the follower can answer each move in the column it was made in;
  a move on the lowest cell of an odd column it answers on the lowest cell of the partner column. So it gets every
  second cell, and the mover can only complete lines that lie in the cells left to it. These are the
  claimeven and baseinverse rules of Allis (A Knowledge-based Approach of Connect-Four, 1988), extended by *cuts*:
  where an answer would complete the follower's line, the cells above are never reached.
- **Two threats** (normal and exact goal). A move wins in three plies if the mover then threatens to complete a line
  on two playable cells, or on a playable cell and the one above it.
- **Table cutoffs** (every rule). A child is not searched when its table entry decides the search
  (``child_cutoff``: enhanced transposition cutoff).

A table entry holds the whole key, so its bounds are certain, even if several threads share the table (``find``).
Threads tell each other what they search (``enter``), which changes only the order of moves.
"""

import numba
import numpy as np
from numba import boolean, int64, uint64, void

from kinarow.game.kernel_geometry import BOARD
from kinarow.kernels.constants import special_case
from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.common.kernel_bitboard import (
    GAME,
    can_line,
    completing_cells,
    covered,
    fill_down,
    fill_up,
    has_line,
    has_span,
    landing,
    mirror,
    set_bitboard,
    spans,
)
from kinarow.solvers.common.kernel_bits import ONE, TWO, ZERO, lowest_bit, lowest_index, mix, popcount
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_memory import load, prefetch
from kinarow.solvers.common.kernel_memory import store as store_word
from kinarow.solvers.common.kernel_proof_table import TABLE
from kinarow.solvers.common.kernel_root import (
    RESULT,
    Search,
    count_from_position,
    from_start,
    make_solve,
    make_value_positions,
    swapped,
)
from kinarow.solvers.gravity.layout import (
    BUCKET_WORDS,
    ENTRY_WORDS,
    LAST_GENERATION,
    MAX_PLIES,
    MOST_THREADS,
    PATHS_WORDS,
    STATE_DTYPE,
)

OFF_LINES_LEFT = 1
OFF_FOLLOW_UP = 2
OFF_TWO_THREATS = 4
OFF_TABLE_CUTOFF = 8
OFF_SYMMETRY = 16
ALL_SWITCHES = 31

# A position gets a table entry if it has at least this number of empty cells, and its search took this number of nodes
# (measured).
TABLE_EMPTIES = 6
STORE_NODES = 4
# From this number of empty cells on, the entries of the children are probed before any child is searched (measured).
CUTOFF_EMPTIES = 12
# A table of at least this number of buckets (a megabyte) does not fit the processor's cache. A node with at least
# ``PREFETCH_EMPTIES`` empty cells then prefetches the buckets of all children (measured).
PREFETCH_BUCKETS = 1 << 14
PREFETCH_EMPTIES = 7
# All threads at a position search its first moves, this many, because those often decide it (measured).
JOINED_MOVES = 2
# ``next_test_value`` first tests values further from the draw than this: quick wins are cheap to find (measured).
NEAR = 14
# A search begins with this many buckets, which fit the processor's cache. It doubles them when they are seven eighths
# full: 28 eighths of an entry a bucket of four entries.
FIRST_BUCKETS = 256
FULL_EIGHTHS = 28

_GENERATION = np.uint64(LAST_GENERATION)
_LOWER_SHIFT = np.uint64(9)
_UPPER_SHIFT = np.uint64(16)
_MOVE_SHIFT = np.uint64(23)
_NODE_COUNT_LOG_SHIFT = np.uint64(29)
_CHECK_SHIFT = np.uint64(33)
_STAMP = np.uint64((1 << 64) - (1 << 33) + LAST_GENERATION)
_SEVEN_BITS = np.uint64(127)
NO_MOVE = np.uint64(63)  # no cell has this bit
_MOVE_BITS = NO_MOVE
_FOUR_BITS = np.uint64(15)
_BIAS = 64
_BUCKET = np.uint64(BUCKET_WORDS)
_PREFETCH_MASK = np.uint64(PREFETCH_BUCKETS - 1)
_SIGNALS = MAX_PLIES - 1
_DECIDED = 4  # ``budget.reason`` while the search unwinds to a position that another thread has decided
_NONE = -1
_WINNING_MOVE = -1
_TABLE_MOVE_WEIGHT = 1 << 20  # the move of a table entry comes first
_INFINITE = 64  # above every value

STATE = numba.from_dtype(STATE_DTYPE)

# The form of most games with gravity: compiled for it, the search takes an eighth less time (measured).
is_four_in_a_row, as_four_in_a_row = special_case(
    GAME, {"goal": 4, "misere": 0, "exact_goal": 0, "off": 0, "directions": 4, "by_rows": 0, "up": 1}
)


# ---------------------------------------------------------------- keys and the table


@part(int64(uint64))
def stored_lower(facts):
    """Return the lower bound of an entry."""
    return int64((facts >> _LOWER_SHIFT) & _SEVEN_BITS) - _BIAS


@part(int64(uint64))
def stored_upper(facts):
    """Return the upper bound of an entry."""
    return int64((facts >> _UPPER_SHIFT) & _SEVEN_BITS) - _BIAS


@part(uint64(GAME, uint64, uint64))
def plain_key(game, own, occupied):
    """Return the key of a position: own marks, and a bit on the landing cell of each column.

    In the layout by columns each column has a spare bit above it, which is the landing cell of a full column. So the
    highest bit of a column is its landing cell, and the key is unique. The layout by rows has no spare bits: there
    ``extra_key`` names the full columns.
    """
    above = ((occupied << game.up) | game.bottom) & ~occupied
    if game.by_rows != 0:
        above &= game.board
    return own | above


@part(uint64(GAME, uint64))
def extra_key(game, occupied):
    """Return a bit for each full column in the layout by rows; 0 in the layout by columns."""
    if game.by_rows != 0:
        return (occupied & game.board) >> (uint64(game.rows - 1) * game.up)
    return ZERO


@part(uint64(GAME, STATE, uint64))
def shared_key(game, state, key):
    """Return the key under which a position and its mirror image share an entry; ``key`` if only one can occur."""
    if state.symmetric == 0:
        return key
    return min(key, mirror(game, key))


@part(uint64(STATE, uint64, uint64, uint64))
def stamp_of(state, key, extra, hashed):
    """Return the ``_STAMP`` bits of a position's facts: the generation, and a hash."""
    check = hashed if extra == ZERO else mix(key)
    return state.generation | (((check >> _CHECK_SHIFT) ^ extra) << _CHECK_SHIFT)


@part(uint64(STATE, TABLE, uint64, uint64))
def find(state, table, key, extra):
    """Return the facts of the entry with this key and the present generation, or 0.

    Another thread may write between the two loads. The first word is the key xor a hash of the second, so words of
    two different entries don't match.
    """
    hashed = mix(key + extra)
    stamp = stamp_of(state, key, extra, hashed)
    base = int64((hashed & state.bucket_mask) * _BUCKET)
    for i in range(base, base + BUCKET_WORDS, ENTRY_WORDS):
        facts = load(table, i + 1)
        if (facts & _STAMP) == stamp and load(table, i) ^ mix(facts) == key:
            return facts
    return ZERO


@part(void(STATE, TABLE))
def grow(state, table):
    """Double the part of the table in use: each entry stays or moves up by the old size."""
    old = int64(state.bucket_mask + ONE) * BUCKET_WORDS
    state.bucket_mask = state.bucket_mask + state.bucket_mask + ONE
    for i in range(0, old, ENTRY_WORDS):
        facts = table[i + 1]
        if (facts & _GENERATION) == state.generation:
            key = table[i] ^ mix(facts)
            extra = (mix(key) ^ facts) >> _CHECK_SHIFT
            base = int64((mix(key + extra) & state.bucket_mask) * _BUCKET)
            if base >= old:
                table[i + old] = table[i]
                table[i + old + 1] = facts
                table[i + 1] = ZERO


@part(int64(STATE, TABLE, uint64, uint64))
def slot_for(state, table, key, extra):
    """Return the index of the entry to replace: a stale one in the bucket, else the one that took fewest nodes."""
    base = int64((mix(key + extra) & state.bucket_mask) * _BUCKET)
    place = base
    least = _FOUR_BITS
    for i in range(base, base + BUCKET_WORDS, ENTRY_WORDS):
        facts = load(table, i + 1)
        if (facts & _GENERATION) != state.generation:
            state.filled += 1
            return i
        node_count_log = (facts >> _NODE_COUNT_LOG_SHIFT) & _FOUR_BITS
        if node_count_log < least:
            least = node_count_log
            place = i
    return place


@part(int64(STATE, TABLE, uint64, uint64, uint64))
def place_of(state, table, key, extra, facts):
    """Return the index of the entry with this key and these facts; ``_NONE`` if another thread has replaced it."""
    base = int64((mix(key + extra) & state.bucket_mask) * _BUCKET)
    word = key ^ mix(facts)
    for i in range(base, base + BUCKET_WORDS, ENTRY_WORDS):
        if load(table, i) == word and load(table, i + 1) == facts:
            return i
    return _NONE


@part(void(STATE, TABLE, uint64, uint64, int64, int64, uint64, int64))
def store(state, table, key, extra, lower, upper, move, nodes):
    """Store lower <= value <= upper and the best move (a bit index or ``NO_MOVE``); narrow an entry of the same key."""
    # 1. Find the slot.
    facts = find(state, table, key, extra)
    place = int64(_NONE)
    if facts != ZERO:
        lower = max(lower, stored_lower(facts))
        upper = min(upper, stored_upper(facts))
        place = place_of(state, table, key, extra, facts)
    if place < 0:
        place = slot_for(state, table, key, extra)
    # 2. Take the base-4 logarithm of the node count, at most 15.
    node_count_log = ZERO
    while nodes > 3 and node_count_log < _FOUR_BITS:
        nodes >>= 2
        node_count_log += ONE
    # 3. Write, and grow when the buckets are nearly full.
    facts = (
        stamp_of(state, key, extra, mix(key + extra))
        | (uint64(lower + _BIAS) << _LOWER_SHIFT)
        | (uint64(upper + _BIAS) << _UPPER_SHIFT)
        | (move << _MOVE_SHIFT)
        | (node_count_log << _NODE_COUNT_LOG_SHIFT)
    )
    store_word(table, place, key ^ mix(facts))
    store_word(table, place + 1, facts)
    if state.bucket_mask < state.last_mask and 8 * state.filled > int64(state.bucket_mask) * FULL_EIGHTHS:
        if state.watched == _INFINITE:
            grow(state, table)


# ---------------------------------------------------------------- bounds


@part(boolean(GAME, *(uint64,) * 3))
def may_complete(game, cells, others, empty):
    """Return True if a side that gets ``cells`` may complete a span before the side that gets ``others``.

    When a span is complete, all cells below it are filled too. If these hold a span of the other side, that one was
    completed earlier.
    """
    for i in range(game.directions):
        stride = game.stride[i]
        left = spans(game, stride, cells)
        while left != ZERO:
            span = covered(game, stride, lowest_bit(left))
            filled = ~empty | fill_down(game, span & empty, empty)
            if not has_span(game, others & filled):
                return True
            left &= left - ONE
    return False


@part(boolean(GAME, *(uint64,) * 5))
def either_may_complete(game, cells, some, more, others, empty):
    """Return True if the side may complete a span with the bases ``some``, or with the bases ``more``."""
    return may_complete(game, cells | some, others, empty) or may_complete(game, cells | more, others, empty)


@part(boolean(GAME, *(uint64,) * 4))
def may_hold_span(game, cells, bases, others, empty):
    """Return True if, however the bases are paired, a side with ``cells`` and a base of each pair may have a span.

    With more than four bases True is a guess on the safe side.
    """
    # 1. Test the cells alone, and with all bases.
    if not has_span(game, cells | bases):
        return False
    if may_complete(game, cells, others, empty):
        return True
    if bases == ZERO or not may_complete(game, cells | bases, others, empty):
        return False
    # 2. With two bases the side gets one or the other.
    first = lowest_bit(bases)
    second = lowest_bit(bases ^ first)
    third = lowest_bit(bases ^ first ^ second)
    fourth = bases ^ first ^ second ^ third
    if third == ZERO:
        return either_may_complete(game, cells, first, second, others, empty)
    if (fourth & (fourth - ONE)) != ZERO:
        return True
    # 3. Four bases can be paired in three ways. The side gets one base of each pair, so two bases that are partners in
    # another way. A pairing is safe if no such two give a span: none is safe if partners of two ways do.
    aside = either_may_complete(game, cells, first | third, second | fourth, others, empty)
    across = either_may_complete(game, cells, first | fourth, second | third, others, empty)
    if aside == across:
        return aside
    return either_may_complete(game, cells, first | second, third | fourth, others, empty)


@part(int64(GAME, uint64, uint64, uint64, uint64, int64, int64))
def follow_up_bound(game, own, opponent, mine, theirs, marks, beta):
    """Return an upper bound < beta on the value, by the opponent's follow-up strategy, or ``_INFINITE``.

    ``mine`` and ``theirs``: the cells on which mover and follower would complete a line. The follow-up strategy: the
    follower answers each move on the next cell above it. A move on the lowest empty cell (*base*) of a column with an
    odd number of empty cells is answered on the base of a partner column; above the bases both continue as even
    columns. If the number of odd columns is even, the follower always has an answer. At the end each side holds one of
    two partner bases, and every other empty cell belongs to a side known beforehand: *its cells*. A column is *cut*
    where the follower's answer would complete a line, because the game ends there. An odd column with a cut needs no
    partner.

    Normally (and with an exact goal, where a line is also a span) the mover has no win if its cells hold no span.
    Then a cut, or a line in the follower's cells, wins for the follower, at the latest when all other cells are full.
    In misere the follower's cells must hold no span, and a line in the mover's cells loses for the mover. With an
    exact goal there are no cuts, because the line might become an overline. A span in the wrong cells does no harm if
    the other side completes one of its own before (``may_complete``), but not with an exact goal.
    """
    # 1. Find the odd columns: their landing cell is one of the ``claim`` cells.
    if beta < 0 and theirs == ZERO and game.misere == 0:
        return _INFINITE
    occupied = own | opponent
    empty = game.board & ~occupied
    odd = landing(game, occupied) & game.claim
    odd_cells = ZERO
    if odd != ZERO:
        odd_cells = fill_up(game, odd, empty)
    follower_cells = (game.claim ^ odd_cells) & empty
    # 2. Find the cuts, the cells above them, and the best bound that the strategy can give.
    cut = ZERO
    reached = empty
    paired = odd
    bound = 0
    if game.misere == 0 and game.exact_goal == 0:
        cut = theirs & follower_cells
    if cut != ZERO:
        above = fill_up(game, (cut << game.up) & empty, empty)
        cut &= ~above
        paired = odd & ~fill_down(game, cut, empty)
        if (popcount(paired) & ONE) != ZERO:
            # One cut column fewer leaves the others a partner.
            column = fill_up(game, fill_down(game, lowest_bit(cut & odd_cells), empty), empty)
            cut &= ~column
            above &= ~column
            paired |= odd & column
        reached = empty & ~above & ~cut
    if cut != ZERO:
        bound = marks + int64(popcount(reached)) - int64(popcount(cut)) + 1 - game.cells
    elif beta <= 0:
        bound = -1 if game.misere == 0 else -2
    if bound >= beta or (popcount(paired) & ONE) != ZERO:
        return _INFINITE
    # 3. In paired odd columns the follower gets, above the base, the cells that an even column would give it.
    if paired != ZERO:
        follower_cells ^= odd_cells if paired == odd else fill_up(game, paired, empty)
        follower_cells &= ~paired
    mover_cells = reached & ~follower_cells & ~paired
    follower_cells &= reached
    # 4. Check that the side which must complete no line has no span. First the cheap test: does it get a cell that
    # completes a line?
    movers = own | mover_cells
    followers = opponent | follower_cells
    if game.misere == 0:
        others = followers if game.exact_goal == 0 else ZERO
        if (mine & mover_cells) != ZERO or may_hold_span(game, movers, paired, others, empty):
            return _INFINITE
    else:
        others = movers if game.exact_goal == 0 else ZERO
        if (theirs & follower_cells) != ZERO or may_hold_span(game, followers, paired, others, empty):
            return _INFINITE
    # 5. A bound below the draw needs a line of the side that must complete one: by a cut, or here without any base. In
    # misere the mover then completes it with the last move but one at the latest. With an exact goal a base might
    # make the line too long.
    if bound < 0 and cut == ZERO:
        if paired != ZERO and game.exact_goal != 0:
            return _INFINITE
        if not has_line(game, followers if game.misere == 0 else movers):
            return _INFINITE
    return bound


# ---------------------------------------------------------------- steps of both searches


@part(uint64(GAME, STATE, TABLE, uint64, uint64))
def probe(game, state, table, occupied, key):
    """Return the facts stored for this plain key, or 0; the move is that of the position, not of its mirror image."""
    shared = shared_key(game, state, key)
    facts = find(state, table, shared, extra_key(game, occupied))
    if facts == ZERO:
        return ZERO
    move = (facts >> _MOVE_SHIFT) & _MOVE_BITS
    if shared != key and move != NO_MOVE:
        facts ^= (move ^ lowest_index(mirror(game, ONE << move))) << _MOVE_SHIFT
    return facts


@part(void(GAME, STATE, TABLE, uint64, uint64, int64, int64, uint64, int64))
def remember(game, state, table, key, occupied, lower, upper, move, nodes):
    """Store bounds and best move (a bit index or ``NO_MOVE``) of the position with this plain key."""
    shared = shared_key(game, state, key)
    if shared != key and move != NO_MOVE:
        move = lowest_index(mirror(game, ONE << move))
    store(state, table, shared, extra_key(game, occupied), lower, upper, move, nodes)


@inlined
def narrow_by_entry(game, state, table, occupied, key, lower, upper):
    """Return ``(lower, upper, best_move)`` narrowed by the position's table entry; ``NO_MOVE``: none."""
    best_move = NO_MOVE
    facts = probe(game, state, table, occupied, key)
    if facts != ZERO:
        lower = max(lower, stored_lower(facts))
        upper = min(upper, stored_upper(facts))
        best_move = (facts >> _MOVE_SHIFT) & _MOVE_BITS
        if best_move != NO_MOVE:
            state.root_move = ONE << best_move
    return lower, upper, best_move


@inlined
def store_result(game, state, table, key, occupied, lower, upper, best, beta, best_move, nodes):
    """Store a searched position: ``best`` is a lower bound if it reaches beta, else an upper bound."""
    if nodes >= STORE_NODES:
        if best >= beta:
            lower = best
        else:
            upper = best
        remember(game, state, table, key, occupied, lower, upper, best_move, nodes)


@part(void(STATE, int64, int64, uint64, uint64, int64))
def insert(state, marks, count, move, threats, weight):
    """Insert a move into the ``count`` listed moves of a ply, which are kept in order of falling weight."""
    i = count
    while i > 0 and state.weight[marks, i - 1] < weight:
        state.weight[marks, i] = state.weight[marks, i - 1]
        state.move[marks, i] = state.move[marks, i - 1]
        state.threat[marks, i] = state.threat[marks, i - 1]
        i -= 1
    state.weight[marks, i] = weight
    state.move[marks, i] = move
    state.threat[marks, i] = threats


@part(void(GAME, STATE, TABLE, uint64, uint64, int64, int64))
def prefetch_children(game, state, table, own, opponent, count, marks):
    """Prefetch the buckets of the positions after the listed moves; the bounds computed meanwhile hide the delay."""
    occupied = own | opponent
    for i in range(count):
        after = occupied | state.move[marks, i]
        key = shared_key(game, state, plain_key(game, opponent, after))
        prefetch(table, int64((mix(key + extra_key(game, after)) & state.bucket_mask) * _BUCKET))


@part(int64(GAME, STATE, TABLE, uint64, uint64, uint64, int64, int64, int64))
def child_cutoff(game, state, table, own, opponent, theirs, count, marks, beta):
    """Return a lower bound >= beta by a child's follow-up bound or table entry; ``-_INFINITE`` if there is none."""
    occupied = own | opponent
    if state.bucket_mask >= _PREFETCH_MASK and game.cells - marks >= PREFETCH_EMPTIES:
        prefetch_children(game, state, table, own, opponent, count, marks)
    if (game.off & OFF_FOLLOW_UP) == 0:
        for i in range(count):
            move = state.move[marks, i]
            threats = state.threat[marks, i]
            bound = -follow_up_bound(game, opponent, own | move, theirs & ~move, threats, marks + 1, 1 - beta)
            if bound >= beta:
                state.root_move = move
                return bound
    if (game.off & OFF_TABLE_CUTOFF) == 0 and game.cells - marks >= CUTOFF_EMPTIES and count > 1:
        for i in range(count):
            move = state.move[marks, i]
            key = shared_key(game, state, plain_key(game, opponent, occupied | move))
            facts = find(state, table, key, extra_key(game, occupied | move))
            if facts != ZERO:
                bound = -stored_upper(facts)
                if bound >= beta:
                    state.root_move = move
                    return bound
    return -_INFINITE


# ---------------------------------------------------------------- several threads

# Simplified ABDADA (Kerrigan 2017, after Weill 1996): a thread defers a move while another thread searches the
# position after it, and leaves a position that another thread has decided.


@part(int64(STATE, int64))
def searched_at(state, marks):
    """Return the index of thread 0's word in the row of the ply: the key of the position that it searches, or 0."""
    return int64(state.last_mask + ONE) * BUCKET_WORDS + marks * MOST_THREADS


@part(void(STATE, BUDGET, TABLE, int64, uint64))
def enter(state, budget, table, marks, key):
    """Publish the key that this thread searches; set ``_DECIDED`` if another has decided a position on its path."""
    store_word(table, searched_at(state, marks) + state.thread, key)
    signal = searched_at(state, _SIGNALS) + state.thread
    target = int64(load(table, signal)) - 1
    if target >= 0:
        store_word(table, signal, ZERO)
        if target <= marks and load(table, searched_at(state, target) + state.thread) != ZERO:
            state.target = target
            budget.reason = _DECIDED


@part(void(STATE, TABLE, int64, uint64))
def leave(state, table, marks, key):
    """Withdraw this thread's key, and signal to the threads that search the same position that it is decided."""
    searched = searched_at(state, marks)
    store_word(table, searched + state.thread, ZERO)
    for i in range(state.threads):
        if load(table, searched + i) == key:
            signal = searched_at(state, _SIGNALS) + i
            target = int64(load(table, signal)) - 1
            if target < 0 or target > marks:
                store_word(table, signal, uint64(marks + 1))


@part(boolean(STATE, TABLE, int64, uint64))
def is_searched(state, table, marks, key):
    """Return True if another thread searches this position."""
    searched = searched_at(state, marks)
    for i in range(state.threads):
        if load(table, searched + i) == key:
            return True
    return False


@part(void(GAME, STATE, TABLE, uint64, uint64, int64, int64, int64))
def defer(game, state, table, own, opponent, place, count, marks):
    """Swap the move at ``place`` with the first from there on whose position no other thread searches."""
    for i in range(place, count):
        move = state.move[marks, i]
        key = shared_key(game, state, plain_key(game, opponent, own | opponent | move))
        if not is_searched(state, table, marks + 1, key):
            threats = state.threat[marks, i]
            state.move[marks, i] = state.move[marks, place]
            state.threat[marks, i] = state.threat[marks, place]
            state.move[marks, place] = move
            state.threat[marks, place] = threats
            return


@part(boolean(STATE, BUDGET, TABLE, int64))
def goes_on(state, budget, table, marks):
    """Withdraw this thread's key; return True if the search has unwound to this position and goes on from it."""
    store_word(table, searched_at(state, marks) + state.thread, ZERO)
    if budget.reason != _DECIDED or state.target != marks:
        return False
    budget.reason = RUNNING
    return True


# ---------------------------------------------------------------- a completed line wins


@inlined
def moves_and_bounds(game, own, opponent, mine, theirs, reach, empties, beta):
    """Return ``(moves, lower, upper)``, steps 2 and 3 of ``search``: moves that don't let the opponent win next."""
    forced = reach & theirs
    moves = (forced if forced != ZERO else reach) & ~(theirs >> game.up)
    lower = 3 - empties
    upper = empties - 2
    if (forced & (forced - ONE)) != ZERO or moves == ZERO:
        moves = ZERO
        lower = upper = 1 - empties
    elif empties <= 2:
        lower = upper = 0
    elif (game.off & OFF_LINES_LEFT) == 0:
        empty = game.board & ~(own | opponent)
        if beta > 0:
            if mine == ZERO and not can_line(game, own, empty):
                upper = 0
        elif lower < 0 and theirs == ZERO and not can_line(game, opponent, empty):
            lower = 0
    return moves, lower, upper


@inlined
def list_moves(game, state, own, empty, moves, reach, _theirs, table_move, marks):
    """List the moves, most threats first; return their number, or ``_WINNING_MOVE`` if one makes two threats."""
    count = 0
    while moves != ZERO:
        move = lowest_bit(moves)
        moves ^= move
        threats = completing_cells(game, own | move, empty ^ move)
        landings = (reach ^ move) | (move << game.up)
        if (game.off & OFF_TWO_THREATS) == 0:
            now = threats & landings
            if (now & (now - ONE)) != ZERO or ((now << game.up) & threats) != ZERO:
                state.root_move = move
                count = _WINNING_MOVE
                break
        weight = _TABLE_MOVE_WEIGHT
        if move != table_move:
            weight = int64(2 * popcount(threats) + popcount(threats & reach))
            weight = weight * WORD_BITS - game.rank[int64(lowest_index(move))]
        insert(state, marks, count, move, threats, weight)
        count += 1
    return count


# ---------------------------------------------------------------- misere: a completed line loses


@inlined
def misere_moves_and_bounds(game, own, opponent, mine, theirs, reach, empties, beta):
    """Return ``(moves, lower, upper)``, steps 2 and 3 of ``search`` in misere: moves that complete no line."""
    moves = reach & ~mine
    lower = min(2 - empties, 0)
    upper = empties - 1
    if moves == ZERO:
        lower = upper = -empties
    elif (game.off & OFF_LINES_LEFT) == 0:
        empty = game.board & ~(own | opponent)
        if beta > 0:
            if theirs == ZERO and not can_line(game, opponent, empty):
                upper = 0
        elif mine == ZERO and not can_line(game, own, empty):
            lower = 0
    return moves, lower, upper


@inlined
def list_misere_moves(game, state, own, empty, moves, reach, theirs, table_move, marks):
    """List the moves, fewest safe replies first; return their number, or ``_WINNING_MOVE`` if one leaves none."""
    count = 0
    while moves != ZERO:
        move = lowest_bit(moves)
        moves ^= move
        safe = ((reach ^ move) | ((move << game.up) & game.board)) & ~theirs
        if safe == ZERO and empty != move:
            state.root_move = move
            count = _WINNING_MOVE
            break
        unsafe = completing_cells(game, own | move, empty ^ move)
        weight = _TABLE_MOVE_WEIGHT
        if move != table_move:
            weight = -int64(2 * popcount(unsafe) + popcount(safe))
            weight = weight * WORD_BITS - game.rank[int64(lowest_index(move))]
        insert(state, marks, count, move, unsafe, weight)
        count += 1
    return count


# ---------------------------------------------------------------- the search


def search_of(moves_and_bounds, list_moves, plies_to_win):
    """Return the null-window search for one kind of game: one kernel for both is 2 to 3 % slower (measured)."""

    @part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, uint64, uint64, int64))
    def search(game, state, budget, table, own, opponent, mine, theirs, beta):
        """Return a fail-soft bound that decides whether the value is at least beta.

        ``mine`` and ``theirs``: the cells on which mover and follower would complete a line. The caller has tried
        ``follow_up_bound``. Required except in misere: an empty cell, and no move that completes a line.
        """
        # 1. Count the node.
        if not may_visit(budget):
            return 0
        occupied = own | opponent
        empty = game.board & ~occupied
        reach = landing(game, occupied)
        marks = int64(popcount(occupied))
        empties = game.cells - marks
        # 2. Find the moves. 3. Bound by distance and lines left.
        moves, lower, upper = moves_and_bounds(game, own, opponent, mine, theirs, reach, empties, beta)
        if moves != ZERO:
            state.root_move = lowest_bit(moves)  # any of these moves reaches the bounds
        if upper < beta:
            return upper
        if lower >= beta:
            return lower
        # 4. Probe the table, unless there is only one move.
        keep = empties >= TABLE_EMPTIES and (moves & (moves - ONE)) != ZERO
        key = ZERO
        best_move = NO_MOVE
        if keep:
            key = plain_key(game, own, occupied)
            lower, upper, best_move = narrow_by_entry(game, state, table, occupied, key, lower, upper)
            if lower >= beta:
                return lower
            if upper < beta:
                return upper
        # 5. List the moves, unless one wins.
        count = list_moves(game, state, own, empty, moves, reach, theirs, ONE << best_move, marks)
        if count == _WINNING_MOVE:
            return empties + 1 - plies_to_win
        # 6. Look for a child that causes a cutoff without search.
        best = child_cutoff(game, state, table, own, opponent, theirs, count, marks, beta)
        if best >= beta:
            return best
        # 7. Search the children.
        start = budget.nodes
        watched = keep and empties >= state.watched
        if watched:
            key = shared_key(game, state, key)
            enter(state, budget, table, marks, key)
        for i in range(count):
            if watched and i >= JOINED_MOVES:
                defer(game, state, table, own, opponent, i, count, marks)
            move = state.move[marks, i]
            threats = state.threat[marks, i]
            value = -search(game, state, budget, table, opponent, own | move, theirs & ~move, threats, 1 - beta)
            if budget.reason != RUNNING:
                if watched and goes_on(state, budget, table, marks):
                    return search(game, state, budget, table, own, opponent, mine, theirs, beta)
                return 0
            best = max(best, value)
            if best >= beta:
                best_move = lowest_index(move)
                state.root_move = move
                break
        # 8. Store the result.
        if keep:
            nodes = budget.nodes - start
            store_result(game, state, table, key, occupied, lower, upper, best, beta, best_move, nodes)
            if watched:
                leave(state, table, marks, key)
        return best

    return search


search = search_of(moves_and_bounds, list_moves, 3)
misere_search = search_of(misere_moves_and_bounds, list_misere_moves, 2)


# ---------------------------------------------------------------- the whole answer


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64))
def null_window_search(game, state, budget, table, own, opponent, beta):
    """Return a fail-soft bound that decides whether the value of any ongoing position is at least beta."""
    occupied = own | opponent
    empty = game.board & ~occupied
    marks = int64(popcount(occupied))
    mine = completing_cells(game, own, empty)
    theirs = completing_cells(game, opponent, empty)
    winning = mine & landing(game, occupied)
    if game.misere == 0 and winning != ZERO:
        state.root_move = lowest_bit(winning)
        return game.cells - marks
    if (game.off & OFF_FOLLOW_UP) == 0 and empty != ZERO:
        bound = follow_up_bound(game, own, opponent, mine, theirs, marks, beta)
        if bound < beta:
            return bound
    if game.misere != 0:
        return misere_search(game, state, budget, table, own, opponent, mine, theirs, beta)
    if is_four_in_a_row(game):
        return search(as_four_in_a_row(game), state, budget, table, own, opponent, mine, theirs, beta)
    return search(game, state, budget, table, own, opponent, mine, theirs, beta)


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, uint64, int64))
def move_bound(game, state, budget, table, own, opponent, move, beta):
    """Search with a null window for the value of this legal move to the mover."""
    empty = game.board & ~(own | opponent)
    if (completing_cells(game, own, empty) & move) != ZERO:
        empties = int64(popcount(empty))
        return -empties if game.misere != 0 else empties
    if empty == move:
        return 0
    return -null_window_search(game, state, budget, table, opponent, own | move, 1 - beta)


@part(uint64(GAME, uint64, uint64))
def playable(game, own, opponent):
    """Return the cells that may be marked."""
    return landing(game, own | opponent)


@part(void(GAME, STATE, TABLE, uint64, uint64))
def begin_search(game, state, table, own, opponent):
    """Begin with a small part of the table; set ``state.symmetric`` if both of two mirror images may occur."""
    state.last_mask = ZERO
    while int64(state.last_mask + state.last_mask + TWO) * BUCKET_WORDS <= len(table):
        state.last_mask = state.last_mask + state.last_mask + ONE
    state.bucket_mask = min(state.last_mask, uint64(FIRST_BUCKETS - 1))
    state.filled = 0
    state.watched = _INFINITE
    state.symmetric = 0
    conflict = (own & mirror(game, opponent)) != ZERO
    if not conflict and game.by_rows == 0 and (game.off & OFF_SYMMETRY) == 0:
        state.symmetric = 1


@part(int64(int64, int64, int64))
def next_test_value(misere, lower, upper):
    """Return the next beta to test, lower < beta <= upper, while lower < upper."""
    # 1. Test quick wins and losses first, since a shallow search finds them; not in misere.
    if misere == 0 and lower < 0 < upper and max(-lower, upper) > NEAR:
        return min(-NEAR, lower // 2) + 1 if -lower >= upper else max(NEAR, upper // 2) + 1
    # 2. Is it a loss? Is it a win?
    if lower < 0 <= upper:
        return 0
    if lower == 0:
        return 1
    # 3. The distance: by bisection while the interval is wide, then from the draw outwards.
    if upper - lower > NEAR:
        return lower + (upper - lower) // 2
    return lower + 1 if lower > 0 else upper


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def narrow(game, state, budget, table, own, opponent, result):
    """Narrow the bounds until they meet or the budget ends; return the lower bound that ``result.move`` reaches.

    A known lower bound is often the value (measured), so the first beta is one above it.
    """
    reached = int64(popcount(own | opponent)) - game.cells
    beta = result.lower + 1
    if result.lower <= reached:
        beta = next_test_value(game.misere, result.lower, result.upper)
    while result.lower < result.upper:
        state.root_move = ZERO
        value = null_window_search(game, state, budget, table, own, opponent, beta)
        if budget.reason != RUNNING:
            break
        if value >= beta:
            result.lower = reached = value
            if state.root_move != ZERO:
                result.move = int64(lowest_index(state.root_move))
        else:
            result.upper = value
        beta = next_test_value(game.misere, result.lower, result.upper)
    return reached


@entry(void(GAME, STATE, uint64, uint64, int64, int64, BUDGET, TABLE, RESULT))
def prove(game, state, own, opponent, lower, upper, budget, table, result):
    """Narrow the bounds of a position until they meet or the budget ends, while other threads do so on the same table.

    Required: ``share_table`` was called, and PATHS_WORDS words follow the table. Each thread has its own state, a copy
    with another ``thread``.
    """
    marks = int64(popcount(own | opponent))
    result.lower = max(from_start(lower, marks), marks - game.cells)
    result.upper = from_start(upper, marks)
    store_word(table, searched_at(state, _SIGNALS) + state.thread, ZERO)
    narrow(game, state, budget, table, own, opponent, result)
    state.watched = _INFINITE
    count_from_position(result, marks)


@entry(int64(STATE, TABLE, int64))
def share_table(state, table, doublings):
    """Double the part of the table in use before several threads search; return its buckets."""
    while doublings > 0 and state.bucket_mask < state.last_mask:
        grow(state, table)
        doublings -= 1
    table[searched_at(state, 0) : searched_at(state, 0) + PATHS_WORDS] = ZERO
    return int64(state.bucket_mask + ONE)


@entry(void(BOARD, GAME, int64))
def set_rules(board, game, off):
    """Fill a zeroed game record from the board; ``off`` is the sum of the ``OFF_...`` switches."""
    set_bitboard(board, game, off)


@part(void(GAME, STATE, TABLE, uint64, uint64))
def begin(game, state, table, own, opponent):
    """Begin the search of one of many positions: with a new generation, or in the table that ``state.shared`` keeps.

    After the last generation the part of the table that was used is cleared. (Unrelated positions are solved faster
    from an empty table, which fits the processor's cache; measured.) In a shared table all mirror images share an
    entry, as from the empty board.
    """
    if state.shared != 0:
        if state.generation == ZERO:
            state.generation = ONE
            begin_search(game, state, table, ZERO, ZERO)
        return
    state.used = max(state.used, state.bucket_mask)
    if state.generation == _GENERATION:
        table[: int64(state.used + ONE) * BUCKET_WORDS] = ZERO
        state.generation = state.used = ZERO
    state.generation += ONE
    begin_search(game, state, table, own, opponent)


@part(void(GAME, STATE, TABLE, uint64, uint64))
def begin_if_changed(game, state, table, own, opponent):
    """Begin a search if ``state.generation`` has changed; otherwise keep the entries of earlier searches.

    Required: ``state.generation`` is from 1 to LAST_GENERATION, and no other state has used it since the table was
    cleared; the table has BUCKET_WORDS times a power of two words; all positions of a generation can be reached from
    its first.
    """
    if state.begun != state.generation:
        begin_search(game, state, table, own, opponent)
        state.begun = state.generation


SEARCH = Search("gravity", GAME, STATE, playable, swapped, narrow, move_bound)
make_solve(SEARCH, begin_if_changed)
make_value_positions(SEARCH, begin)
