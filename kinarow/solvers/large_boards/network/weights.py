"""The numbers of a cell by the patterns of its four directions: for the estimate, and for the order of moves.

With gravity and in misère they are sums of the hand-set points of the patterns (``tunables``). Other boards use those
of ``weights.npz``, which ``training.fit`` has learned from the engine's own searches, with a network above them
(``training.network`` defines it). As patterns are named by the marks that are missing to a line, the same numbers
serve every goal and size.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.layout import DIRECTIONS, FEATURES, THREATS, TUPLES
from kinarow.solvers.large_boards.board.quads import cell_patterns_of_quads, patterns_of_quads

LEARNED = Path(__file__).with_name("weights.npz")

THREAT_KINDS = THREATS.bit_length() - 1

_BITS = 4


class Network(NamedTuple):
    """The network above the features: integers, in the units of ``kernel_forward_pass``."""

    # (258, 16): of each pair of an own direction pattern and another << 4, then of an own mark and of another
    embedding: NDArray[np.int16]
    cell_bias: NDArray[np.int16]  # (16,): of the channels of an empty cell
    region_bias: NDArray[np.int16]  # (16,): of the channels of a region
    input_bias: NDArray[np.int16]  # (64,): features of the mover, of the other side, then the channels of both
    layer: NDArray[np.int16]  # (64, 32): from each of these inputs to each hidden value
    threat_layer: NDArray[np.int32]  # (2048, 32): from the threats on the board to each hidden value
    output: NDArray[np.int32]  # (32,): from each hidden value to the estimate


class Weights(NamedTuple):
    """The estimate and the order of moves, by the patterns of cells and the threats on the board."""

    points: NDArray[np.int32]  # (3876, 2): of each tuple, in sixteenths, for the mover and for the other side
    threats: NDArray[np.int16]  # (2048,): points by the kinds of threatening cells (kernel_forward_pass.threats)
    features: NDArray[np.int16]  # (3876, 16): of each tuple
    network: Network | None  # None where the estimate is points alone
    order: NDArray[np.int16]  # (2, 65536): of each quad, for the mover and for the other side


@cache
def tuples_of_quads() -> NDArray[np.int64]:
    """The number of the unordered tuple of patterns of each quad, (65536,); tuples are numbered in ascending order."""
    ascending = np.sort(patterns_of_quads(), axis=1) << (_BITS * np.arange(DIRECTIONS)[::-1])
    return np.unique(ascending.sum(axis=1), return_inverse=True)[1]


@cache
def quads_of_tuples() -> NDArray[np.int64]:
    """One quad of each tuple, (3876,)."""
    return np.unique(tuples_of_quads(), return_index=True)[1]


def threat_parts() -> NDArray[np.int64]:
    """What each number of threats consists of: having the move, each kind, and each two kinds, (2048, 67)."""
    bits = np.arange(THREATS)[:, None] >> np.arange(THREAT_KINDS) & 1
    pairs = [bits[:, i] * bits[:, j] for i in range(THREAT_KINDS) for j in range(i)]
    return np.column_stack([np.ones(THREATS, np.int64), bits, *pairs])


def hand_set(tunables: Mapping[str, Any]) -> Weights:
    """Sums of the points of patterns, and a bonus for having the move; the order adds points for the cell pattern."""
    points = np.array(tunables["pattern_points"])[patterns_of_quads()].sum(axis=1)
    by_cell = np.array(tunables["cell_pattern_order"])[:, cell_patterns_of_quads()]
    defence = points * tunables["defence_share"] // 16
    threats = np.full(THREATS, tunables["move_bonus"], np.int16)
    order = np.stack([points, defence]) + by_cell
    of_tuples = 16 * np.repeat(points[quads_of_tuples(), None], 2, axis=1).astype(np.int32)
    features = np.zeros((TUPLES, FEATURES), np.int16)
    return Weights(of_tuples, threats, features, None, order.astype(np.int16))


@cache
def learned(path: Path = LEARNED) -> Weights:
    """The weights of a file that ``training.fit`` has written: ``order`` of each tuple, the rest as above.

    In place of ``threat_layer`` the file has that of each of ``threat_parts``. A damaged file is a ``BadZipFile``.
    """
    with np.load(path, allow_pickle=False) as file:
        data = dict(file)
    threat_layer = (threat_parts() @ data["threat_layer"].astype(np.int64)).astype(np.int32)
    numbers = {name: data[name] for name in Network._fields if name != "threat_layer"}
    network = Network(**numbers, threat_layer=threat_layer)
    order = data["order"][:, tuples_of_quads()]
    return Weights(data["points"], data["threats"], data["features"], network, order)
