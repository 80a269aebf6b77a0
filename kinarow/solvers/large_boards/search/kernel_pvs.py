# mypy: ignore-errors
"""Principal variation search for large boards under every rule; ``deepening`` calls it one iteration at a time.

    value of pvs(alpha, beta, depth), with v the true value under the moves that the search considers:
        result <= alpha                    =>  v <= result
        alpha < result < beta              =>  v == result
        result >= beta                     =>  v >= result
    |result| >= DECISIVE                   =>  the bound it states holds in the game itself, whatever the depth
    state.unproven_count unchanged        =>  no estimate was used and nothing left out below: result is proven

There are two ways to search. The usual one looks at candidate moves near marks, extends forced answers, searches
fours at the leaves and leaves late quiet moves out: a value that then says "lost" is held at -ESTIMATE_LIMIT unless
the moves left out lose too, because a pass loses to threats in whose relevance zone no move holds. With
``state.fixed_depth`` it visits every legal move to exactly the depth and estimates there: the minimax value of the
estimate, except that lines completed within the depth count.

Estimates are those of ``weights``: points of the empty cells and a network above them; in misère negated. Known
ideas, one source each: principal variation search (Marsland and Campbell 1982), aspiration and iterative deepening
(Slate and Atkin 1977), killer moves (Akl and Newborn 1977), history (Schaeffer 1983), countermoves (Uiterwijk 1992),
late move reductions (Romstad 2006), futility pruning (Heinz 1998), razoring (Birmingham and Kent 1977), singular
extensions (Anantharaman, Campbell and Hsu 1988), multi-cut (Bjornsson and Marsland 1999).
"""

from numba import types

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.large_boards.board.kernel_answers import count_answers, count_winning_cells, first_of
from kinarow.solvers.large_boards.board.kernel_cells import can_line, points_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_renju import beginner_may_move, has_room_against, is_forbidden
from kinarow.solvers.large_boards.board.layout import (
    DECISIVE,
    DEPTH_SHIFT,
    DEPTH_UNIT,
    ESTIMATE_LIMIT,
    INFINITY,
    MAX_PLY,
    REDUCTION_SIZE,
    WIN,
    WORD_SHIFT,
)
from kinarow.solvers.large_boards.board.patterns import (
    FIVE_CELL,
    FOUR_CELL,
    FOUR_THREE_CELL,
    OPEN_FOUR_CELL,
    THREE_CELL,
)
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from kinarow.solvers.large_boards.search.kernel_moves import (
    CELL_BITS,
    DEFENCE,
    FAR_SCORE,
    FORCED,
    QUIET,
    first_allowed,
    list_node_moves,
    pick,
    update_quiet_stats,
)
from kinarow.solvers.large_boards.search.kernel_table import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    TABLE,
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
from kinarow.solvers.large_boards.search.kernel_vcf import vcf
from kinarow.solvers.large_boards.search.kernel_vct import extend_pv, keep_line, vct
from kinarow.solvers.large_boards.search.kernel_zones import add_fours_to_zone, take_next_zone


@part(types.int64(GAME, STATE, *(types.int64,) * 4))
def _decided_value(game, state, side, ply, depth, previous):
    """Return the value of an ended game, or of a line forced within three plies, else ``INFINITY``.

    Sets ``state.block`` to the cell to block, or -1.
    """
    state.block = -1
    if state.empty == 0 or (ply > 0 and not can_line(game, state)):
        return 0
    if side == game.beginner and previous != game.cells and not beginner_may_move(game, state):
        return 0
    if game.misere != 0:
        return INFINITY
    other = 1 - side
    fixed_depth = state.fixed_depth != 0
    if depth >= 1 or not fixed_depth:
        cell = first_of(game, state, side, FIVE_CELL)
        if cell >= 0:
            state.pv[ply, 0] = cell
            state.pv_length[ply] = 1
            return WIN - (ply + 1)
    threatened = count_winning_cells(game, state, other)
    if threatened > 0:
        state.block = first_of(game, state, other, FIVE_CELL)
        if game.caro != 0 or side == game.beginner:
            threatened = 2 if count_answers(game, state, other) == 0 else 1
        if threatened >= 2 and (depth >= 2 or not fixed_depth):
            state.pv[ply, 0] = first_allowed(game, state, side, state.block)
            state.pv_length[ply] = 1
            return -(WIN - (ply + 2))
    elif (
        game.gravity == 0
        and not fixed_depth
        and state.count[side, OPEN_FOUR_CELL] > 0
        and has_room_against(game, state, side)
    ):
        state.pv[ply, 0] = first_of(game, state, side, OPEN_FOUR_CELL)
        state.pv_length[ply] = 1
        return WIN - (ply + 3)
    return INFINITY


