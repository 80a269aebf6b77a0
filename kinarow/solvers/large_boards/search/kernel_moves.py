# mypy: ignore-errors
"""The moves of a node: which are listed, in what order they are searched, and what a search learns for later orders.

Known ideas, one source each: killer moves (Akl and Newborn 1977), history (Schaeffer 1983), countermoves (Uiterwijk
1992).
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_answers import count_answers, first_of
from kinarow.solvers.large_boards.board.kernel_cells import playable, points_of, quad_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import BOARD
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import BIT_MASK, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.search.kernel_record import SEARCH
from kinarow.solvers.large_boards.search.kernel_zones import add_fours_to_zone, add_runs_to_zone
from kinarow.solvers.large_boards.search.layout import INFINITY, WIN

_TABLE_SCORE = 1 << 28
FAR_SCORE = -(1 << 28)  # moves that are no candidates come after this
# A move's key: its score above its cell, which is counted from the end, so that the greatest key comes first.
CELL_BITS = 10
_LAST_CELL = (1 << CELL_BITS) - 1
# Kinds of nodes: quiet; the other side threatens to complete a line; the other side threatens an open four.
QUIET = 0
FORCED = 1
DEFENCE = 2


@part(types.int64(BOARD, SEARCH, types.int64, types.int64, types.int64, types.int64))
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


@part(types.void(BOARD, SEARCH, types.int64, types.int64))
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


@inlined
def _cells_to_list(board, search, ply, kind, everywhere, word):
    """The cells of one word that a node of a kind may list: its defences, every empty cell, or the candidates."""
    if kind == DEFENCE:
        return search.zone[ply, word]
    if everywhere:
        return board.open_mask[word]
    return board.open_mask[word] & board.near_mask[word]


@inlined
def _is_far(board, search, ply, cell, centre):
    """Whether a quiet move comes after all candidates: it is far from all marks, or ignores the threats of a pass."""
    near = (board.near_mask[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE != ZERO
    if not near and cell != centre and board.gravity == 0 and board.misere == 0:
        return True
    # Where a pass loses, a mark that does not touch the threats is hardly better than a pass.
    if ply > 0 or search.null_move_loses == 0:
        return False
    return (search.null_move_zone[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE == ZERO


@inlined
def _list_move(search, ply, number, cell, move_score):
    """Enter a move in the list of a node."""
    search.move_keys[ply, number] = (move_score << CELL_BITS) | (_LAST_CELL - cell)


@part(types.int64(BOARD, SEARCH, types.int64, types.int64, types.int64, types.boolean, types.int64, types.int64))
def _list_moves(board, search, side, ply, kind, all_moves, preferred, previous):
    """List the moves of a node as ``search.move_keys[ply]``; returns how many.

    The preferred move comes first. Quiet nodes get the candidates, or with ``all_moves`` every legal move, those that
    are no candidates with a score below ``FAR_SCORE // 2``; nodes of defence get ``search.zone[ply]``.
    """
    count = 0
    near = ZERO
    for word in range(board.words):
        near |= board.near_mask[word] & board.open_mask[word]
    # On an empty board the centre is the only candidate.
    centre = (board.rows // 2) * board.columns + board.columns // 2 if near == ZERO else -1
    may_be_far = kind == QUIET and (all_moves or centre >= 0 or ply == 0)
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
                move_score += FAR_SCORE
            _list_move(search, ply, count, cell, move_score)
            count += 1
    return count


@part(types.int64(BOARD, types.int64, types.int64))
def first_allowed(board, side, cell):
    """The empty cell, or where it is forbidden to the side the first that is not; there must be one."""
    if side != board.beginner or not is_forbidden(board, cell):
        return cell
    for each in range(board.cells):
        if board.mark[each] == 0 and not is_forbidden(board, each):
            return types.int64(each)
    return cell


@part(types.int64(SEARCH, types.int64, types.int64, types.int64))
def pick(search, ply, number, count):
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


@part(types.int64(BOARD, SEARCH, *(types.int64,) * 4, types.boolean, *(types.int64,) * 3))
def list_node_moves(board, search, side, ply, depth, kind, all_moves, block, preferred, previous):
    """List the moves of a node of a kind as ``search.move_keys[ply]``; returns how many.

    ``search.unlisted_bound`` becomes an upper bound on the value of the moves not listed: every move but a block loses
    in two plies, every move that does not meet an open four in four. It is ``-INFINITY`` where nothing is proven.
    """
    search.unlisted_bound = -INFINITY
    if kind == FORCED and (depth >= 2 or search.fixed_depth == 0):
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
    if kind == DEFENCE:
        _fill_defences(board, search, side, ply)
        count = _list_moves(board, search, side, ply, kind, False, preferred, previous)
        search.unlisted_bound = -(WIN - (ply + 4))
        if count == 0:
            cell = first_allowed(board, side, first_of(board, 1 - side, OPEN_FOUR_CELL))
            _list_move(search, ply, count, cell, types.int64(0))
            count = 1
        return count
    return _list_moves(board, search, side, ply, QUIET, all_moves or kind == FORCED, preferred, previous)


@part(types.void(SEARCH, types.int64, types.int64, types.int64))
def _update_history(search, side, cell, bonus):
    """Add a bonus (or a negative one) to a history count, the less of it the nearer the count is to its limit."""
    old = types.int64(search.history[side, cell])
    search.history[side, cell] = old + bonus - old * abs(bonus) // search.history_limit


@part(types.void(SEARCH, *(types.int64,) * 6))
def update_quiet_stats(search, side, ply, cell, previous, depth, number):
    """A quiet move refuted the node: prefer it elsewhere, and give the moves tried before it a malus."""
    if search.killer[ply, 0] != cell:
        search.killer[ply, 1] = search.killer[ply, 0]
        search.killer[ply, 0] = cell
    search.countermove[1 - side, previous] = cell
    bonus = min(depth * depth + depth, 1024) * 8
    _update_history(search, side, cell, bonus)
    for i in range(number):
        _update_history(search, side, types.int64(search.moves[ply, i]), -bonus)
