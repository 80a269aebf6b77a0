# mypy: ignore-errors
"""The exact solver for boards of at most 64 cells without gravity, under every rule.

A *position* is two disjoint bitboards, own marks (of the side to move) and the opponent's. Nobody has completed a
line yet. Values have one scale, with ``cells = rows * columns``:

    a win for the side to move in n plies     cells + 1 - n   (the winner hurries, the loser delays)
    a loss in n plies                         n - cells - 1
    a draw                                    0

The solver asks only one kind of question: *can this side force its win within n plies, whatever the other side does?*
Normally the asking side is the ``attacker``, who must complete a line (``can_win_within``); in misere it is the
``enforcer``, and the ``avoider`` must be forced to complete one (``must_lose_within``). Such a yes-or-no search has
many sound shortcuts that a search for a value has not. Each n is a question of its own, so the least n with a yes is
the exact distance. Both searches state their shortcuts, why they are sound and under which rules, and each shortcut
has a switch (``OFF_...``).
"""

import numba
from numba import boolean, int8, int64, types, uint64, void

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.budget_record import OUT_OF_NODES, RUNNING
from kinarow.solvers.common.capacity import ALL_MOVES, NO_MOVES, NO_VALUE
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_bit, lowest_index, popcount
from kinarow.solvers.common.kernel_budget import BUDGET, BUDGETS
from kinarow.solvers.common.kernel_proof_table import TABLE, new_generation
from kinarow.solvers.common.result import RESULT_DTYPE
from kinarow.solvers.free_placement.kernel_can_win import can_win_within, wins_by_fours
from kinarow.solvers.free_placement.kernel_lines import FIRST, GAME, OFF_FOURS, STATE, prepare, scan_lines
from kinarow.solvers.free_placement.kernel_must_lose import must_lose_within

# Without misere, wins within up to this many plies are tried first, one distance after the other.
NEAR_PLIES = 11
# A win by continuous fours may cost a quarter of the nodes, at most this many.
FOURS_NODES = 200_000
# The principal variation may cost as many nodes as the proof and this many more.
PV_NODES = 2000

RESULT = numba.from_dtype(RESULT_DTYPE)
# Single records come from Python as arrays, which Numba reads ten times as fast as records.
_GAMES, _STATES, _RESULTS = (types.Array(record, 1, "C") for record in (GAME, STATE, RESULT))


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64))
def ends_within(game, state, budget, table, own, opponent, plies, ply):
    """Can one side force a line that ends the game within ``plies`` plies, at a ply of the same parity? 1 yes, 0 no.

    An odd number of plies: a line of the side to move, which wins normally and loses in misere. An even number: a
    line of the opponent. The side that gains by the line forces it. ``ply`` is 1 at the root; deeper queries need not
    find a move.
    """
    if plies < 1:
        return 0
    odd = plies & 1
    if game.misere != 0:
        if odd == 1:
            return must_lose_within(game, state, budget, table, opponent, own, plies, ply, 1 - odd)
        return must_lose_within(game, state, budget, table, own, opponent, plies, ply, 1 - odd)
    if odd == 1:
        return can_win_within(game, state, budget, table, own, opponent, plies, ply, odd)
    return can_win_within(game, state, budget, table, opponent, own, plies, ply, odd)


@part(int64(GAME, int64))
def value_of(game, plies):
    """The value for the side to move if a line ends the game after exactly ``plies`` plies."""
    wins = (plies & 1) == 1 if game.misere == 0 else (plies & 1) == 0
    return game.cells + 1 - plies if wins else plies - game.cells - 1


@part(boolean(GAME, STATE, RESULT, int64, int64, int64))
def narrow_bounds(game, state, result, empties, plies, answer):
    """Narrow the bounds by the answer to a query at the root; True if that settles the value.

    After a no, a line of the same side ends the game at least two plies later, or never.
    """
    value = value_of(game, plies)
    later = value_of(game, plies + 2) if plies + 2 <= empties else 0
    if value > 0:
        if answer == 0:
            result.upper = min(result.upper, later)
        elif value > result.lower:
            result.lower = value
            result.move = state.root_move
    elif answer != 0:
        result.upper = min(result.upper, value)
    elif later > result.lower:
        result.lower = later
        result.move = state.root_move
    return result.lower >= result.upper


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT, int64, int64))
def halve_distances(game, state, budget, table, own, opponent, result, low, high):
    """Find the exact distance of a result known to come within ``high`` plies and not before ``low`` (same parity)."""
    empties = int64(popcount(game.full & ~(own | opponent)))
    while low < high:
        middle = low + ((high - low) >> 2 << 1)
        answer = ends_within(game, state, budget, table, own, opponent, middle, 1)
        if budget.reason != RUNNING or narrow_bounds(game, state, result, empties, middle, answer):
            return
        if answer != 0:
            high = middle
        else:
            low = middle + 2
    result.lower = result.upper = value_of(game, high)