@part(types.int64(GAME, STATE, TABLE, types.uint64, types.uint64, *(types.int64,) * 4))
def _table_value(game, state, table, key, facts, alpha, beta, depth, ply):
    """Return the table entry's value if it causes a cutoff, else ``INFINITY``.

    Where threat searches prove wins, a proven win or loss always does, even if its distance is only a bound inside the
    window: otherwise an open window would search on below a proof.
    """
    value = entry_value(facts, ply)
    bound = entry_bound(facts)
    proven = entry_proven(game, state, table, key, facts)
    reached = entry_depth(facts)
    if not proven:
        plies = depth >> DEPTH_SHIFT
        deep_enough = reached == plies if state.fixed_depth != 0 else reached >= plies
        if abs(value) >= DECISIVE or not deep_enough:
            return INFINITY
    certain = proven and state.fixed_depth == 0 and game.misere == 0 and game.gravity == 0
    if (
        bound == BOUND_EXACT
        or (bound == BOUND_LOWER and (value >= beta or (certain and value >= DECISIVE)))
        or (bound == BOUND_UPPER and (value <= alpha or (certain and value <= -DECISIVE)))
    ):
        if not proven:
            state.unproven_count += 1
        move = entry_move(facts)
        if move >= 0:
            state.pv[ply, 0] = move
            state.pv_length[ply] = 1
        return value
    return INFINITY


@part(types.boolean(GAME, STATE, types.int64, types.int64, types.int64))
def _is_late(game, state, ply, plies, number):
    """Return True if late-move pruning skips this quiet move and those after it."""
    far = state.move_keys[ply, number] >> CELL_BITS < FAR_SCORE // 2
    slope = game.late_move_pruning_slope[game.misere]
    width = game.late_move_pruning_base[game.misere] + slope * max(plies, 0) // 16
    return far or (ply > 0 and number >= width)


@part(types.boolean(GAME, STATE, types.int64, types.int64, types.int64, types.int64, types.int64))
def _is_futile(game, state, side, cell, plies, guess, alpha):
    """Return True if futility pruning may skip the move."""
    gain = points_of(game, state, cell, side) + game.futility_margin * plies
    return plies <= game.futility_depth and guess + gain <= alpha


@part(types.int64(GAME, types.int64, types.int64, types.boolean, types.boolean))
def _reduction(game, plies, number, dangerous, null_window):
    """Return the late-move reduction of a quiet move, in units of depth."""
    row, column = min(plies, REDUCTION_SIZE - 1), min(number, REDUCTION_SIZE - 1)
    reduction = types.int64(game.reduction[game.misere, row, column])
    if dangerous:
        reduction -= DEPTH_UNIT
    if not null_window:
        reduction -= DEPTH_UNIT
    return max(reduction, 0)


@part(types.void(STATE, types.int64, types.int64, types.int64))
def _update_pv(state, ply, cell, value):
    extend_pv(state, ply, cell)
    if ply == 0:
        keep_line(state, value)


