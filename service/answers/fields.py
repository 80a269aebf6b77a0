"""The parts that answers share, as plain data ready for JSON."""

from typing import Any

from kinarow.game.notation import side_name, write_cell
from kinarow.game.position import Position
from kinarow.score import Score


def score_fields(score: Score) -> dict[str, Any]:
    """A score with its outcome, distance and expected result."""
    return {
        "score": score.value,
        "outcome": score.outcome,
        "distance": score.distance,
        "distance_is_bound": score.is_bound,
        "proven": score.proven,
        "expected": score.expected,
    }


def ending_fields(position: Position) -> dict[str, Any]:
    """How the game stands: ongoing, won or drawn, by whom and by which cells."""
    ending = position.ending()
    return {
        "state": ending.state,
        "winner": None if ending.winner is None else side_name(ending.winner),
        "winning_cells": [write_cell(cell, position.rules) for cell in ending.winning_cells],
    }
