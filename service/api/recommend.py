"""The routes that value positions: POST and GET /move, POST /analysis."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request

from service.admission import Admission
from service.api import stream
from service.api.bodies import parse, read_body
from service.api.clients import Clients
from service.api.memo import EXTENSION, Memo, Remembered
from service.api.query import QueryReader
from service.api.questions import Question, question
from service.api.readiness import Readiness
from service.api.replies import dump, json_reply
from service.api.schemas import ANALYSIS_REQUEST, MOVE_REQUEST, check, fields_of
from service.api.stream import Streams
from service.engine.notation import write_cell
from service.logs import note
from service.settings import Settings

if TYPE_CHECKING:
    from service.engine.search import Progress, Stop

# No JSON text begins with a question mark, so a query never has the key of a body.
_QUERY_KEY = b"?"


class Recommend:
    """What the routes share; one object for an app.

    Args:
        settings: limits and sizes.
        readiness: where the engine comes from.
        admission: bounds the streams.
        clients: notices those that go away.
    """

    def __init__(
        self, settings: Settings, readiness: Readiness, admission: Admission, clients: Clients
    ) -> None:
        self._settings = settings
        self._clients = clients
        self._streams = Streams(admission, clients, settings.search_wait_ms / 1000)
        self._readiness = readiness
        # What only holders of a key may have is not for caches that others share.
        who = "private" if settings.known_api_keys else "public"
        self._cache_control = f"{who}, max-age={settings.max_age_s}"
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
        return json_reply(known.body)

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
            return json_reply(known.body)
        return _tagged(json_reply(known.body, self._cache_control), known.tag, self._cache_control)

    def post_analysis(self) -> Response:
        """``POST /analysis``."""
        fields = check(ANALYSIS_REQUEST, parse(read_body(request.environ, self._settings.max_body_bytes)))
        asked = question(fields, self._settings)
        recommender = self._readiness.engine().recommender

        def ask(stop: "Stop | None", progress: "Callable[[Progress], None] | None" = None) -> dict[str, Any]:
            return recommender.analysis(
                asked.position,
                asked.limits,
                level=asked.level,
                seed=asked.seed,
                top=fields.get("top"),
                stop=stop,
                progress=progress,
            )

        if stream.wanted(request.environ):
            columns = asked.position.rules.columns
            return self._streams.respond(ask, lambda news: _progress(news, columns))
        with self._clients.watch(request.environ) as stop:
            answer = ask(stop)
        search = answer["search"]
        note(request.environ, cached=search["cached"], nodes=search["nodes"], stopped_by=search["stopped_by"])
        return json_reply(dump(answer))

    def _move(self, asked: Question, key: bytes, tag: str | None = None) -> Remembered:
        """Ask the engine, and remember the response where it is the same for ever."""
        recommender = self._readiness.engine().recommender
        with self._clients.watch(request.environ) as stop:
            answer = recommender.move(
                asked.position, asked.limits, level=asked.level, seed=asked.seed, stop=stop
            )
        search = answer["search"]
        lasting = asked.repeatable and search["stopped_by"] != "time"
        response = Remembered(dump(answer), tag if lasting else None, search["nodes"], search["stopped_by"])
        if lasting and search["cached"]:
            self.memo.put(key, response)
        _note(request.environ, search["cached"], response)
        return response


def install(
    app: Flask, settings: Settings, readiness: Readiness, admission: Admission, clients: Clients
) -> Memo:
    """Add the routes to the app; returns what they remember."""
    routes = Recommend(settings, readiness, admission, clients)
    app.add_url_rule("/move", "post_move", routes.post_move, methods=["POST"])
    app.add_url_rule("/move", "get_move", routes.get_move, methods=["GET"])
    app.add_url_rule("/analysis", "post_analysis", routes.post_analysis, methods=["POST"])
    app.extensions[EXTENSION] = routes.memo
    return routes.memo


def _types(fields: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The JSON type of each field of a request; empty where there are several."""
    return {name: field.get("type", "") for name, field in fields.items()}


def _progress(news: "Progress", columns: int) -> dict[str, Any]:
    """What an iteration has found, as events tell it."""
    # Its module imports the engine, which must wait until the app says so.
    from service.recommender import score_fields

    return {
        "depth": news.depth,
        "nodes": news.nodes,
        **score_fields(news.score),
        "line": [write_cell(cell, columns) for cell in news.line],
    }


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
