# mypy: ignore-errors
"""Cells that complete a line for a side, and the answers with which the other side can stop it."""

from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import beside, end_of_run, pattern_of, playable
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FIVE, FIVE_CELL

_NO_CELL = -1


@part(types.int64(GAME, STATE, types.int64))
def count_winning_cells(game, state, side):
    """Return the number of playable cells that complete a line for the side: 0, 1, or 2 for any more."""
    if game.gravity == 0:
        return min(state.count[side, FIVE_CELL], 2)
    count = 0
    for word in range(game.words):
        bits = state.mask[side, FIVE_CELL, word]
        while bits != ZERO:
            if playable(game, state, (word << WORD_SHIFT) + types.int64(lowest_index(bits))):
                count += 1
            bits &= bits - ONE
    return min(count, 2)


@part(types.int64(GAME, STATE, types.int64, types.int64))
def first_of(game, state, side, cell_pattern):
    """Return the lowest playable cell that has this cell pattern for the side, or -1."""
    for word in range(game.words):
        bits = state.mask[side, cell_pattern, word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            if game.gravity == 0 or playable(game, state, cell):
                return cell
            bits &= bits - ONE
    return _NO_CELL


@entry(types.int64(GAME, STATE, types.int64))
def count_answers(game, state, side):
    """List in ``state.answer`` the answers that stop every line the side could complete next; return how many.

    Only under Caro can there be more than one.
    """
    first = first_of(game, state, side, FIVE_CELL)
    if game.caro == 0:
        state.answer[0] = first
        if game.beginner == 1 - side and is_forbidden(game, state, first):
            return 0
        return 1 if state.count[side, FIVE_CELL] == 1 else 0
    # 1. Candidates: the cell that completes the first line, and the cells beside that line.
    candidates = 1
    state.answer[0] = first
    for direction in range(DIRECTIONS):
        if pattern_of(state, first, side, direction) != FIVE:
            continue
        for sign in (-1, 1):
            steps = end_of_run(game, state, first, side, direction, sign)
            opposite = end_of_run(game, state, first, side, direction, -sign)
            closed = beside(game, state, first, direction, opposite) == 2 - side
            if closed and beside(game, state, first, direction, steps) == 0:
                state.answer[candidates] = first + steps * game.step[direction]
                candidates += 1
    # 2. Keep those that stop every line.
    count = 0
    for i in range(candidates):
        cell = types.int64(state.answer[i])
        put(game, state, cell, 1 - side)
        stops = state.count[side, FIVE_CELL] == 0
        take_back(game, state, cell)
        if stops:
            state.answer[count] = cell
            count += 1
    return count
