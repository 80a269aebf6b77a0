# mypy: ignore-errors
"""Iterative deepening on large boards: the main search and the threat searches in turn, until a proof or the budget.

``deepen`` goes on to the next result; ``search_moves`` searches the positions after many moves to their end, each with
a budget of its own. The record of a search keeps the latest result in its fields ``found_...``.
"""

from numba import types

from kinarow.kernels.declare import entry, inlined, monotonic_ns, part
from kinarow.solvers.common.budget_record import NO_DEADLINE, OUT_OF_NODES, OUT_OF_TIME, RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO
from kinarow.solvers.common.kernel_budget import BUDGETS
from kinarow.solvers.large_boards.board.kernel_cells import playable, points_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import BOARD, BOARDS
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import BIT_MASK, ESTIMATE_LIMIT, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from kinarow.solvers.large_boards.search.kernel_pvs import aspiration_search
from kinarow.solvers.large_boards.search.kernel_record import MOVE_RESULTS, SEARCH, SEARCHES
from kinarow.solvers.large_boards.search.kernel_table import TABLE
from kinarow.solvers.large_boards.search.kernel_vct import null_move_threat, quicker_win, vct_refutes, vct_win
from kinarow.solvers.large_boards.search.layout import DECISIVE, GENERATION_BITS, WIN

# The threat searches take turns with the main search. Each may have used a share of all nodes so far.
# A win by threats:
_WIN_SHARE = 0.25
# The same while the main search estimates a win that it cannot prove:
_HOPEFUL_WIN_SHARE = 0.75
# The same if, in addition, the last iteration of the main search took fewer than _IDLE_NODES nodes:
_UNLIMITED_SHARE = 1e9
_IDLE_NODES = 500
# A win of the other side by threats if this side passes:
_NULL_MOVE_SHARE = 0.05
# A refutation of the best move by threats:
_REFUTATION_SHARE = 0.05
# The same if a pass loses to threats, because an ordinary mark seldom stops them:
_LIKELY_REFUTATION_SHARE = 0.5
_FIRST_THREAT_NODES = 300.0
_MOST_THREAT_NODES = 1e17
_LAST_THREAT_DEPTH = 40

# The static rules recognise wins in 1 and 3 plies and losses in 2 and 4. So without gravity a win found in 5
# plies, or a loss in 6, cannot be shorter. In Renju they miss a win in 3 that rests on a forbidden cell.
_EXACT_PLIES = 4
_EXACT_WIN = 5
_EXACT_LOSS = 6

# The nodes of the search for a quicker win, unless the win itself took more: then it gets as many as that.
_QUICKER_NODES = 30_000

# The threat searches by their places in ``threat_nodes`` and ``threat_depth``. Each move has a refutation of its own,
# whose place in ``threat_depth`` is this number plus the cell of the move.
_WINS, _NULL_MOVES, _REFUTATIONS = range(3)

# What comes next.
_DEEPER, _QUICKER, _NOTHING = range(3)


@entry(types.void(BOARDS, SEARCHES, TABLE, types.int64, types.int64))
def begin(boards, searches, table, fixed_depth, keep):
    """Forget the last position, so that no earlier search influences the next one, unless ``keep`` trusts its entries.

    The table is from ``new_table``, with a power of two of slots for this board; only helpers share it.
    ``fixed_depth`` searches all moves to exactly the depth (see ``kernel_pvs``).
    """
    board, search = boards[0], searches[0]
    search.position_words = 2 * board.words
    search.slots = len(table) // (2 + search.position_words)
    search.fixed_depth = fixed_depth
    search.generation += 1
    if search.generation >= types.int64(GENERATION_BITS):
        table[:] = ZERO
        search.generation = 1
        search.oldest = 1
    if keep == 0 or search.oldest == 0:
        search.oldest = search.generation
    search.excluded[:] = -1
    search.killer[:] = -1
    search.countermove[:] = -1
    search.history[:] = 0
    search.best = -1
    search.value = 0
    search.proven = 0
    search.line_length = 0
    search.unproven_count = 0
    search.vct_in_plies = 0
    search.null_move_loses = 0
    search.cut_count = 0
    search.depth = 0
    search.next = _DEEPER
    search.idle = 0
    search.refuted[:] = 0
    search.threat_nodes[:] = 0
    search.threat_depth[:] = 1
    search.least_threat_nodes[:] = 1


@part(types.int64(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64, types.int64, types.float64))
def _threat_turn(boards, searches, budgets, table, kind, cell, share):
    """Give a threat search its turn, until it wins or has used this share of all nodes: the plies of its win, or 0.

    It deepens from where it ended for the same question. ``cell`` is the move to refute, otherwise 0.
    """
    search, budget = searches[0], budgets[0]
    question = kind + cell
    depth = search.threat_depth[question]
    while depth <= _LAST_THREAT_DEPTH and budget.reason == RUNNING:
        before = budget.nodes
        most = min(max(_FIRST_THREAT_NODES, share * types.float64(before)), _MOST_THREAT_NODES)
        nodes = types.int64(most) - search.threat_nodes[kind]
        if nodes < search.least_threat_nodes[question]:
            break
        if kind == _WINS:
            plies = vct_win(boards, searches, budgets, table, depth, nodes)
        elif kind == _NULL_MOVES:
            plies = null_move_threat(boards, searches, budgets, table, depth, nodes)
        else:
            plies = vct_refutes(boards, searches, budgets, table, cell, depth, nodes)
        search.threat_nodes[kind] += budget.nodes - before
        if plies != 0:
            return plies
        if search.vct_nodes <= 0:
            # The next turn repeats this depth, which makes sense only with more nodes.
            search.least_threat_nodes[question] = 2 * nodes
            break
        depth += 1
    search.threat_depth[question] = depth
    return 0


