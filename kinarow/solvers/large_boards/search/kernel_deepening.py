# mypy: ignore-errors
"""Iterative deepening (Slate and Atkin 1977) on large boards; the main search takes turns with threat searches.

``deepen`` searches until the next result; ``search_moves`` searches the positions after several moves, each with a
budget of its own. The fields ``found_...`` of the state are the latest result.
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

# The threat searches take turns with the main search. Each may use at most this fraction of all nodes so far.
# A win by threats:
_WIN_SHARE = 0.5
# The same while the main search estimates a win:
_HOPEFUL_WIN_SHARE = 0.75
# A win of the other side by threats if this side passes:
_NULL_MOVE_SHARE = 0.05
# A refutation of the best move by threats:
_REFUTATION_SHARE = 0.05
# The same if a null move loses to threats, since few moves stop them:
_LIKELY_REFUTATION_SHARE = 0.5
# A win that begins with a quiet move:
_QUIET_SHARE = 0.1
_FIRST_THREAT_NODES = 300.0
_MOST_THREAT_NODES = 1e17
_LAST_THREAT_DEPTH = 76
# Nodes for each quiet move at depth 1; each depth has twice the nodes of the last one.
_QUIET_NODES = 500
_LAST_QUIET_DEPTH = 20

# The main search recognises wins in 1 and 3 plies and losses in 2 and 4 statically. So without gravity a win found in 5
# plies, or a loss in 6, can't be shorter. In Renju it misses a win in 3 that depends on a forbidden cell.
_EXACT_PLIES = 4
_EXACT_WIN = 5
_EXACT_LOSS = 6

# The node limit of the search for a shorter win, raised to the nodes of the search so far if these are more.
_QUICKER_NODES = 30_000

# Threat searches, as indices of ``threat_nodes`` and ``threat_depth``. In ``threat_depth`` the refutation of a move has
# the index ``_REFUTATIONS`` + cell.
_WINS, _NULL_MOVES, _REFUTATIONS, _QUIET_WINS = range(4)

# What ``deepen`` does next.
_DEEPER, _QUICKER, _NOTHING = range(3)


@entry(types.void(GAME, STATE, TABLE, types.int64, types.int64))
def begin(game, state, table, fixed_depth, keep):
    """Begin a search of the position on the board, with a new generation of table entries.

    ``fixed_depth`` 1: search all moves to exactly the depth; ``keep`` 1: trust the entries of earlier searches.
    """
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
    """Deepen a threat search until it wins or has used ``share`` of all nodes; return the plies of its win, or 0.

    ``cell`` is the move to refute, 0 in other searches.
    """
    index = search + cell
    depth = state.threat_depth[index]
    while depth <= _LAST_THREAT_DEPTH and budget.reason == RUNNING:
        before = budget.nodes
        most = min(max(_FIRST_THREAT_NODES, share * types.float64(before)), _MOST_THREAT_NODES)
        nodes = types.int64(most) - state.threat_nodes[search]
        if nodes < state.least_threat_nodes[index]:
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
            # Its node limit cut the search: repeat this depth only with twice the nodes.
            state.least_threat_nodes[index] = 2 * nodes
            break
        depth += 1
    state.threat_depth[index] = depth
    return 0


@part(types.boolean(GAME, STATE, BUDGET, TABLE))
def _finds_quiet_win(game, state, budget, table):
    """Deepen the search for a quiet move that wins by threats, within its share of all nodes; return True if found."""
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
    """Give each threat search a turn; return True if the side to move wins by threats."""
    share = _HOPEFUL_WIN_SHARE if state.value >= ESTIMATE_LIMIT else _WIN_SHARE
    found = _threat_turn(game, state, budget, table, _WINS, 0, share) != 0
    if not found and game.gravity == 0 and state.null_move_loses == 0:
        _threat_turn(game, state, budget, table, _NULL_MOVES, 0, _NULL_MOVE_SHARE)
    if not found and game.gravity == 0:
        found = _finds_quiet_win(game, state, budget, table)
    return found


@inlined
def _search_depth(game, state, budget, table, depth, seeks_threats):
    """Run the main search, and again while threats refute its best move; return True if it was completed."""
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
    """Make the value, best move and line of the search the latest result (``found_...``)."""
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
    """Search a shorter win by threats; return True if the result has changed: a shorter win, or proven the shortest."""
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
    """Make the first move in order that isn't refuted the result, with the static evaluation as value."""
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
def _keep_interrupted(game, state):
    """Make the best move of an interrupted iteration the result, if it differs; return True if the result has changed.

    An iteration searches the last best move first, so another best move is better than that. If the best move loses,
    the fallback move becomes the result; but if the last iteration already estimated a loss, its move stays.
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
    """Cut the principal variation before its first illegal move (a table entry may be another position's)."""
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
    """Search until there is a new result in ``found_...``; return False if the last one is final."""
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
            if not _keep_interrupted(game, state):
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
    """Search the positions after the moves of side 1 on the cells of ``results``, each in a new generation.

    Each search may use ``nodes`` nodes and an equal share of the time, which ``left`` moves share: these and those of
    later calls. A result's value is for side 0; its ``depth`` is -1 if the budget ran out before. ``budget.nodes``
    becomes the sum.
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
