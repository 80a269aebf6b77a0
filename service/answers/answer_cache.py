"""A bounded cache of the least recently used answers, with one computation per key at a time."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Generic, NamedTuple, Protocol, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


class SharedTier(Protocol[Value]):
    """A second cache that other processes fill too: slower than this one, and free to forget or to fail.

    Neither method may raise, or take more than a few milliseconds.
    """

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, if it is there and sound."""

    def put(self, key: Hashable, value: Value) -> None:
        """Offer a value to others."""


class CacheInfo(NamedTuple):
    """Counts since the start, and how full the cache is."""

    hits: int
    misses: int
    size: int
    max_size: int


class Cache(Generic[Value]):
    """Answers by key; threads that ask for a key that is being computed wait for that one computation.

    Args:
        max_size: how many answers are kept, at least 0.
        shared: asked before a value is computed, and offered what was computed and may be kept.
        on_hit: called for every value that was kept or is being computed for another caller.
        on_size: told how many values are kept, whenever one more is.
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
        self._under_way: dict[Hashable, Future[Value]] = {}
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    def get(
        self,
        key: Hashable,
        compute: Callable[[], Value],
        keep: Callable[[Value], bool],
        join: "Callable[[Future[Value]], object]" = Future.exception,
    ) -> tuple[Value, bool]:
        """The value of a key, and whether it was kept or shared rather than computed by this call.

        Args:
            key: everything that shaped the value.
            compute: makes the value; what it raises reaches its own caller alone, and one of the
                waiters computes in its place.
            keep: whether the value may be given to later callers.
            join: waits for another's computation of this key to end; what it raises reaches its own
                caller alone.
        """
        while True:
            with self._lock:
                if key in self._kept:
                    self._hit()
                    return self._kept[key], True
                shared = self._under_way.get(key)
                if shared is None:
                    mine = self._under_way[key] = Future()
                    self._misses += 1
                    break
            join(shared)
            if shared.exception() is None:
                with self._lock:
                    self._hit()
                return shared.result(), True
        return self._lead(key, mine, compute, keep)

    def get_alone(
        self, key: Hashable, compute: Callable[[], Value], keep: Callable[[Value], bool]
    ) -> tuple[Value, bool]:
        """Like ``get``, without single flight: neither joins a running computation nor lets others join this one."""
        with self._lock:
            if key in self._kept:
                self._hit()
                return self._kept[key], True
            self._misses += 1
        return self._lead(key, Future(), compute, keep)

    def _lead(
        self, key: Hashable, mine: Future[Value], compute: Callable[[], Value], keep: Callable[[Value], bool]
    ) -> tuple[Value, bool]:
        """Find or compute for this caller and for all who wait for ``mine``."""
        try:
            found = self._shared.get(key) if self._shared is not None else None
            value = compute() if found is None else found
            kept = keep(value)
        except BaseException as error:
            self._end(key, mine)
            mine.set_exception(error)
            raise
        self._end(key, mine, [value] if kept and self.max_size > 0 else [])
        mine.set_result(value)
        if kept and found is None and self._shared is not None:
            self._shared.put(key, value)
        return value, found is not None

    def _end(self, key: Hashable, mine: Future[Value], keep: Sequence[Value] = ()) -> None:
        """A computation has ended: nobody may begin to wait for it, and its value may be kept."""
        with self._lock:
            if self._under_way.get(key) is mine:
                del self._under_way[key]
            for value in keep:
                self._kept[key] = value
                self._on_size(len(self._kept))

    def _hit(self) -> None:
        self._hits += 1
        self._on_hit()

    def info(self) -> CacheInfo:
        """The counts so far."""
        with self._lock:
            return CacheInfo(self._hits, self._misses, len(self._kept), self.max_size)
