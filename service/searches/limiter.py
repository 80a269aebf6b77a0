"""Limits searches: how many run on the machine, how many wait in this worker's queue, and how long they wait.

A probably short search is first tried in the request's own thread. If that takes too long, and in all other cases, a
search takes a slot, which all workers share. If no slot is free, it waits in a bounded queue, for a bounded time; then
it is refused with ``Overloaded``, which becomes a 503. A search of few nodes may also take the machine's short lane, so
that it never waits for a long search.

Clients take turns: among waiting requests, one of a client with the fewest slots goes first. If the queue is full, the
client with the most waiting requests loses one of them.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from kinarow.cores import NO_CORES, Cores, ThreadApi, current, using
from kinarow.engine import Question, Result
from kinarow.search.best_move import solvable
from kinarow.search.known import look_up
from kinarow.search_types import Limits, NoCore, Stop
from kinarow.searches import InFlightSearch, Span
from service.searches.slots import CLIENT_BYTES, SearchSlots
from service.searches.threads import Threads, callable_from_threads, native, own

Value = TypeVar("Value")

TRY_NS = 2_000_000  # time limit for trying a probably short search in the caller's own thread
TRIES = 3
"""The most tries. A try that visited fewer than ``FEW_NODES`` nodes has waited for a core, and is repeated."""
FEW_NODES = 500
SHORT_EMPTIES = 16  # the most empty cells of a solvable position whose search is probably short

LANE_NODES = 50_000  # the most nodes of a search in the short lane

SEARCH_NICENESS = 5  # nice value added to search threads, so that short requests pre-empt them
LOOK_EVERY_S = 0.05  # how often a waiting request checks if its client is still connected
TRY_EVERY_S = 0.005  # how often the first request in the queue looks for a slot that another worker has given back
PASS_ON_S = 0.1  # how long a worker keeps freed slots for its own queue; then others have YIELD_S to take one
YIELD_S = 4 * TRY_EVERY_S


Reason = Literal["queue_full", "waited", "streams"]

DETAILS: dict[Reason, str] = {
    "queue_full": "All searches are busy, and the queue for them is full.",
    "waited": "No search slot became free in time.",
    "streams": "Too many event streams are open.",
}


class Overloaded(NoCore):
    """The worker can't take another search or stream now; ``reason`` names the limit."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(DETAILS[reason])
        self.reason: Reason = reason
        self.at_once = reason != "waited"


class ClientDisconnected(Exception):
    """The client closed its connection before the answer was ready."""


class Load(NamedTuple):
    """A worker's taken slots (also by helpers), waiting searches, requests that joined another's, and open streams."""

    running: int = 0
    waiting: int = 0
    joined: int = 0
    streams: int = 0


class FreeSlots(Cores):
    """Slots that no request waits for, as cores for helpers; a search holds a slot of its own."""

    def __init__(self, slots: SearchSlots, threads: ThreadApi) -> None:
        super().__init__(0, threads)
        self._slots = slots

    def take(self) -> int | None:
        """Take a free slot; return None if there is none, or a request waits for it."""
        return None if self._slots.wanted() else self._slots.take()

    def give_back(self, core: int) -> None:
        """Give back a slot that ``take`` returned."""
        self._slots.give_back(core)

    def wanted(self) -> bool:
        """Return True if a request waits for a slot."""
        return self._slots.wanted()


class _Waiting(NamedTuple):
    """A request in the queue."""

    client: bytes  # a hash of the client's name
    lane: bool  # whether the request may take the short lane
    turn: threading.Event  # set to make the request try for a slot at once


