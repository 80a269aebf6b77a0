"""Makes records and tables for kernels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.shared_library import DISABLED, Pointer

_WORDS_OF_LINE = 8  # Words of eight bytes in a line of the cache


def offset_of(dtype: "np.dtype[np.void]", field: str) -> int:
    """Return where a field of a record begins, in bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[field][1])


def record_in(memory: Any, dtype: "np.dtype[np.void]") -> Any:
    """Return a record array of length one in this memory, which others may use too."""
    record = np.frombuffer(memory, dtype)
    return record.view(np.recarray) if DISABLED else record


def new_words(words: int) -> NDArray[np.uint64]:
    """Return a zeroed table that begins on a cache line, so that a bucket lies on one line."""
    memory = np.zeros(words + _WORDS_OF_LINE - 1, np.uint64)
    start = -(memory.ctypes.data // memory.itemsize) % _WORDS_OF_LINE
    return memory[start : start + words]


def new_state(dtype: "np.dtype[np.void]") -> Pointer:
    """Return scratch memory for one search, uninitialised."""
    return Pointer(np.empty(1, dtype))
