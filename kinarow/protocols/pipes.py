"""Lines on pipes, by their file descriptors: nothing is buffered, so a thread may wait for input when Python ends."""

import os
from collections.abc import Iterator

_CHUNK = 65_536


def read_lines(stream: int, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream as soon as they are complete (CR, LF or both), cut after ``longest`` bytes."""
    line = bytearray()
    while chunk := os.read(stream, _CHUNK):
        for piece in chunk.replace(b"\r", b"\n").splitlines(keepends=True):
            line += piece.rstrip(b"\n")[: longest - len(line)]
            if piece.endswith(b"\n"):
                yield bytes(line)
                line.clear()
    if line:
        yield bytes(line)


def write(stream: int, data: bytes) -> None:
    """Write all of the data at once."""
    while data:
        data = data[os.write(stream, data) :]
