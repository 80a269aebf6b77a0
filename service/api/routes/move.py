"""The routes that value positions: POST and GET of /move and /analysis."""

from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request

from kinarow.game.notation import write_cell
from kinarow.game.rules import Rules
from kinarow.search_types import SearchInfo, Stop
from service.answers.answer import Recommendation, move_value_fields
from service.answers.fields import score_fields
from service.answers.search_limiter import SearchLimiter
from service.api import sse as stream
from service.api.disconnects import Disconnects
from service.api.entity_tags import client_has, not_modified, tag_of, tagged
from service.api.parsing import ParsedRequest, parse_request
from service.api.query_string import QueryReader, types_of
from service.api.readiness import Engine
from service.api.request_body import parse, read_body
from service.api.response_cache import CachedResponse, Key, ResponseCache
from service.api.responses import NO_STORE, cacheable_for, dump, json_reply
from service.api.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check, fields_of
from service.api.sse import Streams
from service.logs import note
from service.settings import Settings


class Recommend:
    """The routes with their shared objects; one instance for each app.

    Args:
        settings: limits and sizes.
        engine: answers.
        limiter: bounds the streams.
        disconnects: notices clients that disconnect.
        responses: the response cache.
    """

    def __init__(
        self,
        settings: Settings,
        engine: Engine,
        limiter: SearchLimiter,
        disconnects: Disconnects,
        responses: ResponseCache,
    ) -> None:
        self._settings = settings
        self._disconnects = disconnects
        self._streams = Streams(limiter, disconnects, settings.search_wait_ms / 1000)
        self._engine = engine
        self._responses = responses
        self._cache_control = cacheable_for(settings)
        self._query = QueryReader(types_of(fields_of(MOVE_REQUEST)))
        self._analysis_query = QueryReader(types_of(fields_of(ANALYSIS_REQUEST)))

    def post_move(self) -> Response:
        """``POST /move``."""
        body = read_body(request.environ, self._settings)
        key = ("POST", body)
        known = self._responses.get(key)
        if known is None:
            asked = parse_request(check(MOVE_REQUEST, parse(body)), self._settings)
            known = self._move(asked, key)
        else:
            _note(request.environ, True, known)
        return json_reply(known.body)

    def get_move(self) -> Response:
        """``GET /move``: the same by query, with an ETag for caches."""
        query = request.environ.get("QUERY_STRING", "")
        key = ("GET", query.encode("utf-8", "surrogatepass"))
        known = self._responses.get(key)
        tag = known.tag if known else None
        if known is None:
            asked = parse_request(check(MOVE_REQUEST, self._query.read(query)), self._settings)
            if asked.repeatable:
                tag = tag_of(asked, "move", self._engine.version)
        if tag is not None and client_has(tag):
            # A tag identifies the request, and is only ever sent with an answer that never changes.
            return not_modified(tag, self._cache_control)
        if known is None:
            known = self._move(asked, key, tag)
        else:
            _note(request.environ, True, known)
        if known.tag is None:
            return json_reply(known.body)
        return tagged(json_reply(known.body, self._cache_control), known.tag, self._cache_control)

    def post_analysis(self) -> Response:
        """``POST /analysis``."""
        fields = check(ANALYSIS_REQUEST, parse(read_body(request.environ, self._settings)))
        asked = parse_request(fields, self._settings)
        if stream.wanted(request.environ):
            return self._stream(asked)
        return json_reply(dump(self._analysis(asked).fields()))

    def get_analysis(self) -> Response:
        """``GET /analysis``: the same by query, for caches, and for a browser's EventSource."""
        environ = request.environ
        as_events = stream.wanted(environ)
        if as_events and "HTTP_LAST_EVENT_ID" in environ:
            # EventSource reconnects by itself after the last event; this answer stops it.
            return Response(status=204, headers={"Cache-Control": NO_STORE})
        fields = check(ANALYSIS_REQUEST, self._analysis_query.read(environ.get("QUERY_STRING", "")))
        asked = parse_request(fields, self._settings)
        if as_events:
            return self._stream(asked)
        tag = tag_of(asked, "analysis", self._engine.version) if asked.repeatable else None
        if tag is not None and client_has(tag):
            response = not_modified(tag, self._cache_control)
        else:
            answer = self._analysis(asked)
            response = json_reply(dump(answer.fields()))
            if tag is not None and answer.result.stopped_by != "time":
                tagged(response, tag, self._cache_control)
        response.vary.add("Accept")
        return response

    def _analysis(self, asked: ParsedRequest) -> Recommendation:
        """The answer of ``/analysis`` in one piece."""
        with self._disconnects.watch(request.environ) as stop:
            answer = self._analyse(asked, stop)
        _note_answer(request.environ, answer)
        return answer

    def _stream(self, asked: ParsedRequest) -> Response:
        """The answer of ``/analysis`` as events."""
        rules, environ = asked.position.rules, request.environ

        def finish(answer: Recommendation) -> dict[str, Any]:
            _note_answer(environ, answer)
            return answer.fields()

        return self._streams.respond(
            stream.Question(
                lambda stop, progress: self._analyse(asked, stop, progress),
                "progress",
                lambda news: _progress(news, rules),
                finish,
            )
        )

    def _analyse(
        self,
        asked: ParsedRequest,
        stop: Stop | None,
        progress: Callable[[SearchInfo], None] | None = None,
    ) -> Recommendation:
        """Ask the engine."""
        return self._engine.recommender.analysis(
            asked.position,
            asked.limits,
            level=asked.level,
            seed=asked.seed,
            top=asked.top,
            allowed=asked.allowed,
            stop=stop,
            progress=progress,
        )

    def _move(self, asked: ParsedRequest, key: Key, tag: str | None = None) -> CachedResponse:
        """Ask the engine, and cache the response if it can never change."""
        recommender = self._engine.recommender
        with self._disconnects.watch(request.environ) as stop:
            answer = recommender.move(
                asked.position,
                asked.limits,
                level=asked.level,
                seed=asked.seed,
                allowed=asked.allowed,
                stop=stop,
            )
        result = answer.result
        lasting = asked.repeatable and result.stopped_by != "time"
        response = CachedResponse(
            dump(answer.fields()), tag if lasting else None, result.nodes, result.stopped_by
        )
        if lasting and answer.cached:
            self._responses.put(key, response)
        _note(request.environ, answer.cached, response)
        return response


