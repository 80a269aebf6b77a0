"""Principal variation search for large boards under every rule; ``deepening`` calls it one iteration at a time.

    value of pvs(alpha, beta, depth), with v the true value under the moves that the search considers:
        result <= alpha                    =>  v <= result
        alpha < result < beta              =>  v == result
        result >= beta                     =>  v >= result
    |result| >= DECISIVE                   =>  the bound it states holds in the game itself, whatever the depth
    search.unproven_count unchanged        =>  no estimate was used and nothing left out below: result is proven

There are two ways to search. The usual one looks at candidate moves near marks, extends forced answers, searches
fours at the leaves and leaves late quiet moves out: a value that then says "lost" is held at -ESTIMATE_LIMIT unless
every legal move has been refuted. With ``search.fixed_depth`` it visits every legal move to exactly the depth and
estimates there: the minimax value of the estimate, except that lines completed within the depth count.

Estimates are those of ``weights``: points of the empty cells and a network above them; in misère negated. Known
ideas, one source each: principal variation search (Marsland and Campbell 1982), aspiration and iterative deepening
(Slate and Atkin 1977), killer moves (Akl and Newborn 1977), history (Schaeffer 1983), countermoves (Uiterwijk 1992),
late move reductions (Romstad 2006), futility pruning (Heinz 1998), razoring (Birmingham and Kent 1977), singular
extensions (Anantharaman, Campbell and Hsu 1988), multi-cut (Bjornsson and Marsland 1999).
"""

import numpy as np
from numba import njit, types

from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET, BUDGETS, may_visit
from kinarow.solvers.large_boards.kernel_board import (
    BIT_MASK,
    BOARD,
    BOARDS,
    CHANNELS,
    FEATURES,
    INPUTS,
    WORD_SHIFT,
    beginner_may_move,
    bring_sums_up_to_date,
    can_line,
    has_room_against,
    is_forbidden,
    playable,
    points_of,
    put,
    quad_of,
    take_back,
    threats,
)
from kinarow.solvers.large_boards.kernel_patterns import (
    FIVE_CELL,
    FOUR_CELL,
    FOUR_THREE_CELL,
    OPEN_FOUR_CELL,
    THREE_CELL,
)
from kinarow.solvers.large_boards.kernel_table import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    DECISIVE,
    DEPTH_SHIFT,
    DEPTH_UNIT,
    ESTIMATE_LIMIT,
    INFINITY,
    MAX_PLY,
    REDUCTION_SIZE,
    SEARCH,
    SEARCHES,
    TABLE,
    WIN,
    entry_bound,
    entry_depth,
    entry_move,
    entry_proven,
    entry_value,
    find,
    position_key,
    prefetch_child,
    store,
)
from kinarow.solvers.large_boards.kernel_threats import (
    add_fours_to_zone,
    add_runs_to_zone,
    count_answers,
    count_winning_cells,
    extend_pv,
    first_of,
    first_winning_cell,
    vcf,
)
from kinarow.solvers.large_boards.kernel_vectors import BOTH, HIDDEN, add_layer, clip_sum

# The network's numbers: features and hidden values reach from 0 to INPUT_LIMIT, which stands for 1.
INPUT_LIMIT = 128
POINT_SHIFT = 4  # of the points of tuples
POOLED_SHIFT = 2  # of the sums of channels over the regions, when they become inputs
LAYER_SHIFT = 10  # of the layer's factors
OUTPUT_SHIFT = 13  # of the output's factors, INPUT_LIMIT included

_TABLE_SCORE = 1 << 28
_FAR_SCORE = -(1 << 28)  # moves that are no candidates come after this
# A move's key: its score above its cell, which is counted from the end, so that the greatest key comes first.
_CELL_BITS = 10
_LAST_CELL = (1 << _CELL_BITS) - 1
# Kinds of nodes: quiet; the other side threatens to complete a line; the other side threatens an open four.
_QUIET = 0
_FORCED = 1
_DEFENCE = 2