@part(types.int64(GAME, STATE, BUDGET, TABLE, *(types.int64,) * 3))
def _vcf_value(game, state, budget, table, side, ply, plies_left):
    """Return the value of a VCF of the side to move and store it; 0 if none is found. Leaves have other limits."""
    if plies_left <= 0:
        state.vcf_nodes = game.leaf_vcf_nodes
        plies = vcf(game, state, budget, side, game.leaf_vcf_pairs, 0)
    else:
        state.vcf_nodes = game.inner_vcf_nodes
        plies = vcf(game, state, budget, side, game.inner_vcf_pairs, 0)
    if plies == 0 or budget.reason != RUNNING:
        return 0
    cell = types.int64(state.vcf_line[0])
    state.pv[ply, 0] = cell
    state.pv_length[ply] = 1
    value = WIN - (ply + plies)
    key = position_key(state, side)
    store(game, state, budget, table, key, value, ply, cell, max(plies_left, 0), BOUND_LOWER, 1)
    return value


@part(types.int64(GAME, STATE, BUDGET, TABLE, types.boolean, *(types.int64,) * 3, types.boolean))
def _horizon_value(game, state, budget, table, has_entry, beta, ply, side, quiet):
    """Return the value at the horizon: the static evaluation, or that of a VCF if the evaluation is below beta."""
    seeks_vcf = quiet and game.misere == 0 and game.gravity == 0 and state.fixed_depth == 0
    guess = estimate(game, state, side)
    fours = state.count[side, FOUR_THREE_CELL] + state.count[side, FOUR_CELL]
    cut = guess >= beta
    if seeks_vcf and not has_entry and fours > 0 and not cut:
        value = _vcf_value(game, state, budget, table, side, ply, 0)
        if value != 0 or budget.reason != RUNNING:
            return value
    state.unproven_count += 1
    if not has_entry and state.fixed_depth == 0:
        bound = BOUND_LOWER if cut and seeks_vcf else BOUND_EXACT
        store(game, state, budget, table, position_key(state, side), guess, ply, -1, 0, bound, 0)
    return guess


@part(types.int64(types.uint64, types.int64, types.int64))
def _table_estimate(facts, ply, guess):
    """Return the entry's value if it is a tighter bound than the static evaluation ``guess``, else ``guess``."""
    if facts == ZERO:
        return guess
    value = entry_value(facts, ply)
    bound = entry_bound(facts)
    says_more = bound == BOUND_EXACT or bound == (BOUND_LOWER if value > guess else BOUND_UPPER)
    return value if says_more and abs(value) < ESTIMATE_LIMIT else guess


@part(types.int64(GAME, STATE, types.uint64, types.int64, types.int64))
def _singular_target(game, state, facts, depth, ply):
    """Return the singular beta, which no other move reaches if the table move is singular; ``INFINITY``: no test."""
    plies = depth >> DEPTH_SHIFT
    # The last limit ends lines in which every move is extended.
    if facts == ZERO or entry_move(facts) < 0 or plies < game.singular_depth or ply == 0 or ply >= 2 * state.root_depth:
        return INFINITY
    value = entry_value(facts, ply)
    if entry_bound(facts) == BOUND_UPPER or entry_depth(facts) < plies - 3:
        return INFINITY
    if state.excluded[ply] >= 0 or abs(value) >= ESTIMATE_LIMIT:
        return INFINITY
    return value - (game.singular_margin * depth >> DEPTH_SHIFT)


@inlined
def _pruned_value(game, state, budget, table, facts, guess, alpha, beta, depth, ply, side):
    """Return the value of a quiet node by reverse futility pruning or razoring; ``INFINITY``: neither applies."""
    value = types.int64(INFINITY)
    plies = depth >> DEPTH_SHIFT
    margin = game.reverse_futility_margin * depth >> DEPTH_SHIFT
    if ply < 2 or state.static_estimate[ply] > state.static_estimate[ply - 2]:
        margin -= game.reverse_futility_improving
    razor = (game.razor_margin * depth >> DEPTH_SHIFT) + game.razor_base
    if plies <= game.reverse_futility_depth and guess - max(margin, 0) >= beta:
        state.unproven_count += 1
        value = guess
    elif plies <= game.razor_depth and guess + razor <= alpha:
        value = _horizon_value(game, state, budget, table, facts != ZERO, beta, ply, side, True)
    return value


