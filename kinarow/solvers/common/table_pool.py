"""A pool of transposition tables: one search at a time borrows a table, and a new stamp replaces clearing it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAST_GENERATION = (1 << 32) - 1
"""The largest stamp that fits an entry; a table that reaches it is cleared and begins again."""


@dataclass(slots=True)
class Table:
    """Words of memory and the stamp of the present search; entries with other stamps count as empty.

    ``state`` is the working memory that a solver keeps with its tables, because making it anew takes longer than an
    easy search; None before the first.
    """

    words: NDArray[np.uint64]
    generation: int = 0
    state: Any = None


class TablePool:
    """Idle tables by size and by the kernel that formats their entries.

    Args:
        max_idle_bytes: the most memory of idle tables; a table given back beyond it is freed.
    """

    def __init__(self, max_idle_bytes: int) -> None:
        self.max_idle_bytes = max_idle_bytes
        self._idle: dict[tuple[str, int], list[Table]] = {}
        self._idle_bytes = 0
        self._lock = threading.Lock()

    def free_idle(self) -> None:
        """Give the memory of all idle tables back to the system."""
        with self._lock:
            self._idle.clear()
            self._idle_bytes = 0

    @contextmanager
    def borrow(self, kernel: str, words: int, last_generation: int = LAST_GENERATION) -> Iterator[Table]:
        """A table of exactly so many words for the duration of a block, with a fresh stamp, at least 1.

        Args:
            kernel: the kernel, with the layout if it has several; tables of different kernels are never mixed.
            words: its size.
            last_generation: the largest stamp that fits an entry of this kernel.
        """
        with self._lock:
            idle = self._idle.get((kernel, words))
            table = idle.pop() if idle else None
            self._idle_bytes -= 0 if table is None else words * 8
        if table is None:
            # Zeroed memory comes from the system untouched: a page costs nothing until it is written.
            table = Table(np.zeros(words, np.uint64))
        if table.generation >= last_generation:
            # New pages cost nothing until they are written; clearing would write all of them.
            table.words = np.zeros(words, np.uint64)
            table.generation = 0
        table.generation += 1
        try:
            yield table
        finally:
            with self._lock:
                if self._idle_bytes + words * 8 <= self.max_idle_bytes:
                    self._idle_bytes += words * 8
                    self._idle.setdefault((kernel, words), []).append(table)


POOL = TablePool(max_idle_bytes=384 << 20)
"""The pool that all searches of a process share. It has room for two tables of the largest kinds, since getting new
memory from the system may take a search more time than its nodes."""
