"""The use case of a review: a whole game graded move by move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from service.engine import score
from service.engine.grades import grade
from service.engine.notation import side_name, write_cell
from service.engine.position import Side
from service.engine.record import Ply, replay
from service.engine.rules import Rules
from service.engine.score import Score
from service.engine.search import Limits, SearchResult, Stop
from service.recommender import Recommender, ending_fields, score_fields


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
        total_time_ms: bounds the whole: each position gets its equal part at most.
        stop: ends the searches.

    Returns:
        The answer of ``/review``, plain data.

    Raises:
        InputError: a move is not possible; the pointer is ``/moves/i``.
        SearchStopped: ``stop`` was set.
    """
    plies, last = replay(rules, first, moves)
    part = max(1, total_time_ms // (len(plies) + 1))
    limits = replace(limits, time_limit_ms=min(part, limits.time_limit_ms or part))
    positions = [ply.position for ply in plies] + [last]
    results = [recommender.searched(position, limits, stop=stop) for position in positions]
    return {
        "moves": [
            _answer(ply, _judge(ply, before, after))
            for ply, before, after in zip(plies, results, results[1:], strict=False)
        ],
        **ending_fields(last.ending(), rules.columns),
    }


def _judge(ply: Ply, before: SearchResult, after: SearchResult) -> _Judged:
    """Value a played move by the searches of the positions before and after it."""
    cells = ply.position.rules.cells
    best, best_moves = before.score, before.best_moves
    played = score.before_move(after.score, cells)
    if ply.move in best_moves and (best.exact or played.outcome != "win"):
        # The search before valued this very move; only a win found later is sure to say more of it.
        played = best
    verdict = grade(played, best)
    if played.value > best.value:
        best, best_moves = played, (ply.move,)
    elif played.exact and played == best and ply.move not in best_moves:
        best_moves = tuple(sorted((*best_moves, ply.move)))
    return _Judged(played, best, best_moves, verdict)


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
