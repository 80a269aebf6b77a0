"""A bounded LRU cache of answers with single flight: equal requests at the same time share one computation."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, Protocol, TypeVar

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


def wait_for(computation: "Future[Any]") -> None:
    """Wait until another caller's computation has ended, with a value or an error."""
    computation.exception()


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
        self._under_way: dict[Hashable, Future[Value]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(
        self,
        key: Hashable,
        compute: Callable[[], Value],
        keep: Callable[[Value], bool],
        join: "Callable[[Future[Value]], object] | None" = wait_for,
    ) -> tuple[Value, bool]:
        """The value of a key, and whether it came from this cache, the shared tier or another caller's computation.

        An error of ``compute`` reaches its own caller alone; one of the callers that wait then computes the value.

        Args:
            key: everything that determines the value.
            keep: whether the value may be given to later callers.
            join: waits until another caller's computation of this key has ended; its errors reach this caller
                alone. With None this caller neither joins a running computation nor lets others join its own.
        """
        mine: Future[Value] = Future()
        while True:
            with self._lock:
                if key in self._kept:
                    self._on_hit()
                    return self._kept[key], True
                under_way = self._under_way.get(key)
                if join is None or under_way is None:
                    if join is not None:
                        self._under_way[key] = mine
                    break
            join(under_way)
            if under_way.exception() is None:
                with self._lock:
                    self._on_hit()
                return under_way.result(), True
        try:
            shared = self._shared.get(key) if self._shared is not None else None
            value = compute() if shared is None else shared
            kept = keep(value)
        except BaseException as error:
            self._end(key, mine)
            mine.set_exception(error)
            raise
        self._end(key, mine, [value] if kept and self.max_size > 0 else [])
        mine.set_result(value)
        if kept and shared is None and self._shared is not None:
            self._shared.put(key, value)
        return value, shared is not None

    def _end(self, key: Hashable, mine: Future[Value], keep: Sequence[Value] = ()) -> None:
        with self._lock:
            if self._under_way.get(key) is mine:
                del self._under_way[key]
            for value in keep:
                self._kept[key] = value
                self._on_size(len(self._kept))
