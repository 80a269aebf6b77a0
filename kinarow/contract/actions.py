"""The actions of the contract, which HTTP, JSON lines and MCP share: request → question → engine → answer."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, cast

from kinarow import engine
from kinarow.contract import answers, requests
from kinarow.contract.model import Model
from kinarow.contract.problems import Problem, invalid
from kinarow.contract.questions import cells_of, game_of, position_of, question_of
from kinarow.engine import Ask, Question
from kinarow.errors import InputError
from kinarow.game.notation import TILE, side_name, write_board, write_move
from kinarow.game.position import Position
from kinarow.play import judge
from kinarow.play.levels import new_seed
from kinarow.play.puzzles import PUZZLE_NODES, puzzles
from kinarow.play.review import Review, nodes_to_share
from kinarow.play.wording import describe_ending, describe_value
from kinarow.reading import moves
from kinarow.reading.games import is_replay, of_replay, read_games
from kinarow.reading.tables import ROW_SEPARATOR
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, Stop
from kinarow.searches import Searches
from kinarow.settings import Settings

ACTIONS: dict[str, type[requests.Request]] = {
    "move": requests.MoveRequest,
    "analysis": requests.AnalysisRequest,
    "review": requests.ReviewRequest,
    "puzzle": requests.PuzzleRequest,
    "judge": requests.JudgeRequest,
}
"""The request model of each action; HTTP has no ``puzzle`` and no ``judge``."""

_ANSWERS: list[type[Model]] = [
    answers.MoveAnswer,
    answers.AnalysisAnswer,
    answers.AnalysisProgress,
    answers.ReviewAnswer,
    answers.ReviewedMoveEvent,
]
for _model in [*ACTIONS.values(), *_ANSWERS]:
    _model.model_rebuild()  # now, so that no request waits for it


@dataclass(frozen=True, slots=True)
class Call:
    """The context in which an action runs: settings, searches, stop flag, and a listener to its progress."""

    settings: Settings
    ask: Ask
    stop: Stop = field(default_factory=Stop)
    listen: Callable[[Model], None] | None = None


Answer = TypeVar("Answer", bound=Model, covariant=True)


class RenderedAnswer(NamedTuple, Generic[Answer]):
    """An answer, and a function that returns it as text for people: boards, the moves of an analysis, tables."""

    answer: Answer
    text: Callable[[], str]


def answer(request: requests.Request, call: Call) -> RenderedAnswer[Model]:
    """Answer a request; raise ``Problem`` if it is impossible, ``SearchStopped`` if the call was stopped."""
    try:
        match request:
            case requests.AnalysisRequest():
                return analysis(question_of(request, call.settings), call)
            case requests.MoveRequest():
                return move(question_of(request, call.settings), call)
            case requests.ReviewRequest():
                return _review(request, call)
            case requests.PuzzleRequest():
                return _puzzle(request, call)
            case requests.JudgeRequest():
                return _judge(request, call)
    except InputError as wrong:
        raise invalid(wrong.problems) from None
    raise TypeError(f"no action answers a {type(request).__name__}")


def searches(settings: Settings) -> Ask:
    """Return an ``Ask`` that searches in the caller's thread, with a new cache."""
    return Searches(settings.cache_bytes).ask


def shown(position: Position) -> str:
    """Return the board as text: a line for each row, and an empty one between layers."""
    return write_board(position.cells, position.rules).replace(ROW_SEPARATOR, "\n")


def move(question: Question, call: Call) -> RenderedAnswer[answers.MoveAnswer]:
    """Answer a question with the move that its level chooses."""
    asked = question._replace(stop=call.stop) if call.listen is None else _of_call(question, call)
    found, cached = engine.move(asked, call.ask)
    position = question.position
    return RenderedAnswer(
        answers.MoveAnswer.of(position, found, cached), lambda: shown(answers.position_after(position, found))
    )


def analysis(question: Question, call: Call) -> RenderedAnswer[answers.AnalysisAnswer]:
    """Answer a question with the values of its moves."""
    found, cached = engine.analysis(_of_call(question, call), call.ask)
    position = question.position
    answer = answers.AnalysisAnswer.of(position, found, cached)

    def text() -> str:
        moves = "\n".join(describe_value(position, value) for value in found.moves)
        return "\n\n".join(filter(None, [shown(answers.position_after(position, found)), answer.text, moves]))

    return RenderedAnswer(answer, text)


def _of_call(question: Question, call: Call) -> Question:
    """Return the question with the stop flag and the listener of a call."""
    listen, rules = call.listen, question.position.rules
    return question.with_stop(call.stop, listen and (lambda info: listen(answers.AnalysisProgress.of(info, rules))))


def _review(request: requests.ReviewRequest, call: Call) -> RenderedAnswer[answers.ReviewAnswer]:
    """Grade the moves of a game, sent as moves or as a record."""
    (question, record), listen = game_of(request, call.settings), call.listen
    rules = question.position.rules
    shared_nodes = nodes_to_share(rules, requests.or_default(request.max_nodes, None))
    graded = engine.review(
        question.with_stop(call.stop),
        record.moves if record else cells_of(request.moves, question.position),
        call.ask,
        shared_nodes=shared_nodes and min(shared_nodes, call.settings.max_nodes),
        total_time_ms=call.settings.review_time_ms,
        progress=listen and (lambda index, move: listen(answers.ReviewedMoveEvent.of(move, rules, index=index))),
    )
    return RenderedAnswer(answers.ReviewAnswer.of(graded, record), partial(_review_text, graded))


