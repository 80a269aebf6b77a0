"""Runs an action of the contract, and answers with JSON or with events."""

from flask import Response, request

from kinarow.contract import actions
from kinarow.contract.actions import Call
from kinarow.contract.json_text import dump
from kinarow.contract.model import Model
from kinarow.contract.requests import Request
from kinarow.cores import using
from kinarow.search_types import Stop
from service.http import events
from service.http.responses import json_response, note_answer
from service.http.services import services


def respond(asked: Request, progress: str) -> Response:
    """The answer to a request; ``progress`` names the events before the result, if the client accepts events."""
    shared = services()

    def compute(stop: Stop, listen: events.Listener | None = None) -> Model:
        with using(shared.limiter.free_slots):
            return actions.answer(asked, Call(shared.settings, shared.recommender.ask, stop, listen)).answer

    if events.wanted(request.environ):
        return events.stream(progress, compute)
    with shared.disconnects.watch() as stop:
        answer = compute(stop)
    note_answer(answer)
    return json_response(dump(answer))
