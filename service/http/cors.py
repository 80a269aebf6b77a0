"""CORS: lets pages of the origins in ``KINAROW_CORS_ORIGINS`` read answers, and all pages those of ``/solve``."""

from functools import partial

from flask import Flask, Response, request

from service.settings import Settings
from service.telemetry.logs import REQUEST_ID_HEADER

ANY_ORIGIN = "*"
OPEN_PATH = "/solve"  # as on connect4.gamesolver.org, whose clients are pages of any origin

ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS"
ALLOWED_HEADERS = f"Accept, Authorization, Content-Type, If-None-Match, {REQUEST_ID_HEADER}"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID_HEADER}"
_KEEP_PREFLIGHT_S = 7200


def init_app(app: Flask, settings: Settings) -> None:
    """Add the headers to the answers of the app; without origins in the settings only to those of ``/solve``."""
    if settings.cors_origins:
        app.before_request(_answer_preflight)
    # A hook of the blueprint of ``/solve`` would miss its errors 405.
    app.after_request(partial(_allow_origin, settings.known_cors_origins))


def _answer_preflight() -> Response | None:
    """The answer to a browser's preflight request; None for other requests."""
    if request.method != "OPTIONS" or not request.access_control_request_method:
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(_KEEP_PREFLIGHT_S)
    return response


def _allow_origin(origins: frozenset[str], response: Response) -> Response:
    """Let pages of these origins read an answer, and pages of any origin one of ``/solve``."""
    allowed: str | None = ANY_ORIGIN
    if request.path != OPEN_PATH and ANY_ORIGIN not in origins:
        if not origins:
            return response
        response.vary.add("Origin")  # caches must know that the answer depends on the origin
        allowed = request.origin if request.origin in origins else None
    if allowed is not None:
        response.headers["Access-Control-Allow-Origin"] = allowed
        response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response
