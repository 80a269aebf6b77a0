# mypy: ignore-errors
"""Move generation and ordering: killer moves (Akl and Newborn 1977), history (Schaeffer 1983), countermoves (Uiterwijk
1992).
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_answers import count_answers, first_of
from kinarow.solvers.large_boards.board.kernel_cells import playable, points_of, quad_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import BIT_MASK, INFINITY, WIN, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.search.kernel_zones import add_fours_to_zone, add_runs_to_zone

_TABLE_SCORE = 1 << 28
FAR_SCORE = -(1 << 28)  # added to the score of a move far from all marks, or outside the zone of a lost null move
# A move's key is score << CELL_BITS | (_LAST_CELL - cell): of equal scores the lowest cell has the greatest key.
CELL_BITS = 10
_LAST_CELL = (1 << CELL_BITS) - 1
# Kinds of nodes: quiet; the other side can complete a line; the other side can make an open four.
QUIET = 0
FORCED = 1
DEFENCE = 2


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64, types.int64))
def _score_move(game, state, side, cell, ply, previous):
    """Return the ordering score of a move; the highest is searched first. ``previous``: the other side's last move."""
    other = 1 - side
    history = types.int64(state.history[side, cell]) >> game.history_shift
    if game.misere != 0:
        return history - points_of(game, state, cell, side) - points_of(game, state, cell, other) // 2
    move_score = types.int64(game.quad_order[0, quad_of(state, cell, side)]) + history
    move_score += types.int64(game.quad_order[1, quad_of(state, cell, other)])
    if state.killer[ply, 0] == cell or state.killer[ply, 1] == cell:
        move_score += game.killer_order
    if state.countermove[other, previous] == cell:
        move_score += game.countermove_order
    return move_score


@part(types.void(GAME, STATE, types.int64, types.int64))
def _fill_defences(game, state, side, ply):
    """Set ``state.zone[ply]`` to the defences against the other side's threatened open fours; other moves lose in four.

    A defence makes a four, takes the cell of the open four, or takes a cell that would then complete a line (under Caro
    also one beside its runs). It must meet all threatened open fours, of which the first four are checked.
    """
    other = 1 - side
    # ``zone[ply + 1]`` becomes the cells that meet every open four; ``zone[ply + 2]`` is scratch memory.
    for word in range(game.words):
        state.zone[ply, word] = ZERO
        state.zone[ply + 1, word] = ~ZERO
    tried = 0
    for word in range(game.words):
        bits = state.mask[other, OPEN_FOUR_CELL, word]
        while bits != ZERO and tried < 4:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            tried += 1
            put(game, state, cell, other)
            if game.caro != 0:
                for i in range(game.words):
                    state.zone[ply + 2, i] = ZERO
                add_runs_to_zone(game, state, other, ply + 2)
            for i in range(game.words):
                meets = state.mask[other, FIVE_CELL, i]
                if game.caro != 0:
                    meets |= state.zone[ply + 2, i]
                if i == cell >> WORD_SHIFT:
                    meets |= ONE << np.uint64(cell & BIT_MASK)
                state.zone[ply + 1, i] &= meets
            take_back(game, state, cell)
    add_fours_to_zone(game, state, side, ply)
    for word in range(game.words):
        state.zone[ply, word] |= state.zone[ply + 1, word]
        state.zone[ply, word] &= state.open_mask[word]


@inlined
def _cells_to_list(state, ply, kind, everywhere, word):
    """Return a word of the cells that a node lists: its defences, all empty cells, or those near marks."""
    if kind == DEFENCE:
        return state.zone[ply, word]
    if everywhere:
        return state.open_mask[word]
    return state.open_mask[word] & state.near_mask[word]


