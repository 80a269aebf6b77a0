# mypy: ignore-errors
"""Keeps kernels within a budget: an exact node limit, a deadline and a stop flag.

Python sets the limits before a call and may set ``stop`` from another thread while the kernel runs. The kernel counts
``nodes`` and sets ``reason`` when it stops: then every value that it returns is invalid. It polls the clock and the
flag once in several nodes; the interval doesn't affect a search that neither of them ends.
"""

import numba
from numba import boolean

from kinarow.kernels.declare import inlined, monotonic_ns, part
from kinarow.solvers.common.budget_record import BUDGET_DTYPE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED

BUDGET = numba.from_dtype(BUDGET_DTYPE)


@inlined
def poll(budget):
    """Check the stop flag and the clock, and end the search if one of them says so."""
    # This store keeps the compiler from moving the load of the stop flag out of a loop.
    budget.polls += 1
    if budget.stop != 0:
        budget.reason = STOPPED
    elif monotonic_ns() > budget.deadline_ns:
        budget.reason = OUT_OF_TIME


@part(boolean(BUDGET))
def may_visit(budget):
    """Count a node; return False if the budget is spent. The caller must then return at once and use no value."""
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
