"""The memory layout of a budget, which kernels and ``kinarow.solvers.common.budget`` share."""

import numpy as np

RUNNING = 0
OUT_OF_NODES = 1
OUT_OF_TIME = 2
STOPPED = 3

NO_DEADLINE = int(np.iinfo(np.int64).max)

WORDS = (
    *("nodes", "node_limit", "deadline_ns", "stop", "reason"),
    *("late", "poll_mask", "usual_mask", "fresh_until", "polls"),
)
BUDGET_DTYPE = np.dtype([(name, np.int64) for name in WORDS], align=True)
"""``late``: the clock has cut short a part of the search, so another run may answer differently. ``poll_mask``: the
kernel polls when the node count has none of these bits set; it is 0 up to the node ``fresh_until``, then
``usual_mask``, a power of two less one. ``polls``: the number of polls.
"""
