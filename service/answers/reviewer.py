"""Reviews: a whole game, every move graded."""

from collections.abc import Callable
from typing import Any

from kinarow.game.notation import side_name, write_cell
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play import review as game_review
from kinarow.play.review import Review, ReviewedMove
from kinarow.search_types import Limits, Stop
from service.answers.fields import ending_fields, score_fields
from service.answers.recommender import Recommender

Told = tuple[int, ReviewedMove]
"""A graded move with its place in the game, from 0."""


def review(
    recommender: Recommender,
    start: Position,
    moves: object,
    limits: Limits,
    *,
    total_time_ms: int,
    stop: Stop | None = None,
    progress: Callable[[Told], object] | None = None,
) -> Review:
    """``kinarow.review`` with searches that the recommender makes and keeps."""
    return game_review.review(
        start,
        moves,
        limits,
        search=recommender.searched,
        total_time_ms=total_time_ms,
        stop=stop,
        progress=None if progress is None else lambda index, move: progress((index, move)),
    )


def review_fields(graded: Review) -> dict[str, Any]:
    """The answer of ``/review`` as plain data for JSON."""
    rules = graded.position.rules
    return {
        "moves": [_move_fields(each, rules) for each in graded.moves],
        **ending_fields(graded.position),
    }


def told_fields(told: Told, rules: Rules) -> dict[str, Any]:
    """The data of the event that tells of a graded move."""
    index, move = told
    return {"index": index, **_move_fields(move, rules)}


def _move_fields(reviewed: ReviewedMove, rules: Rules) -> dict[str, Any]:
    """One entry of ``moves``."""
    return {
        "move": write_cell(reviewed.move, rules),
        "to_move": side_name(reviewed.to_move),
        **score_fields(reviewed.score),
        "best_moves": [write_cell(cell, rules) for cell in reviewed.best_moves],
        "best_score": reviewed.best_score.value,
        "best_outcome": reviewed.best_outcome,
        "grade": reviewed.grade,
        "graded_by": reviewed.graded_by,
    }
