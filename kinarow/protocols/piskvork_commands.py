"""Puts the commands of the Piskvork protocol together from the words of lines, however they are split over lines.

It imports nothing that takes time, so that a process reads its first line as soon as it starts.
"""

import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

LEAST_WORDS: dict[str, int] = {
    "START": 1, "RECTSTART": 1, "RESTART": 0, "BEGIN": 0, "TURN": 1, "TAKEBACK": 1, "INFO": 2, "ABOUT": 0, "END": 0,
    "STOP": 0, "YXSTOP": 0, "YXNBEST": 1, "YXSHOWINFO": 0, "YXHASHCLEAR": 0, "YXSHOWFORBID": 0, "YXBLOCKRESET": 0,
}  # fmt: skip
"""How many words each command needs; it takes all that follow on their line, up to the next command."""

LISTS = frozenset({"BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK", "YXBLOCKUNDO"})
"""The commands whose words go on until ``DONE``."""

DONE, END = "DONE", "END"
STOPS = ("STOP", "YXSTOP")
UNKNOWN = ""  # the name of a command that is none of these; its only word is the one that was sent

MOST_WORDS = 1000  # the most words of a list that are kept; with more, some cell must be there twice
_NAME = re.compile(r"[A-Za-z]{3}[A-Za-z_]*")
_CELLS = re.compile(r"[\d,]+")


class Command(NamedTuple):
    """A command by its name in capitals, and the words after it: too few or too many where they came so."""

    name: str
    words: tuple[str, ...] = ()


class CommandReader:
    """Reads the commands of a conversation, line by line.

    A command that lacks words goes on in the next line, unless that begins with a command. Then it comes as it is, but
    a list is dropped, since the manager has abandoned it; ``END`` drops all. A line that begins with any other name is
    an unknown command, and changes nothing else; after a name with ``YX`` the cells up to ``DONE`` belong to it.
    """

    def __init__(self) -> None:
        self._name: str | None = None  # of the command that lacks words
        self._words: list[str] = []
        self._skips_cells = False

    def read(self, line: str) -> Iterator[Command]:
        """Yield the commands that this line completes."""
        left = deque(",".join(map(str.strip, line.split(","))).split())
        is_first = True
        while left:
            word, name = left[0], left[0].upper()
            if name in LISTS or name in LEAST_WORDS:
                if self._name in LEAST_WORDS and name != END:
                    yield self._complete()  # without all its words
                self._name, self._words, self._skips_cells = name, [], False
                left.popleft()
                yield from self._filled(left)
            elif self._skips_cells and (name == DONE or _CELLS.fullmatch(word)):
                self._skips_cells = name != DONE
                left.popleft()
            elif name == DONE and self._name in LISTS:
                left.popleft()
                yield self._complete()
            elif self._name is None or (is_first and _NAME.fullmatch(word) and not self._lacks_key):
                self._skips_cells = self._name is None and name.startswith("YX")
                self._skip_to_command(left)
                yield Command(UNKNOWN, (word,))
            else:
                yield from self._filled(left)
            is_first = False

    @property
    def _lacks_key(self) -> bool:
        return self._name == "INFO" and not self._words

    def _filled(self, left: deque[str]) -> Iterator[Command]:
        """Give the command its words; it may be complete then. The folder of ``INFO`` is the rest of its line."""
        while left and not (self._ends_at(left[0]) and [word.lower() for word in self._words[:1]] != ["folder"]):
            if len(self._words) < MOST_WORDS:
                self._words.append(left[0])
            left.popleft()
        if self._name in LEAST_WORDS and len(self._words) >= LEAST_WORDS[self._name]:
            yield self._complete()

    def _ends_at(self, word: str) -> bool:
        name = word.upper()
        return name in LEAST_WORDS or name in LISTS or (name == DONE and self._name in LISTS)

    def _skip_to_command(self, left: deque[str]) -> None:
        """Skip an unknown command and the words after it; its cells and ``DONE`` are not part of a list before it."""
        left.popleft()
        while left and not self._ends_at(left[0]):
            left.popleft()

    def _complete(self) -> Command:
        command = Command(self._name or UNKNOWN, tuple(self._words))
        self._name, self._words = None, []
        return command


class Stoppable(Protocol):
    """What stops a search, as ``kinarow.search_types.Stop`` does."""

    def set(self) -> None:
        """Stop it."""


class Interrupt:
    """Stops the present or the next search of a command; another thread may set it at any time."""

    def __init__(self) -> None:
        self._set = False
        self._stop: Stoppable | None = None

    def set(self) -> None:
        """Stop the search, or the next one."""
        self._set = True
        if self._stop is not None:
            self._stop.set()

    def watch(self, stop: Stoppable) -> None:
        """Pass the interrupt on to a search that begins."""
        self._stop = stop
        if self._set:
            stop.set()


class Ending:
    """The end of a conversation, by ``END`` or by the end of the input, which another thread notes.

    In the middle of a conversation nobody waits for an answer any more: the search stops, and nothing is said. Where
    the end is read before the first answer, the input is a script, and its commands are answered in a short time.

    Attributes:
        has_answered: whether something has been said; the one who says it sets this.
        is_script: whether the end was read before.
        is_silent: whether nothing more may be said.
        is_thinking: whether a search runs.
    """

    def __init__(self) -> None:
        self.has_answered = self.is_script = self.is_silent = self.is_thinking = False
        self._now = Interrupt()

    def note(self) -> None:
        """Note that the end has been read."""
        self.is_script, self.is_silent = not self.has_answered, self.has_answered
        if self.is_silent:
            self._now.set()

    @contextmanager
    def also_stops(self, stop: Stoppable) -> Iterator[None]:
        """Stop a search at the end of the conversation, for the duration of a ``with`` block."""
        self._now.watch(stop)
        self.is_thinking = True
        try:
            yield
        finally:
            self.is_thinking = False
