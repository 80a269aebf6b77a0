# mypy: ignore-errors
"""The exact solver for boards of at most 64 cells and any shape, with gravity or without: negamax over threats.

A board is its lines as bit masks, and the stacks in which marks fall. The cell at a height of a stack is bit
``height * stacks + stack``, so that a shift by ``stacks`` leads to the cell above::

    stacks = 4      8  9 10 11        playable = empty & (floor | filled << stacks)
                    4  5  6  7
                    0  1  2  3

A position is two disjoint masks, ``own`` (of the side to move) and ``opponent``. Each side's *threats* are the empty
cells, playable or not, on which it would complete a line. A mark adds threats only for its own side, on lines through
the mark, and removes only the threats on its own cell. With an exact goal a mark on a flank removes threats too, so all
are computed anew.

With shared marks ``own`` has the marks of both sides and ``opponent`` only blocked cells, and both sides have the same
threats.

Values count from the start of the game (``kernel_root``), so a value in the table depends on the position alone. The
root's value is found by bisection with null windows, as in C* (Coplan 1982).
"""

import numba
import numpy as np
from numba import boolean, int64, uint64, void

from kinarow.game.kernel_geometry import BOARD
from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, highest_scored, lowest_bit, lowest_index, popcount
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_games import read_rules, set_lines
from kinarow.solvers.common.kernel_proof_table import (
    FACTS,
    TABLE,
    find,
    log_of,
    make_key,
    new_generation,
    slot_for,
    stamped,
)
from kinarow.solvers.common.kernel_root import RESULT, Search, make_solve, make_value_positions
from kinarow.solvers.line_masks.layout import (
    GAME_DTYPE,
    OFF_ALIVE,
    OFF_DISTANCE,
    OFF_FORCED,
    OFF_SYMMETRY,
    OFF_TABLE,
    OFF_UPRIGHT,
    STATE_DTYPE,
)

# Symmetric positions share a table entry up to this many marks; with more the images cost more than they save.
SYMMETRY_MARKS = 14
# With at most this many lines, many marks are soon on blocked lines only (*dead* marks). Positions that differ only in
# the owners of dead marks share a table entry.
FEW_LINES = 24
# Wins and losses within 1, 2, 3 ... plies are searched first, up to this many.
NEAR_PLIES = 9

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)

# A table entry (``kernel_proof_table``) has own marks and the opponent's as its key, no zone, and in its facts, lowest
# bits first:     lower bound + 128 (8) | upper bound + 128 (8)          best move (7) in byte 3
_ZERO_VALUE = 128
_BYTE = np.uint64(255)
_UPPER_SHIFT = np.uint64(8)
_MOVE_SHIFT = np.uint64(24)
_MOVE_BITS = np.uint64(127)
_NO_MOVE = 64

_TABLE_SCORE = 1 << 60


# ---------------------------------------------------------------- the game


@entry(void(BOARD, GAME, int64))
def set_rules(board, game, off):
    """Fill a zeroed game record from a board of at most 64 cells; ``off`` is the sum of the ``OFF_...`` switches.

    No line or flank has a blocked cell, so the search treats blocked cells as marks of the opponent.
    """
    read_rules(board, game)
    game.gravity = board.gravity
    game.shared = board.shared
    game.stacks = board.columns if board.layers == 1 else board.rows * board.columns
    for cell in range(board.cells):
        # Rows count from the top, heights from the floor.
        row = cell // board.columns
        board.place[cell] = cell + (board.rows - 1 - 2 * row) * board.columns if board.layers == 1 else cell
        if board.place[cell] < int64(game.stacks):
            game.floor |= ONE << uint64(board.place[cell])
    set_lines(board, game, off)
    _mark_upright(board, game)
    count = 0
    for place in range(board.cells):
        for i in range(game.lines):
            if (game.line[i] >> uint64(place)) & ONE:
                game.member[count] = i
                count += 1
        game.member_start[place + 1] = count


@part(void(BOARD, GAME))
def _mark_upright(board, game):
    """Set ``game.upright`` for lines along a stack, unless the rules make ``has_open_line``'s shortcut unsound."""
    if game.gravity == 0 or game.misere != 0 or game.shared != 0 or game.goal <= 2 or (game.off & OFF_UPRIGHT) != 0:
        return
    run = ZERO  # the lowest line of the first stack
    for height in range(game.goal):
        run |= ONE << (uint64(height) * game.stacks)
    for i in range(game.lines):
        game.upright[i] = game.line[i] == run * lowest_bit(game.line[i])


# ---------------------------------------------------------------- lines


