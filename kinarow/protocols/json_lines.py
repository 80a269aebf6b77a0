"""Requests and answers as JSON lines on standard input and output, for programs that send many requests at once.

One thread reads lines, others search in order of priority, and the main thread waits for them. Every request gets
exactly one final line, in any order.
"""

import json
import math
import os
import select
import sys
import threading
import time
import traceback
from itertools import count
from queue import PriorityQueue
from typing import Annotated, Any, Literal, NamedTuple, TypeGuard

from pydantic import Field

from kinarow.contract.actions import ACTIONS, Call, answer, searches
from kinarow.contract.json_text import dump, parse
from kinarow.contract.model import Model
from kinarow.contract.problems import BODY_TOO_LARGE, CANCELLED, INTERNAL_ERROR, Problem, invalid
from kinarow.contract.requests import NoFields, Request
from kinarow.protocols.pipes import read_lines, write
from kinarow.search_types import MAX_INTEGER, SearchStopped, Stop
from kinarow.settings import Settings
from kinarow.version import VERSION, engine_version

_POLL_S = 0.05  # seconds between checks that the output still has a reader
_STOPPED_WITHIN_S = 1.0  # longest wait for stopped searches to end; normally milliseconds

Id = str | int
Fields = dict[str, Any]


class _Envelope(Request):
    """The fields of a line other than ``id`` and those of its action."""

    action: Literal["move", "analysis", "review", "puzzle", "judge", "cancel", "version"]
    priority: Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)] = 0
    progress: bool = False


class _Request(NamedTuple):
    id: Id
    action: str
    fields: Fields
    progress: bool
    stop: Stop


_Queued = tuple[float, int, _Request | None]
"""A queue entry: the negative priority, the number of its arrival, and the request; None ends a search thread."""


class Conversation:
    """Reads and answers requests; writes answers to the file descriptor ``output``."""

    def __init__(self, settings: Settings, output: int) -> None:
        self._settings = settings
        self._output = output
        self._ask = searches(settings)
        self._open: dict[Id, _Request] = {}  # requests without a final line
        self._waiting: PriorityQueue[_Queued] = PriorityQueue()
        self._number = count()
        self._lock = threading.RLock()  # guards the open requests and the output
        self._stopping = False
        self.failure: OSError | None = None

    def read(self, stream: int, searches: int) -> None:
        """Accept the lines of a stream; at its end, let the search threads end after the last request."""
        longest = self._settings.max_body_bytes
        try:
            for line in read_lines(stream, longest + 1):
                if line.strip():
                    self._accept(line, longest)
        finally:
            self._end(searches, math.inf)

    def search(self) -> None:
        """Answer queued requests until the end; runs in each search thread."""
        while (request := self._waiting.get()[-1]) is not None and not self._stopping:
            if self._open.get(request.id) is request:
                self._reply(request, self._answer(request))

    def stop(self, searches: int) -> None:
        """Stop the searches and their threads; nothing is written any more."""
        self._stopping = True
        for request in tuple(self._open.values()):
            request.stop.set()
        self._end(searches, -math.inf)

    def _end(self, searches: int, order: float) -> None:
        for _ in range(searches):
            self._waiting.put((order, next(self._number), None))

    def _accept(self, line: bytes, longest: int) -> None:
        """Queue a request, or answer it at once."""
        known: Id | None = None
        try:
            if len(line) > longest:
                raise Problem(BODY_TOO_LARGE, f"The line has more than {longest} bytes.")
            fields = parse(line)
            if not isinstance(fields, dict):
                raise invalid([("", "send an object")])
            known = _pop_id(fields, "id")
            if known in self._open:
                raise invalid([("/id", "the request with this id is not answered yet")])
            names = _Envelope.model_fields
            envelope = _Envelope.read({name: fields.pop(name) for name in names if name in fields})
            if envelope.action in ACTIONS:
                request = _Request(known, envelope.action, fields, envelope.progress, Stop())
                self._open[known] = request
                self._waiting.put((-envelope.priority, next(self._number), request))
            else:
                self._answer_at_once(known, envelope.action, fields)
        except Problem as problem:
            self._write({"id": _find_id(line) if known is None else known, "problem": problem.fields()})

    def _answer_at_once(self, asked: Id, action: str, fields: Fields) -> None:
        cancels = _pop_id(fields, "cancels") if action == "cancel" else None
        NoFields.read(fields)
        if cancels is None:
            self._write({"id": asked, "name": "kinarow", "version": VERSION, "engine": engine_version()})
            return
        request = self._open.get(cancels)
        problem = Problem(CANCELLED, f"The request {json.dumps(asked)} cancelled this one.")
        cancelled = request is not None and self._reply(request, {"problem": problem.fields()})
        if request is not None:
            request.stop.set()
        self._write({"id": asked, "cancels": cancels, "cancelled": cancelled})

    def _answer(self, request: _Request) -> Fields:
        """Return the final line of a request, without its id."""

        def listen(progress: Model) -> None:
            self._reply(request, {"event": "progress", **progress.model_dump()})

        call = Call(self._settings, self._ask, request.stop, listen if request.progress else None)
        try:
            return answer(ACTIONS[request.action].read(request.fields), call).answer.model_dump()
        except Problem as wrong:
            problem = wrong
        except SearchStopped:
            return {}  # it was cancelled, or the conversation has ended
        except Exception:
            traceback.print_exc()
            problem = Problem(INTERNAL_ERROR, "The failure has been written to standard error.")
        return {"problem": problem.fields()}

    def _reply(self, request: _Request, fields: Fields) -> bool:
        """Write a line for an open request and return True; a line other than progress closes the request."""
        with self._lock:
            if self._open.get(request.id) is not request or self._stopping:
                return False
            if fields.get("event") != "progress":
                del self._open[request.id]
            self._write({"id": request.id, **fields})
            return True

    def _write(self, fields: Fields) -> None:
        with self._lock:
            try:
                write(self._output, dump(fields, "backslashreplace") + b"\n")
            except OSError as failure:
                self.failure = failure