@part(boolean(GAME, RESULT, int64))
def is_open(game, result, plies):
    """Whether the bounds leave open that the game ends by a line after exactly ``plies`` plies."""
    value = value_of(game, plies)
    return result.lower <= value <= result.upper


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def find_fours(game, state, budget, table, own, opponent, result):
    """Raise the lower bound to the soonest win by continuous fours."""
    limit = budget.node_limit
    budget.node_limit = budget.nodes + min((limit - budget.nodes) >> 2, FOURS_NODES)
    longest = (int64(popcount(game.full & ~(own | opponent))) - 1) | 1
    if wins_by_fours(game, state, budget, table, own, opponent, longest, 1) != 0:
        result.move = state.root_move
        result.lower = value_of(game, longest)
        plies = 1
        while plies < longest and budget.reason == RUNNING:
            if wins_by_fours(game, state, budget, table, own, opponent, plies, 1) != 0:
                result.move = state.root_move
                result.lower = value_of(game, plies)
                break
            plies += 2
    if budget.reason == OUT_OF_NODES and budget.nodes < limit:
        budget.reason = RUNNING
    budget.node_limit = limit


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def find_value(game, state, budget, table, own, opponent, result):
    """Ask until the value of the position is settled or the budget is spent; the bounds are kept in the result.

    Required: ``state.least <= value <= state.most``, known from another argument or trivially. Queries that these
    bounds answer are skipped.

    1. Normally: a win by continuous fours (``find_fours``: OFF_FOURS), for which only sooner ones are looked for then.
    2. Normally: wins and losses within 1, 2, 3 ... plies, while they are near.
    3. Is the position won, or lost, at all?
    4. If so, find the distance by halving.
    """
    empties = int64(popcount(game.full & ~(own | opponent)))
    first_quick = min(NEAR_PLIES, empties) if game.misere == 0 else 0
    result.lower = max(min(value_of(game, 1), value_of(game, 2)), state.least)
    result.upper = min(max(value_of(game, 1), value_of(game, 2)), state.most)
    if result.lower >= result.upper:
        return
    # 1. Forced wins.
    if game.misere == 0 and result.upper > 0 and (game.off & OFF_FOURS) == 0:
        find_fours(game, state, budget, table, own, opponent, result)
        if budget.reason != RUNNING:
            return
    # 2. Near results.
    for plies in range(1, first_quick + 1):
        if not is_open(game, result, plies):
            continue
        answer = ends_within(game, state, budget, table, own, opponent, plies, 1)
        if budget.reason != RUNNING or narrow_bounds(game, state, result, empties, plies, answer):
            return
        if answer != 0:
            result.lower = result.upper = value_of(game, plies)
            return
    least = first_quick + 1
    if result.lower > 0 or result.upper < 0:
        # Only the distance is open: a win or a loss is known.
        longest = game.cells + 1 - max(result.lower, -result.upper)
        halve_distances(game, state, budget, table, own, opponent, result, least + ((least ^ longest) & 1), longest)
        return
    # 3. Any result at all, of either parity.
    for longest in range(empties, max(empties - 2, least - 1), -1):
        if not is_open(game, result, longest):
            continue
        answer = ends_within(game, state, budget, table, own, opponent, longest, 1)
        if budget.reason != RUNNING or narrow_bounds(game, state, result, empties, longest, answer):
            return
        if answer != 0:
            # 4. The distance.
            low = least + ((least ^ longest) & 1)
            halve_distances(game, state, budget, table, own, opponent, result, low, longest)
            return
    result.lower = result.upper = 0


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, uint64))
def keeps_value(game, state, budget, table, own, opponent, value, move):
    """Does a move keep the known value of a position? 1 yes, 0 no (void when the budget is spent)."""
    state.alive_count[1] = game.lines
    for i in range(game.lines):
        state.alive[1, i] = i
    scan_lines(game, state, 2, own, opponent, game.goal)
    completes = (state.completing[FIRST] & move) != ZERO
    empties = int64(popcount(game.full & ~(own | opponent)))
    if completes:
        return 1 if value == value_of(game, 1) else 0
    if value == value_of(game, 1):
        return 0
    gain = 1 if game.misere == 0 else 0
    if value > 0:
        return ends_within(game, state, budget, table, opponent, own | move, game.cells - value, 2)
    # The opponent's win must not come sooner: after the move its plies are odd, in misere even.
    plies = game.cells + value - 1 if value < 0 else empties - 1
    plies -= (plies + gain) & 1
    return 1 - ends_within(game, state, budget, table, opponent, own | move, plies, 2)


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64))
def first_best(game, state, budget, table, own, opponent, value):
    """The first move in the fixed order that keeps the known value, as a bit index; -1 if the budget is spent."""
    for i in range(game.cells):
        place = game.order[i]
        move = ONE << uint64(place)
        if ((own | opponent) & move) != ZERO:
            continue
        kept = keeps_value(game, state, budget, table, own, opponent, value, move)
        if budget.reason != RUNNING:
            return -1
        if kept != 0:
            return place
    return -1


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def find_pv(game, state, budget, table, own, opponent, result):
    """Write the principal variation of a solved position, as far as ``PV_NODES`` allow."""
    limit = budget.node_limit
    budget.node_limit = min(limit, 2 * budget.nodes + PV_NODES)
    value = result.lower
    move = result.move
    result.moves = 0
    while move >= 0 and result.moves < MAX_CELLS:
        result.line[result.moves] = move
        result.moves += 1
        bit = ONE << uint64(move)
        if value == value_of(game, 1) or (own | opponent | bit) == game.full:
            break
        own, opponent = opponent, own | bit
        value = -1 - value if value > 0 else (1 - value if value < 0 else 0)
        move = first_best(game, state, budget, table, own, opponent, value)
    if budget.reason == OUT_OF_NODES and budget.nodes < limit:
        budget.reason = RUNNING
    budget.node_limit = limit


