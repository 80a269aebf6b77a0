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
from kinarow.solvers.maker_breaker.layout import GAME_DTYPE

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


# ---------------------------------------------------------------- lines


@part(void(GAME, int64, uint64, int64))
def play(game, ply, move, maker):
    """Write the lines of ``ply + 1``: those of ``ply`` after a mark of the maker (1) or the breaker (0)."""
    count = 0
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        if maker == 0 and (left & move) != ZERO:
            continue
        game.left[ply + 1, count] = left & ~move
        game.index[ply + 1, count] = game.index[ply, i]
        count += 1
    game.count[ply + 1] = count


@part(uint64(GAME, int64))
def drop_private(game, ply):
    """Delete each line with two cells that are on no other line; returns these pairs.

    The breaker answers a mark on one cell of a pair on the other, and loses nothing elsewhere.
    """
    pairs = ZERO
    while True:
        once = ZERO
        twice = ZERO
        for i in range(game.count[ply]):
            left = game.left[ply, i]
            twice |= once & left
            once |= left
        count = 0
        for i in range(game.count[ply]):
            left = game.left[ply, i]
            alone = left & ~twice
            if (alone & (alone - ONE)) != ZERO and alone != ZERO:
                pairs |= lowest_bit(alone) | lowest_bit(alone & (alone - ONE))
                continue
            game.left[ply, count] = left
            game.index[ply, count] = game.index[ply, i]
            count += 1
        if count == game.count[ply]:
            return pairs
        game.count[ply] = count


@part(boolean(GAME, int64))
def give_cell(game, group):
    """Give a group one more of the ``free`` cells, for which others may have to change theirs; whether that succeeds.

    A breadth-first search for an augmenting path: from a group over a cell it might use to the group that has it.
    After a failure the queue holds all groups that were reached.
    """
    visited = ZERO
    game.queue[0] = group
    game.before[0] = -1
    game.queued = 1
    head = 0
    while head < game.queued:
        reach = game.want[game.queue[head]] & ~visited
        open_cells = reach & game.free
        if open_cells != ZERO:
            cell = int64(lowest_index(open_cells))
            game.free &= ~(ONE << uint64(cell))
            game.has[group] += 1
            step = head
            while step >= 0:
                game.owner[cell] = game.queue[step]
                cell = game.via[step]
                step = game.before[step]
            return True
        visited |= reach
        while reach != ZERO:
            cell = int64(lowest_index(reach))
            reach &= reach - ONE
            owner = game.owner[cell]
            known = False
            for j in range(game.queued):
                if game.queue[j] == owner:
                    known = True
                    break
            if not known:
                game.queue[game.queued] = owner
                game.via[game.queued] = cell
                game.before[game.queued] = head
                game.queued += 1
        head += 1
    return False


@part(int64(GAME, int64))
def give_cells(game, groups):
    """Give each group the cells that it lacks, as far as possible; returns how many are missing.

    The groups reached from one that lacks a cell are marked as ``stuck``.
    """
    missing = 0
    for group in range(groups):
        game.stuck[group] = 0
    for group in range(groups - 1, -1, -1):
        while game.has[group] < 2:
            if not give_cell(game, group):
                missing += 2 - game.has[group]
                for i in range(game.queued):
                    game.stuck[game.queue[i]] = 1
                break
    return missing


@part(uint64(GAME, int64, int64, int64))
def common_cells(game, ply, first, last):
    """The cells common to some lines in the list."""
    cells = game.left[ply, first]
    for i in range(first + 1, last + 1):
        cells &= game.left[ply, i]
    return cells


