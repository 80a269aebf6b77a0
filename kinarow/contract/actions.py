"""What a request may ask for: its models, and what answers its checked fields.

HTTP, the tools of language models and JSON lines share it, so their answers are the same.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from kinarow import engine
from kinarow.answer_cache import Cache
from kinarow.contract import judge
from kinarow.contract.answer_fields import (
    analysis_fields,
    move_fields,
    position_after,
    progress_fields,
    puzzle_fields,
    review_event_fields,
    review_fields,
)
from kinarow.contract.game_schemas import JUDGE_REQUEST, PUZZLE_REQUEST, REVIEW_REQUEST
from kinarow.contract.parsing import parse_game, parse_question
from kinarow.contract.problem_kinds import Problem, invalid
from kinarow.contract.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check
from kinarow.engine import Ask
from kinarow.errors import InputError
from kinarow.game.notation import ROW_SEPARATOR, write_board
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from kinarow.play.levels import new_seed
from kinarow.play.puzzles import PUZZLE_NODES, puzzles
from kinarow.play.wording import describe_value
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchInfo, Stop
from kinarow.searches import CachedSearches
from kinarow.settings import Settings

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """How an action runs: by whose searches, what stops it, and the listener to its progress, if any."""

    settings: Settings
    ask: Ask
    stop: Stop = field(default_factory=Stop)
    listen: Callable[[Fields], object] | None = None


class Answered(NamedTuple):
    """The fields of an answer, and what people see of it: boards, of an analysis also moves, of the judge tables."""

    fields: Fields
    text: Callable[[], str]


def shown(position: Position) -> str:
    """The board as text: a line for each row, and an empty one between layers."""
    return write_board(position.cells, position.rules).replace(ROW_SEPARATOR, "\n")


_ENGINE = {"move": (engine.move, move_fields), "analysis": (engine.analysis, analysis_fields)}


def _asked(action: str, fields: Fields, call: Call) -> Answered:
    """The answer of ``/move`` or ``/analysis``."""
    question, listen = parse_question(fields, call.settings), call.listen
    position = question.position

    def progress(info: SearchInfo) -> None:
        assert listen is not None
        listen(progress_fields(info, position.rules))

    ask_engine, fields_of = _ENGINE[action]
    answer, known = ask_engine(question.watched(call.stop, progress if listen else None), call.ask)
    answered = fields_of(position, answer, known)

    def text() -> str:
        board = shown(position_after(position, answer))
        if action == "move":
            return board
        moves = "\n".join(describe_value(position, value) for value in answer.moves)
        return "\n\n".join(filter(None, [board, answered["text"], moves]))

    return Answered(answered, text)


def _reviewed(fields: Fields, call: Call) -> Answered:
    question, moves = parse_game(fields, call.settings)
    rules, listen = question.position.rules, call.listen
    graded = engine.review(
        question.watched(call.stop),
        moves,
        call.ask,
        total_time_ms=call.settings.max_time_ms,
        progress=listen and (lambda index, move: listen(review_event_fields(index, move, rules))),
    )
    return Answered(review_fields(graded), partial(shown, graded.position))


def _puzzle(fields: Fields, call: Call) -> Answered:
    """A puzzle of a game; the answer has the seed that repeats it."""
    seed = fields.get("seed", new_seed())
    rules = read_position(fields, call.settings.max_side).rules
    limits = Limits(min(PUZZLE_NODES, call.settings.max_nodes), deadline_ns=_end(call))
    puzzle = next(puzzles(rules, seed, limits, most_plies=fields.get("max_plies"), stop=call.stop), None)
    if puzzle is None:
        raise invalid([("/game", "no puzzle was found in time; try another game, seed or max_plies")])
    return Answered(puzzle_fields(puzzle, fields.get("game")) | {"seed": seed}, partial(shown, puzzle.position))


def _judged(fields: Fields, call: Call) -> Answered:
    """The report on the players; each game gets an equal share of the time that is left."""
    end, games, judged = _end(call), _games(fields.pop("games")), []
    for number, game in enumerate(games):
        share_ms = (end - time.monotonic_ns()) // NANOSECONDS_PER_MS // (len(games) - number)
        try:
            judged.append(judge.judged(game, fields, call.settings, call.ask, call.stop, max(1, share_ms)))
        except (Problem, InputError) as wrong:
            problems = wrong.errors if isinstance(wrong, Problem) else wrong.problems
            raise invalid([(f"/games/{number}{pointer}", detail) for pointer, detail in problems]) from None
    report = judge.report(judged)

    def text() -> str:
        boards = [
            f"{game.players['X']} (X) against {game.players['O']} (O):\n{shown(game.review.position)}"
            for game in judged
        ]
        return "\n\n".join([judge.as_markdown(report).rstrip(), *boards])

    return Answered(report, text)


def _games(sent: Any) -> list[Any]:
    """The games of a text of JSON lines, of a list, or a single one."""
    if not isinstance(sent, str):
        return sent if isinstance(sent, list) else [sent]
    games = []
    for line in filter(str.strip, sent.split("\n")):
        try:
            games.append(json.loads(line))
        except (ValueError, RecursionError) as wrong:
            raise invalid([(f"/games/{len(games)}", f"not JSON: {wrong}")]) from None
    return games


def _end(call: Call) -> int:
    """When the time of a call is over, on the scale of ``time.monotonic_ns()``."""
    return time.monotonic_ns() + call.settings.max_time_ms * NANOSECONDS_PER_MS


class Action(NamedTuple):
    """The model of a request, and what answers its checked fields."""

    request: TypeAdapter[Any]
    run: Callable[[Fields, Call], Answered]


ACTIONS = {
    "move": Action(MOVE_REQUEST, partial(_asked, "move")),
    "analysis": Action(ANALYSIS_REQUEST, partial(_asked, "analysis")),
    "review": Action(REVIEW_REQUEST, _reviewed),
    "puzzle": Action(PUZZLE_REQUEST, _puzzle),
    "judge": Action(JUDGE_REQUEST, _judged),
}
"""By the names of the paths; puzzles and the judge have none."""


def answer(action: str, fields: Any, call: Call) -> Answered:
    """The answer of an action: a ``Problem`` if a field is wrong, ``SearchStopped`` if the call was stopped."""
    try:
        return ACTIONS[action].run(check(ACTIONS[action].request, fields), call)
    except InputError as wrong:
        raise invalid(wrong.problems) from None


def searches(settings: Settings) -> Ask:
    """What runs searches in the caller's thread and keeps their answers."""
    return CachedSearches(Cache(settings.cache_size)).ask
