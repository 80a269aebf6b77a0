"""Native threads and time limits, in a gevent worker and in other processes.

In a gevent worker ``threading`` is patched: its threads, locks and queues belong to greenlets, which share one
native thread. A search would block all of them, so it runs in ``Threads``. In any other process, such as the
command line, the same code uses plain threads.
"""

import _thread
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from typing import Any, TypeVar

import gevent
from gevent import monkey
from gevent.threadpool import ThreadPool

from kinarow.cores import Kind

Value = TypeVar("Value")

PATCHED = bool(monkey.is_module_patched("threading"))
"""Whether this process is a gevent worker or its master; such a process is patched before this import."""


native = Kind(
    monkey.get_original("_thread", "start_new_thread"), monkey.get_original("_thread", "allocate_lock"), lambda: None
)
"""Native threads and locks, also where gevent has replaced those of ``_thread``."""


class Threads:
    """A pool of ``count`` native threads; further calls wait.

    Debuggers show their name, outside gevent. The niceness is added to that of the process, on systems where each
    thread has its own.
    """

    def __init__(self, count: int, name: str, niceness: int = 0) -> None:
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        self._niceness = min(19, own + niceness) if niceness and sys.platform == "linux" else None
        self._green = ThreadPool(count) if PATCHED else None
        self._plain = ThreadPoolExecutor(count, name)  # it starts no thread before its first call

    def run(self, call: Callable[[], Value]) -> Value:
        """Run ``call`` in a native thread and return its result or raise its error; only the caller waits."""
        if self._green is None:
            value, error = self._plain.submit(self._outcome, call).result()
        else:
            value, error = self._green.apply(self._outcome, (call,))
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def _outcome(self, call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
        """Return the result and the error of a call; gevent's pool would print a traceback of each error."""
        try:
            if self._niceness is not None:
                os.setpriority(os.PRIO_PROCESS, 0, self._niceness)  # of this thread alone
            return call(), None
        except BaseException as error:
            return None, error


def callable_from_threads(callback: Callable[..., object]) -> Callable[..., None]:
    """Wrap a callback for calls from ``Threads``: in a gevent worker it runs soon, in the event loop.

    It must not block. Filling a queue directly from another thread would wake the loop much later.
    """
    if not PATCHED:
        return lambda *values: (callback(*values), None)[1]
    loop = gevent.get_hub().loop
    return lambda *values: (loop.run_callback_threadsafe(callback, *values), None)[1]


def aside(call: Callable[[], Value]) -> Value:
    """Run a long call without a search in the caller's context; in a gevent worker the loop goes on."""
    if not PATCHED:
        return call()
    return gevent.get_hub().threadpool.apply(copy_context().run, (call,))  # type: ignore[no-any-return]


def give_way() -> None:
    """Let other requests of a gevent worker go on, between two parts of a long one."""
    if PATCHED:
        gevent.sleep(0)


# Read here, after gevent's patch: ``kinarow serve`` may import the library before.
own = Kind(_thread.start_new_thread, _thread.allocate_lock, give_way)
"""The threads and locks of requests: in a gevent worker greenlets, which must not wait for a native lock."""


def time_limit(seconds: float) -> AbstractContextManager[object]:
    """Context manager: in a gevent worker, raise ``TimeoutError`` after this time.

    In other processes only the timeouts of its sockets bound the block.
    """
    return gevent.Timeout(seconds, TimeoutError) if PATCHED else nullcontext()
