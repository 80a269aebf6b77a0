"""Makes records and tables for kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.library import DISABLED, Pointer

_WORDS_OF_LINE = 8  # Words of eight bytes in a line of the cache


def write_by_cell(record: Any, name: str, owners: Sequence[Sequence[int]], cells: int) -> None:
    """Write for each cell the indices of its owners, one after the other, into the field ``name``.

    Those of cell ``c`` are in the places from ``{name}_start[c]`` on, up to ``{name}_start[c + 1]``.
    """
    owned = np.array([cell for owner in owners for cell in owner], np.intp)
    indices = np.repeat(np.arange(len(owners)), [len(owner) for owner in owners])
    record[name][: len(owned)] = indices[np.argsort(owned, kind="stable")]
    record[f"{name}_start"][1 : cells + 1] = np.cumsum(np.bincount(owned, minlength=cells))


def offset_of(dtype: "np.dtype[np.void]", field: str) -> int:
    """Where a field of a record begins, in bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[field][1])


def record_in(memory: Any, dtype: "np.dtype[np.void]") -> Any:
    """A record array of length one in this memory, which others may use too."""
    record = np.frombuffer(memory, dtype)
    return record.view(np.recarray) if DISABLED else record


def new_words(words: int) -> NDArray[np.uint64]:
    """An empty table: words of zero, of which the first begins on a line of the cache.

    A bucket of a table then lies on one line. ``np.zeros`` alone begins 16 bytes behind one. The system provides a page
    only when it is written.
    """
    memory = np.zeros(words + _WORDS_OF_LINE - 1, np.uint64)
    start = -(memory.ctypes.data // memory.itemsize) % _WORDS_OF_LINE
    return memory[start : start + words]


def new_state(dtype: "np.dtype[np.void]") -> Pointer:
    """Working memory for a search. Its content is void: kernels set every field before they read it."""
    return Pointer(without_attributes(np.empty(1, dtype), dtype))


def without_attributes(record: Any, dtype: "np.dtype[np.void]") -> Any:
    """The same record, without attributes: ``record["name"]`` then takes a tenth of the time.

    With Numba switched off kernels are Python functions that read attributes, so the record keeps them.
    """
    return record.view(np.recarray) if DISABLED else record.view(dtype, np.ndarray)