@inlined
def _is_far(game, state, ply, cell, centre):
    """Return True if a quiet move is far from all marks, or outside the relevance zone of a lost null move."""
    near = (state.near_mask[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE != ZERO
    if not near and cell != centre and game.gravity == 0 and game.misere == 0:
        return True
    # If a null move loses, a mark outside the zone of the threats is hardly better.
    if ply > 0 or state.null_move_loses == 0:
        return False
    return (state.null_move_zone[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE == ZERO


@inlined
def list_move(state, ply, number, cell, move_score):
    """Write a move and its score to the node's list, from which ``pick`` takes it."""
    state.move_keys[ply, number] = (move_score << CELL_BITS) | (_LAST_CELL - cell)


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64, types.boolean, types.int64, types.int64))
def _list_moves(game, state, side, ply, kind, all_moves, preferred, previous):
    """List the moves of a node in ``state.move_keys[ply]``, with the highest score for ``preferred``; return how many.

    A quiet node gets the candidates, or with ``all_moves`` every legal move; a DEFENCE node gets ``state.zone[ply]``.
    """
    count = 0
    near = ZERO
    for word in range(game.words):
        near |= state.near_mask[word] & state.open_mask[word]
    # On an empty board the centre is the only candidate.
    centre = (game.rows // 2) * game.columns + game.columns // 2 if near == ZERO else -1
    may_be_far = kind == QUIET and (all_moves or centre >= 0 or ply == 0)
    for word in range(game.words):
        bits = _cells_to_list(state, ply, kind, all_moves or centre >= 0, word)
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if game.gravity != 0 and not playable(game, state, cell):
                continue
            if side == game.beginner and is_forbidden(game, state, cell):
                continue
            move_score = _score_move(game, state, side, cell, ply, previous)
            if cell == preferred:
                move_score = _TABLE_SCORE
            elif may_be_far and _is_far(game, state, ply, cell, centre):
                move_score += FAR_SCORE
            list_move(state, ply, count, cell, move_score)
            count += 1
    return count


@part(types.int64(GAME, STATE, types.int64, types.int64))
def first_allowed(game, state, side, cell):
    """Return ``cell``, or the first allowed empty cell if Renju forbids ``cell`` to the side."""
    if side != game.beginner or not is_forbidden(game, state, cell):
        return cell
    for each in range(game.cells):
        if state.mark[each] == 0 and not is_forbidden(game, state, each):
            return types.int64(each)
    return cell


@part(types.int64(STATE, types.int64, types.int64, types.int64))
def pick(state, ply, number, count):
    """Return the best listed move from ``number`` on, of equals the lowest cell: one step of a selection sort.

    Swap it to ``number`` and write it to ``state.moves[ply, number]``.
    """
    first = state.move_keys[ply, number]
    best_key = first
    best = number
    for i in range(number + 1, count):
        key = state.move_keys[ply, i]
        if key > best_key:
            best_key = key
            best = i
    state.move_keys[ply, best] = first
    state.move_keys[ply, number] = best_key
    cell = _LAST_CELL - (best_key & _LAST_CELL)
    state.moves[ply, number] = cell
    return cell


@part(types.int64(GAME, STATE, *(types.int64,) * 4, types.boolean, *(types.int64,) * 3))
def list_node_moves(game, state, side, ply, depth, kind, all_moves, block, preferred, previous):
    """List the moves of a node of this kind in ``state.move_keys[ply]``; return how many.

    Set ``state.unlisted_bound`` to an upper bound on the value of all other moves: a move that doesn't block a four
    loses in two plies, one that doesn't meet an open four in four. ``-INFINITY`` means that there is no such bound.
    """
    state.unlisted_bound = -INFINITY
    if kind == FORCED and (depth >= 2 or state.fixed_depth == 0):
        count = types.int64(1)
        if game.caro != 0:
            count = count_answers(game, state, 1 - side)
            for i in range(count):
                list_move(state, ply, i, types.int64(state.answer[i]), types.int64(0))
        else:
            list_move(state, ply, types.int64(0), block, types.int64(0))
        if state.empty > count:  # otherwise there is no other move
            state.unlisted_bound = -(WIN - (ply + 2))
        return count
    if kind == DEFENCE:
        _fill_defences(game, state, side, ply)
        count = _list_moves(game, state, side, ply, kind, False, preferred, previous)
        state.unlisted_bound = -(WIN - (ply + 4))
        if count == 0:
            cell = first_allowed(game, state, side, first_of(game, state, 1 - side, OPEN_FOUR_CELL))
            list_move(state, ply, count, cell, types.int64(0))
            count = 1
        return count
    return _list_moves(game, state, side, ply, QUIET, all_moves or kind == FORCED, preferred, previous)


@part(types.void(GAME, STATE, types.int64, types.int64, types.int64))
def _update_history(game, state, side, cell, bonus):
    """Add a bonus or malus to a history score, scaled down as the score nears its limit (history gravity)."""
    old = types.int64(state.history[side, cell])
    state.history[side, cell] = old + bonus - old * abs(bonus) // game.history_limit


@part(types.void(GAME, STATE, *(types.int64,) * 6))
def update_quiet_stats(game, state, side, ply, cell, previous, depth, number):
    """Store a quiet move that caused a cutoff as killer, countermove and in the history.

    The ``number`` moves that were searched before it get a malus.
    """
    if state.killer[ply, 0] != cell:
        state.killer[ply, 1] = state.killer[ply, 0]
        state.killer[ply, 0] = cell
    state.countermove[1 - side, previous] = cell
    bonus = min(depth * depth + depth, 1024) * 8
    _update_history(game, state, side, cell, bonus)
    for i in range(number):
        _update_history(game, state, side, types.int64(state.moves[ply, i]), -bonus)
