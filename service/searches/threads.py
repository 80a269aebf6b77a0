"""Native threads and time limits. In a gevent worker ``threading`` starts greenlets, and a search would block all."""

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

from kinarow.cores import ThreadApi

Value = TypeVar("Value")

PATCHED = bool(monkey.is_module_patched("threading"))
"""Whether this process is a gevent worker or its master; such a process is patched before this import."""


native = ThreadApi(
    monkey.get_original("_thread", "start_new_thread"), monkey.get_original("_thread", "allocate_lock"), lambda: None
)
"""Native threads and locks, even where gevent has replaced the functions of ``_thread``."""


class Threads:
    """A pool of ``count`` native threads; on Linux ``niceness`` is added to that of the process."""

    def __init__(self, count: int, name: str, niceness: int = 0) -> None:
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        self._niceness = min(19, own + niceness) if niceness and sys.platform == "linux" else None
        self._green = ThreadPool(count) if PATCHED else None
        self._plain = ThreadPoolExecutor(count, name)  # starts no thread before its first call

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
        """Run ``call`` in this thread of the pool, and return ``(result, error)``, one of them None."""
        try:
            if self._niceness is not None:
                os.setpriority(os.PRIO_PROCESS, 0, self._niceness)  # on Linux, of this thread alone
            return call(), None
        except BaseException as error:
            return None, error


def callable_from_threads(callback: Callable[..., object]) -> Callable[..., None]:
    """Wrap a callback that native threads call: in a gevent worker it runs in the event loop, and must not block."""
    if not PATCHED:
        return lambda *values: (callback(*values), None)[1]
    loop = gevent.get_hub().loop
    return lambda *values: (loop.run_callback_threadsafe(callback, *values), None)[1]


def run_off_loop(call: Callable[[], Value]) -> Value:
    """Run a long call that doesn't search, in a copy of the caller's context; in a gevent worker off the event loop."""
    if not PATCHED:
        return call()
    return gevent.get_hub().threadpool.apply(copy_context().run, (call,))  # type: ignore[no-any-return]


def yield_control() -> None:
    """Let other requests of a gevent worker continue; called between two parts of a long request."""
    if PATCHED:
        gevent.sleep(0)


# Looked up here, after gevent's patch, because ``kinarow serve`` may import ``kinarow.cores`` before it.
own = ThreadApi(_thread.start_new_thread, _thread.allocate_lock, yield_control)
"""The threads and locks of requests: in a gevent worker green ones, since waiting for a native lock blocks the loop."""


def time_limit(seconds: float) -> AbstractContextManager[object]:
    """Context manager: raise ``TimeoutError`` after this time in a gevent worker; elsewhere socket timeouts suffice."""
    return gevent.Timeout(seconds, TimeoutError) if PATCHED else nullcontext()
