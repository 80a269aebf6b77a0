# mypy: ignore-errors
"""The network's accumulators: for each side, sums of the points and features of all empty cells.

There is one for each number of marks on the board. They are updated from the log of changed patterns, and only when an
estimate is wanted (as in NNUE; Nasu 2018).
"""

from numba import types

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.kernel_bits import ONE
from kinarow.solvers.large_boards.board.kernel_cells import HIGH_QUAD, QUAD_BITS
from kinarow.solvers.large_boards.board.kernel_empty_board import clear, is_blocked
from kinarow.solvers.large_boards.board.kernel_marks import put
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import BLOCKED_MARK, FEATURES
from kinarow.solvers.large_boards.network.kernel_regions import clear_regions, lay_out_regions, update_regions
from kinarow.solvers.large_boards.network.kernel_vectors import add_difference, assign


@part(types.void(GAME))
def prepare_sums(game):
    """Compute the sums of the empty board and lay out the regions."""
    for cell in range(game.cells):
        for side in range(0 if is_blocked(game, cell) else 2):
            quad = types.uint64(game.empty_quads[cell]) >> types.uint64(16 * side) & QUAD_BITS
            number = types.uint64(game.tuple_of_quad[quad])
            game.empty_point_sums[side] += game.tuple_points[number]
            for i in range(FEATURES):
                game.empty_sums[side * FEATURES + i] += game.features[number * FEATURES + i]
    lay_out_regions(game)


@entry(types.void(GAME, STATE, types.Array(types.int8, 1, "C")))
def load(game, state, cells):
    """Set up a position; ``cells`` holds 0 empty, side + 1, or 3 where the game has a blocked cell."""
    clear(game, state)
    marks = state.summed = game.cells - state.empty
    for side in range(2):
        state.point_sums[marks, side] = game.empty_point_sums[side]
    for i in range(2 * FEATURES):
        state.sums[marks * 2 * FEATURES + i] = game.empty_sums[i]
    clear_regions(game, state)
    for cell in range(game.cells):
        if cells[cell] != 0 and cells[cell] != BLOCKED_MARK:
            put(game, state, cell, types.int64(cells[cell]) - 1)
    state.loaded = game.cells - state.empty


@inlined
def _exchange_quad(game, state, marks, side, before, after):
    """Replace one cell's quad in the sums of a side."""
    was = types.uint64(game.tuple_of_quad[before])
    now = types.uint64(game.tuple_of_quad[after])
    state.point_sums[marks, side] += game.tuple_points[now] - game.tuple_points[was]
    at = (types.uint64(2) * marks + types.uint64(side)) * types.uint64(FEATURES)
    add_difference(
        state.sums, at, game.features, now * types.uint64(FEATURES), game.features, was * types.uint64(FEATURES)
    )


@entry(types.void(GAME, STATE))
def bring_sums_up_to_date(game, state):
    """Compute the sums of all marks after the first ``state.summed``, each from those of the mark before.

    A mark's log begins with its own cell, which no longer counts; the cells that it changed follow.
    """
    features = types.uint64(FEATURES)
    for level in range(state.summed, game.cells - state.empty):
        marks = types.uint64(level) + ONE
        first = types.uint64(state.log_end[level])
        quads = types.uint64(state.log_before[first])
        for side in range(2):
            number = types.uint64(game.tuple_of_quad[quads >> types.uint64(16 * side) & QUAD_BITS])
            state.point_sums[marks, side] = state.point_sums[level, side] - game.tuple_points[number]
            at = (types.uint64(2) * marks + types.uint64(side)) * features
            assign(state.sums, at, state.sums, at - types.uint64(2) * features)
            add_difference(state.sums, at, game.no_features, types.uint64(0), game.features, number * features)
        for i in range(first + ONE, types.uint64(state.log_end[marks])):
            before = types.uint64(state.log_before[i])
            after = types.uint64(state.log_after[i])
            _exchange_quad(game, state, marks, 0, before & QUAD_BITS, after & QUAD_BITS)
            _exchange_quad(game, state, marks, 1, before >> HIGH_QUAD, after >> HIGH_QUAD)
        if game.has_network != 0:
            update_regions(game, state, marks)
    state.summed = max(state.summed, game.cells - state.empty)
