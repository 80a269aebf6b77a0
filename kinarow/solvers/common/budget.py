"""Budgets of searches: limits and counts in a record for kernels, which no other Python code reads or writes."""

import ctypes
import time
from functools import lru_cache
from typing import Any, Literal, Self

import numpy as np

from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.budget_record import BUDGET_DTYPE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED, WORDS
from kinarow.solvers.common.budget_record import NO_DEADLINE as NO_DEADLINE
from kinarow.solvers.common.record import record_in

NO_LIMIT = int(np.iinfo(np.int64).max)  # A node limit that no search reaches
POLL_NS = 500_000  # Time between two polls: short compared to any time limit, long compared to the 25 ns of a poll
MOST_NODES_A_POLL = 256

FRESH_NODES = 1024
"""Each of the first nodes of a search polls. They touch memory that the system must first provide, which may take
milliseconds for one node. After 1,024 nodes every part of a table of some hundred large pages has been touched."""

SAME_CLOCK = time.get_clock_info("monotonic").implementation == time.get_clock_info("perf_counter").implementation
"""Whether ``time.monotonic_ns()``, the scale of deadlines, is the clock of the kernels, ``time.perf_counter_ns()``. On
Windows it is another one before Python 3.13."""

EndedBy = Literal["nodes", "time", "stop"]

ENDED_BY: dict[int, EndedBy | None] = {RUNNING: None, OUT_OF_NODES: "nodes", OUT_OF_TIME: "time", STOPPED: "stop"}

# The places of the words.
_NODES, _NODE_LIMIT, _DEADLINE, _STOP, _REASON, _LATE, _POLL_MASK, _USUAL_MASK, _FRESH_UNTIL, _ = range(len(WORDS))


@lru_cache(maxsize=64)
def _usual_mask(node_ns: int) -> int:
    interval = max(1, min(MOST_NODES_A_POLL, POLL_NS // node_ns))
    return (1 << interval.bit_length() - 1) - 1


_Words = ctypes.c_int64 * len(WORDS)


def _new_record() -> bytes:
    words = _Words()
    words[_USUAL_MASK], words[_FRESH_UNTIL] = _usual_mask(1), FRESH_NODES
    return bytes(words)


_NEW_RECORD = _new_record()


class Budget:
    """What a search may spend and has spent. It owns the memory that kernels write, so it must outlive them."""

    __slots__ = ("_words", "array", "pointer")

    def __init__(self, node_limit: int, deadline_ns: int = NO_DEADLINE) -> None:
        # Every field is a word. Python reads one a few times sooner here than through NumPy.
        self._words = _Words.from_buffer_copy(_NEW_RECORD)
        self.array = record_in(self._words, BUDGET_DTYPE)
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
        """The count of nodes at which the search ends."""
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
        """Return True if a limit or the stop flag has ended the search; what the kernel returned last is void then."""
        return self._words[_REASON] != RUNNING

    @property
    def ended_by(self) -> EndedBy | None:
        """The limit that ended the search, or None; ``time`` if time ended any part, whatever ended the rest."""
        reason = self._words[_REASON]
        return "time" if self._words[_LATE] and reason != STOPPED else ENDED_BY[reason]

    def stop(self) -> None:
        """End the search at its next poll; another thread may call this while a kernel runs."""
        self._words[_STOP] = 1

    def run_out_of_time(self) -> None:
        """End the search: its deadline has passed."""
        self._words[_REASON] = OUT_OF_TIME

    def visit(self) -> bool:
        """Count a node that Python visits; False if that, the clock or the stop flag ends the search."""
        if not self.is_spent():
            if not self.nodes_left:
                self._words[_REASON] = OUT_OF_NODES
                return False
            self._words[_NODES] += 1
        return self.poll()

    def poll(self) -> bool:
        """Look at the stop flag and the clock; False if one of them or a limit ends the search."""
        if not self.is_spent():
            if self._words[_STOP]:
                self._words[_REASON] = STOPPED
            elif time.perf_counter_ns() > self.deadline_ns:
                self.run_out_of_time()
        return not self.is_spent()

    def poll_by_cost(self, node_ns: int) -> None:
        """Choose how often the next kernels poll, by the nanoseconds that a node takes at most, roughly."""
        self._words[_POLL_MASK] = 0
        self._words[_USUAL_MASK] = _usual_mask(node_ns)
        self._words[_FRESH_UNTIL] = self._words[_NODES] + FRESH_NODES

    def of_helper(self) -> "Budget":
        """Return a budget for a helper of this search: the same time, and no limit of nodes."""
        helper = Budget(NO_LIMIT)
        for place in (_DEADLINE, _USUAL_MASK):
            helper._words[place] = self._words[place]
        return helper

    def part(self, *, nodes: int | None = None, time_share: float | None = None) -> "Part":
        """Return a part of the remaining budget, for a ``with`` block: its most nodes, and its share of the time.

        None stands for all.
        """
        return Part(self, nodes, time_share)


class Part(Budget):
    """A part of a budget: the same record, with lower limits until the ``with`` block ends.

    If only a limit of the part was reached, the search may go on after the block. If time ended the part, the
    ``ended_by`` of the whole stays ``time``. After the block ``finished`` says whether the part ended within all
    limits. Another thread may ``cut`` the part short; the search goes on after the block.
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
        """End the part at its next poll; called inside the block."""
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

    def keep_reason(self) -> None:
        """After the block: what ended the part has ended the whole search, unless another limit has."""
        if not self.is_spent():
            self._words[_REASON] = self._reason
