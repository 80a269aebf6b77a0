# mypy: ignore-errors
"""The exact solver for boards of at most 64 cells without gravity, but not for Caro, Renju and shared marks.

A *position* is two disjoint bitboards: own marks (of the side to move) and the opponent's. Nobody has completed a line
yet. Values are on the scale of ``kernel_root``: a win in n plies is worth the number of empty cells + 1 - n.

The solver only asks yes-or-no questions: *can this side force its win within n plies, whatever the other side does?*
Normally that side is the ``attacker``, who must complete a line (``can_win_within``). In misere it is the ``enforcer``,
who must make the ``avoider`` complete one (``must_lose_within``). Such a search has many sound shortcuts that a search
for a value lacks. The least n with the answer yes is the distance. Both searches state their shortcuts, why they are
sound and under which rules. Each shortcut has a switch (``OFF_...``) that turns it off in tests.
"""

from numba import boolean, int64, uint64, void

from kinarow.game.kernel_geometry import BOARD
from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.budget_record import OUT_OF_NODES, RUNNING
from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.common.kernel_bitboard import bit, has_layout, place_cells
from kinarow.solvers.common.kernel_bits import ZERO, lowest_bit, popcount
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.common.kernel_games import read_rules, set_lines
from kinarow.solvers.common.kernel_proof_table import TABLE, new_generation
from kinarow.solvers.common.kernel_root import RESULT, Search, make_solve, make_value_positions, swapped
from kinarow.solvers.free_placement.kernel_can_win import can_win_within, wins_by_fours
from kinarow.solvers.free_placement.kernel_lines import FIRST, GAME, OFF_FOURS, STATE, prepare, scan_lines
from kinarow.solvers.free_placement.kernel_must_lose import must_lose_within

# Except in misere, wins and losses within 1, 2, 3 ... plies are searched first, up to this many.
NEAR_PLIES = 11
# Step limit of ``_can_be_drawn``: 3 x 3 x 3 needs a few hundred.
MOST_FILLINGS = 10_000
# The search for a win by continuous fours (VCF) gets a quarter of the nodes, at most this many.
FOURS_NODES = 200_000


# ---------------------------------------------------------------- the game


@entry(void(BOARD, GAME, int64))
def set_rules(board, game, off):
    """Fill a zeroed game record from a board without gravity; ``off`` is the sum of the ``OFF_...`` switches.

    The search treats blocked cells as marks of the opponent: they are in no line and on no flank. Bits are those of
    ``kernel_bitboard`` if it has a layout for the board, else bit i is cell i.
    """
    read_rules(board, game)
    if has_layout(board):
        place_cells(board)
    else:
        for cell in range(board.cells):
            board.place[cell] = cell
    set_lines(board, game, off)
    for number in range(1, game.images.count):
        game.images.mirror[number] = _serves_mirror_play(game, number)
    is_decisive = board.misere != 0 and board.exact_goal == 0 and not _can_be_drawn(game, ZERO, ZERO)
    game.decisive = int64(is_decisive)


@part(int64(GAME, int64))
def _serves_mirror_play(game, symmetry):
    """Return 1 if mirror play by this symmetry is sound (``can_mirror``), else 0.

    It must be an involution, and each line through a cell that it leaves in place must contain another cell and its
    image.
    """
    images = game.images
    if images.inverse[symmetry] != symmetry:
        return 0
    for i in range(game.lines):
        line = game.line[i]
        if (line & images.fixed[symmetry]) == ZERO:
            continue
        has_pair = False
        for place in range(WORD_BITS):
            image = int64(images.image[symmetry, place])
            if image != place and (line & bit(place)) != ZERO and (line & bit(image)) != ZERO:
                has_pair = True
        if not has_pair:
            return 0
    return 1


