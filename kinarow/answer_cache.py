"""A bounded LRU cache of answers with single flight: equal requests at the same time share one computation."""

import math
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache

from kinarow.search_types import NANOSECONDS_PER_MS, Limits, Stop

_NANOSECONDS_PER_S = 1e9

Value = TypeVar("Value")


class SharedTier(Protocol[Value]):
    """A second cache that other processes fill too. It is slower than this one, and it may lose values.

    Its methods must not raise, and must return within a few milliseconds.
    """

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, or None if it is missing or invalid."""

    def put(self, key: Hashable, value: Value) -> None:
        """Offer a value to others."""


class Flight(Generic[Value]):
    """A computation under way, which other callers may join; its value or error ends ``ended``."""

    def __init__(self, time_ns: float) -> None:
        self.time_ns = time_ns  # how long it may take
        self.ended: Future[Value] = Future()

    def join(self, limits: Limits, stop: Stop | None) -> bool:
        """Wait until it has ended; False if the deadline came first. ``SearchStopped``: ``stop`` was set before."""
        woken = _Woken()
        self.ended.add_done_callback(lambda _: woken.set())
        left_ns = None if limits.deadline_ns is None else max(0, limits.deadline_ns - time.monotonic_ns())
        with nullcontext() if stop is None else stop.watching(woken):
            woken.wait(None if left_ns is None else left_ns / _NANOSECONDS_PER_S)
        if stop is not None and not self.ended.done():
            stop.check()
        return self.ended.done()


class _Woken(threading.Event):
    """An event that a ``Stop`` sets as it ends a search."""

    nodes = 0
    stop = threading.Event.set


Join = Callable[[Flight[Value], Limits, Stop | None], bool]
_ENDLESS = Limits()


class Cache(Generic[Value]):
    """Answers by key. Callers that ask for a key while it is being computed wait for that computation.

    Args:
        max_size: the most answers that are kept.
        shared: read before a value is computed, and written afterwards.
        lasts: whether a value is the same however much time there is, so that later callers may have it. Another value
            goes only to callers that had no more time for it.
        join: how a caller waits for another's computation, as ``Flight.join``. An error of it reaches this caller.
        on_hit: called for every value that was cached or computed for another caller.
        on_size: called with the number of answers after it has changed.
    """

    def __init__(
        self,
        max_size: int,
        shared: SharedTier[Value] | None = None,
        *,
        lasts: Callable[[Value], bool] = lambda value: True,
        join: Join[Value] = Flight.join,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self.max_size = max_size
        self._shared, self._lasts, self._join = shared, lasts, join
        self._on_hit, self._on_size = on_hit, on_size
        self._kept: LRUCache[Hashable, Value] = LRUCache(max_size)
        self._under_way: dict[Hashable, Flight[Value]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(
        self, key: Hashable, compute: Callable[[], Value], limits: Limits = _ENDLESS, stop: Stop | None = None
    ) -> tuple[Value, bool]:
        """The value of a key, and whether it came from this cache, the shared tier or another caller's computation.

        An error of ``compute`` reaches its own caller alone; one of the callers that wait then computes the value. A
        caller whose deadline passes while it waits calls ``compute`` too, for what can be said without time.

        Args:
            key: everything that determines the value, but for the time that is left for it.
            limits: their time is that of the computation, their deadline also that of a wait for another's.
            stop: ends such a wait, which raises ``SearchStopped``.
        """
        known = self._known(key, limits, stop)
        if not isinstance(known, Flight):
            return known[0], True
        own = known
        try:
            shared = self._shared.get(key) if self._shared is not None else None
            value = compute() if shared is None else shared
            lasts = self._lasts(value)
        except BaseException as error:
            self._end(key, own)
            own.ended.set_exception(error)
            raise
        self._end(key, own, [value] if lasts and self.max_size > 0 else [])
        own.ended.set_result(value)
        if lasts and shared is None and self._shared is not None:
            self._shared.put(key, value)
        return value, shared is not None

    def _known(self, key: Hashable, limits: Limits, stop: Stop | None) -> tuple[Value] | Flight[Value]:
        """A value that is kept or that another caller computes; otherwise the flight of this caller's computation."""
        too_short = False  # whether a computation with less time than this caller's has ended without a lasting value
        while True:
            time_ns = _time_left_ns(limits)
            own: Flight[Value] = Flight(time_ns)
            with self._lock:
                if key in self._kept:
                    self._on_hit()
                    return (self._kept[key],)
                flight = self._under_way.get(key)
                if flight is None or (too_short and flight.time_ns < time_ns):
                    if time_ns > 0:
                        self._under_way[key] = own
                    return own
            if not self._join(flight, limits, stop):
                return own
            if flight.ended.exception() is None:
                value = flight.ended.result()
                if self._lasts(value) or flight.time_ns >= time_ns:
                    with self._lock:
                        self._on_hit()
                    return (value,)
                too_short = True

    def _end(self, key: Hashable, own: Flight[Value], keep: Sequence[Value] = ()) -> None:
        with self._lock:
            if self._under_way.get(key) is own:
                del self._under_way[key]
            for value in keep:
                self._kept[key] = value
                self._on_size(len(self._kept))


def _time_left_ns(limits: Limits) -> float:
    allowed = math.inf if limits.time_limit_ms is None else limits.time_limit_ms * NANOSECONDS_PER_MS
    return allowed if limits.deadline_ns is None else min(allowed, limits.deadline_ns - time.monotonic_ns())
