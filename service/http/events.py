"""Answers as server-sent events: the search's progress, then the result.

A second thread (in a gevent worker a greenlet) computes the answer, and the request's thread sends the events. A stream
occupies its slot until its last byte is sent or its client disconnects, which also stops the search.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import copy_context
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from flask import Response, request, stream_with_context

from kinarow.contract.json_text import dump
from kinarow.contract.model import Model
from kinarow.search_types import SearchStopped, Stop
from service.http.errors import problem_answer
from service.http.parsing import JSON_TYPE
from service.http.responses import NO_STORE, log_cost
from service.http.services import services
from service.searches.limiter import ClientDisconnected
from service.searches.threads import callable_from_threads

MEDIA_TYPE = "text/event-stream"

KEEP_ALIVE_S = 15  # a comment follows this time without an event, so that no proxy closes the connection
_COMMENT = b": searching\n\n"

_FIRST_EVENT_S = 0.2  # added to the longest wait for a slot; a failure within that time is an ordinary response

HEADERS = {"Cache-Control": NO_STORE, "X-Accel-Buffering": "no"}
"""No cache may store the stream, no proxy buffer it."""

Listener = Callable[[Model], None]
Compute = Callable[[Stop, Listener], Model]


class _Event(NamedTuple):
    name: str
    data: Model | Exception  # an exception ends the stream


_Events = SimpleQueue[_Event]


def prefers_events() -> bool:
    """Return True if ``Accept`` prefers event streams to JSON; a range such as ``*/*`` counts for JSON only."""
    accepted = request.accept_mimetypes
    weights = [weight for name, weight in accepted if name.lower().partition(";")[0].strip() == MEDIA_TYPE]
    return max(weights, default=0) > accepted.quality(JSON_TYPE)


def stream(progress: str, compute: Compute) -> Response:
    """Respond with server-sent events: ``progress`` events, then what ``compute`` returns as ``result``.

    An exception before the first event is raised (``Overloaded`` if all stream slots are taken); later ones are events.
    """
    shared = services()
    wait_s = shared.settings.search_wait_ms / 1000 + _FIRST_EVENT_S
    events: _Events = SimpleQueue()
    with ExitStack() as stack:
        shared.limiter.open_stream()
        stack.callback(shared.limiter.close_stream)
        stop = stack.enter_context(shared.disconnects.watch())
        stack.callback(stop.set)
        work = partial(copy_context().run, _work, progress, compute, stop, events)  # within the request's span
        Thread(target=work, name="stream", daemon=True).start()
        first = _next(events, wait_s)
        if first is not None and isinstance(first.data, Exception):
            raise first.data
        response = Response(stream_with_context(_encode_all(first, events)), content_type=MEDIA_TYPE, headers=HEADERS)
        response.call_on_close(stack.pop_all().close)
    return response


def _work(progress: str, compute: Compute, stop: Stop, events: _Events) -> None:
    """Compute the answer, and put the events into the queue."""
    put = callable_from_threads(events.put)
    try:
        put(_Event("result", compute(stop, lambda step: put(_Event(progress, step)))))
    except SearchStopped:
        put(_Event("error", ClientDisconnected()))
    except Exception as error:
        put(_Event("error", error))


def _next(events: _Events, timeout_s: float) -> _Event | None:
    try:
        return events.get(timeout=timeout_s)
    except Empty:
        return None


def _encode_all(event: _Event | None, events: _Events) -> Iterator[bytes]:
    """Yield the bytes of the first and all further events; their ids make EventSource send ``Last-Event-ID``."""
    for number in count(1):
        while event is None:
            yield _COMMENT
            event = _next(events, KEEP_ALIVE_S)
        name, data = event
        if isinstance(data, ClientDisconnected):
            return
        if name == "result":
            log_cost(data)
        text = dump(problem_answer(data) if isinstance(data, Exception) else data)
        yield b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), text)
        if name in ("result", "error"):
            return
        event = _next(events, KEEP_ALIVE_S)
