"""CORS: lets pages of the origins in ``KINAROW_CORS_ORIGINS`` read answers."""

from flask import Flask, Response, request

from service.http.services import services
from service.settings import Settings
from service.telemetry.logs import REQUEST_ID_HEADER

ANY_ORIGIN = "*"

ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS"
ALLOWED_HEADERS = f"Accept, Authorization, Content-Type, If-None-Match, {REQUEST_ID_HEADER}"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID_HEADER}"
_KEEP_PREFLIGHT_S = 7200


def init_app(app: Flask, settings: Settings) -> None:
    """Add the headers to every answer of the app if the settings name origins."""
    if settings.cors_origins:
        app.before_request(_answer_preflight)
        app.after_request(_allow_origin)


def open_to_all(response: Response) -> Response:
    """Let pages of any origin read an answer."""
    response.headers["Access-Control-Allow-Origin"] = ANY_ORIGIN
    response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response


def _answer_preflight() -> Response | None:
    """The answer to a browser's preflight request; None for other requests."""
    if request.method != "OPTIONS" or "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.environ:
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
        return open_to_all(response)
    # Caches must know that the answer depends on the origin.
    response.vary.add("Origin")
    origin = request.environ.get("HTTP_ORIGIN")
    if origin in origins:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response
