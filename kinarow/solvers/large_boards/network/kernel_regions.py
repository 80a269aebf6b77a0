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
    """Set which regions a cell belongs to."""
    game.region_columns = game.columns // REGION_STEP + 2
    game.regions = game.region_columns * (game.rows // REGION_STEP + 2)
    for cell in range(game.cells):
        row = cell // game.columns
        column = cell - row * game.columns
        game.first_region[cell] = row // REGION_STEP * game.region_columns + column // REGION_STEP


@part(types.void(GAME, STATE))
def clear_regions(game, state):
    """Set the channels of the regions of a board without marks, and their pool."""
    for i in range(BOTH):
        state.pools[(game.cells - state.empty) * BOTH + i] = 0
    for region in range(game.regions):
        state.region_row[region] = region
        for i in range(BOTH):
            state.region_channels[region * BOTH + i] = game.region_bias[i]


@inlined
def _row_of_pair(quads, direction):
    parts = quads >> (direction + direction) & PATTERN_BITS
    return (parts * _SIDE_BY_SIDE >> _PAIR_SHIFT & _PAIR_BITS) * types.uint64(BOTH)


@inlined
def _move_region(state, at, row):
    """Return where ``region_channels`` has the channels of a region now; from now on they are in the row given."""
    channels = types.uint64(state.region_row[at]) * types.uint64(BOTH)
    state.region_row[at] = row
    return channels


@inlined
def _move_regions(game, state, slot, place):
    """Move the four regions of a cell to a slot; list where ``region_channels`` has them then and had them."""
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
    """Return where the regions that the last of ``marks`` marks touched are kept: in one slot for all marks loaded."""
    return types.uint64(min(max(types.int64(marks) - state.loaded, 0), REGIONS_KEPT - 1))


@inlined
def _add_channels(game, state, place, direction, before, after, counts):
    """Add to ``state.channels`` what a cell gains by other quads; the later quads only if ``counts``."""
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
    """Update the channels of all regions by the last of ``marks`` marks, whose changed cells the log names."""
    before = marks - ONE
    both = types.uint64(BOTH)
    assign_both(state.pools, marks * both, state.pools, before * both)
    slot = _slot(state, marks)
    begins = slot * types.uint64(MAX_REGIONS)
    begun = _slot(state, before) * types.uint64(MAX_REGIONS)
    for i in range(types.uint64(MAX_REGIONS)):
        state.region_row[begins + i] = state.region_row[begun + i]
    first = types.uint64(state.log_end[before])
    place = types.uint64(state.log_cell[first])
    zero = types.uint64(0)
    new, old = _move_regions(game, state, slot, place)
    row = types.uint64(_MARK_EMBEDDING - 1) + types.uint64(state.mark[place])
    assign_both(state.channels, zero, game.embedding, row * both)
    quads = types.uint64(state.log_before[first])
    _add_channels(game, state, place, zero, quads, quads, False)
    add_to_pool(state.pools, marks * both, state.region_channels, new, old, state.channels, zero)
    for i in range(first + ONE, types.uint64(state.log_end[marks])):
        place = types.uint64(state.log_cell[i])
        quads = types.uint64(state.log_before[i])
        after = types.uint64(state.log_after[i])
        new, old = _move_regions(game, state, slot, place)
        assign_both(state.channels, zero, game.no_features, zero)
        direction = (lowest_index(quads ^ after) >> ONE) & _DIRECTION_BITS
        _add_channels(game, state, place, direction, quads, after, True)
        add_to_pool(state.pools, marks * both, state.region_channels, new, old, state.channels, zero)
