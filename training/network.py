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

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
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
from training.tuples import TUPLES, tuples_of_quads

SCALE = 800.0  # The points of log odds 1
Floats = NDArray[np.float32]

BATCH = 1024
PARTS = 4  # Parts of a batch for the threads
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

UNTOUCHED, MINE, THEIRS, TOUCHED = range(4)
"""Kinds of cells: empty with the patterns of the empty board, marked by either side, empty with other patterns."""

_MOST_CELLS = 625
_REGION_COLUMNS = 16
_REGIONS = _REGION_COLUMNS**2

LANES = 16
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_ZERO = ir.Constant(_VECTOR, [0.0] * LANES)
_ALIGNMENT = 4  # bytes

assert CHANNELS == FEATURES == LANES


# Operations on ``LANES`` numbers. Each array is followed by the index of its first number; the first array is changed.
# ``kernel_vectors`` explains them; it has the engine's.


def _operation(result: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the signature and the code of an operation whose arguments are alternately arrays and indices."""

    def generate(context, builder, signature, arguments):
        pointers = []
        for i in range(0, len(arguments), 2):
            array = context.make_array(signature.args[i])(context, builder, arguments[i])
            place = builder.gep(array.data, [arguments[i + 1]])
            pointers.append(builder.bitcast(place, _VECTOR.as_pointer()))
        loaded = []
        for pointer in pointers:
            vector = builder.load(pointer)
            vector.align = _ALIGNMENT
            loaded.append(vector)
        builder.store(result(builder, *loaded), pointers[0]).align = _ALIGNMENT
        return context.get_dummy_value()

    return types.void(*values), generate


def _positive(builder: Any, condition: Any, vector: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", condition, _ZERO), vector, _ZERO)


@intrinsic
def assign(_typing, to, at, what, place):
    """``to = what``."""
    return _operation(lambda _builder, _to, other: other, (to, at, what, place))


@intrinsic
def add(_typing, to, at, what, place):
    """``to += what``."""
    return _operation(lambda builder, old, other: builder.fadd(old, other), (to, at, what, place))


@intrinsic
def rectify(_typing, to, at, what, place):
    """``to = max(what, 0)``."""
    return _operation(lambda builder, _to, other: _positive(builder, other, other), (to, at, what, place))


@intrinsic
def keep_where_positive(_typing, to, at, what, place, condition, beside):
    """``to = what if condition > 0 else 0``."""
    return _operation(
        lambda builder, _to, other, tested: _positive(builder, tested, other), (to, at, what, place, condition, beside)
    )


class Positions(NamedTuple):
    """Positions as lists of their cells that aren't plain, concatenated."""

    first: NDArray[np.int64]  # the index of each position's first cell, and the end
    place: NDArray[np.uint16]  # row << 8 | column of each cell
    kind: NDArray[np.uint8]  # of each cell
    mine: NDArray[np.uint16]  # the quad of each cell for the side to move, 0 if it is marked
    theirs: NDArray[np.uint16]  # the same for the other side
    threats: NDArray[np.int64]  # the number of each position's threats, as in the search
    value: NDArray[np.float64]  # the search's log odds for the side to move
    group: NDArray[np.int64]  # the number of each position's game


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


@njit(nogil=True)
def _pair(mine, theirs, direction):
    own, other = mine >> (2 * direction), theirs >> (2 * direction)
    return (own & 3) | (own >> 6 & 12) | (other & 3) << 4 | (other >> 6 & 12) << 4


@njit(nogil=True)
def _mark_embedding(kind, side):
    return EMBEDDINGS - 1 if (kind == MINE) != (side == 0) else EMBEDDINGS - 2


@njit(nogil=True)
def _region_of(place, number):
    row, column = np.int64(place) >> 8, np.int64(place) & 255
    return (row // REGION_STEP + (number >> 1)) * _REGION_COLUMNS + column // REGION_STEP + (number & 1)


@njit(nogil=True)
def _activate(place, kind, mine, theirs, side, count, embedding, cell_bias, region_bias, cells, regions, pooled):
    """Compute the channels of a position's cells and of its first ``count`` regions for a side, and their sums."""
    for region in range(count):
        assign(regions, region * LANES, region_bias, 0)
    for e in range(len(place)):
        if kind[e] == UNTOUCHED:
            continue
        if kind[e] == TOUCHED:
            own, other = np.int64(mine[e]), np.int64(theirs[e])
            if side != 0:
                own, other = other, own
            assign(cells, e * LANES, cell_bias, 0)
            for direction in range(4):
                add(cells, e * LANES, embedding, _pair(own, other, direction) * LANES)
        else:
            assign(cells, e * LANES, embedding, _mark_embedding(kind[e], side) * LANES)
        rectify(cells, e * LANES, cells, e * LANES)
        for number in range(4):
            add(regions, _region_of(place[e], number) * LANES, cells, e * LANES)
    scale, zero = np.float32(INPUT_LIMIT >> POOL_SHIFT), np.float32(0)
    pooled[:] = 0
    for region in range(count):
        for i in range(CHANNELS):
            pooled[i] += np.floor(max(regions[region * LANES + i], zero) * scale)
    for i in range(CHANNELS):
        pooled[i] = pooled[i] / scale - count * np.floor(max(region_bias[i], zero) * scale) / scale


@njit(nogil=True)
def _activate_up(place, kind, mine, theirs, side, count, region_bias, cells, regions, pooled_up, cells_up,
                 embedding_up, cell_bias_up, region_bias_up):  # fmt: skip
    """Backpropagate the gradient of the regions' sums: add to the gradients of embeddings and biases."""
    total = np.zeros(LANES, np.float32)
    for region in range(count):
        at = region * LANES
        keep_where_positive(regions, at, pooled_up, 0, regions, at)
        add(total, 0, regions, at)
    for i in range(CHANNELS):
        region_bias_up[i] += total[i]
        if region_bias[i] > 0:
            region_bias_up[i] -= count * pooled_up[i]
    for e in range(len(place)):
        if kind[e] == UNTOUCHED:
            continue
        total[:] = 0
        for number in range(4):
            add(total, 0, regions, _region_of(place[e], number) * LANES)
        keep_where_positive(cells_up, 0, total, 0, cells, e * LANES)
        if kind[e] == TOUCHED:
            own, other = np.int64(mine[e]), np.int64(theirs[e])
            if side != 0:
                own, other = other, own
            add(cell_bias_up, 0, cells_up, 0)
            for direction in range(4):
                add(embedding_up, _pair(own, other, direction) * LANES, cells_up, 0)
        else:
            add(embedding_up, _mark_embedding(kind[e], side) * LANES, cells_up, 0)


@njit(nogil=True)
def _pass(order, first, place, kind, mine, theirs, kinds, target, tuples,
          points, features, threats, threat_layer, bias, layer, output, embedding, cell_bias, region_bias,
          points_up, features_up, threats_up, threat_layer_up, bias_up, layer_up, output_up, embedding_up,
          cell_bias_up, region_bias_up, learns, found):  # fmt: skip
    """Write the evaluations of positions to ``found``; if ``learns``, add their gradients to ``..._up``."""
    sums = np.zeros((2, FEATURES), np.float32)
    pooled = np.zeros((2, CHANNELS), np.float32)
    cells = np.zeros((2, _MOST_CELLS * LANES), np.float32)
    cells_up = np.zeros(LANES, np.float32)
    regions = np.zeros((2, _REGIONS * LANES), np.float32)
    inputs, inputs_up = np.zeros(INPUTS, np.float32), np.zeros(INPUTS, np.float32)
    hidden, hidden_up = np.zeros(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    zero, one = np.float32(0), np.float32(1)
    for p in order:
        at = slice(first[p], first[p + 1])
        # 1. Sums over the cells, and over the regions.
        sums[:] = 0
        threat = kinds[p]
        value = threats[threat]
        for e in range(first[p], first[p + 1]):
            if kind[e] == UNTOUCHED or kind[e] == TOUCHED:
                own, other = tuples[mine[e]], tuples[theirs[e]]
                value += points[own, 0] - points[other, 1]
                add(sums[0], 0, features[own], 0)
                add(sums[1], 0, features[other], 0)
        count = 0
        for e in range(first[p], first[p + 1]):
            count = max(count, _region_of(place[e], 3) + 1)
        for side in range(2):
            _activate(place[at], kind[at], mine[at], theirs[at], side, count, embedding, cell_bias, region_bias,
                      cells[side], regions[side], pooled[side])  # fmt: skip
        for i in range(FEATURES):
            for side in range(2):
                inputs[side * FEATURES + i] = sums[side, i]
                inputs[(2 + side) * FEATURES + i] = pooled[side, i] * POOL_SCALE
        # 2. The layers.
        hidden[:] = threat_layer[threat]
        for i in range(INPUTS):
            inputs[i] += bias[i]
            active = min(max(inputs[i], zero), one)
            for j in range(HIDDEN):
                hidden[j] += active * layer[i, j]
        for j in range(HIDDEN):
            value += output[j] * min(max(hidden[j], zero), one)
        found[p] = value
        if not learns:
            continue
        # 3. The gradient, from the end.
        up = np.float32(1 / (1 + np.exp(-value))) - target[p]
        threats_up[threat] += up
        for j in range(HIDDEN):
            output_up[j] += up * min(max(hidden[j], zero), one)
            hidden_up[j] = up * output[j] if zero < hidden[j] < one else zero
            threat_layer_up[threat, j] += hidden_up[j]
        for i in range(INPUTS):
            active = min(max(inputs[i], zero), one)
            total = zero
            for j in range(HIDDEN):
                layer_up[i, j] += active * hidden_up[j]
                total += layer[i, j] * hidden_up[j]
            inputs_up[i] = total if zero < inputs[i] < one else zero
            bias_up[i] += inputs_up[i]
        for e in range(first[p], first[p + 1]):
            if kind[e] == UNTOUCHED or kind[e] == TOUCHED:
                own, other = tuples[mine[e]], tuples[theirs[e]]
                points_up[own, 0] += up
                points_up[other, 1] -= up
                add(features_up[own], 0, inputs_up, 0)
                add(features_up[other], 0, inputs_up, FEATURES)
        for side in range(2):
            for i in range(CHANNELS):
                pooled[side, i] = inputs_up[(2 + side) * FEATURES + i] * POOL_SCALE
            _activate_up(place[at], kind[at], mine[at], theirs[at], side, count, region_bias, cells[side],
                         regions[side], pooled[side], cells_up, embedding_up, cell_bias_up, region_bias_up)  # fmt: skip


def _rounded(numbers: Floats) -> Floats:
    return np.round(numbers * INPUT_LIMIT) / np.float32(INPUT_LIMIT)


def _tables(at: Parameters) -> list[Floats]:
    parts = threat_parts().astype(np.float32)
    found = at._replace(threats=parts @ at.threats, threat_layer=parts @ at.threat_layer)
    for name in ("features", "embedding", "cell_bias", "region_bias"):
        found = found._replace(**{name: _rounded(getattr(at, name))})
    return list(found._replace(embedding=found.embedding.ravel()))


def estimates(data: Positions, at: Parameters) -> NDArray[np.float64]:
    """Return the evaluation of each position for the side to move."""
    found = np.zeros(len(data.value), np.float32)
    tables = _tables(at)
    _pass(np.arange(len(found)), *data[:6], found, tuples_of_quads(), *tables, *tables, False, found)
    return found.astype(np.float64)


def loss(data: Positions, at: Parameters) -> float:
    """Return the mean cross-entropy of the evaluation's probabilities of a win with those of the search."""
    found, target = estimates(data, at), 1 / (1 + np.exp(-data.value))
    return float(np.mean(np.logaddexp(0, found) - target * found))


def floor(data: Positions) -> float:
    """Return the mean entropy of the search's probabilities, the least possible loss."""
    return float(np.mean(np.logaddexp(0, data.value) - data.value / (1 + np.exp(-data.value))))


def _gradient(
    data: Positions, chosen: NDArray[np.int64], target: Floats, at: Parameters, threads: ThreadPoolExecutor
) -> Parameters:
    """Return the mean gradient of positions; the number of threads doesn't change it."""
    tables = _tables(at)
    found = np.zeros(len(target), np.float32)

    def of(part: NDArray[np.int64]) -> list[Floats]:
        up = [np.zeros_like(table) for table in tables]
        _pass(part, *data[:6], target, tuples_of_quads(), *tables, *up, True, found)
        return up

    parts_of_batch = threads.map(of, np.array_split(chosen, PARTS))
    mean = Parameters(*(sum(each) / np.float32(len(chosen)) for each in zip(*parts_of_batch, strict=True)))
    parts = threat_parts().astype(np.float32).T
    points = mean.points + np.float32(DECAY) * at.points
    features = mean.features + np.float32(DECAY) * at.features
    points[PLAIN] = features[PLAIN] = 0
    return mean._replace(
        points=points,
        features=features,
        threats=parts @ mean.threats,
        threat_layer=parts @ mean.threat_layer,
        embedding=mean.embedding.reshape(at.embedding.shape),
    )


def fit(data: Positions, at: Parameters, rounds: int, seed: int, progress: bool = False) -> Parameters:
    """Return the parameters after ``rounds`` epochs over all positions in random order."""
    rng = np.random.default_rng(seed)
    target = (1 / (1 + np.exp(-data.value))).astype(np.float32)
    at = Parameters(*(each.copy() for each in at))
    means, squares = ([np.zeros_like(each) for each in at] for _ in range(2))
    steps = rounds * -(-len(target) // BATCH)
    step = 0
    with ThreadPoolExecutor() as threads:
        for number in range(rounds):
            order = rng.permutation(len(target))
            for begin in range(0, len(order), BATCH):
                step += 1
                rate = RATE * min(1, step / WARM_UP) * (1 + np.cos(np.pi * step / steps)) / 2
                up = _gradient(data, order[begin : begin + BATCH], target, at, threads)
                for each, gradient, mean, square in zip(at, up, means, squares, strict=True):
                    mean += (1 - SMOOTH[0]) * (gradient - mean)
                    square += (1 - SMOOTH[1]) * (gradient * gradient - square)
                    size = np.sqrt(square / (1 - SMOOTH[1] ** step)) + SMALL
                    each -= rate / (1 - SMOOTH[0] ** step) * mean / size
            if progress:
                print(f"  round {number + 1} of {rounds}", flush=True)
    return at


def greatest_sum(data: Positions, at: Parameters) -> float:
    """Return the greatest absolute sum of a feature in the positions."""
    found, tuples = 0.0, tuples_of_quads()
    for p in range(len(data.value)):
        cells = slice(data.first[p], data.first[p + 1])
        empty = (data.kind[cells] == UNTOUCHED) | (data.kind[cells] == TOUCHED)
        for quads in (data.mine, data.theirs):
            found = max(found, float(np.abs(at.features[tuples[quads[cells][empty]]].sum(axis=0)).max()))
    return found


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
