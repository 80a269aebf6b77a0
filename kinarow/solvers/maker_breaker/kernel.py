# mypy: ignore-errors
"""Maker-Breaker: the weaker game in which one side, the maker, only completes lines and the breaker only blocks.

A side that cannot complete a line as the maker, against an opponent that does nothing but block, cannot complete
one in the real game either, where the opponent may also win. If neither side can, the game is a draw. (Beck,
Combinatorial Games: Tic-Tac-Toe Theory, 2008. Solving boards this way, with zones and pairings: Hsu, Ko, Chen, Wei,
Hsueh, Wu, On solving the 7,7,5-game and the 8,8,5-game, Theoretical Computer Science 815, 2020.)

A game here is a list of lines, each a word of at most 64 empty cells that the maker still lacks. A mark of the maker
takes its cell out of every line; a mark of the breaker deletes the lines through its cell. A line with no cell left
is completed. Nothing else matters, so the same code serves every board. It serves an exact goal too, where the maker
must at least complete a line of the list.

The search asks one question: *does the maker complete a line?* A yes comes with a **zone**: cells such that the
maker wins even if the breaker owned all cells outside.
"""

import numba
from numba import boolean, int64, uint64, void

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_bit, lowest_index, popcount
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_ordering import highest_scored, lowest_scored
from kinarow.solvers.common.kernel_proof_table import (
    TABLE,
    find,
    make_key,
    mapped,
    new_generation,
    store,
    stored_answer,
    zone_of,
)
from kinarow.solvers.maker_breaker.layout import GAME_DTYPE, STATE_DTYPE

# Switches: each turns one shortcut off, so that tests can compare (see ``maker_wins``).
OFF_PRIVATE = 1
OFF_POTENTIAL = 2
OFF_PAIRING = 4
OFF_ZONE = 8
OFF_SYMMETRY = 16
OFF_DOMINATION = 32
OFF_STATIC_CHECK = 64
OFF_TIGHT = 128
OFF_SPLIT = 256
ALL_SWITCHES = 511

# Symmetric positions share a table entry for the first plies; later the images cost more than they save.
SYMMETRY_PLIES = 8
# Groups of lines are split while a pairing lacks at most so many cells: of more, the attempts cost more than they save.
MOST_MISSING = 4
# A static check that proves nothing returns this plus how far it was from a proof (``distance``).
_UNDECIDED = 2
_MOST_DISTANCE = 255 << 10
_DISTANCE_SHIFT = 40  # above every score of a cell: the distance decides the order first

# The queries of this game have no limit of plies.
_EVER = 1

# A potential counts a line as 2^-need in these units: exact, because no rules ask for more than 25 in a row.
_UNIT = 1 << 40
_ORDER_UNIT = 1 << 30

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)


# ---------------------------------------------------------------- lines


@part(void(STATE, int64, uint64, int64))
def play(state, ply, move, maker):
    """Write the lines of ``ply + 1``: those of ``ply`` after a mark of the maker (1) or the breaker (0)."""
    count = 0
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        if maker == 0 and (left & move) != ZERO:
            continue
        state.left[ply + 1, count] = left & ~move
        state.index[ply + 1, count] = state.index[ply, i]
        count += 1
    state.count[ply + 1] = count


@part(uint64(STATE, int64))
def drop_private(state, ply):
    """Delete each line with two cells that are on no other line; returns these pairs.

    The breaker answers a mark on one cell of a pair on the other, and loses nothing elsewhere.
    """
    pairs = ZERO
    while True:
        once = ZERO
        twice = ZERO
        for i in range(state.count[ply]):
            left = state.left[ply, i]
            twice |= once & left
            once |= left
        count = 0
        for i in range(state.count[ply]):
            left = state.left[ply, i]
            alone = left & ~twice
            if (alone & (alone - ONE)) != ZERO and alone != ZERO:
                pairs |= lowest_bit(alone) | lowest_bit(alone & (alone - ONE))
                continue
            state.left[ply, count] = left
            state.index[ply, count] = state.index[ply, i]
            count += 1
        if count == state.count[ply]:
            return pairs
        state.count[ply] = count


