"""Recommends moves and analyses positions. Answers are cached by the canonical form of the position."""

import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from kinarow.game.geometry import Permutation
from kinarow.game.position import Position
from kinarow.play import levels
from kinarow.play.levels import FULL_STRENGTH, MoveDistribution
from kinarow.play.reasons import reasons_for
from kinarow.search.analysis import Analysis, analyse, search_among
from kinarow.search.opening_book import reader as book
from kinarow.search.search import Listener, search, solvable
from kinarow.search_types import Limits, MoveValue, SearchInfo, SearchResult, SearchStopped, Stop
from service.answers.answer import Answer, Recommendation
from service.answers.answer_cache import Cache, CacheInfo, SharedTier, wait_for

Found = TypeVar("Found", SearchResult, Analysis, MoveDistribution)
Kept = TypeVar("Kept", Answer, MoveDistribution)
Value = TypeVar("Value")

LIVE_MOVES = 5
"""Default number of moves in the progress of an analysis."""

SHORT_TRY_NS = 4_000_000
"""Time limit for trying a probably short search at once, before it queues."""
SHORT_TRIES = 3
"""Most tries. A try is repeated if it waited for a core, so that it visited fewer than ``SHORT_TRY_NODES`` nodes."""
SHORT_TRY_NODES = 500
SHORT_TRY_EMPTIES = 16
"""A search is probably short if at most so many cells are empty."""


class Searched(NamedTuple):
    """The cost and the outcome of a search, for metrics.

    Attributes:
        nodes: positions visited.
        elapsed_ms: wall clock.
        depth: plies completed, None where it has no meaning.
        stopped_by: what ended it; None when it was stopped from outside.
        proven: whether its outcome is certain.
    """

    nodes: int
    elapsed_ms: float
    depth: int | None
    stopped_by: str | None
    proven: bool


_STOPPED = Searched(0, 0.0, None, None, False)


class Limiter(Protocol):
    """Bounds the searches, such as ``service.answers.search_limiter.SearchLimiter``.

    Any method may raise ``Overloaded`` or ``ClientDisconnected``.
    """

    def run(self, compute: Callable[[], Value], stop: Stop | None) -> Value:
        """The result of ``compute``, run when a slot is free."""

    def try_at_once(self, compute: Callable[[], Value]) -> Value | None:
        """The result of a ``compute`` of a few milliseconds, run soon, or None if the thread for these is busy."""

    def run_at_once(self, compute: Callable[[], Value]) -> Value:
        """The result of ``compute``, run now."""

    def join(self, shared: "Future[Any]", stop: Stop | None) -> None:
        """Wait until a computation of another caller has ended."""


