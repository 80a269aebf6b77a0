# mypy: ignore-errors
"""The sums below the network: the points and the features of the patterns of all empty cells.

They are kept for each number of marks on the board, and worked out from the log when an estimate is wanted.
"""

from numba import types

from kinarow.kernels.declare import entry, inlined
from kinarow.solvers.common.kernel_bits import ONE
from kinarow.solvers.large_boards.board.kernel_cells import HIGH_QUAD, QUAD_BITS, quad_of
from kinarow.solvers.large_boards.board.kernel_record import BOARD
from kinarow.solvers.large_boards.board.layout import FEATURES
from kinarow.solvers.large_boards.network.kernel_regions import lay_out_regions, update_regions
from kinarow.solvers.large_boards.network.kernel_vectors import add_difference, assign


@entry(types.void(BOARD))
def prepare_sums(board):
    """Work out the sums of a board without marks from all cells, and lay out its regions."""
    for side in range(2):
        for cell in range(board.cells):
            number = types.uint64(board.tuple_of_quad[quad_of(board, cell, side)])
            board.point_sums[0, side] += board.tuple_points[number]
            for i in range(FEATURES):
                board.sums[side * FEATURES + i] += board.features[number * FEATURES + i]
    lay_out_regions(board)


@inlined
def _exchange_tuple(board, marks, side, before, after):
    """Replace the tuple of one quad by that of another in the sums of a side."""
    was = types.uint64(board.tuple_of_quad[before])
    now = types.uint64(board.tuple_of_quad[after])
    if now != was:  # a mark often changes the patterns of one side only
        board.point_sums[marks, side] += board.tuple_points[now] - board.tuple_points[was]
        at = (types.uint64(2) * marks + types.uint64(side)) * types.uint64(FEATURES)
        add_difference(
            board.sums, at, board.features, now * types.uint64(FEATURES), board.features, was * types.uint64(FEATURES)
        )


@entry(types.void(BOARD))
def bring_sums_up_to_date(board):
    """Work out the sums of the position from those of the last position on the way to it that has them."""
    features = types.uint64(FEATURES)
    for level in range(board.summed, board.cells - board.empty):
        marks = types.uint64(level) + ONE
        first = types.uint64(board.log_end[level])
        quads = types.uint64(board.log_before[first])
        for side in range(2):
            number = types.uint64(board.tuple_of_quad[quads >> types.uint64(16 * side) & QUAD_BITS])
            board.point_sums[marks, side] = board.point_sums[level, side] - board.tuple_points[number]
            at = (types.uint64(2) * marks + types.uint64(side)) * features
            assign(board.sums, at, board.sums, at - types.uint64(2) * features)
            add_difference(board.sums, at, board.no_features, types.uint64(0), board.features, number * features)
        for i in range(first + ONE, types.uint64(board.log_end[marks])):
            before = types.uint64(board.log_before[i])
            after = types.uint64(board.log_after[i])
            _exchange_tuple(board, marks, 0, before & QUAD_BITS, after & QUAD_BITS)
            _exchange_tuple(board, marks, 1, before >> HIGH_QUAD, after >> HIGH_QUAD)
        if board.has_network != 0:
            update_regions(board, marks)
    board.summed = max(board.summed, board.cells - board.empty)