@part(boolean(GAME, uint64, uint64))
def _can_be_drawn(game, first, second):
    """Return True if the board can be filled without a line of either side, or if ``MOST_FILLINGS`` steps don't tell.

    A depth-first search: take the line nearest to completion, and give one of its empty cells to the other side, which
    blocks it. If that fails, give the cell to the line's own side.
    """
    game.decisive += 1  # counts the steps here
    least = int64(WORD_BITS + 1)
    missing = ZERO
    owner = 0
    for i in range(game.lines):
        line = game.line[i]
        for side in range(2):
            left = line & ~(first if side == 0 else second)
            if (line & (second if side == 0 else first)) == ZERO and int64(popcount(left)) < least:
                missing = left
                least = int64(popcount(left))
                owner = side
    if game.decisive > MOST_FILLINGS or least > WORD_BITS:
        return True
    if missing == ZERO:
        return False  # the line is completed
    cell = lowest_bit(missing)
    if owner == 0:
        return _can_be_drawn(game, first, second | cell) or _can_be_drawn(game, first | cell, second)
    return _can_be_drawn(game, first | cell, second) or _can_be_drawn(game, first, second | cell)


# ---------------------------------------------------------------- the search


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64, int64))
def ends_within(game, state, budget, table, own, opponent, plies, ply):
    """Return 1 if a line can be forced that ends the game within ``plies`` plies, else 0; invalid if the budget ends.

    The mover completes the line if ``plies`` is odd, the opponent if even. The side that completes it forces it, in
    misere the other side. ``ply`` is 1 at the root, and only there is ``state.root_move`` set.
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


@part(int64(GAME, int64, int64))
def value_of(game, empties, plies):
    """Return the value for the side to move if a line ends the game after ``plies`` plies."""
    wins = (plies & 1) == 1 if game.misere == 0 else (plies & 1) == 0
    return empties + 1 - plies if wins else plies - empties - 1


@part(boolean(GAME, STATE, RESULT, int64, int64, int64))
def narrow_bounds(game, state, result, empties, plies, answer):
    """Narrow the root's bounds by the answer of ``ends_within``; return True if they meet."""
    value = value_of(game, empties, plies)
    later = value_of(game, empties, plies + 2) if plies + 2 <= empties else 0
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
    """Find the distance of a proven win or loss by bisection between ``low`` and ``high`` plies (of equal parity)."""
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
    result.lower = result.upper = value_of(game, empties, high)


@part(boolean(GAME, RESULT, int64, int64))
def is_open(game, result, empties, plies):
    """Return True if a line after exactly ``plies`` plies is a value within the bounds."""
    value = value_of(game, empties, plies)
    return result.lower <= value <= result.upper


@part(boolean(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT, int64))
def raise_by_fours(game, state, budget, table, own, opponent, result, plies):
    """If a VCF (continuous fours) wins within ``plies`` plies (odd), raise the lower bound to it and return True."""
    if wins_by_fours(game, state, budget, table, own, opponent, plies, 1) == 0:
        return False
    result.move = state.root_move
    result.lower = value_of(game, int64(popcount(game.full & ~(own | opponent))), plies)
    return True


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def find_fours(game, state, budget, table, own, opponent, result):
    """Raise the lower bound to the shortest VCF found with a quarter of the nodes left, at most ``FOURS_NODES``."""
    limit = budget.node_limit
    budget.node_limit = budget.nodes + min((limit - budget.nodes) >> 2, FOURS_NODES)
    longest = (int64(popcount(game.full & ~(own | opponent))) - 1) | 1
    if raise_by_fours(game, state, budget, table, own, opponent, result, longest):
        for plies in range(1, longest, 2):
            if budget.reason != RUNNING or raise_by_fours(game, state, budget, table, own, opponent, result, plies):
                break
    if budget.reason == OUT_OF_NODES and budget.nodes < limit:
        budget.reason = RUNNING
    budget.node_limit = limit


