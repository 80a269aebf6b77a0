"""Runs the searches behind answers in the caller's thread, and keeps their answers.

``service.searches`` adds what a server needs: slots, queues and a tier that workers share.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from kinarow import cores
from kinarow.answer_cache import Cache
from kinarow.engine import Kept, Question, Result
from kinarow.search_types import Limits, SearchStopped


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

    Args:
        cache_size: the most answers that are kept.
        on_searched: called with the cost of each search.
        options: the further arguments of ``Cache``.
    """

    def __init__(
        self, cache_size: int, on_searched: Callable[[Searched], None] = lambda searched: None, **options: Any
    ) -> None:
        self._cache: Cache[Any] = Cache(cache_size, lasts=lambda value: value.stopped_by != "time", **options)
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

        return self._cache.get(key, compute, question.limits, question.stop)

    def _run(self, search: Callable[[Limits], Result], question: Question) -> Result:
        """The result of a search."""
        with cores.current().search():
            return search(question.limits)
