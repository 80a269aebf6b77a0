"""A bounded LRU cache of answers with single flight: equal requests at the same time share one computation."""

import math
import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache

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
    """A computation under way, which other callers may join."""

    def __init__(self, time_ns: float) -> None:
        self.time_ns = time_ns  # how long it may take
        self.ended: Future[Value] = Future()


class Caller(Generic[Value]):
    """One who asks for a value: how long it may take, and how to wait for another caller's computation."""

    def time_ns(self) -> float:
        """The time that is left for the value."""
        return math.inf

    def join(self, flight: Flight[Value]) -> bool:
        """Wait until a computation has ended; False if the time was over before. An error reaches this caller alone."""
        flight.ended.exception()
        return True


class Cache(Generic[Value]):
    """Answers by key. Callers that ask for a key while it is being computed wait for that computation.

    At most ``max_size`` answers are kept. The shared tier is read before a value is computed and written afterwards;
    ``on_hit`` is called for every value that was cached or computed for another caller.
    """

    def __init__(
        self,
        max_size: int,
        shared: SharedTier[Value] | None = None,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self.max_size = max_size
        self._shared = shared
        self._on_hit, self._on_size = on_hit, on_size
        self._kept: LRUCache[Hashable, Value] = LRUCache(max_size)
        self._under_way: dict[Hashable, Flight[Value]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(
        self,
        key: Hashable,
        compute: Callable[[], Value],
        keep: Callable[[Value], bool],
        caller: Caller[Value] | None = None,
    ) -> tuple[Value, bool]:
        """The value of a key, and whether it came from this cache, the shared tier or another caller's computation.

        An error of ``compute`` reaches its own caller alone; one of the callers that wait then computes the value. A
        caller whose time is over while it waits calls ``compute`` too, for what can be said without time.

        Args:
            key: everything that determines the value, but for the time that is left for it.
            keep: whether the value is the same however much time there is, so that later callers may have it. Another
                value goes only to callers that had no more time for it.
            caller: by default one who waits without end.
        """
        caller = caller or Caller()
        too_short = False  # whether a computation with less time than this caller's has ended without a lasting value
        while True:
            time_ns = caller.time_ns()
            mine: Flight[Value] = Flight(time_ns)
            with self._lock:
                if key in self._kept:
                    self._on_hit()
                    return self._kept[key], True
                flight = self._under_way.get(key)
                if flight is None or (too_short and flight.time_ns < time_ns):
                    if time_ns > 0:
                        self._under_way[key] = mine
                    break
            if not caller.join(flight):
                break
            if flight.ended.exception() is None:
                value = flight.ended.result()
                if keep(value) or flight.time_ns >= time_ns:
                    with self._lock:
                        self._on_hit()
                    return value, True
                too_short = True
        return self._computed(key, compute, keep, mine)

    def _computed(
        self, key: Hashable, compute: Callable[[], Value], keep: Callable[[Value], bool], mine: Flight[Value]
    ) -> tuple[Value, bool]:
        """The value of the shared tier, or else a computed one, for all who joined; and whether it was shared."""
        try:
            shared = self._shared.get(key) if self._shared is not None else None
            value = compute() if shared is None else shared
            kept = keep(value)
        except BaseException as error:
            self._end(key, mine)
            mine.ended.set_exception(error)
            raise
        self._end(key, mine, [value] if kept and self.max_size > 0 else [])
        mine.ended.set_result(value)
        if kept and shared is None and self._shared is not None:
            self._shared.put(key, value)
        return value, shared is not None

    def _end(self, key: Hashable, mine: Flight[Value], keep: Sequence[Value] = ()) -> None:
        with self._lock:
            if self._under_way.get(key) is mine:
                del self._under_way[key]
            for value in keep:
                self._kept[key] = value
                self._on_size(len(self._kept))
