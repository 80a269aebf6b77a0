"""The budget of a search: node limit, deadline and stop flag, in a record that kernels read and write."""

import ctypes
import time
from functools import lru_cache
from typing import Any, Literal, Self

import numpy as np

from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.budget_record import BUDGET_DTYPE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED, WORDS
from kinarow.solvers.common.budget_record import NO_DEADLINE as NO_DEADLINE

NO_LIMIT = int(np.iinfo(np.int64).max)  # As a node limit
POLL_NS = 500_000  # Time between two polls: short compared to any time limit, long compared to a poll (25 ns)
MOST_NODES_A_POLL = 256

FRESH_NODES = 1024
"""Each of so many first nodes polls. The system must first provide the memory that they touch, which may take
milliseconds for one node. After 1,024 nodes a table of some hundred large pages has been touched everywhere."""

SAME_CLOCK = time.get_clock_info("monotonic").implementation == time.get_clock_info("perf_counter").implementation
"""True if deadlines (``time.monotonic_ns``) and kernels (``time.perf_counter_ns``) use one clock. On Windows before
Python 3.13 they use two."""

EndedBy = Literal["nodes", "time", "stop"]

ENDED_BY: dict[int, EndedBy | None] = {RUNNING: None, OUT_OF_NODES: "nodes", OUT_OF_TIME: "time", STOPPED: "stop"}

# The index of each word of the record.
_NODES, _NODE_LIMIT, _DEADLINE, _STOP, _REASON, _LATE, _POLL_MASK, _USUAL_MASK, _FRESH_UNTIL, _ = range(len(WORDS))


