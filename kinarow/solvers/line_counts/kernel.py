# mypy: ignore-errors
"""Depth-limited principal variation search (Marsland and Campbell 1982) over line counts, for boards of every shape.

A *line* is ``goal`` cells in a row; its *flanks* are the cells that would make it longer, which matter only with an
exact goal and under Caro. For each line and side the state holds

    have[side, line] = marks of the side on the line
    dead[side, line] = reasons why the side can never complete it: marks of the other side on the
                       line; with an exact goal, own marks on the flanks; under Caro, both flanks
                       marked by the other side

``game.weight[n]`` is what an alive line with n marks of a side counts in the estimate (negative in misère). A line is
*alive* for a side while dead = 0; marking its last empty cell completes it if then have = goal - 1. Sides are 0 (to
move at the root) and 1.

Values depend on the position alone, not on the root, so that the table can hold them:

    a win for the side to move when the game ends with m marks on the board     WIN - m
    a loss                                                                      m - WIN
    a draw                                                                      0
    an estimate e                                                               |e| <= MAX_ESTIMATE < DECISIVE

A draw and an estimate may both be 0. ``state.unproven_count`` counts the estimates, and the table entries that depend
on one, that a search has used. A search that leaves it unchanged is a proof.
"""

import numba
import numpy as np
from numba import boolean, int8, int32, int64, types, uint64, void

from kinarow.game.kernel_geometry import BOARD, drop_repeated, list_lines, read_line
from kinarow.game.size import BASE, MAX_CELLS, MAX_EXPONENT
from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common import kernel_bits as bits
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_games import read_rules
from kinarow.solvers.line_counts.layout import (
    BLOCKED_MARK,
    DECISIVE,
    EMPTY_CELL,
    EXTRA_WORDS,
    FACTS,
    GAME_DTYPE,
    INFINITY,
    MAX_GOAL,
    NO_MARK,
    NOBODY,
    STATE_DTYPE,
    VALUE,
    WIN,
)

MAX_ESTIMATE = 1 << 58

# Switches for tests: each turns off one shortcut of ``negamax``.
OFF_LINES_LEFT = 1
OFF_FORCED = 2
OFF_TABLE = 4
ALL_SWITCHES = 7

BOUND_UPPER = 1
BOUND_LOWER = 2
BOUND_EXACT = 3

# The facts word, lowest bits first.
_MOVE_BITS = np.uint64(0x3FF)
_BOUND_SHIFT = np.uint64(10)
_BOUND_BITS = np.uint64(0x3)
_UNPROVEN_SHIFT = np.uint64(12)
_DEPTH_SHIFT = np.uint64(13)
_DEPTH_BITS = np.uint64(0x3FF)
_GENERATION_SHIFT = np.uint64(32)

_WORD_SHIFT = 6
_BIT_MASK = 63

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)
TABLE = types.Array(uint64, 1, "C")
STARTS = types.Array(int32, 1, "C")

_TABLE_SCORE = 1 << 57
_HISTORY_LIMIT = 1 << 20
_KEY_SEED = np.uint64(0x9E3779B97F4A7C15)


@entry(void(BOARD, GAME))
def set_rules(board, game):
    """Fill a zeroed game record from a board."""
    read_rules(board, game)
    game.rise = -board.columns if board.layers == 1 else board.rows * board.columns
    game.gravity = board.gravity
    game.caro = board.caro
    game.words = (board.cells + _BIT_MASK) >> _WORD_SHIFT
    for index in range(board.cells):
        game.order[index] = board.order[index]
    flanks_count = 1 if board.exact_goal != 0 or board.caro != 0 else 0
    list_lines(board)
    if flanks_count == 0:
        drop_repeated(board, 0)
    game.lines = board.lines
    # First count the lines of each cell, then list them; meanwhile a cell's start is the end of its list so far.
    for listed in range(2):
        for index in range(board.lines):
            read_line(board, index)
            for i in range(board.goal):
                cell = board.line[i]
                if listed == 1:
                    game.member[game.member_start[cell + 1]] = index
                game.member_start[cell + 1] += 1
            for end in range(2 * flanks_count):
                cell = board.flank[end]
                if cell >= 0:
                    if listed == 1:
                        game.flank[game.flank_start[cell + 1]] = index
                    game.flank_start[cell + 1] += 1
        if listed == 0:
            _starts_of_counts(board, game.member_start[:])
            _starts_of_counts(board, game.flank_start[:])
    weight = 1 if board.misere == 0 else -1
    for marks in range(1, MAX_GOAL + 2):
        game.weight[marks] = weight
        if marks <= MAX_EXPONENT:
            weight *= BASE
    word = bits.ZERO
    for side in range(2):
        for cell in range(MAX_CELLS):
            word += _KEY_SEED
            game.zobrist[side, cell] = bits.mix(word)


