# mypy: ignore-errors
"""The static evaluation (estimate): points of the cells' patterns, points of the threats, and a neural network."""

from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import (
    BOTH,
    CHANNELS,
    ESTIMATE_LIMIT,
    FEATURES,
    HIDDEN,
    INPUTS,
    THREATENING_KINDS,
)
from kinarow.solvers.large_boards.board.patterns import BUILD_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.network.kernel_sums import bring_sums_up_to_date
from kinarow.solvers.large_boards.network.kernel_vectors import add_layer, clip_sum

# Fixed-point units. Inputs and hidden values are clipped to 0 ... INPUT_LIMIT, which stands for 1.
INPUT_LIMIT = 128
POINT_SHIFT = 4  # fractional bits of the points of tuples
POOLED_SHIFT = 2  # bits that pooled channels lose when they become inputs
LAYER_SHIFT = 10  # fractional bits of the layer's weights
OUTPUT_SHIFT = 13  # fractional bits of the output's weights and INPUT_LIMIT


@part(types.int64(STATE, types.int64))
def threats(state, side):
    """Return which threatening cell patterns occur, as bits.

    The lowest five bits are those of ``side`` from BUILD_CELL on, the next five the same of the other side; the last
    one is the other side's OPEN_FOUR_CELL.
    """
    other = 1 - side
    kinds = types.int64(0)
    for kind in range(THREATENING_KINDS):
        if state.count[side, BUILD_CELL + kind] > 0:
            kinds |= 1 << kind
        if state.count[other, BUILD_CELL + kind] > 0:
            kinds |= 1 << (THREATENING_KINDS + kind)
    if state.count[other, OPEN_FOUR_CELL] > 0:
        kinds |= 1 << (2 * THREATENING_KINDS)
    return kinds


@part(types.int64(GAME, STATE, types.int64, types.int64))
def _forward_pass(game, state, side, kinds):
    """Return the network's part of the estimate for the side to move; ``kinds`` is the result of ``threats``."""
    marks = types.uint64(game.cells - state.empty)
    # 1. The inputs: features of the side to move and of the other side, then the channels of both.
    for i in range(2):
        of = types.uint64(side if i == 0 else 1 - side)
        at = types.uint64(i * FEATURES)
        features = (types.uint64(2) * marks + of) * types.uint64(FEATURES)
        clip_sum(state.inputs, at, state.sums, features, game.input_bias, at, 0, INPUT_LIMIT)
        pool = marks * types.uint64(BOTH) + of * types.uint64(CHANNELS)
        at += types.uint64(2 * FEATURES)
        clip_sum(state.inputs, at, state.pools, pool, game.input_bias, at, POOLED_SHIFT, INPUT_LIMIT)
    # 2. The hidden layer.
    for i in range(HIDDEN):
        state.hidden[i] = game.threat_layer[kinds, i]
    add_layer(state.hidden, game.layer, state.inputs, INPUTS)
    # 3. The output.
    value = types.int64(0)
    for i in range(HIDDEN):
        active = min(max(types.int64(state.hidden[i]) >> LAYER_SHIFT, types.int64(0)), INPUT_LIMIT)
        value += active * types.int64(game.output[i])
    return value >> OUTPUT_SHIFT


@entry(types.int64(GAME, STATE, types.int64))
def estimate(game, state, side):
    """Return the static evaluation for the side to move, within +-ESTIMATE_LIMIT exclusive."""
    bring_sums_up_to_date(game, state)
    # A sum packs the points of a side if it is to move (the low 32 bits), and if it isn't.
    marks = game.cells - state.empty
    mine = state.point_sums[marks, side]
    theirs = state.point_sums[marks, 1 - side]
    value = types.int64(types.int32(mine)) - ((theirs - types.int64(types.int32(theirs))) >> 32)
    value >>= POINT_SHIFT
    if game.misere != 0:
        return min(max(-value, 1 - ESTIMATE_LIMIT), ESTIMATE_LIMIT - 1)
    if game.gravity != 0:
        value += types.int64(game.threat_points[0])  # having the move
    else:
        kinds = threats(state, side)
        value += types.int64(game.threat_points[kinds])
        if game.has_network != 0:
            value += _forward_pass(game, state, side, kinds)
    return min(max(value, 1 - ESTIMATE_LIMIT), ESTIMATE_LIMIT - 1)