@part(void(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def find_value(game, state, budget, table, own, opponent, result):
    """Narrow the bounds of the result until they meet or the budget is spent.

    1. Except in misere: search a win by continuous fours (OFF_FOURS).
    2. Except in misere: search wins and losses within 1, 2, 3 ... ``NEAR_PLIES`` plies.
    3. Search a win or a loss at any distance.
    4. If there is one, find the distance by bisection.
    """
    empties = int64(popcount(game.full & ~(own | opponent)))
    first_quick = min(NEAR_PLIES, empties) if game.misere == 0 else 0
    result.lower = max(result.lower, min(value_of(game, empties, 1), value_of(game, empties, 2)))
    result.upper = min(result.upper, max(value_of(game, empties, 1), value_of(game, empties, 2)))
    # All wins have distances of one parity, and all losses of the other: round bounds of the wrong parity inward.
    winning = 1 if game.misere == 0 else 0
    if result.lower > 0 and ((empties + 1 - result.lower) & 1) != winning:
        result.lower += 1
    if result.upper < 0 and ((empties + 1 + result.upper) & 1) == winning:
        result.upper -= 1
    if result.lower >= result.upper:
        return
    # 1. Continuous fours.
    if game.misere == 0 and result.upper > 0 and (game.off & OFF_FOURS) == 0:
        find_fours(game, state, budget, table, own, opponent, result)
        if budget.reason != RUNNING:
            return
    # 2. Near results.
    for plies in range(1, first_quick + 1):
        if not is_open(game, result, empties, plies):
            continue
        answer = ends_within(game, state, budget, table, own, opponent, plies, 1)
        if budget.reason != RUNNING or narrow_bounds(game, state, result, empties, plies, answer):
            return
        if answer != 0:
            result.lower = result.upper = value_of(game, empties, plies)
            return
    least = first_quick + 1
    if result.lower > 0 or result.upper < 0:
        # A win or a loss is known, but not its distance.
        longest = empties + 1 - max(result.lower, -result.upper)
        halve_distances(game, state, budget, table, own, opponent, result, least + ((least ^ longest) & 1), longest)
        return
    # 3. A win or a loss at any distance: one question for each parity of the distance.
    for longest in range(empties, max(empties - 2, least - 1), -1):
        if not is_open(game, result, empties, longest):
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


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def narrow(game, state, budget, table, own, opponent, result):
    """Call ``find_value`` and return the lower bound; ``result.move`` guarantees it unless it was given."""
    find_value(game, state, budget, table, own, opponent, result)
    return result.lower


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, uint64, int64))
def move_bound(game, state, budget, table, own, opponent, move, value):
    """Return ``value`` if the move guarantees it, else an upper bound below it; invalid if the budget is spent."""
    empties = int64(popcount(game.full & ~(own | opponent)))
    at_once = value_of(game, empties, 1)
    prepare(game, state)
    scan_lines(game, state, 2, own, opponent, game.goal)
    if (state.completing[FIRST] & move) != ZERO:
        return at_once
    if value == at_once:
        return value - 1
    if value > 0:
        kept = ends_within(game, state, budget, table, opponent, own | move, empties - value, 2)
    else:
        # The opponent must not win sooner. Its distance after the move is odd, in misere even.
        gain = 1 if game.misere == 0 else 0
        plies = empties + value - 1
        plies -= (plies + gain) & 1
        kept = 1 - ends_within(game, state, budget, table, opponent, own | move, plies, 2)
    return value if kept != 0 else value - 1


@part(uint64(GAME, uint64, uint64))
def playable(game, own, opponent):
    """Return the legal moves as a bitboard."""
    return game.full & ~(own | opponent)


@part(void(GAME, STATE, TABLE, uint64, uint64))
def begin(game, state, table, _own, _opponent):
    """Prepare the search of a position."""
    state.generation = new_generation(table)
    prepare(game, state)


SEARCH = Search("free_placement", GAME, STATE, playable, swapped, narrow, move_bound)
make_solve(SEARCH, begin, pv_share=1)
make_value_positions(SEARCH, begin)