@part(uint64(GAME, uint64, uint64))
def playable_cells(game, own, opponent):
    """Return the legal moves as a bitboard."""
    filled = own | opponent
    empty = game.full & ~filled
    return empty & (game.floor | (filled << game.stacks)) if game.gravity != 0 else empty


@part(uint64(GAME, uint64, uint64))
def all_threats(game, own, other):
    """Return the empty cells where the side with marks ``own`` would complete a line."""
    threats = ZERO
    empty = game.full & ~(own | other)
    for i in range(game.lines):
        line = game.line[i]
        left = line & ~own
        if (left & ~empty) == ZERO and (left & (left - ONE)) == ZERO:
            if game.exact_goal == 0 or (game.flank[i] & own) == ZERO:
                threats |= left
    return threats


@part(uint64(GAME, uint64, uint64, uint64, uint64))
def threats_after(game, own, other, threats, mark):
    """Return the side's threats after its ``mark``, which ``own`` already contains; ``threats`` are those before."""
    if game.exact_goal != 0:
        return all_threats(game, own, other)
    cell = int64(lowest_index(mark))
    after = threats & ~mark
    for i in range(game.member_start[cell], game.member_start[cell + 1]):
        line = game.line[game.member[i]]
        left = line & ~own
        if (left & other) == ZERO and (left & (left - ONE)) == ZERO:
            after |= left
    return after


@part(boolean(GAME, uint64, uint64))
def has_open_line(game, own, other):
    """Return True if the side with marks ``own`` may still complete a line.

    A line along a stack (``upright``, none with OFF_UPRIGHT) counts only if it lacks a single cell. Otherwise the other
    side can stop it by pairing: it pairs each stack's empty cells from below, and answers a mark on the lower cell of a
    pair by one on the upper cell. The line lacks two neighbours, or all of three or more cells, so it contains a pair,
    and the other side gets a cell of it. An extra mark of the other side, even a forced one, breaks no pair.
    """
    for i in range(game.lines):
        if (game.line[i] & other) == ZERO and (game.exact_goal == 0 or (game.flank[i] & own) == ZERO):
            left = game.line[i] & ~own
            if game.upright[i] == 0 or (left & (left - ONE)) == ZERO:
                return True
    return False


@inlined
def after_mark(game, own, opponent, mark):
    """Return the position after a move, as the masks of the new side to move and of its opponent."""
    return (own | mark, opponent) if game.shared != 0 else (opponent, own | mark)


@part(int64(GAME, uint64, uint64, uint64))
def _line_score(game, own, other, mark):
    """Return a move's ordering score: a sum over the lines that it extends or blocks, by 4^(marks on the line)."""
    cell = int64(lowest_index(mark))
    total = 0
    for i in range(game.member_start[cell], game.member_start[cell + 1]):
        line = game.line[game.member[i]]
        if (line & other) == ZERO:
            total += 2 << (2 * int64(popcount(line & own)))
        if (line & own) == ZERO:
            total += 1 << (2 * int64(popcount(line & other)))
    return total


# ---------------------------------------------------------------- the table


@part(uint64(GAME, uint64, uint64))
def dead_marks(game, own, opponent):
    """Return the marks whose lines all have marks of both sides; 0 with many lines (``FEW_LINES``) or an exact goal."""
    dead = own | opponent
    if game.lines > FEW_LINES or game.exact_goal != 0:
        return ZERO
    for i in range(game.lines):
        if (game.line[i] & own) == ZERO or (game.line[i] & opponent) == ZERO:
            dead &= ~game.line[i]
    return dead


@part(void(TABLE, int64, uint64, uint64, *(int64,) * 4))
def _store(table, generation, own, opponent, lower, upper, move, nodes):
    """Write a position's bounds and best move (``_NO_MOVE``: none) to its table entry."""
    cost = log_of(nodes)
    entry = find(table, generation, own, opponent)
    if entry < 0:
        entry = slot_for(table, generation, own, opponent, cost)
    table[entry + FACTS] = (
        stamped(generation, cost)
        | (uint64(move) << _MOVE_SHIFT)
        | (uint64(upper + _ZERO_VALUE) << _UPPER_SHIFT)
        | uint64(lower + _ZERO_VALUE)
    )


# ---------------------------------------------------------------- the search


