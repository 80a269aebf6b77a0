"""Notices clients that disconnect before their answer is ready, and stops their searches.

One thread (in a gevent worker a greenlet) polls the connections of all requests that may take long; it sleeps
while there are none. A client that closes its sending half counts as disconnected; proxies treat such clients the same
way.
"""

import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from flask import request
from gevent import monkey

from kinarow.search_types import SearchStopped, Stop
from service.searches.overload import ClientDisconnected

LOOK_EVERY_S = 0.025
_IDLE_S = 1.0  # time for which the thread goes on polling after the last request: waking it costs more than polling

SOCKET = "gunicorn.socket"  # where gunicorn puts the connection of a request
# Systems without POLLRDHUP report only connections that are closed in both directions.
_HALF_CLOSED = getattr(select, "POLLRDHUP", 0)
# gevent's own poll ignores POLLRDHUP. The native one is called with timeout 0, so it blocks no greenlet.
_poll = monkey.get_original("select", "poll")


class Disconnects:
    """Watches the connections of requests; the first request starts the thread."""

    def __init__(self) -> None:
        self._watched: dict[int, tuple[int, Stop]] = {}
        self._lock = threading.Lock()
        self._begin = threading.Event()
        self._awake = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self) -> Iterator[Stop]:
        """A flag for the searches of this block, set once the client of the current request has disconnected.

        Without gunicorn's socket in the ``environ`` no disconnect is noticed. If the block raises ``SearchStopped``,
        that becomes ``ClientDisconnected``. The block must end before the connection is closed or used again.
        """
        stop = Stop()
        connection = request.environ.get(SOCKET)
        if connection is not None:
            with self._lock:
                self._watched[id(stop)] = (connection.fileno(), stop)
                if not self._awake:
                    self._wake()
        try:
            yield stop
        except SearchStopped:
            raise ClientDisconnected from None
        finally:
            if connection is not None:
                with self._lock:
                    self._watched.pop(id(stop), None)

    def _wake(self) -> None:
        self._awake = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, name="disconnects", daemon=True)
            self._thread.start()
        self._begin.set()

    def _look(self) -> None:
        """The thread: poll all connections, as long as there are any."""
        last_used = monotonic()
        while True:
            with self._lock:
                if self._watched:
                    last_used = monotonic()
                    # Under the lock, so that no file descriptor is reused before it was removed here.
                    self._stop_disconnected()
                elif monotonic() - last_used > _IDLE_S:
                    self._awake = False
                    self._begin.clear()
            if self._awake:
                sleep(LOOK_EVERY_S)
            else:
                self._begin.wait()
                last_used = monotonic()

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
