"""``/move`` and ``/analysis``, by POST and by GET, and ``POST /moves``."""

import time
from functools import partial

from flask import Blueprint, Response, request

from kinarow import engine
from kinarow.contract.actions import analysis
from kinarow.contract.answers import AnalysisAnswer, MoveAnswer
from kinarow.contract.json_text import dump, parse
from kinarow.contract.problems import MAX_ERRORS, invalid
from kinarow.contract.questions import question_of
from kinarow.contract.requests import AnalysisRequest, MoveRequest, MovesRequest
from kinarow.engine import Question
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.http import actions, events, responses
from service.http.errors import as_data
from service.http.parsing import QueryReader, read_body, read_request
from service.http.response_cache import CachedResponse, Key
from service.http.services import services
from service.searches.threads import give_way
from service.telemetry.logs import note

MAX_BATCH = 100  # requests in one ``/moves``

blueprint = Blueprint("moves", __name__)

_MOVE_QUERY = QueryReader(MoveRequest)
_ANALYSIS_QUERY = QueryReader(AnalysisRequest)


@blueprint.post("/move")
def post_move() -> Response:
    """The best move."""
    body = read_body()
    key = ("POST", body)
    response = _cached(key) or _search(question_of(MoveRequest.read(parse(body)), services().settings), key)
    return responses.json_response(response.body)


@blueprint.get("/move")
def get_move() -> Response:
    """The best move, with an ETag for caches."""
    key = ("GET", request.query_string)
    answer = _cached(key)
    if answer is None:
        question = question_of(_MOVE_QUERY.read(request.query_string), services().settings)
        tag = responses.tag_of(question, "move") if question.repeatable else None
        if responses.client_has(tag):  # a tag is only ever sent with an answer that never changes
            return responses.not_modified(tag)
        answer = _search(question, key, tag)
    elif responses.client_has(answer.tag):
        return responses.not_modified(answer.tag)
    response = responses.json_response(answer.body)
    return response if answer.tag is None else responses.cacheable(response, answer.tag)


@blueprint.post("/analysis")
def post_analysis() -> Response:
    """The value of every move, or events of it."""
    return actions.respond(read_request(AnalysisRequest), "progress")


@blueprint.get("/analysis")
def get_analysis() -> Response:
    """The value of every move, for caches, or events for a browser's EventSource."""
    as_events = events.wanted()
    if as_events and "Last-Event-ID" in request.headers:
        # EventSource reconnects by itself after the last event; this answer stops it.
        return Response(status=204, headers={"Cache-Control": responses.NO_STORE})
    asked = _ANALYSIS_QUERY.read(request.query_string)
    if as_events:
        return actions.respond(asked, "progress")
    question = question_of(asked, services().settings)
    tag = responses.tag_of(question, "analysis") if question.repeatable else None
    if responses.client_has(tag):
        response = responses.not_modified(tag)
    else:
        with services().disconnects.watch() as stop:
            answer = actions.run(partial(analysis, question), stop)
        assert isinstance(answer, AnalysisAnswer)
        response = responses.json_answer(answer)
        if tag is not None and answer.search.stopped_by != "time":
            responses.cacheable(response, tag)
    response.vary.add("Accept")
    return response


@blueprint.post("/moves")
def post_moves() -> Response:
    """The best moves of many boards, or the problems with which ``/move`` would answer."""
    app = services()
    requests = read_request(MovesRequest).requests
    if len(requests) > MAX_BATCH:
        raise invalid([("/requests", f"at most {MAX_BATCH} requests are allowed here, not {len(requests)}")])
    # All searches together take at most the time that the server allows for one: each gets an equal
    # share of the remaining time, and a cached answer takes none.
    end = time.monotonic_ns() + app.settings.max_time_ms * NANOSECONDS_PER_MS
    answers: list[object] = []
    left = MAX_ERRORS  # that the whole answer lists, beside the first of each problem
    with app.disconnects.watch() as stop:
        for index, fields in enumerate(requests):
            give_way()
            now = time.monotonic_ns()
            deadline_ns = now + (end - now) // (len(requests) - index)
            try:
                question = question_of(MoveRequest.read(fields, hints=left > 0), app.settings).until(deadline_ns)
                answers.append(_answer(question, stop))
            except Exception as error:
                if stop.is_set():
                    raise
                # If one request fails in any way, the others still get their answers.
                problem = as_data(error, f"#/requests/{index}")
                if "errors" in problem:
                    problem["errors"] = problem["errors"][: max(1, left)]
                    left -= len(problem["errors"])
                answers.append(problem)
    note(requests=len(answers))
    return responses.json_response(dump({"answers": answers}))


def _cached(key: Key) -> CachedResponse | None:
    known = services().responses.get(key)
    if known is not None:
        note(cached=True, nodes=known.nodes, stopped_by=known.stopped_by)
    return known


def _search(question: Question, key: Key, tag: str | None = None) -> CachedResponse:
    """The response of ``/move``, which is cached if it can never change."""
    app = services()
    with app.disconnects.watch() as stop:
        answer = _answer(question, stop)
    responses.note_answer(answer)
    search = answer.search
    lasting = question.repeatable and search.stopped_by != "time"
    response = CachedResponse(dump(answer), tag if lasting else None, search.nodes, search.stopped_by)
    if lasting and search.cached:
        app.responses.put(key, response)
    return response


def _answer(question: Question, stop: Stop) -> MoveAnswer:
    found, cached = engine.move(question.watched(stop), services().recommender.ask)
    return MoveAnswer.of(question.position, found, cached)