class SearchLimiter:
    """Slots for searches and streams. Thread-safe.

    ``limits`` has the maximum of each count but ``joined``, which has none. A search waits at most ``wait_s`` seconds
    for a slot. ``slots_folder`` is the folder for ``SearchSlots``; ``client`` returns the name of the current request's
    client.
    """

    def __init__(
        self,
        limits: Load,
        wait_s: float,
        slots_folder: Path | None = None,
        client: Callable[[], str] = lambda: "",
        on_load: Callable[[Load], None] = lambda load: None,
        on_waited: Callable[[float], None] = lambda seconds: None,
        on_refused: Callable[[Reason], None] = lambda reason: None,
        span: Span = nullcontext,
    ) -> None:
        self.limits = limits
        self.load = Load()
        self._wait_s, self._client = wait_s, client
        self._on_load, self._on_waited, self._on_refused = on_load, on_waited, on_refused
        self.span = span
        self.lane = Cores(0)
        """Cores for a request of one question: ``using`` them lets its searches of few nodes take the short lane."""
        self._threads = Threads(limits.running, "search", SEARCH_NICENESS)
        self._lane_thread = Threads(1, "lane")
        self._slots = SearchSlots(limits.running, slots_folder, callable_from_threads(self._change))
        self._lock = threading.RLock()  # held for every change of the load and the queue
        self._queue: list[_Waiting] = []
        self._passed_on_at = time.monotonic()  # when a freed slot was last left to other workers

    def run(self, question: Question, search: Callable[[Limits], Result]) -> Result:
        """Return the result of a search: tried in the caller's thread if probably short, else run in a slot."""
        limits = question.limits
        if limits.expired:
            return search(limits)  # visits no node, so needs no slot
        if _probably_short(question):
            with self.span("search"):
                for _ in range(TRIES):
                    tried = search(limits.until(time.monotonic_ns() + TRY_NS))
                    if tried.stopped_by != "time":
                        return tried  # time did not end it, so the search in a slot would have the same result
                    if tried.nodes >= FEW_NODES:
                        break
        lane = current() is self.lane and limits.max_nodes <= LANE_NODES
        return self.in_slot(partial(search, limits), question.stop, lane=lane)

    def in_slot(self, compute: Callable[[], Value], stop: Stop | None = None, *, lane: bool = False) -> Value:
        """Run ``compute`` in a search thread as soon as a slot is free, and return its result.

        With ``lane`` the slot of short searches will do too. ``Overloaded``: the queue was full, or no slot
        became free in time. ``ClientDisconnected``: ``stop`` was set.
        """
        if current() is NO_CORES:
            return self._search(compute)  # a helper's search runs in the slot that the helper holds
        with self.span("search.wait"):
            slot, client = self._take_slot(stop, lane)
        try:
            return self._search(compute, in_lane=slot == self.limits.running)
        finally:
            self._give_back(slot, client)

    def _search(self, compute: Callable[[], Value], *, in_lane: bool = False) -> Value:
        """Run ``compute`` in a search thread, or in the lane's thread, with the cores that its helpers may borrow."""

        def with_cores() -> Value:
            with using(self.lane if in_lane else FreeSlots(self._slots, native)):
                return compute()

        with self.span("search"):
            return (self._lane_thread if in_lane else self._threads).run(with_cores)

    @property
    def free_slots(self) -> Cores:
        """The slots that no request waits for, as cores for helpers of a request with several searches."""
        return FreeSlots(self._slots, own)

    def join(self, flight: InFlightSearch, limits: Limits, stop: Stop | None) -> bool:
        """Wait like ``InFlightSearch.join``; if the joined request was refused, raise ``Overloaded`` too."""
        self._change(joined=1)
        try:
            with self.span("search.join"):
                ended = flight.join(limits, stop)
        finally:
            self._change(joined=-1)
        error = flight.ended.exception() if ended else None
        if isinstance(error, Overloaded):
            raise self._refusal(error.reason)  # the caller's own search would wait as long and be refused too
        return ended

    def open_stream(self) -> None:
        """Take a slot for a stream; raise ``Overloaded`` if all are taken."""
        with self._lock:
            if self.load.streams >= self.limits.streams:
                raise self._refusal("streams")
            self._change(streams=1)

    def close_stream(self) -> None:
        """Give back the slot of a stream."""
        self._change(streams=-1)

    def _take_slot(self, stop: Stop | None, lane: bool) -> tuple[int, bytes]:
        """Wait for a slot, or with ``lane`` also for the short lane; return its number and the client's hash.

        Raises like ``in_slot``.
        """
        with self._lock:
            client = blake2b(self._client().encode(), digest_size=CLIENT_BYTES).digest()
            mine = _Waiting(client, lane, threading.Event())
            self._queue.append(mine)
            slot = self._take_in_turn(mine)
            if slot is not None:
                return slot, client
            if len(self._queue) > self.limits.waiting:
                self._refuse_one(mine)
            self._change(waiting=1)
        end = (began := time.monotonic()) + self._wait_s
        try:
            while slot is None:
                pause = YIELD_S if time.monotonic() < self._passed_on_at + YIELD_S else TRY_EVERY_S
                pause = pause if self._first(lane) is mine else LOOK_EVERY_S
                mine.turn.wait(max(0.0, min(pause, end - time.monotonic())))
                mine.turn.clear()
                with self._lock:
                    if mine not in self._queue:
                        raise self._refusal("queue_full")
                    slot = self._take_in_turn(mine)
                    if slot is None and stop is not None and stop.is_set():
                        raise ClientDisconnected
                    if slot is None and time.monotonic() >= end:
                        raise self._refusal("waited")
        finally:
            with self._lock:
                if mine in self._queue:  # the wait was in vain
                    self._queue.remove(mine)
                self._change(waiting=-1)
                self._announce()
                self._wake_first()
        self._on_waited(time.monotonic() - began)
        return slot, client

    def _refuse_one(self, last: _Waiting) -> None:
        """Remove the latest request of the client that has the most in the queue; raise if that is ``last`` itself."""
        counts = Counter(each.client for each in self._queue)
        client, most = counts.most_common(1)[0]
        refused = last if counts[last.client] == most else [each for each in self._queue if each.client == client][-1]
        self._queue.remove(refused)
        if refused is last:
            raise self._refusal("queue_full")
        refused.turn.set()

    def _first(self, lane: bool) -> _Waiting | None:
        """Return the request whose turn it is, for the lane or not: the first of a client with the fewest slots."""
        queue = [each for each in self._queue if each.lane is lane]
        served = self._slots.clients() if len(queue) > 1 else []
        return min(queue, key=lambda each: served.count(each.client), default=None)

    def _take_in_turn(self, mine: _Waiting) -> int | None:
        """In the request's turn take a slot, or for a lane request the lane, and leave the queue; else return None."""
        slot = None
        if self._first(mine.lane) is mine:
            if not (mine.lane and self._slots.wanted()):
                slot = self._slots.take(mine.client)
            if slot is None and mine.lane:
                slot = self._slots.take(mine.client, lane=True)
        if slot is not None:
            self._queue.remove(mine)
        else:
            self._announce()
        return slot

    def _announce(self) -> None:
        """Tell all workers whether a request of this one waits for a slot, not only for the lane."""
        self._slots.announce_waiting(not all(each.lane for each in self._queue))

    def _give_back(self, slot: int, client: bytes) -> None:
        """Free a slot and wake the requests that may take it; once in ``PASS_ON_S``, let another worker take it."""
        with self._lock:
            self._slots.give_back(slot)
            self._queue.sort(key=lambda each: each.client == client)  # puts this client's requests last
            now, in_lane = time.monotonic(), slot == self.limits.running
            if now >= self._passed_on_at + PASS_ON_S and (in_lane or self._slots.wanted(elsewhere=True)):
                self._passed_on_at = now
            else:
                self._wake_first()

    def _wake_first(self) -> None:
        """Wake the request whose turn it is for a slot, and the one for the lane."""
        for lane in (False, True):
            first = self._first(lane)
            if first is not None:
                first.turn.set()

    def _change(self, waiting: int = 0, joined: int = 0, streams: int = 0) -> None:
        """Add to the counts of the load, and report it."""
        with self._lock:
            load = self.load
            self.load = Load(self._slots.taken, load.waiting + waiting, load.joined + joined, load.streams + streams)
            self._on_load(self.load)

    def _refusal(self, reason: Reason) -> Overloaded:
        """Report a refusal, and return the error to raise."""
        self._on_refused(reason)
        return Overloaded(reason)


def _probably_short(question: Question) -> bool:
    """Return True if nobody listens to the progress, and few cells are empty or a book or the atlas may know it."""
    if question.progress is not None:
        return False
    position = question.position
    return (position.empties <= SHORT_EMPTIES and solvable(position.rules)) or look_up.may_know(position)
