"""The actions of programs that ask without HTTP: language models by tools, and other programs by JSON lines.

Fields and answers are those of the HTTP requests, checked by the same models.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from kinarow import engine
from kinarow.engine import Answer, Ask, Question
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from kinarow.play.levels import new_seed
from kinarow.play.puzzles import PUZZLE_NODES, puzzles
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchInfo, Stop
from service.answers.answer_fields import (
    analysis_fields,
    move_fields,
    position_after,
    progress_fields,
    puzzle_fields,
    review_event_fields,
    review_fields,
)
from service.answers.recommender import Recommender
from service.api.game_schemas import PUZZLE_REQUEST, REVIEW_REQUEST, PuzzleAnswer, ReviewAnswer
from service.api.parsing import parse_game, parse_question
from service.api.problem_kinds import invalid
from service.api.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, AnalysisAnswer, MoveAnswer, check
from service.settings import Settings

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """How an action runs: by whose searches, what stops it, and the listener to its progress, if any."""

    settings: Settings
    ask: Ask
    stop: Stop = field(default_factory=Stop)
    listen: Callable[[Fields], object] | None = None


class Answered(NamedTuple):
    """The fields of an answer, and the position after its move, after the last move of a review, or to solve."""

    fields: Fields
    position: Position


def _valued(
    answer_to: Callable[[Question, Ask], tuple[Answer, bool]],
    fields_of: Callable[[Position, Answer, bool], Fields],
    fields: Fields,
    call: Call,
) -> Answered:
    """The answer to a question about a position."""
    question = parse_question(fields, call.settings)
    position, listen = question.position, call.listen

    def progress(info: SearchInfo) -> None:
        assert listen is not None
        listen(progress_fields(info, position.rules))

    answer, known = answer_to(question.watched(call.stop, progress if listen else None), call.ask)
    return Answered(fields_of(position, answer, known), position_after(position, answer))


def _reviewed(fields: Fields, call: Call) -> Answered:
    """The grades of a game."""
    question, moves = parse_game(fields, call.settings)
    rules, listen = question.position.rules, call.listen
    graded = engine.review(
        question.watched(call.stop),
        moves,
        call.ask,
        total_time_ms=call.settings.max_time_ms,
        progress=listen and (lambda index, move: listen(review_event_fields(index, move, rules))),
    )
    return Answered(review_fields(graded), graded.position)


def _puzzle(fields: Fields, call: Call) -> Answered:
    """A puzzle of a game; the answer has the seed that repeats it."""
    seed = fields.get("seed", new_seed())
    rules = read_position(fields, call.settings.max_side).rules
    end = time.monotonic_ns() + call.settings.max_time_ms * NANOSECONDS_PER_MS
    limits = Limits(min(PUZZLE_NODES, call.settings.max_nodes), deadline_ns=end)
    puzzle = next(puzzles(rules, seed, limits, most_plies=fields.get("max_plies"), stop=call.stop), None)
    if puzzle is None:
        raise invalid([("/game", "no puzzle was found in time; try another game, seed or max_plies")])
    return Answered(puzzle_fields(puzzle, fields.get("game")) | {"seed": seed}, puzzle.position)


class Action(NamedTuple):
    """The models of a request and of its answer, and what answers its checked fields."""

    request: TypeAdapter[Any]
    answer: type[Any]
    run: Callable[[Fields, Call], Answered]


ACTIONS = {
    "move": Action(MOVE_REQUEST, MoveAnswer, partial(_valued, engine.move, move_fields)),
    "analysis": Action(ANALYSIS_REQUEST, AnalysisAnswer, partial(_valued, engine.analysis, analysis_fields)),
    "review": Action(REVIEW_REQUEST, ReviewAnswer, _reviewed),
    "puzzle": Action(PUZZLE_REQUEST, PuzzleAnswer, _puzzle),
}
"""By the names of the paths; a puzzle has none."""


def answer(action: str, fields: Any, call: Call) -> Answered:
    """The answer of an action.

    Raises:
        Problem, InputError: a field is wrong.
        SearchStopped: the call was stopped.
    """
    return ACTIONS[action].run(check(ACTIONS[action].request, fields), call)


def searches(settings: Settings) -> Ask:
    """What runs searches in the caller's thread and keeps their answers."""
    return Recommender(cache_size=settings.cache_size).ask
