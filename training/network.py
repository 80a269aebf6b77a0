"""The estimate of large boards as a network, and its fit by stochastic gradients.

A position has, for either side, the sums over the empty cells of what their four-tuples of patterns have: *points*, for
the mover or for the other side, and *features*. The features of both sides and the threats on the board go through one
hidden layer. The estimate in natural logarithms of odds is

    points(mover) - points(other) + threats + output * clip(layer * clip(features + bias) + threat_layer)

where ``clip`` keeps numbers from 0 to 1. The fit is that of least cross-entropy with the chances that searches found
(Adam, Kingma and Ba 2015). Features are rounded as the engine rounds them while it runs (Hubara 2016).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinarow.solvers.large_boards.kernel_board import FEATURES, HIDDEN
from kinarow.solvers.large_boards.kernel_pvs import INPUT_LIMIT, LAYER_SHIFT, OUTPUT_SHIFT, POINT_SHIFT
from kinarow.solvers.large_boards.weights import threat_parts
from training.tuples import TUPLES

SCALE = 800.0
"""The points at which a side's odds of winning are e to 1."""

Floats = NDArray[np.float32]

BATCH = 1024
RATE = 0.003
WARM_UP = 200
"""Steps in which the rate of learning rises to ``RATE``; then it falls to 0 like a cosine."""

DECAY = 1e-5
SMOOTH = (0.9, 0.999)
SMALL = 1e-8

PLAIN = [TUPLES.index((pattern,) * 4) for pattern in (1, 2, 3)]
"""Tuples of cells without a mark around, which have no points and no features: empty boards of all sizes are alike."""

MOST_FEATURE = 240
"""Greatest sum of a feature that is fitted: the engine's wrap at 256."""


SUMMED_AT_ONCE = 10_000


class Positions(NamedTuple):
    """Positions as counts of tuples, one position after another.

    Attributes:
        first: the first entry of each position, and the end.
        mine, theirs: of each entry, the tuple of a cell for the mover and for the other side.
        count: the cells of each entry.
        threats: of each position, as the search numbers them.
        value: of the search, in natural logarithms of odds, for the side to move.
        group: of each position, its game.
    """

    first: NDArray[np.int64]
    mine: NDArray[np.int16]
    theirs: NDArray[np.int16]
    count: Floats
    threats: NDArray[np.int64]
    value: NDArray[np.float64]
    group: NDArray[np.int64]


class Parameters(NamedTuple):
    """The numbers that are fitted.

    Attributes:
        cells: of each tuple, points for the mover, points for the other side, features: (3876, 18).
        threats: points of each part of the threats, (67,) (``weights.threat_parts``).
        threat_layer: of each part to each hidden value, (67, 16).
        bias: of the features of the mover, then of the other side, (32,).
        layer: (32, 16).
        output: (16,).
    """

    cells: Floats
    threats: Floats
    threat_layer: Floats
    bias: Floats
    layer: Floats
    output: Floats


def start(points: NDArray[np.float64], threats: NDArray[np.float64], seed: int) -> Parameters:
    """Where the fit begins: points of each tuple and of each part of the threats; features and layers by chance."""
    rng = np.random.default_rng(seed)
    cells = rng.normal(0, 0.02, (len(TUPLES), 2 + FEATURES))
    cells[:, :2] = points[:, None]
    cells[PLAIN] = 0
    threat_layer = np.zeros((threat_parts().shape[1], HIDDEN))
    threat_layer[0] = 0.3
    inputs = 2 * FEATURES
    layer, output = rng.normal(0, inputs**-0.5, (inputs, HIDDEN)), rng.normal(0, 0.1, HIDDEN)
    parts = cells, threats, threat_layer, np.full(inputs, 0.5), layer, output
    return Parameters(*(part.astype(np.float32) for part in parts))


