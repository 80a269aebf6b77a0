# mypy: ignore-errors
"""Victory by continuous threats (VCT; threat-space search: Allis, van den Herik and Huntjens 1996).

For boards without gravity, not in misère. A threat is a four, or a mark after which the attacker would have a VCF if
the defender passed. Every answer in the relevance zone (``kernel_zones``) is searched, so a win is proven, but it may
not be the shortest. Under Caro a four may have two answers: VCF gives up there, VCT searches both. In Renju the side
that began attacks only with marks that are certainly allowed: no mark outside the zone can forbid them, because it adds
no four or three to them.
"""

from numba import types

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.large_boards.board.kernel_answers import count_answers, count_winning_cells
from kinarow.solvers.large_boards.board.kernel_cells import points_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_renju import has_room_against, is_forbidden
from kinarow.solvers.large_boards.board.layout import MAX_LINE, MAX_PLY, WIN, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import BUILD_CELL, FIVE_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.search.kernel_moves import list_move, pick
from kinarow.solvers.large_boards.search.kernel_table import (
    BOUND_LOWER,
    TABLE,
    position_key,
    store,
    store_vct_failure,
    vct_known_to_fail,
)
from kinarow.solvers.large_boards.search.kernel_vcf import vcf
from kinarow.solvers.large_boards.search.kernel_zones import (
    add_cell_to_zone,
    add_fours_to_zone,
    add_runs_to_zone,
    fill_zone,
    join_next_zone,
    take_next_zone,
)

_KEPT_DEPTH = 100  # a proven win's depth in the table, so that no ordinary entry replaces it


