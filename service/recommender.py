"""The use cases: recommend a move, analyse a position; symmetry, cache and engine behind plain data."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from service.cache import Cache, CacheInfo
from service.engine import search as engine
from service.engine.heuristic import static_evaluation
from service.engine.notation import side_name, write_cell, write_rows
from service.engine.position import X, Ending, Position
from service.engine.score import Score
from service.engine.search import Analysis, Limits, MoveValue, Progress, SearchResult, Stop

Answer = dict[str, Any]
"""An answer of ``API.md``'s shape: plain data, ready for JSON."""

ELAPSED_DECIMALS = 3


class Recommender:
    """Answers questions about positions from one cache.

    A search always runs on the canonical form of a position, so that symmetric boards share an answer
    and get it mapped back; what is cached is keyed by that form, the rules and every limit.

    Args:
        cache_size: how many answers are kept, at least 0.
    """

    def __init__(self, *, cache_size: int) -> None:
        self._cache: Cache[SearchResult | Analysis] = Cache(cache_size)

    def move(
        self, position: Position, limits: Limits, *, level: int = 10, seed: int | None = None, stop: Stop | None = None
    ) -> Answer:
        """The best move and how good it is."""
        form, asked = _canonical(position)
        result, cached = self._cache.get(
            ("move", form.rules, form.cells, limits),
            lambda: engine.search(form, limits, stop=stop),
            _repeatable,
        )
        assert isinstance(result, SearchResult)
        return _move_answer(position, _mapped_result(result, asked), cached)

    def analysis(
        self,
        position: Position,
        limits: Limits,
        *,
        level: int = 10,
        seed: int | None = None,
        top: int | None = None,
        stop: Stop | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """What ``move`` answers, and the value of every legal move."""
        form, asked = _canonical(position)
        report = None
        if progress is not None:

            def report(news: Progress, tell: Callable[[Progress], None] = progress) -> None:
                tell(replace(news, line=_mapped(news.line, asked)))

        analysis, cached = self._cache.get(
            ("analysis", form.rules, form.cells, limits),
            lambda: engine.analyse(form, limits, stop=stop, progress=report),
            _repeatable,
        )
        assert isinstance(analysis, Analysis)
        result = _mapped_result(analysis.result, asked)
        values = [replace(value, move=asked[value.move], line=_mapped(value.line, asked)) for value in analysis.moves]
        values.sort(key=lambda value: (value.move != result.move, -value.score.value, value.move))
        answer = _move_answer(position, result, cached)
        answer["moves"] = [_value_answer(value, position.rules.columns) for value in values[:top]]
        answer["static_evaluation"] = static_evaluation(position)
        return answer

    def cache_info(self) -> CacheInfo:
        """The cache's counts since the start."""
        return self._cache.info()


def _repeatable(found: SearchResult | Analysis) -> bool:
    """Whether the same question gets this answer every time."""
    result = found.result if isinstance(found, Analysis) else found
    return result.stopped_by != "time"


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


def _ending_fields(ending: Ending, columns: int) -> Answer:
    return {
        "state": ending.state,
        "winner": None if ending.winner is None else side_name(ending.winner),
        "winning_cells": [write_cell(cell, columns) for cell in ending.winning_cells],
    }


def _move_answer(position: Position, result: SearchResult, cached: bool) -> Answer:
    """The answer of ``/move``."""
    columns = position.rules.columns
    after = position if result.move is None else position.play(result.move)
    return {
        "move": None if result.move is None else write_cell(result.move, columns),
        **score_fields(result.score),
        "to_move": side_name(position.to_move),
        **_ending_fields(position.ending(), columns),
        "line": [write_cell(cell, columns) for cell in result.line],
        "best_moves": [write_cell(cell, columns) for cell in result.best_moves],
        "best_moves_complete": result.best_moves_complete,
        "board": write_rows(after),
        "after": _ending_fields(after.ending(), columns),
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
