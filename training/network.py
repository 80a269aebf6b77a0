"""The evaluation network of large boards, and its fit by stochastic gradient descent.

The patterns around a cell give it, for either side:

- *Points*, for the mover or for the other side, and *features*, by its four-tuple of patterns. They are summed over the
  empty cells.
- *Channels*: in each direction the pair of the patterns of both sides has an embedding. The four embeddings are summed
  and rectified (ReLU). A marked cell has the embedding of its mark; an empty cell with the patterns of the empty board
  has zeros.

The channels are summed in *regions*: squares of 4 x 4 cells with stride 2, so that every cell belongs to four of them.
The sums are rectified and then summed over all regions, so the network sees what lies close together. Features and
channel sums of both sides and the threats on the board are the inputs of one hidden layer. The evaluation, in log odds,
is

    points(mover) - points(other) + threats + output * clip(layer * clip(inputs + bias) + threat_layer)

where ``clip`` limits numbers to 0 to 1. The fit minimises the cross-entropy with the probabilities that searches found
(Adam, Kingma and Ba 2015). It rounds numbers as the engine does (Hubara 2016).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.layout import CHANNELS, EMBEDDINGS, FEATURES, HIDDEN, INPUTS
from kinarow.solvers.large_boards.network.kernel_forward_pass import (
    INPUT_LIMIT,
    LAYER_SHIFT,
    OUTPUT_SHIFT,
    POINT_SHIFT,
    POOLED_SHIFT,
)
from kinarow.solvers.large_boards.network.kernel_regions import REGION_STEP
from kinarow.solvers.large_boards.network.kernel_vectors import POOL_SHIFT
from kinarow.solvers.large_boards.network.weights import threat_parts
from training.tuples import TUPLES, patterns_of_quads, tuples_of_quads

SCALE = 800.0  # The points of log odds 1
Floats = NDArray[np.floating[Any]]

BATCH = 1024
RATE = 0.003
WARM_UP = 200  # Steps in which the learning rate rises to ``RATE``; then it decays to 0 by a cosine
DECAY = 1e-5
SMOOTH = (0.9, 0.999)
SMALL = 1e-8

PLAIN = [TUPLES.index((pattern,) * 4) for pattern in (1, 2, 3)]
"""Tuples of cells without marks around; they have no points or features, so empty boards of all sizes are equal."""

MOST_FEATURE = 240  # Greatest allowed sum of a feature; the engine's sums wrap at 256
POOL_SCALE = np.float32(1 / (1 << POOL_SHIFT + POOLED_SHIFT))
"""The factor of a channel's sum over the regions when it becomes an input."""
CHANNEL_SCALE = np.float32(INPUT_LIMIT >> POOL_SHIFT)
"""The engine cuts the channels of a region to multiples of its inverse."""

UNTOUCHED, MINE, THEIRS, TOUCHED = range(4)
"""Kinds of cells: empty with the patterns of the empty board, marked by either side, empty with other patterns."""

_REGION_COLUMNS = 16
_REGIONS = _REGION_COLUMNS**2


class Positions(NamedTuple):
    """Positions as lists of their cells that aren't plain, concatenated."""

    first: NDArray[np.int64]  # the index of each position's first cell, and the end
    place: NDArray[np.uint16]  # row << 8 | column of each cell
    kind: NDArray[np.uint8]  # of each cell
    mine: NDArray[np.uint16]  # the quad of each cell for the side to move, 0 if it is marked
    theirs: NDArray[np.uint16]  # the same for the other side
    threats: NDArray[np.int64]  # the number of each position's threats, as in the search
    value: NDArray[np.float64]  # the search's log odds for the side to move


