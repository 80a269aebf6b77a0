"""Runs searches with a cache of their results, bounded in bytes, and with single flight: equal searches run once.

``service.searches`` adds what a server needs: slots, queues and a tier that workers share.
"""

import math
import pickle
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from hashlib import blake2b
from typing import Any, Protocol

from cachetools import LRUCache

from kinarow.engine import Question, Result, SearchStats, search_now
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchResult, SearchStopped, Stop

ENTRY_BYTES = 460
"""Bytes of memory of an entry besides its result: 250 to 490, depending on how full the cache's hash tables are."""

_KEY_BYTES = 20
_NANOSECONDS_PER_S = 1e9
_WORTH_COMPRESSING = 600  # bytes; for a shorter result zlib saves less than a tenth of the entry
_QUICKLY = 1  # zlib's level; the best level makes results a tenth smaller, and takes five times as long

Span = Callable[[str], AbstractContextManager[Any]]
"""Returns a context manager that measures its block as the part of a request with this name."""


class SharedTier(Protocol):
    """A second cache that other processes fill too and that may lose results.

    Its methods must not raise, and must return within a few milliseconds.
    """

    def get(self, kind: str, question: Question, key: bytes) -> SearchResult | None:
        """Return the result of a search, or None if it is missing or invalid."""

    def put(self, kind: str, question: Question, key: bytes, result: SearchStats) -> None:
        """Offer a result to other processes."""


class InFlightSearch:
    """A search under way, which other callers may join; the future ``ended`` gets its result or error."""

    def __init__(self, time_ns: float) -> None:
        self.time_ns = time_ns  # the nanoseconds that the search may take
        self.ended: Future[Any] = Future()

    def join(self, limits: Limits, stop: Stop | None) -> bool:
        """Wait for the flight's end; return False at the deadline, raise ``SearchStopped`` if ``stop`` is set first."""
        woken = _Woken()
        self.ended.add_done_callback(lambda _: woken.set())
        left_ns = None if limits.deadline_ns is None else max(0, limits.deadline_ns - time.monotonic_ns())
        with nullcontext() if stop is None else stop.also_stops(woken):
            woken.wait(None if left_ns is None else left_ns / _NANOSECONDS_PER_S)
        if stop is not None and not self.ended.done():
            stop.check()
        return self.ended.done()


class _Woken(threading.Event):
    """An event that a ``Stop`` can set, as if it were the budget of a search."""

    nodes = 0
    stop = threading.Event.set


class Searches:
    """Searches with a cache of at most ``cache_bytes``; ``ask`` is how ``kinarow.engine`` searches.

    A result cut short by its deadline isn't cached; a waiter takes it only if its own deadline was no later.

    ``run`` runs a search, by default in its caller's thread. ``join`` waits like ``InFlightSearch.join``, and may raise
    an error of its own. ``on_searched`` gets each result, or None if stopped; ``on_hit`` is called for each result
    without a search; ``on_size`` gets the number of entries.
    """

    def __init__(
        self,
        cache_bytes: int,
        *,
        run: Callable[[Question, Callable[[Limits], Any]], Any] = lambda *asked: search_now("", *asked)[0],
        join: Callable[[InFlightSearch, Limits, Stop | None], bool] = InFlightSearch.join,
        span: Span = nullcontext,
        shared: SharedTier | None = None,
        on_searched: Callable[[SearchStats | None], None] = lambda searched: None,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self._run, self._join, self._span = run, join, span
        self._shared = shared
        self._on_searched, self._on_hit, self._on_size = on_searched, on_hit, on_size
        self._kept: LRUCache[bytes, bytes] = LRUCache(cache_bytes, lambda packed: ENTRY_BYTES + len(packed))
        self._under_way: dict[bytes, InFlightSearch] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def ask(
        self, kind: str, question: Question, search: Callable[[Limits], Result], *, keep: bool = True
    ) -> tuple[Result, bool]:
        """Return ``(result, known)``; known results were cached, shared or computed for another caller.

        A caller that waits for another's search runs its own if that search fails or the caller's deadline passes; it
        never gets the other's error. ``SearchStopped``: the question's ``stop`` was set.
        """
        with self._span("cache"):
            key = blake2b(f"{kind} {question.identity}".encode(), digest_size=_KEY_BYTES).digest()
            known = self._known(key, question)
            if not isinstance(known, InFlightSearch):
                return known[0], True
            shared: Any = None
            try:
                if self._shared is not None:
                    shared = self._shared.get(kind, question, key)
                result: Result = self._run(question, search) if shared is None else shared
                lasts = keep and result.stopped_by != "time"
                if shared is None and not question.position.is_over:
                    self._on_searched(result)
            except BaseException as error:
                if isinstance(error, SearchStopped):
                    self._on_searched(None)
                self._end(key, known)
                known.ended.set_exception(error)
                raise
            self._end(key, known, _packed(result) if lasts and self._kept.maxsize > 0 else None)
            known.ended.set_result(result)
            if lasts and shared is None and self._shared is not None:
                self._shared.put(kind, question, key, result)
            return result, shared is not None

    def _known(self, key: bytes, question: Question) -> tuple[Any] | InFlightSearch:
        """Return a cached or another caller's result in a tuple, else an ``InFlightSearch`` for its own search."""
        limits, stop = question.limits, question.stop
        too_short = False  # whether a joined search with less time than this caller has ended by time
        while True:
            time_ns = _time_left_ns(limits)
            with self._lock:
                kept, flight = self._kept.get(key), self._under_way.get(key)
                if kept is not None:
                    self._on_hit()
                elif flight is None or (too_short and flight.time_ns < time_ns):
                    own = InFlightSearch(time_ns)
                    if time_ns > 0:
                        self._under_way[key] = own
                    return own
            if kept is not None or flight is None:
                return (_unpacked(kept or b""),)
            if not self._join(flight, limits, stop):
                return InFlightSearch(time_ns)
            if flight.ended.exception() is None:
                result = flight.ended.result()
                if result.stopped_by != "time" or flight.time_ns >= time_ns:
                    with self._lock:
                        self._on_hit()
                    return (result,)
                too_short = True

    def _end(self, key: bytes, own: InFlightSearch, packed: bytes | None = None) -> None:
        """Remove a flight from the searches under way, and cache its packed result if there is one."""
        with self._lock:
            if self._under_way.get(key) is own:
                del self._under_way[key]
            if packed is not None and len(packed) + ENTRY_BYTES <= self._kept.maxsize:
                self._kept[key] = packed
                self._on_size(len(self._kept))


def _packed(result: object) -> bytes:
    """Pickle a result, and compress it if that saves memory."""
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    return data if len(data) < _WORTH_COMPRESSING else zlib.compress(data, _QUICKLY)


def _unpacked(packed: bytes) -> Any:
    """Return the result that ``_packed`` has packed."""
    data = packed if packed.startswith(pickle.PROTO) else zlib.decompress(packed)
    return pickle.loads(data)  # noqa: S301 - this process has written it


def _time_left_ns(limits: Limits) -> float:
    """Return the nanoseconds until time limit or deadline ends a search that begins now; infinity without either."""
    allowed = math.inf if limits.time_limit_ms is None else limits.time_limit_ms * NANOSECONDS_PER_MS
    return allowed if limits.deadline_ns is None else min(allowed, limits.deadline_ns - time.monotonic_ns())
