"""The route that answers many requests at once: POST /moves."""

import time
from typing import Any

from flask import Flask, Response, request

from kinarow import engine
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.answers.answer_fields import move_fields
from service.answers.recommender import Recommender
from service.api.disconnects import Disconnects
from service.api.game_schemas import MOVES_REQUEST
from service.api.parsing import parse_question
from service.api.problem_kinds import invalid
from service.api.problem_responses import in_place
from service.api.request_body import read_body
from service.api.responses import dump_with_quotes, json_reply
from service.api.schemas import MOVE_REQUEST, check
from service.api.strict_json import parse
from service.logs import note
from service.settings import Settings


class Batches:
    """Answers batches; one instance for each app."""

    def __init__(self, settings: Settings, recommender: Recommender, disconnects: Disconnects) -> None:
        self._settings = settings
        self._recommender = recommender
        self._disconnects = disconnects

    def post_moves(self) -> Response:
        """``POST /moves``."""
        fields = check(MOVES_REQUEST, parse(read_body(request.environ, self._settings)))
        requests, most = fields["requests"], self._settings.max_batch
        if len(requests) > most:
            raise invalid([("/requests", f"at most {most} requests are allowed here, not {len(requests)}")])
        # All searches together take at most the time that the server allows for one: each gets an equal
        # share of the remaining time, and a cached answer takes none.
        end = time.monotonic_ns() + self._settings.max_time_ms * NANOSECONDS_PER_MS
        answers = []
        with self._disconnects.watch(request.environ) as stop:
            for index, each in enumerate(requests):
                now = time.monotonic_ns()
                deadline = now + (end - now) // (len(requests) - index)
                answers.append(self._answer(each, index, deadline, stop))
        note(request.environ, requests=len(answers))
        return json_reply(dump_with_quotes({"answers": answers}))

    def _answer(self, fields: Any, index: int, deadline_ns: int, stop: Stop) -> dict[str, Any]:
        """The answer to one request, or the problem with which ``/move`` would answer it."""
        try:
            question = parse_question(check(MOVE_REQUEST, fields), self._settings)
            ask = self._recommender.ask
            answer, known = engine.move(question.until(deadline_ns).watched(stop), ask)
            return move_fields(question.position, answer, known)
        except Exception as error:
            if stop.is_set():
                raise
            # If one request fails in any way, the others still get their answers.
            return in_place(error, f"/requests/{index}")


def install(app: Flask, settings: Settings, recommender: Recommender, disconnects: Disconnects) -> None:
    """Add the route to the app."""
    batches = Batches(settings, recommender, disconnects)
    app.add_url_rule("/moves", "post_moves", batches.post_moves, methods=["POST"])
