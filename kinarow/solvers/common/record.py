"""Allocates records and tables for kernels."""

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.shared_library import Pointer

_WORDS_OF_LINE = 8  # 64-bit words in a cache line


def offset_of(dtype: "np.dtype[np.void]", field: str) -> int:
    """Return the offset of a field in bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[field][1])


def new_words(words: int) -> NDArray[np.uint64]:
    """Return a zeroed table aligned to a cache line, so that no bucket crosses one."""
    memory = np.zeros(words + _WORDS_OF_LINE - 1, np.uint64)
    start = -(memory.ctypes.data // memory.itemsize) % _WORDS_OF_LINE
    return memory[start : start + words]


def new_state(dtype: "np.dtype[np.void]") -> Pointer:
    """Return scratch memory for one search, uninitialised."""
    return Pointer(np.empty(1, dtype))
