"""A pool of transposition tables: a search borrows a table, and a new generation number replaces clearing it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.layout import RESULT_DTYPE
from kinarow.solvers.common.record import new_state, new_words

LAST_GENERATION = (1 << 32) - 1  # The largest generation of an entry; a table that reaches it is replaced


@dataclass(slots=True)
class Table:
    """A borrowed table. Entries of other generations count as empty. Its ``with`` block gives it back to the pool."""

    pool: "TablePool"
    key: tuple[str, int]
    words: NDArray[np.uint64]
    pointer: Pointer  # to the words, for kernels
    generation: int = 0
    state: Pointer | None = None
    result: Pointer = field(default_factory=partial(new_state, RESULT_DTYPE))

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *failure: object) -> None:
        self.pool.take_back(self)

    def state_of(self, dtype: "np.dtype[np.void]") -> Pointer:
        """Return scratch memory for a search with this table, with whatever the last search left in it."""
        if self.state is None:
            self.state = new_state(dtype)
        return self.state


class TablePool:
    """Idle tables by kernel and size, at most ``max_idle_bytes`` in all; the least recently used are dropped first."""

    def __init__(self, max_idle_bytes: int) -> None:
        self.max_idle_bytes = max_idle_bytes
        self.idle: dict[tuple[str, int], list[Table]] = {}  # by key, the one given back last at the end
        self.idle_bytes = 0
        self.lock = threading.Lock()
        self.max_table_bytes = 1 << 62  # solvers ask ``fitting_bits`` for the size of a table

    @contextmanager
    def within(self, table_bytes: int) -> Iterator[None]:
        """Context manager: limit new tables of the whole process to ``table_bytes`` each, and keep none idle."""
        usual = self.max_table_bytes, self.max_idle_bytes
        self.free_idle()
        self.max_table_bytes, self.max_idle_bytes = table_bytes, 0
        try:
            yield
        finally:
            self.max_table_bytes, self.max_idle_bytes = usual

    def fitting_bits(self, bits: int, slot_bytes: int) -> int:
        """Return the base-2 logarithm of a table's number of slots: ``bits``, or less to fit ``max_table_bytes``."""
        return min(bits, (self.max_table_bytes // slot_bytes).bit_length() - 1)

    def free_idle(self) -> None:
        """Free the memory of all idle tables."""
        with self.lock:
            self.idle.clear()
            self.idle_bytes = 0

    def borrow(self, kernel: str, words: int, last_generation: int = LAST_GENERATION) -> Table:
        """Borrow a table of exactly ``words`` words with a new generation, at most ``last_generation``."""
        key = (kernel, words)
        with self.lock:
            table = self._pop(key) if key in self.idle else None
        if table is None:
            table = Table(self, key, memory := new_words(words), Pointer(memory))
        if table.generation >= last_generation:
            # Cheaper than clearing: the system provides new pages only when they are written.
            table.words = new_words(words)
            table.pointer = Pointer(table.words)
            table.generation = 0
        table.generation += 1
        return table

    def take_back(self, table: Table) -> None:
        """Keep a table for later searches, dropping those that have been idle longest if there is no room."""
        size = table.words.nbytes
        if size > self.max_idle_bytes:
            return
        with self.lock:
            while self.idle_bytes + size > self.max_idle_bytes:
                self._pop(next(iter(self.idle)))
            self.idle_bytes += size
            self.idle[table.key] = [*self.idle.pop(table.key, ()), table]

    def _pop(self, key: tuple[str, int]) -> Table:
        """Remove the idle table of a key that was used last; the caller holds the lock."""
        tables = self.idle[key]
        table = tables.pop()
        if not tables:
            del self.idle[key]
        self.idle_bytes -= table.words.nbytes
        return table


POOL = TablePool(max_idle_bytes=384 << 20)
"""The pool that all searches of a process share. It keeps up to two of the largest tables, because new memory from the
system may take longer than the search itself."""