@inlined
def _without_search(game, own_threats, opponent_threats, playable, filled):
    """Take steps 1 and 2 of ``negamax``; return (value, no moves), or (0, the moves to search)."""
    value = 0
    moves = playable
    wins = own_threats & playable
    if game.misere != 0:
        moves = playable & ~wins
        if moves == ZERO:
            value = filled - game.cells
    elif wins != ZERO:
        moves = ZERO
        value = game.cells - filled
    elif (game.off & OFF_FORCED) == 0:
        forced = opponent_threats & playable
        # Don't move below a cell where the opponent completes a line.
        if game.gravity != 0:
            moves = playable & ~(opponent_threats >> game.stacks)
        if forced != ZERO:
            moves = moves & forced if (forced & (forced - ONE)) == ZERO else ZERO
        if moves == ZERO and playable != ZERO:
            value = filled + 1 - game.cells
    return value, moves


@inlined
def _bounds(game, own, opponent, filled):
    """Return lower and upper bounds on the value by steps 3 and 4 of ``negamax``."""
    soonest_win = 1
    soonest_loss = 1
    if (game.off & (OFF_DISTANCE | OFF_FORCED)) == 0:
        soonest_win = 2 if game.misere != 0 else 3
        soonest_loss = soonest_win + 1 if game.misere != 0 or game.shared == 0 else 2
    upper = max(game.cells + 1 - filled - soonest_win, 0)
    lower = min(filled + soonest_loss - game.cells - 1, 0)
    if (game.off & OFF_ALIVE) == 0:
        own_open = has_open_line(game, own, opponent)
        opponent_open = has_open_line(game, opponent, own) if game.shared == 0 else own_open
        if game.misere != 0:
            own_open, opponent_open = opponent_open, own_open
        if not own_open:
            upper = 0
        if not opponent_open:
            lower = 0
    return lower, upper


@inlined
def _score_moves(game, state, own, opponent, moves, preferred, ply):
    """Score the moves, the table's move (``preferred``) best; in misere and with shared marks few lines are good."""
    sign = 1 if game.misere == 0 and game.shared == 0 else -1
    left = moves
    while left != ZERO:
        move = lowest_bit(left)
        left &= left - ONE
        state.score[ply, lowest_index(move)] = sign * _line_score(game, own, opponent, move)
    if preferred != ZERO:
        state.score[ply, lowest_index(preferred)] = _TABLE_SCORE


@part(int64(GAME, STATE, BUDGET, TABLE, *(uint64,) * 4, *(int64,) * 3))
def negamax(game, state, budget, table, own, opponent, own_threats, opponent_threats, ply, alpha, beta):
    """Return the value of an ongoing position, fail-soft. With v the value and r the value returned:

        alpha < r < beta   =>  r == v
        r <= alpha         =>  v <= r
        r >= beta          =>  v >= r

    ``alpha < beta``. Invalid when ``budget.reason`` is set. Sound shortcuts:

    1. Ends. A full board is a draw. Normally a move that completes a line is the best; in misere such moves are left
       out if there are others.
    2. Forced moves (OFF_FORCED), not in misere. If the opponent has two playable threats, or one below another of its
       threats, its next mark completes a line. If it has one, every other move loses in two plies, and the block no
       sooner. So does a mark below a threat.
    3. Distance (OFF_DISTANCE). If 1 and 2 decide nothing, a win takes at least three plies and a loss four, with shared
       marks two. In misere a win takes at least two and a loss three.
    4. Open lines (OFF_ALIVE). A side that can't complete a line any more (``has_open_line``) doesn't win, in misere
       doesn't lose.
    """
    if not may_visit(budget):
        return 0
    filled = int64(popcount(own | opponent))
    playable = playable_cells(game, own, opponent)
    value, moves = _without_search(game, own_threats, opponent_threats, playable, filled)
    if moves == ZERO:
        if ply == 0 and playable != ZERO:
            forced = own_threats & playable if game.misere == 0 else playable
            if forced == ZERO:
                forced = opponent_threats & playable
            state.root_move = int64(lowest_index(forced if forced != ZERO else playable))
        return value
    lower, upper = _bounds(game, own, opponent, filled)
    # The table. In its keys both sides have the dead marks.
    dead = dead_marks(game, own, opponent)
    key_own = own | dead
    key_opponent = opponent | dead
    preferred = ZERO
    symmetry = 0
    if (game.off & OFF_SYMMETRY) == 0 and filled <= SYMMETRY_MARKS:
        symmetry, key_own, key_opponent = make_key(game.images, key_own, key_opponent, 0, True)
    entry = find(table, state.generation, key_own, key_opponent) if (game.off & OFF_TABLE) == 0 else -1
    if entry >= 0:
        facts = table[entry + FACTS]
        lower = max(lower, int64(facts & _BYTE) - _ZERO_VALUE)
        upper = min(upper, int64((facts >> _UPPER_SHIFT) & _BYTE) - _ZERO_VALUE)
        if symmetry == 0:
            move = (facts >> _MOVE_SHIFT) & _MOVE_BITS
            if move < _NO_MOVE:
                preferred = ONE << move
    # The root is searched in any case, to find a move.
    if ply > 0:
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha = max(alpha, lower - 1)
        beta = min(beta, upper + 1)
    # The search.
    _score_moves(game, state, own, opponent, moves, preferred, ply)
    nodes = budget.nodes
    best = -game.cells - 2
    best_move = _NO_MOVE
    floor = alpha
    left = moves
    while left != ZERO:
        move = highest_scored(state.score[ply], left)
        left &= ~move
        ours = threats_after(game, own | move, opponent, own_threats, move)
        theirs = opponent_threats & ~move if game.shared == 0 else ours
        first, second = after_mark(game, own, opponent, move)
        value = -negamax(game, state, budget, table, first, second, theirs, ours, ply + 1, -beta, -floor)
        if budget.reason != RUNNING:
            return 0
        if value > best:
            best = value
            best_move = int64(lowest_index(move))
            floor = max(floor, value)
            if ply == 0:
                state.root_move = best_move
            if floor >= beta:
                break
    if best >= beta:
        lower = max(lower, best)
    elif best <= alpha:
        upper = min(upper, best)
    else:
        lower = upper = best
    if symmetry != 0:
        best_move = _NO_MOVE
    _store(table, state.generation, key_own, key_opponent, lower, upper, best_move, budget.nodes - nodes)
    return best


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, int64))
def null_window_search(game, state, budget, table, own, opponent, value):
    """Search with the window (value - 1, value): the result is at least ``value`` if and only if the position's is."""
    own_threats = all_threats(game, own, opponent)
    opponent_threats = all_threats(game, opponent, own) if game.shared == 0 else own_threats
    return negamax(game, state, budget, table, own, opponent, own_threats, opponent_threats, 0, value - 1, value)


