"""The weights in the record of a game: set once for its rules, and read by cell."""

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.library import Library
from kinarow.solvers.large_boards.board.layout import HIDDEN, INPUTS
from kinarow.solvers.large_boards.board.quads import PATTERNS, quads_of
from kinarow.solvers.large_boards.network.weights import Weights, tuples_of_quads

kernels = Library("large_boards")


def set_weights(record: np.record, weights: Weights) -> None:
    """Give a game the weights of its estimate and of its order of moves."""
    record.tuple_of_quad[:] = tuples_of_quads()
    points = weights.points.astype(np.int64)
    record.tuple_points[:] = points[:, 0] + (points[:, 1] << 32)
    record.features[:] = weights.features.ravel()
    record.threat_points[:] = weights.threats
    record.quad_order[:] = weights.order
    network = weights.network
    record.has_network = network is not None
    if network is not None:
        record.embedding[:] = _for_both_sides(network.embedding).ravel()
        record.cell_bias[:], record.region_bias[:] = (np.tile(network.cell_bias, 2), np.tile(network.region_bias, 2))
        record.input_bias[:] = network.input_bias
        # Those of two inputs side by side, as ``kernel_vectors.add_layer`` takes them.
        record.layer[:] = network.layer.reshape(INPUTS // 2, 2, HIDDEN).swapaxes(1, 2).ravel()
        record.threat_layer[:], record.output[:] = network.threat_layer, network.output
    kernels.prepare_sums(record)


def _for_both_sides(embedding: NDArray[np.int16]) -> NDArray[np.int16]:
    """The embeddings as side 0 and then as side 1 sees the same patterns and marks; those of marks are rectified."""
    pairs = np.arange(PATTERNS**2)
    swapped = np.concatenate([pairs % PATTERNS * PATTERNS + pairs // PATTERNS, [len(pairs) + 1, len(pairs)]])
    both = np.concatenate([embedding, embedding[swapped]], axis=1)
    both[len(pairs) :] = np.maximum(both[len(pairs) :], 0)
    return both


def order_scores(game: np.record, state: np.record) -> NDArray[np.int64]:
    """The learned move-ordering score of each cell for side 0, (cells,)."""
    scores: NDArray[np.int64] = game["quad_order"][[0, 1], quads_of(game, state)].sum(axis=1, dtype=np.int64)
    return scores
