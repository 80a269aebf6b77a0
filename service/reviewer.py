"""The use case of a review: a whole game graded move by move."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from service.engine import score
from service.engine.grades import grade
from service.engine.notation import side_name, write_cell, write_ending
from service.engine.position import Side
from service.engine.record import Ply, replay
from service.engine.rules import Rules
from service.engine.score import Score
from service.engine.search import Limits, SearchResult, Stop
from service.recommender import Recommender, score_fields

_NANOSECONDS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Judged:
    """A move that was played: its value, the best value known and the moves that have it."""

    played: Score
    best: Score
    best_moves: tuple[int, ...]
    grade: str


def review(
    recommender: Recommender,
    rules: Rules,
    first: Side,
    moves: Sequence[object],
    limits: Limits,
    *,
    total_time_ms: int,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Grade every move of a game; every position is searched once, the last one included.

    Args:
        recommender: where the searches are made and kept.
        rules: the game.
        first: the side that begins.
        moves: as ``record.replay`` takes them.
        limits: for each position.
        total_time_ms: bounds the whole. The search goes from the end of the game to its beginning, since the
            last positions are the easiest, and each may use an equal part of what those after it have left.
        stop: ends the searches.

    Returns:
        The answer of ``/review``, plain data.

    Raises:
        InputError: a move is not possible; the pointer is ``/moves/i``.
        SearchStopped: ``stop`` was set.
    """
    plies, last = replay(rules, first, moves)
    positions = [ply.position for ply in plies] + [last]
    results: list[SearchResult] = []
    end = time.monotonic_ns() + total_time_ms * _NANOSECONDS_PER_MS
    for left in range(len(positions), 0, -1):
        now = time.monotonic_ns()
        shared = replace(limits, deadline_ns=now + (end - now) // left)
        results.append(recommender.searched(positions[left - 1], shared, stop=stop))
    results.reverse()
    return {
        "moves": [
            _answer(ply, _judge(ply, before, after))
            for ply, before, after in zip(plies, results, results[1:], strict=False)
        ],
        **write_ending(last),
    }


def _judge(ply: Ply, before: SearchResult, after: SearchResult) -> _Judged:
    """Value a played move by the searches of the positions before and after it."""
    cells = ply.position.rules.cells
    best, best_moves = before.score, before.best_moves
    played = score.before_move(after.score, cells)
    if ply.move in best_moves and not _says_more(played, best):
        # The search before valued this very move.
        played = best
    verdict = grade(played, best)
    if played.value > best.value:
        # A draw that was found later is no proof that there is nothing better.
        best = score.Score(played.value, "unknown", None) if _is_only_draw(played, best) else played
        best_moves = (ply.move,)
    elif played.exact and played == best and ply.move not in best_moves:
        best_moves = tuple(sorted((*best_moves, ply.move)))
    return _Judged(played, best, best_moves, verdict)


def _says_more(later: Score, earlier: Score) -> bool:
    """Whether the later of two values of one move is surer, or a quicker win."""
    if (later.exact, later.proven) != (earlier.exact, earlier.proven):
        return (later.exact, later.proven) > (earlier.exact, earlier.proven)
    return later.outcome == "win" and later.value > earlier.value


def _is_only_draw(played: Score, best: Score) -> bool:
    """Whether a move is proven to draw where the value of the best one is unknown."""
    return played.outcome == "draw" and not best.proven


def _answer(ply: Ply, judged: _Judged) -> dict[str, Any]:
    """One entry of ``moves``."""
    columns = ply.position.rules.columns
    return {
        "move": write_cell(ply.move, columns),
        "to_move": side_name(ply.position.to_move),
        **score_fields(judged.played),
        "best_moves": [write_cell(cell, columns) for cell in judged.best_moves],
        "best_score": judged.best.value,
        "best_outcome": judged.best.outcome,
        "grade": judged.grade,
    }