@njit(nogil=True)
def _pass(order, first, mine, theirs, count, kinds, target, cells, threats, threat_layer, bias, layer, output,
          cells_up, threats_up, threat_layer_up, bias_up, layer_up, output_up, learns, found):  # fmt: skip
    """The estimates of some positions in ``found``; with ``learns`` the gradient of the loss is added to ``..._up``."""
    width, hidden_count = cells.shape[1], len(output)
    features = width - 2
    sums = np.zeros((2, width), np.float32)
    sums_up = np.zeros((2, width), np.float32)
    inputs = np.zeros(2 * features, np.float32)
    inputs_up = np.zeros(2 * features, np.float32)
    hidden = np.zeros(hidden_count, np.float32)
    hidden_up = np.zeros(hidden_count, np.float32)
    zero, one = np.float32(0), np.float32(1)
    for p in order:
        sums[:] = 0
        for e in range(first[p], first[p + 1]):
            for i in range(width):
                sums[0, i] += count[e] * cells[mine[e], i]
                sums[1, i] += count[e] * cells[theirs[e], i]
        kind = kinds[p]
        value = sums[0, 0] - sums[1, 1] + threats[kind]
        hidden[:] = threat_layer[kind]
        for i in range(2 * features):
            inputs[i] = min(max(sums[i // features, 2 + i % features] + bias[i], zero), one)
            for j in range(hidden_count):
                hidden[j] += inputs[i] * layer[i, j]
        for j in range(hidden_count):
            value += output[j] * min(max(hidden[j], zero), one)
        found[p] = value
        if not learns:
            continue
        up = np.float32(1 / (1 + np.exp(-value))) - target[p]
        threats_up[kind] += up
        for j in range(hidden_count):
            output_up[j] += up * min(max(hidden[j], zero), one)
            hidden_up[j] = up * output[j] if zero < hidden[j] < one else zero
            threat_layer_up[kind, j] += hidden_up[j]
        sums_up[0, 0] = up
        sums_up[1, 1] = -up
        for i in range(2 * features):
            total = zero
            for j in range(hidden_count):
                layer_up[i, j] += inputs[i] * hidden_up[j]
                total += layer[i, j] * hidden_up[j]
            inputs_up[i] = total if zero < inputs[i] < one else zero
            bias_up[i] += inputs_up[i]
            sums_up[i // features, 2 + i % features] = inputs_up[i]
        for e in range(first[p], first[p + 1]):
            for i in range(width):
                cells_up[mine[e], i] += count[e] * sums_up[0, i]
                cells_up[theirs[e], i] += count[e] * sums_up[1, i]


def _rounded(cells: Floats) -> Floats:
    """What the engine makes of the numbers of tuples."""
    found = cells.copy()
    found[:, 2:] = np.round(cells[:, 2:] * INPUT_LIMIT) / INPUT_LIMIT
    return found


def _tables(at: Parameters) -> list[Floats]:
    """The arrays that the kernel takes: those of the threats for each number of threats."""
    parts = threat_parts().astype(np.float32)
    return [_rounded(at.cells), parts @ at.threats, parts @ at.threat_layer, *at[3:]]


def estimates(data: Positions, at: Parameters) -> NDArray[np.float64]:
    """The estimate of each position for the side to move."""
    found = np.zeros(len(data.value), np.float32)
    tables = _tables(at)
    _pass(np.arange(len(found)), *data[:5], found, *tables, *tables, False, found)
    return found.astype(np.float64)


def loss(data: Positions, at: Parameters) -> float:
    """The mean cross-entropy of the estimate's chances of a win and those of the search."""
    found, target = estimates(data, at), 1 / (1 + np.exp(-data.value))
    return float(np.mean(np.logaddexp(0, found) - target * found))


def floor(data: Positions) -> float:
    """The cross-entropy of the search's own chances."""
    return float(np.mean(np.logaddexp(0, data.value) - data.value / (1 + np.exp(-data.value))))


def _gradient(data: Positions, chosen: NDArray[np.int64], target: Floats, at: Parameters) -> list[Floats]:
    """The mean gradient over some positions."""
    tables = _tables(at)
    up = [np.zeros_like(table) for table in tables]
    _pass(chosen, *data[:5], target, *tables, *up, True, np.zeros(len(target), np.float32))
    parts = threat_parts().astype(np.float32).T
    up[1], up[2] = parts @ up[1], parts @ up[2]
    found = [each / np.float32(len(chosen)) for each in up]
    found[0] += np.float32(DECAY) * at.cells
    found[0][PLAIN] = 0
    return found


def fit(data: Positions, at: Parameters, rounds: int, seed: int) -> Parameters:
    """The parameters after some rounds over all positions, in an order drawn by chance."""
    rng = np.random.default_rng(seed)
    target = (1 / (1 + np.exp(-data.value))).astype(np.float32)
    at = Parameters(*(each.copy() for each in at))
    means, squares = ([np.zeros_like(each) for each in at] for _ in range(2))
    steps = rounds * -(-len(target) // BATCH)
    step = 0
    for _ in range(rounds):
        order = rng.permutation(len(target))
        for begin in range(0, len(order), BATCH):
            step += 1
            rate = RATE * min(1, step / WARM_UP) * (1 + np.cos(np.pi * step / steps)) / 2
            up = _gradient(data, order[begin : begin + BATCH], target, at)
            for each, gradient, mean, square in zip(at, up, means, squares, strict=True):
                mean += (1 - SMOOTH[0]) * (gradient - mean)
                square += (1 - SMOOTH[1]) * (gradient * gradient - square)
                size = np.sqrt(square / (1 - SMOOTH[1] ** step)) + SMALL
                each -= rate / (1 - SMOOTH[0] ** step) * mean / size
    return at


def greatest_sum(data: Positions, at: Parameters) -> float:
    """The greatest sum of a feature in the positions, to either sign."""
    found = 0.0
    for start in range(0, len(data.value), SUMMED_AT_ONCE):
        ends = data.first[start : start + SUMMED_AT_ONCE + 1]
        entries = slice(ends[0], ends[-1])
        for tuples in (data.mine, data.theirs):
            numbers = data.count[entries, None] * at.cells[tuples[entries], 2:]
            found = max(found, float(np.abs(np.add.reduceat(numbers, ends[:-1] - ends[0])).max()))
    return found


def export(at: Parameters) -> dict[str, NDArray[np.integer]]:
    """The numbers as ``kinarow.solvers.large_boards.weights`` reads them."""
    layer_unit = 1 << LAYER_SHIFT
    units = {
        "points": (at.cells[:, :2], SCALE * (1 << POINT_SHIFT), np.int32),
        "features": (at.cells[:, 2:], INPUT_LIMIT, np.int16),
        "threats": (threat_parts() @ at.threats, SCALE, np.int16),
        "threat_layer": (at.threat_layer, INPUT_LIMIT * layer_unit, np.int32),
        "input_bias": (at.bias, INPUT_LIMIT, np.int16),
        "layer": (at.layer, layer_unit, np.int16),
        "output": (at.output, SCALE * (1 << OUTPUT_SHIFT) / INPUT_LIMIT, np.int32),
    }
    found = {}
    for name, (numbers, unit, kind) in units.items():
        limit = np.iinfo(kind).max
        found[name] = np.clip(np.round(numbers.astype(np.float64) * unit), -limit, limit).astype(kind)
    return found
