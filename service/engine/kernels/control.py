"""The budget record a kernel obeys: exact node limit, deadline and stop flag, polled from inside.

A control is one NumPy record (one pointer inside a kernel). Python sets the limits before a call and
may set ``stop`` from another thread while the kernel runs; the kernel counts ``nodes`` and leaves in
``reason`` why it gave up. While ``reason`` is not ``RUNNING`` every value a kernel returns is void.
Clock and flag are looked at once in so many nodes, which changes neither nodes nor answers.
"""

import time

import numba
import numpy as np
from numba import njit, types

RUNNING = 0
OUT_OF_NODES = 1
OUT_OF_TIME = 2
STOPPED = 3

# A poll of the clock costs some 25 ns; between two polls a kernel shall run about half a millisecond.
POLL_NS = 500_000
MOST_NODES_A_POLL = 256
# A search begins by touching memory that the system has yet to find, up to milliseconds for each node: every one of
# the first so many nodes polls. By then a table of some hundred large pages has been touched all over.
FRESH_NODES = 1024
NO_DEADLINE = np.iinfo(np.int64).max
_NANOSECONDS = 1_000_000_000

CONTROL_DTYPE = np.dtype(
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
        ("timespec_address", np.int64),
    ],
    align=True,
)
"""``late``: the clock has cut a part of the search short, whatever ended the rest: the answer may differ another
time. ``poll_mask``: a poll is due when the count of nodes has none of these bits, a power of two less one: 0 up to
the node ``fresh_until``, then ``usual_mask``.
"""

CONTROL = numba.from_dtype(CONTROL_DTYPE)

_clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.intp))
_MONOTONIC = int(time.CLOCK_MONOTONIC)


def new_control(node_limit, deadline_ns=NO_DEADLINE):
    """A control with these limits.

    Args:
        node_limit: nodes the search may visit, at least 1.
        deadline_ns: end of the time budget on the scale of ``time.monotonic_ns()``.

    Returns:
        An array of one record; ``control[0]`` is what kernels take. The array owns the memory the
        kernel writes, so keep it alive while the kernel runs.
    """
    control = np.zeros(1, CONTROL_DTYPE).view(np.recarray)
    control["node_limit"] = node_limit
    control["deadline_ns"] = deadline_ns
    poll_by_cost(control, 1)
    control["timespec_address"] = control.ctypes.data + CONTROL_DTYPE.fields["timespec"][1]
    return control


def poll_by_cost(control, node_ns):
    """Choose how often the kernels that run next poll, by what their dearest nodes may cost, and begin with every node.

    Args:
        control: what ``new_control`` returned.
        node_ns: a rough upper estimate in nanoseconds of processor time, at least 1.
    """
    nodes = int(control["nodes"][0])
    interval = max(1, min(MOST_NODES_A_POLL, POLL_NS // node_ns))
    control["poll_mask"] = 0
    control["usual_mask"] = (1 << interval.bit_length() - 1) - 1
    control["fresh_until"] = nodes + FRESH_NODES


if numba.config.DISABLE_JIT:

    def monotonic_ns(control):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns``."""
        return time.monotonic_ns()

else:

    @njit(types.int64(CONTROL), cache=True)
    def monotonic_ns(control):
        """The monotonic clock in nanoseconds, as ``time.monotonic_ns``."""
        _clock_gettime(types.int32(_MONOTONIC), control.timespec_address)
        return control.timespec[0] * _NANOSECONDS + control.timespec[1]


@njit(types.boolean(CONTROL), cache=True)
def may_visit(control):
    """Count one more node, or say that the budget is spent.

    True: the node is counted, ``nodes <= node_limit``, go on. False: ``reason`` says why not, the
    node is not counted; unwind at once and use no value.
    """
    if control.reason != RUNNING:
        return False
    if control.nodes >= control.node_limit:
        control.reason = OUT_OF_NODES
        return False
    control.nodes += 1
    if (control.nodes & control.poll_mask) == 0:
        # The store keeps the compiler from hoisting the load of the stop flag out of a loop.
        control.polls += 1
        if control.nodes >= control.fresh_until:
            control.poll_mask = control.usual_mask
        if control.stop != 0:
            control.reason = STOPPED
        elif monotonic_ns(control) > control.deadline_ns:
            control.reason = OUT_OF_TIME
    return control.reason == RUNNING
