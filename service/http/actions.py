"""Runs actions of the contract, and answers with JSON or with events."""

from functools import partial

from flask import Response

from kinarow.contract.actions import Call, answer
from kinarow.contract.model import Model
from kinarow.contract.requests import Request
from kinarow.cores import using
from kinarow.search_types import Stop
from service.http import events
from service.http.responses import json_answer
from service.http.services import services
from service.searches.threads import give_way


def respond(asked: Request, progress: str) -> Response:
    """The answer to a request; ``progress`` names the events before the result, if the client accepts events."""
    compute = partial(_run, asked)
    if events.wanted():
        return events.stream(progress, compute)
    with services().disconnects.watch() as stop:
        made = compute(stop)
        give_way()  # making and encoding that of a long game take some milliseconds each
        return json_answer(made)


def _run(asked: Request, stop: Stop, listen: events.Listener | None = None) -> Model:
    """The answer of an action, whose searches may use all free slots."""
    app = services()
    with using(app.limiter.free_slots):
        return answer(asked, Call(app.settings, app.searches.ask, stop, listen)).answer
