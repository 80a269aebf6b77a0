"""Sends the pages, scripts and styles that are shipped with the service, each with a tag of its content."""

import gzip
import mimetypes
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from flask import Response, request

from service.api.problem_kinds import NOT_FOUND, Problem

PACKAGE = "service"
COMPRESSED = ".gz"  # ending of files that are stored compressed and sent as they are to clients that accept gzip

# The browser checks its copy each time, so that an upgrade is seen at once.
_CACHE_CONTROL = "no-cache"
_TAG_BYTES = 12


def send_file(path: str) -> Response:
    """A shipped file below the package ``service`` as a response; the caller has checked that clients may have it.

    A compressed file is named without the ending ``.gz``. Where there is no such file, this is a ``FileNotFoundError``.
    """
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    try:
        return send(read(path), media_type)
    except FileNotFoundError:
        compressed = read(path + COMPRESSED)
    if request.accept_encodings.quality("gzip") > 0:
        response = send(compressed, media_type)
        response.headers["Content-Encoding"] = "gzip"
    else:
        response = send(gzip.decompress(compressed), media_type)
    response.headers["Vary"] = "Accept-Encoding"
    return response


def send(body: bytes, media_type: str) -> Response:
    """The bytes as a response, or 304 if the client has them."""
    if media_type.startswith("text/"):
        media_type += "; charset=utf-8"
    response = Response(body, content_type=media_type)
    response.headers["Cache-Control"] = _CACHE_CONTROL
    response.set_etag(blake2b(body, digest_size=_TAG_BYTES).hexdigest())
    response.make_conditional(request)
    return response


@cache
def read(path: str) -> bytes:
    """The bytes of a shipped file, read once."""
    return files(PACKAGE).joinpath(*path.split("/")).read_bytes()


def sender(folder: str, headers: dict[str, str]) -> Callable[[str], Response]:
    """What sends the shipped files in a folder and below it, by their names there, with these headers."""
    # Only files of this list are ever opened, so no path can lead out of the folder.
    root = Path(str(files(PACKAGE)))
    shipped = frozenset(file.relative_to(root).as_posix() for file in (root / folder).rglob("*") if file.is_file())

    def send_one(name: str) -> Response:
        path = f"{folder}/{name}"
        if path not in shipped:
            raise Problem(NOT_FOUND, f"The {folder} has no such file.")
        response = send_file(path)
        response.headers.update(headers)
        return response

    return send_one
