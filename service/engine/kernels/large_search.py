"""Principal variation search for large boards under every rule, deepened one iteration at a time.

    value of node(alpha, beta, depth), with v the true value under what the search looks at:
        result <= alpha            =>  v <= result
        alpha < result < beta      =>  v == result
        result >= beta             =>  v >= result
    |result| >= PROVEN_FROM        =>  the bound it states holds in the game itself, whatever the depth
    search.soft unchanged          =>  no estimate was used and nothing left out below: result is proven

Two ways to search. The usual one looks at candidate moves near marks, extends forced answers, searches fours
at the leaves and leaves late quiet moves out: a value that then says "lost" is held at -ESTIMATE_LIMIT unless
every legal move has been refuted. The plain one (``search.plain``) visits every legal move to exactly the depth
and estimates there: the minimax value of the estimate, except that lines completed within the depth count.

Estimates are sums of points over the empty cells (``large_tunables``), negated in misere. Known ideas, one
source each: principal variation search (Marsland and Campbell 1982), aspiration and iterative deepening
(Slate and Atkin 1977), killer moves (Akl and Newborn 1977), history (Schaeffer 1983), countermoves (Uiterwijk
1992), late move reductions (Romstad 2006), futility pruning (Heinz 1998).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_index
from service.engine.kernels.control import CONTROL, RUNNING, may_visit
from service.engine.kernels.large_board import (
    BIT_MASK,
    BOARD,
    FIVE_CELL,
    FOUR_CELL,
    FOUR_THREE_CELL,
    OPEN_FOUR_CELL,
    THREE_CELL,
    WORD_SHIFT,
    playable,
    put,
    take,
)
from service.engine.kernels.large_table import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    ESTIMATE_LIMIT,
    INFINITY,
    MAX_PLY,
    PROVEN,
    PROVEN_FROM,
    REDUCTION_SIZE,
    SEARCH,
    TABLE,
    begin,
    entry_bound,
    entry_certain,
    entry_depth,
    entry_move,
    entry_value,
    find,
    position_key,
    store,
)
from service.engine.kernels.large_threats import (
    add_fours_to_zone,
    first_of,
    five_cell,
    five_cells,
    forced_win,
    fours,
    join_line,
    quicker_win,
    refutation,
    urgency,
)

_TABLE_RANK = 1 << 28
_FAR_RANK = -(1 << 28)  # moves that are no candidates come after this
_QUIET = 0
_FORCED = 1
_DEFENCE = 2


@njit(types.int64(BOARD, SEARCH, types.int64), cache=True)
def estimate(board, search, side):
    """The estimate for the side to move, within +-ESTIMATE_LIMIT exclusive."""
    other = 1 - side
    value = board.total[side] - board.total[other]
    if board.misere != 0:
        return min(max(-value, 1 - ESTIMATE_LIMIT), ESTIMATE_LIMIT - 1)
    value += search.move_bonus
    if board.gravity == 0:
        for i in range(5):
            category = OPEN_FOUR_CELL - i
            if board.count[side, category] > 0:
                value += search.threat_bonus[0, i]
            if board.count[other, category] > 0:
                value -= search.threat_bonus[1, i]
    return min(max(value, 1 - ESTIMATE_LIMIT), ESTIMATE_LIMIT - 1)


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64, types.int64, types.int64), cache=True)
def _rank(board, search, side, cell, ply, previous):
    """How promising a mark on the cell is."""
    other = 1 - side
    own = types.int64(board.points[cell, side])
    theirs = types.int64(board.points[cell, other])
    history = types.int64(search.history[side, cell]) // search.history_divisor
    if board.misere != 0:
        return history - own - theirs // 2
    rank = own + theirs * search.defence_share // 16 + history
    rank += search.category_order[0, types.int64(board.category[cell, side])]
    rank += search.category_order[1, types.int64(board.category[cell, other])]
    if search.killer[ply, 0] == cell or search.killer[ply, 1] == cell:
        rank += search.killer_order
    if search.counter[other, previous] == cell:
        rank += search.counter_order
    return rank


@njit(types.void(BOARD, SEARCH, types.int64, types.int64), cache=True)
def _fill_defences(board, search, side, ply):
    """Make ``search.zone[ply]`` the only cells that do not lose in four to the other side's open fours.

    A mark elsewhere makes no four and leaves the first open four's cell and the cells that complete its
    lines empty. With several open fours a defence must meet each of them.
    """
    other = 1 - side
    for word in range(board.words):
        search.zone[ply, word] = ZERO
        search.zone[ply + 1, word] = ~ZERO
    tried = 0
    for word in range(board.words):
        bits = board.mask[other, OPEN_FOUR_CELL, word]
        while bits != ZERO and tried < 4:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            tried += 1
            put(board, cell, other)
            for i in range(board.words):
                meets = board.mask[other, FIVE_CELL, i]
                if i == cell >> WORD_SHIFT:
                    meets |= ONE << np.uint64(cell & BIT_MASK)
                search.zone[ply + 1, i] &= meets
            take(board, cell)
    add_fours_to_zone(board, search, side, ply)
    for word in range(board.words):
        search.zone[ply, word] |= search.zone[ply + 1, word]
        search.zone[ply, word] &= board.open_mask[word]


@njit(
    types.int64(
        BOARD, SEARCH, types.int64, types.int64, types.int64, types.boolean, types.int64, types.int64
    ),
    cache=True,
)
def _list_moves(board, search, side, ply, kind, full, preferred, previous):
    """Fill ``search.moves[ply]`` and their ranks; returns how many. The table's move ranks first.

    Quiet nodes get the candidates, or with ``full`` every legal move, those that are no candidates ranked
    below ``_FAR_RANK // 2``; nodes of defence get ``search.zone[ply]``.
    """
    count = 0
    near = ZERO
    for word in range(board.words):
        near |= board.near_mask[word] & board.open_mask[word]
    # On an empty board the centre is the one candidate.
    centre = (board.rows // 2) * board.columns + board.columns // 2 if near == ZERO else -1
    urgent = ply == 0 and search.urgent != 0
    for word in range(board.words):
        if kind == _DEFENCE:
            bits = search.zone[ply, word]
        elif full or centre >= 0:
            bits = board.open_mask[word]
        else:
            bits = board.open_mask[word] & board.near_mask[word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if board.gravity != 0 and not playable(board, cell):
                continue
            rank = _rank(board, search, side, cell, ply, previous)
            if cell == preferred:
                rank = _TABLE_RANK
            elif (
                kind == _QUIET
                and board.near[cell] == 0
                and cell != centre
                and board.gravity == 0
                and board.misere == 0
            ):
                rank += _FAR_RANK
            # Where a pass loses, a mark that does not touch the threats is not much better than one.
            elif (
                urgent
                and kind == _QUIET
                and (search.urgent_zone[word] >> np.uint64(cell & BIT_MASK)) & ONE == ZERO
            ):
                rank += _FAR_RANK
            search.moves[ply, count] = cell
            search.ranks[ply, count] = rank
            count += 1
    return count


@njit(types.int64(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _pick(search, ply, number, count):
    """Bring the best of the moves from ``number`` on to its place and return it; ties go to the lower cell."""
    best = number
    for i in range(number + 1, count):
        if search.ranks[ply, i] > search.ranks[ply, best] or (
            search.ranks[ply, i] == search.ranks[ply, best] and search.moves[ply, i] < search.moves[ply, best]
        ):
            best = i
    cell = search.moves[ply, best]
    rank = search.ranks[ply, best]
    search.moves[ply, best] = search.moves[ply, number]
    search.ranks[ply, best] = search.ranks[ply, number]
    search.moves[ply, number] = cell
    search.ranks[ply, number] = rank
    return types.int64(cell)


@njit(types.void(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _reward(search, side, cell, bonus):
    """Move a history count towards the limit by this bonus (negative: away), the more slowly the nearer it is."""
    old = types.int64(search.history[side, cell])
    search.history[side, cell] = old + bonus - old * abs(bonus) // search.history_limit


@njit(
    types.void(SEARCH, types.int64, types.int64, types.int64, types.int64, types.int64, types.int64),
    cache=True,
)
def _remember(search, side, ply, cell, previous, depth, number):
    """A quiet move refuted the node: prefer it elsewhere, and the moves tried before it less."""
    if search.killer[ply, 0] != cell:
        search.killer[ply, 1] = search.killer[ply, 0]
        search.killer[ply, 0] = cell
    search.counter[1 - side, previous] = cell
    bonus = min(depth * depth + depth, 1024) * 8
    _reward(search, side, cell, bonus)
    for i in range(number):
        _reward(search, side, types.int64(search.moves[ply, i]), -bonus)


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64, types.int64), cache=True)
def _soon_decided(board, search, side, ply, depth):
    """The value where a side to move or its opponent surely completes a line within three plies; 0 where none does.

    ``search.block`` becomes the first cell that completes a line for the other side, or -1.
    """
    search.block = -1
    if board.misere != 0:
        return 0
    other = 1 - side
    plain = search.plain != 0
    if depth >= 1 or not plain:
        cell = five_cell(board, side)
        if cell >= 0:
            search.pv[ply, 0] = cell
            search.pv_length[ply] = 1
            return PROVEN - (ply + 1)
    against = five_cells(board, other)
    if against > 0:
        search.block = five_cell(board, other)
        if against >= 2 and (depth >= 2 or not plain):
            search.pv[ply, 0] = search.block
            search.pv_length[ply] = 1
            return -(PROVEN - (ply + 2))
    elif board.gravity == 0 and not plain and board.count[side, OPEN_FOUR_CELL] > 0:
        search.pv[ply, 0] = first_of(board, side, OPEN_FOUR_CELL)
        search.pv_length[ply] = 1
        return PROVEN - (ply + 3)
    return 0


@njit(
    types.int64(BOARD, SEARCH, TABLE, types.int64, types.int64, types.int64, types.int64, types.int64),
    cache=True,
)
def _known_value(board, search, table, slot, alpha, beta, depth, ply):
    """The value in a slot of the table if it answers the question of a node, ``INFINITY`` if it does not."""
    value = entry_value(table, slot, ply)
    bound = entry_bound(table, slot)
    certain = entry_certain(board, search, table, slot)
    reached = entry_depth(table, slot)
    if not certain:
        deep_enough = reached == depth if search.plain != 0 else reached >= depth
        if abs(value) >= PROVEN_FROM or not deep_enough:
            return INFINITY
    if (
        bound == BOUND_EXACT
        or (bound == BOUND_LOWER and value >= beta)
        or (bound == BOUND_UPPER and value <= alpha)
    ):
        if not certain:
            search.soft += 1
        return value
    return INFINITY


@njit(
    types.int64(
        BOARD,
        SEARCH,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.boolean,
        types.int64,
        types.int64,
        types.int64,
    ),
    cache=True,
)
def _list_kind(board, search, side, ply, depth, kind, full, block, preferred, previous):
    """List the moves of a node of a kind in ``search.moves[ply]``; returns how many.

    ``search.floor`` becomes what is proven of those not listed: every move but a block loses in two, every one
    that does not meet an open four in four. ``-INFINITY`` where nothing is.
    """
    search.floor = -INFINITY
    if kind == _FORCED and (depth >= 2 or search.plain == 0):
        search.moves[ply, 0] = block
        search.ranks[ply, 0] = 0
        # Where this is the only move there is no other.
        if board.empty > 1:
            search.floor = -(PROVEN - (ply + 2))
        return 1
    if kind == _DEFENCE:
        _fill_defences(board, search, side, ply)
        count = _list_moves(board, search, side, ply, kind, False, preferred, previous)
        search.floor = -(PROVEN - (ply + 4))
        if count == 0:
            search.moves[ply, 0] = first_of(board, 1 - side, OPEN_FOUR_CELL)
            search.ranks[ply, 0] = 0
            count = 1
        return count
    return _list_moves(board, search, side, ply, _QUIET, full or kind == _FORCED, preferred, previous)


@njit(types.boolean(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _is_beyond(search, ply, depth, number):
    """Whether a quiet move, and so those after it, need no search while a better hope is there.

    It is far from all marks, or, but at the root, late among the moves.
    """
    far = types.int64(search.ranks[ply, number]) < _FAR_RANK // 2
    return far or (ply > 0 and number >= search.width_base + search.width_slope * max(depth, 0))


@njit(
    types.boolean(BOARD, SEARCH, types.int64, types.int64, types.int64, types.int64, types.int64), cache=True
)
def _is_futile(board, search, side, cell, depth, guess, alpha):
    """Whether a move near the horizon hardly lifts the estimate above alpha."""
    gain = types.int64(board.points[cell, side]) + search.futility_margin * depth
    return depth <= search.futility_depth and guess + gain <= alpha


@njit(types.int64(SEARCH, types.int64, types.int64, types.boolean, types.boolean), cache=True)
def _reduction(search, depth, number, dangerous, null_window):
    """By how much less deep a late quiet move is searched first."""
    reduction = types.int64(search.reduction[min(depth, REDUCTION_SIZE - 1), min(number, REDUCTION_SIZE - 1)])
    if dangerous:
        reduction -= 1
    if not null_window:
        reduction -= 1
    return min(max(reduction, 0), depth - 2)


@njit(types.void(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _keep_line(search, ply, cell, value):
    """The line of this ply begins with the cell; at the root it is the answer so far."""
    join_line(search, ply, cell)
    if ply > 0:
        return
    search.best = cell
    search.value = value
    search.line_length = search.pv_length[0]
    for i in range(search.line_length):
        search.line[i] = search.pv[0, i]


@njit(types.int64(BOARD, SEARCH, CONTROL, TABLE, types.int64, types.int64, types.int64), cache=True)
def _win_by_fours(board, search, control, table, side, ply, depth):
    """The value of a win by fours for the side to move, entered in the table with this depth; 0 if none was found.

    At the horizon (depth 0 or less) with the means of a leaf, before it with those of an inner node. Void when
    ``control.reason`` is set.
    """
    if depth <= 0:
        search.four_nodes = search.leaf_four_nodes
        plies = fours(board, search, control, side, search.leaf_fours, 0)
    else:
        search.four_nodes = search.inner_four_nodes
        plies = fours(board, search, control, side, search.inner_fours, 0)
    if plies == 0 or control.reason != RUNNING:
        return 0
    cell = types.int64(search.four_line[0])
    search.pv[ply, 0] = cell
    search.pv_length[ply] = 1
    value = PROVEN - (ply + plies)
    store(board, search, table, position_key(board, side), value, ply, cell, max(depth, 0), BOUND_LOWER, 1)
    return value


@njit(
    types.int64(
        BOARD,
        SEARCH,
        CONTROL,
        TABLE,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
    ),
    nogil=True,
    cache=True,
)
def node(board, search, control, table, alpha, beta, depth, ply, side, previous):
    """The value of the position for the side to move, counted from the root; see the top of the file.

    ``previous`` is the cell of the last mark; at the root and after a pass it is ``board.cells`` (a number known
    only at run time: Numba 0.68 cannot load a cached function that calls itself with a literal). While
    ``control.reason`` is not RUNNING the value is void.
    """
    if not may_visit(control):
        return 0
    other = 1 - side
    plain = search.plain != 0
    normal = board.misere == 0
    threatening = normal and board.gravity == 0
    search.pv_length[ply] = 0
    if ply > search.deepest:
        search.deepest = ply

    # 1. The end of the game: full, or no line is possible any more.
    if board.empty == 0 or (board.alive[0] == 0 and board.alive[1] == 0 and ply > 0):
        return 0

    # 2. What is decided within three plies, where the depth reaches so far.
    value = _soon_decided(board, search, side, ply, depth)
    if value != 0:
        return value
    kind = _FORCED if search.block >= 0 else _QUIET
    block = search.block

    # 3. The table. The root begins with the best move so far, so that a broken-off iteration cannot lose it.
    key = position_key(board, side)
    preferred = -1
    slot = find(search, table, key)
    if slot >= 0 and ply == 0:
        preferred = search.best if search.best >= 0 else entry_move(table, slot)
    elif slot >= 0:
        preferred = entry_move(table, slot)
        value = _known_value(board, search, table, slot, alpha, beta, depth, ply)
        if value < INFINITY:
            search.pv[ply, 0] = preferred
            search.pv_length[ply] = 1
            return value

    # 4. The horizon.
    seeks_fours = not plain and threatening and kind == _QUIET
    if (depth <= 0 and (plain or kind != _FORCED)) or ply + 3 >= MAX_PLY:
        hopeful = 2 * board.count[side, FOUR_THREE_CELL] + board.count[side, FOUR_CELL]
        if seeks_fours and slot < 0 and hopeful >= search.leaf_four_cells:
            value = _win_by_fours(board, search, control, table, side, ply, types.int64(0))
            if value != 0 or control.reason != RUNNING:
                return value
        search.soft += 1
        value = estimate(board, search, side)
        if slot < 0 and not plain:
            store(board, search, table, key, value, ply, 0, 0, BOUND_EXACT, 0)
        return value

    soft_before = search.soft
    null_window = beta - alpha == 1
    guess = 0
    exhaustive = plain or board.gravity != 0 or board.empty <= depth
    exhaustive = exhaustive or (board.alive[0] == 0 and board.alive[1] == 0)

    # 5. Win by fours; cut where the estimate is far above beta.
    if seeks_fours:
        if slot < 0 and board.count[side, FOUR_CELL] + board.count[side, FOUR_THREE_CELL] > 0:
            value = _win_by_fours(board, search, control, table, side, ply, depth)
            if value != 0 or control.reason != RUNNING:
                return value
        guess = estimate(board, search, side)
        may_cut = null_window and not exhaustive and abs(beta) < ESTIMATE_LIMIT
        if board.count[other, OPEN_FOUR_CELL] > 0:
            kind = _DEFENCE
        elif may_cut and depth <= search.reverse_depth and guess - search.reverse_margin * depth >= beta:
            search.soft += 1
            return guess
        # Passing here would still be good enough: so is the best move.
        elif (
            may_cut
            and depth >= search.pass_depth
            and previous != board.cells
            and guess - search.pass_margin >= beta
        ):
            reduced = depth - search.pass_reduction - depth // 4
            value = -node(
                board, search, control, table, -beta, -beta + 1, reduced, ply + 1, other, board.cells
            )
            if control.reason != RUNNING:
                return 0
            if value >= beta:
                search.soft += 1
                return min(value, ESTIMATE_LIMIT)

    # 6. The moves. ``best`` begins with what is proven of the moves not listed.
    full = plain or not threatening or ply == 0 or board.empty <= depth
    count = _list_kind(board, search, side, ply, depth, kind, full, block, preferred, previous)
    complete = full or kind != _QUIET
    best = search.floor
    next_depth = depth if kind == _FORCED and not plain else depth - 1
    start_alpha = alpha
    alpha = max(alpha, best)
    best_move = -1

    # 7. Search them.
    if best < beta:
        for number in range(count):
            cell = _pick(search, ply, number, count)
            mine = types.int64(board.category[cell, side])
            theirs = types.int64(board.category[cell, other])
            quiet = kind == _QUIET and mine < FOUR_CELL and not exhaustive
            if quiet and number > 0 and best > -ESTIMATE_LIMIT:
                if _is_beyond(search, ply, depth, number):
                    complete = False
                    break
                if threatening and null_window and ply > 0 and mine < THREE_CELL and theirs < FOUR_CELL:
                    if _is_futile(board, search, side, cell, depth, guess, alpha):
                        complete = False
                        continue
            if not normal and mine == FIVE_CELL:
                value = -(PROVEN - (ply + 1))
                search.pv_length[ply + 1] = 0
            else:
                put(board, cell, side)
                whole = number == 0
                if not whole:
                    reduction = 0
                    if quiet and depth >= 2 and number >= search.reduction_from:
                        dangerous = mine >= THREE_CELL or theirs >= FOUR_CELL
                        reduction = _reduction(search, depth, number, dangerous, null_window)
                    value = -node(
                        board, search, control, table, -alpha - 1, -alpha, next_depth - reduction, ply + 1, other, cell
                    )  # fmt: skip
                    if reduction > 0 and value > alpha and control.reason == RUNNING:
                        value = -node(
                            board, search, control, table, -alpha - 1, -alpha, next_depth, ply + 1, other, cell
                        )  # fmt: skip
                    whole = alpha < value < beta and control.reason == RUNNING
                if whole:
                    value = -node(
                        board, search, control, table, -beta, -alpha, next_depth, ply + 1, other, cell
                    )
                take(board, cell)
            if control.reason != RUNNING:
                return 0
            if value > best or best_move < 0:
                best = max(best, value)
                best_move = cell
                if value > alpha or (ply == 0 and number == 0):
                    _keep_line(search, ply, cell, value)
                alpha = max(alpha, best)
                if best >= beta:
                    break

    # 8. What was left out may have been better; a loss is then none.
    if not complete:
        search.soft += 1
        best = max(best, -ESTIMATE_LIMIT)
    if best >= beta and kind == _QUIET:
        _remember(search, side, ply, best_move, previous, depth, number)
    certain = 1 if search.soft == soft_before or abs(best) >= PROVEN_FROM else 0
    bound = BOUND_EXACT
    if best >= beta:
        bound = BOUND_LOWER
    elif best <= start_alpha:
        bound = BOUND_UPPER
    store(board, search, table, key, best, ply, max(best_move, 0), depth, bound, certain)
    return best


@njit(
    types.boolean(BOARD, SEARCH, CONTROL, TABLE, types.int64),
    nogil=True,
    cache=True,
)
def search_depth(board, search, control, table, depth):
    """Search the loaded position, side 0 to move, to a depth; True when it was completed.

    Leaves ``search.value`` (exact for this search), ``best`` (a cell), ``line`` and ``resolved``: 1 when
    the value rests on no estimate, as all proven wins, losses and draws do. Where the budget ends first it
    returns False; if ``best`` is no longer -1 it and its line are then the best answer so far. The game must
    not be over. Ask for depths in rising order from 1, after ``begin``.
    """
    alpha = -INFINITY
    beta = INFINITY
    width = search.aspiration_width
    centre = search.value
    if depth >= search.aspiration_depth and search.plain == 0 and abs(centre) < ESTIMATE_LIMIT:
        alpha = centre - width
        beta = centre + width
    while True:
        search.soft = 0
        value = node(board, search, control, table, alpha, beta, depth, 0, 0, board.cells)
        if control.reason != RUNNING:
            return False
        if value <= alpha and alpha > -INFINITY:
            width *= 3
            alpha = (
                value - width if abs(value) < ESTIMATE_LIMIT and width < ESTIMATE_LIMIT // 4 else -INFINITY
            )
        elif value >= beta and beta < INFINITY:
            width *= 3
            beta = value + width if abs(value) < ESTIMATE_LIMIT and width < ESTIMATE_LIMIT // 4 else INFINITY
        else:
            break
    search.value = value
    if search.pv_length[0] > 0:
        search.best = search.pv[0, 0]
        search.line_length = search.pv_length[0]
        for i in range(search.line_length):
            search.line[i] = search.pv[0, i]
    search.resolved = 1 if search.soft == 0 or abs(value) >= PROVEN_FROM else 0
    return True


@dataclass(frozen=True, slots=True)
class Iteration:
    """What is known after an iteration: values as at the top of this file and in ``large_table``."""

    depth: int
    value: int
    best: int
    line: tuple[int, ...]
    resolved: bool
    """The value is proven; its distance is exact only as far as ``exact`` says."""
    exact: bool
    complete: bool
    """False where the budget ended inside the iteration."""


# The threat searches take turns with the main search: each gets so many nodes, as a share of all so far. The
# best move is tested against threats above all where a pass loses to them: a mark more seldom helps the other side.
_ATTACK_SHARE = 0.25
_HOPEFUL_SHARE = 0.75  # of the search for a win that the main search believes in but cannot prove
_ALARM_SHARE = 0.15
_DEFENCE_SHARE = 0.1
_URGENT_SHARE = 0.5
_ALL = 1e9  # ... when a further iteration of the main search has found nothing more to look at:
_IDLE_NODES = 500
_THREAT_START = 300
_THREAT_DEPTH = 40

# Wins in 1 and 3, and so losses in 2 and 4, are seen where they stand. Without gravity a win that is not one
# of them is exact in 5 therefore, and a loss in 6.
_EXACT_PLIES = 4
_EXACT_WIN = 5
_EXACT_LOSS = 6

# A win found is searched for a quicker one with so many nodes, or as many as it took to find where that is more.
_QUICKER_NODES = 30_000


def think(
    board: np.ndarray,
    search: np.ndarray,
    control: np.ndarray,
    table: np.ndarray,
    max_depth: int,
    plain: bool = False,
    keep: bool = False,
) -> Iterator[Iteration]:
    """Deepen until proof, depth or budget, and report after each iteration; the last report is the answer.

    Args:
        board: a loaded board, the game not over; unchanged at the end.
        search, table: from ``new_search`` and ``new_table``, for this search alone.
        max_depth: 1 or more; depths beyond the empty cells are never searched.
        plain: full width to the depth and no further (see the top of the file).
        keep: what the last searches with this record and table found, under the same rules, may be used.
    """
    b, s, c = board[0], search[0], control[0]
    begin(search, table, int(b.cells), plain, keep)
    threats_help = not plain and not b.misere
    attack = _ThreatTurns()
    alarm = _ThreatTurns()
    defence = _ThreatTurns()
    refuted: set[int] = set()
    last = None
    idle = False

    def attack_deeper(threats: int, nodes: int) -> int:
        return int(forced_win(b, s, c, table, threats, nodes))

    for depth in range(1, min(max_depth, int(b.empty)) + 1):
        # 1. A win by threats ends the search.
        share = _ATTACK_SHARE
        if s.value >= ESTIMATE_LIMIT:
            share = _ALL if idle else _HOPEFUL_SHARE
        if threats_help and depth > 1 and attack.search(c, attack_deeper, s, share):
            yield from _quickest(b, s, c, table, depth - 1)
            return
        # 2. The main search; where a pass would lose to threats, again while they refute its best move.
        if threats_help and depth > 1 and not b.gravity and not s.urgent:
            alarm.search(c, lambda d, n: urgency(b, s, c, table, d, n), s, _ALARM_SHARE)
        before = int(c.nodes)
        done = search_depth(b, s, c, table, depth)
        idle = int(c.nodes) - before < _IDLE_NODES
        while done and threats_help and not b.gravity and not s.resolved:
            best = int(s.best)
            share = _URGENT_SHARE if s.urgent else _DEFENCE_SHARE
            if not defence.search(
                c,
                lambda d, n: refutation(b, s, c, table, best, d, n),  # noqa: B023
                s,
                share,
                best,
            ):
                break
            refuted.add(best)
            done = search_depth(b, s, c, table, depth)
        # 3. Report; a broken-off iteration only counts where it found a better move.
        if done and s.resolved and s.value >= PROVEN_FROM and threats_help:
            yield from _quickest(b, s, c, table, depth)
            return
        if not done:
            yield from _broken_off(b, s, depth - 1, last, refuted)
            return
        last = _report(b, s, depth, bool(s.resolved), True)
        yield last
        if last.resolved:
            return


class _ThreatTurns:
    """Whose turn it is to look for threats: counts the nodes given, and remembers the depth reached per question."""

    def __init__(self) -> None:
        self._nodes = 0
        self._depth: dict[int, int] = {}
        self._least: dict[int, int] = {}

    def search(
        self,
        c: np.record,
        deepen: Callable[[int, int], int],
        s: np.record,
        part: float,
        question: int = -1,
    ) -> int:
        """Deepen ``deepen(depth, nodes)`` until a win, or this part of all nodes is spent; the win's plies or 0."""
        depth = self._depth.get(question, 1)
        while depth <= _THREAT_DEPTH and c.reason == RUNNING:
            share = int(max(_THREAT_START, part * int(c.nodes))) - self._nodes
            if share < self._least.get(question, 1):
                break
            before = int(c.nodes)
            plies = deepen(depth, share)
            self._nodes += int(c.nodes) - before
            if plies:
                return plies
            if s.threat_nodes <= 0:
                # It begins anew next time, which makes sense only with more nodes.
                self._least[question] = 2 * share
                break
            depth += 1
        self._depth[question] = depth
        return 0


