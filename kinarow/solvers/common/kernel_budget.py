# mypy: ignore-errors
"""How every kernel obeys a budget: an exact node limit, a deadline and a stop flag.

A budget is one NumPy record (one pointer inside a kernel). Python sets the limits before a call and may set
``stop`` from another thread while the kernel runs. The kernel counts ``nodes`` and leaves in ``reason`` why it
stopped. While ``reason`` is not ``RUNNING``, every value that a kernel returns is void. The clock and the flag
are polled only once in several nodes; the interval does not affect a search that neither of them ends.
"""

import time

import numba
from numba import boolean, int32, int64, intp, types

from kinarow.jit.compiler import njit
from kinarow.solvers.common.budget_record import BUDGET_DTYPE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED

_NANOSECONDS = 1_000_000_000

BUDGET = numba.from_dtype(BUDGET_DTYPE)
BUDGETS = types.Array(BUDGET, 1, "C")

if numba.config.DISABLE_JIT:

    def monotonic_ns(budget):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns``."""
        return time.monotonic_ns()

elif hasattr(time, "CLOCK_MONOTONIC"):
    _clock_gettime = types.ExternalFunction("clock_gettime", int32(int32, intp))
    # Python reads the first of these on macOS, which stands still while the machine sleeps, and elsewhere the second.
    _MONOTONIC = int(getattr(time, "CLOCK_UPTIME_RAW", time.CLOCK_MONOTONIC))

    @njit(int64(BUDGET), cache=True)
    def monotonic_ns(budget):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns``."""
        _clock_gettime(int32(_MONOTONIC), budget.timespec.ctypes.data)
        return budget.timespec[0] * _NANOSECONDS + budget.timespec[1]

elif time.get_clock_info("monotonic").implementation == "QueryPerformanceCounter()":
    _query_counter = types.ExternalFunction("QueryPerformanceCounter", int32(intp))
    _TICKS = round(1 / time.get_clock_info("monotonic").resolution)

    @njit(int64(BUDGET), cache=True)
    def monotonic_ns(budget):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns`` on Windows since Python 3.13."""
        _query_counter(budget.timespec.ctypes.data)
        ticks = budget.timespec[0]
        return ticks // _TICKS * _NANOSECONDS + ticks % _TICKS * _NANOSECONDS // _TICKS

else:
    _tick_count = types.ExternalFunction("GetTickCount64", int64())

    @njit(int64(BUDGET), cache=True)
    def monotonic_ns(budget):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns`` on Windows before Python 3.13."""
        return _tick_count() * (_NANOSECONDS // 1000)


@njit(boolean(BUDGET), cache=True)
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
