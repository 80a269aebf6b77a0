"""Reads the commands of the Piskvork protocol, which may continue over several lines.

Its imports are quick, so that a process reads its first line at once.
"""

import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from kinarow.search_types import Stop

LEAST_WORDS: dict[str, int] = {
    "START": 1, "RECTSTART": 1, "RESTART": 0, "BEGIN": 0, "TURN": 1, "TAKEBACK": 1, "INFO": 2, "ABOUT": 0, "END": 0,
    "STOP": 0,
}  # fmt: skip
"""The least number of words of each command; further words of the line, up to the next command, belong to it too."""

LISTS = frozenset({"BOARD", "SWAP2BOARD"})
"""Commands whose words end with ``DONE``."""

DONE, END, STOP = "DONE", "END", "STOP"
UNKNOWN = ""  # the name of an unknown command; its only word is the name that was sent

MOST_WORDS = 1000  # further words of a list are dropped; so many can't all be different cells
_NAME = re.compile(r"[A-Za-z]{3}[A-Za-z_]*")
_CELLS = re.compile(r"[\d,]+")


class ManagerCommand(NamedTuple):
    """A command: its name in capitals, and its words, of which there may be too few or too many."""

    name: str
    words: tuple[str, ...] = ()


class CommandReader:
    """Reads the commands of a conversation, line by line.

    A command that lacks words continues on the next line, unless that begins with a command. Then the command is
    yielded without the words, and an unfinished list is dropped; ``END`` drops both. A line that begins with another
    name is an unknown command; if the name begins with ``YX``, the cells up to ``DONE`` belong to it.
    """

    def __init__(self) -> None:
        self._name: str | None = None  # of the command that lacks words
        self._words: list[str] = []
        self._skips_cells = False

    def read(self, line: str) -> Iterator[ManagerCommand]:
        """Yield the commands that the line completes."""
        left = deque(",".join(map(str.strip, line.split(","))).split())
        is_first = True
        while left:
            word, name = left[0], left[0].upper()
            lacks_key = self._name == "INFO" and not self._words
            if name in LISTS or name in LEAST_WORDS:
                if self._name in LEAST_WORDS and name != END:
                    yield self._complete()  # without all its words
                self._name, self._words, self._skips_cells = name, [], False
                left.popleft()
                yield from self._take_words(left)
            elif self._skips_cells and (name == DONE or _CELLS.fullmatch(word)):
                self._skips_cells = name != DONE
                left.popleft()
            elif name == DONE and self._name in LISTS:
                left.popleft()
                yield self._complete()
            elif self._name is None or (is_first and _NAME.fullmatch(word) and not lacks_key):
                self._skips_cells = self._name is None and name.startswith("YX")
                left.popleft()
                # Skip its words too, so that its cells and ``DONE`` don't end up in an earlier list.
                while left and not self._ends_at(left[0]):
                    left.popleft()
                yield ManagerCommand(UNKNOWN, (word,))
            else:
                yield from self._take_words(left)
            is_first = False

    def _take_words(self, left: deque[str]) -> Iterator[ManagerCommand]:
        """Move words to the current command; yield it if complete. INFO's folder is the rest of the line."""
        while left and not (self._ends_at(left[0]) and [word.lower() for word in self._words[:1]] != ["folder"]):
            if len(self._words) < MOST_WORDS:
                self._words.append(left[0])
            left.popleft()
        if self._name in LEAST_WORDS and len(self._words) >= LEAST_WORDS[self._name]:
            yield self._complete()

    def _ends_at(self, word: str) -> bool:
        name = word.upper()
        return name in LEAST_WORDS or name in LISTS or (name == DONE and self._name in LISTS)

    def _complete(self) -> ManagerCommand:
        command = ManagerCommand(self._name or UNKNOWN, tuple(self._words))
        self._name, self._words = None, []
        return command


class ConversationEnd:
    """The end of a conversation, by ``END`` or the end of the input, which the reading thread notes.

    If something has been answered, nobody waits any more: the search stops, and nothing more is written. Otherwise the
    input is a script, and all its commands are answered in a short time.

    Attributes:
        has_answered: True after the first answer; set by the thread that writes.
        is_script: True if the input ended before the first answer.
        is_silent: True if nothing more may be written.
        is_thinking: True while a search runs.
    """

    def __init__(self) -> None:
        self.has_answered = self.is_script = self.is_silent = self.is_thinking = False
        self._now = Stop()

    def note(self) -> None:
        """Note the end of the conversation."""
        self.is_script, self.is_silent = not self.has_answered, self.has_answered
        if self.is_silent:
            self._now.set()

    @contextmanager
    def also_stops(self, stop: Stop) -> Iterator[None]:
        """Context manager: set ``stop`` when the conversation ends."""
        self.is_thinking = True
        try:
            with self._now.also_stops(stop):
                yield
        finally:
            self.is_thinking = False
