"""Whole responses by the exact bytes of their request, bounded in bytes."""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from cachetools import LRUCache

_ENTRY_OVERHEAD_BYTES = 500
"""About what an entry costs beside its bytes."""

Key = tuple[str, bytes]
"""The method of a request, and its body or query."""


class CachedResponse(NamedTuple):
    """A finished response and what its log line says.

    Attributes:
        body: the bytes to send.
        tag: its ETag, None where it has none.
        nodes: ``search.nodes`` of the answer.
        stopped_by: ``search.stopped_by`` of the answer.
    """

    body: bytes
    tag: str | None
    nodes: int
    stopped_by: str


class ResponseCache:
    """Keeps the responses that were used last; safe to share between threads.

    Only answers that stay the same for ever may be put in, and only once they come from the cache of searches
    (``search.cached`` is true in their bytes): so a request is kept from its second time on, and requests that are
    made once do not push out those made often.

    Args:
        max_bytes: of all requests and responses together, with what their entries cost; 0 keeps none.
        on_hit: called for every response that was found.
        on_size: told the number of entries whenever one is put in.
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
        """The response to a request, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            return None
        self._on_hit()
        return found[0]

    def put(self, key: Key, response: CachedResponse) -> None:
        """Keep a response, unless it is too large for the whole cache."""
        size = len(key[1]) + len(response.body) + _ENTRY_OVERHEAD_BYTES
        with self._lock:
            if size <= self._kept.maxsize:
                self._kept[key] = response, size
                self._on_size(len(self._kept))