class Parameters(NamedTuple):
    """The fitted parameters."""

    points: Floats  # of each tuple for the mover and for the other side, (3876, 2)
    features: Floats  # of each tuple, (3876, 16)
    threats: Floats  # points of each part of the threats, (67,) (``weights.threat_parts``)
    threat_layer: Floats  # from each part to each hidden unit, (67, 32)
    bias: Floats  # of the inputs: the features of the mover and of the other side, then the channels of both, (64,)
    layer: Floats  # (64, 32)
    output: Floats  # (32,)
    embedding: Floats  # of each pair of own and other pattern, then of an own and of another mark, (258, 16)
    cell_bias: Floats  # of the channels of an empty cell, (16,)
    region_bias: Floats  # of the channels of a region, (16,)


def start(points: NDArray[np.float64], threats: NDArray[np.float64], seed: int) -> Parameters:
    """Return the initial parameters: given points of tuples and of parts of the threats, the rest random."""
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 0.02, (len(TUPLES), FEATURES))
    both = np.repeat(points[:, None], 2, axis=1)
    both[PLAIN] = features[PLAIN] = 0
    threat_layer = np.zeros((threat_parts().shape[1], HIDDEN))
    threat_layer[0] = 0.3
    layer, output = rng.normal(0, INPUTS**-0.5, (INPUTS, HIDDEN)), rng.normal(0, 0.1, HIDDEN)
    embedding = rng.normal(0, 0.1, (EMBEDDINGS, CHANNELS))
    biases = np.full(INPUTS, 0.5), np.full(CHANNELS, 0.05), np.zeros(CHANNELS)
    parts = both, features, threats, threat_layer, biases[0], layer, output, embedding, *biases[1:]
    return Parameters(*(part.astype(np.float32) for part in parts))


class _Batch:
    """Sparse matrices from the parameters to the cells of some positions, and from there to their sums."""

    def __init__(self, data: Positions, chosen: NDArray[np.int64]) -> None:
        lengths = data.first[chosen + 1] - data.first[chosen]
        ends = np.cumsum(lengths)
        cells = np.arange(ends[-1]) + np.repeat(data.first[chosen] - ends + lengths, lengths)
        position = np.repeat(np.arange(len(chosen)), lengths)
        self.threats = threat_parts()[data.threats[chosen]].astype(np.float32)
        quads = np.stack([data.mine[cells], data.theirs[cells]])
        kind = data.kind[cells]
        is_empty, has_channels = (kind == UNTOUCHED) | (kind == TOUCHED), kind != UNTOUCHED
        starts = np.searchsorted(position[is_empty], np.arange(len(chosen) + 1))
        self.tuples = [_ones(tuples_of_quads()[side[is_empty]], starts, len(TUPLES)) for side in quads]
        kind, quads = kind[has_channels], quads[:, has_channels]
        self.is_touched = (kind == TOUCHED)[:, None]
        swapped = np.choose(kind, (UNTOUCHED, THEIRS, MINE, TOUCHED))
        self.embeddings = [self._embeddings(kind, *quads), self._embeddings(swapped, *quads[::-1])]
        place = data.place[cells][has_channels].astype(np.int64)
        first = (place >> 8) // REGION_STEP * _REGION_COLUMNS + (place & 255) // REGION_STEP
        regions = first[:, None] + [0, 1, _REGION_COLUMNS, _REGION_COLUMNS + 1]
        regions += position[has_channels, None] * _REGIONS
        self.regions = _ones(regions.ravel(), 4 * np.arange(len(place) + 1), len(chosen) * _REGIONS)

    @staticmethod
    def _embeddings(kind: NDArray[np.uint8], own: NDArray[np.uint16], other: NDArray[np.uint16]) -> Any:
        """Return the matrix from embeddings to cells: four pairs of patterns, or one mark."""
        pairs = patterns_of_quads()[own] | patterns_of_quads()[other] << 4
        pairs[kind != TOUCHED, 0] = np.where(kind == MINE, EMBEDDINGS - 2, EMBEDDINGS - 1)[kind != TOUCHED]
        used = np.where(kind == TOUCHED, 4, 1)
        return _ones(pairs[np.arange(4) < used[:, None]], np.append(0, np.cumsum(used)), EMBEDDINGS)


