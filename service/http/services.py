"""The objects that an app's routes and hooks share, among them a cache of whole responses."""

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
"""The memory of an entry beside the bytes of its request and response: 520 to 760, as the tables of the cache grow."""

Key = tuple[str, bytes]  # the method of a request, and its body or query


class CachedResponse(NamedTuple):
    """A finished response with its ETag, if it has one, and the fields of its log line."""

    body: bytes
    tag: str | None
    nodes: int
    stopped_by: str
    cached: bool = True  # whether the answer itself came from a cache


class ResponseCache:
    """An LRU cache of at most ``max_bytes`` of responses that never change; safe to share between threads.

    Only answers that came from the answer cache are put in (``search.cached``), so that single requests push out none.
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
        """Keep a response, unless it is too large for the whole cache."""
        size = len(key[1]) + len(response.body) + ENTRY_BYTES
        with self._lock:
            if size <= self._kept.maxsize:
                self._kept[key] = response, size
                self._on_size(len(self._kept))


@dataclass(frozen=True, slots=True)
class Services:
    """The objects of one app, at ``app.extensions["kinarow"]``; without ``keys`` the API is open to everybody."""

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
