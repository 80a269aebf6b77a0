"""Runs the searches behind answers: looks into the cache, joins identical requests, waits for a slot, and counts."""

import math
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from kinarow.engine import Kept, Question, Result
from kinarow.search.atlas import entries
from kinarow.search.opening_book import book
from kinarow.search.search import solvable
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchStopped, Stop
from service.answers.answer_cache import Cache, Caller, Flight, SharedTier
from service.answers.waiting import wait_for

if TYPE_CHECKING:  # the command line has no need of gevent
    from service.answers.search_limiter import SearchLimiter

IN_PLACE_TRY_NS = 1_000_000  # time limit for trying a probably short search in the caller's own thread first
SHORT_TRY_NS = 4_000_000  # time limit for trying it in another thread at once, before it queues
SHORT_TRIES = 3
"""The most tries. A try that visited fewer than ``SHORT_TRY_NODES`` nodes has waited for a core, and is repeated."""
SHORT_TRY_NODES = 500
SHORT_TRY_EMPTIES = 16  # a search is probably short if at most so many cells are empty


class Searched(NamedTuple):
    """The cost and the outcome of a search, for metrics; ``stopped_by`` is None if it was stopped from outside."""

    nodes: int
    elapsed_ms: float
    depth: int | None
    stopped_by: str | None
    proven: bool


_STOPPED = Searched(0, 0.0, None, None, False)


class Recommender:
    """The service's searches and caches: its ``ask`` is the hook through which ``kinarow.engine`` searches.

    The shared tier is a second cache behind the first, filled by other processes too. The limiter bounds the searches;
    without it each runs at once, in the caller's thread.
    """

    def __init__(
        self,
        *,
        cache_size: int,
        shared: SharedTier[Any] | None = None,
        limiter: "SearchLimiter | None" = None,
        on_searched: Callable[[Searched], None] = lambda searched: None,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self._cache: Cache[Any] = Cache(cache_size, shared, on_hit, on_size)
        self._limiter = limiter
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

        caller = _Asking(question, wait_for if self._limiter is None else self._limiter.join)
        return self._cache.get(key, compute, lambda value: value.stopped_by != "time", caller)

    def _run(self, search: Callable[[Limits], Result], question: Question) -> Result:
        """The result of a search; a probably short one is first tried without a slot."""
        limiter, limits = self._limiter, question.limits
        if limiter is None:
            return search(limits)
        if limits.expired:
            # A search whose time is over visits no node, so it needs no slot.
            return limiter.run_at_once(partial(search, limits))
        if _probably_short(question) and (result := _tried(search, limits, limiter)) is not None:
            return result
        return limiter.run(partial(search, limits), question.stop)


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


def _tried(search: Callable[[Limits], Result], limits: Limits, limiter: "SearchLimiter") -> Result | None:
    """The result of a short search, or None; if time did not end a try, its result is that of the whole search."""
    result = search(limits.until(time.monotonic_ns() + IN_PLACE_TRY_NS))
    if result.stopped_by != "time":
        return result
    for _ in range(SHORT_TRIES):
        end = time.monotonic_ns() + SHORT_TRY_NS
        tried = limiter.try_at_once(partial(search, limits.until(end)))
        if tried is None or tried.stopped_by != "time":
            return tried
        if time.monotonic_ns() < end or tried.nodes >= SHORT_TRY_NODES:
            break
    return None


def _probably_short(question: Question) -> bool:
    """Whether a search is probably short: few cells are empty, or a book or the atlas knows the position.

    One with a listener counts as long, since it must not be tried twice.
    """
    if question.progress is not None:
        return False
    position = question.position
    if (position.empties <= SHORT_TRY_EMPTIES and solvable(position.rules)) or entries.of(position) is not None:
        return True
    opening = book.shipped(position.rules)
    return opening is not None and position.rules.cells - position.empties < opening.plies