def _ones(columns: NDArray[np.integer], starts: NDArray[np.int64], width: int) -> Any:
    """Return a sparse matrix that counts the columns listed for each row."""
    from scipy import sparse  # `make test` does without

    shape = len(starts) - 1, width
    return sparse.csr_array((np.ones(len(columns), np.float32), columns.astype(np.int64), starts), shape)


def _rounded(numbers: Floats) -> Floats:
    return np.round(numbers * INPUT_LIMIT) / np.float32(INPUT_LIMIT)


def _cut(numbers: Floats) -> Floats:
    return np.floor(np.maximum(numbers, 0) * CHANNEL_SCALE) / CHANNEL_SCALE


class _Activations(NamedTuple):
    cells: list[Floats]  # the channels of each cell, for either side
    regions: list[Floats]  # those of each region, before they are rectified
    inputs: Floats
    hidden: Floats
    evaluation: Floats


def _forward(batch: _Batch, at: Parameters) -> _Activations:
    """Return the activations of a batch; the engine's rounding is applied."""
    features, region_bias = _rounded(at.features), _rounded(at.region_bias)
    own, other = batch.tuples
    cells, regions, pooled = [], [], []
    for embeddings in batch.embeddings:
        summed = embeddings @ _rounded(at.embedding) + batch.is_touched * _rounded(at.cell_bias)
        cells.append(np.maximum(summed, 0))
        regions.append((batch.regions.T @ cells[-1] + region_bias).reshape(-1, _REGIONS, CHANNELS))
        pooled.append((_cut(regions[-1]) - _cut(region_bias)).sum(axis=1) * POOL_SCALE)
    inputs = np.hstack([own @ features, other @ features, *pooled]) + at.bias
    hidden = batch.threats @ at.threat_layer + np.clip(inputs, 0, 1) @ at.layer
    points = own @ at.points[:, 0] - other @ at.points[:, 1] + batch.threats @ at.threats
    return _Activations(cells, regions, inputs, hidden, points + np.clip(hidden, 0, 1) @ at.output)


