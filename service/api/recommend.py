"""The routes that value positions: POST and GET /move, POST /analysis."""

from typing import Any

from flask import Flask, Response, request
from pydantic_core import to_json

from service.api.bodies import parse, read_body
from service.api.memo import Memo, Remembered
from service.api.query import QueryReader
from service.api.questions import Question, question
from service.api.readiness import Readiness
from service.api.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check, fields_of
from service.logs import note
from service.settings import Settings

JSON_MEDIA_TYPE = "application/json"
NO_STORE = "no-store"

# No JSON text begins with a question mark, so a query never has the key of a body.
_QUERY_KEY = b"?"


class Recommend:
    """What the routes share; one object for an app.

    Args:
        settings: limits and sizes.
        readiness: where the engine comes from.
    """

    def __init__(self, settings: Settings, readiness: Readiness) -> None:
        self._settings = settings
        self._readiness = readiness
        self._cache_control = f"public, max-age={settings.max_age_s}"
        self._query = QueryReader(_types(fields_of(MOVE_REQUEST)))
        self.memo = Memo(settings.memo_entries, settings.memo_bytes)

    def post_move(self) -> Response:
        """``POST /move``."""
        body = read_body(request.environ, self._settings.max_body_bytes)
        known = self.memo.get(body)
        if known is None:
            asked = question(check(MOVE_REQUEST, parse(body)), self._settings)
            known = self._move(asked, body)
        else:
            _note(request.environ, True, known)
        return _json(known.body, NO_STORE)

    def get_move(self) -> Response:
        """``GET /move``: the same by query, with a tag that caches may ask about."""
        query = request.environ.get("QUERY_STRING", "")
        key = _QUERY_KEY + query.encode("utf-8", "surrogatepass")
        known = self.memo.get(key)
        tag = known.tag if known else None
        if known is None:
            asked = question(check(MOVE_REQUEST, self._query.read(query)), self._settings)
            if asked.repeatable:
                tag = asked.tag(self._readiness.engine().version)
        if tag is not None and _client_has(tag):
            # A tag names the question, and was only ever given with an answer that stays the same.
            return _tagged(Response(status=304), tag, self._cache_control)
        if known is None:
            known = self._move(asked, key, tag)
        else:
            _note(request.environ, True, known)
        if known.tag is None:
            return _json(known.body, NO_STORE)
        return _tagged(_json(known.body, self._cache_control), known.tag, self._cache_control)

    def post_analysis(self) -> Response:
        """``POST /analysis``."""
        fields = check(ANALYSIS_REQUEST, parse(read_body(request.environ, self._settings.max_body_bytes)))
        asked = question(fields, self._settings)
        recommender = self._readiness.engine().recommender
        answer = recommender.analysis(
            asked.position, asked.limits, level=asked.level, seed=asked.seed, top=fields.get("top")
        )
        search = answer["search"]
        note(request.environ, cached=search["cached"], nodes=search["nodes"], stopped_by=search["stopped_by"])
        return _json(_dump(answer), NO_STORE)

    def _move(self, asked: Question, key: bytes, tag: str | None = None) -> Remembered:
        """Ask the engine, and remember the response where it is the same for ever."""
        recommender = self._readiness.engine().recommender
        answer = recommender.move(asked.position, asked.limits, level=asked.level, seed=asked.seed)
        search = answer["search"]
        lasting = asked.repeatable and search["stopped_by"] != "time"
        response = Remembered(_dump(answer), tag if lasting else None, search["nodes"], search["stopped_by"])
        if lasting and search["cached"]:
            self.memo.put(key, response)
        _note(request.environ, search["cached"], response)
        return response


def install(app: Flask, settings: Settings, readiness: Readiness) -> None:
    """Add the routes to the app."""
    routes = Recommend(settings, readiness)
    app.add_url_rule("/move", "post_move", routes.post_move, methods=["POST"])
    app.add_url_rule("/move", "get_move", routes.get_move, methods=["GET"])
    app.add_url_rule("/analysis", "post_analysis", routes.post_analysis, methods=["POST"])


def _types(fields: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The JSON type of each field of a request; empty where there are several."""
    return {name: field.get("type", "") for name, field in fields.items()}


def _dump(answer: dict[str, Any]) -> bytes:
    return to_json(answer) + b"\n"


def _json(body: bytes, cache_control: str) -> Response:
    response = Response(body, content_type=JSON_MEDIA_TYPE)
    response.headers["Cache-Control"] = cache_control
    return response


def _client_has(tag: str) -> bool:
    """Whether the client says that it has the answer with this weak tag."""
    if "HTTP_IF_NONE_MATCH" not in request.environ:
        return False
    return request.if_none_match.contains_weak(tag.removeprefix('W/"').removesuffix('"'))


def _tagged(response: Response, tag: str, cache_control: str) -> Response:
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = cache_control
    return response


def _note(environ: dict[str, Any], cached: bool, response: Remembered) -> None:
    note(environ, cached=cached, nodes=response.nodes, stopped_by=response.stopped_by)