@inlined
def _singular_extension(game, state, budget, table, facts, beta, depth, ply, side, previous, move):
    """Search the other moves at half the depth; return the table move's extension and the multi-cut value.

    ``INFINITY``: no multi-cut. Both mean nothing if ``budget.reason`` is not RUNNING.
    """
    extension = types.int64(0)
    cut = types.int64(INFINITY)
    target = _singular_target(game, state, facts, depth, ply)
    if target < INFINITY:
        state.excluded[ply] = move
        value = pvs(game, state, budget, table, target - 1, target, (depth - DEPTH_UNIT) >> 1, ply, side, previous)
        state.excluded[ply] = -1
        state.pv_length[ply] = 0
        if value < target:
            extension = types.int64(DEPTH_UNIT)
        elif target >= beta:
            cut = target
    return extension, cut


@inlined
def _value_of_move(game, state, budget, table, alpha, beta, depth, ply, side, cell, number, reduction):
    """Return the value of a move: of the first by the full window, of others by a reduced null window first."""
    other = 1 - side
    value = types.int64(0)
    prefetch_child(game, state, table, side, cell)
    put(game, state, cell, side)
    whole = number == 0
    if not whole:
        reduced = min(max(depth - reduction, DEPTH_UNIT), depth)
        value = -pvs(game, state, budget, table, -alpha - 1, -alpha, reduced, ply + 1, other, cell)
        if reduced < depth and value > alpha and budget.reason == RUNNING:
            value = -pvs(game, state, budget, table, -alpha - 1, -alpha, depth, ply + 1, other, cell)
        whole = alpha < value < beta and budget.reason == RUNNING
    if whole:
        value = -pvs(game, state, budget, table, -beta, -alpha, depth, ply + 1, other, cell)
    take_back(game, state, cell)
    return value


@inlined
def _search_moves(
    game, state, budget, table, alpha, beta, depth, ply, side, kind, exhaustive, guess, extension, count,
):  # fmt: skip
    """Search the listed moves; return ``(value, best move or -1, index of the last move, no move was pruned)``."""
    other = 1 - side
    misere = game.misere != 0
    null_window = beta - alpha == 1
    next_depth = depth if kind == FORCED and state.fixed_depth == 0 else depth - DEPTH_UNIT
    best = state.unlisted_bound
    floor = max(alpha, best)
    best_move = types.int64(-1)
    last = types.int64(0)
    complete = state.excluded[ply] < 0
    plies = depth >> DEPTH_SHIFT
    for number in range(count if best < beta else 0):
        last = number
        cell = pick(state, ply, number, count)
        if cell == state.excluded[ply]:
            continue
        mine = types.int64(state.cell_pattern[cell, side])
        theirs = types.int64(state.cell_pattern[cell, other])
        quiet = kind == QUIET and mine < FOUR_CELL and not exhaustive
        if quiet and number > 0 and best > -ESTIMATE_LIMIT:
            if _is_late(game, state, ply, plies, number):
                complete = False
                break
            idle = ply > 0 and null_window and mine < THREE_CELL and theirs < FOUR_CELL
            if idle and not misere and _is_futile(game, state, side, cell, plies, guess, floor):
                complete = False
                continue
        if misere and mine == FIVE_CELL:
            value = -(WIN - (ply + 1))
            state.pv_length[ply + 1] = 0
        else:
            reduction = types.int64(0)
            if quiet and plies >= 2 and number >= game.reduction_from:
                dangerous = mine >= THREE_CELL or theirs >= FOUR_CELL
                reduction = _reduction(game, plies, number, dangerous, null_window)
                if misere:
                    reduction &= -DEPTH_UNIT  # its reductions were chosen in whole plies
            deeper = next_depth + extension if number == 0 else next_depth
            value = _value_of_move(game, state, budget, table, floor, beta, deeper, ply, side, cell, number, reduction)
        if budget.reason != RUNNING:
            break
        if value > best or best_move < 0:
            best = max(best, value)
            best_move = cell
            if value > floor or (ply == 0 and number == 0):
                _update_pv(state, ply, cell, value)
            floor = max(floor, best)
            if best >= beta:
                break
    return best, best_move, last, complete


