"""An LRU cache of answers, bounded in bytes, with single flight: equal requests at once share one computation."""

import math
import pickle
import threading
import time
import zlib
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import nullcontext
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

from cachetools import LRUCache

from kinarow.search_types import NANOSECONDS_PER_MS, Limits, Stop

ENTRY_BYTES = 460
"""The memory of an entry beside the bytes of its value: 250 to 490, as the tables of the cache grow."""

_KEY_BYTES = 20
_NANOSECONDS_PER_S = 1e9
_WORTH_COMPRESSING = 600  # bytes; of a shorter value zlib saves less than a tenth of its entry
_QUICKLY = 1  # level of zlib: the answers get a tenth smaller by the best level, which takes five times as long

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

    An answer is kept as the bytes of its pickle, a key as a digest of its ``repr``, which must include all that
    determines the answer.

    Args:
        max_bytes: the most memory of all answers that are kept, with ``ENTRY_BYTES`` for each.
        shared: read before a value is computed, and written afterwards.
        lasts: whether a value is the same however much time there is, so that later callers may have it. Another value
            goes only to callers that had no more time for it.
        join: how a caller waits for another's computation, as ``Flight.join``. An error of it reaches this caller.
        on_hit: called for every value that was cached or computed for another caller.
        on_size: called with the number of answers after it has changed.
    """

    def __init__(
        self,
        max_bytes: int,
        shared: SharedTier[Value] | None = None,
        *,
        lasts: Callable[[Value], bool] = lambda value: True,
        join: Join[Value] = Flight.join,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self._shared, self._lasts, self._join = shared, lasts, join
        self._on_hit, self._on_size = on_hit, on_size
        self._kept: LRUCache[bytes, bytes] = LRUCache(max_bytes, _size)
        self._under_way: dict[bytes, Flight[Value]] = {}
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
        name = blake2b(repr(key).encode(), digest_size=_KEY_BYTES).digest()
        known = self._known(name, limits, stop)
        if not isinstance(known, Flight):
            return known[0], True
        own = known
        try:
            shared = self._shared.get(key) if self._shared is not None else None
            value = compute() if shared is None else shared
            lasts = self._lasts(value)
        except BaseException as error:
            self._end(name, own)
            own.ended.set_exception(error)
            raise
        self._end(name, own, _packed(value) if lasts and self._kept.maxsize > 0 else None)
        own.ended.set_result(value)
        if lasts and shared is None and self._shared is not None:
            self._shared.put(key, value)
        return value, shared is not None

    def _known(self, name: bytes, limits: Limits, stop: Stop | None) -> tuple[Value] | Flight[Value]:
        """A value that is kept or that another caller computes; otherwise the flight of this caller's computation."""
        too_short = False  # whether a computation with less time than this caller's has ended without a lasting value
        while True:
            time_ns = _time_left_ns(limits)
            own: Flight[Value] = Flight(time_ns)
            with self._lock:
                kept, flight = self._kept.get(name), self._under_way.get(name)
                if kept is not None:
                    self._on_hit()
                elif flight is None or (too_short and flight.time_ns < time_ns):
                    if time_ns > 0:
                        self._under_way[name] = own
                    return own
            if kept is not None or flight is None:
                return (_unpacked(kept or b""),)
            if not self._join(flight, limits, stop):
                return own
            if flight.ended.exception() is None:
                value = flight.ended.result()
                if self._lasts(value) or flight.time_ns >= time_ns:
                    with self._lock:
                        self._on_hit()
                    return (value,)
                too_short = True

    def _end(self, name: bytes, own: Flight[Value], packed: bytes | None = None) -> None:
        with self._lock:
            if self._under_way.get(name) is own:
                del self._under_way[name]
            if packed is not None and _size(packed) <= self._kept.maxsize:
                self._kept[name] = packed
                self._on_size(len(self._kept))


def _size(packed: bytes) -> int:
    return ENTRY_BYTES + len(packed)


def _packed(value: object) -> bytes:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return data if len(data) < _WORTH_COMPRESSING else zlib.compress(data, _QUICKLY)


def _unpacked(packed: bytes) -> Any:
    data = packed if packed.startswith(pickle.PROTO) else zlib.decompress(packed)
    return pickle.loads(data)  # noqa: S301 - this process has written it


def _time_left_ns(limits: Limits) -> float:
    allowed = math.inf if limits.time_limit_ms is None else limits.time_limit_ms * NANOSECONDS_PER_MS
    return allowed if limits.deadline_ns is None else min(allowed, limits.deadline_ns - time.monotonic_ns())
