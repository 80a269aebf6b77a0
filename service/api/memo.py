"""A small bounded memory from the exact bytes of a request to the bytes of its finished response."""

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

_ENTRY_OVERHEAD_BYTES = 500
"""About what an entry costs beside its bytes."""


class Remembered(NamedTuple):
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


class MemoInfo(NamedTuple):
    """What a memo has done since the start and holds now."""

    hits: int
    misses: int
    entries: int
    bytes: int


class Memo:
    """Least recently used first out, bounded by entries and by bytes; safe to share between threads.

    Only answers that are the same for ever may be put in, and only once they come from the cache of
    searches (``search.cached`` is true in their bytes): so a question is remembered from its second
    time on, and questions asked once do not push out those asked often.
    """

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: OrderedDict[bytes, Remembered] = OrderedDict()
        self._bytes = 0
        self._hits = 0
        self._misses = 0
        self._lock = Lock()

    def get(self, key: bytes) -> Remembered | None:
        """What is remembered for these request bytes."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            self._entries.move_to_end(key)
            return found

    def put(self, key: bytes, response: Remembered) -> None:
        """Remember a response; one that is too large for the whole memo is not kept."""
        size = _size(key, response)
        if size > self._max_bytes or self._max_entries == 0:
            return
        with self._lock:
            before = self._entries.pop(key, None)
            if before is not None:
                self._bytes -= _size(key, before)
            self._entries[key] = response
            self._bytes += size
            while len(self._entries) > self._max_entries or self._bytes > self._max_bytes:
                old_key, old = self._entries.popitem(last=False)
                self._bytes -= _size(old_key, old)

    def info(self) -> MemoInfo:
        """Counts since the start and the size now."""
        with self._lock:
            return MemoInfo(self._hits, self._misses, len(self._entries), self._bytes)


def _size(key: bytes, response: Remembered) -> int:
    return len(key) + len(response.body) + _ENTRY_OVERHEAD_BYTES
