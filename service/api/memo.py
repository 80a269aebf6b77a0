"""A small bounded memory from the exact bytes of a request to the bytes of its finished response."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import NamedTuple

EXTENSION = "kinarow.memo"
"""Where an app keeps its memo, for a server that answers what is remembered at once."""

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
        self._held: tuple[int, bytes, Remembered] | None = None

    @contextmanager
    def hold(self, key: bytes) -> Iterator[bool]:
        """Whether something is remembered for these request bytes; if so, this thread gets it within this block.

        For one thread at a time, which may count on it that no more than that is to be done.
        """
        with self._lock:
            found = self._entries.get(key)
        if found is None:
            yield False
            return
        self._held = (get_ident(), key, found)
        try:
            yield True
        finally:
            self._held = None

    def get(self, key: bytes) -> Remembered | None:
        """What is remembered for these request bytes.

        Raises:
            LookupError: this thread holds what is remembered for others, and may not be made to compute.
        """
        held = self._held
        if held is not None and held[0] == get_ident() and held[1] != key:
            raise LookupError("the request is not the one that was held")
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            elif held is not None and held[1] == key:
                found = held[2]
            if found is None:
                self._misses += 1
            else:
                self._hits += 1
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