# --- estimates and move ordering ------------------------------------------------------------------


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def _network(board, side, kinds):
    """What the network adds to the estimate for the side to move, given the number of the threats."""
    marks = types.uint64(board.cells - board.empty)
    # 1. The inputs: features of the mover and of the other side, channels of the mover and of the other side.
    for i in range(2):
        of = types.uint64(side if i == 0 else 1 - side)
        at = types.uint64(i * FEATURES)
        features = (types.uint64(2) * marks + of) * types.uint64(FEATURES)
        clip_sum(board.inputs, at, board.sums, features, board.input_bias, at, 0, INPUT_LIMIT)
        pool = marks * types.uint64(BOTH) + of * types.uint64(CHANNELS)
        at += types.uint64(2 * FEATURES)
        clip_sum(board.inputs, at, board.pools, pool, board.input_bias, at, POOLED_SHIFT, INPUT_LIMIT)
    # 2. The hidden layer.
    for i in range(HIDDEN):
        board.hidden[i] = board.threat_layer[kinds, i]
    add_layer(board.hidden, board.layer, board.inputs, INPUTS)
    # 3. The output.
    value = types.int64(0)
    for i in range(HIDDEN):
        active = min(max(types.int64(board.hidden[i]) >> LAYER_SHIFT, types.int64(0)), INPUT_LIMIT)
        value += active * types.int64(board.output[i])
    return value >> OUTPUT_SHIFT


@njit(types.int64(BOARD, SEARCH, types.int64), cache=True)
def estimate(board, search, side):
    """The estimate for the side to move, within +-ESTIMATE_LIMIT exclusive."""
    bring_sums_up_to_date(board)
    marks = board.cells - board.empty
    mine = board.point_sums[marks, side]
    theirs = board.point_sums[marks, 1 - side]
    value = types.int64(types.int32(mine)) - ((theirs - types.int64(types.int32(theirs))) >> 32)
    value >>= POINT_SHIFT
    if board.misere != 0:
        return min(max(-value, 1 - ESTIMATE_LIMIT), ESTIMATE_LIMIT - 1)
    if board.gravity != 0:
        value += search.move_bonus
    else:
        kinds = threats(board, side)
        value += types.int64(board.threat_points[kinds])
        if board.has_network != 0:
            value += _network(board, side, kinds)
    return min(max(value, 1 - ESTIMATE_LIMIT), ESTIMATE_LIMIT - 1)


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64, types.int64, types.int64), cache=True)
def _score_move(board, search, side, cell, ply, previous):
    """The place of a move in the order: the higher, the sooner it is searched."""
    other = 1 - side
    history = types.int64(search.history[side, cell]) >> search.history_shift
    if board.misere != 0:
        return history - points_of(board, cell, side) - points_of(board, cell, other) // 2
    move_score = types.int64(board.quad_order[0, quad_of(board, cell, side)]) + history
    move_score += types.int64(board.quad_order[1, quad_of(board, cell, other)])
    if search.killer[ply, 0] == cell or search.killer[ply, 1] == cell:
        move_score += search.killer_order
    if search.countermove[other, previous] == cell:
        move_score += search.countermove_order
    return move_score