@inlined
def _finds_win(boards, searches, budgets, table):
    """Give the search for a win by threats its turn; also ask whether a pass would lose to threats."""
    board, search = boards[0], searches[0]
    share = _WIN_SHARE
    if search.value >= ESTIMATE_LIMIT:
        share = _UNLIMITED_SHARE if search.idle != 0 else _HOPEFUL_WIN_SHARE
    found = _threat_turn(boards, searches, budgets, table, _WINS, 0, share) != 0
    if not found and board.gravity == 0 and search.null_move_loses == 0:
        _threat_turn(boards, searches, budgets, table, _NULL_MOVES, 0, _NULL_MOVE_SHARE)
    return found


@inlined
def _search_depth(boards, searches, budgets, table, depth, seeks_threats):
    """The main search, repeated while threats refute its best move; whether it was completed."""
    board, search, budget = boards[0], searches[0], budgets[0]
    before = budget.nodes
    done = aspiration_search(boards, searches, budgets, table, depth)
    search.idle = 1 if budget.nodes - before < _IDLE_NODES else 0
    while done and seeks_threats and board.gravity == 0 and search.proven == 0:
        share = _LIKELY_REFUTATION_SHARE if search.null_move_loses != 0 else _REFUTATION_SHARE
        if _threat_turn(boards, searches, budgets, table, _REFUTATIONS, search.best, share) == 0:
            break
        search.refuted[search.best] = 1
        done = aspiration_search(boards, searches, budgets, table, depth)
    return done


@part(types.void(BOARD, SEARCH, types.int64, types.int64))
def _keep_result(board, search, depth, proven):
    """The best move in hand becomes the result."""
    value = search.value
    distance = WIN - abs(value)
    exact_up_to = _EXACT_PLIES
    if board.gravity == 0 and board.misere == 0 and board.beginner < 0:
        exact_up_to = _EXACT_WIN if value > 0 else _EXACT_LOSS
    exact = abs(value) < DECISIVE or search.fixed_depth != 0 or distance <= exact_up_to
    search.found_depth = depth
    search.found_value = value
    search.found_best = search.best
    search.found_proven = proven
    search.found_exact = 1 if proven != 0 and exact else 0
    search.found_length = search.line_length
    for i in range(search.line_length):
        search.found_line[i] = search.line[i]


@part(types.boolean(BOARDS, SEARCHES, BUDGETS, TABLE))
def _finds_quicker(boards, searches, budgets, table):
    """Whether threats give a quicker win than the result, or show that there is none; then it is the result."""
    board, search, budget = boards[0], searches[0], budgets[0]
    plies = WIN - search.value
    nodes = max(_QUICKER_NODES, budget.nodes)
    none_in_5 = False
    quicker = types.int64(0)
    for most in range(_EXACT_WIN, plies - 1, 2):
        before = budget.nodes
        cut_before = search.cut_count
        quicker = quicker_win(boards, searches, budgets, table, most, nodes)
        nodes -= budget.nodes - before
        if quicker != 0:
            plies = quicker
        if quicker != 0 or budget.reason != RUNNING or nodes <= 0:
            break
        same_rule = board.caro == 0 and board.beginner < 0
        none_in_5 = none_in_5 or (most == _EXACT_WIN and search.cut_count == cut_before and same_rule)
    if quicker != 0:
        _keep_result(board, search, search.found_depth, 1)
    exact = none_in_5 and plies == _EXACT_WIN + 2
    if exact:
        search.found_exact = 1
    return exact or quicker != 0


@inlined
def _is_allowed(board, cell, side):
    """Whether a side may mark a cell."""
    return playable(board, cell) and not (side == board.beginner and is_forbidden(board, cell))


@part(types.void(BOARD, SEARCH, types.int64))
def _keep_fallback(board, search, depth):
    """A legal move that no search has valued becomes the result: most points, if possible none that lost."""
    best = types.int64(-1)
    most = types.int64(0)
    for cell in range(board.cells):
        if not _is_allowed(board, cell, 0):
            continue
        points = points_of(board, cell, 0) + points_of(board, cell, 1)
        if board.misere != 0:
            points = -points
        # Whether a move may hold comes before its points, which are far fewer than a million.
        if search.refuted[cell] == 0:
            points += 1 << 40
        in_zone = search.null_move_zone[cell >> WORD_SHIFT] >> types.uint64(cell & BIT_MASK) & ONE
        if search.null_move_loses != 0 and in_zone != ZERO:
            points += 1 << 30
        if best < 0 or points > most:
            best = cell
            most = points
    search.best = best
    search.value = estimate(board, 0)
    search.line[0] = best
    search.line_length = 1
    _keep_result(board, search, max(depth, 0), 0)


