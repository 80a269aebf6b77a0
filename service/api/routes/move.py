"""The routes that value positions: POST and GET of /move and /analysis."""

from functools import partial
from typing import Any

from flask import Flask, Response, request

from kinarow import engine
from kinarow.engine import Answer, Question
from kinarow.search.search import Listener
from kinarow.search_types import SearchResult, Stop
from kinarow.version import engine_version
from service.answers.answer_fields import analysis_fields, move_fields, progress_fields
from service.answers.recommender import Recommender
from service.answers.search_limiter import SearchLimiter
from service.api import sse as stream
from service.api.disconnects import Disconnects
from service.api.entity_tags import client_has, not_modified, tag_of, tagged
from service.api.parsing import parse_question
from service.api.query_string import QueryReader, types_of
from service.api.request_body import read_body
from service.api.response_cache import CachedResponse, Key, ResponseCache
from service.api.responses import NO_STORE, cacheable_for, dump, json_reply
from service.api.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check, fields_of
from service.api.strict_json import parse
from service.logs import note
from service.settings import Settings


class Recommend:
    """The routes with their shared objects; one instance for each app."""

    def __init__(
        self,
        settings: Settings,
        recommender: Recommender,
        limiter: SearchLimiter,
        disconnects: Disconnects,
        responses: ResponseCache,
    ) -> None:
        self._settings = settings
        self._disconnects = disconnects
        self._respond = partial(stream.respond, limiter, disconnects, settings.search_wait_ms / 1000)
        self._recommender = recommender
        self._responses = responses
        self._cache_control = cacheable_for(settings)
        self._query = QueryReader(types_of(fields_of(MOVE_REQUEST)))
        self._analysis_query = QueryReader(types_of(fields_of(ANALYSIS_REQUEST)))

    def post_move(self) -> Response:
        """``POST /move``."""
        environ = request.environ
        body = read_body(environ, self._settings)
        key = ("POST", body)
        known = self._responses.get(key)
        if known is None:
            question = parse_question(check(MOVE_REQUEST, parse(body)), self._settings)
            known = self._move(question, key)
        else:
            _note(environ, True, known)
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
            _note(request.environ, True, known)
        if known.tag is None:
            return json_reply(known.body)
        return tagged(json_reply(known.body, self._cache_control), known.tag, self._cache_control)

    def post_analysis(self) -> Response:
        """``POST /analysis``."""
        fields = check(ANALYSIS_REQUEST, parse(read_body(request.environ, self._settings)))
        question = parse_question(fields, self._settings)
        if stream.wanted(request.environ):
            return self._stream(question)
        answer, known = self._analysis(question)
        return json_reply(dump(analysis_fields(question.position, answer, known)))

    def get_analysis(self) -> Response:
        """``GET /analysis``: the same by query, for caches, and for a browser's EventSource."""
        environ = request.environ
        as_events = stream.wanted(environ)
        if as_events and "HTTP_LAST_EVENT_ID" in environ:
            # EventSource reconnects by itself after the last event; this answer stops it.
            return Response(status=204, headers={"Cache-Control": NO_STORE})
        fields = check(ANALYSIS_REQUEST, self._analysis_query.read(environ.get("QUERY_STRING", "")))
        question = parse_question(fields, self._settings)
        if as_events:
            return self._stream(question)
        tag = tag_of(question, "analysis", engine_version()) if question.repeatable else None
        if tag is not None and client_has(tag):
            response = not_modified(tag, self._cache_control)
        else:
            answer, known = self._analysis(question)
            response = json_reply(dump(analysis_fields(question.position, answer, known)))
            if tag is not None and answer.stopped_by != "time":
                tagged(response, tag, self._cache_control)
        response.vary.add("Accept")
        return response

    def _analysis(self, question: Question) -> tuple[Answer, bool]:
        """The answer of ``/analysis``, and whether it was known."""
        with self._disconnects.watch(request.environ) as stop:
            answer, known = engine.analysis(question.watched(stop), self._recommender.ask)
        _note_result(request.environ, answer.result, known)
        return answer, known

    def _stream(self, question: Question) -> Response:
        """The answer of ``/analysis`` as events."""
        position, environ = question.position, request.environ

        def compute(stop: Stop, listen: Listener) -> tuple[Answer, bool]:
            return engine.analysis(question.watched(stop, listen), self._recommender.ask)

        def result(answered: tuple[Answer, bool]) -> dict[str, Any]:
            answer, known = answered
            _note_result(environ, answer.result, known)
            return analysis_fields(position, answer, known)

        return self._respond(
            stream.Task(compute, "progress", lambda info: progress_fields(info, position.rules), result)
        )

    def _move(self, question: Question, key: Key, tag: str | None = None) -> CachedResponse:
        """The response of ``/move``, which is cached if it can never change."""
        ask = self._recommender.ask
        with self._disconnects.watch(request.environ) as stop:
            answer, known = engine.move(question.watched(stop), ask)
        lasting = question.repeatable and answer.stopped_by != "time"
        body = dump(move_fields(question.position, answer, known))
        response = CachedResponse(body, tag if lasting else None, answer.result.nodes, answer.stopped_by)
        if lasting and known:
            self._responses.put(key, response)
        _note(request.environ, known, response)
        return response


def install(
    app: Flask,
    settings: Settings,
    recommender: Recommender,
    limiter: SearchLimiter,
    disconnects: Disconnects,
    responses: ResponseCache,
) -> None:
    """Add the routes to the app."""
    routes = Recommend(settings, recommender, limiter, disconnects, responses)
    app.add_url_rule("/move", "post_move", routes.post_move, methods=["POST"])
    app.add_url_rule("/move", "get_move", routes.get_move, methods=["GET"])
    app.add_url_rule("/analysis", "get_analysis", routes.get_analysis, methods=["GET"])
    app.add_url_rule("/analysis", "post_analysis", routes.post_analysis, methods=["POST"])


def _note_result(environ: dict[str, Any], result: SearchResult, known: bool) -> None:
    note(environ, cached=known, nodes=result.nodes, stopped_by=result.stopped_by)


def _note(environ: dict[str, Any], cached: bool, response: CachedResponse) -> None:
    note(environ, cached=cached, nodes=response.nodes, stopped_by=response.stopped_by)