@njit(types.void(BOARD, SEARCH, types.int64, types.int64), cache=True)
def _fill_defences(board, search, side, ply):
    """Make ``search.zone[ply]`` the only cells that do not lose in four plies to the other side's open fours.

    A mark elsewhere makes no four, and leaves the cell of the first open four and the cells that complete its lines
    empty (under Caro the cells beside its runs too). With several open fours a defence must meet each of them.
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
            if board.caro != 0:
                for i in range(board.words):
                    search.zone[ply + 2, i] = ZERO
                add_runs_to_zone(board, search, other, ply + 2)
            for i in range(board.words):
                meets = board.mask[other, FIVE_CELL, i]
                if board.caro != 0:
                    meets |= search.zone[ply + 2, i]
                if i == cell >> WORD_SHIFT:
                    meets |= ONE << np.uint64(cell & BIT_MASK)
                search.zone[ply + 1, i] &= meets
            take_back(board, cell)
    add_fours_to_zone(board, search, side, ply)
    for word in range(board.words):
        search.zone[ply, word] |= search.zone[ply + 1, word]
        search.zone[ply, word] &= board.open_mask[word]


@njit(inline="always")
def _cells_to_list(board, search, ply, kind, everywhere, word):
    """The cells of one word that a node of a kind may list: its defences, every empty cell, or the candidates."""
    if kind == _DEFENCE:
        return search.zone[ply, word]
    if everywhere:
        return board.open_mask[word]
    return board.open_mask[word] & board.near_mask[word]


@njit(inline="always")
def _is_far(board, search, ply, cell, centre):
    """Whether a quiet move comes after all candidates: it is far from all marks, or ignores the threats of a pass."""
    near = (board.near_mask[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE != ZERO
    if not near and cell != centre and board.gravity == 0 and board.misere == 0:
        return True
    # Where a pass loses, a mark that does not touch the threats is hardly better than a pass.
    if ply > 0 or search.null_move_loses == 0:
        return False
    return (search.null_move_zone[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE == ZERO


@njit(inline="always")
def _list_move(search, ply, number, cell, move_score):
    """Enter a move in the list of a node."""
    search.move_keys[ply, number] = (move_score << _CELL_BITS) | (_LAST_CELL - cell)


@njit(
    types.int64(
        BOARD, SEARCH, types.int64, types.int64, types.int64, types.boolean, types.int64, types.int64
    ),
    cache=True,
)
def _list_moves(board, search, side, ply, kind, all_moves, preferred, previous):
    """List the moves of a node as ``search.move_keys[ply]``; returns how many.

    The preferred move comes first. Quiet nodes get the candidates, or with ``all_moves`` every legal move, those that
    are no candidates with a score below ``_FAR_SCORE // 2``; nodes of defence get ``search.zone[ply]``.
    """
    count = 0
    near = ZERO
    for word in range(board.words):
        near |= board.near_mask[word] & board.open_mask[word]
    # On an empty board the centre is the only candidate.
    centre = (board.rows // 2) * board.columns + board.columns // 2 if near == ZERO else -1
    may_be_far = kind == _QUIET and (all_moves or centre >= 0 or ply == 0)
    for word in range(board.words):
        bits = _cells_to_list(board, search, ply, kind, all_moves or centre >= 0, word)
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if board.gravity != 0 and not playable(board, cell):
                continue
            if side == board.beginner and is_forbidden(board, cell):
                continue
            move_score = _score_move(board, search, side, cell, ply, previous)
            if cell == preferred:
                move_score = _TABLE_SCORE
            elif may_be_far and _is_far(board, search, ply, cell, centre):
                move_score += _FAR_SCORE
            _list_move(search, ply, count, cell, move_score)
            count += 1
    return count


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def _allowed(board, side, cell):
    """The empty cell, or where it is forbidden to the side the first that is not; there must be one."""
    if side != board.beginner or not is_forbidden(board, cell):
        return cell
    for each in range(board.cells):
        if board.mark[each] == 0 and not is_forbidden(board, each):
            return types.int64(each)
    return cell


@njit(types.int64(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _pick(search, ply, number, count):
    """Swap the best of the moves from ``number`` on to that place and return it; the lower cell wins a tie.

    It is also entered as ``search.moves[ply, number]``.
    """
    first = search.move_keys[ply, number]
    best_key = first
    best = number
    for i in range(number + 1, count):
        key = search.move_keys[ply, i]
        if key > best_key:
            best_key = key
            best = i
    search.move_keys[ply, best] = first
    search.move_keys[ply, number] = best_key
    cell = _LAST_CELL - (best_key & _LAST_CELL)
    search.moves[ply, number] = cell
    return cell


@njit(types.int64(BOARD, SEARCH, *(types.int64,) * 4, types.boolean, *(types.int64,) * 3), cache=True)
def _list_node_moves(board, search, side, ply, depth, kind, all_moves, block, preferred, previous):
    """List the moves of a node of a kind as ``search.move_keys[ply]``; returns how many.

    ``search.unlisted_bound`` becomes an upper bound on the value of the moves not listed: every move but a block loses
    in two plies, every move that does not meet an open four in four. It is ``-INFINITY`` where nothing is proven.
    """
    search.unlisted_bound = -INFINITY
    if kind == _FORCED and (depth >= 2 or search.fixed_depth == 0):
        count = types.int64(1)
        if board.caro != 0:
            count = count_answers(board, 1 - side)
            for i in range(count):
                _list_move(search, ply, i, types.int64(board.answer[i]), types.int64(0))
        else:
            _list_move(search, ply, types.int64(0), block, types.int64(0))
        if board.empty > count:  # otherwise there is no other move
            search.unlisted_bound = -(WIN - (ply + 2))
        return count
    if kind == _DEFENCE:
        _fill_defences(board, search, side, ply)
        count = _list_moves(board, search, side, ply, kind, False, preferred, previous)
        search.unlisted_bound = -(WIN - (ply + 4))
        if count == 0:
            cell = _allowed(board, side, first_of(board, 1 - side, OPEN_FOUR_CELL))
            _list_move(search, ply, count, cell, types.int64(0))
            count = 1
        return count
    return _list_moves(board, search, side, ply, _QUIET, all_moves or kind == _FORCED, preferred, previous)


@njit(types.void(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _update_history(search, side, cell, bonus):
    """Add a bonus (or a negative one) to a history count, the less of it the nearer the count is to its limit."""
    old = types.int64(search.history[side, cell])
    search.history[side, cell] = old + bonus - old * abs(bonus) // search.history_limit


@njit(types.void(SEARCH, *(types.int64,) * 6), cache=True)
def _update_quiet_stats(search, side, ply, cell, previous, depth, number):
    """A quiet move refuted the node: prefer it elsewhere, and give the moves tried before it a malus."""
    if search.killer[ply, 0] != cell:
        search.killer[ply, 1] = search.killer[ply, 0]
        search.killer[ply, 0] = cell
    search.countermove[1 - side, previous] = cell
    bonus = min(depth * depth + depth, 1024) * 8
    _update_history(search, side, cell, bonus)
    for i in range(number):
        _update_history(search, side, types.int64(search.moves[ply, i]), -bonus)


# --- the steps of a node ---------------------------------------------------------------------------


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64, types.int64), cache=True)
def _decided_within_three(board, search, side, ply, depth):
    """The value where one of the sides certainly completes a line within three plies; 0 where neither does.

    ``search.block`` becomes the first cell that completes a line for the other side, or -1.
    """
    search.block = -1
    if board.misere != 0:
        return 0
    other = 1 - side
    fixed_depth = search.fixed_depth != 0
    if depth >= 1 or not fixed_depth:
        cell = first_winning_cell(board, side)
        if cell >= 0:
            search.pv[ply, 0] = cell
            search.pv_length[ply] = 1
            return WIN - (ply + 1)
    threatened = count_winning_cells(board, other)
    if threatened > 0:
        search.block = first_winning_cell(board, other)
        if board.caro != 0 or side == board.beginner:
            threatened = 2 if count_answers(board, other) == 0 else 1
        if threatened >= 2 and (depth >= 2 or not fixed_depth):
            search.pv[ply, 0] = _allowed(board, side, search.block)
            search.pv_length[ply] = 1
            return -(WIN - (ply + 2))
    elif (
        board.gravity == 0
        and not fixed_depth
        and board.count[side, OPEN_FOUR_CELL] > 0
        and has_room_against(board, side)
    ):
        search.pv[ply, 0] = first_of(board, side, OPEN_FOUR_CELL)
        search.pv_length[ply] = 1
        return WIN - (ply + 3)
    return 0


@njit(
    types.int64(BOARD, SEARCH, TABLE, types.int64, types.int64, types.int64, types.int64, types.int64),
    cache=True,
)
def _table_value(board, search, table, slot, alpha, beta, depth, ply):
    """The value of a table entry if it settles the node for this window and depth, else ``INFINITY``.

    Where threats prove wins, a proven win or loss always does, though its distance may be a bound inside the window:
    else a search with an open window would go past what they have proven.
    """
    value = entry_value(table, slot, ply)
    bound = entry_bound(table, slot)
    proven = entry_proven(board, search, table, slot)
    reached = entry_depth(table, slot)
    if not proven:
        plies = depth >> DEPTH_SHIFT
        deep_enough = reached == plies if search.fixed_depth != 0 else reached >= plies
        if abs(value) >= DECISIVE or not deep_enough:
            return INFINITY
    certain = proven and search.fixed_depth == 0 and board.misere == 0 and board.gravity == 0
    if (
        bound == BOUND_EXACT
        or (bound == BOUND_LOWER and (value >= beta or (certain and value >= DECISIVE)))
        or (bound == BOUND_UPPER and (value <= alpha or (certain and value <= -DECISIVE)))
    ):
        if not proven:
            search.unproven_count += 1
        return value
    return INFINITY


@njit(types.boolean(BOARD, SEARCH, types.int64, types.int64, types.int64), cache=True)
def _is_late(board, search, ply, plies, number):
    """Whether late move pruning leaves out this quiet move, and so those after it, given a move that does not lose.

    It is far from all marks or, except at the root, late among the moves.
    """
    far = search.move_keys[ply, number] >> _CELL_BITS < _FAR_SCORE // 2
    slope = search.late_move_pruning_slope[board.misere]
    width = search.late_move_pruning_base[board.misere] + slope * max(plies, 0) // 16
    return far or (ply > 0 and number >= width)


@njit(
    types.boolean(BOARD, SEARCH, types.int64, types.int64, types.int64, types.int64, types.int64), cache=True
)
def _is_futile(board, search, side, cell, plies, guess, alpha):
    """Whether a move near the horizon can hardly lift the estimate above alpha."""
    gain = points_of(board, cell, side) + search.futility_margin * plies
    return plies <= search.futility_depth and guess + gain <= alpha


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64, types.boolean, types.boolean), cache=True)
def _reduction(board, search, plies, number, dangerous, null_window):
    """The depth, in units, by which the first search of a late quiet move is shallower."""
    row, column = min(plies, REDUCTION_SIZE - 1), min(number, REDUCTION_SIZE - 1)
    reduction = types.int64(search.reduction[board.misere, row, column])
    if dangerous:
        reduction -= DEPTH_UNIT
    if not null_window:
        reduction -= DEPTH_UNIT
    return max(reduction, 0)


@njit(types.void(SEARCH, types.int64, types.int64, types.int64), cache=True)
def _update_pv(search, ply, cell, value):
    """The principal variation of this ply begins with the cell; at the root it is the answer so far."""
    extend_pv(search, ply, cell)
    if ply > 0:
        return
    search.best = cell
    search.value = value
    search.line_length = search.pv_length[0]
    for i in range(search.line_length):
        search.line[i] = search.pv[0, i]


@njit(types.int64(BOARD, SEARCH, BUDGET, TABLE, *(types.int64,) * 3), cache=True)
def _vcf_value(board, search, budget, table, side, ply, plies_left):
    """The value of a VCF of the side to move, entered in the table with this depth; 0 if none was found.

    At the horizon (depth 0 or less) with the budget of a leaf, before it with that of an inner node. Void when
    ``budget.reason`` is set.
    """
    if plies_left <= 0:
        search.vcf_nodes = search.leaf_vcf_nodes
        plies = vcf(board, search, budget, side, search.leaf_vcf_pairs, 0)
    else:
        search.vcf_nodes = search.inner_vcf_nodes
        plies = vcf(board, search, budget, side, search.inner_vcf_pairs, 0)
    if plies == 0 or budget.reason != RUNNING:
        return 0
    cell = types.int64(search.vcf_line[0])
    search.pv[ply, 0] = cell
    search.pv_length[ply] = 1
    value = WIN - (ply + plies)
    key = position_key(board, side)
    store(board, search, budget, table, key, value, ply, cell, max(plies_left, 0), BOUND_LOWER, 1)
    return value


@njit(types.int64(BOARD, SEARCH, BUDGET, TABLE, *(types.int64,) * 4, types.boolean), cache=True)
def _horizon_value(board, search, budget, table, slot, beta, ply, side, seeks_vcf):
    """The value of a node at the horizon: the estimate, or where that is below beta and a four can be made, a VCF."""
    guess = estimate(board, search, side)
    fours = board.count[side, FOUR_THREE_CELL] + board.count[side, FOUR_CELL]
    cut = guess >= beta
    if seeks_vcf and slot < 0 and fours > 0 and not cut:
        value = _vcf_value(board, search, budget, table, side, ply, 0)
        if value != 0 or budget.reason != RUNNING:
            return value
    search.unproven_count += 1
    if slot < 0 and search.fixed_depth == 0:
        bound = BOUND_LOWER if cut and seeks_vcf else BOUND_EXACT
        store(board, search, budget, table, position_key(board, side), guess, ply, 0, 0, bound, 0)
    return guess


@njit(types.int64(SEARCH, TABLE, *(types.int64,) * 3), cache=True)
def _table_estimate(search, table, slot, ply, guess):
    """The estimate, or in its place the value of the node's table entry where that says more."""
    if slot < 0:
        return guess
    value = entry_value(table, slot, ply)
    bound = entry_bound(table, slot)
    says_more = bound == BOUND_EXACT or bound == (BOUND_LOWER if value > guess else BOUND_UPPER)
    return value if says_more and abs(value) < ESTIMATE_LIMIT else guess