@part(int64(GAME, int64, int64, int64))
def split_groups(game, ply, groups, missing):
    """Split a stuck group where fewer cells are ``missing`` then; returns the number of groups.

    The parts want two cells more together, but may take them from more: the lines of a part have more in common.
    """
    free = game.free
    for cell in range(game.cells):
        game.kept_owner[cell] = game.owner[cell]
    for group in range(groups):
        game.kept_has[group] = game.has[group]
        game.kept_stuck[group] = game.stuck[group]
    for group in range(groups):
        last = game.last[group]
        want = game.want[group]
        for cut in range(game.first[group], last if game.kept_stuck[group] == 1 else 0):
            game.last[group] = cut
            game.want[group] = common_cells(game, ply, game.first[group], cut)
            game.first[groups] = cut + 1
            game.last[groups] = last
            game.want[groups] = common_cells(game, ply, cut + 1, last)
            game.has[groups] = 0
            if give_cells(game, groups + 1) < missing:
                return groups + 1
            game.free = free
            for cell in range(game.cells):
                game.owner[cell] = game.kept_owner[cell]
            for other in range(groups):
                game.has[other] = game.kept_has[other]
        game.last[group] = last
        game.want[group] = want
    return groups


@part(int64(GAME, int64))
def group_lines(game, ply):
    """Join neighbours in the list of lines while they have two cells in common; returns the number of groups.

    Group ``g`` holds the lines from ``first[g]`` to ``last[g]`` and wants a pair of their common cells, ``want[g]``.
    Leaves all cells of the lines in ``paired``.
    """
    groups = 0
    cells = ZERO
    shared = ZERO
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        cells |= left
        both = shared & left
        if (both & (both - ONE)) == ZERO or both == ZERO:
            game.first[groups] = i
            groups += 1
            both = left
        shared = both
        game.want[groups - 1] = shared
        game.last[groups - 1] = i
    game.paired = cells
    return groups


@part(boolean(GAME, int64, int64, int64))
def tight_lines(game, ply, maker_to_move, groups):
    """Whether the potential proves that the breaker holds the tight lines, on cells of no pair of another group.

    The breaker answers in the pairs where the maker marks them, and holds the tight lines by marks on the cells
    besides, as if the maker had all cells of those pairs. After a no that leaves at most 3/4 of the lines these are a
    smaller game, which ``narrowed`` says: its lines are written for ``ply + 1``, and the cells of the pairs are
    ``kept``. Its key would not be unambiguous (``lines_key``) if it held all cells of a line left out.
    """
    # Groups that own a cell which a tight one wants are tight too.
    kept = game.paired
    grown = True
    while grown:
        grown = False
        for group in range(groups):
            reach = game.want[group] & kept if game.stuck[group] == 1 else ZERO
            kept &= ~reach
            while reach != ZERO:
                owner = game.owner[lowest_index(reach)]
                reach &= reach - ONE
                if game.stuck[owner] == 0:
                    game.stuck[owner] = 1
                    grown = True
    # Their lines, and the potential.
    cells = ZERO
    everything = ZERO
    shortest = int64(MAX_CELLS)
    potential = int64(0)
    count = 0
    for cell in range(game.cells):
        game.weight[ply + 1, cell] = 0
    for group in range(groups):
        if game.stuck[group] == 0:
            continue
        for i in range(game.first[group], game.last[group] + 1):
            left = game.left[ply, i] & ~kept
            need = int64(popcount(left))
            shortest = min(shortest, need)
            potential += _UNIT >> need
            game.left[ply + 1, count] = left
            game.index[ply + 1, count] = game.index[ply, i]
            count += 1
            cells |= left
            everything |= left | (game.line[game.index[ply, i]] & ~left)
            while left != ZERO:
                game.weight[ply + 1, lowest_index(left)] += _UNIT >> need
                left &= left - ONE
    game.distance += potential >> 29
    if maker_to_move == 1:
        # A mark of the maker doubles the lines through one cell.
        heaviest = int64(0)
        for cell in range(game.cells):
            heaviest = max(heaviest, game.weight[ply + 1, cell])
        potential += heaviest
    if potential < _UNIT:
        game.paired = kept | cells
        return True
    if shortest == 0 or 4 * count > 3 * game.count[ply]:
        return False
    for group in range(groups):
        if game.stuck[group] == 0:
            for i in range(game.first[group], game.last[group] + 1):
                if (game.line[game.index[ply, i]] & ~everything) == ZERO:
                    return False
    game.count[ply + 1] = count
    game.kept = kept
    game.narrowed = 1
    return False


