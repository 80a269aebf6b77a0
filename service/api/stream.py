"""Answers as server-sent events: what an analysis has found after each iteration, then its result.

The search runs in a thread of its own; the server's thread hands on what it tells. A stream keeps its place
until its last byte is sent or its client is gone, and the search ends with it.
"""

from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from flask import Response, copy_current_request_context, request
from pydantic_core import to_json
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.admission import Admission, Gone, NotKnown
from service.api import problems
from service.api.clients import Clients
from service.logs import note

if TYPE_CHECKING:
    from service.engine.search import Progress, Stop

MEDIA_TYPE = "text/event-stream"
JSON_TYPE = "application/json"

KEEP_ALIVE_S = 15
"""After so long without an event a comment is sent, so that nothing in between takes the connection for dead."""
_COMMENT = b": searching\n\n"

_FIRST_EVENT_S = 0.2
"""On top of the wait for a search: how long a failure may still become an ordinary answer."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Kept by nobody, and held back by no proxy."""

Answer = dict[str, Any]
Ask = Callable[["Stop | None", "Callable[[Progress], None] | None"], Answer]
"""Gets the answer, with the flag that stops the search and who is told on the way."""


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
    """Makes streams within the bounds of admission.

    Args:
        admission: bounds the streams and their searches.
        clients: notices those that go away.
        wait_s: how long a search waits for its turn at most.
    """

    def __init__(self, admission: Admission, clients: Clients, wait_s: float) -> None:
        self._admission = admission
        self._clients = clients
        self._first_event_s = wait_s + _FIRST_EVENT_S

    def respond(self, ask: Ask, tell: "Callable[[Progress], Answer]") -> Response:
        """The current request's answer as events; what is known already is one event and takes no place.

        Args:
            ask: gets the answer.
            tell: an event's data from what the search tells.

        Raises:
            Busy: there is no room for the stream or its search.
            Exception: what ``ask`` raised before the first byte.
        """
        try:
            with self._admission.known_only():
                known = ask(None, None)
        except NotKnown:
            pass
        else:
            _note(request.environ, known)
            return Response(_written("result", known), content_type=MEDIA_TYPE, headers=HEADERS)
        stream = _Stream(self._admission, self._clients, ask, tell)
        stream.begin(self._first_event_s)
        return Response(stream, content_type=MEDIA_TYPE, headers=HEADERS)


class _Stream:
    """The bytes of one stream; whoever gets it must ``close`` it, as WSGI servers do."""

    def __init__(
        self, admission: Admission, clients: Clients, ask: Ask, tell: "Callable[[Progress], Answer]"
    ) -> None:
        from service.engine.search import Stop

        self._release: Callable[[], None] | None = admission.open_stream()
        self._admission = admission
        self._clients = clients
        self._ask = ask
        self._tell = tell
        self._environ = request.environ
        self._as_problem = copy_current_request_context(problems.as_data)
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._first: _Event | None = None
        self._silent = False
        self._over = False
        self._stop = Stop()
        self._ticket = clients.add(self._environ, self._stop)

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
        if event.name == "progress":
            return _written("progress", self._tell(event.data))
        self._over = True
        if event.name == "result":
            _note(self._environ, event.data)
            return _written("result", event.data)
        if isinstance(event.data, Gone):
            raise StopIteration
        return _written("error", self._as_problem(event.data))

    def close(self) -> None:
        """End the search if it still runs, and give the place back."""
        self._over = True
        self._stop.set()
        self._clients.remove(self._ticket)
        release, self._release = self._release, None
        if release is not None:
            release()

    def _work(self) -> None:
        """The thread of the search."""
        from service.engine.search import SearchStopped

        try:
            with self._admission.in_stream():
                answer = self._ask(self._stop, lambda news: self._events.put(_Event("progress", news)))
            self._events.put(_Event("result", answer))
        except SearchStopped:
            self._events.put(_Event("failure", Gone()))
        except Exception as error:
            self._events.put(_Event("failure", error))


def _written(name: str, data: Answer) -> bytes:
    """An event as it is sent; JSON of one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), to_json(data))


def _note(environ: dict[str, Any], answer: Answer) -> None:
    search = answer["search"]
    note(environ, cached=search["cached"], nodes=search["nodes"], stopped_by=search["stopped_by"])
