# mypy: ignore-errors
"""Static values and ordering scores of moves, from the patterns on the board."""

from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.large_boards.board.kernel_cells import can_line, points_of, quad_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_renju import has_room_against
from kinarow.solvers.large_boards.board.layout import INFINITY, WIN
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate


@entry(types.void(GAME, STATE, types.Array(types.int64, 1, "C")))
def order_scores(game, state, scores):
    """Write each cell's ordering score for side 0 to ``scores``; the highest is the best move to try first."""
    for cell in range(game.cells):
        if game.misere != 0:
            scores[cell] = -points_of(game, state, cell, 0) - points_of(game, state, cell, 1)
        else:
            scores[cell] = types.int64(game.quad_order[0, quad_of(state, cell, 0)]) + types.int64(
                game.quad_order[1, quad_of(state, cell, 1)]
            )


@part(types.int64(GAME, STATE))
def _plies_of_reply(game, state):
    """Return the plies in which side 1 wins at once: 1, 3 by an open four, or 0 if it doesn't."""
    if game.misere != 0 or game.gravity != 0:
        return 0
    if state.count[1, FIVE_CELL] != 0:
        return 1
    if state.count[1, OPEN_FOUR_CELL] != 0 and state.count[0, FIVE_CELL] == 0 and has_room_against(game, state, 1):
        return 3
    return 0


@entry(types.int64(GAME, STATE, types.int64))
def quick_value(game, state, move):
    """Return the static value for side 1 after a legal move of side 0, or after a pass if ``move`` is -1.

    It is proven if side 1 wins in one or three plies, or if neither side can complete a line; INFINITY stands for that
    draw.
    """
    if move < 0 or state.cell_pattern[move, 0] == FIVE_CELL:
        return estimate(game, state, 1)
    put(game, state, move, 0)
    plies = _plies_of_reply(game, state)
    if plies != 0:
        value = types.int64(WIN - plies)
    elif can_line(game, state):
        value = estimate(game, state, 1)
    else:
        value = types.int64(INFINITY)
    take_back(game, state, move)
    return value
