# mypy: ignore-errors
"""Iterative deepening on large boards: the main search and the threat searches in turn, until a proof or the budget.

``deepen`` goes on to the next result; ``search_moves`` searches the positions after many moves to their end, each with
a budget of its own. The record of a search keeps the latest result in its fields ``found_...``.
"""

from numba import types

from kinarow.kernels.declare import entry, inlined, monotonic_ns, part
from kinarow.solvers.common.budget_record import NO_DEADLINE, OUT_OF_NODES, OUT_OF_TIME, RUNNING
from kinarow.solvers.common.kernel_bits import ZERO
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.large_boards.board.kernel_cells import playable
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, MOVE_RESULTS, STATE
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import DECISIVE, ESTIMATE_LIMIT, GENERATION_BITS, WIN
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from kinarow.solvers.large_boards.search.kernel_moves import QUIET, list_node_moves, pick
from kinarow.solvers.large_boards.search.kernel_pvs import aspiration_search
from kinarow.solvers.large_boards.search.kernel_table import TABLE
from kinarow.solvers.large_boards.search.kernel_vct import (
    null_move_threat,
    quicker_win,
    quiet_win,
    vct_refutes,
    vct_win,
)

# The threat searches take turns with the main search. Each may have used a share of all nodes so far.
# A win by threats:
_WIN_SHARE = 0.5
# The same while the main search estimates a win that it cannot prove:
_HOPEFUL_WIN_SHARE = 0.75
# A win of the other side by threats if this side passes:
_NULL_MOVE_SHARE = 0.05
# A refutation of the best move by threats:
_REFUTATION_SHARE = 0.05
# The same if a pass loses to threats, because an ordinary mark seldom stops them:
_LIKELY_REFUTATION_SHARE = 0.5
# A win that begins with a quiet move:
_QUIET_SHARE = 0.1
_FIRST_THREAT_NODES = 300.0
_MOST_THREAT_NODES = 1e17
_LAST_THREAT_DEPTH = 76
# The nodes of a quiet move at depth 1, and the last depth.
_QUIET_NODES = 500
_LAST_QUIET_DEPTH = 20

# The static rules recognise wins in 1 and 3 plies and losses in 2 and 4. So without gravity a win found in 5
# plies, or a loss in 6, cannot be shorter. In Renju they miss a win in 3 that rests on a forbidden cell.
_EXACT_PLIES = 4
_EXACT_WIN = 5
_EXACT_LOSS = 6

# The nodes of the search for a quicker win, unless the win itself took more: then it gets as many as that.
_QUICKER_NODES = 30_000

# The threat searches by their places in ``threat_nodes`` and ``threat_depth``. Each move has a refutation of its own,
# whose place in ``threat_depth`` is this number plus the cell of the move.
_WINS, _NULL_MOVES, _REFUTATIONS, _QUIET_WINS = range(4)

# What comes next.
_DEEPER, _QUICKER, _NOTHING = range(3)


@entry(types.void(GAME, STATE, TABLE, types.int64, types.int64))
def begin(game, state, table, fixed_depth, keep):
    """Forget earlier searches, unless ``keep``; ``fixed_depth`` searches all moves to exactly the depth."""
    state.position_words = 2 * game.words
    state.slots = len(table) // (2 + state.position_words)
    state.fixed_depth = fixed_depth
    state.generation += 1
    if state.generation >= types.int64(GENERATION_BITS):
        table[:] = ZERO
        state.generation = 1
        state.oldest = 1
    if keep == 0 or state.oldest == 0:
        state.oldest = state.generation
    state.excluded[:] = -1
    state.killer[:] = -1
    state.countermove[:] = -1
    state.history[:] = 0
    state.best = -1
    state.value = 0
    state.proven = 0
    state.line_length = 0
    state.unproven_count = 0
    state.vct_in_plies = 0
    state.null_move_loses = 0
    state.cut_count = 0
    state.depth = 0
    state.next = _DEEPER
    state.refuted[:] = 0
    state.threat_nodes[:] = 0
    state.threat_depth[:] = 1
    state.quiet_depth = 1
    state.quiet_tried[:] = 0
    state.least_threat_nodes[:] = 1


@part(types.int64(GAME, STATE, BUDGET, TABLE, types.int64, types.int64, types.float64))
def _threat_turn(game, state, budget, table, search, cell, share):
    """Continue a threat search until it wins or has its share of all nodes; return the plies of its win, or 0.

    ``cell`` is the move to refute, otherwise 0.
    """
    question = search + cell
    depth = state.threat_depth[question]
    while depth <= _LAST_THREAT_DEPTH and budget.reason == RUNNING:
        before = budget.nodes
        most = min(max(_FIRST_THREAT_NODES, share * types.float64(before)), _MOST_THREAT_NODES)
        nodes = types.int64(most) - state.threat_nodes[search]
        if nodes < state.least_threat_nodes[question]:
            break
        if search == _WINS:
            plies = vct_win(game, state, budget, table, depth, nodes)
        elif search == _NULL_MOVES:
            plies = null_move_threat(game, state, budget, table, depth, nodes)
        else:
            plies = vct_refutes(game, state, budget, table, cell, depth, nodes)
        state.threat_nodes[search] += budget.nodes - before
        if plies != 0:
            return plies
        if state.vct_nodes <= 0:
            # The next turn repeats this depth, which makes sense only with more nodes.
            state.least_threat_nodes[question] = 2 * nodes
            break
        depth += 1
    state.threat_depth[question] = depth
    return 0