@njit(types.int64(SEARCH, TABLE, *(types.int64,) * 3), cache=True)
def _singular_target(search, table, slot, depth, ply):
    """The value that no other move may reach if the table's move is to be extended; ``INFINITY``: do not ask."""
    plies = depth >> DEPTH_SHIFT
    # Without the last limit a line in which every move is extended would not end.
    if slot < 0 or plies < search.singular_depth or ply == 0 or ply >= 2 * search.root_depth:
        return INFINITY
    value = entry_value(table, slot, ply)
    if entry_bound(table, slot) == BOUND_UPPER or entry_depth(table, slot) < plies - 3:
        return INFINITY
    if search.excluded[ply] >= 0 or abs(value) >= ESTIMATE_LIMIT:
        return INFINITY
    return value - (search.singular_margin * depth >> DEPTH_SHIFT)


@njit(inline="always")
def _value_of_others(board, search, budget, table, target, depth, ply, side, previous, move):
    """Whether the other moves reach the target at half the depth, as a value on that side of it: a step of ``pvs``."""
    search.excluded[ply] = move
    value = pvs(
        board, search, budget, table, target - 1, target, (depth - DEPTH_UNIT) >> 1, ply, side, previous
    )
    search.excluded[ply] = -1
    search.pv_length[ply] = 0
    return value


