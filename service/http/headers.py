"""Security headers on every answer, and the head of an answer in one piece with its body.

gunicorn writes one after the other. A proxy that has the head passes it on, and cannot ask another worker if this one
is killed before it has written the body.
"""

import socket
from functools import partial

from flask import Flask, Response, request

from service.http.disconnects import SOCKET

_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The page at /docs sets styles on its elements, and its style sheet contains pictures.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_CORK = getattr(socket, "TCP_CORK", None)  # only Linux has it; elsewhere head and body are sent one after the other


def init_app(app: Flask) -> None:
    """Protect every answer of the app."""
    app.after_request(_protect)
    if _CORK is not None:
        app.after_request(_cork)


def _cork(response: Response) -> Response:
    """Hold the head back until the body is written."""
    connection = request.environ.get(SOCKET)
    if connection is not None and not response.is_streamed:
        _set_cork(connection, 1)
        response.call_on_close(partial(_set_cork, connection, 0))
    return response


def _set_cork(connection: socket.socket, value: int) -> None:
    assert _CORK is not None
    try:
        connection.setsockopt(socket.IPPROTO_TCP, _CORK, value)
    except OSError:
        pass  # the client is gone


def _protect(response: Response) -> Response:
    """Forbid content sniffing, scripts in answers, and frames; a route may set a policy of its own."""
    headers = response.headers
    if "Content-Security-Policy" not in headers:
        is_page = response.mimetype == "text/html"
        headers.add("Content-Security-Policy", _PAGE_POLICY if is_page else _DATA_POLICY)
    headers.add("X-Content-Type-Options", "nosniff")
    return response
