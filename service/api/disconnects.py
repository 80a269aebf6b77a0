"""Notices clients that go away while their answer is computed, and tells the search to stop.

One thread (in a gevent worker a greenlet) looks at the connections of all requests that may take long; it sleeps
while there are none. A client that closes its sending half counts as gone, as it does for proxies.
"""

import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

from gevent import monkey

from kinarow.search_types import SearchStopped, Stop
from service.answers.load import ClientDisconnected

LOOK_EVERY_S = 0.025
_IDLE_S = 1.0
"""The thread goes on looking for so long after the last request, since to wake it costs more than to look."""

_SOCKET = "gunicorn.socket"
# Where a system cannot tell that only the sending half is closed, a whole close must do.
_HALF_CLOSED = getattr(select, "POLLRDHUP", 0)
# gevent's own ignores POLLRDHUP. This one is asked without waiting, so that it holds up no greenlet.
_poll = monkey.get_original("select", "poll")


class Disconnects:
    """Watches the connections of requests; the thread begins with the first."""

    def __init__(self) -> None:
        self._watched: dict[int, tuple[int, Stop]] = {}
        self._lock = threading.Lock()
        self._begin = threading.Event()
        self._awake = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, environ: dict[str, Any]) -> "Iterator[Stop]":
        """A flag to search with in this block, set once the client is gone.

        Args:
            environ: of the request; under a server that does not tell the socket nothing is noticed.

        Raises:
            ClientDisconnected: the block ended with the engine's ``SearchStopped``.
        """
        stop = Stop()
        ticket = self.add(environ, stop)
        try:
            yield stop
        except SearchStopped:
            raise ClientDisconnected from None
        finally:
            self.remove(ticket)

    def add(self, environ: dict[str, Any], stop: Stop) -> int | None:
        """Set a flag once the client of a request is gone; returns what ``remove`` takes."""
        connection = environ.get(_SOCKET)
        if connection is None:
            return None
        ticket = id(stop)
        with self._lock:
            self._watched[ticket] = (connection.fileno(), stop)
            if not self._awake:
                self._wake()
        return ticket

    def remove(self, ticket: int | None) -> None:
        """Look no longer; must be called before the connection is closed or used for the next request."""
        if ticket is not None:
            with self._lock:
                self._watched.pop(ticket, None)

    def _wake(self) -> None:
        self._awake = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, name="disconnects", daemon=True)
            self._thread.start()
        self._begin.set()

    def _look(self) -> None:
        """The thread: look at all connections, again and again while there are any."""
        last_used = monotonic()
        while True:
            with self._lock:
                if self._watched:
                    last_used = monotonic()
                    # Under the lock: a number of a file is taken back only after it was removed here.
                    self._stop_for_the_gone()
                elif monotonic() - last_used > _IDLE_S:
                    self._awake = False
                    self._begin.clear()
            if self._awake:
                sleep(LOOK_EVERY_S)
            else:
                self._begin.wait()
                last_used = monotonic()

    def _stop_for_the_gone(self) -> None:
        poll = _poll()
        stops: dict[int, list[Stop]] = {}
        for number, stop in self._watched.values():
            if number >= 0:
                stops.setdefault(number, []).append(stop)
                poll.register(number, _HALF_CLOSED)
        for number, _ in poll.poll(0):
            for stop in stops[number]:
                stop.set()