def install(
    app: Flask,
    settings: Settings,
    engine: Engine,
    limiter: SearchLimiter,
    disconnects: Disconnects,
    responses: ResponseCache,
) -> None:
    """Add the routes to the app."""
    routes = Recommend(settings, engine, limiter, disconnects, responses)
    app.add_url_rule("/move", "post_move", routes.post_move, methods=["POST"])
    app.add_url_rule("/move", "get_move", routes.get_move, methods=["GET"])
    app.add_url_rule("/analysis", "get_analysis", routes.get_analysis, methods=["GET"])
    app.add_url_rule("/analysis", "post_analysis", routes.post_analysis, methods=["POST"])


def _progress(news: SearchInfo, rules: Rules) -> dict[str, Any]:
    """The data of a progress event."""
    return {
        "depth": news.depth,
        "nodes": news.nodes,
        **score_fields(news.score),
        "line": [write_cell(cell, rules) for cell in news.line],
        "moves": [move_value_fields(value, rules) for value in news.moves],
    }


def _note_answer(environ: dict[str, Any], answer: Recommendation) -> None:
    result = answer.result
    note(environ, cached=answer.cached, nodes=result.nodes, stopped_by=result.stopped_by)


def _note(environ: dict[str, Any], cached: bool, response: CachedResponse) -> None:
    note(environ, cached=cached, nodes=response.nodes, stopped_by=response.stopped_by)
