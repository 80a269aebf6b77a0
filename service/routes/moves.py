"""``/move`` and ``/analysis``, by POST and by GET, ``POST /moves`` and ``POST /review``."""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from flask import Blueprint, Response, request
from pydantic import MISSING

from kinarow.contract.actions import Answered, Call, analysis, answer, move
from kinarow.contract.answers import BatchedAnswer, MoveAnswer, MovesAnswer
from kinarow.contract.json_text import dump, parse
from kinarow.contract.model import Model
from kinarow.contract.problems import MAX_ERRORS, invalid
from kinarow.contract.queries import QueryReader
from kinarow.contract.questions import question_of
from kinarow.contract.requests import AnalysisRequest, MoveRequest, MovesRequest, Request, ReviewRequest
from kinarow.cores import current, using
from kinarow.engine import Question
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.http import events, responses
from service.http.errors import as_answer
from service.http.parsing import read_body, read_query, read_request
from service.http.services import CachedResponse, Services, services
from service.searches.threads import give_way
from service.telemetry.logs import note

MAX_BATCH = 100  # requests in one ``/moves``

blueprint = Blueprint("moves", __name__)


class _Action(NamedTuple):
    name: str
    request: type[MoveRequest]
    query: QueryReader[MoveRequest]
    answer: Callable[[Question, Call], Answered[MoveAnswer]]


_MOVE = _Action("move", MoveRequest, QueryReader(MoveRequest), move)
_ANALYSIS = _Action("analysis", AnalysisRequest, QueryReader(AnalysisRequest), analysis)


@blueprint.post("/move")
def post_move() -> Response:
    """Return the best move."""
    return _posted(_MOVE)


@blueprint.get("/move")
def get_move() -> Response:
    """Return the best move, with an ETag for caches."""
    return _got(_MOVE)


@blueprint.post("/analysis")
def post_analysis() -> Response:
    """Return the value of every move, or events of it."""
    return _respond(read_request(AnalysisRequest), "progress") if events.wanted() else _posted(_ANALYSIS)


@blueprint.get("/analysis")
def get_analysis() -> Response:
    """Return the value of every move, for caches, or events for a browser's EventSource."""
    if not events.wanted():
        response = _got(_ANALYSIS)
        response.vary.add("Accept")
        return response
    if "Last-Event-ID" in request.headers:
        # EventSource reconnects by itself after the last event; this answer stops it.
        return Response(status=204, headers={"Cache-Control": responses.NO_STORE})
    return _respond(_ANALYSIS.query.read(read_query()), "progress")


@blueprint.post("/moves")
def post_moves() -> Response:
    """Return the best moves of many boards, or the problems with which ``/move`` would answer."""
    shared = services()
    requests = read_request(MovesRequest).requests
    if len(requests) > MAX_BATCH:
        raise invalid([("/requests", f"at most {MAX_BATCH} requests are allowed here, not {len(requests)}")])
    # All searches together take at most the time that the server allows for one: each gets an equal
    # share of the remaining time, and a cached answer takes none.
    end = time.monotonic_ns() + shared.settings.max_time_ms * NANOSECONDS_PER_MS
    answers: list[BatchedAnswer] = []
    left = MAX_ERRORS  # that the whole answer lists, beside the first of each problem
    with shared.disconnects.watch() as stop:
        call = Call(shared.settings, shared.searches.ask, stop)
        for index, fields in enumerate(requests):
            give_way()
            now = time.monotonic_ns()
            deadline_ns = now + (end - now) // (len(requests) - index)
            try:
                question = question_of(MoveRequest.read(fields, hints=left > 0), shared.settings).until(deadline_ns)
                answers.append(BatchedAnswer(answer=move(question, call).answer, problem=None))
            except Exception as error:
                if stop.is_set():
                    raise
                # If one request fails in any way, the others still get their answers.
                problem = as_answer(error, f"#/requests/{index}")
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
    """Return the graded moves, or an event for each."""
    return _respond(read_request(ReviewRequest), "move")


def _respond(asked: Request, progress: str) -> Response:
    """Respond to a request; ``progress`` names the events before the result, if the client accepts events."""
    compute = partial(_run, asked)
    if events.wanted():
        return events.stream(progress, compute)
    with services().disconnects.watch() as stop:
        made = compute(stop)
        give_way()  # making and encoding that of a long game take some milliseconds each
        return responses.json_answer(made)


def _run(asked: Request, stop: Stop, listen: events.Listener | None = None) -> Model:
    """Return the answer of an action, whose searches may use all free slots."""
    shared = services()
    with using(shared.limiter.free_slots):
        return answer(asked, Call(shared.settings, shared.searches.ask, stop, listen)).answer


def _posted(action: _Action) -> Response:
    shared = services()
    body = read_body(shared.settings, action.request)
    key = (f"POST {action.name}", body)
    found = shared.responses.get(key)
    if found is None:
        found = _search(shared, action, question_of(action.request.read(parse(body)), shared.settings), key)
    return responses.kept_response(found)


def _got(action: _Action) -> Response:
    query, shared = read_query(), services()
    key = (f"GET {action.name}", query)
    found = shared.responses.get(key)
    if found is None:
        question = question_of(action.query.read(query), shared.settings)
        tag = responses.tag_of(action.name, question) if question.repeatable else None
        if responses.client_has(tag):  # a tag is only ever sent with an answer that never changes
            return responses.not_modified(tag)
        found = _search(shared, action, question, key, tag)
    elif responses.client_has(found.tag):
        return responses.not_modified(found.tag)
    response = responses.kept_response(found)
    return response if found.tag is None else responses.cacheable(response, found.tag)


def _search(
    shared: Services, action: _Action, question: Question, key: tuple[str, bytes], tag: str | None = None
) -> CachedResponse:
    """Return the response to a question, and cache it if it can never change."""
    own = shared.limiter.lane if action is _MOVE else current()
    with using(own), shared.disconnects.watch() as stop:
        answer = action.answer(question, Call(shared.settings, shared.searches.ask, stop)).answer
    search = answer.search
    lasting = question.repeatable and search.stopped_by != "time"
    response = CachedResponse(dump(answer), tag if lasting else None, search.nodes, search.stopped_by, search.cached)
    if lasting and search.cached:
        shared.responses.put(key, response)
    return response
