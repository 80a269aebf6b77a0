"""Limits searches: how many run on the machine, how many wait in this worker's queue, and how long they wait.

A probably short search is first tried in place. A search takes a slot, which all workers share. If no slot is free, it
waits in a bounded queue, for a bounded time; then it is refused with ``Overloaded``, which becomes a 503.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from kinarow.cores import Cores, Kind, current, using
from kinarow.engine import Question, Result
from kinarow.search.best_move import solvable
from kinarow.search.known import look_up
from kinarow.search_types import Limits, NoCore, Stop
from kinarow.searches import Flight
from service.searches.slots import SearchSlots
from service.searches.threads import Threads, callable_from_threads, native, own

Value = TypeVar("Value")

TRY_NS = 2_000_000  # time limit for trying a probably short search in the caller's own thread
TRIES = 3
"""The most tries. One that visited fewer than ``FEW_NODES`` nodes has waited for a core, and is repeated."""
FEW_NODES = 500
SHORT_EMPTIES = 16  # a search is probably short with at most this number of empty cells

SEARCH_NICENESS = 5  # nice value added to search threads, so that short requests pre-empt them
LOOK_EVERY_S = 0.05  # a waiting request checks this often whether its client is still connected
TRY_EVERY_S = 0.005  # the first of a queue looks this often for a slot that another worker has given back
PASS_ON_S = 0.1  # how long a worker keeps freed slots for its own queue; then any worker may take one


Reason = Literal["queue_full", "waited", "streams"]

DETAILS: dict[Reason, str] = {
    "queue_full": "All searches are busy, and the queue for them is full.",
    "waited": "No search slot became free in time.",
    "streams": "Too many event streams are open.",
}


class Overloaded(NoCore):
    """The worker can take no further search or stream now; ``reason`` names the limit."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(DETAILS[reason])
        self.reason: Reason = reason
        self.at_once = reason != "waited"


class ClientDisconnected(Exception):
    """The client closed its connection before the answer was ready."""


class Load(NamedTuple):
    """Numbers of taken slots, of helpers too, of searches in the queue, of requests that joined another's search, and
    of open streams.
    """

    running: int = 0
    waiting: int = 0
    joined: int = 0
    streams: int = 0


class Span(Protocol):
    """Measures a part of a request."""

    def __call__(self, name: str, /) -> AbstractContextManager[Any]:
        """The part with this name, while the context is open."""


no_span: Span = nullcontext
"""Measures nothing."""


class FreeSlots(Cores):
    """The slots that no request wants, for helpers of a kind."""

    def __init__(self, slots: SearchSlots, kind: Kind) -> None:
        super().__init__(0, kind)
        self._slots = slots

    def take(self) -> int | None:
        """Take a free slot."""
        return None if self._slots.wanted() else self._slots.take()

    def give_back(self, core: int) -> None:
        """Give it back."""
        self._slots.give_back(core)

    def wanted(self) -> bool:
        """Whether a request waits for a slot."""
        return self._slots.wanted()

    def of_helper(self, core: int) -> Cores:
        """The slot of a helper, for its own searches."""
        return _SlotOfHelper(0)


class _SlotOfHelper(Cores):
    """A helper's cores: none beside the slot that it holds, which its searches use."""