@part(types.boolean(GAME, STATE, BUDGET, TABLE))
def _finds_quiet_win(game, state, budget, table):
    """Return True if a win begins with a quiet move; each depth gets twice the nodes of the last."""
    most = types.int64(min(_QUIET_SHARE * types.float64(budget.nodes), _MOST_THREAT_NODES))
    left = most - state.threat_nodes[_QUIET_WINS]
    while left >= _QUIET_NODES and budget.reason == RUNNING and state.quiet_depth <= _LAST_QUIET_DEPTH:
        count = list_node_moves(game, state, 0, 0, 1, QUIET, False, -1, -1, game.cells)
        for number in range(count):
            cell = pick(state, 0, number, count)
            if state.quiet_tried[cell] >= state.quiet_depth or state.refuted[cell] != 0:
                continue
            state.quiet_tried[cell] = state.quiet_depth
            before = budget.nodes
            nodes = min(left, _QUIET_NODES << (state.quiet_depth - 1))
            found = quiet_win(game, state, budget, table, cell, state.quiet_depth, nodes) != 0
            state.threat_nodes[_QUIET_WINS] += budget.nodes - before
            left -= budget.nodes - before
            if found or left < _QUIET_NODES or budget.reason != RUNNING:
                return found
        state.quiet_depth += 1
    return False


@inlined
def _finds_win(game, state, budget, table):
    """Give the search for a win by threats its turn; also ask whether a pass would lose to threats."""
    share = _HOPEFUL_WIN_SHARE if state.value >= ESTIMATE_LIMIT else _WIN_SHARE
    found = _threat_turn(game, state, budget, table, _WINS, 0, share) != 0
    if not found and game.gravity == 0 and state.null_move_loses == 0:
        _threat_turn(game, state, budget, table, _NULL_MOVES, 0, _NULL_MOVE_SHARE)
    if not found and game.gravity == 0:
        found = _finds_quiet_win(game, state, budget, table)
    return found


@inlined
def _search_depth(game, state, budget, table, depth, seeks_threats):
    """Return the main search, repeated while threats refute its best move; whether it was completed."""
    done = aspiration_search(game, state, budget, table, depth)
    while done and seeks_threats and game.gravity == 0 and state.proven == 0:
        share = _LIKELY_REFUTATION_SHARE if state.null_move_loses != 0 else _REFUTATION_SHARE
        if _threat_turn(game, state, budget, table, _REFUTATIONS, state.best, share) == 0:
            break
        state.refuted[state.best] = 1
        done = aspiration_search(game, state, budget, table, depth)
    return done


@part(types.void(GAME, STATE, types.int64, types.int64))
def _keep_result(game, state, depth, proven):
    value = state.value
    distance = WIN - abs(value)
    exact_up_to = _EXACT_PLIES
    if game.gravity == 0 and game.misere == 0 and game.beginner < 0:
        exact_up_to = _EXACT_WIN if value > 0 else _EXACT_LOSS
    exact = abs(value) < DECISIVE or state.fixed_depth != 0 or distance <= exact_up_to
    state.found_depth = depth
    state.found_value = value
    state.found_best = state.best
    state.found_proven = proven
    state.found_exact = 1 if proven != 0 and exact else 0
    state.found_length = state.line_length
    for i in range(state.line_length):
        state.found_line[i] = state.line[i]


@part(types.boolean(GAME, STATE, BUDGET, TABLE))
def _finds_quicker(game, state, budget, table):
    """Return True if threats give a quicker win than the result, or show that there is none; then it is the result."""
    plies = WIN - state.value
    nodes = max(_QUICKER_NODES, budget.nodes)
    none_in_5 = False
    quicker = types.int64(0)
    for most in range(_EXACT_WIN, plies - 1, 2):
        before = budget.nodes
        cut_before = state.cut_count
        quicker = quicker_win(game, state, budget, table, most, nodes)
        nodes -= budget.nodes - before
        if quicker != 0:
            plies = quicker
        if quicker != 0 or budget.reason != RUNNING or nodes <= 0:
            break
        same_rule = game.caro == 0 and game.beginner < 0
        none_in_5 = none_in_5 or (most == _EXACT_WIN and state.cut_count == cut_before and same_rule)
    if quicker != 0:
        _keep_result(game, state, state.found_depth, 1)
    exact = none_in_5 and plies == _EXACT_WIN + 2
    if exact:
        state.found_exact = 1
    return exact or quicker != 0


@inlined
def _is_allowed(game, state, cell, side):
    return playable(game, state, cell) and not (side == game.beginner and is_forbidden(game, state, cell))


