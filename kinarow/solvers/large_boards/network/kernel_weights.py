# mypy: ignore-errors
"""Sets the weights of evaluation and move ordering in a game record: learned ones, or hand-set ones from tunables."""

from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.large_boards.board.kernel_cells import pattern_in
from kinarow.solvers.large_boards.board.kernel_record import GAME, WEIGHTS
from kinarow.solvers.large_boards.board.layout import (
    BOTH,
    CHANNELS,
    DIRECTIONS,
    EMBEDDINGS,
    FEATURES,
    HIDDEN,
    INPUTS,
    QUADS,
    THREAT_KINDS,
    THREATS,
    TUPLES,
)
from kinarow.solvers.large_boards.board.patterns import PATTERNS
from kinarow.solvers.large_boards.network.kernel_sums import prepare_sums

_PAIRS = PATTERNS * PATTERNS


@entry(types.void(GAME, WEIGHTS))
def set_by_hand(game, weights):
    """Fill zeroed weights from the tunables: points of patterns, and a bonus for the side to move."""
    for quad in range(QUADS):
        number = types.int64(game.tuple_of_quad[quad])
        points = types.int64(0)
        for direction in range(DIRECTIONS):
            points += game.pattern_points[pattern_in(quad, direction)]
        cell_pattern = types.int64(game.cell_pattern_of_quad[0, quad])
        for side in range(2):
            weights.points[number, side] = 16 * points
        weights.order[0, number] = points + game.cell_pattern_order[0, cell_pattern]
        weights.order[1, number] = (points * game.defence_share >> 4) + game.cell_pattern_order[1, cell_pattern]
    for kinds in range(THREATS):
        weights.threats[kinds] = game.move_bonus


@part(types.void(GAME, WEIGHTS))
def _set_embedding(game, weights):
    """Store each embedding as side 0 sees it, then as side 1 does; rectify those of marks, which stand alone."""
    for row in range(EMBEDDINGS):
        if row < _PAIRS:
            swapped = row % PATTERNS * PATTERNS + row // PATTERNS
        else:
            swapped = 2 * _PAIRS + 1 - row
        for i in range(CHANNELS):
            own = types.int64(weights.embedding[row, i])
            other = types.int64(weights.embedding[swapped, i])
            game.embedding[row * BOTH + i] = own if row < _PAIRS else max(own, 0)
            game.embedding[row * BOTH + CHANNELS + i] = other if row < _PAIRS else max(other, 0)


@part(types.void(GAME, WEIGHTS))
def _set_threat_layer(game, weights):
    """Set what each set of threats adds to the hidden layer: bias + weight of each kind + weight of each pair of kinds.

    ``kinds`` is a bit mask. The rows of ``weights.threat_layer`` are the bias, the kinds, the pairs (1, 0), (2, 0) ...
    """
    for kinds in range(THREATS):
        for i in range(HIDDEN):
            value = types.int64(weights.threat_layer[0, i])
            pair = 1 + THREAT_KINDS
            for kind in range(THREAT_KINDS):
                if kinds >> kind & 1:
                    value += types.int64(weights.threat_layer[1 + kind, i])
                for other in range(kind):
                    if kinds >> kind & kinds >> other & 1:
                        value += types.int64(weights.threat_layer[pair + other, i])
                pair += kind
            game.threat_layer[kinds, i] = value


@entry(types.void(GAME, WEIGHTS))
def set_weights(game, weights):
    """Set the weights of evaluation and move ordering in a game record that already has its rules."""
    for number in range(TUPLES):
        game.tuple_points[number] = types.int64(weights.points[number, 0]) + (
            types.int64(weights.points[number, 1]) << 32
        )
        for i in range(FEATURES):
            game.features[number * FEATURES + i] = weights.features[number, i]
    for kinds in range(THREATS):
        game.threat_points[kinds] = weights.threats[kinds]
    for quad in range(QUADS):
        for role in range(2):
            game.quad_order[role, quad] = weights.order[role, game.tuple_of_quad[quad]]
    game.has_network = weights.has_network
    if game.has_network != 0:
        _set_embedding(game, weights)
        _set_threat_layer(game, weights)
        for i in range(BOTH):
            game.cell_bias[i] = weights.cell_bias[i % CHANNELS]
            game.region_bias[i] = weights.region_bias[i % CHANNELS]
        for i in range(INPUTS):
            game.input_bias[i] = weights.input_bias[i]
            for to in range(HIDDEN):
                # The weights of two inputs are interleaved, as ``kernel_vectors.add_layer`` reads them.
                game.layer[(i // 2 * HIDDEN + to) * 2 + i % 2] = weights.layer[i, to]
        for i in range(HIDDEN):
            game.output[i] = weights.output[i]
    prepare_sums(game)
