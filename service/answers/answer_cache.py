"""A bounded cache of the least recently used answers, with one computation per key at a time."""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

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


def wait_for(computation: "Future[Any]") -> None:
    """Wait until another caller's computation has ended, well or not."""
    computation.exception()


class Lookup(Generic[Value]):
    """What one caller gets for a key.

    Attributes:
        value: the value; to be set where it is not cached.
        cached: whether the value was kept, shared or computed for another caller.
    """

    __slots__ = ("cached", "value")

    def __init__(self, value: Any = None, *, cached: bool = False) -> None:
        self.value: Value = value
        self.cached = cached


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

    @contextmanager
    def lookup(
        self,
        key: Hashable,
        keep: Callable[[Value], bool],
        join: "Callable[[Future[Value]], object] | None" = wait_for,
    ) -> Iterator[Lookup[Value]]:
        """The value of a key; where the lookup is not ``cached``, the block must compute it and set it.

        Others who ask for the key meanwhile wait for the end of the block. What the block raises reaches its own
        caller alone, and one of the waiters computes in its place.

        Args:
            key: everything that shaped the value.
            keep: whether the value may be given to later callers.
            join: waits for another's computation of this key to end; what it raises reaches its own caller alone.
                With None this caller neither joins a running computation nor lets others join its own.
        """
        mine: Future[Value] = Future()
        lookup = self._find(key, mine, join)
        if lookup.cached:
            yield lookup
            return
        try:
            found = self._shared.get(key) if self._shared is not None else None
            if found is not None:
                lookup.value, lookup.cached = found, True
            yield lookup
            kept = keep(lookup.value)
        except BaseException as error:
            self._end(key, mine)
            mine.set_exception(error)
            raise
        self._end(key, mine, [lookup.value] if kept and self.max_size > 0 else [])
        mine.set_result(lookup.value)
        if kept and found is None and self._shared is not None:
            self._shared.put(key, lookup.value)

    def _find(
        self, key: Hashable, mine: Future[Value], join: "Callable[[Future[Value]], object] | None"
    ) -> Lookup[Value]:
        """A kept value or that of another's computation, else an empty lookup; others then may wait for ``mine``."""
        while True:
            with self._lock:
                if key in self._kept:
                    self._hits += 1
                    self._on_hit()
                    return Lookup(self._kept[key], cached=True)
                under_way = None if join is None else self._under_way.get(key)
                if join is None or under_way is None:
                    if join is not None:
                        self._under_way[key] = mine
                    self._misses += 1
                    return Lookup()
            join(under_way)
            if under_way.exception() is None:
                with self._lock:
                    self._hits += 1
                    self._on_hit()
                return Lookup(under_way.result(), cached=True)

    def _end(self, key: Hashable, mine: Future[Value], keep: Sequence[Value] = ()) -> None:
        """A computation has ended: nobody may begin to wait for it, and its value may be kept."""
        with self._lock:
            if self._under_way.get(key) is mine:
                del self._under_way[key]
            for value in keep:
                self._kept[key] = value
                self._on_size(len(self._kept))

    def info(self) -> CacheInfo:
        """The counts so far."""
        with self._lock:
            return CacheInfo(self._hits, self._misses, len(self._kept), self.max_size)
