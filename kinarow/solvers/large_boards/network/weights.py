"""The weights of evaluation and move ordering, by the direction patterns of a cell.

With gravity and in misère they are sums of hand-set points (``tunables``). Other games use ``weights.npz``, which
``training.fit`` learned from the engine's own searches, with a neural network (``training.network`` defines it). As
patterns are named by the number of missing marks, the same weights serve every goal and size.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.layout import THREAT_KINDS, THREATS, WEIGHTS_DTYPE

LEARNED = Path(__file__).with_name("weights.npz")


def threat_parts() -> NDArray[np.int64]:
    """Return the inputs of the threat layer for each set of threats: 1, each kind, each pair of kinds; (2048, 67)."""
    bits = np.arange(THREATS)[:, None] >> np.arange(THREAT_KINDS) & 1
    pairs = [bits[:, i] * bits[:, j] for i in range(THREAT_KINDS) for j in range(i)]
    return np.column_stack([np.ones(THREATS, np.int64), bits, *pairs])


def new_weights() -> np.recarray:
    """Return zeroed weights, in an array of one record."""
    return np.zeros(1, WEIGHTS_DTYPE).view(np.recarray)


@cache
def load_weights(path: Path = LEARNED) -> np.recarray:
    """Read the weights that ``training.fit`` wrote; ``BadZipFile`` if the file is damaged."""
    weights = new_weights()
    with np.load(path, allow_pickle=False) as file:
        for name in WEIGHTS_DTYPE.fields or ():
            weights[name][0] = file.get(name, 1)  # files lack ``has_network``, which is 1 for them
    return weights
