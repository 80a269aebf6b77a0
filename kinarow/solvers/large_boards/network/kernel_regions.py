# mypy: ignore-errors
"""The channels of board regions and their pool: network inputs that depend on where patterns are.

Regions are squares of 4 x 4 cells that overlap by half, so that each cell is in four. Every marked cell, and every
empty cell whose patterns differ from the empty board's, adds its channels to its regions. The pool is the sum of the
rectified channels of all regions.
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.kernel_bits import ONE, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import PATTERN_BITS
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import BOTH, MAX_REGIONS, REGIONS_KEPT
from kinarow.solvers.large_boards.network.kernel_vectors import add_change, add_to_pool, assign_both

REGION_STEP = 2
_MARK_EMBEDDING = 256
_PAIR_BITS = np.uint64(255)
_PAIR_SHIFT = np.uint64(18)
# The product moves the four parts of a pair of patterns, two bits in each byte, side by side above _PAIR_SHIFT.
_SIDE_BY_SIDE = np.uint64(1 | 1 << 6 | 1 << 12 | 1 << 18)
_DIRECTION_BITS = np.uint64(3)


@part(types.void(GAME))
def lay_out_regions(game):
    """Set the number of regions, and the first of each cell's four."""
    game.region_columns = game.columns // REGION_STEP + 2
    game.regions = game.region_columns * (game.rows // REGION_STEP + 2)
    for cell in range(game.cells):
        row = cell // game.columns
        column = cell - row * game.columns
        game.first_region[cell] = row // REGION_STEP * game.region_columns + column // REGION_STEP


@part(types.void(GAME, STATE))
def clear_regions(game, state):
    """Reset the channels of each region to its bias, as on a board without marks, and the pool of this ply to 0."""
    for i in range(BOTH):
        state.pools[(game.cells - state.empty) * BOTH + i] = 0
    for region in range(game.regions):
        state.region_row[region] = region
        for i in range(BOTH):
            state.region_channels[region * BOTH + i] = game.region_bias[i]


@inlined
def _row_of_pair(quads, direction):
    """Return where ``game.embedding`` has the row of both sides' patterns in one direction."""
    parts = quads >> (direction + direction) & PATTERN_BITS
    return (parts * _SIDE_BY_SIDE >> _PAIR_SHIFT & _PAIR_BITS) * types.uint64(BOTH)


@inlined
def _move_region(state, at, row):
    """Give the region at ``at`` a new row of ``region_channels``; return where its old one begins."""
    channels = types.uint64(state.region_row[at]) * types.uint64(BOTH)
    state.region_row[at] = row
    return channels


@inlined
def _move_regions(game, state, slot, place):
    """Give the four regions of a cell rows in a slot; return where their new and old rows begin."""
    right, both = ONE, types.uint64(BOTH)
    down = types.uint64(game.region_columns)
    region = types.uint64(game.first_region[place])
    at = slot * types.uint64(MAX_REGIONS) + region
    row = slot * types.uint64(game.regions) + region
    old = (
        _move_region(state, at, row),
        _move_region(state, at + right, row + right),
        _move_region(state, at + down, row + down),
        _move_region(state, at + down + right, row + down + right),
    )
    new = (row * both, (row + right) * both, (row + down) * both, (row + down + right) * both)
    return new, old


@inlined
def _slot(state, marks):
    """Return the slot for the regions that the last of ``marks`` marks touched; the loaded position has slot 0."""
    return types.uint64(min(max(types.int64(marks) - state.loaded, 0), REGIONS_KEPT - 1))


@inlined
def _add_channels(game, state, place, direction, before, after, counts):
    """Add to ``state.channels`` the change of a cell's channels if its quads change in one direction.

    The quads of the empty board have no channels, and the new quads have none unless ``counts``.
    """
    others = (
        _row_of_pair(before, (direction + types.uint64(1)) & _DIRECTION_BITS),
        _row_of_pair(before, (direction + types.uint64(2)) & _DIRECTION_BITS),
        _row_of_pair(before, (direction + types.uint64(3)) & _DIRECTION_BITS),
    )
    empty = types.uint64(game.empty_quads[place])
    was, now = _row_of_pair(before, direction), _row_of_pair(after, direction)
    counted, counts = before != empty, counts and after != empty
    add_change(state.channels, types.uint64(0), game.cell_bias, game.embedding, others, was, now, counted, counts)


@part(types.void(GAME, STATE, types.uint64))
def update_regions(game, state, marks):
    """Update regions and pool by the last of ``marks`` marks, from the log of the cells that it changed."""
    before = marks - ONE
    both = types.uint64(BOTH)
    assign_both(state.pools, marks * both, state.pools, before * both)
    # 1. Begin with the rows of the slot before.
    slot = _slot(state, marks)
    rows = slot * types.uint64(MAX_REGIONS)
    rows_before = _slot(state, before) * types.uint64(MAX_REGIONS)
    for i in range(types.uint64(MAX_REGIONS)):
        state.region_row[rows + i] = state.region_row[rows_before + i]
    # 2. The marked cell: its channels as an empty cell give way to those of the mark.
    first = types.uint64(state.log_end[before])
    place = types.uint64(state.log_cell[first])
    zero = types.uint64(0)
    new, old = _move_regions(game, state, slot, place)
    row = types.uint64(_MARK_EMBEDDING - 1) + types.uint64(state.mark[place])
    assign_both(state.channels, zero, game.embedding, row * both)
    quads = types.uint64(state.log_before[first])
    _add_channels(game, state, place, zero, quads, quads, False)
    add_to_pool(state.pools, marks * both, state.region_channels, new, old, state.channels, zero)
    # 3. The cells whose quads the mark changed, each in one direction.
    for i in range(first + ONE, types.uint64(state.log_end[marks])):
        place = types.uint64(state.log_cell[i])
        quads = types.uint64(state.log_before[i])
        after = types.uint64(state.log_after[i])
        new, old = _move_regions(game, state, slot, place)
        assign_both(state.channels, zero, game.no_features, zero)
        direction = (lowest_index(quads ^ after) >> ONE) & _DIRECTION_BITS
        _add_channels(game, state, place, direction, quads, after, True)
        add_to_pool(state.pools, marks * both, state.region_channels, new, old, state.channels, zero)
