"""Waiting for another caller's computation on an event: a waiting caller costs nothing until it is woken."""

import threading
import time
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

from kinarow.search_types import SearchStopped, Stop

_NANOSECONDS_PER_S = 1e9


def wait_for(computation: "Future[Any]", stop: Stop | None = None, deadline_ns: int | None = None) -> bool:
    """Wait until a computation has ended, with a value or an error; False if the deadline came first.

    ``SearchStopped``: ``stop`` was set.
    """
    woken = threading.Event()
    computation.add_done_callback(lambda _: woken.set())
    left_ns = None if deadline_ns is None else max(0, deadline_ns - time.monotonic_ns())
    with nullcontext() if stop is None else stop.watching(_Wait(woken)):
        woken.wait(None if left_ns is None else left_ns / _NANOSECONDS_PER_S)
    if stop is not None and stop.is_set() and not computation.done():
        raise SearchStopped
    return computation.done()


class _Wait:
    """A wait, which a ``Stop`` ends as it ends a search."""

    nodes = 0

    def __init__(self, woken: threading.Event) -> None:
        self._woken = woken

    def stop(self) -> None:
        """End the wait."""
        self._woken.set()
