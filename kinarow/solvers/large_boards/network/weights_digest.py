"""Weights in a file with their digest, which is checked when they are read: a damaged file is an error that says so."""

import hashlib
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGEST = "digest"


class WeightsError(ValueError):
    """A file that should hold weights does not, or is damaged."""


def read_checked(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file of weights, by name; a ``WeightsError`` if it is unreadable or its digest is wrong."""
    try:
        with np.load(path, allow_pickle=False) as data:
            numbers = dict(data)
        written = str(numbers.pop(_DIGEST))
        if written != digest_of(numbers):
            raise ValueError("its digest is wrong")
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as failure:
        raise WeightsError(f"{path}: no weights, or damaged ({failure})") from failure
    return numbers


def write_with_digest(path: Path, numbers: Mapping[str, NDArray[Any]]) -> None:
    """Write weights and their digest."""
    arrays: dict[str, Any] = {**numbers, _DIGEST: np.array(digest_of(numbers))}
    np.savez_compressed(path, **arrays)


def digest_of(numbers: Mapping[str, NDArray[Any]]) -> str:
    """The SHA-256 of the names, types, shapes and contents of arrays, in hexadecimal digits."""
    digest = hashlib.sha256()
    for name in sorted(numbers):
        array = numbers[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode() + array.tobytes())
    return digest.hexdigest()
