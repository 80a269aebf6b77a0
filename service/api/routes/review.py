"""The route that grades a whole game: POST /review."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Flask, Response, request

from kinarow import engine
from kinarow.engine import Question
from kinarow.play.review import Progress, Review, ReviewedMove
from kinarow.search_types import Stop
from service.answers.answer_fields import review_event_fields, review_fields
from service.answers.recommender import Recommender
from service.answers.search_limiter import SearchLimiter
from service.api import sse as stream
from service.api.disconnects import Disconnects
from service.api.game_schemas import REVIEW_REQUEST
from service.api.parsing import parse_game
from service.api.request_body import read_body
from service.api.responses import dump, json_reply
from service.api.schemas import check
from service.api.strict_json import parse
from service.logs import note
from service.settings import Settings


class ReviewRoute:
    """What the route needs; one object for an app."""

    def __init__(
        self, settings: Settings, recommender: Recommender, limiter: SearchLimiter, disconnects: Disconnects
    ) -> None:
        self._settings = settings
        self._recommender = recommender
        self._disconnects = disconnects
        self._respond = partial(stream.respond, limiter, disconnects, settings.search_wait_ms / 1000)

    def post_review(self) -> Response:
        """``POST /review``."""
        fields = check(REVIEW_REQUEST, parse(read_body(request.environ, self._settings)))
        question, moves = parse_game(fields, self._settings)
        if stream.wanted(request.environ):
            return self._stream(question, moves)
        with self._disconnects.watch(request.environ) as stop:
            graded = self._review(question.watched(stop), moves)
        return json_reply(dump(_finished(request.environ, graded)))

    def _review(self, question: Question, moves: Any, progress: Progress | None = None) -> Review:
        ask = self._recommender.ask
        total_time_ms = self._settings.max_time_ms
        return engine.review(question, moves, ask, total_time_ms=total_time_ms, progress=progress)

    def _stream(self, question: Question, moves: Any) -> Response:
        """The answer as events, a move as soon as it is graded."""
        rules, environ = question.position.rules, request.environ

        def compute(stop: Stop, listen: Callable[[tuple[int, ReviewedMove]], None]) -> Review:
            return self._review(question.watched(stop), moves, lambda index, move: listen((index, move)))

        return self._respond(
            stream.Task(
                compute,
                "move",
                lambda step: review_event_fields(step[0], step[1], rules),
                lambda graded: _finished(environ, graded),
            )
        )


def _finished(environ: dict[str, Any], graded: Review) -> dict[str, Any]:
    """The fields of the answer; its number of moves is noted in the log."""
    note(environ, moves=len(graded.moves))
    return review_fields(graded)


def install(
    app: Flask, settings: Settings, recommender: Recommender, limiter: SearchLimiter, disconnects: Disconnects
) -> None:
    """Add the route to the app."""
    routes = ReviewRoute(settings, recommender, limiter, disconnects)
    app.add_url_rule("/review", "post_review", routes.post_review, methods=["POST"])