@part(void(BOARD, STARTS))
def _starts_of_counts(board, start):
    """Turn the counts of each cell, at index cell + 1, into the starts of the cells' lists (prefix sums)."""
    before = 0
    for cell in range(1, board.cells + 1):
        count = start[cell]
        start[cell] = before
        before += count


@part(void(GAME, STATE, int64, int64))
def _add_contribution(game, state, line, sign):
    """Add (sign 1) or subtract (-1) what a line counts in the estimate of side 0."""
    if state.dead[0, line] == 0:
        state.estimate += sign * game.weight[state.have[0, line]]
    if state.dead[1, line] == 0:
        state.estimate -= sign * game.weight[state.have[1, line]]


@part(void(GAME, STATE, int64, int64, int64))
def _change_dead(game, state, side, line, sign):
    """Add (sign 1) or remove (-1) a reason why the side can't complete the line."""
    _add_contribution(game, state, line, -1)
    was = state.dead[side, line] == 0
    state.dead[side, line] += sign
    state.alive[side] += int64(state.dead[side, line] == 0) - int64(was)
    _add_contribution(game, state, line, 1)


@part(void(GAME, STATE, int64, int64, int64))
def _change_mark(game, state, cell, side, sign):
    """Update the counts for a mark of a side that is put (sign 1) or taken back (-1)."""
    other = 1 - side
    for i in range(game.member_start[cell], game.member_start[cell + 1]):
        line = int64(game.member[i])
        _add_contribution(game, state, line, -1)
        was = state.dead[other, line] == 0
        state.have[side, line] += sign
        state.dead[other, line] += sign
        state.alive[other] += int64(state.dead[other, line] == 0) - int64(was)
        _add_contribution(game, state, line, 1)
    for i in range(game.flank_start[cell], game.flank_start[cell + 1]):
        line = int64(game.flank[i])
        if game.exact_goal != 0:
            _change_dead(game, state, side, line, sign)
        if game.caro != 0:
            # The second of two flanks closes the line for the other side.
            state.flanked[side, line] += sign
            if state.flanked[side, line] == (2 if sign > 0 else 1):
                _change_dead(game, state, other, line, sign)
    state.hash ^= game.zobrist[side, cell]
    state.words[side, cell >> _WORD_SHIFT] ^= bits.ONE << np.uint64(cell & _BIT_MASK)
    state.marks += sign


@entry(void(GAME, STATE, int64, int64))
def put(game, state, cell, side):
    """Mark an empty cell for a side."""
    _change_mark(game, state, cell, side, 1)
    state.board[cell] = side


@entry(void(GAME, STATE, types.Array(int8, 1, "C")))
def set_up(game, state, cells):
    """Set up a position. ``cells`` holds 0 empty, side + 1, or 3 blocked."""
    state.marks = state.estimate = state.unproven_count = state.value = 0
    state.best = -1
    state.hash = bits.ZERO
    state.board[:] = EMPTY_CELL
    for side in range(2):
        state.alive[side] = game.lines
        state.have[side, : game.lines] = 0
        state.dead[side, : game.lines] = 0
        state.flanked[side, : game.lines] = 0
        state.words[side, : game.words] = bits.ZERO
        state.history[side, : game.cells] = 0
    for cell in range(game.cells):
        if cells[cell] == BLOCKED_MARK:
            state.board[cell] = NOBODY
            state.marks += 1
        elif cells[cell] != NO_MARK:
            put(game, state, cell, int64(cells[cell]) - 1)


@entry(void(GAME, STATE, int64, int64))
def take_back(game, state, cell, side):
    """Undo ``put`` of the same side and cell."""
    _change_mark(game, state, cell, side, -1)
    state.board[cell] = EMPTY_CELL


@entry(boolean(GAME, STATE, int64, int64))
def completes_line(game, state, cell, side):
    """Return True if the side completes a line by marking this empty cell."""
    for i in range(game.member_start[cell], game.member_start[cell + 1]):
        line = int64(game.member[i])
        if state.have[side, line] == game.goal - 1 and state.dead[side, line] == 0:
            return True
    return False


@part(boolean(GAME, STATE, int64))
def playable(game, state, cell):
    """Return True if the cell is empty and, with gravity, not above an empty cell."""
    if state.board[cell] != EMPTY_CELL:
        return False
    below = cell - game.rise
    return game.gravity == 0 or below < 0 or below >= game.cells or state.board[below] != EMPTY_CELL


@part(int64(GAME, STATE, int64, int64))
def _score_move(game, state, cell, side):
    """Return a move's ordering score (highest first): the lines that it extends or blocks, plus its history."""
    other = 1 - side
    total = int64(0)
    for i in range(game.member_start[cell], game.member_start[cell + 1]):
        line = int64(game.member[i])
        if state.dead[side, line] == 0:
            total += game.weight[state.have[side, line] + 1]
        if state.dead[other, line] == 0:
            total += game.weight[state.have[other, line] + 1]
    return total * 16 + state.history[side, cell]


