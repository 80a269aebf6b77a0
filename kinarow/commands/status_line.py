"""A status line at the bottom of a terminal during long work."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

SILENT_FOR_S = 0.5  # shorter work shows no status line
_CLEAR_LINE = "\r\x1b[K"


def is_terminal(stream: TextIO) -> bool:
    """Return True if the stream is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Status:
    """A status line at the bottom of a terminal; writes nothing if the stream isn't a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if is_terminal(stream) else None
        self._started = time.monotonic()
        self._shown = False

    def say(self, text: str) -> None:
        """Show the text once the work has taken ``SILENT_FOR_S``."""
        seconds = time.monotonic() - self._started
        if self._stream is not None and seconds >= SILENT_FOR_S:
            self._shown = True  # set first, since Ctrl-C may come after the write
            self._stream.write(f"{_CLEAR_LINE}{text} ... {seconds:.0f} s")
            self._stream.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._stream is not None and self._shown:
            self._stream.write(_CLEAR_LINE)
            self._stream.flush()
            self._shown = False


@contextmanager
def status() -> Iterator[Status]:
    """Context manager: show a status line on stderr, and remove it at the end."""
    line = Status(sys.stderr)
    try:
        yield line
    finally:
        line.clear()