@part(boolean(STATE, int64))
def give_cell(state, group):
    """Give a group one more of the ``free`` cells, for which others may have to change theirs; whether that succeeds.

    A breadth-first search for an augmenting path: from a group over a cell it might use to the group that has it.
    After a failure the queue holds all groups that were reached.
    """
    visited = ZERO
    state.queue[0] = group
    state.before[0] = -1
    state.queued = 1
    head = 0
    while head < state.queued:
        reach = state.want[state.queue[head]] & ~visited
        open_cells = reach & state.free
        if open_cells != ZERO:
            cell = int64(lowest_index(open_cells))
            state.free &= ~(ONE << uint64(cell))
            state.has[group] += 1
            step = head
            while step >= 0:
                state.owner[cell] = state.queue[step]
                cell = state.via[step]
                step = state.before[step]
            return True
        visited |= reach
        while reach != ZERO:
            cell = int64(lowest_index(reach))
            reach &= reach - ONE
            owner = state.owner[cell]
            known = False
            for j in range(state.queued):
                if state.queue[j] == owner:
                    known = True
                    break
            if not known:
                state.queue[state.queued] = owner
                state.via[state.queued] = cell
                state.before[state.queued] = head
                state.queued += 1
        head += 1
    return False


@part(int64(STATE, int64))
def give_cells(state, groups):
    """Give each group the cells that it lacks, as far as possible; returns how many are missing.

    The groups reached from one that lacks a cell are marked as ``stuck``.
    """
    missing = 0
    for group in range(groups):
        state.stuck[group] = 0
    for group in range(groups - 1, -1, -1):
        while state.has[group] < 2:
            if not give_cell(state, group):
                missing += 2 - state.has[group]
                for i in range(state.queued):
                    state.stuck[state.queue[i]] = 1
                break
    return missing


@part(uint64(STATE, int64, int64, int64))
def common_cells(state, ply, first, last):
    """The cells common to some lines in the list."""
    cells = state.left[ply, first]
    for i in range(first + 1, last + 1):
        cells &= state.left[ply, i]
    return cells


@part(int64(GAME, STATE, int64, int64, int64))
def split_groups(game, state, ply, groups, missing):
    """Split a stuck group where fewer cells are ``missing`` then; returns the number of groups.

    The parts want two cells more together, but may take them from more: the lines of a part have more in common.
    """
    free = state.free
    for cell in range(game.cells):
        state.kept_owner[cell] = state.owner[cell]
    for group in range(groups):
        state.kept_has[group] = state.has[group]
        state.kept_stuck[group] = state.stuck[group]
    for group in range(groups):
        last = state.last[group]
        want = state.want[group]
        for cut in range(state.first[group], last if state.kept_stuck[group] == 1 else 0):
            state.last[group] = cut
            state.want[group] = common_cells(state, ply, state.first[group], cut)
            state.first[groups] = cut + 1
            state.last[groups] = last
            state.want[groups] = common_cells(state, ply, cut + 1, last)
            state.has[groups] = 0
            if give_cells(state, groups + 1) < missing:
                return groups + 1
            state.free = free
            for cell in range(game.cells):
                state.owner[cell] = state.kept_owner[cell]
            for other in range(groups):
                state.has[other] = state.kept_has[other]
        state.last[group] = last
        state.want[group] = want
    return groups


@part(int64(STATE, int64))
def group_lines(state, ply):
    """Join neighbours in the list of lines while they have two cells in common; returns the number of groups.

    Group ``g`` holds the lines from ``first[g]`` to ``last[g]`` and wants a pair of their common cells, ``want[g]``.
    Leaves all cells of the lines in ``paired``.
    """
    groups = 0
    cells = ZERO
    shared = ZERO
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        cells |= left
        both = shared & left
        if (both & (both - ONE)) == ZERO or both == ZERO:
            state.first[groups] = i
            groups += 1
            both = left
        shared = both
        state.want[groups - 1] = shared
        state.last[groups - 1] = i
    state.paired = cells
    return groups