@part(int64(GAME, STATE))
def _slot(game, state):
    """Return where the position's entry begins in the table; a bucket has one entry."""
    stride = 2 * game.words + EXTRA_WORDS
    return int64(bits.mix(state.hash) & state.table_mask) * stride


@part(boolean(GAME, STATE, int64, TABLE, int64))
def _is_entry_of(game, state, side, table, slot):
    """Return True if this search wrote the entry and its whole position is the one on the board."""
    words = game.words
    if (table[slot + 2 * words + FACTS] >> _GENERATION_SHIFT) != state.generation:
        return False
    for i in range(words):
        if table[slot + i] != state.words[side, i] or table[slot + words + i] != state.words[1 - side, i]:
            return False
    return True


@part(void(GAME, STATE, int64, TABLE, int64, int64, int64, int64, int64),)  # fmt: skip
def _store(game, state, side, table, depth, value, bound, move, unproven):
    """Write the position's table entry; ``unproven`` is 1 if the value depends on an estimate."""
    words = game.words
    slot = _slot(game, state)
    for i in range(words):
        table[slot + i] = state.words[side, i]
        table[slot + words + i] = state.words[1 - side, i]
    table[slot + 2 * words + FACTS] = (
        (state.generation << _GENERATION_SHIFT)
        | (np.uint64(depth) << _DEPTH_SHIFT)
        | (np.uint64(unproven) << _UNPROVEN_SHIFT)
        | (np.uint64(bound) << _BOUND_SHIFT)
        | np.uint64(move)
    )
    table[slot + 2 * words + VALUE] = np.uint64(value)


@part(int64(GAME, STATE, int64, int64, int64))
def _list_moves(game, state, side, ply, preferred):
    """List the legal moves in ``moves[ply]``, or in normal play just one that completes a line; return how many."""
    count = 0
    for i in range(game.cells):
        cell = int64(game.order[i])
        if not playable(game, state, cell):
            continue
        if game.misere == 0 and completes_line(game, state, cell, side):
            state.moves[ply, 0] = cell
            return 1
        state.moves[ply, count] = cell
        state.move_scores[ply, count] = _TABLE_SCORE if cell == preferred else _score_move(game, state, cell, side)
        count += 1
    return count


@part(int64(GAME, STATE, int64, int64, int64))
def _keep_block(game, state, side, ply, count):
    """If the other side can complete a line, keep only the move that blocks it; return the number of moves.

    Sound at depth >= 2, except in misère and under Caro: any other move loses in two plies, and the block no sooner.
    """
    for i in range(count):
        cell = int64(state.moves[ply, i])
        if completes_line(game, state, cell, 1 - side):
            state.moves[ply, 0] = cell
            return 1
    return count


@part(void(STATE, int64, int64, int64))
def _bring_best(state, ply, start, count):
    """Move the best-scored move from ``start`` on to index ``start``, of equals the first."""
    best = start
    for i in range(start + 1, count):
        if state.move_scores[ply, i] > state.move_scores[ply, best]:
            best = i
    # Shift instead of swapping, so that moves of equal score keep their order.
    move, move_score = state.moves[ply, best], state.move_scores[ply, best]
    for i in range(best, start, -1):
        state.moves[ply, i] = state.moves[ply, i - 1]
        state.move_scores[ply, i] = state.move_scores[ply, i - 1]
    state.moves[ply, start] = move
    state.move_scores[ply, start] = move_score


@part(int64(STATE, TABLE, *(int64,) * 4))
def _entry_value(state, table, facts_at, depth, alpha, beta):
    """Return an entry's value if it decides the node, else ``INFINITY``; proven bounds hold at any depth."""
    facts = table[facts_at + FACTS]
    value = int64(table[facts_at + VALUE])
    bound = int64((facts >> _BOUND_SHIFT) & _BOUND_BITS)
    same_depth = int64((facts >> _DEPTH_SHIFT) & _DEPTH_BITS) == depth
    lower = (bound & BOUND_LOWER) != 0 and (same_depth or value >= DECISIVE)
    upper = (bound & BOUND_UPPER) != 0 and (same_depth or value <= -DECISIVE)
    if not ((lower and upper) or (lower and value >= beta) or (upper and value <= alpha)):
        return INFINITY
    if -DECISIVE < value < DECISIVE:  # a proven win or loss depends on no estimate
        state.unproven_count += int64((facts >> _UNPROVEN_SHIFT) & bits.ONE)
    return value


