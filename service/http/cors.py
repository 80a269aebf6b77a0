"""CORS: lets pages of the origins in ``KINAROW_CORS_ORIGINS`` read answers, and all pages those of ``/solve``."""

from flask import Flask, Response, request

from service.http.services import services
from service.settings import Settings
from service.telemetry.logs import REQUEST_ID_HEADER

ANY_ORIGIN = "*"
OPEN_PATH = "/solve"  # as on connect4.gamesolver.org, whose clients are pages of any origin

ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS"
ALLOWED_HEADERS = f"Accept, Authorization, Content-Type, If-None-Match, {REQUEST_ID_HEADER}"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID_HEADER}"
_KEEP_PREFLIGHT_S = 7200


def init_app(app: Flask, settings: Settings) -> None:
    """Add the headers to every answer of the app if the settings name origins."""
    if settings.cors_origins:
        app.before_request(_answer_preflight)
        app.after_request(_allow_origin)
    app.after_request(_open_solve)


def _open_solve(response: Response) -> Response:
    """Open ``/solve`` to all pages; a hook of its blueprint would miss its errors 405."""
    return _allow_any(response) if request.path == OPEN_PATH else response


def _allow_any(response: Response) -> Response:
    """Let pages of any origin read an answer."""
    response.headers["Access-Control-Allow-Origin"] = ANY_ORIGIN
    response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response


def _answer_preflight() -> Response | None:
    """The answer to a browser's preflight request; None for other requests."""
    if request.method != "OPTIONS" or not request.access_control_request_method:
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(_KEEP_PREFLIGHT_S)
    return response


def _allow_origin(response: Response) -> Response:
    headers, origins = response.headers, services().settings.known_cors_origins
    if "Access-Control-Allow-Origin" in headers:
        return response
    if ANY_ORIGIN in origins:
        return _allow_any(response)
    # Caches must know that the answer depends on the origin.
    response.vary.add("Origin")
    origin = request.origin
    if origin in origins:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response
