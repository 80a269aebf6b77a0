# mypy: ignore-errors
"""Renju's forbidden cells for the side that began (Black), and whether it has a legal move left."""

from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.large_boards.board.kernel_cells import beside, end_of_run, pattern_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DIRECTIONS
from kinarow.solvers.large_boards.board.patterns import (
    DOUBLE_THREE_CELL,
    FIVE_CELL,
    FORBIDDEN_CELL,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_THREE_2,
)

_ROOM = 100  # if more cells than this are allowed now, some still are after two more marks


@entry(types.boolean(GAME, STATE, types.int64))
def is_forbidden(game, state, cell):
    """Return True if Renju forbids the empty cell to the side that began (``kinarow.game.renju`` states the rule)."""
    black = game.beginner
    if state.cell_pattern[cell, black] == FORBIDDEN_CELL:
        return True
    if state.cell_pattern[cell, black] != DOUBLE_THREE_CELL:
        return False
    # A double three is forbidden if two of its threes are real: each can become a straight four by an allowed move.
    real = 0
    put(game, state, cell, black)
    for direction in range(DIRECTIONS):
        pattern = pattern_of(state, cell, black, direction)
        if pattern != OPEN_THREE and pattern != OPEN_THREE_2:
            continue
        for sign in range(-1, 2, 2):
            steps = end_of_run(game, state, cell, black, direction, sign)
            if beside(game, state, cell, direction, steps) != 0:
                continue
            point = cell + steps * game.step[direction]
            if pattern_of(state, point, black, direction) != OPEN_FOUR or state.cell_pattern[point, black] == FIVE_CELL:
                continue
            if not is_forbidden(game, state, point):
                real += 1
                break
    take_back(game, state, cell)
    return real >= 2


@part(types.boolean(GAME, STATE))
def beginner_may_move(game, state):
    """Return True if the side that began in Renju has an allowed move."""
    black = game.beginner
    if state.empty > state.count[black, FORBIDDEN_CELL] + state.count[black, DOUBLE_THREE_CELL]:
        return True
    for cell in range(game.cells):
        if state.mark[cell] == 0 and not is_forbidden(game, state, cell):
            return True
    return False


@part(types.boolean(GAME, STATE, types.int64))
def has_room_against(game, state, side):
    """Return True if the opponent of ``side`` is certain to have a legal move after two more marks.

    Only Renju's Black can run out of moves; a mark changes at most 40 cells.
    """
    black = game.beginner
    if black < 0 or side == black:
        return True
    allowed = state.empty - state.count[black, FORBIDDEN_CELL] - state.count[black, DOUBLE_THREE_CELL]
    return allowed > _ROOM
