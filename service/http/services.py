"""The objects shared by an app's routes and hooks, and the cache of whole responses."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from cachetools import LRUCache
from flask import current_app

from kinarow.keys import Keys
from kinarow.searches import Searches
from service.http.connections import Disconnects
from service.searches.limiter import SearchLimiter
from service.settings import Settings
from service.telemetry.metrics import Metrics

EXTENSION = "kinarow"
ENTRY_BYTES = 760
"""Overhead of an entry in addition to the bytes of its request and response: 520 to 760, as the cache's dicts grow."""

Key = tuple[str, bytes]  # method and action of a request, and its body or query


class CachedResponse(NamedTuple):
    """A response body with its ETag, if any, and the fields of its log line."""

    body: bytes
    tag: str | None
    nodes: int
    stopped_by: str
    cached: bool = True  # False if the answer was searched for this request


class ResponseCache:
    """A thread-safe LRU cache of at most ``max_bytes`` of responses that never change.

    A response is stored when its question is asked the second time (``search.cached``), so that questions asked once
    evict nothing.
    """

    def __init__(
        self,
        max_bytes: int,
        on_hit: Callable[[], None] = lambda: None,
        on_size: Callable[[int], None] = lambda entries: None,
    ) -> None:
        self._kept: LRUCache[Key, tuple[CachedResponse, int]] = LRUCache(max_bytes, lambda entry: entry[1])
        self._on_hit, self._on_size = on_hit, on_size
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> CachedResponse | None:
        """Return the cached response to a request, or None."""
        with self._lock:
            entry = self._kept.get(key)
        if entry is None:
            return None
        self._on_hit()
        return entry[0]

    def put(self, key: Key, response: CachedResponse) -> None:
        """Store a response, unless it is larger than the whole cache."""
        size = len(key[1]) + len(response.body) + ENTRY_BYTES
        with self._lock:
            if size <= self._kept.maxsize:
                self._kept[key] = response, size
                self._on_size(len(self._kept))


@dataclass(frozen=True, slots=True)
class Services:
    """The objects of one app, ``app.extensions["kinarow"]``; if ``keys`` is None, the API is open to everybody."""

    settings: Settings
    metrics: Metrics
    keys: Keys | None
    limiter: SearchLimiter
    searches: Searches
    responses: ResponseCache
    disconnects: Disconnects


def services() -> Services:
    """Return the objects of the current app."""
    found: Services = current_app.extensions[EXTENSION]
    return found