@part(types.int64(GAME, STATE, types.int64, types.int64, types.boolean))
def _list_cells(game, state, side, ply, attacks):
    """List the side's possible attacks, or else its answers in the relevance zone, for ``pick``; return how many."""
    count = types.int64(0)
    for word in range(game.words):
        bits = state.zone[ply, word] & state.open_mask[word]
        if attacks:
            bits = ZERO
            for cell_pattern in range(BUILD_CELL, OPEN_FOUR_CELL):
                bits |= state.mask[side, cell_pattern, word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if side == game.beginner and is_forbidden(game, state, cell):
                continue
            points = points_of(game, state, cell, 1 - side)
            move_score = points_of(game, state, cell, side) + (points // 2 if attacks else points)
            move_score += game.cell_pattern_order[0, types.int64(state.cell_pattern[cell, side])]
            list_move(state, ply, count, cell, move_score)
            count += 1
    return count


@inlined
def _list_answers(state, ply, count):
    for i in range(count):
        list_move(state, ply, i, types.int64(state.answer[i]), -i)


@part(types.void(STATE, types.int64, types.int64))
def _pv_from_vcf(state, ply, plies):
    """Make the VCF's line the principal variation of this ply; ``plies`` is the VCF's result."""
    length = min(max(plies - 2, 1), MAX_LINE)
    for i in range(length):
        state.pv[ply, i] = state.vcf_line[i]
    state.pv_length[ply] = length


@part(types.void(STATE, types.int64, types.int64))
def extend_pv(state, ply, cell):
    """Set this ply's principal variation to ``cell`` followed by that of the next ply."""
    length = min(state.pv_length[ply + 1], MAX_LINE - 1)
    state.pv[ply, 0] = cell
    for i in range(length):
        state.pv[ply, i + 1] = state.pv[ply + 1, i]
    state.pv_length[ply] = length + 1


@part(types.void(STATE, types.int64))
def keep_line(state, value):
    """Make the root's principal variation, with this value, the result of the search."""
    state.value = value
    state.best = state.pv[0, 0]
    state.line_length = state.pv_length[0]
    for i in range(state.line_length):
        state.line[i] = state.pv[0, i]


@part(types.int64(STATE, BUDGET, types.int64))
def _keep_win(state, budget, plies):
    """Make the root's principal variation the result and return ``plies``; 0 without a win or with a spent budget."""
    if plies == 0 or budget.reason != RUNNING:
        return 0
    keep_line(state, WIN - plies)
    return plies


@part(types.int64(GAME, STATE, BUDGET, types.int64, types.int64))
def _vcf_within(game, state, budget, side, max_plies):
    """Search a VCF of at most ``max_plies`` plies, with the node limit of ``tunables``; return its plies, or 0."""
    state.vcf_nodes = game.vct_vcf_nodes
    pairs = min(game.vct_vcf_pairs, max(max_plies - 3, 0) // 2)
    plies = vcf(game, state, budget, side, pairs, 0)
    state.vct_nodes -= game.vct_vcf_nodes - state.vcf_nodes
    return plies if plies <= max_plies else 0


@inlined
def _vct_after_each_answer(game, state, budget, table, side, depth, max_plies, ply, answers, worst):
    """Return the plies to a win after the answer that delays it most, at least ``worst``; 0 if an answer refutes it."""
    other = 1 - side
    for i in range(answers):
        answer = pick(state, ply, i, answers)
        put(game, state, answer, other)
        plies = vct(game, state, budget, table, side, depth - 1, max_plies - 2, ply + 1)
        take_back(game, state, answer)
        if plies == 0:
            worst = 0
            break
        join_next_zone(game, state, ply)
        if plies > worst or state.pv_length[ply] == 0:
            worst = max(worst, plies)
            extend_pv(state, ply, answer)
    return worst


@inlined
def _vct_after_four(game, state, budget, table, side, depth, max_plies, ply):
    """Return the plies to a win after a four and each of its answers, or 0."""
    answers = count_answers(game, state, side)
    _list_answers(state, ply, answers)
    for word in range(game.words):
        may_forbid = game.beginner == 1 - side
        state.zone[ply, word] = ~ZERO if may_forbid else state.mask[side, FIVE_CELL, word]
    add_runs_to_zone(game, state, side, ply)
    worst = types.int64(1 if has_room_against(game, state, side) else 0)
    return _vct_after_each_answer(game, state, budget, table, side, depth, max_plies, ply, answers, worst)


@inlined
def _vct_after_threat(game, state, budget, table, side, depth, max_plies, ply):
    """Return the plies to a win after a threat and every answer in its relevance zone, or 0."""
    worst = _vcf_within(game, state, budget, side, max_plies - 2)
    defences = 0
    if worst > 0:
        fill_zone(game, state, side, worst, ply)
        defences = _list_cells(game, state, 1 - side, ply, False)
    return _vct_after_each_answer(game, state, budget, table, side, depth, max_plies, ply, defences, worst)


@inlined
def _vct_after(game, state, budget, table, side, depth, max_plies, ply):
    """Return the plies to a win after an attack that was just put on the board, or 0; ``ply`` is the defender's."""
    state.pv_length[ply] = 0
    plies = 0
    if state.count[1 - side, FIVE_CELL] == 0:
        if state.count[side, FIVE_CELL] > 0:
            plies = _vct_after_four(game, state, budget, table, side, depth, max_plies, ply)
        else:
            plies = _vct_after_threat(game, state, budget, table, side, depth, max_plies, ply)
    return plies


@inlined
def _store_win(game, state, budget, table, side, cell, plies):
    """Store in the table that the side to move wins in ``plies`` plies with ``cell``."""
    key = position_key(state, side)
    store(game, state, budget, table, key, WIN - plies, 0, cell, _KEPT_DEPTH, BOUND_LOWER, 1)


@part(types.void(GAME, STATE, BUDGET, TABLE, *(types.int64,) * 4))
def _keep_attack(game, state, budget, table, side, cell, plies, ply):
    """Store an attack that wins in ``plies`` plies: its principal variation, relevance zone and table entry."""
    extend_pv(state, ply, cell)
    take_next_zone(game, state, ply)
    add_cell_to_zone(state, cell, ply)
    add_fours_to_zone(game, state, 1 - side, ply)
    _store_win(game, state, budget, table, side, cell, plies)


@part(types.int64(GAME, STATE, BUDGET, TABLE, *(types.int64,) * 4))
def vct(game, state, budget, table, side, depth, max_plies, ply):
    """Search a win of the side to move by at most ``depth`` threats and then a VCF; return its plies, or 0.

    A win is proven and takes at most ``max_plies`` plies; 0 proves nothing. Nodes, also those of the VCFs, count down
    the limit ``state.vct_nodes``. A win leaves its principal variation in ``state.pv[ply]`` and its relevance zone in
    ``state.zone[ply]``: all marks of the attacker, and the cells where answers were searched.
    """
    state.vct_nodes -= 1
    if state.vct_nodes <= 0 or ply + 3 >= MAX_PLY:
        state.cut_count += 1
        return 0
    other = 1 - side
    # 1. Win by fours.
    plies = _vcf_within(game, state, budget, side, max_plies)
    if budget.reason != RUNNING:
        return 0
    if plies > 0:
        _pv_from_vcf(state, ply, plies)
        fill_zone(game, state, side, plies, ply)
        return plies
    threatened = count_winning_cells(game, state, other)
    if (game.caro != 0 or game.beginner == side) and threatened > 0 and depth > 0:
        threatened = 1 if count_answers(game, state, other) > 0 else 2
    search_bound = depth if state.vct_in_plies == 0 else max_plies
    if depth <= 0 or max_plies < 5 or threatened >= 2:
        return 0
    if vct_known_to_fail(game, state, table, side, search_bound):
        return 0
    cut_before = state.cut_count
    # 2. Try the attacks, or only the blocks if the other side can complete a line.
    if threatened == 1:
        count = count_answers(game, state, other)
        _list_answers(state, ply, count)
    else:
        count = _list_cells(game, state, side, ply, True)
    attacks = count
    if count > game.vct_width and state.vct_in_plies == 0:
        state.cut_count += 1
        attacks = game.vct_width
    for i in range(attacks):
        cell = pick(state, ply, i, count)
        put(game, state, cell, side)
        plies = _vct_after(game, state, budget, table, side, depth, max_plies, ply + 1)
        take_back(game, state, cell)
        if budget.reason != RUNNING or state.vct_nodes <= 0:
            return 0
        if plies > 0:
            _keep_attack(game, state, budget, table, side, cell, plies + 2, ply)
            return plies + 2
    if state.vct_in_plies == 0 or state.cut_count == cut_before:
        store_vct_failure(game, state, budget, table, side, search_bound)
    return 0


@entry(types.int64(GAME, STATE, BUDGET, TABLE, types.int64, types.int64))
def vct_win(game, state, budget, table, depth, node_limit):
    """Search a win of the side to move by VCT, ``depth`` attacks deep; return its plies, or 0.

    With gravity search a VCF only. A win is proven, but may not be the shortest; it sets ``state.value``, ``best`` and
    ``line``. ``node_limit`` holds besides that of ``budget``.
    """
    if game.misere != 0:
        return 0
    state.vct_nodes = node_limit
    if game.gravity != 0:
        state.vcf_nodes = node_limit
        plies = vcf(game, state, budget, 0, depth, 0)
        if plies > 0:
            _pv_from_vcf(state, 0, plies)
    else:
        plies = vct(game, state, budget, table, 0, depth, MAX_PLY, 0)
    return _keep_win(state, budget, plies)


@entry(types.int64(GAME, STATE, BUDGET, TABLE, types.int64, types.int64))
def quicker_win(game, state, budget, table, max_plies, node_limit):
    """Search a win of the side to move by VCT in at most ``max_plies`` plies (5 or more); return its plies, or 0.

    Not with gravity or in misère. A win sets what ``vct_win`` sets. With ``max_plies`` = 5 and an unchanged
    ``state.cut_count``, 0 proves that there is no win in 5, as such a win begins with a four or the threat of an open
    four.
    """
    state.vct_nodes = node_limit
    state.vct_in_plies = 1
    plies = vct(game, state, budget, table, 0, max_plies, max_plies, 0)
    state.vct_in_plies = 0
    return _keep_win(state, budget, plies)


@entry(types.int64(GAME, STATE, BUDGET, TABLE, *(types.int64,) * 3))
def quiet_win(game, state, budget, table, cell, depth, node_limit):
    """Search a win that begins with side 0's quiet move on ``cell``; return its plies, or 0.

    The move must win by VCT against a pass and against each answer in the relevance zone of that VCT. Not with gravity
    or in misère. A win sets what ``vct_win`` sets.
    """
    state.vct_nodes = node_limit
    put(game, state, cell, 0)
    state.pv_length[1] = 0
    worst = types.int64(0)
    if state.count[0, FIVE_CELL] == 0 and state.count[1, FIVE_CELL] == 0:
        worst = vct(game, state, budget, table, 0, depth, MAX_PLY, 2)
        answers = types.int64(0)
        if worst > 0:
            take_next_zone(game, state, 1)
            add_fours_to_zone(game, state, 1, 1)
            answers = _list_cells(game, state, 1, 1, False)
        worst = _vct_after_each_answer(game, state, budget, table, 0, depth + 1, MAX_PLY, 1, answers, worst)
    take_back(game, state, cell)
    if worst > 0:
        extend_pv(state, 0, cell)
        worst += 2
    return _keep_win(state, budget, worst)


@entry(types.int64(GAME, STATE, BUDGET, TABLE, types.int64, types.int64))
def null_move_threat(game, state, budget, table, depth, node_limit):
    """Search a win of side 1 by VCT after a null move of side 0; return its plies, or 0.

    Not with gravity or in misère. A win sets ``state.null_move_loses`` to 1 and ``state.null_move_zone`` to its
    relevance zone, which serves move ordering only.
    """
    state.vct_nodes = node_limit
    plies = vct(game, state, budget, table, 1, depth, MAX_PLY, 1)
    if plies == 0 or budget.reason != RUNNING:
        return 0
    state.null_move_loses = 1
    for word in range(game.words):
        state.null_move_zone[word] = state.zone[1, word]
    return plies


@entry(types.int64(GAME, STATE, BUDGET, TABLE, *(types.int64,) * 3))
def vct_refutes(game, state, budget, table, cell, depth, node_limit):
    """Search a win of side 1 by VCT after side 0's move on ``cell``; return its plies, or 0.

    Not with gravity or in misère; ``cell`` is empty and completes no line. A win is stored in the table, where the main
    search finds that the move loses.
    """
    state.vct_nodes = node_limit
    put(game, state, cell, 0)
    plies = vct(game, state, budget, table, 1, depth, MAX_PLY, 1)
    if budget.reason != RUNNING:
        plies = 0
    if plies > 0:
        # ``vct`` doesn't store a win by fours alone.
        _store_win(game, state, budget, table, 1, types.int64(state.pv[1, 0]), plies)
    take_back(game, state, cell)
    return plies