@part(boolean(GAME, int64, int64))
def find_pairing(game, ply, maker_to_move):
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
    groups = group_lines(game, ply)
    cells = game.paired
    game.free = cells
    for group in range(groups):
        game.has[group] = 0
    missing = give_cells(game, groups)
    while 0 < missing <= MOST_MISSING and (game.off & OFF_SPLIT) == 0:
        more = split_groups(game, ply, groups, missing)
        # Without a split this marks the stuck groups again.
        missing = give_cells(game, more)
        if more == groups:
            break
        groups = more
    game.paired = cells & ~game.free
    game.distance = missing << 10
    if missing == 0:
        return True
    return (game.off & OFF_TIGHT) == 0 and tight_lines(game, ply, maker_to_move, groups)


@part(uint64(GAME, int64, int64))
def score_cells(game, ply, maker_to_move):
    """Score each cell by the lines through it, short ones most, into ``weight[ply]``; returns the cells to try.

    If all lines of a cell also run through another cell, the other *dominates* it: the first is never better, for
    either side, and need not be tried (OFF_DOMINATION). Of several cells on the same lines only the lowest is tried.
    """
    cells = ZERO
    for cell in range(game.cells):
        game.weight[ply, cell] = 0
        game.through[cell] = ZERO
        game.some_line[cell] = -1
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        cells |= left
        weight = _ORDER_UNIT >> (int64(popcount(left)) << maker_to_move)
        bit = ONE << uint64(i & 63)
        while left != ZERO:
            cell = lowest_index(left)
            game.weight[ply, cell] += weight
            game.through[cell] |= bit
            game.some_line[cell] = i
            left &= left - ONE
    if (game.off & OFF_DOMINATION) != 0 or game.count[ply] > 64:
        for cell in range(game.cells):
            game.dominator[ply, cell] = cell
        return cells
    chosen = cells
    while cells != ZERO:
        cell = int64(lowest_index(cells))
        cells &= cells - ONE
        game.dominator[ply, cell] = cell
        others = game.left[ply, game.some_line[cell]] & ~(ONE << uint64(cell))
        while others != ZERO:
            other = int64(lowest_index(others))
            others &= others - ONE
            if (game.through[cell] & ~game.through[other]) == ZERO:
                if game.through[cell] != game.through[other] or other < cell:
                    game.dominator[ply, cell] = other
                    chosen &= ~(ONE << uint64(cell))
                    break
    return chosen


@part(uint64(GAME, int64, int64))
def potential_zone(game, ply, slack):
    """The breaker's zone of a proof by potential that is below its limit by ``slack``.

    The maker may own all other cells: the cells with the lowest scores are given away while the potential stays
    below the limit.
    """
    cells = ZERO
    for cell in range(game.cells):
        game.weight[ply, cell] = 0
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        cells |= left
        weight = _UNIT >> int64(popcount(left))
        while left != ZERO:
            game.weight[ply, lowest_index(left)] += weight
            left &= left - ONE
    while True:
        move = lowest_scored(game.weight[ply], cells)
        weight = game.weight[ply, lowest_index(move)] if move != ZERO else slack
        if weight >= slack:
            return cells
        slack -= weight
        cells &= ~move
        for i in range(game.count[ply]):
            left = game.left[ply, i]
            if (left & move) != ZERO:
                left &= cells
                weight = _UNIT >> int64(popcount(left) + ONE)
                while left != ZERO:
                    game.weight[ply, lowest_index(left)] += weight
                    left &= left - ONE


@part(uint64(GAME, int64, uint64))
def add_dominators(game, ply, zone):
    """A breaker's zone with the cells that dominate its cells, which were tried in their place."""
    cells = zone
    while cells != ZERO:
        cell = int64(lowest_index(cells))
        cells &= cells - ONE
        dominator = game.dominator[ply, cell]
        while dominator != cell:
            zone |= ONE << uint64(dominator)
            cell = dominator
            dominator = game.dominator[ply, cell]
    return zone