@njit(inline="always")
def _value_of_move(board, search, budget, table, alpha, beta, depth, ply, side, cell, number, reduction):
    """The value of a move for the side, which is not yet made: a step of ``pvs``; ``depth`` is that of the child.

    The first move is searched with the whole window. A later one is searched with a null window, first less deep by
    the reduction, and with the whole window only where it turns out better than alpha.
    """
    other = 1 - side
    value = types.int64(0)
    prefetch_child(board, search, table, side, cell)
    put(board, cell, side)
    whole = number == 0
    if not whole:
        reduced = min(max(depth - reduction, DEPTH_UNIT), depth)
        value = -pvs(board, search, budget, table, -alpha - 1, -alpha, reduced, ply + 1, other, cell)
        if reduced < depth and value > alpha and budget.reason == RUNNING:
            value = -pvs(board, search, budget, table, -alpha - 1, -alpha, depth, ply + 1, other, cell)
        whole = alpha < value < beta and budget.reason == RUNNING
    if whole:
        value = -pvs(board, search, budget, table, -beta, -alpha, depth, ply + 1, other, cell)
    take_back(board, cell)
    return value


@njit(inline="always")
def _search_moves(
    board, search, budget, table, alpha, beta, depth, ply, side, previous, kind, exhaustive, guess, extension,
    count,
):  # fmt: skip
    """Search the listed moves of a node, the first with an extension: a step of ``pvs``.

    Returns the best value, which begins with ``search.unlisted_bound``, the best move (-1 where none was searched),
    how many moves came before the one searched last, and whether no move was left out. Void when ``budget.reason``
    is set.
    """
    other = 1 - side
    misere = board.misere != 0
    null_window = beta - alpha == 1
    next_depth = depth if kind == _FORCED and search.fixed_depth == 0 else depth - DEPTH_UNIT
    best = search.unlisted_bound
    floor = max(alpha, best)
    best_move = types.int64(-1)
    last = types.int64(0)
    complete = search.excluded[ply] < 0
    plies = depth >> DEPTH_SHIFT
    for number in range(count if best < beta else 0):
        last = number
        cell = _pick(search, ply, number, count)
        if cell == search.excluded[ply]:
            continue
        mine = types.int64(board.cell_pattern[cell, side])
        theirs = types.int64(board.cell_pattern[cell, other])
        quiet = kind == _QUIET and mine < FOUR_CELL and not exhaustive
        if quiet and number > 0 and best > -ESTIMATE_LIMIT:
            if _is_late(board, search, ply, plies, number):
                complete = False
                break
            idle = ply > 0 and null_window and mine < THREE_CELL and theirs < FOUR_CELL
            if idle and not misere and _is_futile(board, search, side, cell, plies, guess, floor):
                complete = False
                continue
        if misere and mine == FIVE_CELL:
            value = -(WIN - (ply + 1))
            search.pv_length[ply + 1] = 0
        else:
            reduction = types.int64(0)
            if quiet and plies >= 2 and number >= search.reduction_from:
                dangerous = mine >= THREE_CELL or theirs >= FOUR_CELL
                reduction = _reduction(board, search, plies, number, dangerous, null_window)
                if misere:
                    reduction &= -DEPTH_UNIT  # its reductions were chosen in whole plies
            deeper = next_depth + extension if number == 0 else next_depth
            value = _value_of_move(
                board, search, budget, table, floor, beta, deeper, ply, side, cell, number, reduction
            )
        if budget.reason != RUNNING:
            break
        if value > best or best_move < 0:
            best = max(best, value)
            best_move = cell
            if value > floor or (ply == 0 and number == 0):
                _update_pv(search, ply, cell, value)
            floor = max(floor, best)
            if best >= beta:
                break
    return best, best_move, last, complete


