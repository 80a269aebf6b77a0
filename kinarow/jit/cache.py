"""The files of compiled kernels: one for each signature of a kernel, checked before it is used.

    magic (8 bytes) | SHA-256 of the rest (32) | pickled code

A file that is damaged, emptied or cut is thrown away, and the kernel is compiled again.
"""

import contextlib
import hashlib
import logging
import os
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from kinarow.jit import cache_dir
from kinarow.jit.kernels import announce

SUFFIX = ".kernel"

_MAGIC = b"kinarow1"
_DIGEST_BYTES = 32

_log = logging.getLogger("kinarow.kernels")


class KernelCache(_Cache):  # type: ignore[misc]
    """The compiled code of one kernel, as Numba's dispatcher asks for it.

    Numba's own cache is keyed by the processor of this machine and by the place of the sources. Here the folder says
    what the code was compiled from and for (``cache_dir``), and the file's name says the rest.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        """The folder for new files."""
        return str(cache_dir.own_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code of a signature, or None where there is none."""
        target_context.refresh()
        name = _file_name(self._name, sig)
        for folder in cache_dir.folders():
            code = read(folder / name)
            if code is not None:
                return CompileResult._rebuild(target_context, *pickle.loads(code))  # noqa: S301 - digest and owner were checked
        _say_once()
        announce(self._name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code of a signature; a ``TypeError`` if it refers to this process's memory, of no use elsewhere."""
        if data.lifted or data.library.has_dynamic_globals:
            raise TypeError(f"the code of {self._name} cannot be kept")
        write(cache_dir.own_folder() / _file_name(self._name, sig), dumps(CompileResultCacheImpl.reduce(None, data)))

    def flush(self) -> None:
        """Do nothing: it is always enabled, and files go with their folder."""

    enable = disable = flush


def read(file: Path) -> bytes | None:
    """The checked contents of a file; None where it is missing, or wrong and therefore removed."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    start = len(_MAGIC) + _DIGEST_BYTES
    code = data[start:]
    if data[:start] == _MAGIC + hashlib.sha256(code).digest():
        return code
    _log.warning("%s is damaged; its kernel is compiled again", file)
    with contextlib.suppress(OSError):
        file.unlink()
    return None


def write(file: Path, code: bytes) -> None:
    """Write a file that appears whole or not at all, whatever other processes write; say so where that fails."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_bytes(_MAGIC + hashlib.sha256(code).digest() + code)
        draft.replace(file)
    except OSError as error:
        _log.warning("%s could not be written: %s", file, error)
        with contextlib.suppress(OSError):
            draft.unlink()


def _file_name(kernel: str, signature: Any) -> str:
    """The file of a kernel's signature; its name depends on nothing else."""
    return f"{kernel}-{hashlib.sha256(str(signature).encode()).hexdigest()[:8]}{SUFFIX}"


@cache
def _say_once() -> None:
    """Log that kernels are compiled: once in a process, since more are likely to follow."""
    _log.warning("compiling kernels, once; they are kept in %s", cache_dir.own_folder())