def _gradient(batch: _Batch, target: Floats, at: Parameters) -> Parameters:
    """Return the mean gradient of the loss by backpropagation; rounding counts as the identity."""
    cells, regions, inputs, hidden, evaluation = _forward(batch, at)
    own, other = batch.tuples
    up = (1 / (1 + np.exp(-evaluation)) - target) / np.float32(len(target))
    hidden_up = up[:, None] * at.output * ((hidden > 0) & (hidden < 1))
    inputs_up = hidden_up @ at.layer.T * ((inputs > 0) & (inputs < 1))
    of_own, of_other, *of_pools = np.split(inputs_up, INPUTS // FEATURES, axis=1)
    points = np.column_stack([own.T @ up, -(other.T @ up)]) + np.float32(DECAY) * at.points
    features = own.T @ of_own + other.T @ of_other + np.float32(DECAY) * at.features
    points[PLAIN] = features[PLAIN] = 0
    embedding, cell_bias, region_bias = map(np.zeros_like, (at.embedding, at.cell_bias, at.region_bias))
    for side, embeddings in enumerate(batch.embeddings):
        pooled_up = of_pools[side][:, None] * POOL_SCALE
        regions_up = pooled_up * (regions[side] > 0)
        region_bias += (regions_up - pooled_up * (_rounded(at.region_bias) > 0)).sum(axis=(0, 1))
        cells_up = batch.regions @ regions_up.reshape(-1, CHANNELS) * (cells[side] > 0)
        cell_bias += (cells_up * batch.is_touched).sum(axis=0)
        embedding += embeddings.T @ cells_up
    return Parameters(
        points=points,
        features=features,
        threats=batch.threats.T @ up,
        threat_layer=batch.threats.T @ hidden_up,
        bias=inputs_up.sum(axis=0),
        layer=np.clip(inputs, 0, 1).T @ hidden_up,
        output=np.clip(hidden, 0, 1).T @ up,
        embedding=embedding,
        cell_bias=cell_bias,
        region_bias=region_bias,
    )


def _batches(order: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return np.split(order, range(BATCH, len(order), BATCH))


def estimates(data: Positions, at: Parameters) -> NDArray[np.float64]:
    """Return the evaluation of each position for the side to move."""
    found = [_forward(_Batch(data, part), at).evaluation for part in _batches(np.arange(len(data.value)))]
    return np.concatenate(found).astype(np.float64)


def loss(data: Positions, at: Parameters) -> float:
    """Return the mean cross-entropy of the evaluation's probabilities of a win with those of the search."""
    found, target = estimates(data, at), 1 / (1 + np.exp(-data.value))
    return float(np.mean(np.logaddexp(0, found) - target * found))


def floor(data: Positions) -> float:
    """Return the mean entropy of the search's probabilities, the least possible loss."""
    return float(np.mean(np.logaddexp(0, data.value) - data.value / (1 + np.exp(-data.value))))


def fit(data: Positions, at: Parameters, rounds: int, seed: int) -> Parameters:
    """Return the parameters after ``rounds`` epochs over all positions in random order."""
    rng = np.random.default_rng(seed)
    target = (1 / (1 + np.exp(-data.value))).astype(np.float32)
    at = Parameters(*(each.copy() for each in at))
    means, squares = ([np.zeros_like(each) for each in at] for _ in range(2))
    steps = rounds * -(-len(target) // BATCH)
    step = 0
    for number in range(rounds):
        for part in _batches(rng.permutation(len(target))):
            step += 1
            rate = RATE * min(1, step / WARM_UP) * (1 + np.cos(np.pi * step / steps)) / 2
            up = _gradient(_Batch(data, part), target[part], at)
            for each, gradient, mean, square in zip(at, up, means, squares, strict=True):
                mean += (1 - SMOOTH[0]) * (gradient - mean)
                square += (1 - SMOOTH[1]) * (gradient * gradient - square)
                size = np.sqrt(square / (1 - SMOOTH[1] ** step)) + SMALL
                each -= rate / (1 - SMOOTH[0] ** step) * mean / size
        print(f"  round {number + 1} of {rounds}", flush=True)
    return at


def greatest_sum(data: Positions, at: Parameters) -> float:
    """Return the greatest absolute sum of a feature in the positions."""
    batches = (_Batch(data, part) for part in _batches(np.arange(len(data.value))))
    return max(float(np.abs(tuples @ at.features).max()) for batch in batches for tuples in batch.tuples)


def export(at: Parameters) -> dict[str, NDArray[np.integer]]:
    """Return the quantised parameters that ``kinarow.solvers.large_boards.network.weights`` reads."""
    layer_unit = 1 << LAYER_SHIFT
    units: dict[str, tuple[NDArray[Any], float, type[np.int16 | np.int32]]] = {
        "points": (at.points, SCALE * (1 << POINT_SHIFT), np.int32),
        "features": (at.features, INPUT_LIMIT, np.int16),
        "threats": (threat_parts() @ at.threats, SCALE, np.int16),
        "threat_layer": (at.threat_layer, INPUT_LIMIT * layer_unit, np.int32),
        "input_bias": (at.bias, INPUT_LIMIT, np.int16),
        "layer": (at.layer, layer_unit, np.int16),
        "output": (at.output, SCALE * (1 << OUTPUT_SHIFT) / INPUT_LIMIT, np.int32),
        "embedding": (at.embedding, INPUT_LIMIT, np.int16),
        "cell_bias": (at.cell_bias, INPUT_LIMIT, np.int16),
        "region_bias": (at.region_bias, INPUT_LIMIT, np.int16),
    }
    found: dict[str, NDArray[np.integer]] = {}
    for name, (numbers, unit, kind) in units.items():
        limit = np.iinfo(kind).max
        found[name] = np.clip(np.round(numbers.astype(np.float64) * unit), -limit, limit).astype(kind)
    return found
