"""Runs an action of the contract, and answers with JSON or with events."""

from typing import Any

from flask import Response, request

from kinarow.contract.actions import ACTIONS, Call
from kinarow.cores import using
from kinarow.search_types import Stop
from service.http import events
from service.http.responses import dump, json_response, note_answer
from service.http.services import services

Fields = dict[str, Any]


def respond(action: str, fields: Fields, progress: str) -> Response:
    """The answer of an action to checked fields.

    Args:
        action: its name in ``ACTIONS``.
        progress: the name of the events before the result, if the client accepts events.
    """
    shared, run = services(), ACTIONS[action].run

    def answer(stop: Stop, listen: events.Listener | None = None) -> Fields:
        with using(shared.limiter.free_slots):
            return run(fields, Call(shared.settings, shared.recommender.ask, stop, listen)).fields

    if events.wanted(request.environ):
        return events.stream(progress, answer)
    with shared.disconnects.watch() as stop:
        answered = answer(stop)
    note_answer(answered)
    return json_response(dump(answered))