@part(int64(GAME, int64, int64))
def lines_key(game, ply, maker_to_move):
    """Write the key of the lines of a ply into ``game.images.key``; returns the symmetry it was mapped by.

    The two words are the empty cells on the lines and the maker's marks on them. They tell which of the root's lines
    are left: a deleted line has a cell in neither word, or holds all cells of a line that is left. (Cells that
    ``tight_lines`` gives away count as marks of the maker. A board of 64
    empty cells, whose key would be ambiguous, is only ever a root.)
    """
    empty = ZERO
    marks = ZERO
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        empty |= left
        marks |= game.line[game.index[ply, i]] & ~left
    shared = ply <= SYMMETRY_PLIES and (game.off & OFF_SYMMETRY) == 0
    return make_key(game.images, empty, marks, maker_to_move, shared)


# ---------------------------------------------------------------- the search


@part(int64(GAME, int64, int64))
def immediate_result(game, ply, maker_to_move):
    """1 if the maker wins by a line of one cell, two of them or a fork; -1 if the breaker must block; else 0.

    Leaves the zone of a yes, or the cell to block, in ``zone[ply]``, and the maker's move in ``winning_move``.
    """
    completing = ZERO
    seen = ZERO
    game.winning_move = ZERO
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        rest = left & (left - ONE)
        if rest == ZERO:
            completing |= left
        elif (rest & (rest - ONE)) == ZERO:
            if (seen & left) != ZERO and game.winning_move == ZERO:
                for j in range(i):
                    known = game.left[ply, j]
                    if (known & left) != ZERO and known != left and int64(popcount(known)) == 2:
                        game.winning_move = known & left
                        game.zone[ply] = known | left
                        break
            seen |= left
    if maker_to_move == 1 and completing != ZERO:
        game.winning_move = lowest_bit(completing)
        game.zone[ply] = game.winning_move
        return 1
    if maker_to_move == 1:
        return 1 if game.winning_move != ZERO else 0
    game.zone[ply] = completing
    if completing == ZERO:
        return 0
    return 1 if (completing & (completing - ONE)) != ZERO else -1


@part(int64(GAME, TABLE, int64, int64))
def static_check(game, table, ply, maker_to_move):
    """Steps 2 to 5 of ``maker_wins``: 1 yes, 0 no, or ``_UNDECIDED`` plus the distance from a proof.

    Leaves in ``zone[ply]`` the zone of an answer, or the private pairs if undecided; then also the key of the position
    in ``images.key`` and its symmetry in ``symmetry``. The root is always left undecided unless it has no lines, so
    that its search finds a move.
    """
    # 2. Delete lines that a private pair blocks.
    game.narrowed = 0
    pairs = ZERO
    if ply > 0 and (game.off & OFF_PRIVATE) == 0:
        pairs = drop_private(game, ply)
    game.zone[ply] = pairs
    if game.count[ply] == 0:
        return 0
    # 3. Potential.
    if ply > 0 and (game.off & OFF_POTENTIAL) == 0:
        potential = int64(0)
        for i in range(game.count[ply]):
            potential += _UNIT >> int64(popcount(game.left[ply, i]))
        if (potential << maker_to_move) < _UNIT:
            game.zone[ply] = pairs | potential_zone(game, ply, (_UNIT >> maker_to_move) - potential)
            return 0
    game.symmetry = lines_key(game, ply, maker_to_move)
    if ply == 0:
        return _UNDECIDED
    # 4. The table.
    entry = find(table, game.generation, game.images.key[0], game.images.key[1])
    if entry >= 0:
        game.zone[ply] = pairs | zone_of(game.images, table, entry, game.symmetry)
        return stored_answer(table, entry, _EVER)
    # 5. A pairing.
    if (game.off & OFF_PAIRING) != 0:
        return _UNDECIDED
    if find_pairing(game, ply, maker_to_move):
        game.zone[ply] = pairs | game.paired
        return 0
    return _UNDECIDED + min(game.distance, int64(_MOST_DISTANCE))