def _find_id(line: bytes) -> Id | None:
    """Return the id in a line that isn't a valid request, or None unless it has exactly one."""
    try:
        pairs = json.loads(line, object_pairs_hook=tuple)  # an object as its pairs, so that names may repeat
    except (ValueError, RecursionError):
        return None
    ids: list[Any] = [value for name, value in pairs if name == "id"] if isinstance(pairs, tuple) else []
    return ids[0] if len(ids) == 1 and _is_id(ids[0]) else None


def _is_id(value: object) -> TypeGuard[Id]:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _pop_id(fields: Fields, name: str) -> Id:
    known = fields.pop(name, None)
    if not _is_id(known):
        raise invalid([(f"/{name}", "send the id of a request, a text or an integer")])
    return known


def _has_no_reader(output: int) -> bool:
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(output, 0)
    return bool(poll.poll(0))


def serve(settings: Settings, searches: int) -> None:
    """Answer standard input until its end; raise ``OSError`` if the output has lost its reader."""
    output = sys.stdout.fileno()
    conversation = Conversation(settings, output)
    reader = threading.Thread(target=conversation.read, args=(sys.stdin.fileno(), searches), daemon=True)
    searching = [threading.Thread(target=conversation.search, daemon=True) for _ in range(searches)]
    parent = os.getppid()
    try:
        for thread in (reader, *searching):
            thread.start()
        for thread in (reader, *searching):
            while thread.is_alive():
                thread.join(_POLL_S)
                if conversation.failure is not None:
                    raise conversation.failure
                if os.getppid() != parent or _has_no_reader(output):
                    raise BrokenPipeError
    finally:
        conversation.stop(searches)
        end = time.monotonic() + _STOPPED_WITHIN_S
        for thread in searching:
            thread.join(max(0.0, end - time.monotonic()))