@inlined
def _value_of_move(game, state, budget, table, side, cell, ply, depth, floor, beta, narrow):
    """Search the position after a move; with ``narrow`` in a null window first (principal variation search)."""
    other = 1 - side
    put(game, state, cell, side)
    value = floor
    if narrow:
        value = -negamax(game, state, budget, table, other, ply + 1, depth - 1, -floor - 1, -floor)
    if not narrow or floor < value < beta:
        value = -negamax(game, state, budget, table, other, ply + 1, depth - 1, -beta, -floor)
    take_back(game, state, cell, side)
    return value


@entry(int64(GAME, STATE, BUDGET, TABLE, *(int64,) * 5))
def negamax(game, state, budget, table, side, ply, depth, alpha, beta):
    """Return the value of an ongoing position for ``side``, to move, searched ``depth`` plies deep (fail-soft).

    With v the depth-limited minimax value and r the value returned:

        alpha < r < beta   =>  r == v
        r <= alpha         =>  v <= r
        r >= beta          =>  v >= r

    ``-INFINITY <= alpha < beta <= INFINITY``, ``depth >= 0``. Invalid when ``budget.reason`` is set. At the root
    (``ply`` 0) it also sets ``state.best`` and ``state.value``.
    """
    if not may_visit(budget):
        return 0
    # 1. Decided without a search: the board is full, or no side has a line left to complete (OFF_LINES_LEFT).
    if state.marks == game.cells:
        return 0
    if state.alive[0] == 0 and state.alive[1] == 0 and (game.off & OFF_LINES_LEFT) == 0:
        return 0
    # 2. The horizon.
    if depth == 0:
        state.unproven_count += 1
        return state.estimate if side == 0 else -state.estimate
    # 3. The table (OFF_TABLE).
    preferred = int64(-1)
    slot = _slot(game, state)
    if (game.off & OFF_TABLE) == 0 and _is_entry_of(game, state, side, table, slot):
        facts_at = slot + 2 * game.words
        preferred = int64(table[facts_at + FACTS] & _MOVE_BITS)
        value = _entry_value(state, table, facts_at, depth, alpha, beta)
        if value < INFINITY:
            return value
    # 4. The moves: one that completes a line, one that blocks (OFF_FORCED), or all.
    count = _list_moves(game, state, side, ply, preferred)
    first = int64(state.moves[ply, 0])
    if game.misere == 0 and completes_line(game, state, first, side):
        if ply == 0:
            state.best, state.value = first, WIN - (state.marks + 1)
        return WIN - (state.marks + 1)
    if game.misere == 0 and game.caro == 0 and depth >= 2 and (game.off & OFF_FORCED) == 0:
        count = _keep_block(game, state, side, ply, count)
    # 5. Search each move, after the first with a null window.
    unproven_before = state.unproven_count
    best, best_move, floor = -INFINITY, first, alpha
    for i in range(count):
        _bring_best(state, ply, i, count)
        cell = int64(state.moves[ply, i])
        if completes_line(game, state, cell, side):
            value = state.marks + 1 - WIN  # in misère
        else:
            narrow = i > 0 and floor > -INFINITY
            value = _value_of_move(game, state, budget, table, side, cell, ply, depth, floor, beta, narrow)
            if budget.reason != RUNNING:
                return 0
        if value > best:
            best, best_move = value, cell
            if ply == 0:
                state.best, state.value = cell, value
            floor = max(floor, value)
            if floor >= beta:
                state.history[side, cell] = min(state.history[side, cell] + depth * depth, _HISTORY_LIMIT)
                break
    # 6. Store the result.
    bound = BOUND_LOWER if best >= beta else (BOUND_UPPER if best <= alpha else BOUND_EXACT)
    unproven = int64(state.unproven_count > unproven_before)
    _store(game, state, side, table, depth, best, bound, best_move, unproven)
    return best


@entry(void(GAME, STATE, types.Array(int64, 1, "C")))
def estimate_moves(game, state, estimates):
    """Write the static value for side 1 after each move of side 0; ``WIN`` if no side can complete a line any more."""
    for cell in range(game.cells):
        if playable(game, state, cell):
            put(game, state, cell, 0)
            dead = state.alive[0] == 0 and state.alive[1] == 0
            estimates[cell] = WIN if dead else -state.estimate
            take_back(game, state, cell, 0)


@entry(int64(GAME, STATE, int64, TABLE))
def table_move(game, state, side, table):
    """Return the best move of the position's table entry if its value is exact, else -1."""
    slot = _slot(game, state)
    if not _is_entry_of(game, state, side, table, slot):
        return -1
    facts = table[slot + 2 * game.words + FACTS]
    if int64((facts >> _BOUND_SHIFT) & _BOUND_BITS) != BOUND_EXACT:
        return -1
    return int64(facts & _MOVE_BITS)
