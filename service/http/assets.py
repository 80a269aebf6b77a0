"""Sends the pages, scripts and styles that are shipped with the service, each with a tag of its content."""

import gzip
import mimetypes
from functools import cache, cached_property
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from flask import Response, request

from service.http import responses

PACKAGE = "service"
COMPRESSED = ".gz"  # the suffix of files that are shipped compressed
COPIES = "copies"  # the folder of the package into which a build copies what lies beside it in a checkout
BESIDE = "../"

# The browser checks its copy each time, so that an upgrade is seen at once.
_CACHE_CONTROL = "no-cache"
_TAG_BYTES = 12
_WORTH_IT = 0.9  # a compressed form is sent if it is shorter than this share of the plain one


class _Encoding(NamedTuple):
    body: bytes
    tag: str


class Asset:
    """Bytes that never change, with their media type; each form, plain or compressed, is made at its first use."""

    def __init__(self, body: bytes, media_type: str, *, is_packed: bool = False) -> None:
        self._body, self._is_packed = body, is_packed
        self._content_type = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type

    def response(self) -> Response:
        """The form for the client of the current request, with the tag of that form."""
        packed = self._packed
        form = packed if packed is not None and responses.accepted() else self._plain
        response = Response(form.body, content_type=self._content_type)
        response.set_etag(form.tag)
        if packed is not None:
            response.headers["Vary"] = responses.VARY
        if form is packed:
            response.headers["Content-Encoding"] = responses.CODING
        return response

    @cached_property
    def _plain(self) -> _Encoding:
        return _encoding(gzip.decompress(self._body) if self._is_packed else self._body)

    @cached_property
    def _packed(self) -> _Encoding | None:
        if self._is_packed:
            return _encoding(self._body)
        packed = gzip.compress(self._body, mtime=0)
        return _encoding(packed) if len(packed) < _WORTH_IT * len(self._body) else None


def _encoding(body: bytes) -> _Encoding:
    return _Encoding(body, blake2b(body, digest_size=_TAG_BYTES).hexdigest())


def send(asset: Asset) -> Response:
    """The asset as a response, or 304 if the client has it."""
    response = asset.response()
    response.headers["Cache-Control"] = _CACHE_CONTROL
    response.make_conditional(request)
    return response


mimetypes.add_type("application/yaml", ".yaml")  # which Python knows from 3.14 on


@cache
def shipped(path: str) -> Asset:
    """A shipped file below the package ``service``; the caller has checked that clients may have it.

    A compressed file is named without the ending ``.gz``. A missing file is a ``FileNotFoundError``.
    """
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    try:
        return Asset(read(path), media_type)
    except FileNotFoundError:
        return Asset(read(path + COMPRESSED), media_type, is_packed=True)


def read(path: str) -> bytes:
    """The bytes of a shipped file; where its path begins with ``../``, of one beside the package or of its copy."""
    package = files(PACKAGE)
    copied = package.joinpath(COPIES, *path.removeprefix(BESIDE).split("/"))
    is_copy = path.startswith(BESIDE) and copied.is_file()
    return (copied if is_copy else package.joinpath(*path.split("/"))).read_bytes()