@part(types.void(GAME, STATE, types.int64))
def _keep_fallback(game, state, depth):
    """Take a move that no search has valued: the first in order that is not known to lose."""
    count = list_node_moves(game, state, 0, 0, 1, QUIET, True, -1, -1, game.cells)
    best = pick(state, 0, 0, count)
    for number in range(1, count):
        if state.refuted[best] == 0:
            break
        best = pick(state, 0, number, count)
    state.best = best
    state.value = estimate(game, state, 0)
    state.line[0] = best
    state.line_length = 1
    _keep_result(game, state, max(depth, 0), 0)


@part(types.boolean(GAME, STATE))
def _break_off(game, state):
    """Take the best move of an unfinished iteration, if it says more than the last result.

    That move was replaced only by searched, better moves. If it is proven to lose, a fallback is taken; if all moves
    seemed to lose in the last iteration too, that iteration's move is kept.
    """
    best = state.best
    first = state.depth == 0
    if best >= 0 and state.refuted[best] == 0 and state.value > -DECISIVE:
        if first or best != state.found_best:
            _keep_result(game, state, state.depth, 1 if state.value >= DECISIVE else 0)
            return True
        return False
    last = state.found_best
    if first or (state.found_value > -ESTIMATE_LIMIT and (state.refuted[last] != 0 or best == last)):
        if best >= 0:
            state.refuted[best] = 1
        _keep_fallback(game, state, state.depth)
        return True
    return False


@part(types.void(GAME, STATE))
def _cut_line(game, state):
    """Keep the part of the principal variation that can be played: table moves may be stale."""
    played = types.int64(0)
    over = False
    while played < state.found_length and not over:
        cell = types.int64(state.found_line[played])
        side = played & 1
        if cell < 0 or cell >= game.cells or not _is_allowed(game, state, cell, side):
            break
        over = state.cell_pattern[cell, side] == FIVE_CELL
        put(game, state, cell, side)
        played += 1
    state.found_length = played
    for i in range(played - 1, -1, -1):
        take_back(game, state, types.int64(state.found_line[i]))


@entry(types.boolean(GAME, STATE, BUDGET, TABLE, types.int64))
def deepen(game, state, budget, table, max_depth):
    """Search until there is a new result in ``found_...``; False at the end. The last result is the answer."""
    seeks_threats = state.fixed_depth == 0 and game.misere == 0
    if state.next == _QUICKER:
        state.next = _NOTHING
        if not _finds_quicker(game, state, budget, table):
            return False
    elif state.next == _NOTHING or state.depth >= min(max_depth, state.empty):
        return False
    elif state.depth > 0 and seeks_threats and _finds_win(game, state, budget, table):
        _keep_result(game, state, state.depth, 1)
        state.next = _QUICKER
    else:
        depth = state.depth + 1
        done = _search_depth(game, state, budget, table, depth, seeks_threats)
        if not done:
            state.next = _NOTHING
            if not _break_off(game, state):
                return False
        else:
            _keep_result(game, state, depth, state.proven)
            state.depth = depth
            if state.proven != 0:
                state.next = _QUICKER if state.value >= DECISIVE and seeks_threats else _NOTHING
    if state.next == _QUICKER and (state.found_exact != 0 or game.gravity != 0):
        state.next = _NOTHING
    _cut_line(game, state)
    return True


@entry(types.void(GAME, STATE, BUDGET, TABLE, types.int64, types.int64, MOVE_RESULTS))
def search_moves(game, state, budget, table, nodes, left, results):
    """Search the positions after the moves of side 1 on the cells of ``results``, each without the entries of others.

    Each search counts its own nodes, ``nodes`` at most, and gets the time that is left for one of ``left`` moves, these
    and later ones. The values of a result are those of the position, for side 0; its ``depth`` is -1 where the budget
    ended before all. At the end the budget has the nodes of all.
    """
    deadline_ns = budget.deadline_ns
    all_nodes = types.int64(0)
    budget.node_limit = nodes
    for i in range(len(results)):
        result = results[i]
        result.depth = -1
        budget.nodes = 0
        if budget.reason == RUNNING:
            if left - i > 1 and deadline_ns != NO_DEADLINE:
                now = monotonic_ns()
                budget.deadline_ns = now + (deadline_ns - now) // (left - i)
            put(game, state, result.cell, 1)
            begin(game, state, table, 0, 0)
            while deepen(game, state, budget, table, game.cells):
                result.depth = state.found_depth
            take_back(game, state, result.cell)
            budget.deadline_ns = deadline_ns
        all_nodes += budget.nodes
        budget.fresh_until -= budget.nodes
        result.nodes = budget.nodes
        result.reason = budget.reason
        if result.depth >= 0:
            result.value = state.found_value
            result.proven = state.found_proven
            result.exact = state.found_exact
            result.length = state.found_length
            for place in range(state.found_length):
                result.line[place] = state.found_line[place]
        if budget.reason == OUT_OF_NODES:
            budget.reason = RUNNING
        elif budget.reason == OUT_OF_TIME:
            budget.late = 1
            if monotonic_ns() < deadline_ns:
                budget.reason = RUNNING
    budget.nodes = all_nodes