@inlined
def _value_of_unlisted(game, state, budget, table, depth, ply, side):
    """Return an upper bound on the pruned moves of a node whose searched moves all lose.

    If a null move loses to a VCT, so do the moves outside its relevance zone; those inside are searched.
    ``-ESTIMATE_LIMIT``: one may not lose. The bound means nothing if ``budget.reason`` is not RUNNING.
    """
    other = 1 - side
    state.vct_nodes = game.pass_vct_nodes
    plies = vct(game, state, budget, table, other, game.pass_vct_depth, MAX_PLY, ply + 1)
    best = types.int64(-ESTIMATE_LIMIT)
    if plies > 0:
        best = -(WIN - (ply + 1 + plies))
        take_next_zone(game, state, ply)
        add_fours_to_zone(game, state, side, ply)
    for word in range(game.words):
        bits = state.zone[ply, word] & state.open_mask[word]
        while bits != ZERO and best <= -DECISIVE and budget.reason == RUNNING:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if side == game.beginner and is_forbidden(game, state, cell):
                continue
            put(game, state, cell, side)
            limit = types.int64(DECISIVE)
            value = -pvs(game, state, budget, table, limit - 1, limit, depth, ply + 1, other, cell)
            take_back(game, state, cell)
            best = max(best, value if value <= -DECISIVE else -ESTIMATE_LIMIT)
    return best


@inlined
def _search_node(game, state, budget, table, key, facts, alpha, beta, depth, ply, side, previous, block):
    """Return the value of a node above the horizon: prune it, or search its moves and store the value."""
    plies = depth >> DEPTH_SHIFT
    has_entry = facts != ZERO
    excludes = state.excluded[ply] >= 0
    unproven_before = state.unproven_count
    fixed_depth = state.fixed_depth != 0
    tactical = game.misere == 0 and game.gravity == 0
    kind = FORCED if block >= 0 else QUIET
    seeks_vcf = tactical and not fixed_depth and kind == QUIET
    exhaustive = fixed_depth or game.gravity != 0 or state.empty <= plies or (ply == 0 and not can_line(game, state))

    # 1. Prune by the static evaluation. Search a VCF.
    guess = types.int64(0)
    state.static_estimate[ply] = -state.static_estimate[ply - 1] if ply > 0 else 0
    if seeks_vcf:
        guess = estimate(game, state, side)
        state.static_estimate[ply] = guess
        if state.count[1 - side, OPEN_FOUR_CELL] > 0 and has_room_against(game, state, 1 - side):
            kind = DEFENCE
        null_window = beta - alpha == 1
        if kind == QUIET and null_window and not exhaustive and not excludes and abs(beta) < ESTIMATE_LIMIT:
            guess = _table_estimate(facts, ply, guess)
            value = _pruned_value(game, state, budget, table, facts, guess, alpha, beta, depth, ply, side)
            if value < INFINITY:
                return value
        if not has_entry and state.count[side, FOUR_CELL] + state.count[side, FOUR_THREE_CELL] > 0:
            value = _vcf_value(game, state, budget, table, side, ply, plies)
            if value != 0 or budget.reason != RUNNING:
                return value

    # 2. Singular extension, or multi-cut. Without a table entry reduce the depth (internal iterative reduction).
    # The root begins with the best move so far, even if its entry was replaced: an interrupted iteration must not lose
    # that move.
    preferred = entry_move(facts) if has_entry else -1
    if ply == 0 and state.best >= 0:
        preferred = state.best
    extension = types.int64(0)
    if seeks_vcf and kind == QUIET and not exhaustive and ply > 0:
        extension, cut = _singular_extension(
            game, state, budget, table, facts, beta, depth, ply, side, previous, preferred,
        )  # fmt: skip
        if budget.reason != RUNNING:
            return 0
        if cut < INFINITY:
            state.unproven_count += 1
            return cut
        if not has_entry and plies >= game.no_entry_depth:
            depth -= DEPTH_UNIT
            plies -= 1

    # 3. List the moves and search them.
    all_moves = fixed_depth or not tactical or ply == 0 or state.empty <= plies
    count = list_node_moves(game, state, side, ply, plies, kind, all_moves, block, preferred, previous)
    best, best_move, last, complete = _search_moves(
        game, state, budget, table, alpha, beta, depth, ply, side, kind, exhaustive, guess, extension, count,
    )  # fmt: skip
    if budget.reason != RUNNING:
        return 0

    # 4. A pruned move may be better: then a loss is not proven.
    if not complete or not (all_moves or kind != QUIET):
        unlisted = types.int64(-ESTIMATE_LIMIT)
        if best <= -DECISIVE and seeks_vcf and not excludes:
            unlisted = _value_of_unlisted(game, state, budget, table, max(depth - DEPTH_UNIT, 0), ply, side)
            if budget.reason != RUNNING:
                return 0
        if unlisted > -DECISIVE:
            state.unproven_count += 1
        best = max(best, unlisted)

    # 5. Store the bound.
    if best >= beta and kind == QUIET:
        update_quiet_stats(game, state, side, ply, best_move, previous, plies, last)
    if not excludes:
        proven = 1 if state.unproven_count == unproven_before or abs(best) >= DECISIVE else 0
        bound = BOUND_LOWER if best >= beta else (BOUND_UPPER if best <= alpha else BOUND_EXACT)
        store(game, state, budget, table, key, best, ply, best_move, max(plies, 0), bound, proven)
    return best


