"""The use case of a review: a whole game, every move graded."""

from typing import Any

from kinarow.game_record import replay
from kinarow.game_review import ReviewedMove, grade_game
from kinarow.notation import side_name, write_cell
from kinarow.position import Position
from kinarow.search_types import Limits, Stop
from service.answers.fields import ending_fields, score_fields
from service.answers.recommender import Recommender


def review(
    recommender: Recommender,
    start: Position,
    moves: object,
    limits: Limits,
    *,
    total_time_ms: int,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """The answer of ``/review``, plain data; the searches are made and kept by the recommender.

    Args:
        recommender: where the searches are made and kept.
        start: where the game begins.
        moves: a text or a list; see ``kinarow.notation``.
        limits: for each position.
        total_time_ms: bounds the whole.
        stop: ends the searches.

    Raises:
        InputError: a move is not possible; the pointer is ``/moves/i``.
        SearchStopped: ``stop`` was set.
    """
    plies, last = replay(start, moves)
    graded = grade_game(
        plies, last, limits, search=recommender.searched, total_time_ms=total_time_ms, stop=stop
    )
    return {"moves": [_move_fields(each, start.rules.columns) for each in graded], **ending_fields(last)}


def _move_fields(reviewed: ReviewedMove, columns: int) -> dict[str, Any]:
    """One entry of ``moves``."""
    return {
        "move": write_cell(reviewed.move, columns),
        "to_move": side_name(reviewed.to_move),
        **score_fields(reviewed.score),
        "best_moves": [write_cell(cell, columns) for cell in reviewed.best_moves],
        "best_score": reviewed.best.value,
        "best_outcome": reviewed.best.outcome,
        "grade": reviewed.grade,
    }
