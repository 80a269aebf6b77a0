"""The record of an exact solver's answer."""

from typing import Any

import numpy as np

from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.common.layout import alike

RESULT_DTYPE = np.dtype([*alike("lower upper move moves"), ("line", np.int64, (WORD_BITS,))], align=True)
"""``lower <= value <= upper``, equal where the value is proven; ``move`` (a bit index) guarantees ``lower``; ``line``
holds ``moves`` best moves."""


def new_result() -> Any:
    """An empty result: a record array of length one; kernels take ``result[0]``."""
    return np.zeros(1, RESULT_DTYPE).view(np.recarray)
