"""The budget record that every kernel obeys: an exact node limit, a deadline and a stop flag.

A budget is one NumPy record (one pointer inside a kernel). Python sets the limits before a call and may set
``stop`` from another thread while the kernel runs. The kernel counts ``nodes`` and leaves in ``reason`` why it
stopped. While ``reason`` is not ``RUNNING``, every value that a kernel returns is void. The clock and the flag
are polled only once in several nodes; the interval does not affect a search that neither of them ends.
"""

import time

import numba
import numpy as np
from numba import njit, types

RUNNING = 0
OUT_OF_NODES = 1
OUT_OF_TIME = 2
STOPPED = 3

_NANOSECONDS = 1_000_000_000

BUDGET_DTYPE = np.dtype(
    [
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("deadline_ns", np.int64),
        ("stop", np.int64),
        ("reason", np.int64),
        ("late", np.int64),
        ("poll_mask", np.int64),
        ("usual_mask", np.int64),
        ("fresh_until", np.int64),
        ("polls", np.int64),
        ("timespec", np.int64, (2,)),
    ],
    align=True,
)
"""``late``: the clock has cut short a part of the search, whatever ended the rest, so another run may answer
differently. ``poll_mask``: the kernel polls when the node count has none of these bits set. The mask is a power of
two less one: 0 up to the node ``fresh_until``, then ``usual_mask``.
"""

BUDGET = numba.from_dtype(BUDGET_DTYPE)
BUDGETS = types.Array(BUDGET, 1, "C")

_clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.intp))
_MONOTONIC = int(time.CLOCK_MONOTONIC)


if numba.config.DISABLE_JIT:

    def monotonic_ns(budget):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns``."""
        return time.monotonic_ns()

else:

    @njit(types.int64(BUDGET), cache=True)
    def monotonic_ns(budget):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns``."""
        _clock_gettime(types.int32(_MONOTONIC), budget.timespec.ctypes.data)
        return budget.timespec[0] * _NANOSECONDS + budget.timespec[1]


@njit(types.boolean(BUDGET), cache=True)
def may_visit(budget):
    """Count one more node; False if the budget is spent.

    True: the node is counted, ``nodes <= node_limit``, and the search goes on. False: ``reason`` says why, and the
    node is not counted; unwind at once and use no value.
    """
    if budget.reason != RUNNING:
        return False
    if budget.nodes >= budget.node_limit:
        budget.reason = OUT_OF_NODES
        return False
    budget.nodes += 1
    if (budget.nodes & budget.poll_mask) == 0:
        # The store keeps the compiler from hoisting the load of the stop flag out of a loop.
        budget.polls += 1
        if budget.nodes >= budget.fresh_until:
            budget.poll_mask = budget.usual_mask
        if budget.stop != 0:
            budget.reason = STOPPED
        elif monotonic_ns(budget) > budget.deadline_ns:
            budget.reason = OUT_OF_TIME
    return budget.reason == RUNNING
