"""The connections of requests: stops the searches of disconnected clients, and sends head and body in one piece.

One thread (in a gevent worker a greenlet) polls the connections of all long requests, and sleeps while there are none.
A client that closes its sending half counts as disconnected, as it does for proxies.
"""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import sleep

from flask import Flask, Response, request
from gevent import monkey

from kinarow.search_types import SearchStopped, Stop
from service.searches.limiter import ClientDisconnected

LOOK_EVERY_S = 0.025

SOCKET = "gunicorn.socket"  # the key of a request's socket in gunicorn's environ
# Systems without POLLRDHUP report only connections that are closed in both directions.
_HALF_CLOSED = getattr(select, "POLLRDHUP", 0)
# gevent's own poll ignores POLLRDHUP. The native one is called with timeout 0, so it blocks no greenlet.
_poll = monkey.get_original("select", "poll")
_CORK = getattr(socket, "TCP_CORK", None)  # only Linux has it; elsewhere head and body are sent one after the other


class Disconnects:
    """Watches the connections of requests; the first request starts the thread."""

    def __init__(self) -> None:
        self._watched: dict[int, tuple[int, Stop]] = {}
        self._lock = threading.Lock()
        self._any = threading.Event()  # set while there may be connections to poll
        self._has_thread = False

    @contextmanager
    def watch(self) -> Iterator[Stop]:
        """Context manager: yield a stop flag, set once the client of the current request has disconnected.

        ``SearchStopped`` in the block becomes ``ClientDisconnected``. Without gunicorn the flag is never set.
        """
        stop = Stop()
        connection = request.environ.get(SOCKET)
        if connection is not None:
            with self._lock:
                self._watched[id(stop)] = (connection.fileno(), stop)
                if not self._has_thread:
                    self._has_thread = True
                    threading.Thread(target=self._look, name="disconnects", daemon=True).start()
            self._any.set()
        try:
            yield stop
        except SearchStopped:
            raise ClientDisconnected from None
        finally:
            if connection is not None:
                with self._lock:
                    self._watched.pop(id(stop), None)

    def _look(self) -> None:
        """Poll the watched connections forever."""
        while True:
            self._any.wait()
            # The lock keeps a file descriptor from being closed and reused while it is polled.
            with self._lock:
                if self._watched:
                    self._stop_disconnected()
                else:
                    self._any.clear()
            sleep(LOOK_EVERY_S)

    def _stop_disconnected(self) -> None:
        """Set the flags of all requests whose clients have disconnected."""
        poll = _poll()
        stops: dict[int, list[Stop]] = {}
        for number, stop in self._watched.values():
            if number >= 0:
                stops.setdefault(number, []).append(stop)
                poll.register(number, _HALF_CLOSED)
        for number, _ in poll.poll(0):
            for stop in stops[number]:
                stop.set()


def init_app(app: Flask) -> None:
    """Send head and body of each answer in one piece, so that a proxy can retry if the worker is killed in between."""
    if _CORK is not None:
        app.after_request(_cork)


def _cork(response: Response) -> Response:
    """Cork the socket, so that the head waits for the body."""
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
