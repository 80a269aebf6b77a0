"""``kinarow piskvork``: speaks the Piskvork (Gomocup) protocol on standard input and output until ``END``."""

import argparse
import os
import threading
from collections.abc import Iterator
from queue import Queue
from typing import TYPE_CHECKING

from kinarow.search_types import MOST_NODES

if TYPE_CHECKING:
    from service.adapters.piskvork import Interrupt

MAX_LINE = 4096
"""The most bytes of one line; no command is longer."""

MAX_WAITING = 4096
"""The most lines that are read ahead during a search."""

STOP = "YXSTOP"
"""The only command that takes effect during a search: it stops the search."""

_STDIN, _STDOUT = 0, 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "--max-nodes", type=_whole, help="the most positions to visit for a move: the same game on every machine"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer line by line; the reader of the answers may end at any time."""
    from service.adapters.piskvork import Piskvork

    conversation = Piskvork(arguments.max_nodes or MOST_NODES)
    lines: Queue[tuple[str, Interrupt] | None] = Queue(MAX_WAITING)
    threading.Thread(target=_listen, args=(lines,), name="lines", daemon=True).start()
    try:
        for line, interrupt in iter(lines.get, None):
            for answer in conversation.answers(line, interrupt):
                _write(_STDOUT, answer)
            if conversation.ended:
                break
    except BrokenPipeError:
        pass
    return 0


def _listen(lines: "Queue[tuple[str, Interrupt] | None]") -> None:
    """Read the lines, also during a search; ``STOP`` stops the searches of all lines before it."""
    from service.adapters.piskvork import Interrupt

    interrupt = Interrupt()
    for line in read_lines(_STDIN):
        if line.upper() == STOP:
            interrupt.set()
            interrupt = Interrupt()
        else:
            lines.put((line, interrupt))
    lines.put(None)


def read_lines(stream: int) -> Iterator[str]:
    """The lines of a file descriptor, each as soon as it is complete. CR, LF, both or the end of the input end a line.

    A line is cut after ``MAX_LINE`` bytes, and a byte that is not ASCII becomes ``?``.
    """
    line = bytearray()
    while chunk := os.read(stream, MAX_LINE):
        for piece in chunk.replace(b"\r", b"\n").splitlines(keepends=True):
            line += piece[: MAX_LINE - len(line)]
            if piece.endswith(b"\n"):
                yield _text(line)
                line.clear()
    if line:
        yield _text(line)


def _text(line: bytearray) -> str:
    return line.decode("ascii", "replace").replace("\ufffd", "?").strip()


def _write(stream: int, answer: str) -> None:
    """Write one line at once, with the line end of the protocol."""
    data = answer.encode("ascii", "replace") + b"\r\n"
    while data:
        data = data[os.write(stream, data) :]


def _whole(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:19]) <= MOST_NODES:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r:.100}")
    return int(text)
