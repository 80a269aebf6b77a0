"""The use cases: recommend a move, analyse a position; symmetry, cache and engine behind plain data."""

import secrets
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

from service.cache import Cache, CacheInfo, SharedTier
from service.engine import book, levels
from service.engine import search as engine
from service.engine.heuristic import static_evaluation
from service.engine.levels import FULL_STRENGTH, Chances
from service.engine.notation import side_name, write_cell, write_ending, write_rows
from service.engine.position import Position, X
from service.engine.reasons import reasons_for
from service.engine.score import Score
from service.engine.search import Limits, MoveValue, Progress, SearchResult, Stop
from service.known import Known

Answer = dict[str, Any]
"""An answer of ``API.md``'s shape: plain data, ready for JSON."""

ELAPSED_DECIMALS = 3

Found = TypeVar("Found")

BRIEF_NS = 4_000_000
"""For so long a search that may well be over in a moment is tried before it takes its turn."""
BRIEF_ATTEMPTS = 3
"""How often, where it was spent waiting for a core: less than ``BRIEF_NODES`` were visited."""
BRIEF_NODES = 500
BRIEF_EMPTIES = 16
"""The most empty cells with which it may."""

SEED_BITS = 53
"""As many bits as the seeds have that a request may send."""


class Searched(NamedTuple):
    """What a search has cost and found, for who counts searches.

    Attributes:
        nodes: positions visited.
        elapsed_ms: wall clock.
        depth: plies completed, None where that says nothing.
        stopped_by: what ended it; None when it was told to stop.
        proven: whether its outcome is certain.
    """

    nodes: int
    elapsed_ms: float
    depth: int | None
    stopped_by: str | None
    proven: bool


_STOPPED = Searched(0, 0.0, None, None, False)


class Gate(Protocol):
    """What every search has to pass, such as ``service.admission.Admission``; either may raise instead."""

    def run(
        self, compute: Callable[[], Found], stop: Stop | None, brief: Callable[[], Found | None] | None
    ) -> Found:
        """What ``compute`` returns, run as soon as it may; or at once what ``brief`` does, if that is not None."""

    def follow(self, shared: "Future[Any]", stop: Stop | None) -> None:
        """Wait until another's computation has ended."""


