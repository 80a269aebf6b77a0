"""``kinarow piskvork``: speaks the Piskvork (Gomocup) protocol on standard input and output until ``END``."""

import argparse
import threading
from queue import Queue
from typing import TYPE_CHECKING

from kinarow.commands.options import between
from kinarow.protocols.pipes import read_lines, write
from kinarow.search_types import MOST_NODES

if TYPE_CHECKING:
    from kinarow.protocols.piskvork import Interrupt

MAX_LINE = 4096  # the most bytes of one line; no command is longer
MAX_WAITING = 4096  # the most lines that are read ahead during a search
STOP = "YXSTOP"  # the only command that takes effect during a search: it stops the search
_STDIN, _STDOUT = 0, 1


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-nodes",
        type=between(1, MOST_NODES),
        help="maximum nodes of a move; then every machine plays the same game",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer line by line; the reader of the answers may end at any time."""
    from kinarow.protocols.piskvork import Piskvork

    conversation = Piskvork(arguments.max_nodes or MOST_NODES)
    lines: Queue[tuple[str, Interrupt] | None] = Queue(MAX_WAITING)
    threading.Thread(target=_listen, args=(lines,), name="lines", daemon=True).start()
    try:
        for line, interrupt in iter(lines.get, None):
            for answer in conversation.answers(line, interrupt):
                write(_STDOUT, answer.encode("ascii", "replace") + b"\r\n")
            if conversation.ended:
                break
    except BrokenPipeError:
        pass
    return 0


def _listen(lines: "Queue[tuple[str, Interrupt] | None]") -> None:
    """Read the lines, also during a search; ``STOP`` stops the searches of all lines before it."""
    from kinarow.protocols.piskvork import Interrupt

    interrupt = Interrupt()
    for data in read_lines(_STDIN, MAX_LINE):
        line = text_of(data)
        if line.upper() == STOP:
            interrupt.set()
            interrupt = Interrupt()
        else:
            lines.put((line, interrupt))
    lines.put(None)


def text_of(line: bytes) -> str:
    """A line as text; a byte that is not ASCII becomes ``?``."""
    return line.decode("ascii", "replace").replace("\ufffd", "?").strip()
