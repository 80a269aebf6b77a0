"""Answers as responses: JSON, for how long caches may keep it, and its entity tag (ETag)."""

import json
from hashlib import blake2b
from typing import Any

from flask import Response, request
from pydantic_core import to_json
from werkzeug.datastructures import Headers

from kinarow.engine import Question
from kinarow.version import VERSION
from service.http.body import JSON_TYPE
from service.http.compression import VARY
from service.http.headers import FOR_DATA, DataResponse
from service.settings import Settings

_TAG_BYTES = 12
NO_STORE = "no-store"
_JSON_HEADERS = Headers((("Content-Type", JSON_TYPE), *FOR_DATA))


def dump(answer: Any) -> bytes:
    """An answer as JSON text."""
    return to_json(answer) + b"\n"


def dump_with_quotes(answer: Any) -> bytes:
    """Like ``dump``, for an answer that may quote a lone surrogate of the input, which becomes a question mark."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def json_reply(body: bytes, cache_control: str = NO_STORE) -> Response:
    """A JSON text as a response."""
    headers = _JSON_HEADERS.copy()
    headers.add("Cache-Control", cache_control)
    return DataResponse(body, headers=headers)


def cacheable_for(settings: Settings) -> str:
    """The ``Cache-Control`` of answers that never change; with API keys, shared caches must not keep them."""
    who = "private" if settings.needs_key else "public"
    return f"{who}, max-age={settings.max_age_s}"


def weak_tag(*parts: object) -> str:
    """A weak ETag made from everything that determines an answer."""
    digest = blake2b("|".join(map(str, parts)).encode(), digest_size=_TAG_BYTES)
    return f'W/"{digest.hexdigest()}"'


def tag_of(question: Question, route: str, engine_version: str) -> str:
    """The weak ETag of a route's answer: equal for all spellings of a request, different for other requests."""
    position, limits = question.position, question.limits
    # The fields of the rules, so that the tag does not depend on the repr of a class.
    parts = (
        route, VERSION, engine_version,
        position.rules.short_fields(),
        position.cells.hex(), position.to_move,
        limits.max_nodes, limits.max_depth, limits.time_limit_ms,
        question.level, question.seed, question.top, question.allowed,
    )  # fmt: skip
    return weak_tag(*parts)


def client_has(tag: str) -> bool:
    """Whether the request's ``If-None-Match`` names this weak ETag."""
    if "HTTP_IF_NONE_MATCH" not in request.environ:
        return False
    return request.if_none_match.contains_weak(tag.removeprefix('W/"').removesuffix('"'))


def tagged(response: Response, tag: str, cache_control: str) -> Response:
    """The response with its ETag and ``Cache-Control``."""
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = cache_control
    return response


def not_modified(tag: str, cache_control: str) -> Response:
    """The 304 for a client that has the answer."""
    # The answer itself may be sent compressed.
    return tagged(Response(status=304, headers={"Vary": VARY}), tag, cache_control)
