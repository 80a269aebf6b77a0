"""Answers as server-sent events: the progress on the way, then the result.

A second thread (in a gevent worker a greenlet) computes the answer, while the thread of the request sends the events.
A stream keeps its place until its last byte is sent or its client disconnects; then its search ends too.
"""

from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Literal, NamedTuple

from flask import Response, copy_current_request_context, request
from pydantic_core import to_json
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from kinarow.search_types import SearchStopped, Stop
from service.http import problem_responses
from service.http.body import JSON_TYPE
from service.http.disconnects import Disconnects
from service.http.responses import NO_STORE
from service.searches.limiter import SearchLimiter
from service.searches.overload import ClientDisconnected
from service.searches.threads import callable_from_threads

MEDIA_TYPE = "text/event-stream"

KEEP_ALIVE_S = 15  # after so long without an event a comment is sent, so that no proxy thinks the connection dead
_COMMENT = b": searching\n\n"

_FIRST_EVENT_S = 0.2  # added to the wait for a search: so long a failure may still become an ordinary answer

HEADERS = {"Cache-Control": NO_STORE, "X-Accel-Buffering": "no"}
"""Forbid caches to keep the stream, and proxies to buffer it."""

Fields = dict[str, Any]
Listener = Callable[[Fields], None]


class _Event(NamedTuple):
    kind: Literal["step", "result", "failure"]
    data: Any


def wanted(environ: Fields) -> bool:
    """Whether a request's ``Accept`` names event streams, with at least the quality of JSON."""
    accept = environ.get("HTTP_ACCEPT", "")
    if MEDIA_TYPE not in accept.lower():
        return False
    accepted = parse_accept_header(accept, MIMEAccept)
    named = max((quality for name, quality in accepted if name.lower().split(";")[0] == MEDIA_TYPE), default=0)
    as_json = max((quality for name, quality in accepted if name.lower().split(";")[0] == JSON_TYPE), default=0)
    return named > 0 and named >= as_json


class Stream:
    """The bytes of the current request's answer as events; its receiver must ``close`` it, as WSGI servers do.

    ``Overloaded``: all places for streams are taken.

    Args:
        event: the name of the events before the result.
        compute: computes the data of the result, given the flag that stops it and a listener to the data before it.
        finished: called once, with the data of the result before it is sent.
    """

    def __init__(
        self,
        limiter: SearchLimiter,
        disconnects: Disconnects,
        event: str,
        compute: Callable[[Stop, Listener], Fields],
        finished: Callable[[Fields], Fields],
    ) -> None:
        limiter.open_stream()
        self._release: Callable[[], None] | None = limiter.close_stream
        self._disconnects = disconnects
        self._event, self._compute, self._finished = event, compute, finished
        self._environ = request.environ
        self._as_problem = copy_current_request_context(problem_responses.as_data)
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._sent = 0
        self._first: _Event | None = None
        self._silent = False
        self._over = False
        self._stop = Stop()
        self._ticket = disconnects.add(self._environ, self._stop)

    def response(self, wait_s: float) -> Response:
        """Start the search, and wait for its first event; ``wait_s`` is the longest wait of a search in the queue.

        An exception of ``compute`` before the first byte is raised here; the stream is then closed.
        """
        try:
            Thread(target=self._work, name="stream", daemon=True).start()
            self._first = self._events.get(timeout=wait_s + _FIRST_EVENT_S)
        except Empty:
            # A comment comes first, so that the client soon knows that its request was accepted.
            self._silent = True
        except BaseException:
            self.close()
            raise
        if self._first is not None and self._first.kind == "failure":
            self.close()
            raise self._first.data
        return Response(self, content_type=MEDIA_TYPE, headers=HEADERS)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._over:
            raise StopIteration
        event, self._first = self._first, None
        if event is None:
            if self._silent:
                self._silent = False
                return _COMMENT
            try:
                event = self._events.get(timeout=KEEP_ALIVE_S)
            except Empty:
                return _COMMENT
        self._sent += 1
        if event.kind == "step":
            return _written(self._sent, self._event, event.data)
        self._over = True
        if event.kind == "result":
            return _written(self._sent, "result", self._finished(event.data))
        if isinstance(event.data, ClientDisconnected):
            raise StopIteration
        return _written(self._sent, "error", self._as_problem(event.data))

    def close(self) -> None:
        """End the search if it still runs, and give the place back."""
        self._over = True
        self._stop.set()
        self._disconnects.remove(self._ticket)
        release, self._release = self._release, None
        if release is not None:
            release()

    def _work(self) -> None:
        # One way for all events, so that none overtakes another.
        put = callable_from_threads(self._events.put)
        try:
            result = self._compute(self._stop, lambda step: put(_Event("step", step)))
            put(_Event("result", result))
        except SearchStopped:
            put(_Event("failure", ClientDisconnected()))
        except Exception as error:
            put(_Event("failure", error))


def _written(number: int, name: str, data: Fields) -> bytes:
    """The bytes of an event, its JSON in one line.

    The browser's EventSource reconnects by itself; because events have numbers, it then sends ``Last-Event-ID``.
    """
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), to_json(data))
