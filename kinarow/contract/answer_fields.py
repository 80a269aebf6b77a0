"""Answers as plain data for JSON, as the contract names their fields."""

from dataclasses import asdict
from typing import Any

from kinarow.engine import Answer
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.notation import side_name, write_cell, write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.puzzles import Puzzle
from kinarow.play.review import Review, ReviewedMove
from kinarow.play.wording import describe_ending, describe_move
from kinarow.score import Score
from kinarow.search_types import MoveValue, SearchInfo

ELAPSED_DECIMALS = 3


def move_fields(position: Position, answer: Answer, known: bool) -> dict[str, Any]:
    """The answer of ``/move``; ``known`` says whether it came from a cache or another request's search."""
    result, rules = answer.result, position.rules
    after = position_after(position, answer)
    return {
        "move": None if result.move is None else write_cell(result.move, rules),
        **score_fields(result.score),
        "to_move": side_name(position.to_move),
        **ending_fields(position),
        "line": [write_cell(cell, rules) for cell in result.line],
        "best_moves": [write_cell(cell, rules) for cell in result.best_moves],
        "best_moves_complete": result.best_moves_complete,
        "reasons": [
            {"code": reason.code, "cells": [write_cell(cell, rules) for cell in reason.cells]}
            for reason in answer.reasons
        ],
        "text": _text(position, answer),
        "board": after.board,
        "after": ending_fields(after),
        "search": {
            "depth": result.depth,
            "nodes": result.nodes,
            "elapsed_ms": round(result.elapsed_ms, ELAPSED_DECIMALS),
            "stopped_by": result.stopped_by,
            "source": result.source,
            "cached": known,
        },
    }


def analysis_fields(position: Position, answer: Answer, known: bool) -> dict[str, Any]:
    """The answer of ``/analysis``; the arguments are those of ``move_fields``."""
    fields = move_fields(position, answer, known)
    fields["moves"] = [_move_value_fields(value, position.rules) for value in answer.moves]
    fields["static_evaluation"] = static_evaluation(position)
    return fields


def progress_fields(info: SearchInfo, rules: Rules) -> dict[str, Any]:
    """The data of a progress event of ``/analysis``."""
    return {
        "depth": info.depth,
        "nodes": info.nodes,
        **score_fields(info.score),
        "line": [write_cell(cell, rules) for cell in info.line],
        "moves": [_move_value_fields(value, rules) for value in info.moves],
    }


def review_fields(graded: Review) -> dict[str, Any]:
    """The answer of ``/review``."""
    rules = graded.position.rules
    return {
        "moves": [_graded_move_fields(each, rules) for each in graded.moves],
        "summary": {side_name(side): asdict(summary) for side, summary in graded.summary.items()},
        **ending_fields(graded.position),
    }


def review_event_fields(index: int, move: ReviewedMove, rules: Rules) -> dict[str, Any]:
    """The data of the event for a graded move, with its place in the game, from 0."""
    return {"index": index, **_graded_move_fields(move, rules)}


def puzzle_fields(puzzle: Puzzle, game: str | None = None) -> dict[str, Any]:
    """A puzzle. Its rules, for which the name of a game stands, ``moves`` and ``to_move`` are fields of a request."""
    position, rules = puzzle.position, puzzle.position.rules
    named = {"game": game, "rows": rules.rows, "columns": rules.columns}
    written = [cell + 1 if rules.layers > 1 else write_move(cell, rules) for cell in puzzle.moves]
    return {
        **(named if game else rules.fields() | {"directions": list(rules.directions)}),
        # With layers moves have no text.
        "moves": written if rules.layers > 1 else "".join(map(str, written)),
        "board": position.board,
        "to_move": side_name(position.to_move),
        "outcome": puzzle.outcome,
        "move": write_cell(puzzle.move, rules),
        "line": [write_cell(cell, rules) for cell in puzzle.line],
        "plies": puzzle.plies,
        "nodes": puzzle.nodes,
        "level": puzzle.level,
    }


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


def position_after(position: Position, answer: Answer) -> Position:
    """The position after the move of an answer; the same one if the game is over."""
    move = answer.result.move
    return position if move is None else position.play(move)


def _text(position: Position, answer: Answer) -> str:
    result = answer.result
    if result.move is None:
        return describe_ending(position)
    return describe_move(position, result.move, result.score, answer.reasons)


def _move_value_fields(value: MoveValue, rules: Rules) -> dict[str, Any]:
    return {
        **write_cell(value.move, rules),
        **score_fields(value.score),
        "line": [write_cell(cell, rules) for cell in value.line],
    }


def _graded_move_fields(reviewed: ReviewedMove, rules: Rules) -> dict[str, Any]:
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
