"""The route that answers many requests at once: POST /moves."""

import time
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request

from service.api.bodies import parse, read_body
from service.api.clients import Clients
from service.api.game_schemas import MOVES_REQUEST
from service.api.problems import in_place, invalid
from service.api.questions import question, within
from service.api.readiness import Engine, Readiness
from service.api.replies import dump_with_quotes, json_reply
from service.api.schemas import MOVE_REQUEST, check
from service.logs import note
from service.settings import Settings

if TYPE_CHECKING:
    from service.engine.search import Stop

_NANOSECONDS_PER_MS = 1_000_000


class Batches:
    """Answers batches; one object for an app.

    Args:
        settings: limits and sizes.
        readiness: where the engine comes from.
        clients: notices those that go away.
    """

    def __init__(self, settings: Settings, readiness: Readiness, clients: Clients) -> None:
        self._settings = settings
        self._readiness = readiness
        self._clients = clients

    def post_moves(self) -> Response:
        """``POST /moves``."""
        fields = check(MOVES_REQUEST, parse(read_body(request.environ, self._settings.max_body_bytes)))
        asked, most = fields["requests"], self._settings.max_batch
        if len(asked) > most:
            raise invalid([("/requests", f"at most {most} requests are allowed here, not {len(asked)}")])
        engine = self._readiness.engine()
        # All searches together take no longer than the server allows one: each may use an equal part of
        # what those before it have left, and one that is known uses nothing.
        end = time.monotonic_ns() + self._settings.max_time_ms * _NANOSECONDS_PER_MS
        answers = []
        with self._clients.watch(request.environ) as stop:
            for index, each in enumerate(asked):
                now = time.monotonic_ns()
                deadline = now + (end - now) // (len(asked) - index)
                answers.append(self._answer(engine, each, index, deadline, stop))
        note(request.environ, requests=len(answers))
        return json_reply(dump_with_quotes({"answers": answers}))

    def _answer(
        self, engine: Engine, asked: Any, index: int, deadline_ns: int, stop: "Stop"
    ) -> dict[str, Any]:
        """The answer to one request, or the problem that ``/move`` would have answered."""
        try:
            found = question(check(MOVE_REQUEST, asked), self._settings)
            limits = within(found.limits, deadline_ns)
            return engine.recommender.move(
                found.position, limits, level=found.level, seed=found.seed, stop=stop
            )
        except Exception as error:
            if stop.is_set():
                raise
            # Whatever went wrong with one request, the others get their answers.
            return in_place(error, f"/requests/{index}")


def install(app: Flask, settings: Settings, readiness: Readiness, clients: Clients) -> None:
    """Add the route to the app."""
    batches = Batches(settings, readiness, clients)
    app.add_url_rule("/moves", "post_moves", batches.post_moves, methods=["POST"])