@part(boolean(GAME, STATE, int64, int64, int64))
def tight_lines(game, state, ply, maker_to_move, groups):
    """Whether the potential proves that the breaker holds the tight lines, on cells of no pair of another group.

    The breaker answers in the pairs where the maker marks them, and holds the tight lines by marks on the cells
    besides, as if the maker had all cells of those pairs. After a no that leaves at most 3/4 of the lines these are a
    smaller game, which ``narrowed`` says: its lines are written for ``ply + 1``, and the cells of the pairs are
    ``kept``. Its key would not be unambiguous (``lines_key``) if it held all cells of a line left out.
    """
    # Groups that own a cell which a tight one wants are tight too.
    kept = state.paired
    grown = True
    while grown:
        grown = False
        for group in range(groups):
            reach = state.want[group] & kept if state.stuck[group] == 1 else ZERO
            kept &= ~reach
            while reach != ZERO:
                owner = state.owner[lowest_index(reach)]
                reach &= reach - ONE
                if state.stuck[owner] == 0:
                    state.stuck[owner] = 1
                    grown = True
    # Their lines, and the potential.
    cells = ZERO
    everything = ZERO
    shortest = int64(MAX_CELLS)
    potential = int64(0)
    count = 0
    for cell in range(game.cells):
        state.weight[ply + 1, cell] = 0
    for group in range(groups):
        if state.stuck[group] == 0:
            continue
        for i in range(state.first[group], state.last[group] + 1):
            left = state.left[ply, i] & ~kept
            need = int64(popcount(left))
            shortest = min(shortest, need)
            potential += _UNIT >> need
            state.left[ply + 1, count] = left
            state.index[ply + 1, count] = state.index[ply, i]
            count += 1
            cells |= left
            everything |= left | (game.line[state.index[ply, i]] & ~left)
            while left != ZERO:
                state.weight[ply + 1, lowest_index(left)] += _UNIT >> need
                left &= left - ONE
    state.distance += potential >> 29
    if maker_to_move == 1:
        # A mark of the maker doubles the lines through one cell.
        heaviest = int64(0)
        for cell in range(game.cells):
            heaviest = max(heaviest, state.weight[ply + 1, cell])
        potential += heaviest
    if potential < _UNIT:
        state.paired = kept | cells
        return True
    if shortest == 0 or 4 * count > 3 * state.count[ply]:
        return False
    for group in range(groups):
        if state.stuck[group] == 0:
            for i in range(state.first[group], state.last[group] + 1):
                if (game.line[state.index[ply, i]] & ~everything) == ZERO:
                    return False
    state.count[ply + 1] = count
    state.kept = kept
    state.narrowed = 1
    return False


@part(boolean(GAME, STATE, int64, int64))
def find_pairing(game, state, ply, maker_to_move):
    """Whether a pairing, or one for some lines and the potential of the others, keeps the maker from every line.

    A pairing is a pair of cells on each line, no cell being in two pairs; several lines may hold the same pair. The
    breaker answers a mark on one cell of a pair on the other. Leaves the breaker's zone of a yes in ``paired``, of a
    no ``distance``: the cells missing, and the potential of the tight lines twice, in units of 2^-10. It only tells
    how far this search got.

    1. Group the lines; each group wants a pair of the cells common to its lines.
    2. Give out cells by augmenting paths (``give_cell``).
    3. Where few cells are missing, split groups (``split_groups``: OFF_SPLIT).
    4. Where that fails, the groups reached are *tight*: they want more cells than there are (after Hall, On
       representatives of subsets, 1935). Look at their lines alone (``tight_lines``: OFF_TIGHT).
    """
    groups = group_lines(state, ply)
    cells = state.paired
    state.free = cells
    for group in range(groups):
        state.has[group] = 0
    missing = give_cells(state, groups)
    while 0 < missing <= MOST_MISSING and (game.off & OFF_SPLIT) == 0:
        more = split_groups(game, state, ply, groups, missing)
        # Without a split this marks the stuck groups again.
        missing = give_cells(state, more)
        if more == groups:
            break
        groups = more
    state.paired = cells & ~state.free
    state.distance = missing << 10
    if missing == 0:
        return True
    return (game.off & OFF_TIGHT) == 0 and tight_lines(game, state, ply, maker_to_move, groups)