class Recommender:
    """Answers questions about positions from one cache.

    A search always runs on the canonical form of a position, so that symmetric boards share an answer
    and get it mapped back; what is cached is keyed by that form, the rules and every limit.

    Args:
        cache_size: how many answers are kept, at least 0.
        shared: a second cache behind the first, filled by other processes too.
        gate: what every search has to pass; by default all run at once.
        on_searched: told of every search that was made.
    """

    def __init__(
        self,
        *,
        cache_size: int,
        shared: SharedTier[Known | Chances] | None = None,
        gate: Gate | None = None,
        on_searched: Callable[[Searched], None] | None = None,
    ) -> None:
        self._cache: Cache[Known | Chances] = Cache(cache_size, shared)
        self._gate = gate
        self._on_searched = on_searched

    def move(
        self,
        position: Position,
        limits: Limits,
        *,
        level: int = FULL_STRENGTH,
        seed: int | None = None,
        stop: Stop | None = None,
    ) -> Answer:
        """The move that a level makes, at full strength the best one, and how good it is."""
        form, asked = _canonical(position)
        if level < FULL_STRENGTH and form.ending().state == "ongoing":
            known, cached = self._at_level(form, limits, level, seed, stop)
        else:
            known, cached = self._searched(form, limits, stop)
            if seed is not None:
                known = _explained(form, levels.among_best(form, known.result, seed))
        return _move_answer(position, known, asked, cached)

    def analysis(
        self,
        position: Position,
        limits: Limits,
        *,
        level: int = FULL_STRENGTH,
        seed: int | None = None,
        top: int | None = None,
        stop: Stop | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """What ``move`` answers, and the value of every legal move."""
        form, asked = _canonical(position)
        listener = _mapped_progress(progress, asked)
        if level < FULL_STRENGTH and form.ending().state == "ongoing":
            options, drawn_before = self._chances(form, limits, level, stop)
            known, cached = self._analysed(form, levels.after_choice(limits), stop, listener)
            move = _draw(form, level, options, seed)
            value = next(value for value in known.moves if value.move == move)
            known = _explained(form, _with_choice(known.result, value, options), known.moves)
            cached = cached and drawn_before
        else:
            known, cached = self._analysed(form, limits, stop, listener)
            if seed is not None and len(known.result.best_moves) > 1:
                result = self._seeded(form, limits, known, seed, stop)
                moves = [
                    replace(each, line=result.line) if each.move == result.move else each
                    for each in known.moves
                ]
                known = _explained(form, result, tuple(moves))
        answer = _move_answer(position, known, asked, cached)
        values = [
            replace(value, move=asked[value.move], line=_mapped(value.line, asked)) for value in known.moves
        ]
        first = asked[known.result.move] if known.result.move is not None and level == FULL_STRENGTH else None
        values.sort(key=lambda value: (value.move != first, -value.score.value, value.move))
        answer["moves"] = [_value_answer(value, position.rules.columns) for value in values[:top]]
        answer["static_evaluation"] = static_evaluation(position)
        return answer

    def searched(self, position: Position, limits: Limits, *, stop: Stop | None = None) -> SearchResult:
        """The result of a search at full strength, its cells those of the position."""
        form, asked = _canonical(position)
        known, _ = self._searched(form, limits, stop)
        return _mapped_result(known.result, asked)

    def cache_info(self) -> CacheInfo:
        """The cache's counts since the start."""
        return self._cache.info()

    def _get(
        self,
        key: Hashable,
        compute: Callable[[Limits], "Known | Chances"],
        limits: Limits,
        stop: Stop | None,
        *,
        form: Position,
        listened: bool = False,
    ) -> "tuple[Known | Chances, bool]":
        """What is kept under a key or computed once the gate allows, and whether it was kept or shared.

        Args:
            key: everything that shapes the answer.
            compute: makes it within such limits.
            limits: those asked for.
            stop: set when the client goes away.
            form: what is searched: it decides whether the answer may well be found in a moment.
            listened: somebody hears of the search's progress, who should hear of one search.
        """
        gate = self._gate

        def whole() -> Known | Chances:
            return self._counted(lambda: compute(limits))

        def at_once() -> Known | Chances | None:
            found = _tried(compute, limits)
            if found is not None:
                self._count(found)
            return found

        def admitted() -> Known | Chances:
            if gate is None or limits.expired:
                # A search whose time is over looks at nothing: it need not wait for its turn.
                return whole()
            return gate.run(whole, stop, at_once if not listened and _likely_brief(form) else None)

        if limits.deadline_ns is not None:
            # Whoever shares its time with others can wait for nobody.
            return self._cache.get_alone(key, admitted, _repeatable)
        if gate is None:
            return self._cache.get(key, admitted, _repeatable)
        return self._cache.get(key, admitted, _repeatable, lambda shared: gate.follow(shared, stop))

    def _counted(self, compute: Callable[[], "Known | Chances"]) -> "Known | Chances":
        """What a search finds; who counts is told."""
        try:
            found = compute()
        except engine.SearchStopped:
            if self._on_searched is not None:
                self._on_searched(_STOPPED)
            raise
        self._count(found)
        return found

    def _count(self, found: "Known | Chances") -> None:
        """Tell who counts of a search that found something."""
        if self._on_searched is None:
            return
        if isinstance(found, Chances):
            self._on_searched(Searched(found.nodes, found.elapsed_ms, None, found.stopped_by, False))
        elif found.result.move is not None:
            result = found.result
            self._on_searched(
                Searched(
                    result.nodes, result.elapsed_ms, result.depth, result.stopped_by, result.score.proven
                )
            )

    def _searched(self, form: Position, limits: Limits, stop: Stop | None) -> tuple[Known, bool]:
        """The best move of a canonical form, and whether it was known before."""
        known, cached = self._get(
            ("move", form.rules, form.cells, limits),
            lambda within: _explained(form, engine.search(form, within, stop=stop)),
            limits,
            stop,
            form=form,
        )
        assert isinstance(known, Known)
        return known, cached

    def _analysed(
        self, form: Position, limits: Limits, stop: Stop | None, progress: Callable[[Progress], None] | None
    ) -> tuple[Known, bool]:
        """The same with the value of every move."""

        def compute(within: Limits) -> Known:
            analysis = engine.analyse(form, within, stop=stop, progress=progress)
            return _explained(form, analysis.result, analysis.moves)

        key = ("analysis", form.rules, form.cells, limits)
        known, cached = self._get(key, compute, limits, stop, form=form, listened=progress is not None)
        assert isinstance(known, Known)
        return known, cached

    def _chances(self, form: Position, limits: Limits, level: int, stop: Stop | None) -> tuple[Chances, bool]:
        """How likely a level makes each move, and whether that was known before."""
        options, cached = self._get(
            ("chances", form.rules, form.cells, limits, level),
            lambda within: levels.chances(form, level, within, stop=stop),
            limits,
            stop,
            form=form,
        )
        assert isinstance(options, Chances)
        return options, cached

    def _at_level(
        self, form: Position, limits: Limits, level: int, seed: int | None, stop: Stop | None
    ) -> tuple[Known, bool]:
        """The choice of a level below full strength with its value, and whether both were known before."""
        options, drawn_before = self._chances(form, limits, level, stop)
        move = _draw(form, level, options, seed)
        known, valued_before = self._get(
            ("chosen", form.rules, form.cells, limits, move),
            lambda within: _explained(form, levels.valued(form, move, within, stop=stop)),
            limits,
            stop,
            form=form,
        )
        assert isinstance(known, Known)
        return replace(known, result=_with_cost(known.result, options)), drawn_before and valued_before

    def _seeded(
        self, form: Position, limits: Limits, analysed: Known, seed: int, stop: Stop | None
    ) -> SearchResult:
        """An analysis's result with the seed's choice: among the moves that ``move`` knows, to agree with it."""
        known, _ = self._searched(form, limits, stop)
        if known.result.score.exact:
            chosen = levels.among_best(form, known.result, seed)
        else:
            chosen = levels.among_best(form, analysed.result, seed)
        return replace(analysed.result, move=chosen.move, line=chosen.line)


def _likely_brief(form: Position) -> bool:
    """Whether a search may well end in a moment: little is left to play, or a book knows the position."""
    marks = form.rules.cells - form.empties
    opening = book.shipped(form.rules)
    in_book = opening is not None and marks < opening.plies
    return in_book or (form.empties <= BRIEF_EMPTIES and engine.solvable(form.rules))


def _tried(compute: Callable[[Limits], "Known | Chances"], limits: Limits) -> "Known | Chances | None":
    """What a search finds within ``BRIEF_NS``, or None; again where it waited for a core instead of searching."""
    for _ in range(BRIEF_ATTEMPTS):
        end = time.monotonic_ns() + BRIEF_NS
        found = compute(limits.until(end))
        # What the clock has not cut short is what the whole search would have found.
        if _repeatable(found):
            return found
        nodes = found.nodes if isinstance(found, Chances) else found.result.nodes
        if time.monotonic_ns() < end or nodes >= BRIEF_NODES:
            break
    return None


def _repeatable(found: Known | Chances) -> bool:
    """Whether the same question gets this answer every time."""
    stopped_by = found.stopped_by if isinstance(found, Chances) else found.result.stopped_by
    return stopped_by != "time"


def _explained(form: Position, result: SearchResult, moves: tuple[MoveValue, ...] = ()) -> Known:
    """A result with the reasons for its move."""
    if result.move is None:
        return Known(result, (), moves)
    is_best = result.move in result.best_moves
    return Known(result, reasons_for(form, result.move, result.score, is_best=is_best), moves)


def _draw(form: Position, level: int, options: Chances, seed: int | None) -> int:
    """The move a level makes: the seed's choice, or without one a different choice every time."""
    return levels.draw(form, level, options, secrets.randbits(SEED_BITS) if seed is None else seed)


def _with_cost(result: SearchResult, options: Chances) -> SearchResult:
    """The result with what the choice cost besides."""
    return replace(
        result,
        nodes=result.nodes + options.nodes,
        elapsed_ms=result.elapsed_ms + options.elapsed_ms,
        stopped_by=levels.worst((result.stopped_by, options.stopped_by)),
    )


def _with_choice(result: SearchResult, value: MoveValue, options: Chances) -> SearchResult:
    """An analysis's result with another move chosen."""
    return _with_cost(replace(result, move=value.move, score=value.score, line=value.line), options)


def _mapped_progress(
    progress: Callable[[Progress], None] | None, asked: tuple[int, ...]
) -> Callable[[Progress], None] | None:
    """A listener to a canonical form's search that tells one who knows the asked board."""
    if progress is None:
        return None
    return lambda news: progress(replace(news, line=_mapped(news.line, asked)))


def _canonical(position: Position) -> tuple[Position, tuple[int, ...]]:
    """The position to search, X to move in it, and for each of its cells the cell of the asked board."""
    form = position.canonical()
    return Position(position.rules, form.cells, X), form.to_asked


def _mapped(cells: tuple[int, ...], asked: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(asked[cell] for cell in cells)


def _mapped_result(result: SearchResult, asked: tuple[int, ...]) -> SearchResult:
    """The result with its cells on the board that was asked about."""
    return replace(
        result,
        move=None if result.move is None else asked[result.move],
        line=_mapped(result.line, asked),
        best_moves=tuple(sorted(_mapped(result.best_moves, asked))),
    )


def score_fields(score: Score) -> Answer:
    """A score as answers show it."""
    return {
        "score": score.value,
        "outcome": score.outcome,
        "distance": score.distance,
        "distance_is_bound": score.is_bound,
        "proven": score.proven,
    }


def _move_answer(position: Position, known: Known, asked: tuple[int, ...], cached: bool) -> Answer:
    """The answer of ``/move`` from what is known of the canonical form."""
    result = _mapped_result(known.result, asked)
    columns = position.rules.columns
    after = position if result.move is None else position.play(result.move)
    return {
        "move": None if result.move is None else write_cell(result.move, columns),
        **score_fields(result.score),
        "to_move": side_name(position.to_move),
        **write_ending(position),
        "line": [write_cell(cell, columns) for cell in result.line],
        "best_moves": [write_cell(cell, columns) for cell in result.best_moves],
        "best_moves_complete": result.best_moves_complete,
        "reasons": [
            {
                "code": reason.code,
                "cells": [write_cell(cell, columns) for cell in sorted(_mapped(reason.cells, asked))],
            }
            for reason in known.reasons
        ],
        "board": write_rows(after),
        "after": write_ending(after),
        "search": {
            "depth": result.depth,
            "nodes": result.nodes,
            "elapsed_ms": round(result.elapsed_ms, ELAPSED_DECIMALS),
            "stopped_by": result.stopped_by,
            "cached": cached,
        },
    }


def _value_answer(value: MoveValue, columns: int) -> Answer:
    """One entry of ``moves`` in the answer of ``/analysis``."""
    return {
        **write_cell(value.move, columns),
        **score_fields(value.score),
        "line": [write_cell(cell, columns) for cell in value.line],
    }
