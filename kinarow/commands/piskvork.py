"""``kinarow piskvork``: speaks the Piskvork (Gomocup) protocol on standard input and output until ``END``."""

import argparse
import os
import threading
import time
from collections.abc import Iterator
from queue import Queue

from kinarow.commands.options import between
from kinarow.protocols.pipes import read_lines, write
from kinarow.protocols.piskvork_commands import END, STOP, UNKNOWN, CommandReader, ConversationEnd, ManagerCommand
from kinarow.search_types import MOST_NODES, Stop

MAX_LINE = 65_536  # bytes; a longer line is an unknown command
MAX_WAITING = 4096  # most commands read ahead during a search
ENDS_WITHIN_S = 0.3  # longest wait for the running search to stop after the conversation has ended
_STDIN, _STDOUT = 0, 1

ReadCommand = tuple[ManagerCommand, Stop, int]
"""A command, what stops its search, and its arrival by ``time.monotonic_ns()``."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-nodes",
        type=between(1, MOST_NODES),
        help="maximum nodes of a move; makes games the same on every machine",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer one command after the other until ``END``, the end of the input, or a closed output."""
    ending, done = ConversationEnd(), threading.Event()
    commands: Queue[ReadCommand | None] = Queue(MAX_WAITING)
    threading.Thread(target=_listen, args=(commands, ending, done), name="lines", daemon=True).start()

    from kinarow.protocols.piskvork import Piskvork

    conversation = Piskvork(arguments.max_nodes or MOST_NODES, ending=ending)
    try:
        for command, interrupt, read_ns in iter(commands.get, None):
            for answer in conversation.obey(command, interrupt, read_ns):
                ending.has_answered = True
                write(_STDOUT, answer.encode("ascii", "replace") + b"\r\n")
            if conversation.ended:
                break
    except BrokenPipeError:
        pass
    done.set()
    return 0


def _listen(commands: Queue[ReadCommand | None], ending: ConversationEnd, done: threading.Event) -> None:
    """Queue the commands, also during a search. ``STOP`` stops searches of earlier commands; ``END`` ends all."""
    interrupt = Stop()
    for command in _commands():
        if command.name == STOP:
            interrupt.set()
            interrupt = Stop()
        if command.name == END:
            break
        commands.put((command, interrupt, time.monotonic_ns()))
    ending.note()
    commands.put(None)
    while not done.wait(ENDS_WITHIN_S):
        if ending.is_silent and ending.is_thinking:
            os._exit(0)  # the search didn't stop in time, and nobody waits for its answer


def _commands() -> Iterator[ManagerCommand]:
    reader = CommandReader()
    for line in read_lines(_STDIN, MAX_LINE):
        if len(line) == MAX_LINE:
            yield ManagerCommand(UNKNOWN, (decode_line(line),))
        else:
            yield from reader.read(decode_line(line))


def decode_line(line: bytes) -> str:
    """Decode a line; bytes other than ASCII become ``?``."""
    return line.decode("ascii", "replace").replace("\ufffd", "?").strip()
