"""Headers for browsers: security headers on every answer, and CORS, which lets pages of other origins read answers.

The head of an answer that is no stream is sent together with its body. gunicorn writes one after the other; a proxy
that has the head passes it on, and cannot ask another worker if this one is killed before it has written the body.
"""

import socket
from functools import partial
from typing import TYPE_CHECKING

from flask import Flask, Response, request
from werkzeug.datastructures import Headers

from service.http.disconnects import SOCKET
from service.telemetry.logs import REQUEST_ID_HEADER

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

ANY_ORIGIN = "*"

_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The page at /docs sets styles on its elements, and its style sheet contains pictures.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_POLICY = "Content-Security-Policy"
_NO_SNIFFING = ("X-Content-Type-Options", "nosniff")

FOR_DATA = ((_POLICY, _DATA_POLICY), _NO_SNIFFING)  # the protection of an answer that is data


class DataResponse(Response):
    """A whole text with status 200, made with the headers ``FOR_DATA``.

    Frequent answers are made so: neither is their protection looked for, nor are their headers copied once more.
    """

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """The headers as they are, with the length."""
        self.headers["Content-Length"] = str(sum(map(len, self.iter_encoded())))
        return self.headers


ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS"
ALLOWED_HEADERS = f"Accept, Authorization, Content-Type, If-None-Match, {REQUEST_ID_HEADER}"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID_HEADER}"
_KEEP_PREFLIGHT_S = 7200
_CORK = getattr(socket, "TCP_CORK", None)  # only Linux has it; elsewhere head and body are sent one after the other


def install(app: Flask, origins: frozenset[str]) -> None:
    """Add the headers to every answer; pages of these origins, ``*`` for all, may read it besides the service's own."""
    app.after_request(_protect)
    if origins:
        _allow(app, origins)
    if _CORK is not None:
        app.after_request(_hold)


def _hold(response: Response) -> Response:
    """Hold the head back until the body is written."""
    connection = request.environ.get(SOCKET)
    if connection is not None and not response.is_streamed:
        _set_cork(connection, 1)
        response.call_on_close(partial(_set_cork, connection, 0))
    return response


def _set_cork(connection: socket.socket, value: int) -> None:
    assert _CORK is not None
    try:  # entered twice for each answer, and half as dear as contextlib.suppress
        connection.setsockopt(socket.IPPROTO_TCP, _CORK, value)
    except OSError:
        pass  # the client is gone


def _protect(response: Response) -> Response:
    """Forbid content sniffing, scripts in answers, and frames."""
    if isinstance(response, DataResponse):
        return response
    headers = response.headers
    if _POLICY not in headers:
        is_page = response.mimetype == "text/html"
        headers.add(_POLICY, _PAGE_POLICY if is_page else _DATA_POLICY)
    if _NO_SNIFFING[0] not in headers:
        headers.add(*_NO_SNIFFING)
    return response


def _allow(app: Flask, origins: frozenset[str]) -> None:
    any_origin = ANY_ORIGIN in origins

    def preflight() -> Response | None:
        """Answer a browser's preflight request."""
        if request.method != "OPTIONS" or "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.environ:
            return None
        response = Response(status=204)
        response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
        response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
        response.headers["Access-Control-Max-Age"] = str(_KEEP_PREFLIGHT_S)
        return response

    def finish(response: Response) -> Response:
        headers = response.headers
        if "Access-Control-Allow-Origin" in headers:
            return response
        origin = request.environ.get("HTTP_ORIGIN")
        if any_origin:
            headers["Access-Control-Allow-Origin"] = ANY_ORIGIN
        else:
            # Caches must know that the answer depends on the origin.
            response.vary.add("Origin")
            if origin not in origins:
                return response
            headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return response

    app.before_request(preflight)
    app.after_request(finish)