@part(types.boolean(BOARD, SEARCH))
def _break_off(board, search):
    """Whether an iteration that the budget ended says more than the last result; then that is the result.

    Its best move began as that of the last iteration, and was replaced only by moves that were searched and are
    better. So it stands. If it has been proven to lose, a fallback move is taken; but if all moves seemed to lose
    already in the last iteration, that iteration's move is kept.
    """
    best = search.best
    first = search.depth == 0
    if best >= 0 and search.refuted[best] == 0 and search.value > -DECISIVE:
        if first or best != search.found_best:
            _keep_result(board, search, search.depth, 1 if search.value >= DECISIVE else 0)
            return True
        return False
    last = search.found_best
    if first or (search.found_value > -ESTIMATE_LIMIT and (search.refuted[last] != 0 or best == last)):
        if best >= 0:
            search.refuted[best] = 1
        _keep_fallback(board, search, search.depth)
        return True
    return False


@part(types.void(BOARD, SEARCH))
def _cut_line(board, search):
    """Keep the part of the result's line that can be played: pieced together from a table, it may end in stale moves.

    The best move is always legal.
    """
    played = types.int64(0)
    over = False
    while played < search.found_length and not over:
        cell = types.int64(search.found_line[played])
        side = played & 1
        if cell < 0 or cell >= board.cells or not _is_allowed(board, cell, side):
            break
        over = board.cell_pattern[cell, side] == FIVE_CELL
        put(board, cell, side)
        played += 1
    search.found_length = played
    for i in range(played - 1, -1, -1):
        take_back(board, types.int64(search.found_line[i]))


@entry(types.boolean(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64))
def deepen(boards, searches, budgets, table, max_depth):
    """Search the loaded position until there is a new result, in the ``found_...`` fields; False at the end.

    Call it after ``begin`` until it returns False; depths beyond ``max_depth`` and the empty cells are not searched.
    The last result is the answer. Each array has one record; the game must not be over.
    """
    board, search = boards[0], searches[0]
    seeks_threats = search.fixed_depth == 0 and board.misere == 0
    if search.next == _QUICKER:
        search.next = _NOTHING
        if not _finds_quicker(boards, searches, budgets, table):
            return False
    elif search.next == _NOTHING or search.depth >= min(max_depth, board.empty):
        return False
    elif search.depth > 0 and seeks_threats and _finds_win(boards, searches, budgets, table):
        _keep_result(board, search, search.depth, 1)
        search.next = _QUICKER
    else:
        depth = search.depth + 1
        done = _search_depth(boards, searches, budgets, table, depth, seeks_threats)
        if not done:
            search.next = _NOTHING
            if not _break_off(board, search):
                return False
        else:
            _keep_result(board, search, depth, search.proven)
            search.depth = depth
            if search.proven != 0:
                search.next = _QUICKER if search.value >= DECISIVE and seeks_threats else _NOTHING
    if search.next == _QUICKER and (search.found_exact != 0 or board.gravity != 0):
        search.next = _NOTHING
    _cut_line(board, search)
    return True


@entry(types.void(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64, types.int64, MOVE_RESULTS))
def search_moves(boards, searches, budgets, table, nodes, left, results):
    """Search the positions after the moves of side 1 on the cells of ``results``, each without the entries of others.

    Each search gets ``nodes`` nodes and the time that is left for one of ``left`` moves, these and later ones. The
    values of a result are those of the position, for side 0; its ``depth`` is -1 where the budget ended before all.
    """
    board, search, budget = boards[0], searches[0], budgets[0]
    node_limit = budget.node_limit
    deadline_ns = budget.deadline_ns
    for i in range(len(results)):
        result = results[i]
        result.depth = -1
        before = budget.nodes
        if budget.reason == RUNNING:
            budget.node_limit = min(node_limit, before + nodes)
            if left - i > 1 and deadline_ns != NO_DEADLINE:
                now = monotonic_ns()
                budget.deadline_ns = now + (deadline_ns - now) // (left - i)
            put(board, result.cell, 1)
            begin(boards, searches, table, 0, 0)
            while deepen(boards, searches, budgets, table, board.cells):
                result.depth = search.found_depth
            take_back(board, result.cell)
            budget.node_limit = node_limit
            budget.deadline_ns = deadline_ns
        result.nodes = budget.nodes - before
        result.reason = budget.reason
        result.value = search.found_value
        result.proven = search.found_proven
        result.exact = search.found_exact
        result.length = search.found_length
        for place in range(search.found_length):
            result.line[place] = search.found_line[place]
        if budget.reason == OUT_OF_NODES and budget.nodes < node_limit:
            budget.reason = RUNNING
        elif budget.reason == OUT_OF_TIME:
            budget.late = 1
            if monotonic_ns() < deadline_ns:
                budget.reason = RUNNING