def _quickest(b: np.record, s: np.record, c: np.record, table: np.ndarray, depth: int) -> Iterator[Iteration]:
    """Report the win that the search record holds, then a quicker one where threats give it."""
    first = _report(b, s, depth, True, True)
    yield first
    if first.exact or b.gravity:
        return
    plies = PROVEN - int(s.value)
    share = max(_QUICKER_NODES, int(c.nodes))
    none_in_5 = False
    for most in range(_EXACT_WIN, plies - 1, 2):
        before, cut = int(c.nodes), int(s.cut)
        found = quicker_win(b, s, c, table, most, share)
        share -= int(c.nodes) - before
        if found:
            plies = found
        if found or c.reason != RUNNING or share <= 0:
            break
        none_in_5 = none_in_5 or (most == _EXACT_WIN and s.cut == cut)
    last = _report(b, s, depth, True, True)
    if none_in_5 and plies == _EXACT_WIN + 2:
        last = replace(last, exact=True)
    if last != first:
        yield last


def _broken_off(
    b: np.record, s: np.record, depth: int, last: Iteration | None, refuted: set[int]
) -> Iterator[Iteration]:
    """Report what a broken-off iteration has found, if it says more than the last whole one.

    Its best move began as the last one's and was replaced only by moves that were searched and are better, so
    it stands, unless it has been proven to lose meanwhile: then another move is a better hope, or where all
    seemed to lose the last one's.
    """
    best = int(s.best)
    if best >= 0 and best not in refuted and s.value > -PROVEN_FROM:
        if last is None or best != last.best:
            yield _report(b, s, depth, s.value >= PROVEN_FROM, False)
        return
    if last is None or (last.value > -ESTIMATE_LIMIT and (last.best in refuted or best == last.best)):
        yield _stand_in(b, s, depth, refuted | ({best} if best >= 0 else set()))


