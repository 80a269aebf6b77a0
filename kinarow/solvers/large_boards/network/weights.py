"""The numbers of a cell by the patterns of its four directions: for the estimate, and for the order of moves.

With gravity and in misère they are sums of the hand-set points of the patterns (``tunables``). Other boards use those
of ``weights.npz``, which ``training.fit`` has learned from the engine's own searches, with a network above them
(``training.network`` defines it). As patterns are named by the marks that are missing to a line, the same numbers
serve every goal and size.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.layout import THREAT_KINDS, THREATS, WEIGHTS_DTYPE

LEARNED = Path(__file__).with_name("weights.npz")


def threat_parts() -> NDArray[np.int64]:
    """Return what each number of threats consists of: having the move, each kind, and each two kinds, (2048, 67)."""
    bits = np.arange(THREATS)[:, None] >> np.arange(THREAT_KINDS) & 1
    pairs = [bits[:, i] * bits[:, j] for i in range(THREAT_KINDS) for j in range(i)]
    return np.column_stack([np.ones(THREATS, np.int64), bits, *pairs])


def new_weights() -> np.recarray:
    """Return weights of zero, as an array of one record of ``WEIGHTS_DTYPE``."""
    return np.zeros(1, WEIGHTS_DTYPE).view(np.recarray)


@cache
def learned(path: Path = LEARNED) -> np.recarray:
    """Return the weights that ``training.fit`` has written; ``BadZipFile`` if the file is damaged."""
    weights = new_weights()
    with np.load(path, allow_pickle=False) as file:
        for name in WEIGHTS_DTYPE.fields or ():
            weights[name][0] = file.get(name, 1)  # a file has a network
    return weights
