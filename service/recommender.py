"""The use cases: recommend a move, analyse a position; symmetry, cache and engine behind plain data."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from service.cache import Cache, CacheInfo
from service.engine import levels
from service.engine import search as engine
from service.engine.heuristic import static_evaluation
from service.engine.levels import FULL_STRENGTH, Chances
from service.engine.notation import side_name, write_cell, write_rows
from service.engine.position import Ending, Position, X
from service.engine.reasons import Reason, reasons_for
from service.engine.score import Score
from service.engine.search import Limits, MoveValue, Progress, SearchResult, Stop

Answer = dict[str, Any]
"""An answer of ``API.md``'s shape: plain data, ready for JSON."""

ELAPSED_DECIMALS = 3

SEED_BITS = 53
"""As many bits as the seeds have that a request may send."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is kept of a question: the result, why its move, and every move's value where they were asked for."""

    result: SearchResult
    reasons: tuple[Reason, ...]
    moves: tuple[MoveValue, ...] = ()


class Recommender:
    """Answers questions about positions from one cache.

    A search always runs on the canonical form of a position, so that symmetric boards share an answer
    and get it mapped back; what is cached is keyed by that form, the rules and every limit.

    Args:
        cache_size: how many answers are kept, at least 0.
    """

    def __init__(self, *, cache_size: int) -> None:
        self._cache: Cache[_Known | Chances] = Cache(cache_size)

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

    def _searched(self, form: Position, limits: Limits, stop: Stop | None) -> tuple[_Known, bool]:
        """The best move of a canonical form, and whether it was known before."""
        known, cached = self._cache.get(
            ("move", form.rules, form.cells, limits),
            lambda: _explained(form, engine.search(form, limits, stop=stop)),
            _repeatable,
        )
        assert isinstance(known, _Known)
        return known, cached

    def _analysed(
        self, form: Position, limits: Limits, stop: Stop | None, progress: Callable[[Progress], None] | None
    ) -> tuple[_Known, bool]:
        """The same with the value of every move."""

        def compute() -> _Known:
            analysis = engine.analyse(form, limits, stop=stop, progress=progress)
            return _explained(form, analysis.result, analysis.moves)

        known, cached = self._cache.get(("analysis", form.rules, form.cells, limits), compute, _repeatable)
        assert isinstance(known, _Known)
        return known, cached

    def _chances(self, form: Position, limits: Limits, level: int, stop: Stop | None) -> tuple[Chances, bool]:
        """How likely a level makes each move, and whether that was known before."""
        options, cached = self._cache.get(
            ("chances", form.rules, form.cells, limits, level),
            lambda: levels.chances(form, level, limits, stop=stop),
            _repeatable,
        )
        assert isinstance(options, Chances)
        return options, cached

    def _at_level(
        self, form: Position, limits: Limits, level: int, seed: int | None, stop: Stop | None
    ) -> tuple[_Known, bool]:
        """The choice of a level below full strength with its value, and whether both were known before."""
        options, drawn_before = self._chances(form, limits, level, stop)
        move = _draw(form, level, options, seed)
        known, valued_before = self._cache.get(
            ("chosen", form.rules, form.cells, limits, move),
            lambda: _explained(form, levels.valued(form, move, limits, stop=stop)),
            _repeatable,
        )
        assert isinstance(known, _Known)
        return replace(known, result=_with_cost(known.result, options)), drawn_before and valued_before

    def _seeded(
        self, form: Position, limits: Limits, analysed: _Known, seed: int, stop: Stop | None
    ) -> SearchResult:
        """An analysis's result with the seed's choice: among the moves that ``move`` knows, to agree with it."""
        known, _ = self._searched(form, limits, stop)
        if known.result.score.exact:
            chosen = levels.among_best(form, known.result, seed)
        else:
            chosen = levels.among_best(form, analysed.result, seed)
        return replace(analysed.result, move=chosen.move, line=chosen.line)


def _repeatable(found: _Known | Chances) -> bool:
    """Whether the same question gets this answer every time."""
    stopped_by = found.stopped_by if isinstance(found, Chances) else found.result.stopped_by
    return stopped_by != "time"


def _explained(form: Position, result: SearchResult, moves: tuple[MoveValue, ...] = ()) -> _Known:
    """A result with the reasons for its move."""
    if result.move is None:
        return _Known(result, (), moves)
    is_best = result.move in result.best_moves
    return _Known(result, reasons_for(form, result.move, result.score, is_best=is_best), moves)


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


def ending_fields(ending: Ending, columns: int) -> Answer:
    """How a game stands, as answers show it."""
    return {
        "state": ending.state,
        "winner": None if ending.winner is None else side_name(ending.winner),
        "winning_cells": [write_cell(cell, columns) for cell in ending.winning_cells],
    }


def _move_answer(position: Position, known: _Known, asked: tuple[int, ...], cached: bool) -> Answer:
    """The answer of ``/move`` from what is known of the canonical form."""
    result = _mapped_result(known.result, asked)
    columns = position.rules.columns
    after = position if result.move is None else position.play(result.move)
    return {
        "move": None if result.move is None else write_cell(result.move, columns),
        **score_fields(result.score),
        "to_move": side_name(position.to_move),
        **ending_fields(position.ending(), columns),
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
        "after": ending_fields(after.ending(), columns),
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
