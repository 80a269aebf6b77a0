"""Answers as server-sent events: the progress of an analysis after each iteration, then its result.

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

from kinarow.search_types import SearchInfo, SearchStopped, Stop
from service.answers.answer import Recommendation
from service.answers.load import ClientDisconnected
from service.answers.search_limiter import SearchLimiter
from service.api import problem_responses
from service.api.disconnects import Disconnects
from service.concurrency import callable_from_threads
from service.logs import note

MEDIA_TYPE = "text/event-stream"
JSON_TYPE = "application/json"

KEEP_ALIVE_S = 15
"""After this time without an event a comment is sent, so that no proxy takes the connection for dead."""
_COMMENT = b": searching\n\n"

_FIRST_EVENT_S = 0.2
"""Time, added to the wait for a search, during which a failure may still become an ordinary answer."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Forbid caches to keep the stream, and proxies to buffer it."""

Ask = Callable[[Stop, Callable[[SearchInfo], None]], Recommendation]
"""Computes the answer, given the flag that stops the search and a listener to its progress."""


class _Event(NamedTuple):
    name: Literal["progress", "result", "failure"]
    data: Any


def wanted(environ: dict[str, Any]) -> bool:
    """Whether a request's ``Accept`` names event streams, with at least the quality of JSON."""
    accept = environ.get("HTTP_ACCEPT", "")
    if MEDIA_TYPE not in accept.lower():
        return False
    accepted = parse_accept_header(accept, MIMEAccept)
    named = max(
        (quality for name, quality in accepted if name.lower().split(";")[0] == MEDIA_TYPE), default=0
    )
    json = max((quality for name, quality in accepted if name.lower().split(";")[0] == JSON_TYPE), default=0)
    return named > 0 and named >= json


class Streams:
    """Makes streams within the bounds of the limiter.

    Args:
        limiter: bounds the streams and their searches.
        disconnects: notices clients that disconnect.
        wait_s: the longest wait of a search in the queue.
    """

    def __init__(self, limiter: SearchLimiter, disconnects: Disconnects, wait_s: float) -> None:
        self._limiter = limiter
        self._disconnects = disconnects
        self._first_event_s = wait_s + _FIRST_EVENT_S

    def respond(self, ask: Ask, tell: Callable[[SearchInfo], dict[str, Any]]) -> Response:
        """The current request's answer as events.

        Args:
            ask: computes the answer.
            tell: makes the data of an event from the progress of the search.

        Raises:
            Overloaded: all places for streams or searches are taken.
            Exception: any exception of ``ask`` before the first byte.
        """
        stream = _Stream(self._limiter, self._disconnects, ask, tell)
        stream.begin(self._first_event_s)
        return Response(stream, content_type=MEDIA_TYPE, headers=HEADERS)


class _Stream:
    """The bytes of one stream; its receiver must ``close`` it, as WSGI servers do."""

    def __init__(
        self,
        limiter: SearchLimiter,
        disconnects: Disconnects,
        ask: Ask,
        tell: Callable[[SearchInfo], dict[str, Any]],
    ) -> None:
        limiter.open_stream()
        self._release: Callable[[], None] | None = limiter.close_stream
        self._disconnects = disconnects
        self._ask = ask
        self._tell = tell
        self._environ = request.environ
        self._as_problem = copy_current_request_context(problem_responses.as_data)
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._sent = 0
        self._first: _Event | None = None
        self._silent = False
        self._over = False
        self._stop = Stop()
        self._ticket = disconnects.add(self._environ, self._stop)

    def begin(self, wait_s: float) -> None:
        """Start the search, and wait for its first event or for ``wait_s``.

        Raises:
            Exception: the exception of the search; the stream is closed.
        """
        try:
            Thread(target=self._work, name="stream", daemon=True).start()
            self._first = self._events.get(timeout=wait_s)
        except Empty:
            # A comment comes first, so that the client soon knows that its request was accepted.
            self._silent = True
            return
        except BaseException:
            self.close()
            raise
        if self._first.name == "failure":
            self.close()
            raise self._first.data

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
        if event.name == "progress":
            return _written(self._sent, "progress", self._tell(event.data))
        self._over = True
        if event.name == "result":
            _note(self._environ, event.data)
            return _written(self._sent, "result", event.data.fields())
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
        """The thread of the search."""
        put = callable_from_threads(self._events.put)
        try:
            answer = self._ask(self._stop, lambda news: put(_Event("progress", news)))
            self._events.put(_Event("result", answer))
        except SearchStopped:
            self._events.put(_Event("failure", ClientDisconnected()))
        except Exception as error:
            self._events.put(_Event("failure", error))


def _written(number: int, name: str, data: dict[str, Any]) -> bytes:
    """The bytes of an event, its JSON in one line.

    The browser's EventSource reconnects by itself; because events have numbers, it then sends ``Last-Event-ID``.
    """
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), to_json(data))


def _note(environ: dict[str, Any], answer: Recommendation) -> None:
    result = answer.result
    note(environ, cached=answer.cached, nodes=result.nodes, stopped_by=result.stopped_by)