class SearchLimiter:
    """Slots for searches and streams; safe to share between threads.

    Args:
        limits: the most of each; ``joined`` requests wait for another request's identical search, without a limit.
        wait_s: the longest wait for a slot, of which ``on_waited`` gets the seconds.
        slots_folder: as for ``SearchSlots``: which other processes share the slots.
        span: measures waits and searches, as parts of the caller's request.
    """

    def __init__(
        self,
        limits: Load,
        wait_s: float,
        slots_folder: Path | None = None,
        on_load: Callable[[Load], None] = lambda load: None,
        on_waited: Callable[[float], None] = lambda seconds: None,
        on_refused: Callable[[Reason], None] = lambda reason: None,
        span: Span = no_span,
    ) -> None:
        self.limits = limits
        self.load = Load()
        self._wait_s = wait_s
        self._on_load, self._on_waited, self._on_refused = on_load, on_waited, on_refused
        self.span = span
        self._threads = Threads(limits.running, "search", SEARCH_NICENESS)
        self._slots = SearchSlots(limits.running, slots_folder, callable_from_threads(self._change))
        self._lock = threading.RLock()  # held for every change of the load and the queue
        self._queue: deque[threading.Event] = deque()  # an event is set when its request should try at once
        self._passed_on_at = time.monotonic()  # when a freed slot was last left to any worker

    def run(self, question: Question, search: Callable[[Limits], Result]) -> Result:
        """The result of a search, in place if it is probably short, and otherwise in a slot.

        What is not finished in place is searched from the beginning. Raises as ``in_slot``.
        """
        limits = question.limits
        if limits.expired:
            return search(limits)  # it visits no node, so it needs no slot
        if _probably_short(question):
            with self.span("search"):
                for _ in range(TRIES):
                    tried = search(limits.until(time.monotonic_ns() + TRY_NS))
                    if tried.stopped_by != "time":
                        return tried  # the whole search has the same result
                    if tried.nodes >= FEW_NODES:
                        break
        return self.in_slot(partial(search, limits), question.stop)

    def in_slot(self, compute: Callable[[], Value], stop: Stop | None = None) -> Value:
        """Run ``compute`` in a search thread as soon as a slot is free, and return its result.

        ``Overloaded``: the queue was full, or no slot became free in time. ``ClientDisconnected``: ``stop`` was set
        while it waited.
        """
        if isinstance(current(), _SlotOfHelper):
            return self._search(compute)  # in the slot that the caller holds
        with self.span("search.wait"):
            slot = self._take_slot(stop)
        try:
            return self._search(compute)
        finally:
            self._give_back(slot)

    def _search(self, compute: Callable[[], Value]) -> Value:
        def with_free_slots() -> Value:
            with using(FreeSlots(self._slots, native)):
                return compute()

        with self.span("search"):
            return self._threads.run(with_free_slots)

    @property
    def free_slots(self) -> Cores:
        """The slots that no request wants, for helpers of a request that runs several searches."""
        return FreeSlots(self._slots, own)

    def join(self, flight: Flight, limits: Limits, stop: Stop | None) -> bool:
        """As ``Flight.join``; if the joined request was refused, this raises ``Overloaded`` too."""
        self._change(joined=1)
        try:
            with self.span("search.join"):
                ended = flight.join(limits, stop)
        finally:
            self._change(joined=-1)
        error = flight.ended.exception() if ended else None
        if isinstance(error, Overloaded):
            raise self._refusal(error.reason)  # a search of its own would wait as long, and be refused too
        return ended

    def open_stream(self) -> None:
        """Take a slot for a stream; raises ``Overloaded`` if all are taken."""
        with self._lock:
            if self.load.streams >= self.limits.streams:
                raise self._refusal("streams")
            self._change(streams=1)

    def close_stream(self) -> None:
        """Give the slot of a stream back."""
        self._change(streams=-1)

    def _take_slot(self, stop: Stop | None) -> int:
        with self._lock:
            slot = None if self._queue else self._slots.take()
            if slot is not None:
                return slot
            if len(self._queue) >= self.limits.waiting:
                raise self._refusal("queue_full")
            turn = threading.Event()
            self._queue.append(turn)
            self._change(waiting=1)
        end = (began := time.monotonic()) + self._wait_s
        try:
            while slot is None:
                pause = TRY_EVERY_S if self._queue[0] is turn else LOOK_EVERY_S
                turn.wait(max(0.0, min(pause, end - time.monotonic())))
                turn.clear()
                slot = self._take_in_turn(turn, end, stop)
        finally:
            with self._lock:
                if turn in self._queue:  # an error ended the wait
                    self._leave_queue(turn)
        self._on_waited(time.monotonic() - began)
        return slot

    def _take_in_turn(self, turn: threading.Event, end: float, stop: Stop | None) -> int | None:
        """Take a slot if the request is the first of the queue; None if it must go on waiting.

        After ``end`` without a slot the request is refused, and if ``stop`` is set its client has disconnected.
        """
        with self._lock:
            slot = self._slots.take() if self._queue[0] is turn else None
            disconnected = stop is not None and stop.is_set()
            if slot is None and not disconnected and time.monotonic() < end:
                self._slots.announce_waiting(True)
                return None
            self._leave_queue(turn)
            if slot is None:
                raise ClientDisconnected if disconnected else self._refusal("waited")
            return slot

    def _leave_queue(self, turn: threading.Event) -> None:
        self._queue.remove(turn)
        self._change(waiting=-1)
        self._slots.announce_waiting(bool(self._queue))
        self._wake_first()

    def _give_back(self, slot: int) -> None:
        """Free a slot and wake the first of the queue to take it; every ``PASS_ON_S`` leave it to any worker."""
        with self._lock:
            self._slots.give_back(slot)
            if time.monotonic() - self._passed_on_at >= PASS_ON_S:
                self._passed_on_at = time.monotonic()
            else:
                self._wake_first()

    def _wake_first(self) -> None:
        if self._queue:
            self._queue[0].set()

    def _change(self, waiting: int = 0, joined: int = 0, streams: int = 0) -> None:
        """Count requests; the slots count themselves, those of helpers too."""
        with self._lock:
            load = self.load
            self.load = Load(self._slots.taken, load.waiting + waiting, load.joined + joined, load.streams + streams)
            self._on_load(self.load)

    def _refusal(self, reason: Reason) -> Overloaded:
        self._on_refused(reason)
        return Overloaded(reason)


def _probably_short(question: Question) -> bool:
    """Whether a search is probably short: few cells are empty, or a book or the atlas knows the position.

    One with a listener counts as long, since it must not be tried twice.
    """
    if question.progress is not None:
        return False
    position = question.position
    return (position.empties <= SHORT_EMPTIES and solvable(position.rules)) or look_up.covers(position)
