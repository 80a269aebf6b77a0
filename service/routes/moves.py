"""``/move`` and ``/analysis``, by POST and by GET, and ``POST /moves``."""

import time
from typing import Any

from flask import Blueprint, Response, request

from kinarow import engine
from kinarow.contract.answer_fields import analysis_fields, move_fields
from kinarow.contract.game_schemas import MOVES_REQUEST
from kinarow.contract.parsing import parse_question
from kinarow.contract.problem_kinds import invalid
from kinarow.contract.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check, fields_of
from kinarow.contract.strict_json import parse
from kinarow.engine import Question
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.http import actions, events
from service.http.body import read_body
from service.http.problem_responses import as_data
from service.http.query import QueryReader, types_of
from service.http.response_cache import CachedResponse, Key
from service.http.responses import (
    NO_STORE,
    cacheable,
    client_has,
    dump,
    dump_with_quotes,
    json_response,
    not_modified,
    note_answer,
    tag_of,
)
from service.http.services import services
from service.telemetry.logs import note

blueprint = Blueprint("moves", __name__)

_MOVE_QUERY = QueryReader(types_of(fields_of(MOVE_REQUEST)))
_ANALYSIS_QUERY = QueryReader(types_of(fields_of(ANALYSIS_REQUEST)))


@blueprint.post("/move")
def post_move() -> Response:
    """The best move."""
    body = read_body()
    key = ("POST", body)
    known = _cached(key)
    if known is None:
        question = parse_question(check(MOVE_REQUEST, parse(body)), services().settings)
        known = _searched(question, key)
    return json_response(known.body)


@blueprint.get("/move")
def get_move() -> Response:
    """The best move, with an ETag for caches."""
    query = request.environ.get("QUERY_STRING", "")
    key = ("GET", query.encode("utf-8", "surrogatepass"))
    known = _cached(key)
    if known is not None:
        tag = known.tag
    else:
        question = parse_question(check(MOVE_REQUEST, _MOVE_QUERY.read(query)), services().settings)
        tag = tag_of(question, "move") if question.repeatable else None
    if tag is not None and client_has(tag):
        # A tag identifies the request, and is only ever sent with an answer that never changes.
        return not_modified(tag)
    if known is None:
        known = _searched(question, key, tag)
    response = json_response(known.body)
    return response if known.tag is None else cacheable(response, known.tag)


@blueprint.post("/analysis")
def post_analysis() -> Response:
    """The value of every move, or events of it."""
    return actions.respond("analysis", check(ANALYSIS_REQUEST, parse(read_body())), "progress")


@blueprint.get("/analysis")
def get_analysis() -> Response:
    """The value of every move, for caches, or events for a browser's EventSource."""
    environ = request.environ
    as_events = events.wanted(environ)
    if as_events and "HTTP_LAST_EVENT_ID" in environ:
        # EventSource reconnects by itself after the last event; this answer stops it.
        return Response(status=204, headers={"Cache-Control": NO_STORE})
    fields = check(ANALYSIS_REQUEST, _ANALYSIS_QUERY.read(environ.get("QUERY_STRING", "")))
    if as_events:
        return actions.respond("analysis", fields, "progress")
    question = parse_question(fields, services().settings)
    tag = tag_of(question, "analysis") if question.repeatable else None
    if tag is not None and client_has(tag):
        response = not_modified(tag)
    else:
        shared = services()
        with shared.disconnects.watch() as stop:
            found, known = engine.analysis(question.watched(stop), shared.recommender.ask)
        answer = analysis_fields(question.position, found, known)
        note_answer(answer)
        response = json_response(dump(answer))
        if tag is not None and found.stopped_by != "time":
            cacheable(response, tag)
    response.vary.add("Accept")
    return response


@blueprint.post("/moves")
def post_moves() -> Response:
    """The best moves of many boards, or the problems with which ``/move`` would answer."""
    shared = services()
    requests = check(MOVES_REQUEST, parse(read_body()))["requests"]
    most = shared.settings.max_batch
    if len(requests) > most:
        raise invalid([("/requests", f"at most {most} requests are allowed here, not {len(requests)}")])
    # All searches together take at most the time that the server allows for one: each gets an equal
    # share of the remaining time, and a cached answer takes none.
    end = time.monotonic_ns() + shared.settings.max_time_ms * NANOSECONDS_PER_MS
    answers = []
    with shared.disconnects.watch() as stop:
        for index, fields in enumerate(requests):
            now = time.monotonic_ns()
            deadline_ns = now + (end - now) // (len(requests) - index)
            try:
                question = parse_question(check(MOVE_REQUEST, fields), shared.settings)
                answers.append(_move(question.until(deadline_ns), stop))
            except Exception as error:
                if stop.is_set():
                    raise
                # If one request fails in any way, the others still get their answers.
                answers.append(as_data(error, f"#/requests/{index}"))
    note(requests=len(answers))
    return json_response(dump_with_quotes({"answers": answers}))


def _cached(key: Key) -> CachedResponse | None:
    known = services().responses.get(key)
    if known is not None:
        note(cached=True, nodes=known.nodes, stopped_by=known.stopped_by)
    return known


def _searched(question: Question, key: Key, tag: str | None = None) -> CachedResponse:
    """The response of ``/move``, which is cached if it can never change."""
    with services().disconnects.watch() as stop:
        answer = _move(question, stop)
    note_answer(answer)
    nodes, stopped_by, known = (answer["search"][name] for name in ("nodes", "stopped_by", "cached"))
    lasting = question.repeatable and stopped_by != "time"
    response = CachedResponse(dump(answer), tag if lasting else None, nodes, stopped_by)
    if lasting and known:
        services().responses.put(key, response)
    return response


def _move(question: Question, stop: Stop) -> dict[str, Any]:
    found, known = engine.move(question.watched(stop), services().recommender.ask)
    return move_fields(question.position, found, known)
