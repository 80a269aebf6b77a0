"""The record of an exact solver's answer."""

from typing import Any

import numpy as np

from kinarow.solvers.common.capacity import WORD_BITS

RESULT_DTYPE = np.dtype(
    [
        ("lower", np.int64),
        ("upper", np.int64),
        ("move", np.int64),
        ("moves", np.int64),
        ("line", np.int64, (WORD_BITS,)),
    ],
    align=True,
)
"""``lower <= value <= upper``, equal where the value is proven; ``move`` (a bit index) guarantees ``lower``; ``line``
holds ``moves`` best moves."""


def new_result() -> Any:
    """An empty result: a record array of length one; kernels take ``result[0]``."""
    return np.zeros(1, RESULT_DTYPE).view(np.recarray)
