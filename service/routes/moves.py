"""The routes that search: POST and GET of /move and /analysis, POST of /review and /moves."""

import time
from functools import partial
from typing import Any

from flask import Flask, Response, request

from kinarow.contract.actions import ACTIONS, Call, Fields, valued
from kinarow.contract.game_schemas import MOVES_REQUEST
from kinarow.contract.parsing import parse_question
from kinarow.contract.problem_kinds import invalid
from kinarow.contract.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check, fields_of
from kinarow.contract.strict_json import parse
from kinarow.engine import Question
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from kinarow.version import engine_version
from service.http import events as stream
from service.http.body import read_body
from service.http.problem_responses import as_data
from service.http.query import QueryReader, types_of
from service.http.response_cache import CachedResponse, Key
from service.http.responses import (
    NO_STORE,
    cacheable_for,
    client_has,
    dump,
    dump_with_quotes,
    json_reply,
    not_modified,
    tag_of,
    tagged,
)
from service.http.shared import Shared
from service.telemetry.logs import note


class Answers:
    """The routes; one instance for each app."""

    def __init__(self, shared: Shared) -> None:
        self._settings, self._recommender, self._limiter, self._disconnects, self._responses = shared
        self._cache_control = cacheable_for(shared.settings)
        self._query = QueryReader(types_of(fields_of(MOVE_REQUEST)))
        self._analysis_query = QueryReader(types_of(fields_of(ANALYSIS_REQUEST)))

    def post_move(self) -> Response:
        """``POST /move``."""
        body = read_body(request.environ, self._settings)
        key = ("POST", body)
        known = self._responses.get(key)
        if known is None:
            question = parse_question(check(MOVE_REQUEST, parse(body)), self._settings)
            known = self._move(question, key)
        else:
            note(request.environ, cached=True, nodes=known.nodes, stopped_by=known.stopped_by)
        return json_reply(known.body)

    def get_move(self) -> Response:
        """``GET /move``: the same by query, with an ETag for caches."""
        query = request.environ.get("QUERY_STRING", "")
        key = ("GET", query.encode("utf-8", "surrogatepass"))
        known = self._responses.get(key)
        tag = known.tag if known else None
        if known is None:
            question = parse_question(check(MOVE_REQUEST, self._query.read(query)), self._settings)
            if question.repeatable:
                tag = tag_of(question, "move", engine_version())
        if tag is not None and client_has(tag):
            # A tag identifies the request, and is only ever sent with an answer that never changes.
            return not_modified(tag, self._cache_control)
        if known is None:
            known = self._move(question, key, tag)
        else:
            note(request.environ, cached=True, nodes=known.nodes, stopped_by=known.stopped_by)
        if known.tag is None:
            return json_reply(known.body)
        return tagged(json_reply(known.body, self._cache_control), known.tag, self._cache_control)

    def _move(self, question: Question, key: Key, tag: str | None = None) -> CachedResponse:
        """The response of ``/move``, which is cached if it can never change."""
        answer = self._valued("move", question)
        nodes, stopped_by, known = (answer["search"][name] for name in ("nodes", "stopped_by", "cached"))
        lasting = question.repeatable and stopped_by != "time"
        response = CachedResponse(dump(answer), tag if lasting else None, nodes, stopped_by)
        if lasting and known:
            self._responses.put(key, response)
        return response

    def get_analysis(self) -> Response:
        """``GET /analysis``: the same by query, for caches, and for a browser's EventSource."""
        environ = request.environ
        as_events = stream.wanted(environ)
        if as_events and "HTTP_LAST_EVENT_ID" in environ:
            # EventSource reconnects by itself after the last event; this answer stops it.
            return Response(status=204, headers={"Cache-Control": NO_STORE})
        fields = check(ANALYSIS_REQUEST, self._analysis_query.read(environ.get("QUERY_STRING", "")))
        if as_events:
            return self._stream("analysis", fields)
        question = parse_question(fields, self._settings)
        tag = tag_of(question, "analysis", engine_version()) if question.repeatable else None
        if tag is not None and client_has(tag):
            response = not_modified(tag, self._cache_control)
        else:
            answer = self._valued("analysis", question)
            response = json_reply(dump(answer))
            if tag is not None and answer["search"]["stopped_by"] != "time":
                tagged(response, tag, self._cache_control)
        response.vary.add("Accept")
        return response

    def post(self, action: str) -> Response:
        """``POST`` of /analysis or /review: the answer, or events where the client wants them."""
        environ = request.environ
        fields = check(ACTIONS[action].request, parse(read_body(environ, self._settings)))
        if stream.wanted(environ):
            return self._stream(action, fields)
        with self._disconnects.watch(environ) as stop:
            answer = ACTIONS[action].run(fields, self._call(stop)).fields
        return json_reply(dump(_noted(environ, answer)))

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
                answers.append(self._one_of_many(each, index, deadline, stop))
        note(request.environ, requests=len(answers))
        return json_reply(dump_with_quotes({"answers": answers}))

    def _one_of_many(self, fields: Any, index: int, deadline_ns: int, stop: Stop) -> Fields:
        """The answer to a request of many, or the problem with which ``/move`` would answer it."""
        try:
            question = parse_question(check(MOVE_REQUEST, fields), self._settings)
            return valued("move", question.until(deadline_ns), self._call(stop))
        except Exception as error:
            if stop.is_set():
                raise
            # If one request fails in any way, the others still get their answers.
            return as_data(error, f"#/requests/{index}")

    def _call(self, stop: Stop, listen: stream.Listener | None = None) -> Call:
        return Call(self._settings, self._recommender.ask, stop, listen)

    def _valued(self, action: str, question: Question) -> Fields:
        with self._disconnects.watch(request.environ) as stop:
            answer = valued(action, question, self._call(stop))
        return _noted(request.environ, answer)

    def _stream(self, action: str, fields: Fields) -> Response:
        """The answer as events; before it come those of ``review``'s moves, or of an analysis's iterations."""
        event = "move" if action == "review" else "progress"

        def compute(stop: Stop, listen: stream.Listener) -> Fields:
            return ACTIONS[action].run(fields, self._call(stop, listen)).fields

        finished = partial(_noted, request.environ)
        sent = stream.Stream(self._limiter, self._disconnects, event, compute, finished)
        return sent.response(self._settings.search_wait_ms / 1000)


def install(app: Flask, shared: Shared) -> None:
    """Add the routes to the app."""
    routes = Answers(shared)
    for method, path, view in (
        ("POST", "/move", routes.post_move),
        ("GET", "/move", routes.get_move),
        ("POST", "/analysis", partial(routes.post, "analysis")),
        ("GET", "/analysis", routes.get_analysis),
        ("POST", "/review", partial(routes.post, "review")),
        ("POST", "/moves", routes.post_moves),
    ):
        app.add_url_rule(path, f"{method.lower()}_{path[1:]}", view, methods=[method])


def _noted(environ: Fields, answer: Fields) -> Fields:
    if "search" in answer:
        search = answer["search"]
        note(environ, cached=search["cached"], nodes=search["nodes"], stopped_by=search["stopped_by"])
    else:
        note(environ, moves=len(answer["moves"]))
    return answer
