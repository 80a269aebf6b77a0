"""Answers as server-sent events: what an analysis has found after each iteration, then its result.

The request is answered in a thread of its own (in a gevent worker a greenlet), while the server's hands on what the
search tells. A stream keeps its place until its last byte is sent or its client is gone, and the search ends with it.
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
"""After so long without an event a comment is sent, so that nothing in between takes the connection for dead."""
_COMMENT = b": searching\n\n"

_FIRST_EVENT_S = 0.2
"""On top of the wait for a search: how long a failure may still become an ordinary answer."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Kept by nobody, and held back by no proxy."""

Ask = Callable[[Stop, Callable[[SearchInfo], None]], Recommendation]
"""Computes the answer, given the flag that stops the search and a listener to its progress."""


class _Event(NamedTuple):
    name: Literal["progress", "result", "failure"]
    data: Any


def wanted(environ: dict[str, Any]) -> bool:
    """Whether a request's ``Accept`` names event streams, and JSON no more than these."""
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
        disconnects: notices clients that go away.
        wait_s: how long a search waits for its turn at most.
    """

    def __init__(self, limiter: SearchLimiter, disconnects: Disconnects, wait_s: float) -> None:
        self._limiter = limiter
        self._disconnects = disconnects
        self._first_event_s = wait_s + _FIRST_EVENT_S

    def respond(self, ask: Ask, tell: Callable[[SearchInfo], dict[str, Any]]) -> Response:
        """The current request's answer as events.

        Args:
            ask: gets the answer.
            tell: an event's data from what the search tells.

        Raises:
            Overloaded: there is no room for the stream or its search.
            Exception: what ``ask`` raised before the first byte.
        """
        stream = _Stream(self._limiter, self._disconnects, ask, tell)
        stream.begin(self._first_event_s)
        return Response(stream, content_type=MEDIA_TYPE, headers=HEADERS)


class _Stream:
    """The bytes of one stream; whoever gets it must ``close`` it, as WSGI servers do."""

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
        """Start to search, and wait until it is clear that it runs.

        Raises:
            Exception: what the search failed with; the stream is closed.
        """
        try:
            Thread(target=self._work, name="stream", daemon=True).start()
            self._first = self._events.get(timeout=wait_s)
        except Empty:
            # A comment comes first, so that the client knows soon that its request was taken.
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
    """An event as it is sent; JSON of one line.

    With a number the browser's EventSource, which connects again by itself, says so by ``Last-Event-ID``.
    """
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), to_json(data))


def _note(environ: dict[str, Any], answer: Recommendation) -> None:
    result = answer.result
    note(environ, cached=answer.cached, nodes=result.nodes, stopped_by=result.stopped_by)
