"""Runs the searches behind answers: tries short ones at once, waits for a slot, and shares answers with workers."""

import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from kinarow.engine import Question, Result
from kinarow.search.best_move import solvable
from kinarow.search.known import look_up
from kinarow.search_types import Limits
from kinarow.searches import CachedSearches
from service.searches.limiter import SearchLimiter
from service.searches.spans import no_span

IN_PLACE_TRY_NS = 1_000_000  # time limit for trying a probably short search in the caller's own thread first
SHORT_TRY_NS = 4_000_000  # time limit for trying it in another thread at once, before it queues
SHORT_TRIES = 3
"""The most tries. A try that visited fewer than ``SHORT_TRY_NODES`` nodes has waited for a core, and is repeated."""
SHORT_TRY_NODES = 500
SHORT_TRY_EMPTIES = 16  # a search is probably short with at most this number of empty cells


class Recommender(CachedSearches):
    """The service's searches: the shared tier is a second cache, which other processes fill too.

    The limiter bounds the searches; without it each runs at once, in the caller's thread. ``options`` are those of
    ``CachedSearches``.
    """

    def __init__(self, *, limiter: SearchLimiter | None = None, **options: Any) -> None:
        if limiter is not None:
            options["join"] = limiter.join
        super().__init__(**options)
        self._limiter = limiter
        self._span = no_span if limiter is None else limiter.span

    def ask(self, key: Hashable, question: Question, search: Callable[[Limits], Result]) -> tuple[Result, bool]:
        """As in ``CachedSearches``; the searches of an answer that no cache has lie within its span."""
        with self._span("cache"):
            return super().ask(key, question, search)

    def _run(self, search: Callable[[Limits], Result], question: Question) -> Result:
        """The result of a search; a probably short one is first tried without a slot."""
        limiter, limits = self._limiter, question.limits
        if limiter is None:
            return super()._run(search, question)
        if limits.expired:
            # A search whose time is over visits no node, so it needs no slot.
            return limiter.run_at_once(partial(search, limits))
        if _probably_short(question):
            # A try that time did not end has the same result as the whole search.
            with self._span("search"):
                tried: Result | None = search(limits.until(time.monotonic_ns() + IN_PLACE_TRY_NS))
            if tried is not None and tried.stopped_by == "time":
                tried = _try_in_thread(search, limits, limiter)
            if tried is not None:
                return tried
        return limiter.run(partial(search, limits), question.stop)


def _try_in_thread(search: Callable[[Limits], Result], limits: Limits, limiter: SearchLimiter) -> Result | None:
    """The result of a short search in another thread; None if it takes longer, or other short searches are tried."""
    for _ in range(SHORT_TRIES):
        end = time.monotonic_ns() + SHORT_TRY_NS
        tried = limiter.try_at_once(partial(search, limits.until(end)))
        if tried is None or tried.stopped_by != "time":
            return tried
        ended_early = time.monotonic_ns() < end  # by the time limit of the request
        if ended_early or tried.nodes >= SHORT_TRY_NODES:
            return None
    return None


def _probably_short(question: Question) -> bool:
    """Whether a search is probably short: few cells are empty, or a book or the atlas knows the position.

    One with a listener counts as long, since it must not be tried twice.
    """
    if question.progress is not None:
        return False
    position = question.position
    return (position.empties <= SHORT_TRY_EMPTIES and solvable(position.rules)) or look_up.covers(position)
