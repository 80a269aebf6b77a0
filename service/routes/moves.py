"""``/move`` and ``/analysis``, by POST and by GET, ``POST /moves`` and ``POST /review``."""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from flask import Blueprint, Response, request
from pydantic import MISSING

from kinarow.contract.actions import Call, RenderedAnswer, analysis, answer, move
from kinarow.contract.answers import BatchedAnswer, MoveAnswer, MovesAnswer
from kinarow.contract.json_text import dump, parse
from kinarow.contract.model import Model
from kinarow.contract.problems import MAX_ERRORS, invalid
from kinarow.contract.queries import request_of
from kinarow.contract.questions import question_of
from kinarow.contract.requests import AnalysisRequest, MoveRequest, MovesRequest, Request, ReviewRequest
from kinarow.cores import current, using
from kinarow.engine import Question
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.http import events, responses
from service.http.errors import problem_answer
from service.http.parsing import read_body, read_query, read_request
from service.http.services import CachedResponse, Services, services
from service.searches.threads import yield_control
from service.telemetry.logs import note

MAX_BATCH = 100  # requests in one ``/moves``

blueprint = Blueprint("moves", __name__)


class _Action(NamedTuple):
    name: str
    request: type[MoveRequest]
    answer: Callable[[Question, Call], RenderedAnswer[MoveAnswer]]


_MOVE = _Action("move", MoveRequest, move)
_ANALYSIS = _Action("analysis", AnalysisRequest, analysis)


@blueprint.post("/move")
def post_move() -> Response:
    """Return the best move."""
    return _answer_post(_MOVE)


@blueprint.get("/move")
def get_move() -> Response:
    """Return the best move, with an ETag for caches."""
    return _answer_get(_MOVE)


@blueprint.post("/analysis")
def post_analysis() -> Response:
    """Return the value of every move, as JSON or as events."""
    return _respond(read_request(AnalysisRequest), "progress") if events.prefers_events() else _answer_post(_ANALYSIS)


@blueprint.get("/analysis")
def get_analysis() -> Response:
    """Return the value of every move with an ETag for caches, or as events for a browser's EventSource."""
    if not events.prefers_events():
        response = _answer_get(_ANALYSIS)
        response.vary.add("Accept")
        return response
    if "Last-Event-ID" in request.headers:
        # EventSource reconnects after the last event; 204 stops it.
        return Response(status=204, headers={"Cache-Control": responses.NO_STORE})
    return _respond(request_of(AnalysisRequest, read_query()), "progress")


@blueprint.post("/moves")
def post_moves() -> Response:
    """Return the answer or the problem that ``/move`` would return to each request."""
    shared = services()
    requests = read_request(MovesRequest).requests
    if len(requests) > MAX_BATCH:
        raise invalid([("/requests", f"at most {MAX_BATCH} requests are allowed here, not {len(requests)}")])
    # All searches together have the time limit of one. Each gets an equal share of the remaining time, so cached
    # answers leave more time to the others.
    end = time.monotonic_ns() + shared.settings.max_time_ms * NANOSECONDS_PER_MS
    answers: list[BatchedAnswer] = []
    left = MAX_ERRORS  # errors that the answer may still list, in addition to the first of each problem
    with shared.disconnects.watch() as stop:
        call = Call(shared.settings, shared.searches.ask, stop)
        for index, fields in enumerate(requests):
            yield_control()
            now = time.monotonic_ns()
            deadline_ns = now + (end - now) // (len(requests) - index)
            try:
                question = question_of(MoveRequest.read(fields, hints=left > 0), shared.settings).until(deadline_ns)
                answers.append(BatchedAnswer(answer=move(question, call).answer, problem=None))
            except Exception as error:
                if stop.is_set():
                    raise
                # Whatever the error, the other requests get their answers.
                problem = problem_answer(error, f"#/requests/{index}")
                errors = problem.errors
                if errors is not MISSING:
                    errors = errors[: max(1, left)]
                    left -= len(errors)
                    problem = problem.model_copy(update={"errors": errors})
                answers.append(BatchedAnswer(answer=None, problem=problem))
    note(requests=len(answers))
    return responses.json_response(dump(MovesAnswer(answers=answers)))


@blueprint.post("/review")
def post_review() -> Response:
    """Return the graded moves, as JSON or as an event for each."""
    return _respond(read_request(ReviewRequest), "move")


def _respond(asked: Request, progress: str) -> Response:
    """Respond with JSON or with events, of which those before the result are called ``progress``."""
    compute = partial(_run, asked)
    if events.prefers_events():
        return events.stream(progress, compute)
    with services().disconnects.watch() as stop:
        made = compute(stop)
        yield_control()  # making and encoding the answer for a long game take some milliseconds each
        return responses.json_answer(made)


def _run(asked: Request, stop: Stop, listen: events.Listener | None = None) -> Model:
    """Return the answer to a request; its searches may use all free slots."""
    shared = services()
    with using(shared.limiter.free_slots):
        return answer(asked, Call(shared.settings, shared.searches.ask, stop, listen)).answer


def _answer_post(action: _Action) -> Response:
    shared = services()
    body = read_body(shared.settings, action.request)
    key = (f"POST {action.name}", body)
    found = shared.responses.get(key)
    if found is None:
        found = _search(shared, action, question_of(action.request.read(parse(body)), shared.settings), key)
    return responses.cached_response(found)


def _answer_get(action: _Action) -> Response:
    query, shared = read_query(), services()
    key = (f"GET {action.name}", query)
    found = shared.responses.get(key)
    if found is None:
        question = question_of(request_of(action.request, query), shared.settings)
        tag = responses.etag_of(action.name, question) if question.repeatable else None
        if responses.client_has_etag(tag):  # only answers that never change are sent with a tag
            return responses.not_modified(tag)
        found = _search(shared, action, question, key, tag)
    elif responses.client_has_etag(found.tag):
        return responses.not_modified(found.tag)
    response = responses.cached_response(found)
    return response if found.tag is None else responses.with_etag(response, found.tag)


def _search(
    shared: Services, action: _Action, question: Question, key: tuple[str, bytes], tag: str | None = None
) -> CachedResponse:
    """Return the response to a question; cache it whole if it is repeatable and its search was cached already."""
    own = shared.limiter.lane if action is _MOVE else current()
    with using(own), shared.disconnects.watch() as stop:
        answer = action.answer(question, Call(shared.settings, shared.searches.ask, stop)).answer
    search = answer.search
    lasting = question.repeatable and search.stopped_by != "time"
    response = CachedResponse(dump(answer), tag if lasting else None, search.nodes, search.stopped_by, search.cached)
    if lasting and search.cached:
        shared.responses.put(key, response)
    return response
