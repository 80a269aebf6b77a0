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
from kinarow.solvers.large_boards.board.layout import BOTH, REGIONS_KEPT
from kinarow.solvers.large_boards.network.kernel_vectors import add_change, add_to_pool, assign_both

REGION_STEP = 2
_MARK_EMBEDDING = 256
_PAIR_BITS = np.uint64(255)
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
        state.pools[i] = 0
    for region in range(game.regions):
        for i in range(BOTH):
            state.region_channels[region * BOTH + i] = game.region_bias[i]


@inlined
def _row_of_pair(quads, direction):
    """Where ``embedding`` has the row of the patterns of both sides in a direction."""
    parts = quads >> (direction + direction) & PATTERN_BITS
    number = (parts | parts >> types.uint64(6) | parts >> types.uint64(12) | parts >> types.uint64(18)) & _PAIR_BITS
    return number * types.uint64(BOTH)


@inlined
def _add_to_regions(game, state, marks, first, place):
    """Add the change of a cell, in ``state.channels``, to its four regions and to the pool."""
    row = first + types.uint64(game.first_region[place]) * types.uint64(BOTH)
    below = row + types.uint64(game.region_columns) * types.uint64(BOTH)
    right = types.uint64(BOTH)
    regions = (row, row + right, below, below + right)
    zero = types.uint64(0)
    add_to_pool(state.pools, marks * types.uint64(BOTH), state.region_channels, regions, state.channels, zero)


@inlined
def _copy_regions(game, state, source, target, marks):
    """Copy the regions and the pool of one mark less, to begin those of ``marks`` marks."""
    both = types.uint64(BOTH)
    for i in range(types.uint64(game.regions)):
        assign_both(state.region_channels, target + i * both, state.region_channels, source + i * both)
    assign_both(state.pools, marks * both, state.pools, (marks - ONE) * both)


@inlined
def _add_channels(game, state, place, direction, before, after, counts):
    """Add to ``state.channels`` what those of a cell gain by other quads, which differ in this direction.

    The quads of a cell count where they are not those of the empty board, the later ones only if ``counts``.
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
    """Work out the channels of all regions for ``marks`` marks from those for one mark less.

    The log names the cells that the last of these marks changed: first its own, then those with other quads.
    """
    before = marks - ONE
    kept = types.uint64(REGIONS_KEPT)
    size = types.uint64(game.regions) * types.uint64(BOTH)
    target = (marks % kept) * size
    _copy_regions(game, state, (before % kept) * size, target, marks)
    first = types.uint64(state.log_end[before])
    place = types.uint64(state.log_cell[first])
    zero = types.uint64(0)
    row = types.uint64(_MARK_EMBEDDING - 1) + types.uint64(state.mark[place])
    assign_both(state.channels, zero, game.embedding, row * types.uint64(BOTH))
    quads = types.uint64(state.log_before[first])
    _add_channels(game, state, place, zero, quads, quads, False)
    _add_to_regions(game, state, marks, target, place)
    for i in range(first + ONE, types.uint64(state.log_end[marks])):
        place = types.uint64(state.log_cell[i])
        quads = types.uint64(state.log_before[i])
        after = types.uint64(state.log_after[i])
        assign_both(state.channels, zero, game.no_features, zero)
        direction = (lowest_index(quads ^ after) >> ONE) & _DIRECTION_BITS
        _add_channels(game, state, place, direction, quads, after, True)
        _add_to_regions(game, state, marks, target, place)
