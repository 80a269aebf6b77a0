# mypy: ignore-errors
"""Can a side win by continuous fours (VCF)? On any board, over the line counts of the line-count solver.

Each mark of the *attacker* leaves a playable cell at which it would complete a line, so the *defender*, who has no line
to complete first, must mark that cell. Where two such cells are left, or the reply opens one, the attacker wins. Such a
mark is a *four* for any goal: one more mark completes a line. All replies are forced, so a win that is found is proven,
and the defender cannot delay it. Another kind of win may be quicker. For rules without misère.

The table keeps failures alone. A collision of two hashes could hide a win, but never make one.
"""

import numba
import numpy as np
from numba import int16, int64, types, uint64

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import mix
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.continuous_fours.layout import ENTRY_WORDS, MAX_ATTACKS, MAX_PAIRS, SEARCH_DTYPE
from kinarow.solvers.line_counts.kernel import GAME, STATE, completes_line, playable, put, take_back
from kinarow.solvers.line_counts.layout import EMPTY_CELL

SEARCH = numba.from_dtype(SEARCH_DTYPE)
CELLS = types.Array(int16, 2, "C")  # the cells of each line, a row for each
TABLE = types.Array(uint64, 1, "C")

_GENERATION_SHIFT = np.uint64(32)
_PLIES_BITS = np.uint64(0xFFFFFFFF)
_SIDE_SALT = np.uint64(0x9E3779B97F4A7C15)


@part(int64(GAME, int64))
def cell_above(game, cell):
    """The cell that a mark on this one opens; -1 where there is none or nothing falls."""
    above = cell + game.rise
    return above if game.gravity != 0 and 0 <= above < game.cells else -1


@part(int64(STATE, CELLS, int64))
def first_empty(state, cells, line):
    """The first empty cell of a line, which has one."""
    for i in range(cells.shape[1]):
        cell = int64(cells[line, i])
        if state.board[cell] == EMPTY_CELL:
            return cell
    return -1


@part(int64(GAME, STATE, CELLS, int64, int64))
def _answer_to(game, state, cells, side, move):
    """The cell that the other side must mark after this mark of a side: -1 none, -2 two or more, so that it is lost."""
    answer = -1
    above = cell_above(game, move)
    if above >= 0 and completes_line(game, state, side, above):
        answer = above
    for i in range(game.member_start[move], game.member_start[move + 1]):
        line = int64(game.member[i])
        if state.have[side, line] == game.goal - 1 and state.dead[side, line] == 0:
            cell = first_empty(state, cells, line)
            if cell != answer and playable(game, state, cell):
                if answer >= 0:
                    return -2
                answer = cell
    return answer


@part(int64(GAME, STATE, SEARCH, CELLS, int64, int64))
def _list_attacks(game, state, search, cells, side, ply):
    """List the marks of the attacker that leave a threat, each with its reply; returns how many.

    -1 where the attacker completes a line at once (``root_move`` says where), or has lost to threats: then -2.
    """
    other = 1 - side
    forced = -1
    lost = False
    count = 0
    for line in range(game.lines):
        if state.dead[other, line] == 0 and state.have[other, line] == game.goal - 1:
            cell = first_empty(state, cells, line)
            if cell != forced and playable(game, state, cell):
                lost = lost or forced >= 0
                forced = cell
        if state.dead[side, line] != 0:
            continue
        if state.have[side, line] == game.goal - 1:
            cell = first_empty(state, cells, line)
            if playable(game, state, cell):
                search.root_move = cell
                return -1
            below = cell - game.rise
            if playable(game, state, below) and count < MAX_PAIRS:
                search.move[ply, count] = below
                search.reply[ply, count] = cell
                count += 1
        elif state.have[side, line] == game.goal - 2 and count < MAX_PAIRS - 1:
            first = first_empty(state, cells, line)
            second = first
            for i in range(cells.shape[1]):
                cell = int64(cells[line, i])
                if state.board[cell] == EMPTY_CELL:
                    second = cell
            first_opens = first == second - game.rise and game.gravity != 0
            second_opens = second == first - game.rise and game.gravity != 0
            if playable(game, state, first) and (playable(game, state, second) or first_opens):
                search.move[ply, count] = first
                search.reply[ply, count] = second
                count += 1
            if playable(game, state, second) and (playable(game, state, first) or second_opens):
                search.move[ply, count] = second
                search.reply[ply, count] = first
                count += 1
    if lost:
        return -2
    if forced >= 0:
        kept = 0
        for i in range(count):
            if search.move[ply, i] == forced:
                search.move[ply, kept] = search.move[ply, i]
                search.reply[ply, kept] = search.reply[ply, i]
                kept += 1
        count = kept
    return count


@part(int64(GAME, STATE, SEARCH, BUDGET, CELLS, TABLE, int64, int64, int64))
def wins_within(game, state, search, budget, cells, table, side, plies, ply):
    """Does the side to move complete a line by continuous fours within ``plies`` plies? 1 yes, 0 no.

    ``plies`` is odd, ``ply`` counts the marks of the attacker before this one. Void when ``budget.reason`` is set.
    """
    if not may_visit(budget):
        return 0
    other = 1 - side
    # 1. Failures that are known.
    key = mix(state.hash ^ (_SIDE_SALT if side == 1 else np.uint64(0)))
    slot = int64(key % np.uint64(table.size // ENTRY_WORDS)) * ENTRY_WORDS
    if ply > 0 and table[slot] == key:
        facts = table[slot + 1]
        if (facts >> _GENERATION_SHIFT) == search.generation and int64(facts & _PLIES_BITS) >= plies:
            # The search behind it may have been cut short.
            search.cut |= int64(plies < game.cells)
            return 0
    # 2. A line at once, or no threat at all.
    count = _list_attacks(game, state, search, cells, side, ply)
    if count == -1:
        return 1
    if count <= 0:
        return 0
    if plies < 3 or ply + 1 >= MAX_ATTACKS:
        search.cut = 1
        return 0
    # 3. Marks that leave two cells, then those that leave one.
    for stage in range(2):
        if stage == 1 and plies < 5:
            search.cut = 1
            break
        for i in range(count):
            move = int64(search.move[ply, i])
            put(game, state, side, move)
            above = cell_above(game, move)
            reply = -1
            if above < 0 or not completes_line(game, state, other, above):
                reply = _answer_to(game, state, cells, side, move)
            wins = int64(reply == -2)
            if stage == 1 and reply == int64(search.reply[ply, i]):
                put(game, state, other, reply)
                wins = wins_within(game, state, search, budget, cells, table, side, plies - 2, ply + 1)
                take_back(game, state, other, reply)
            take_back(game, state, side, move)
            if budget.reason != RUNNING:
                return 0
            if wins == 1:
                search.root_move = move
                return 1
    table[slot] = key
    table[slot + 1] = (search.generation << _GENERATION_SHIFT) | np.uint64(plies)
    return 0


@entry(int64(GAME, STATE, SEARCH, BUDGET, CELLS, TABLE, int64, int64))
def shortest_win(game, state, search, budget, cells, table, side, most):
    """The fewest plies, at most ``most``, in which the side to move wins by continuous fours; 0 where it does not.

    ``root_move`` is its first move. 0 also when the budget is spent: ``budget.reason`` says so.
    """
    plies = 1
    while plies <= most:
        search.cut = 0
        wins = wins_within(game, state, search, budget, cells, table, side, plies, 0)
        if budget.reason != RUNNING:
            return 0
        if wins == 1:
            return plies
        if search.cut == 0:
            return 0
        plies += 2
    return 0