def _review_text(graded: Review) -> str:
    """Return a review as text: the last board, the ending, the counts of grades, and a line for each move."""
    rules, position = graded.position.rules, graded.position
    lines = []
    for number, made in enumerate(graded.moves, 1):
        better = [write_move(cell, rules) for cell in made.best_moves[:1] if made.grade != "best" and cell != made.move]
        named = f"{number}. {side_name(made.to_move)} {write_move(made.move, rules)} {made.grade}"
        lines.append(f"{named} ({better[0]})" if better else named)
    ended = describe_ending(position) if position.is_over else "The game is not over."
    counts = [
        f"{side_name(side)}: {played.best} best, {played.inaccuracies} inaccuracies, {played.mistakes} mistakes, "
        f"{played.blunders} blunders, {played.unclear} unclear."
        for side, played in graded.summary.items()
    ]
    better_moves = "Each move with its grade, in brackets the best move where another was better:"
    return "\n\n".join([shown(position), "\n".join([ended, *counts]), "\n".join([better_moves, *lines])])


def _puzzle(request: requests.PuzzleRequest, call: Call) -> RenderedAnswer[answers.PuzzleAnswer]:
    """Return a puzzle of a game; the answer has the seed that gives the same puzzle again."""
    seed = requests.or_default(request.seed, None)
    seed = new_seed() if seed is None else seed
    rules = position_of(request, call.settings).rules
    limits = Limits(min(PUZZLE_NODES, call.settings.max_nodes), deadline_ns=_end(call))
    most_plies = requests.or_default(request.max_plies, None)
    puzzle = next(puzzles(rules, seed, limits, most_plies=most_plies, stop=call.stop), None)
    if puzzle is None:
        raise invalid([("/game", "no puzzle was found in time; try another game, seed or max_plies")])
    answer = answers.PuzzleAnswer.of(puzzle, requests.or_default(request.game, None), seed=seed)
    return RenderedAnswer(answer, partial(shown, puzzle.position))


def _judge(request: requests.JudgeRequest, call: Call) -> RenderedAnswer[answers.JudgeAnswer]:
    """Return the report on the players of several games."""
    games = _judged_games(request, call)
    report = judge.report(games)

    def text() -> str:
        boards = [
            f"{game.players['X']} (X) against {game.players['O']} (O):\n{shown(game.review.position)}" for game in games
        ]
        return "\n\n".join([judge.as_markdown(report).rstrip(), *boards])

    return RenderedAnswer(answers.JudgeAnswer(**report._asdict()), text)


def _judged_games(request: requests.JudgeRequest, call: Call) -> list[judge.Judged]:
    """Review a request's games in turn, each within an equal part of the time left; errors are at ``/games/i``."""
    end, judged = _end(call), []
    sent = request.games if isinstance(request.games, str) else json.dumps(request.games)
    games = [game for _, game in read_games(sent)]
    budget = {name: value for name, value in request.sent().items() if name not in ("games", "moves_as")}
    for number, game in enumerate(games):
        share_ms = (end - time.monotonic_ns()) // NANOSECONDS_PER_MS // (len(games) - number)
        try:
            counted = requests.or_default(request.moves_as, None)
            judged.append(judged_game(game, budget, call, max(1, share_ms), counted=counted))
        except (Problem, InputError) as wrong:
            raise invalid([(f"/games/{number}{pointer}", detail) for pointer, detail in wrong.problems]) from None
    return judged


def judged_game(
    game: object, budget: dict[str, object], call: Call, total_time_ms: int | None = None, counted: str | None = None
) -> judge.Judged:
    """Review the legal moves of a game, and note its illegal ones.

    ``budget`` has limits, as fields of a request, that count if the game has none of its own. ``counted``, one of
    ``tables.COUNTINGS`` or None, says what numbers in moves are. Raises ``Problem`` or ``InputError`` for a wrong game.
    """
    request = _as_request(game, budget, counted)
    players = request.players.model_dump()
    question, record = game_of(request, call.settings)
    cells, illegal = (record.moves, ()) if record else judge.split_legal(request.moves, question.position)
    review = engine.review(question.with_stop(call.stop), cells, call.ask, total_time_ms=total_time_ms)
    return judge.Judged(players, review, illegal)


def is_possible(game: object, settings: Settings, counted: str | None) -> bool:
    """Return True if every move of a game is legal when its numbers are read as ``counted``."""
    try:
        request = _as_request(game, {}, counted)
        question, record = game_of(request, settings)
        if record is None:
            moves.after(question.position, request.moves, first_cell=TILE)
    except (Problem, InputError):
        return False
    return True


def _as_request(game: object, budget: dict[str, object], counted: str | None) -> requests.JudgedGame:
    """Return a game from ``read_games`` as a request; raise the error that stands for a game that is not JSON."""
    if isinstance(game, InputError):
        raise game
    if is_replay(game):
        game = of_replay(cast(dict[str, Any], game))
    elif counted is not None and isinstance(game, dict) and "moves" in game:
        game = {**game, "moves": moves.as_counted(game["moves"], counted)}
    return requests.JudgedGame.read(budget | game if isinstance(game, dict) else game)


def _end(call: Call) -> int:
    """Return the deadline of a call that starts now, on the scale of ``time.monotonic_ns()``."""
    return time.monotonic_ns() + call.settings.max_time_ms * NANOSECONDS_PER_MS
