"""Makes the working memory of the gravity kernel, and says which table size suits it."""

from typing import Any

import numpy as np

from kinarow.solvers.common.capacity import ENDLESS_NODES
from kinarow.solvers.gravity.layout import BUCKET_WORDS, STATE_DTYPE

MOST_ENTRIES_LOG2 = 23
MOST_ENDLESS_ENTRIES_LOG2 = 26


def new_state() -> Any:
    """Working memory for one search at a time: a record array of length one; kernels take ``state[0]``."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)


def table_size_hint(empties: int, node_limit: int) -> int:
    """Table size in 64-bit words that serves a search well: a power of two from 8 to 2**24, endless to 2**27 (1 GB)."""
    most = MOST_ENTRIES_LOG2 if node_limit < ENDLESS_NODES else MOST_ENDLESS_ENTRIES_LOG2
    entries = min(node_limit, 1 << min(most, empties))
    return BUCKET_WORDS * (1 << max(0, (max(1, entries // 4) - 1).bit_length()))
