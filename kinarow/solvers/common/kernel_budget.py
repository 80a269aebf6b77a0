# mypy: ignore-errors
"""How every kernel obeys a budget: an exact node limit, a deadline and a stop flag.

A budget is one NumPy record (one pointer inside a kernel). Python sets the limits before a call and may set
``stop`` from another thread while the kernel runs. The kernel counts ``nodes`` and leaves in ``reason`` why it
stopped. While ``reason`` is not ``RUNNING``, every value that a kernel returns is void. The clock and the flag
are polled only once in several nodes; the interval does not affect a search that neither of them ends.
"""

import numba
from numba import boolean

from kinarow.kernels.declare import inlined, monotonic_ns, part
from kinarow.solvers.common.budget_record import BUDGET_DTYPE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED

BUDGET = numba.from_dtype(BUDGET_DTYPE)


@inlined
def poll(budget):
    """Look at the stop flag and the clock, which may end the search."""
    # The store keeps the compiler from hoisting the load of the stop flag out of a loop.
    budget.polls += 1
    if budget.stop != 0:
        budget.reason = STOPPED
    elif monotonic_ns() > budget.deadline_ns:
        budget.reason = OUT_OF_TIME


@part(boolean(BUDGET))
def may_visit(budget):
    """Count one more node; False if the budget is spent: then unwind at once and use no value."""
    if budget.reason != RUNNING:
        return False
    if budget.nodes >= budget.node_limit:
        budget.reason = OUT_OF_NODES
        return False
    budget.nodes += 1
    if (budget.nodes & budget.poll_mask) == 0:
        if budget.nodes >= budget.fresh_until:
            budget.poll_mask = budget.usual_mask
        poll(budget)
    return budget.reason == RUNNING
