"""Terminal output: answers in words, with colours and progress only on a terminal."""

import os
import sys
import threading
import time
from collections.abc import Callable, Container, Mapping
from typing import TextIO, TypeVar

from kinarow.contract.answers import Cell, Search
from kinarow.contract.model import Model
from kinarow.errors import several
from kinarow.game.board_text import board_text
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import SearchInfo, Stop

T = TypeVar("T")

SILENT_FOR_S = 0.5  # shorter work shows no status line
SHOWN_EVERY_S = 0.1
STOPPED_WITHIN_S = 5.0  # longest wait for a stopped search to end; normally milliseconds
_CLEAR_LINE = "\r\x1b[K"
COLOURS = {"X": "31;1", "O": "34;1", "line": "32;1", "last": "7", "dim": "2"}  # SGR parameters by use


def is_terminal(stream: TextIO) -> bool:
    """Return True if the stream is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Paint:
    """Colours text on a terminal, unless NO_COLOR is set (no-color.org)."""

    def __init__(self, stream: TextIO) -> None:
        self.on = is_terminal(stream) and not os.environ.get("NO_COLOR")

    def __call__(self, text: str, *names: str) -> str:
        """Return the text in the named ``COLOURS``; unknown names change nothing."""
        codes = ";".join(COLOURS[name] for name in names if name in COLOURS)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.on and codes else text


def interruptible(work: Callable[[Stop, Callable[[SearchInfo], None]], T], stop: Stop | None = None) -> T:
    """Run a search in another thread, so that Ctrl-C stops it at once, and show its progress.

    ``work`` is called with its stop flag and a listener for its progress.
    """
    stop = stop or Stop()
    results: list[T] = []
    failures: list[BaseException] = []

    depth = 0

    def listen(info: SearchInfo) -> None:
        nonlocal depth
        depth = info.depth

    def run() -> None:
        try:
            results.append(work(stop, listen))
        except BaseException as failure:  # raised again below
            failures.append(failure)

    thread = threading.Thread(target=run, name="search", daemon=True)
    began, is_shown = time.monotonic(), False
    try:
        thread.start()
        while thread.is_alive():
            thread.join(SHOWN_EVERY_S)
            seconds = time.monotonic() - began
            if seconds >= SILENT_FOR_S and is_terminal(sys.stderr):
                is_shown = True  # set first, since Ctrl-C may come after the line
                text = f"thinking: {f'depth {depth}, ' if depth else ''}{several(stop.nodes, 'node', ',')}"
                print(f"{_CLEAR_LINE}{text} ... {seconds:.0f} s", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        stop.set()
        thread.join(STOPPED_WITHIN_S)
        raise
    finally:
        if is_shown:
            print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)
    if failures:
        raise failures[0]
    return results[0]


def draw_board(
    position: Position,
    paint: Paint,
    *,
    texts: Mapping[int, str] | None = None,
    bracketed: int | None = None,
    lit: Container[int] = (),
) -> str:
    """Return the board with coordinates and colours.

    ``texts`` replace the marks of cells, ``bracketed`` is a cell to put in brackets, ``lit`` are highlighted cells.
    """
    texts, marks = texts or {}, "".join(position.board)

    def coloured(cell: int, text: str) -> str:
        return paint(text, "line" if cell in lit else marks[cell] if cell not in texts else "")

    shown = [texts.get(cell, mark) for cell, mark in enumerate(marks)]
    return board_text(position.rules, shown, bracketed=bracketed, paint=coloured)


def as_json(answer: Model) -> str:
    """Return an answer as indented JSON in ASCII, since a terminal may have any encoding."""
    return answer.model_dump_json(indent=2, ensure_ascii=True)


def moves_text(cells: list[Cell], rules: Rules) -> str:
    """Return the cells as moves in notation, separated by spaces."""
    return " ".join(write_move(cell["tile"] - 1, rules) for cell in cells)


def search_text(search: Search) -> str:
    """Return the cost of a search in words."""
    return (
        f"Searched {several(search.nodes, 'node', ',')} to depth {search.depth} in {search.elapsed_ms:,.1f} ms,"
        f" stopped by {search.stopped_by}."
    )
