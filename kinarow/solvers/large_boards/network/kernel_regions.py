# mypy: ignore-errors
"""The channels of the regions of the board, and their pool: inputs of the network that say where patterns are.

Regions are squares that overlap by half. Each empty cell whose patterns are not those of the empty board, and each
marked cell, adds its channels to its four regions; the pool adds up what lies above 0 in each region.
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.kernel_bits import ONE, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import PATTERN_BITS
from kinarow.solvers.large_boards.board.kernel_record import BOARD
from kinarow.solvers.large_boards.board.layout import BOTH, REGIONS_KEPT
from kinarow.solvers.large_boards.network.kernel_vectors import add_to_pool, assign_both, set_change, subtract_active

REGION_STEP = 2
_MARK_EMBEDDING = 256
_PAIR_BITS = np.uint64(255)
_DIRECTION_BITS = np.uint64(3)


@part(types.void(BOARD))
def lay_out_regions(board):
    """Set which regions a cell belongs to, and the channels of the regions of a board without marks."""
    board.region_columns = board.columns // REGION_STEP + 2
    board.regions = board.region_columns * (board.rows // REGION_STEP + 2)
    for cell in range(board.cells):
        row = cell // board.columns
        column = cell - row * board.columns
        board.first_region[cell] = row // REGION_STEP * board.region_columns + column // REGION_STEP
        board.empty_quads[cell] = board.quads[cell]
    for region in range(board.regions):
        for i in range(BOTH):
            board.region_channels[region * BOTH + i] = board.region_bias[i]


@inlined
def _row_of_pair(quads, direction):
    """Where ``embedding`` has the row of the patterns of both sides in a direction."""
    parts = quads >> (direction + direction) & PATTERN_BITS
    number = (parts | parts >> types.uint64(6) | parts >> types.uint64(12) | parts >> types.uint64(18)) & _PAIR_BITS
    return number * types.uint64(BOTH)


@inlined
def _add_to_regions(board, marks, first, place):
    """Add the change of a cell, in ``board.channels``, to its four regions and to the pool."""
    row = first + types.uint64(board.first_region[place]) * types.uint64(BOTH)
    below = row + types.uint64(board.region_columns) * types.uint64(BOTH)
    right = types.uint64(BOTH)
    regions = (row, row + right, below, below + right)
    zero = types.uint64(0)
    add_to_pool(board.pools, marks * types.uint64(BOTH), board.region_channels, regions, board.channels, zero)


@inlined
def _copy_regions(board, source, target, marks):
    """Copy the regions and the pool of one mark less, to begin those of ``marks`` marks."""
    both = types.uint64(BOTH)
    for i in range(types.uint64(board.regions)):
        assign_both(board.region_channels, target + i * both, board.region_channels, source + i * both)
    assign_both(board.pools, marks * both, board.pools, (marks - ONE) * both)


@inlined
def _change_of_marked_cell(board, place, quads):
    """Set ``board.channels`` to the channels of a mark less those that its cell had with these quads."""
    zero = types.uint64(0)
    row = types.uint64(_MARK_EMBEDDING - 1) + types.uint64(board.mark[place])
    assign_both(board.channels, zero, board.embedding, row * types.uint64(BOTH))
    rows = (
        _row_of_pair(quads, types.uint64(0)),
        _row_of_pair(quads, types.uint64(1)),
        _row_of_pair(quads, types.uint64(2)),
        _row_of_pair(quads, types.uint64(3)),
    )
    counts = quads != types.uint64(board.empty_quads[place])
    subtract_active(board.channels, zero, board.cell_bias, board.embedding, rows, counts)


@inlined
def _change_of_empty_cell(board, place, before, after):
    """Set ``board.channels`` to what the channels of a cell gain by other quads; they differ in one direction."""
    direction = (lowest_index(before ^ after) >> ONE) & _DIRECTION_BITS
    others = (
        _row_of_pair(before, (direction + types.uint64(1)) & _DIRECTION_BITS),
        _row_of_pair(before, (direction + types.uint64(2)) & _DIRECTION_BITS),
        _row_of_pair(before, (direction + types.uint64(3)) & _DIRECTION_BITS),
    )
    empty = types.uint64(board.empty_quads[place])
    was, now = _row_of_pair(before, direction), _row_of_pair(after, direction)
    counted, counts = before != empty, after != empty
    zero = types.uint64(0)
    set_change(board.channels, zero, board.cell_bias, board.embedding, others, was, now, counted, counts)


@part(types.void(BOARD, types.uint64))
def update_regions(board, marks):
    """Work out the channels of all regions for ``marks`` marks from those for one mark less.

    The log names the cells that the last of these marks changed: first its own, then those with other quads.
    """
    before = marks - ONE
    kept = types.uint64(REGIONS_KEPT)
    size = types.uint64(board.regions) * types.uint64(BOTH)
    target = (marks % kept) * size
    _copy_regions(board, (before % kept) * size, target, marks)
    first = types.uint64(board.log_end[before])
    place = types.uint64(board.log_cell[first])
    _change_of_marked_cell(board, place, types.uint64(board.log_before[first]))
    _add_to_regions(board, marks, target, place)
    for i in range(first + ONE, types.uint64(board.log_end[marks])):
        place = types.uint64(board.log_cell[i])
        _change_of_empty_cell(board, place, types.uint64(board.log_before[i]), types.uint64(board.log_after[i]))
        _add_to_regions(board, marks, target, place)