@entry(void(_GAMES, _STATES, uint64, uint64, BUDGETS, TABLE, _RESULTS))
def solve(games, states, own, opponent, budgets, table, results):
    """Prove the value of an ongoing position, a best move and a line of best moves, or bound it if the budget ends.

    Each array has one record; ``result`` is that of ``results``.

    Always                      result.lower <= value of the position <= result.upper, and ``result.move`` (a bit
                                index) keeps at least ``result.lower``.
    lower = upper               the value is exact; ``line`` holds ``moves`` best moves, the first of them ``move``; it
                                may stop early.
    lower < upper               ``budget.reason`` says why.

    Of several best moves it is the first in ``order``. ``budget.reason`` may be set after a proof too, if the budget
    ended before the first of equal moves or the line was known: the move is then one that the proof found.
    """
    game, state, budget, result = games[0], states[0], budgets[0], results[0]
    state.generation = new_generation(table)
    prepare(game, state)
    result.moves = 0
    for i in range(game.cells - 1, -1, -1):
        if ((own | opponent) & (ONE << uint64(game.order[i]))) == ZERO:
            result.move = game.order[i]
    find_value(game, state, budget, table, own, opponent, result)
    if result.lower < result.upper:
        return
    move = first_best(game, state, budget, table, own, opponent, result.lower)
    if move >= 0:
        result.move = move
        find_pv(game, state, budget, table, own, opponent, result)
    else:
        result.line[0] = result.move
        result.moves = 1


# ---------------------------------------------------------------- many positions


@part(int64(GAME, STATE, BUDGET, TABLE, RESULT, uint64, uint64, uint64, int64, int64))
def move_value(game, state, budget, table, result, own, opponent, move, best, everything):
    """The value of a move; without ``everything`` it is ``NO_VALUE`` unless it equals ``best``, the position's."""
    scan_lines(game, state, 1, own, opponent, game.goal)
    if (state.completing[FIRST] & move) != ZERO:
        value = value_of(game, 1)
        return value if value == best or everything != 0 else NO_VALUE
    if (own | opponent | move) == game.full:
        return 0
    if keeps_value(game, state, budget, table, own, opponent, best, move) != 0:
        return best
    if everything == 0 or budget.reason != RUNNING:
        return NO_VALUE
    find_value(game, state, budget, table, opponent, own | move, result)
    value = result.lower
    return 1 - value if value > 0 else (-1 - value if value < 0 else 0)


@part(void(GAME, STATE, BUDGET, TABLE, RESULT, uint64, uint64, int64, int64, int64, int64[::1], int8[::1]))
def value_moves(game, state, budget, table, result, own, opponent, value, moves, nodes, cell_of_bit, move_values):
    """Write the values of the position's moves by cell; each search ends after ``nodes`` nodes."""
    everything = 1 if moves == ALL_MOVES else 0
    empty = game.full & ~(own | opponent)
    while empty != ZERO:
        move = lowest_bit(empty)
        empty ^= move
        budget.node_limit = budget.nodes + nodes
        each = move_value(game, state, budget, table, result, own, opponent, move, value, everything)
        if budget.reason != RUNNING:
            return
        move_values[cell_of_bit[int64(lowest_index(move))]] = each


@entry(
    int64(
        GAME, STATE, BUDGET, TABLE, RESULT, uint64[::1], uint64[::1], int64[::1], int64, int64, int8[::1], int8[:, ::1]
    )
)
def value_positions(game, state, budget, table, result, own, opponent, cell_of_bit, moves, nodes, values, move_values):
    """Value ongoing positions in turn; returns how many were tried before something but the nodes ended the search.

    Each position has the table to itself, and each of its searches ends after ``nodes`` nodes. A position that needs
    more keeps ``NO_VALUE``; the values of its moves are void.

    Required: ``move_values`` and ``values`` are filled with ``NO_VALUE``.
    """
    for i in range(len(own)):
        state.generation = new_generation(table)
        prepare(game, state)
        budget.node_limit = budget.nodes + nodes
        find_value(game, state, budget, table, own[i], opponent[i], result)
        value = result.lower
        if budget.reason == RUNNING and moves != NO_MOVES:
            board = own[i], opponent[i]
            value_moves(game, state, budget, table, result, *board, value, moves, nodes, cell_of_bit, move_values[i])
        if budget.reason == RUNNING:
            values[i] = value
        elif budget.reason == OUT_OF_NODES:
            budget.reason = RUNNING
        else:
            return i
    return len(own)