def _stand_in(b: np.record, s: np.record, depth: int, lost: set[int]) -> Iteration:
    """A legal move for a budget that ended before one was valued: where most points are, if it can none that lost."""
    points = b.points[: int(b.cells)].sum(axis=1) * (-1 if b.misere else 1)
    moves = _playable_cells(b)
    open_ones = [cell for cell in moves if cell not in lost] or moves
    urgent_zone = s.urgent_zone.copy() if s.urgent else None
    hopeful = [
        cell for cell in open_ones if urgent_zone is not None and _is_in(urgent_zone, cell)
    ] or open_ones
    best = max(hopeful, key=points.__getitem__)
    return Iteration(max(depth, 0), int(estimate(b, s, 0)), best, (best,), False, False, False)


def _playable_cells(b: np.record) -> list[int]:
    """All cells that may be marked now, in order."""
    empty = b.mark[: int(b.cells)] == 0
    supported = np.ones_like(empty)
    if b.gravity:
        supported[: -int(b.columns)] = ~empty[int(b.columns) :]
    found: list[int] = np.flatnonzero(empty & supported).tolist()
    return found


def _is_in(mask: np.ndarray, cell: int) -> bool:
    """Whether the bit of a cell is set."""
    return bool(int(mask[cell >> WORD_SHIFT]) >> (cell & BIT_MASK) & 1)


def _report(b: np.record, s: np.record, depth: int, resolved: bool, complete: bool) -> Iteration:
    """The search record's result as plain data."""
    value = int(s.value)
    distance = PROVEN - abs(value)
    known = _EXACT_PLIES
    if not b.gravity and not b.misere:
        known = _EXACT_WIN if value > 0 else _EXACT_LOSS
    exact = resolved and (abs(value) < PROVEN_FROM or bool(s.plain) or distance <= known)
    line = tuple(int(cell) for cell in s.line[: s.line_length])
    return Iteration(depth, value, int(s.best), line, resolved, exact, complete)