@njit(types.int64(BOARD, SEARCH, BUDGET, TABLE, *(types.int64,) * 6), nogil=True, cache=True)
def pvs(board, search, budget, table, alpha, beta, depth, ply, side, previous):
    """The value of the position for the side to move, counted from the root; see the top of the file.

    ``depth`` is in units of which ``DEPTH_UNIT`` make a ply. ``previous`` is the cell of the last mark, at the root
    ``board.cells``. Where ``search.excluded[ply]`` is a move, the value is that of the others, and says nothing of the
    position. While ``budget.reason`` is not RUNNING the value is void.
    """
    if not may_visit(budget):
        return 0
    search.pv_length[ply] = 0
    plies = depth >> DEPTH_SHIFT

    # 1. The end of the game: the board is full, no line is possible any more, or in Renju no move is allowed.
    no_line = not can_line(board)
    if board.empty == 0 or (no_line and ply > 0):
        return 0
    if side == board.beginner and previous != board.cells and not beginner_may_move(board):
        return 0

    # 2. A win or loss within three plies, where the depth reaches so far.
    value = _decided_within_three(board, search, side, ply, plies)
    if value != 0:
        return value
    block = search.block
    kind = _FORCED if block >= 0 else _QUIET

    # 3. The table. The root begins with the best move so far, so that a broken-off iteration cannot lose it.
    key = position_key(board, side)
    slot = find(search, table, key)
    preferred = entry_move(table, slot) if slot >= 0 else -1
    if slot >= 0 and ply == 0 and search.best >= 0:
        preferred = search.best
    excludes = search.excluded[ply] >= 0
    if slot >= 0 and ply > 0 and not excludes:
        value = _table_value(board, search, table, slot, alpha, beta, depth, ply)
        if value < INFINITY:
            # An entry of the horizon has no move, and 0 in its place.
            if preferred > 0 or entry_depth(table, slot) > 0:
                search.pv[ply, 0] = preferred
                search.pv_length[ply] = 1
            return value

    # 4. The horizon.
    fixed_depth = search.fixed_depth != 0
    tactical = board.misere == 0 and board.gravity == 0
    seeks_vcf = tactical and not fixed_depth and kind == _QUIET
    if (depth <= 0 and (fixed_depth or kind != _FORCED)) or ply + 3 >= MAX_PLY:
        return _horizon_value(board, search, budget, table, slot, beta, ply, side, seeks_vcf)

    # 5. Cut where the estimate is far above beta (reverse futility); go to the horizon where it is far below alpha
    # (razoring). Win by fours.
    unproven_before = search.unproven_count
    exhaustive = fixed_depth or board.gravity != 0 or board.empty <= plies or no_line
    null_window = beta - alpha == 1
    guess = types.int64(0)
    improving = True
    search.static_estimate[ply] = -search.static_estimate[ply - 1] if ply > 0 else 0
    if seeks_vcf:
        guess = estimate(board, search, side)
        search.static_estimate[ply] = guess
        if ply >= 2 and guess <= search.static_estimate[ply - 2]:
            improving = False
        if board.count[1 - side, OPEN_FOUR_CELL] > 0 and has_room_against(board, 1 - side):
            kind = _DEFENCE
        prunes = kind == _QUIET and null_window and not exhaustive and abs(beta) < ESTIMATE_LIMIT
        if prunes and not excludes:
            guess = _table_estimate(search, table, slot, ply, guess)
            margin = search.reverse_futility_margin * depth >> DEPTH_SHIFT
            if improving:
                margin -= search.reverse_futility_improving
            if plies <= search.reverse_futility_depth and guess - max(margin, 0) >= beta:
                search.unproven_count += 1
                return guess
            razor = (search.razor_margin * depth >> DEPTH_SHIFT) + search.razor_base
            if plies <= search.razor_depth and guess + razor <= alpha:
                return _horizon_value(board, search, budget, table, slot, beta, ply, side, seeks_vcf)
        if slot < 0 and board.count[side, FOUR_CELL] + board.count[side, FOUR_THREE_CELL] > 0:
            value = _vcf_value(board, search, budget, table, side, ply, plies)
            if value != 0 or budget.reason != RUNNING:
                return value

    # 6. Extend the table's move where no other is as good; cut where one is, and that is above beta (multi-cut).
    # Without a table entry go less deep: the next iteration begins with the move that is found.
    extension = types.int64(0)
    if seeks_vcf and kind == _QUIET and not exhaustive and ply > 0:
        target = _singular_target(search, table, slot, depth, ply)
        if target < INFINITY:
            value = _value_of_others(
                board, search, budget, table, target, depth, ply, side, previous, preferred
            )
            if budget.reason != RUNNING:
                return 0
            if value < target:
                extension = types.int64(DEPTH_UNIT)
            elif target >= beta:
                search.unproven_count += 1
                return target
        if slot < 0 and plies >= search.no_entry_depth:
            depth -= DEPTH_UNIT
            plies -= 1

    # 7. List the moves and search them.
    all_moves = fixed_depth or not tactical or ply == 0 or board.empty <= plies
    count = _list_node_moves(board, search, side, ply, plies, kind, all_moves, block, preferred, previous)
    best, best_move, last, complete = _search_moves(
        board, search, budget, table, alpha, beta, depth, ply, side, previous, kind, exhaustive, guess, extension,
        count,
    )  # fmt: skip
    if budget.reason != RUNNING:
        return 0

    # 8. A move left out may be better; then a loss is not certain.
    if not complete or not (all_moves or kind != _QUIET):
        search.unproven_count += 1
        best = max(best, -ESTIMATE_LIMIT)
    if best >= beta and kind == _QUIET:
        _update_quiet_stats(search, side, ply, best_move, previous, plies, last)
    if excludes:
        return best
    proven = 1 if search.unproven_count == unproven_before or abs(best) >= DECISIVE else 0
    bound = BOUND_LOWER if best >= beta else (BOUND_UPPER if best <= alpha else BOUND_EXACT)
    store(board, search, budget, table, key, best, ply, max(best_move, 0), max(plies, 0), bound, proven)
    return best


