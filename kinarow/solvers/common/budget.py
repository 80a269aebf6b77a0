"""Makes budgets for kernels: the node limit and the deadline of a search, and the interval of polling the clock."""

import time
from functools import lru_cache
from typing import Any

import numpy as np

from kinarow.solvers.common.kernel_budget import (
    BUDGET_DTYPE,
    OUT_OF_NODES,
    OUT_OF_TIME,
    RUNNING,
    STOPPED,
    may_visit,
)
from kinarow.solvers.common.record import copy_of, without_attributes

__all__ = [
    "FRESH_NODES",
    "MOST_NODES_A_POLL",
    "NO_DEADLINE",
    "NO_LIMIT",
    "OUT_OF_NODES",
    "OUT_OF_TIME",
    "RUNNING",
    "STOPPED",
    "goes_on",
    "limit_to_share",
    "may_visit",
    "new_budget",
    "poll_by_cost",
    "restore_limits",
]

NO_DEADLINE = int(np.iinfo(np.int64).max)
NO_LIMIT = int(np.iinfo(np.int64).max)
"""A node limit that no search reaches."""

POLL_NS = 500_000
"""Intended time between two polls: short compared to any time limit, long compared to the 25 ns of a poll."""

MOST_NODES_A_POLL = 256

FRESH_NODES = 1024
"""Each of the first nodes of a search polls. They touch memory that the system must first provide, which may take
milliseconds for one node; after so many nodes every part of a table of some hundred large pages has been touched."""


def new_budget(node_limit: int, deadline_ns: int = NO_DEADLINE) -> Any:
    """A budget with these limits.

    Args:
        node_limit: nodes the search may visit, at least 1.
        deadline_ns: end of the time budget on the scale of ``time.monotonic_ns()``.

    Returns:
        A structured array of length one; pass ``budget[0]`` to kernels. The array owns the memory that the kernel
        writes, so keep it alive while the kernel runs.
    """
    budget = copy_of(_NEW_BUDGET, BUDGET_DTYPE)
    budget["node_limit"] = node_limit
    budget["deadline_ns"] = deadline_ns
    return budget


def poll_by_cost(budget: Any, node_ns: int) -> None:
    """Choose how often the next kernels poll, by the cost of their most expensive nodes.

    Args:
        budget: from ``new_budget``.
        node_ns: a rough upper estimate in nanoseconds of processor time, at least 1.
    """
    budget["poll_mask"] = 0
    budget["usual_mask"] = _usual_mask(node_ns)
    budget["fresh_until"] = budget["nodes"].item() + FRESH_NODES


@lru_cache(maxsize=64)
def _usual_mask(node_ns: int) -> int:
    interval = max(1, min(MOST_NODES_A_POLL, POLL_NS // node_ns))
    return (1 << interval.bit_length() - 1) - 1


_template = without_attributes(np.zeros(1, BUDGET_DTYPE), BUDGET_DTYPE)
poll_by_cost(_template, 1)
_NEW_BUDGET = _template.tobytes()


def goes_on(budget: Any) -> bool:
    """Whether some of the whole budget is left; clears ``reason`` if only a smaller limit was reached."""
    if budget["reason"][0] == OUT_OF_NODES and budget["nodes"][0] < budget["node_limit"][0]:
        budget["reason"] = RUNNING
    return bool(budget["reason"][0] == RUNNING)


def limit_to_share(budget: Any, share: float) -> None:
    """Move the deadline to a share of the remaining time."""
    deadline = int(budget["deadline_ns"][0])
    if deadline != NO_DEADLINE:
        now = time.monotonic_ns()
        budget["deadline_ns"] = now + int((deadline - now) * share)


def restore_limits(budget: Any, limits: tuple[int, int]) -> None:
    """Restore the nodes and the deadline of the whole budget, and clear ``reason`` if only a part of it was spent."""
    budget["node_limit"], budget["deadline_ns"] = limits
    reason = budget["reason"][0]
    spent = budget["nodes"][0] >= limits[0] if reason == OUT_OF_NODES else time.monotonic_ns() >= limits[1]
    if reason == OUT_OF_TIME:
        budget["late"] = 1
    if reason in (OUT_OF_NODES, OUT_OF_TIME) and not spent:
        budget["reason"] = RUNNING
