"""A bounded cache of the least recently used answers, with one computation per key at a time."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, NamedTuple, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


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
    """

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        self._kept: LRUCache[Hashable, Value] = LRUCache(max_size)
        self._under_way: dict[Hashable, Future[Value]] = {}
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    def get(
        self, key: Hashable, compute: Callable[[], Value], keep: Callable[[Value], bool]
    ) -> tuple[Value, bool]:
        """The value of a key, and whether it was kept or shared rather than computed by this call.

        Args:
            key: everything that shaped the value.
            compute: makes the value; what it raises reaches its own caller alone, and one of the
                waiters computes in its place.
            keep: whether the value may be given to later callers.
        """
        while True:
            with self._lock:
                if key in self._kept:
                    self._hits += 1
                    return self._kept[key], True
                shared = self._under_way.get(key)
                if shared is None:
                    mine = self._under_way[key] = Future()
                    self._misses += 1
                    break
            if shared.exception() is None:
                with self._lock:
                    self._hits += 1
                return shared.result(), True
        return self._lead(key, mine, compute, keep), False

    def _lead(
        self, key: Hashable, mine: Future[Value], compute: Callable[[], Value], keep: Callable[[Value], bool]
    ) -> Value:
        """Compute for this caller and for all who wait."""
        try:
            value = compute()
            kept = self.max_size > 0 and keep(value)
        except BaseException as error:
            with self._lock:
                del self._under_way[key]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._under_way[key]
            if kept:
                self._kept[key] = value
        mine.set_result(value)
        return value

    def info(self) -> CacheInfo:
        """The counts so far."""
        with self._lock:
            return CacheInfo(self._hits, self._misses, len(self._kept), self.max_size)
