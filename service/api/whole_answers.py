"""Sends the head of an answer together with its body, as long as it is no stream.

gunicorn writes one after the other. A proxy that has the head of an answer passes it on, and cannot ask another worker
if this one is killed before it has written the body.
"""

import socket
from functools import partial

from flask import Flask, Response, request

from service.api.disconnects import SOCKET

_CORK = getattr(socket, "TCP_CORK", None)  # only Linux has it; elsewhere the two are sent one after the other


def install(app: Flask) -> None:
    """Hold the head of every answer back until its body is written."""
    if _CORK is not None:
        app.after_request(_hold)


def _hold(response: Response) -> Response:
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