@part(uint64(GAME, STATE, int64, int64))
def score_cells(game, state, ply, maker_to_move):
    """Score each cell by the lines through it, short ones most, into ``weight[ply]``; returns the cells to try.

    If all lines of a cell also run through another cell, the other *dominates* it: the first is never better, for
    either side, and need not be tried (OFF_DOMINATION). Of several cells on the same lines only the lowest is tried.
    """
    cells = ZERO
    for cell in range(game.cells):
        state.weight[ply, cell] = 0
        state.through[cell] = ZERO
        state.some_line[cell] = -1
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        cells |= left
        weight = _ORDER_UNIT >> (int64(popcount(left)) << maker_to_move)
        bit = ONE << uint64(i & 63)
        while left != ZERO:
            cell = lowest_index(left)
            state.weight[ply, cell] += weight
            state.through[cell] |= bit
            state.some_line[cell] = i
            left &= left - ONE
    if (game.off & OFF_DOMINATION) != 0 or state.count[ply] > 64:
        for cell in range(game.cells):
            state.dominator[ply, cell] = cell
        return cells
    chosen = cells
    while cells != ZERO:
        cell = int64(lowest_index(cells))
        cells &= cells - ONE
        state.dominator[ply, cell] = cell
        others = state.left[ply, state.some_line[cell]] & ~(ONE << uint64(cell))
        while others != ZERO:
            other = int64(lowest_index(others))
            others &= others - ONE
            if (state.through[cell] & ~state.through[other]) == ZERO:
                if state.through[cell] != state.through[other] or other < cell:
                    state.dominator[ply, cell] = other
                    chosen &= ~(ONE << uint64(cell))
                    break
    return chosen


@part(uint64(GAME, STATE, int64, int64))
def potential_zone(game, state, ply, slack):
    """The breaker's zone of a proof by potential that is below its limit by ``slack``.

    The maker may own all other cells: the cells with the lowest scores are given away while the potential stays
    below the limit.
    """
    cells = ZERO
    for cell in range(game.cells):
        state.weight[ply, cell] = 0
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        cells |= left
        weight = _UNIT >> int64(popcount(left))
        while left != ZERO:
            state.weight[ply, lowest_index(left)] += weight
            left &= left - ONE
    while True:
        move = lowest_scored(state.weight[ply], cells)
        weight = state.weight[ply, lowest_index(move)] if move != ZERO else slack
        if weight >= slack:
            return cells
        slack -= weight
        cells &= ~move
        for i in range(state.count[ply]):
            left = state.left[ply, i]
            if (left & move) != ZERO:
                left &= cells
                weight = _UNIT >> int64(popcount(left) + ONE)
                while left != ZERO:
                    state.weight[ply, lowest_index(left)] += weight
                    left &= left - ONE


@part(uint64(STATE, int64, uint64))
def add_dominators(state, ply, zone):
    """A breaker's zone with the cells that dominate its cells, which were tried in their place."""
    cells = zone
    while cells != ZERO:
        cell = int64(lowest_index(cells))
        cells &= cells - ONE
        dominator = state.dominator[ply, cell]
        while dominator != cell:
            zone |= ONE << uint64(dominator)
            cell = dominator
            dominator = state.dominator[ply, cell]
    return zone


@part(void(GAME, STATE, int64, int64))
def lines_key(game, state, ply, maker_to_move):
    """Write the key of the lines of a ply into ``state.key``, and the symmetry by which they are mapped for it.

    The two words are the empty cells on the lines and the maker's marks on them. They tell which of the root's lines
    are left: a deleted line has a cell in neither word, or holds all cells of a line that is left. (Cells that
    ``tight_lines`` gives away count as marks of the maker. A board of 64
    empty cells, whose key would be ambiguous, is only ever a root.)
    """
    empty = ZERO
    marks = ZERO
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        empty |= left
        marks |= game.line[state.index[ply, i]] & ~left
    shared = ply <= SYMMETRY_PLIES and (game.off & OFF_SYMMETRY) == 0
    state.symmetry, state.key[0], state.key[1] = make_key(game.images, empty, marks, maker_to_move, shared)


# ---------------------------------------------------------------- the search


@part(int64(STATE, int64, int64))
def immediate_result(state, ply, maker_to_move):
    """1 if the maker wins by a line of one cell, two of them or a fork; -1 if the breaker must block; else 0.

    Leaves the zone of a yes, or the cell to block, in ``zone[ply]``, and the maker's move in ``winning_move``.
    """
    completing = ZERO
    seen = ZERO
    state.winning_move = ZERO
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        rest = left & (left - ONE)
        if rest == ZERO:
            completing |= left
        elif (rest & (rest - ONE)) == ZERO:
            if (seen & left) != ZERO and state.winning_move == ZERO:
                for j in range(i):
                    known = state.left[ply, j]
                    if (known & left) != ZERO and known != left and int64(popcount(known)) == 2:
                        state.winning_move = known & left
                        state.zone[ply] = known | left
                        break
            seen |= left
    if maker_to_move == 1 and completing != ZERO:
        state.winning_move = lowest_bit(completing)
        state.zone[ply] = state.winning_move
        return 1
    if maker_to_move == 1:
        return 1 if state.winning_move != ZERO else 0
    state.zone[ply] = completing
    if completing == ZERO:
        return 0
    return 1 if (completing & (completing - ONE)) != ZERO else -1


