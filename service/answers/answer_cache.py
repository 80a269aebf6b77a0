"""A bounded LRU cache of answers with single flight: equal requests at the same time share one computation."""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
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


class Lookup(Generic[Value]):
    """The result of looking up a key.

    Attributes:
        value: the value; the caller sets it if it is not cached.
        cached: whether the value came from this cache, the shared tier or another caller's computation.
    """

    __slots__ = ("cached", "value")

    def __init__(self, value: Any = None, *, cached: bool = False) -> None:
        self.value: Value = value
        self.cached = cached


class Cache(Generic[Value]):
    """Answers by key. Callers that ask for a key while it is being computed wait for that computation.

    Args:
        max_size: how many answers are kept, at least 0.
        shared: a second tier, read before a value is computed and written afterwards.
        on_hit: called for every value that was cached or computed for another caller.
        on_size: called with the number of cached values after each insertion.
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

    @contextmanager
    def lookup(
        self, key: Hashable, keep: Callable[[Value], bool], join: "Callable[[Future[Value]], object] | None" = wait_for
    ) -> Iterator[Lookup[Value]]:
        """Look up a key; if the lookup is not ``cached``, the block must compute the value and set it.

        Other callers of the same key wait until the block ends. An error in the block reaches its own caller
        alone; one of the waiting callers then computes the value.

        Args:
            key: everything that determines the value.
            keep: whether the value may be given to later callers.
            join: waits until another caller's computation of this key has ended; its errors reach this caller
                alone. With None this caller neither joins a running computation nor lets others join its own.
        """
        mine: Future[Value] = Future()
        lookup = self._find(key, mine, join)
        if lookup.cached:
            yield lookup
            return
        try:
            shared = self._shared.get(key) if self._shared is not None else None
            if shared is not None:
                lookup.value, lookup.cached = shared, True
            yield lookup
            kept = keep(lookup.value)
        except BaseException as error:
            self._end(key, mine)
            mine.set_exception(error)
            raise
        self._end(key, mine, [lookup.value] if kept and self.max_size > 0 else [])
        mine.set_result(lookup.value)
        if kept and shared is None and self._shared is not None:
            self._shared.put(key, lookup.value)

    def _find(
        self, key: Hashable, mine: Future[Value], join: "Callable[[Future[Value]], object] | None"
    ) -> Lookup[Value]:
        """A cached value or one computed by another caller; else an empty lookup, and others may wait for ``mine``."""
        while True:
            with self._lock:
                if key in self._kept:
                    self._on_hit()
                    return Lookup(self._kept[key], cached=True)
                under_way = None if join is None else self._under_way.get(key)
                if join is None or under_way is None:
                    if join is not None:
                        self._under_way[key] = mine
                    return Lookup()
            join(under_way)
            if under_way.exception() is None:
                with self._lock:
                    self._on_hit()
                return Lookup(under_way.result(), cached=True)

    def _end(self, key: Hashable, mine: Future[Value], keep: Sequence[Value] = ()) -> None:
        """End a computation, so that nobody joins it any more, and cache the values in ``keep``."""
        with self._lock:
            if self._under_way.get(key) is mine:
                del self._under_way[key]
            for value in keep:
                self._kept[key] = value
                self._on_size(len(self._kept))
