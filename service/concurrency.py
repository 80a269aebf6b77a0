"""Threads of the system and time limits, in a gevent worker and elsewhere.

In a gevent worker ``threading`` is patched: its threads, locks and queues belong to greenlets, which share one
thread of the system. A search would hold up all of them, so it runs in ``Threads``. In any other process, such as
the command line, the same names stand for plain threads.
"""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import gevent
from gevent import monkey
from gevent.threadpool import ThreadPool

Value = TypeVar("Value")


PATCHED = bool(monkey.is_module_patched("threading"))
"""Whether this process is a gevent worker, or the master of some; it was patched before this import."""


class Threads:
    """A fixed number of threads of the system.

    Args:
        count: how many calls run at once; more wait.
        name: shown by debuggers, outside gevent.
        niceness: added to that of the process, where a thread has a niceness of its own.
    """

    def __init__(self, count: int, name: str, niceness: int = 0) -> None:
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        self._niceness = min(19, own + niceness) if niceness and sys.platform == "linux" else None
        self._green = ThreadPool(count) if PATCHED else None
        self._plain = ThreadPoolExecutor(count, name)  # it starts no thread before its first call

    def run(self, call: Callable[[], Value]) -> Value:
        """What ``call`` returns or raises; only the caller waits for it."""
        if self._green is None:
            value, error = self._plain.submit(self._outcome, call).result()
        else:
            value, error = self._green.apply(self._outcome, (call,))
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def _outcome(self, call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
        """What a call returns, and what it raises: gevent prints a traceback for each error of a task of its pool."""
        try:
            if self._niceness is not None:
                os.setpriority(os.PRIO_PROCESS, 0, self._niceness)  # of this thread alone
            return call(), None
        except BaseException as error:
            return None, error


def callable_from_threads(callback: Callable[..., object]) -> Callable[..., None]:
    """The same callback for use inside ``Threads``: in a gevent worker it runs in the loop, soon.

    It must not block. A queue that is filled from another thread directly wakes the loop much later.
    """
    if not PATCHED:
        return lambda *values: (callback(*values), None)[1]
    loop = gevent.get_hub().loop
    return lambda *values: (loop.run_callback_threadsafe(callback, *values), None)[1]


def time_limit(seconds: float) -> AbstractContextManager[object]:
    """In a gevent worker the block ends after so long with ``TimeoutError``.

    Elsewhere nothing bounds it but the timeouts of the sockets it uses.
    """
    return gevent.Timeout(seconds, TimeoutError) if PATCHED else nullcontext()
