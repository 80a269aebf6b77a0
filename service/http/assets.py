"""Sends pages, scripts, styles and other bytes that stay the same while the service runs, each with a tag."""

import gzip
import mimetypes
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files

from flask import Response, request
from werkzeug.http import generate_etag

from service.http import responses
from service.searches.threads import aside

PACKAGE = "service"
COMPRESSED = ".gz"  # the suffix of files that are shipped compressed
COPIES = "copies"  # the folder of the package into which a build copies what lies beside it in a checkout
BESIDE = "../"
_WORTH_IT = 0.9  # a compressed form is sent if it is shorter than this share of the plain one

mimetypes.add_type("application/yaml", ".yaml")  # which Python knows from 3.14 on


def send(make: Callable[[], bytes], media_type: str) -> Response:
    """The bytes as a response, compressed if the client accepts that, or 304 if it has them.

    ``make`` is called in another thread, so that the event loop goes on, and should keep what it has made. A browser
    asks again each time whether its copy is the newest, so that an upgrade is seen at once.
    """
    return aside(lambda: _respond(make(), media_type))


def send_shipped(path: str) -> Response:
    """A shipped file below the package ``service``; the caller has checked that clients may have it.

    A compressed file is named without the ending ``.gz``. A missing file is a ``FileNotFoundError``.
    """
    return send(partial(_shipped, path), mimetypes.guess_type(path)[0] or "application/octet-stream")


def _respond(plain: bytes, media_type: str) -> Response:
    body, tag, can_be_packed = _encoded(plain, responses.accepted())
    response = Response(body, content_type=f"{media_type}; charset=utf-8" if media_type[:5] == "text/" else media_type)
    response.headers["Cache-Control"] = "no-cache"
    if can_be_packed:
        response.headers["Vary"] = responses.VARY
    if body is not plain:
        response.headers["Content-Encoding"] = responses.CODING
    response.set_etag(tag)
    return response.make_conditional(request)  # type: ignore[return-value]


@cache
def _encoded(plain: bytes, accepted: bool) -> tuple[bytes, str, bool]:
    """The form of these bytes for a client, its tag, and whether other clients get another form."""
    packed = gzip.compress(plain, mtime=0)
    can_be_packed = len(packed) < _WORTH_IT * len(plain)
    body = packed if can_be_packed and accepted else plain
    return body, generate_etag(body), can_be_packed


@cache
def _shipped(path: str) -> bytes:
    try:
        return read(path)
    except FileNotFoundError:
        return gzip.decompress(read(path + COMPRESSED))


def read(path: str) -> bytes:
    """The bytes of a shipped file; where its path begins with ``../``, of one beside the package or of its copy."""
    package = files(PACKAGE)
    copied = package.joinpath(COPIES, *path.removeprefix(BESIDE).split("/"))
    is_copy = path.startswith(BESIDE) and copied.is_file()
    return (copied if is_copy else package.joinpath(*path.split("/"))).read_bytes()
