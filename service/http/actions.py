"""Runs an action of the contract, and answers with JSON or with events."""

from functools import partial

from flask import Response

from kinarow.contract.actions import Call, answer
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
    if events.wanted():
        return events.stream(progress, partial(_compute, asked))
    return json_response(dump(computed(asked)))


def computed(asked: Request) -> Model:
    """The answer to a request, whose cost goes into the log line; the search stops if the client disconnects."""
    with services().disconnects.watch() as stop:
        result = _compute(asked, stop)
    note_answer(result)
    return result


def _compute(asked: Request, stop: Stop, listen: events.Listener | None = None) -> Model:
    app = services()
    with using(app.limiter.free_slots):
        return answer(asked, Call(app.settings, app.recommender.ask, stop, listen)).answer