@njit(types.boolean(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64), nogil=True, cache=True)
def aspiration_search(boards, searches, budgets, table, depth):
    """Search the loaded position, side 0 to move, to a depth; True when it was completed.

    Takes arrays of one record each, as the questions of the deepening in ``kernel_threats``.

    The first window is narrow around the last value, and is widened where the result lies outside. Leaves
    ``search.value`` (exact for this search), ``best`` (a cell), ``line`` and ``proven``: 1 when the value rests on no
    estimate, as for all proven wins, losses and draws. Returns False if the budget ends first; if ``best`` is then not
    -1, it and its line are the best answer so far. The game must not be over. Call it with rising depths from 1, after
    ``begin``.
    """
    board, search, budget = boards[0], searches[0], budgets[0]
    search.root_depth = depth
    alpha = -INFINITY
    beta = INFINITY
    width = search.aspiration_width
    centre = search.value
    if depth >= search.aspiration_depth and search.fixed_depth == 0 and abs(centre) < ESTIMATE_LIMIT:
        alpha = centre - width
        beta = centre + width
    while True:
        search.unproven_count = 0
        value = pvs(board, search, budget, table, alpha, beta, depth << DEPTH_SHIFT, 0, 0, board.cells)
        if budget.reason != RUNNING:
            return False
        fails_low = value <= alpha and alpha > -INFINITY
        fails_high = value >= beta and beta < INFINITY
        if not fails_low and not fails_high:
            break
        width *= 3
        widens = abs(value) < ESTIMATE_LIMIT and width < ESTIMATE_LIMIT // 4
        if fails_low:
            alpha = value - width if widens else -INFINITY
        else:
            beta = value + width if widens else INFINITY
    search.value = value
    if search.pv_length[0] > 0:
        search.best = search.pv[0, 0]
        search.line_length = search.pv_length[0]
        for i in range(search.line_length):
            search.line[i] = search.pv[0, i]
    search.proven = 1 if search.unproven_count == 0 or abs(value) >= DECISIVE else 0
    return True
