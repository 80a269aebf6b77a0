"""Headers for browsers: what no answer may be used for, and which other sites' pages may read answers (CORS)."""

from flask import Flask, Response, request

from service.logs import REQUEST_ID_HEADER

ANY_ORIGIN = "*"

_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The page of the documentation sets styles on its elements and shows pictures that are part of its styles.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_POLICY = "Content-Security-Policy"

ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS"
ALLOWED_HEADERS = f"Accept, Authorization, Content-Type, If-None-Match, {REQUEST_ID_HEADER}"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID_HEADER}"
_KEEP_PREFLIGHT_S = 7200


def install(app: Flask, origins: frozenset[str]) -> None:
    """Add the headers to every answer.

    Args:
        app: the app.
        origins: whose pages may read answers, ``*`` for all; with none, only pages of the service itself.
    """
    app.after_request(_protect)
    if origins:
        _allow(app, origins)


def _protect(response: Response) -> Response:
    """No guessing of types, no scripts from an answer, no frames."""
    headers = response.headers
    if _POLICY not in headers:
        is_page = response.mimetype == "text/html"
        headers.add(_POLICY, _PAGE_POLICY if is_page else _DATA_POLICY)
    if "X-Content-Type-Options" not in headers:
        headers.add("X-Content-Type-Options", "nosniff")
    return response


def _allow(app: Flask, origins: frozenset[str]) -> None:
    """Let pages of these origins read answers; credentials of browsers (cookies) are never asked for."""
    any_origin = ANY_ORIGIN in origins

    def preflight() -> Response | None:
        """Answer a browser that asks whether it may ask."""
        if request.method != "OPTIONS" or "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.environ:
            return None
        response = Response(status=204)
        response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
        response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
        response.headers["Access-Control-Max-Age"] = str(_KEEP_PREFLIGHT_S)
        return response

    def finish(response: Response) -> Response:
        headers = response.headers
        origin = request.environ.get("HTTP_ORIGIN")
        if any_origin:
            headers["Access-Control-Allow-Origin"] = ANY_ORIGIN
        else:
            # What is answered depends on the origin, for every cache in between.
            response.vary.add("Origin")
            if origin not in origins:
                return response
            headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return response

    app.before_request(preflight)
    app.after_request(finish)
