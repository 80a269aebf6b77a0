"""Locks of files, which end with the process that holds them.

Windows has no ``fcntl``. There nothing is locked: two processes may compile the same kernels at once.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:
    fcntl = None


@contextlib.contextmanager
def locked(file: Path, *, shared: bool = False, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which is created if needed; ``shared`` holds it together with others that share it.

    Where another holds it and ``wait`` is false, there is a ``BlockingIOError``; where it cannot be written, an
    ``OSError``.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
