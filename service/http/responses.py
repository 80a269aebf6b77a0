"""Responses: answers as JSON, and pages, scripts and other files that stay the same while the service runs.

Both are compressed and have ``Cache-Control``. Those that never change have an ETag; conditional requests get 304.
"""

import gzip
import mimetypes
from collections.abc import Callable
from functools import cache, lru_cache, partial
from hashlib import blake2b
from importlib.resources import files
from typing import TypeGuard

from flask import Flask, Response, request
from werkzeug.http import generate_etag

from kinarow.contract.answers import MoveAnswer, ReviewAnswer
from kinarow.contract.json_text import dump
from kinarow.contract.model import Model
from kinarow.engine import Question
from kinarow.version import VERSION, engine_version
from service.http.parsing import JSON_TYPE
from service.http.services import CachedResponse, services
from service.searches.threads import run_off_loop
from service.telemetry.logs import note

_TAG_BYTES = 12
NO_STORE = "no-store"

MIN_BYTES = 2048  # a shorter answer is not compressed: it fits into two packets as it is
CODING = "gzip"
VARY = "Accept-Encoding"
_LEVEL = 4  # two microseconds for each kilobyte; level 6 takes twice as long for a tenth less

PACKAGE = "service"
COMPRESSED = ".gz"  # the suffix of files that are shipped compressed
COPIES = "copies"  # a build copies files beside the package into this folder of the package
BESIDE = "../"
_WORTH_IT = 0.9  # the compressed form is sent if it is shorter than this share of the plain form

mimetypes.add_type("application/yaml", ".yaml")  # Python knows these two from 3.14 on
mimetypes.add_type("font/woff2", ".woff2")


def json_response(body: bytes) -> Response:
    """Return a JSON response that no cache stores."""
    return Response(body + b"\n", content_type=JSON_TYPE, headers={"Cache-Control": NO_STORE})


def cached_response(found: CachedResponse) -> Response:
    """Return the response of a cache entry, and add its cost to the log line."""
    note(cached=found.cached, nodes=found.nodes, stopped_by=found.stopped_by)
    return json_response(found.body)


def json_answer(answer: Model) -> Response:
    """Return an answer as a response, and add its cost to the log line."""
    log_cost(answer)
    return json_response(dump(answer))


def log_cost(answer: object) -> None:
    """Add the cost of an answer to the log line of its request."""
    match answer:
        case MoveAnswer(search=search):
            note(cached=search.cached, nodes=search.nodes, stopped_by=search.stopped_by)
        case ReviewAnswer(moves=moves):
            note(moves=len(moves))


def etag_of(route: str, question: Question) -> str:
    """Return the weak ETag of a route's answer; equal questions have equal tags, however they are written."""
    parts = (route, VERSION, engine_version(), question.identity)
    return f'W/"{blake2b("|".join(parts).encode(), digest_size=_TAG_BYTES).hexdigest()}"'


def client_has_etag(tag: str | None) -> TypeGuard[str]:
    """Return True if ``If-None-Match`` of the request names this weak ETag."""
    return tag is not None and request.if_none_match.contains_weak(tag.removeprefix('W/"').removesuffix('"'))


def with_etag(response: Response, tag: str) -> Response:
    """Add ETag and ``Cache-Control`` to a response that never changes."""
    response.headers["ETag"] = tag
    return with_max_age(response)


def with_max_age(response: Response) -> Response:
    """Let caches keep a response for the set time; with API keys only private caches."""
    settings = services().settings
    who = "private" if settings.needs_key else "public"
    response.headers["Cache-Control"] = f"{who}, max-age={settings.max_age_s}"
    return response


def not_modified(tag: str) -> Response:
    """Return the 304 for a client that has the answer; ``Vary`` as with the answer, which may be compressed."""
    return with_etag(Response(status=304, headers={"Vary": VARY}), tag)


def bytes_response(make: Callable[[], bytes], media_type: str) -> Response:
    """Return the bytes as a response, compressed if the client accepts gzip, or 304. Browsers revalidate each time."""
    return run_off_loop(lambda: _respond(make(), media_type))


def file_response(path: str) -> Response:
    """Return a file of the package ``service`` as a response, or raise ``FileNotFoundError``; omit ``.gz``."""
    return bytes_response(partial(_read_shipped, path), mimetypes.guess_type(path)[0] or "application/octet-stream")


def _respond(plain: bytes, media_type: str) -> Response:
    body, tag, can_be_packed = _encoded(plain, accepts_gzip())
    response = Response(body, content_type=f"{media_type}; charset=utf-8" if media_type[:5] == "text/" else media_type)
    response.headers["Cache-Control"] = "no-cache"
    if can_be_packed:
        response.headers["Vary"] = VARY
    if body is not plain:
        response.headers["Content-Encoding"] = CODING
    response.set_etag(tag)
    return response.make_conditional(request)  # type: ignore[return-value]


@lru_cache(256)  # more than the files of the page, with a guide in some languages
def _encoded(plain: bytes, accepted: bool) -> tuple[bytes, str, bool]:
    """Return the body, compressed or plain, its ETag, and True if a compressed form exists."""
    packed = gzip.compress(plain, mtime=0)
    can_be_packed = len(packed) < _WORTH_IT * len(plain)
    body = packed if can_be_packed and accepted else plain
    return body, generate_etag(body), can_be_packed


@cache
def _read_shipped(path: str) -> bytes:
    try:
        return read(path)
    except FileNotFoundError:
        return gzip.decompress(read(path + COMPRESSED))


def read(path: str) -> bytes:
    """Read a file of the package; ``../`` means beside the package in a checkout, in ``copies`` in a wheel."""
    package = files(PACKAGE)
    copied = package.joinpath(COPIES, *path.removeprefix(BESIDE).split("/"))
    is_copy = path.startswith(BESIDE) and copied.is_file()
    return (copied if is_copy else package.joinpath(*path.split("/"))).read_bytes()


def init_app(app: Flask) -> None:
    """Compress JSON and pictures. Streams stay plain, so that events arrive at once."""
    app.after_request(_compress)


def accepts_gzip() -> bool:
    """Return True if the client of the current request accepts gzip."""
    return request.accept_encodings.quality(CODING) > 0


def _compress(response: Response) -> Response:
    # A stream has no length.
    if (response.content_length or 0) < MIN_BYTES or not (response.is_json or response.mimetype == "image/svg+xml"):
        return response
    if "Content-Encoding" in response.headers:
        return response
    response.vary.add(VARY)
    if accepts_gzip():
        response.set_data(gzip.compress(response.get_data(), _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = CODING
    return response