@lru_cache(maxsize=64)
def _usual_mask(node_ns: int) -> int:
    """Return the ``poll_mask`` for about ``POLL_NS`` between polls: the interval in nodes, a power of two, less one."""
    interval = max(1, min(MOST_NODES_A_POLL, POLL_NS // node_ns))
    return (1 << interval.bit_length() - 1) - 1


_Words = ctypes.c_int64 * len(WORDS)


def _new_record() -> bytes:
    words = _Words()
    words[_USUAL_MASK], words[_FRESH_UNTIL] = _usual_mask(1), FRESH_NODES
    return bytes(words)


_NEW_RECORD = _new_record()


class Budget:
    """The limits of a search and what it has used. It owns memory that kernels write, so keep it while they run."""

    __slots__ = ("_words", "array", "pointer")

    def __init__(self, node_limit: int, deadline_ns: int = NO_DEADLINE) -> None:
        # Every field is a word: reading it from ``ctypes`` is a few times faster than from NumPy.
        self._words = _Words.from_buffer_copy(_NEW_RECORD)
        self.array = np.frombuffer(memoryview(self._words), BUDGET_DTYPE)
        self.pointer = Pointer(self.array, ctypes.addressof(self._words))
        self._words[_NODE_LIMIT] = node_limit
        if not SAME_CLOCK and deadline_ns != NO_DEADLINE:
            deadline_ns += time.perf_counter_ns() - time.monotonic_ns()
        self._words[_DEADLINE] = deadline_ns

    @property
    def record(self) -> Any:
        """The record, for kernels."""
        return self.array[0]

    @property
    def nodes(self) -> int:
        """Nodes visited so far."""
        return self._words[_NODES]

    @property
    def node_limit(self) -> int:
        """The number of nodes after which the search ends."""
        return self._words[_NODE_LIMIT]

    @property
    def nodes_left(self) -> int:
        """Nodes that may still be visited, 0 or more."""
        return self._words[_NODE_LIMIT] - self._words[_NODES]

    @property
    def deadline_ns(self) -> int:
        """End of the time on the scale of ``time.perf_counter_ns()``; ``NO_DEADLINE`` without one."""
        return self._words[_DEADLINE]

    def is_spent(self) -> bool:
        """Return True if a limit or the stop flag has ended the search; the kernel's last value is then invalid."""
        return self._words[_REASON] != RUNNING

    @property
    def ended_by(self) -> EndedBy | None:
        """What ended the search, or None; ``time`` also if the clock ended a ``Part`` and nobody stopped the search."""
        reason = self._words[_REASON]
        return "time" if self._words[_LATE] and reason != STOPPED else ENDED_BY[reason]

    def stop(self) -> None:
        """End the search at its next poll. Other threads may call this while a kernel runs."""
        self._words[_STOP] = 1

    def expire(self) -> None:
        """End the search as if its deadline had passed."""
        self._words[_REASON] = OUT_OF_TIME

    def visit(self) -> bool:
        """Count a node that Python code visits; return False if the search has ended."""
        if not self.is_spent():
            if not self.nodes_left:
                self._words[_REASON] = OUT_OF_NODES
                return False
            self._words[_NODES] += 1
        return self.poll()

    def poll(self) -> bool:
        """Check the stop flag and the clock; return False if the search has ended."""
        if not self.is_spent():
            if self._words[_STOP]:
                self._words[_REASON] = STOPPED
            elif time.perf_counter_ns() > self.deadline_ns:
                self.expire()
        return not self.is_spent()

    def set_poll_interval(self, node_ns: int) -> None:
        """Set how often kernels poll from now on, given the most nanoseconds that a node takes."""
        self._words[_POLL_MASK] = 0
        self._words[_USUAL_MASK] = _usual_mask(node_ns)
        self._words[_FRESH_UNTIL] = self._words[_NODES] + FRESH_NODES

    def for_helper(self) -> "Budget":
        """Return a budget for a helper thread of this search: the same deadline, no node limit."""
        helper = Budget(NO_LIMIT)
        for place in (_DEADLINE, _USUAL_MASK):
            helper._words[place] = self._words[place]
        return helper

    def part(self, *, nodes: int | None = None, time_share: float | None = None) -> "Part":
        """Return a context manager that limits a ``with`` block to so many nodes and a share of the time left."""
        return Part(self, nodes, time_share)


class Part(Budget):
    """Context manager: lower limits for a budget, in the same record, until the block ends.

    If only a limit of the part was reached, the search may continue after the block. If the clock ended the part,
    ``ended_by`` of the whole stays ``time``. After the block ``finished`` is True if no limit was reached. Another
    thread may ``cut`` the part short.
    """

    __slots__ = ("_cut", "_deadline_ns", "_node_limit", "_nodes", "_reason", "_time_share", "finished")

    def __init__(self, whole: Budget, nodes: int | None, time_share: float | None) -> None:
        self.array, self.pointer, self._words = whole.array, whole.pointer, whole._words
        self._nodes, self._time_share, self._cut = nodes, time_share, False

    def __enter__(self) -> Self:
        words = self._words
        self._node_limit, self._deadline_ns = words[_NODE_LIMIT], words[_DEADLINE]
        if self._nodes is not None:
            words[_NODE_LIMIT] = min(self._node_limit, words[_NODES] + self._nodes)
        if self._time_share is not None and self._deadline_ns != NO_DEADLINE:
            now = time.perf_counter_ns()
            words[_DEADLINE] = now + int((self._deadline_ns - now) * self._time_share)
        return self

    def cut(self) -> None:
        """End the part at its next poll (only inside the block)."""
        self._cut = True
        self._words[_DEADLINE] = 0

    def __exit__(self, *failure: object) -> None:
        words = self._words
        words[_NODE_LIMIT], words[_DEADLINE] = self._node_limit, self._deadline_ns
        self._reason = words[_REASON]
        self.finished = self._reason == RUNNING
        if self._reason == OUT_OF_NODES:
            if words[_NODES] < self._node_limit:
                words[_REASON] = RUNNING
        elif self._reason == OUT_OF_TIME:
            words[_LATE] |= not self._cut
            if time.perf_counter_ns() < self._deadline_ns:
                words[_REASON] = RUNNING

    def propagate_reason(self) -> None:
        """End the whole search for the reason that ended the part, unless it has ended otherwise (after the block)."""
        if not self.is_spent():
            self._words[_REASON] = self._reason