@part(boolean(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT, int64))
def _ask(game, state, budget, table, own, opponent, result, value):
    """Search whether the root's value is at least ``value`` and narrow its bounds; return False to stop."""
    if not result.lower < value <= result.upper:
        return result.lower < result.upper
    best = null_window_search(game, state, budget, table, own, opponent, value)
    if budget.reason != RUNNING:
        return False
    if best >= value:
        result.lower = max(result.lower, best)
        result.move = state.root_move
    else:
        result.upper = min(result.upper, best)
    return result.lower < result.upper


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, RESULT))
def narrow(game, state, budget, table, own, opponent, result):
    """Narrow the bounds of the result until they meet or the budget is spent; return the lower one.

    1. Search wins and losses within 1, 2, 3 ... ``NEAR_PLIES`` plies.
    2. Search a win, then a loss, at any distance.
    3. If there is one, find the distance by bisection.
    """
    filled = int64(popcount(own | opponent))
    most = game.cells + 1 - filled
    for plies in range(1, min(NEAR_PLIES, game.cells - filled) + 1):
        wins = (plies & 1) == 1 if game.misere == 0 else (plies & 1) == 0
        # A loss within ``plies`` plies is a value below plies - most + 1.
        if not _ask(game, state, budget, table, own, opponent, result, most - plies if wins else plies - most + 1):
            return result.lower
    if not _ask(game, state, budget, table, own, opponent, result, 1):
        return result.lower
    if result.upper <= 0 and not _ask(game, state, budget, table, own, opponent, result, 0):
        return result.lower
    while result.lower < result.upper:
        middle = result.lower + ((result.upper - result.lower + 1) >> 1)
        if not _ask(game, state, budget, table, own, opponent, result, middle):
            return result.lower
    return result.lower


@part(int64(GAME, STATE, BUDGET, TABLE, uint64, uint64, uint64, int64))
def move_bound(game, state, budget, table, own, opponent, move, beta):
    """Return a bound on a legal move's value by a null-window search at ``beta``; invalid if the budget is spent."""
    if (all_threats(game, own, opponent) & move) != ZERO:
        empties = game.cells - int64(popcount(own | opponent))
        return -empties if game.misere != 0 else empties
    own, opponent = after_mark(game, own, opponent, move)
    if playable_cells(game, own, opponent) == ZERO:
        return 0
    return -null_window_search(game, state, budget, table, own, opponent, 1 - beta)


@part(void(GAME, STATE, TABLE, uint64, uint64))
def begin(_game, state, table, _own, _opponent):
    """Prepare the search of a position."""
    state.generation = new_generation(table)


SEARCH = Search("line_masks", GAME, STATE, playable_cells, after_mark, narrow, move_bound)
make_solve(SEARCH, begin, pv_share=1)
make_value_positions(SEARCH, begin)
