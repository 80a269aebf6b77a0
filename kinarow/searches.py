"""Runs the searches behind answers in the caller's thread, and keeps their answers.

``service.searches`` adds what a server needs: slots, queues and a tier that workers share.
"""

from collections.abc import Callable, Hashable
from typing import Any

from kinarow import cores
from kinarow.answer_cache import Cache
from kinarow.engine import Question, Result
from kinarow.play.levels import MoveDistribution
from kinarow.search_types import Limits, SearchResult, SearchStopped

Searched = SearchResult | MoveDistribution | None
"""The result of a search, for metrics; None if it was stopped from outside."""


class CachedSearches:
    """Searches with a cache: ``ask`` is the hook through which ``kinarow.engine`` searches.

    Args:
        cache_bytes: the most memory of the answers that are kept.
        on_searched: called with the result of each search of an ongoing game.
        options: the further arguments of ``Cache``.
    """

    def __init__(
        self, cache_bytes: int, on_searched: Callable[[Searched], None] = lambda searched: None, **options: Any
    ) -> None:
        self._cache: Cache[Any] = Cache(cache_bytes, lasts=lambda value: value.stopped_by != "time", **options)
        self._on_searched = on_searched

    def ask(self, key: Hashable, question: Question, search: Callable[[Limits], Result]) -> tuple[Result, bool]:
        """The result of a key, and whether it was cached, shared or computed for another caller.

        ``SearchStopped``: the question's ``stop`` was set.
        """

        def compute() -> Result:
            try:
                result = self._run(search, question)
            except SearchStopped:
                self._on_searched(None)
                raise
            if question.position.ending().state == "ongoing":
                self._on_searched(result)
            return result

        return self._cache.get(key, compute, question.limits, question.stop)

    def _run(self, search: Callable[[Limits], Result], question: Question) -> Result:
        """The result of a search."""
        with cores.current().search():
            return search(question.limits)
