"""gunicorn's gevent worker, with a stop that finishes what was asked and does not wait for idle connections."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gevent
from gevent.event import Event
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn.workers.ggevent import GeventWorker

IDLE_S = 1.0
"""Seconds after the signal until idle connections are closed. A request that a proxy has just sent is still answered,
with ``Connection: close``."""

_BEAT_S = 1.0
_LOOK_S = 0.05


class Worker(GeventWorker):  # type: ignore[misc]
    """The worker class; gunicorn's own waits for idle connections until its graceful timeout."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._waiting: dict[gevent.Greenlet, gevent.Timeout] = {}  # connections without a request
        self._stopping = Event()

    def handle_exit(self, sig: int, frame: object) -> None:
        """At SIGTERM."""
        super().handle_exit(sig, frame)
        self._stopping.set()

    @contextmanager
    def timeout_ctx(self) -> Iterator[None]:
        """Wait for the whole head of a connection's next request."""
        me = gevent.getcurrent()
        with gevent.Timeout(self.cfg.keepalive if self.alive else IDLE_S, False) as timeout:
            self._waiting[me] = timeout
            try:
                yield
            finally:
                del self._waiting[me]

    def run(self) -> None:
        """Serve until the signal; then finish."""
        servers = [self._listen(each) for each in self.sockets]
        while self.alive:
            self.notify()
            self._stopping.wait(_BEAT_S)
        for server in servers:
            _accept_no_more(server)
        timer = gevent.get_hub().loop.timer(IDLE_S)
        timer.start(self._close_idle)
        end = time.monotonic() + self.cfg.graceful_timeout
        while any(len(server.pool) for server in servers):
            if time.monotonic() > end:
                self.log.warning("requests were cut off: they took longer than the grace of a stop")
                return
            self.notify()
            gevent.sleep(_LOOK_S)

    def _listen(self, listener: Any) -> StreamServer:
        listener.setblocking(1)
        server = StreamServer(listener, handle=partial(self.handle, listener), spawn=Pool(self.worker_connections))
        if self.cfg.workers > 1:
            server.max_accept = 1  # so that connections spread over workers
        server.start()
        return server

    def _close_idle(self) -> None:
        """In the hub, so that no connection gets a request in between."""
        for connection, timeout in list(self._waiting.items()):
            if self._waiting.get(connection) is timeout:
                connection.throw(timeout)


def _accept_no_more(server: StreamServer) -> None:
    """Close the listening socket; clients that have connected are answered, which closing alone would cut off."""
    while not server.full() and (accepted := server.do_read()):
        server.do_handle(*accepted)
    server.close()
