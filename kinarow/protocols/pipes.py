"""Lines on pipes, by file descriptor: no buffer has a lock, so a thread may still wait for input when Python exits."""

import os
from collections.abc import Iterator

_CHUNK = 65_536


def read_lines(stream: int, longest: int) -> Iterator[bytes]:
    """Yield each line of a stream as soon as it ends (CR, LF or both), truncated to ``longest`` bytes."""
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
    """Write all of the data without buffering."""
    while data:
        data = data[os.write(stream, data) :]
