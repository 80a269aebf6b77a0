"""The route that grades a whole game: POST /review."""

from flask import Flask, Response, request

from service.api.disconnects import Disconnects
from service.api.game_schemas import REVIEW_REQUEST
from service.api.parsing import parse_game
from service.api.readiness import Readiness
from service.api.request_body import parse, read_body
from service.api.responses import dump, json_reply
from service.api.schemas import check
from service.logs import note
from service.settings import Settings


def install(app: Flask, settings: Settings, readiness: Readiness, disconnects: Disconnects) -> None:
    """Add the route to the app."""

    def post_review() -> Response:
        """``POST /review``."""
        fields = check(REVIEW_REQUEST, parse(read_body(request.environ, settings)))
        recommender = readiness.engine().recommender
        # Importing this module loads the kernels, so it comes after the engine.
        from service.answers.reviewer import review

        game = parse_game(fields, settings)
        with disconnects.watch(request.environ) as stop:
            answer = review(
                recommender,
                game.start,
                game.moves,
                game.limits,
                total_time_ms=settings.max_time_ms,
                stop=stop,
            )
        note(request.environ, moves=len(answer["moves"]))
        return json_reply(dump(answer))

    app.add_url_rule("/review", "post_review", post_review, methods=["POST"])