@part(int64(GAME, STATE, TABLE, int64, int64))
def static_check(game, state, table, ply, maker_to_move):
    """Steps 2 to 5 of ``maker_wins``: 1 yes, 0 no, or ``_UNDECIDED`` plus the distance from a proof.

    Leaves in ``zone[ply]`` the zone of an answer, or the private pairs if undecided; then also the key of the position
    in ``key`` and its symmetry in ``symmetry``. The root is always left undecided unless it has no lines, so
    that its search finds a move.
    """
    # 2. Delete lines that a private pair blocks.
    state.narrowed = 0
    pairs = ZERO
    if ply > 0 and (game.off & OFF_PRIVATE) == 0:
        pairs = drop_private(state, ply)
    state.zone[ply] = pairs
    if state.count[ply] == 0:
        return 0
    # 3. Potential.
    if ply > 0 and (game.off & OFF_POTENTIAL) == 0:
        potential = int64(0)
        for i in range(state.count[ply]):
            potential += _UNIT >> int64(popcount(state.left[ply, i]))
        if (potential << maker_to_move) < _UNIT:
            state.zone[ply] = pairs | potential_zone(game, state, ply, (_UNIT >> maker_to_move) - potential)
            return 0
    lines_key(game, state, ply, maker_to_move)
    if ply == 0:
        return _UNDECIDED
    # 4. The table.
    entry = find(table, state.generation, state.key[0], state.key[1])
    if entry >= 0:
        state.zone[ply] = pairs | zone_of(game.images, table, entry, state.symmetry)
        return stored_answer(table, entry, _EVER)
    # 5. A pairing.
    if (game.off & OFF_PAIRING) != 0:
        return _UNDECIDED
    if find_pairing(game, state, ply, maker_to_move):
        state.zone[ply] = pairs | state.paired
        return 0
    return _UNDECIDED + min(state.distance, int64(_MOST_DISTANCE))


@inlined
def best_blocks(game, state, budget, table, ply, maker_to_move, static_only, candidates):
    """Step 6 of ``maker_wins``: a block that a static check proves, alone, else all candidates with updated scores."""
    waiting = candidates
    while waiting != ZERO:
        move = highest_scored(state.weight[ply], waiting)
        waiting &= ~move
        play(state, ply, move, 0)
        # No literal may be passed in a recursive call: the code would compile, but not load from the cache.
        result = maker_wins(game, state, budget, table, ply + 1, 1 - maker_to_move, 1 - static_only)
        if budget.reason != RUNNING:
            break
        if result == 0:
            candidates = move
            break
        if result >= _UNDECIDED:
            rank = _UNDECIDED + _MOST_DISTANCE - result
            state.weight[ply, lowest_index(move)] += rank << _DISTANCE_SHIFT
    return candidates


