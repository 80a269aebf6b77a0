"""The number each worker process has among its siblings, and since when each has had no search to spare.

Gunicorn's master gives every worker the lowest number that is free, and takes it back when the worker has
ended. What workers tell each other lies in memory that the master makes before it forks. A process that no
master started has the number 0.
"""

import math
import mmap
import time
from typing import Any

MAX_WORKERS = 4096
"""More than ever live at once: twice the most that a setting allows, since a reload overlaps old and new."""

_NO_WORKER = math.nan
_NOT_BUSY = 0.0

# For each number the time (of the monotonic clock, one for all processes) since which its worker is busy.
_busy_since = memoryview(mmap.mmap(-1, MAX_WORKERS * 8)).cast("d")
for _number in range(MAX_WORKERS):
    _busy_since[_number] = _NO_WORKER

_taken: dict[Any, int] = {}
_own = 0


def before_fork(worker: Any) -> None:
    """Give a worker a number; called in the master, as gunicorn's ``pre_fork``."""
    _taken[worker] = next(number for number in range(MAX_WORKERS) if number not in _taken.values())


def after_fork(worker: Any) -> None:
    """Take the number; called in the worker, as gunicorn's ``post_fork``."""
    global _own
    _own = _taken[worker]


def after_exit(worker: Any) -> int | None:
    """Take the number of a worker that has ended back; called in the master, as gunicorn's ``child_exit``."""
    number = _taken.pop(worker, None)
    if number is not None:
        _busy_since[number] = _NO_WORKER
    return number


def number() -> int:
    """The number of this process: no two that live at once have the same."""
    return _own


def set_busy(busy: bool) -> None:
    """Tell the siblings whether this worker has no search to spare from now on."""
    _busy_since[_own] = time.monotonic() if busy else _NOT_BUSY


def all_busy_for(seconds: float) -> bool:
    """Whether no living worker has had a search to spare for so long."""
    latest = time.monotonic() - seconds
    known = [since for since in _busy_since if not math.isnan(since)]
    return bool(known) and all(_NOT_BUSY < since <= latest for since in known)
