"""Runs the searches behind answers in the caller's thread, and keeps their answers.

``service.searches`` adds what a server needs: slots, queues and a tier that workers share.
"""

import math
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any, NamedTuple

from kinarow import cores
from kinarow.answer_cache import Cache, Caller, Flight
from kinarow.engine import Kept, Question, Result
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchStopped, Stop

_NANOSECONDS_PER_S = 1e9


class Searched(NamedTuple):
    """The cost and the outcome of a search, for metrics; ``stopped_by`` is None if it was stopped from outside."""

    nodes: int
    elapsed_ms: float
    depth: int | None
    stopped_by: str | None
    proven: bool


_STOPPED = Searched(0, 0.0, None, None, False)


class CachedSearches:
    """Searches with a cache: ``ask`` is the hook through which ``kinarow.engine`` searches.

    ``on_searched`` gets the cost of each search, and ``wait`` is how a caller waits for another's search.
    """

    def __init__(
        self,
        cache: Cache[Any],
        wait: "Callable[[Future[Any], Stop | None, int | None], bool] | None" = None,
        on_searched: Callable[[Searched], None] = lambda searched: None,
    ) -> None:
        self._cache = cache
        self._wait = wait or wait_for
        self._on_searched = on_searched

    def ask(
        self, key: Hashable, question: Question, search: Callable[[Limits], Result], explain: Callable[[Result], Kept]
    ) -> tuple[Kept, bool]:
        """The value of a key, and whether it was cached, shared or computed for another caller.

        ``SearchStopped``: the question's ``stop`` was set.
        """

        def compute() -> Kept:
            try:
                result = self._run(search, question)
            except SearchStopped:
                self._on_searched(_STOPPED)
                raise
            if question.position.ending().state == "ongoing":
                self._on_searched(
                    Searched(result.nodes, result.elapsed_ms, result.depth, result.stopped_by, result.proven)
                )
            return explain(result)

        return self._cache.get(key, compute, lambda value: value.stopped_by != "time", _Asking(question, self._wait))

    def _run(self, search: Callable[[Limits], Result], question: Question) -> Result:
        """The result of a search."""
        with cores.current().search():
            return search(question.limits)


class _Asking(Caller[Any]):
    """Who asks a question: its deadline bounds the wait for another's search, and its time limit the search alone."""

    def __init__(self, question: Question, wait: "Callable[[Future[Any], Stop | None, int | None], bool]") -> None:
        self._question, self._wait = question, wait

    def time_ns(self) -> float:
        limits = self._question.limits
        allowed = math.inf if limits.time_limit_ms is None else limits.time_limit_ms * NANOSECONDS_PER_MS
        return allowed if limits.deadline_ns is None else min(allowed, limits.deadline_ns - time.monotonic_ns())

    def join(self, flight: Flight[Any]) -> bool:
        return self._wait(flight.ended, self._question.stop, self._question.limits.deadline_ns)


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
