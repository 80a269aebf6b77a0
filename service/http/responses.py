"""Answers as responses: JSON, compression, ``Cache-Control``, ETags, and 304 for conditional requests."""

import gzip
from hashlib import blake2b
from typing import TypeGuard

from flask import Flask, Response, request

from kinarow.contract.answers import MoveAnswer, ReviewAnswer
from kinarow.contract.json_text import dump
from kinarow.contract.model import Model
from kinarow.engine import Question
from kinarow.version import VERSION, engine_version
from service.http.parsing import JSON_TYPE
from service.http.services import CachedResponse, services
from service.telemetry.logs import note

_TAG_BYTES = 12
NO_STORE = "no-store"

MIN_BYTES = 2048  # a shorter answer is not compressed: it fits into two packets as it is
CODING = "gzip"
VARY = "Accept-Encoding"  # what the choice depends on, for caches
_LEVEL = 4  # two microseconds for each kilobyte; level 6 takes twice as long for a tenth less


def json_response(body: bytes) -> Response:
    """A JSON text as a response that no cache keeps."""
    return Response(body + b"\n", content_type=JSON_TYPE, headers={"Cache-Control": NO_STORE})


def kept_response(found: CachedResponse) -> Response:
    """A response that is or may be in the cache of responses; its cost goes into the log line."""
    note(cached=found.cached, nodes=found.nodes, stopped_by=found.stopped_by)
    return json_response(found.body)


def json_answer(answer: Model) -> Response:
    """An answer as a response; its cost goes into the log line."""
    note_answer(answer)
    return json_response(dump(answer))


def note_answer(answer: object) -> None:
    """Add the cost of an answer to the log line of its request."""
    match answer:
        case MoveAnswer(search=search):
            note(cached=search.cached, nodes=search.nodes, stopped_by=search.stopped_by)
        case ReviewAnswer(moves=moves):
            note(moves=len(moves))


def tag_of(route: str, question: Question) -> str:
    """The weak ETag of a route's answer: equal for all spellings of a request, different for other requests."""
    parts = (route, VERSION, engine_version(), question.identity)
    return f'W/"{blake2b("|".join(parts).encode(), digest_size=_TAG_BYTES).hexdigest()}"'


def client_has(tag: str | None) -> TypeGuard[str]:
    """Whether the request's ``If-None-Match`` names this weak ETag, if there is one."""
    return tag is not None and request.if_none_match.contains_weak(tag.removeprefix('W/"').removesuffix('"'))


def cacheable(response: Response, tag: str) -> Response:
    """The response of a GET request whose answer never changes, with its ETag and ``Cache-Control``."""
    response.headers["ETag"] = tag
    return kept_by_caches(response)


def kept_by_caches(response: Response) -> Response:
    """The response with the ``Cache-Control`` of what never changes; with API keys, shared caches must not keep it."""
    settings = services().settings
    who = "private" if settings.needs_key else "public"
    response.headers["Cache-Control"] = f"{who}, max-age={settings.max_age_s}"
    return response


def not_modified(tag: str) -> Response:
    """The 304 for a client that has the answer."""
    # The answer itself may be sent compressed.
    return cacheable(Response(status=304, headers={"Vary": VARY}), tag)


def init_app(app: Flask) -> None:
    """Compress the JSON of the app; a stream is never compressed, so that its events come at once."""
    app.after_request(_compress)


def accepted() -> bool:
    """Whether the client of the current request accepts gzip."""
    return request.accept_encodings.quality(CODING) > 0


def _compress(response: Response) -> Response:
    # A stream has no length.
    if (response.content_length or 0) < MIN_BYTES or not (response.mimetype or "").endswith("json"):
        return response
    if "Content-Encoding" in response.headers:
        return response
    response.vary.add(VARY)
    if accepted():
        response.set_data(gzip.compress(response.get_data(), _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = CODING
    return response