@part(int64(GAME, STATE, BUDGET, TABLE, int64, int64, int64))
def maker_wins(game, state, budget, table, ply, maker_to_move, static_only):
    """Does the maker complete one of the lines of this ply? 1 yes, 0 no (void when the budget is spent).

    ``maker_to_move`` is 1 when the maker is to move, else 0. With ``static_only`` set, only steps 1 to 5 are taken,
    and the answer may be ``_UNDECIDED`` or more. A yes or no leaves its zone in ``zone[ply]``: for a yes as the
    module says; for a no, cells such that the breaker holds even if the maker owned all cells outside. At ply 0
    ``root_move`` becomes the first move of the side that reaches its aim, if that side is to move.

    1. Immediate results (``immediate_result``): a line of one cell, two such lines, a fork; a forced block.
    2. Delete lines that a private pair blocks (``drop_private``: OFF_PRIVATE).
    3. Potential (Erdos and Selfridge, On a combinatorial game, 1973): the breaker always marks where the sum of
       2^-need is largest, so the sum over all lines never grows from one of its turns to the next; a completed line
       would count 1. Below 1 with the breaker to move, or below 1/2 with the maker to move, the answer is no
       (OFF_POTENTIAL).
    4. The table.
    5. A pairing (``find_pairing``): no (OFF_PAIRING). If pairs serve all but a few tight lines, the answer is no too
       where the breaker holds these alone, which is searched with the maker to move (``tight_lines``: OFF_TIGHT).
    6. The breaker checks each of its moves statically: does one hold by steps 1 to 5? If none does, those nearest to
       a proof come first (``best_blocks``: OFF_STATIC_CHECK).
    7. Search the moves that are left. When a move fails, the success of the other side has a zone, and a mark outside
       it would not have disturbed that success: only moves in the zones of all failures are left (OFF_ZONE).
       Dominated cells are not tried (``score_cells``: OFF_DOMINATION).
    """
    if not may_visit(budget):
        return 0
    # 1. Immediate results.
    soon = immediate_result(state, ply, maker_to_move)
    if soon == 1:
        if ply == 0 and maker_to_move == 1:
            state.root_move = int64(lowest_index(state.winning_move))
        return 1
    if soon == -1:
        block = state.zone[ply]
        if ply == 0:
            state.root_move = int64(lowest_index(block))
        play(state, ply, block, maker_to_move)
        answer = maker_wins(game, state, budget, table, ply + 1, 1 - maker_to_move, static_only)
        state.zone[ply] = block | state.zone[ply + 1]
        return answer
    # 2 to 5. What can be proven without moves.
    result = static_check(game, state, table, ply, maker_to_move)
    if result < _UNDECIDED or static_only != 0:
        return result
    pairs = state.zone[ply]
    symmetry = state.symmetry
    key_first = state.key[0]
    key_second = state.key[1]
    nodes = budget.nodes
    if state.narrowed != 0 and maker_to_move == 1 and ply > 0:
        kept = state.kept
        result = maker_wins(game, state, budget, table, ply + 1, maker_to_move, static_only)
        if budget.reason != RUNNING:
            return 0
        if result == 0:
            zone = kept | state.zone[ply + 1]
            stored_zone = mapped(game.images, symmetry, zone) if symmetry else zone
            store(table, state.generation, key_first, key_second, _EVER, 0, stored_zone, budget.nodes - nodes)
            state.zone[ply] = zone | pairs
            return 0
    # 6. Static checks of the blocks.
    candidates = score_cells(game, state, ply, maker_to_move)
    if maker_to_move == 0 and (game.off & OFF_STATIC_CHECK) == 0:
        candidates = best_blocks(game, state, budget, table, ply, maker_to_move, static_only, candidates)
        if budget.reason != RUNNING:
            return 0
    # 7. The search.
    answer = 1 - maker_to_move
    zone = ZERO
    while candidates != ZERO:
        move = highest_scored(state.weight[ply], candidates)
        candidates &= ~move
        play(state, ply, move, maker_to_move)
        result = maker_wins(game, state, budget, table, ply + 1, 1 - maker_to_move, static_only)
        if budget.reason != RUNNING:
            return 0
        if result == maker_to_move:
            answer = maker_to_move
            zone = move | state.zone[ply + 1]
            if ply == 0:
                state.root_move = int64(lowest_index(move))
            break
        zone |= state.zone[ply + 1]
        if (game.off & OFF_ZONE) == 0:
            candidates &= state.zone[ply + 1]
    if answer == 0 and maker_to_move == 1:
        zone = add_dominators(state, ply, zone)
    stored_zone = mapped(game.images, symmetry, zone) if symmetry else zone
    store(table, state.generation, key_first, key_second, _EVER, answer, stored_zone, budget.nodes - nodes)
    state.zone[ply] = zone | pairs
    return answer


@entry(int64(GAME, STATE, BUDGET, TABLE, int64))
def solve(game, state, budget, table, maker_to_move):
    """Does the maker complete a line of the game? 1 yes, 0 no (void when ``budget.reason`` is set).

    ``root_move`` becomes the first move of the side that reaches its aim if that side is to move and needs one,
    else -1.
    """
    state.generation = new_generation(table)
    state.root_move = -1
    state.count[0] = game.lines
    for i in range(game.lines):
        state.left[0, i] = game.line[i]
        state.index[0, i] = i
    return maker_wins(game, state, budget, table, 0, maker_to_move, 0)
