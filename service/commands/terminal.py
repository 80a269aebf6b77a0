"""Terminal output: colours, and the progress of searches. A file or a pipe gets neither."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO, TypeVar

from kinarow.jit.compile_report import compile_report
from kinarow.search_types import SearchInfo, Stop
from service.status_line import is_terminal, status

T = TypeVar("T")

SHOWN_EVERY_S = 0.1
STOPPED_WITHIN_S = 5.0
"""Time limit for a search to end after it was stopped; normally it takes milliseconds."""

COLOURS = {"X": "31;1", "O": "34;1", "line": "32;1", "last": "7", "dim": "2"}
"""SGR parameters (ECMA-48) of each colour by its use."""


class Paint:
    """Colours text on a terminal, unless NO_COLOR is set (no-color.org)."""

    def __init__(self, stream: TextIO) -> None:
        self.on = is_terminal(stream) and not os.environ.get("NO_COLOR")

    def __call__(self, text: str, *names: str) -> str:
        """The text in the named ``COLOURS``; unknown names change nothing."""
        codes = ";".join(COLOURS[name] for name in names if name in COLOURS)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.on and codes else text


@contextmanager
def shown_compiling() -> Iterator[None]:
    """Show in a status line which kernels are being compiled within this context."""
    with status() as line, compile_report(line.say):
        yield


def watched(work: Callable[[Stop, Callable[[SearchInfo], None]], T]) -> T:
    """Run a search with its progress in the status line, so that Ctrl-C can end it at any moment.

    Compiled code does not see signals, so the search runs in another thread while this one waits.

    Args:
        work: the search; called with the flag that stops it and a listener for its progress.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C; the search has been stopped.
    """
    stop = Stop()
    results: list[T] = []
    failures: list[BaseException] = []

    depth, compiling = 0, ""

    def listen(info: SearchInfo) -> None:
        nonlocal depth
        depth = info.depth

    def report(line: str) -> None:
        nonlocal compiling
        compiling = line

    def run() -> None:
        try:
            results.append(work(stop, listen))
        except BaseException as failure:  # raised again below
            failures.append(failure)

    thread = threading.Thread(target=run, name="search", daemon=True)
    with status() as line, compile_report(report):
        try:
            thread.start()
            while thread.is_alive():
                thread.join(SHOWN_EVERY_S)
                line.say(compiling or _thinking(depth, stop.nodes()))
        except KeyboardInterrupt:
            stop.set()
            thread.join(STOPPED_WITHIN_S)
            raise
    if failures:
        raise failures[0]
    return results[0]


def _thinking(depth: int, nodes: int) -> str:
    """The progress of a search in words."""
    return f"thinking: {f'depth {depth}, ' if depth else ''}{nodes:,} nodes"