@part(types.int64(GAME, STATE, BUDGET, TABLE, *(types.int64,) * 6))
def pvs(game, state, budget, table, alpha, beta, depth, ply, side, previous):
    """Return the value for the side to move, with distances from the root (see the top of the file).

    ``depth`` counts 1 / ``DEPTH_UNIT`` plies. ``previous`` is the cell of the last mark, ``game.cells`` at the root. If
    ``state.excluded[ply]`` is a move, only the others are searched. The value means nothing if ``budget.reason`` is not
    RUNNING.
    """
    if not may_visit(budget):
        return 0
    state.pv_length[ply] = 0
    value = _decided_value(game, state, side, ply, depth >> DEPTH_SHIFT, previous)
    if value < INFINITY:
        return value
    block = state.block
    key = position_key(state, side)
    facts = find(game, state, table, key)
    if facts != ZERO and ply > 0 and state.excluded[ply] < 0:
        value = _table_value(game, state, table, key, facts, alpha, beta, depth, ply)
        if value < INFINITY:
            return value
    if (depth <= 0 and (block < 0 or state.fixed_depth != 0)) or ply + 3 >= MAX_PLY:
        return _horizon_value(game, state, budget, table, facts != ZERO, beta, ply, side, block < 0)
    return _search_node(game, state, budget, table, key, facts, alpha, beta, depth, ply, side, previous, block)


@entry(types.boolean(GAME, STATE, BUDGET, TABLE, types.int64))
def aspiration_search(game, state, budget, table, depth):
    """Search the loaded, ongoing position, side 0 to move, to a depth; return False if the budget ends first.

    The aspiration window is centred on the last value, and widened if the search fails low or high. Sets
    ``state.value``, ``best`` (a cell), ``line`` and ``proven``: 1 if no heuristic value went into it. After False a
    ``best`` other than -1 and its line are the best answer so far. Call it with depths rising from 1, after ``begin``.
    """
    state.root_depth = depth
    alpha = -INFINITY
    beta = INFINITY
    width = game.aspiration_width
    centre = state.value
    if depth >= game.aspiration_depth and state.fixed_depth == 0 and abs(centre) < ESTIMATE_LIMIT:
        alpha = centre - width
        beta = centre + width
    while True:
        state.unproven_count = 0
        value = pvs(game, state, budget, table, alpha, beta, depth << DEPTH_SHIFT, 0, 0, game.cells)
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
    state.value = value
    if state.pv_length[0] > 0:
        keep_line(state, value)
    state.proven = 1 if state.unproven_count == 0 or abs(value) >= DECISIVE else 0
    return True
