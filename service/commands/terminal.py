"""What a terminal gets and a file or a pipe does not: colours, and a line that tells how long work goes on."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from service.engine.search import Progress, Stop

T = TypeVar("T")

SILENT_FOR_S = 0.5
"""What takes no longer needs no line that says so."""
SHOWN_EVERY_S = 0.1
STOPPED_WITHIN_S = 5.0
"""The longest that a search that was told to stop is waited for; it takes milliseconds."""

COLOURS = {"X": "31;1", "O": "34;1", "line": "32;1", "last": "7", "dim": "2"}
"""SGR parameters (ECMA-48): what is drawn in which colour."""

_CLEAR_LINE = "\r\x1b[K"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at this stream on a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Paint:
    """Colours text, or leaves it alone where the stream is no terminal or NO_COLOR is set (no-color.org)."""

    def __init__(self, stream: TextIO) -> None:
        self.on = is_terminal(stream) and not os.environ.get("NO_COLOR")

    def __call__(self, text: str, *names: str) -> str:
        """The text in these of ``COLOURS``; names that are none of them change nothing."""
        codes = ";".join(COLOURS[name] for name in names if name in COLOURS)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.on and codes else text


class Status:
    """One line at the bottom of the terminal that tells what goes on; nothing where nobody looks."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if is_terminal(stream) else None
        self._started = time.monotonic()
        self._shown = False

    def say(self, news: str) -> None:
        """Show what goes on, once the work has taken long enough to be worth a line."""
        seconds = time.monotonic() - self._started
        if self._stream is not None and seconds >= SILENT_FOR_S:
            self._shown = True  # before it is written: Ctrl-C may come in between
            self._stream.write(f"{_CLEAR_LINE}{news} ... {seconds:.0f} s")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._stream is not None and self._shown:
            self._stream.write(_CLEAR_LINE)
            self._stream.flush()
            self._shown = False


@contextmanager
def status() -> Iterator[Status]:
    """A status line on stderr that is gone at the end, whatever ends it."""
    line = Status(sys.stderr)
    try:
        yield line
    finally:
        line.clear()


def load_engine() -> None:
    """Import the engine; a first start compiles its kernels for a while, and says so."""
    from service.engine.kernels.compile_report import compile_report

    with status() as line, compile_report(line.say):
        from service.engine import search  # noqa: F401


def watched(work: Callable[["Stop", Callable[["Progress"], None]], T]) -> T:
    """Do a search that tells its progress on the terminal and can be interrupted at any moment.

    Compiled code hears no signal, so it runs in a thread of its own while this one waits.

    Args:
        work: the search; it gets the flag that stops it and a listener to its progress.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C; the search has been stopped.
    """
    from service.engine.search import Stop

    stop = Stop()
    results: list[T] = []
    failures: list[BaseException] = []

    depth = 0

    def listen(news: "Progress") -> None:
        nonlocal depth
        depth = news.depth

    def run() -> None:
        try:
            results.append(work(stop, listen))
        except BaseException as failure:  # raised again below
            failures.append(failure)

    thread = threading.Thread(target=run, name="search", daemon=True)
    with status() as line:
        try:
            thread.start()
            while thread.is_alive():
                thread.join(SHOWN_EVERY_S)
                line.say(_told(depth, stop.nodes()))
        except KeyboardInterrupt:
            stop.set()
            thread.join(STOPPED_WITHIN_S)
            raise
    if failures:
        raise failures[0]
    return results[0]


def _told(depth: int, nodes: int) -> str:
    """How far a search has come, in words."""
    return f"thinking: {f'depth {depth}, ' if depth else ''}{nodes:,} nodes"