class Recommender:
    """Answers questions about positions from one cache.

    A search always runs on the canonical form of a position, so symmetric boards share an answer, which is mapped
    back for each. The cache key is the canonical form, the rules and every limit.

    Args:
        cache_size: how many answers are kept, at least 0.
        shared: a second cache behind the first, filled by other processes too.
        limiter: bounds the searches; by default each runs at once, in the caller's thread.
        on_searched: is told of every search.
        on_hit: is called for every answer from the cache.
        on_size: is told the number of cached answers whenever it grows.
    """

    def __init__(
        self,
        *,
        cache_size: int,
        shared: SharedTier[Answer | MoveDistribution] | None = None,
        limiter: Limiter | None = None,
        on_searched: Callable[[Searched], None] = lambda searched: None,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self._cache: Cache[Answer | MoveDistribution] = Cache(cache_size, shared, on_hit, on_size)
        self._limiter = limiter
        self._on_searched = on_searched

    def move(
        self,
        position: Position,
        limits: Limits,
        *,
        level: int = FULL_STRENGTH,
        seed: int | None = None,
        allowed: tuple[int, ...] | None = None,
        stop: Stop | None = None,
    ) -> Recommendation:
        """The move of a level, at full strength the best one, and how good it is.

        Args:
            position: any position.
            limits: what the search may spend.
            level: 1 to 10.
            seed: makes the choice of a level repeatable; at full strength it chooses among the best moves.
            allowed: the moves to choose from, in tile order, or None for all.
            stop: ends the search.

        Raises:
            SearchStopped: ``stop`` was set.
        """
        asked = _canonical(position, allowed)
        if level < FULL_STRENGTH and asked.position.ending().state == "ongoing":
            answer, cached = self._choice_of_level(asked, limits, level, seed, stop)
        else:
            answer, cached = self._best_move(asked, limits, stop)
            if seed is not None:
                answer = _explained(asked, levels.among_best(asked.position, answer.result, seed))
        return Recommendation(position, answer.mapped(asked.to_original), cached)

    def analysis(
        self,
        position: Position,
        limits: Limits,
        *,
        level: int = FULL_STRENGTH,
        seed: int | None = None,
        top: int | None = None,
        allowed: tuple[int, ...] | None = None,
        stop: Stop | None = None,
        progress: Listener | None = None,
    ) -> Recommendation:
        """The answer of ``move`` with the value of every legal move, or of every allowed one.

        Args:
            top: the number of moves in the recommendation, best first; None for all.
            progress: called with each iteration and the values of the best ``top`` moves so far, or of
                the best five if ``top`` is None.
        """
        asked = _canonical(position, allowed)
        listener = None if progress is None else _Mapped(progress, asked.to_original, top or LIVE_MOVES)
        if level < FULL_STRENGTH and asked.position.ending().state == "ongoing":
            answer, cached = self._analysis_of_level(asked, limits, level, seed, stop, listener)
        else:
            answer, cached = self._analysis(asked, limits, stop, listener)
            if seed is not None and len(answer.result.best_moves) > 1:
                answer = self._with_seeded_choice(asked, limits, answer, seed, stop)
        mapped = answer.mapped(asked.to_original)
        first = mapped.result.move if level == FULL_STRENGTH else None
        moves = sorted(mapped.moves, key=lambda value: (value.move != first, -value.score.value, value.move))
        return Recommendation(position, mapped, cached, tuple(moves[:top]))

    def searched(self, position: Position, limits: Limits, *, stop: Stop | None = None) -> SearchResult:
        """The result of a search at full strength, on the position's own board."""
        asked = _canonical(position, None)
        answer, _ = self._best_move(asked, limits, stop)
        return answer.result.mapped(asked.to_original)

    def cache_info(self) -> CacheInfo:
        """The cache's counts since the start."""
        return self._cache.info()

    def _get(
        self,
        key: Hashable,
        search: Callable[[Limits], Found],
        explain: Callable[[Found], Kept],
        limits: Limits,
        stop: Stop | None,
        *,
        position: Position,
        has_listener: bool = False,
    ) -> tuple[Kept, bool]:
        """The value of a key, and whether it was cached, shared or computed for another caller.

        Args:
            key: everything that determines the value.
            search: searches within limits, in a thread of the limiter.
            explain: makes the value from the result of the search.
            limits: those of the request.
            stop: is set when the client disconnects.
            position: the canonical position; it tells whether the search is probably short.
            has_listener: whether the search reports its progress; then it must not be tried twice.
        """
        cache: Any = self._cache
        with cache.lookup(key, _repeatable, self._joining(limits, stop)) as lookup:
            if not lookup.cached:
                try:
                    short = self._limiter is not None and not has_listener and _probably_short(position)
                    found = self._run(search, limits, stop, short=short)
                except SearchStopped:
                    self._on_searched(_STOPPED)
                    raise
                self._count(found)
                lookup.value = explain(found)
        return lookup.value, lookup.cached

    def _joining(self, limits: Limits, stop: Stop | None) -> "Callable[[Future[Any]], None] | None":
        """How to wait for another's computation; None if the request has a deadline, since it must not wait."""
        if limits.deadline_ns is not None:
            return None
        if self._limiter is None:
            return wait_for
        return partial(self._limiter.join, stop=stop)

    def _run(
        self, search: Callable[[Limits], Found], limits: Limits, stop: Stop | None, *, short: bool
    ) -> Found:
        """The result of a search; a probably ``short`` one is first tried without a slot."""
        limiter = self._limiter
        if limiter is None:
            return search(limits)
        if limits.expired:
            # A search whose time is over visits no node, so it needs no slot.
            return limiter.run_at_once(partial(search, limits))
        for _ in range(SHORT_TRIES if short else 0):
            end = time.monotonic_ns() + SHORT_TRY_NS
            found = limiter.try_at_once(partial(search, limits.until(end)))
            if found is None:
                break
            cost = _cost_of(found)
            # If time did not end it, the result is that of the whole search.
            if cost.stopped_by != "time":
                return found
            if time.monotonic_ns() < end or cost.nodes >= SHORT_TRY_NODES:
                break
        return limiter.run(partial(search, limits), stop)

    def _count(self, found: "SearchResult | Analysis | MoveDistribution") -> None:
        """Report a search to the metrics."""
        cost = _cost_of(found)
        if isinstance(cost, MoveDistribution):
            self._on_searched(Searched(cost.nodes, cost.elapsed_ms, None, cost.stopped_by, False))
        elif cost.move is not None:
            self._on_searched(Searched(cost.nodes, cost.elapsed_ms, cost.depth, cost.stopped_by, cost.proven))

    def _best_move(self, asked: "_Asked", limits: Limits, stop: Stop | None) -> tuple[Answer, bool]:
        """The best move at full strength, and whether it was cached."""
        find: Callable[[Limits], SearchResult]
        if asked.allowed is None:
            find = partial(search, asked.position, stop=stop)
        else:
            find = partial(search_among, asked.position, allowed=asked.allowed, stop=stop)
        return self._get(
            asked.key("move", limits), find, partial(_explained, asked), limits, stop, position=asked.position
        )

    def _analysis(
        self, asked: "_Asked", limits: Limits, stop: Stop | None, listener: "_Mapped | None"
    ) -> tuple[Answer, bool]:
        """The best move at full strength with the value of every move, and whether it was cached."""
        find = partial(
            analyse,
            asked.position,
            stop=stop,
            progress=listener,
            live_moves=listener.count if listener else 0,
            allowed=asked.allowed,
        )
        return self._get(
            asked.key("analysis", limits),
            find,
            lambda found: _explained(asked, found.result, found.moves),
            limits,
            stop,
            position=asked.position,
            has_listener=listener is not None,
        )

    def _distribution(
        self, asked: "_Asked", limits: Limits, level: int, stop: Stop | None
    ) -> tuple[MoveDistribution, bool]:
        """The probability with which a level makes each move, and whether it was cached."""
        position = asked.position
        return self._get(
            ("distribution", position.rules, position.cells, limits, level),
            partial(levels.move_distribution, position, level, stop=stop),
            lambda found: found,
            limits,
            stop,
            position=position,
        )

    def _choice_of_level(
        self, asked: "_Asked", limits: Limits, level: int, seed: int | None, stop: Stop | None
    ) -> tuple[Answer, bool]:
        """The choice of a level below full strength with its value, and whether both were cached."""
        distribution, distribution_cached = self._distribution(asked, limits, level, stop)
        move = _sample(asked, level, distribution, seed)
        position = asked.position
        answer, cached = self._get(
            ("choice", position.rules, position.cells, limits, move, asked.allowed),
            partial(levels.value_of_choice, position, move, stop=stop, allowed=asked.allowed),
            partial(_explained, asked),
            limits,
            stop,
            position=position,
        )
        result = levels.with_choice_cost(answer.result, distribution)
        return replace(answer, result=result), distribution_cached and cached

    def _analysis_of_level(
        self,
        asked: "_Asked",
        limits: Limits,
        level: int,
        seed: int | None,
        stop: Stop | None,
        listener: "_Mapped | None",
    ) -> tuple[Answer, bool]:
        """The choice of a level with the value of every move, and whether all was cached."""
        distribution, distribution_cached = self._distribution(asked, limits, level, stop)
        answer, cached = self._analysis(asked, levels.after_choice(limits), stop, listener)
        move = _sample(asked, level, distribution, seed)
        value = next(value for value in answer.moves if value.move == move)
        chosen = replace(answer.result, move=move, score=value.score, line=value.line)
        result = levels.with_choice_cost(chosen, distribution)
        return _explained(asked, result, answer.moves), distribution_cached and cached

    def _with_seeded_choice(
        self, asked: "_Asked", limits: Limits, analysed: Answer, seed: int, stop: Stop | None
    ) -> Answer:
        """An analysis with the move that the seed chooses, the same one that ``move`` chooses."""
        answer, _ = self._best_move(asked, limits, stop)
        choices = answer.result if answer.result.score.exact else analysed.result
        chosen = levels.among_best(asked.position, choices, seed)
        moves = tuple(
            replace(value, line=chosen.line) if value.move == chosen.move else value
            for value in analysed.moves
        )
        return _explained(asked, replace(analysed.result, move=chosen.move, line=chosen.line), moves)


class _Asked(NamedTuple):
    """A request on its canonical position, which is searched.

    Attributes:
        position: the canonical position.
        to_original: ``to_original[i]`` is the cell of the requested board for cell ``i`` of the canonical one.
        allowed: the moves to choose from, in tile order, or None for all.
    """

    position: Position
    to_original: Permutation
    allowed: tuple[int, ...] | None

    def key(self, kind: str, limits: Limits) -> Hashable:
        """The cache key of an answer at full strength; answers with ``allowed`` are not shared between machines."""
        if self.allowed is None:
            return kind, self.position.rules, self.position.cells, limits
        return f"{kind} among", self.position.rules, self.position.cells, limits, self.allowed


class _Mapped:
    """A listener to the search of a canonical position that passes the progress on for the requested board."""

    def __init__(self, listener: Listener, to_original: Permutation, count: int) -> None:
        self._listener = listener
        self._to_original = to_original
        self.count = count

    def __call__(self, info: SearchInfo) -> None:
        """Pass it on."""
        self._listener(info.mapped(self._to_original))


def _canonical(position: Position, allowed: tuple[int, ...] | None) -> _Asked:
    """The request on the canonical position; symmetric requests get the same one."""
    if allowed is None:
        canonical = position.canonical()
        return _Asked(canonical.position, canonical.to_original, None)
    canonical, cells = position.canonical_among(allowed)
    return _Asked(canonical.position, canonical.to_original, cells)


def _probably_short(position: Position) -> bool:
    """Whether a search is probably short: few cells are empty, or a book knows the position."""
    opening = book.shipped(position.rules)
    in_book = opening is not None and position.rules.cells - position.empties < opening.plies
    return in_book or (position.empties <= SHORT_TRY_EMPTIES and solvable(position.rules))


def _cost_of(found: SearchResult | Analysis | MoveDistribution) -> SearchResult | MoveDistribution:
    """The part of a result that has the cost and the reason for its end."""
    return found.result if isinstance(found, Analysis) else found


def _repeatable(kept: Answer | MoveDistribution) -> bool:
    """Whether the same request always gets this answer."""
    stopped_by = kept.stopped_by if isinstance(kept, MoveDistribution) else kept.result.stopped_by
    return stopped_by != "time"


def _explained(asked: _Asked, result: SearchResult, moves: tuple[MoveValue, ...] = ()) -> Answer:
    """The answer with its reasons. Reasons that compare moves are left out if the moves were restricted."""
    if result.move is None:
        return Answer(result, (), moves)
    is_best = result.move in result.best_moves and asked.allowed is None
    return Answer(result, reasons_for(asked.position, result.move, result.score, is_best=is_best), moves)


def _sample(asked: _Asked, level: int, distribution: MoveDistribution, seed: int | None) -> int:
    """The move a level makes: the seed's choice, or without a seed a random one."""
    if asked.allowed is not None:
        distribution = levels.restricted(distribution, asked.allowed)
    number = levels.new_seed() if seed is None else seed
    return levels.sample(asked.position, level, distribution, number)