@inlined
def best_blocks(game, budget, table, ply, maker_to_move, static_only, candidates):
    """Step 6 of ``maker_wins``: a block that a static check proves, alone, else all candidates with updated scores."""
    waiting = candidates
    while waiting != ZERO:
        move = highest_scored(game.weight[ply], waiting)
        waiting &= ~move
        play(game, ply, move, 0)
        # No literal may be passed in a recursive call: the code would compile, but not load from the cache.
        result = maker_wins(game, budget, table, ply + 1, 1 - maker_to_move, 1 - static_only)
        if budget.reason != RUNNING:
            break
        if result == 0:
            candidates = move
            break
        if result >= _UNDECIDED:
            rank = _UNDECIDED + _MOST_DISTANCE - result
            game.weight[ply, lowest_index(move)] += rank << _DISTANCE_SHIFT
    return candidates


@part(int64(GAME, BUDGET, TABLE, int64, int64, int64))
def maker_wins(game, budget, table, ply, maker_to_move, static_only):
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
    soon = immediate_result(game, ply, maker_to_move)
    if soon == 1:
        if ply == 0 and maker_to_move == 1:
            game.root_move = int64(lowest_index(game.winning_move))
        return 1
    if soon == -1:
        block = game.zone[ply]
        if ply == 0:
            game.root_move = int64(lowest_index(block))
        play(game, ply, block, maker_to_move)
        answer = maker_wins(game, budget, table, ply + 1, 1 - maker_to_move, static_only)
        game.zone[ply] = block | game.zone[ply + 1]
        return answer
    # 2 to 5. What can be proven without moves.
    result = static_check(game, table, ply, maker_to_move)
    if result < _UNDECIDED or static_only != 0:
        return result
    pairs = game.zone[ply]
    symmetry = game.symmetry
    key_first = game.images.key[0]
    key_second = game.images.key[1]
    nodes = budget.nodes
    if game.narrowed != 0 and maker_to_move == 1 and ply > 0:
        kept = game.kept
        result = maker_wins(game, budget, table, ply + 1, maker_to_move, static_only)
        if budget.reason != RUNNING:
            return 0
        if result == 0:
            zone = kept | game.zone[ply + 1]
            stored_zone = mapped(game.images, symmetry, zone) if symmetry else zone
            store(table, game.generation, key_first, key_second, _EVER, 0, stored_zone, budget.nodes - nodes)
            game.zone[ply] = zone | pairs
            return 0
    # 6. Static checks of the blocks.
    candidates = score_cells(game, ply, maker_to_move)
    if maker_to_move == 0 and (game.off & OFF_STATIC_CHECK) == 0:
        candidates = best_blocks(game, budget, table, ply, maker_to_move, static_only, candidates)
        if budget.reason != RUNNING:
            return 0
    # 7. The search.
    answer = 1 - maker_to_move
    zone = ZERO
    while candidates != ZERO:
        move = highest_scored(game.weight[ply], candidates)
        candidates &= ~move
        play(game, ply, move, maker_to_move)
        result = maker_wins(game, budget, table, ply + 1, 1 - maker_to_move, static_only)
        if budget.reason != RUNNING:
            return 0
        if result == maker_to_move:
            answer = maker_to_move
            zone = move | game.zone[ply + 1]
            if ply == 0:
                game.root_move = int64(lowest_index(move))
            break
        zone |= game.zone[ply + 1]
        if (game.off & OFF_ZONE) == 0:
            candidates &= game.zone[ply + 1]
    if answer == 0 and maker_to_move == 1:
        zone = add_dominators(game, ply, zone)
    stored_zone = mapped(game.images, symmetry, zone) if symmetry else zone
    store(table, game.generation, key_first, key_second, _EVER, answer, stored_zone, budget.nodes - nodes)
    game.zone[ply] = zone | pairs
    return answer


@entry(int64(GAME, BUDGET, TABLE, int64))
def solve(game, budget, table, maker_to_move):
    """Does the maker complete a line of the game? 1 yes, 0 no (void when ``budget.reason`` is set).

    ``root_move`` becomes the first move of the side that reaches its aim if that side is to move and needs one,
    else -1.
    """
    game.generation = new_generation(table)
    game.root_move = -1
    game.count[0] = game.lines
    for i in range(game.lines):
        game.left[0, i] = game.line[i]
        game.index[0, i] = i
    return maker_wins(game, budget, table, 0, maker_to_move, 0)
