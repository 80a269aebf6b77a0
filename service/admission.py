"""How many searches of a worker may run or wait, and when one more is refused.

Every request that computes, waits for a search, follows another's computation or holds a stream open keeps
one of the worker's threads. They share ``places``, fewer than there are threads, so that one is always left
for answers that are known and for health checks. Searches run in threads of their own, which give way to all
others; what is likely to take a moment only is first tried where it was asked, past those who wait.
"""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

Value = TypeVar("Value")
Reason = Literal["queue_full", "waited", "threads", "streams"]

RETRY_AFTER_S = 1
"""After how many seconds a refused client may try again."""

SEARCH_NICENESS = 5
"""By how much a thread that searches is nicer than others: what wakes for a moment goes before it at once, and what
computes beside it gets three times its share of a core that both want."""

BRIEF_WAIT_S = 0.02
"""For so long a search that is likely to be brief waits until another such one has been tried: a few times what one
may take, so that questions of a moment are not refused because two of them came at once."""

_LOOK_EVERY_S = 0.05
"""How often one who waits looks whether its client is still there."""

_DETAILS: dict[Reason, str] = {
    "queue_full": "All searches are taken, and as many requests wait for one as may.",
    "waited": "No search became free in time.",
    "threads": "All threads that may compute or wait are taken.",
    "streams": "As many streams are open as may be.",
}


REASONS: tuple[Reason, ...] = tuple(_DETAILS)


class Busy(Exception):
    """There is no room for one more search or stream now.

    Attributes:
        reason: what was full.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(_DETAILS[reason])
        self.reason: Reason = reason


class Gone(Exception):
    """The one who asked went away while waiting."""


class NotKnown(Exception):
    """The answer would have to be computed, inside ``known_only``."""


class StopFlag(Protocol):
    """Says whether the one who asked has gone."""

    def is_set(self) -> bool:
        """Whether the answer is no longer wanted."""
        ...


class Load(NamedTuple):
    """What happens in a worker at this moment."""

    running: int
    waiting: int
    following: int
    streams: int


class _Waiter:
    """One who waits: its own lock, released by who hands it a search."""

    __slots__ = ("has_search", "turn")

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.turn.acquire()
        self.has_search = False


class Admission:
    """Admits searches and streams; safe to share between threads.

    Args:
        searches: how many run at once, at least 1.
        queue: how many may wait for one.
        wait_s: how long they wait at most.
        places: how many requests may run, wait, follow or stream together, at least ``searches``.
        streams: how many of them may stream.
        on_busy: told when no search is free any more (true) and when one is again (false).
        on_wait: told how long a search waited, in seconds, when it begins.
    """

    def __init__(
        self,
        *,
        searches: int,
        queue: int,
        wait_s: float,
        places: int,
        streams: int,
        on_busy: Callable[[bool], None] = lambda busy: None,
        on_wait: Callable[[float], None] | None = None,
    ) -> None:
        self.searches = searches
        self.streams = streams
        self._queue = queue
        self._wait_s = wait_s
        self._places = places
        self._on_busy = on_busy
        self._on_wait = on_wait
        self._threads = ThreadPoolExecutor(searches, "search", initializer=_give_way)
        self._brief = threading.Lock()
        self._lock = threading.Lock()
        self._free = searches
        self._places_taken = 0
        self._streams_open = 0
        self._following = 0
        self._waiters: deque[_Waiter] = deque()
        self._shed: dict[Reason, int] = dict.fromkeys(_DETAILS, 0)
        self._thread = threading.local()
        on_busy(False)

    def run(
        self,
        compute: Callable[[], Value],
        stop: StopFlag | None = None,
        brief: Callable[[], Value | None] | None = None,
    ) -> Value:
        """What ``compute`` returns, run in a thread of its own as soon as a search is free.

        Args:
            compute: the search.
            stop: says whether its client has gone.
            brief: the same search for a few milliseconds at most, None where that is too short. It is tried
                first, here and now, unless others are being tried all of ``BRIEF_WAIT_S``.

        Raises:
            Busy: none became free in time, or too many wait already.
            Gone: ``stop`` was set while it waited.
            NotKnown: inside ``known_only``.
        """
        own_place = self._has_place()
        if brief is not None and self._brief.acquire(timeout=BRIEF_WAIT_S):
            try:
                found = brief()
            finally:
                self._brief.release()
            if found is not None:
                return found
        waiter = None
        with self._lock:
            if not own_place and self._places_taken >= self._places:
                raise self._refusal("threads")
            if self._free:
                self._free -= 1
                if not self._free:
                    self._on_busy(True)
            elif len(self._waiters) < self._queue:
                waiter = _Waiter()
                self._waiters.append(waiter)
            else:
                raise self._refusal("queue_full")
            if not own_place:
                self._places_taken += 1
        if waiter is not None:
            try:
                self._wait(waiter, stop)
            except BaseException:
                if not own_place:
                    self._leave()
                raise
        try:
            return self._threads.submit(compute).result()
        finally:
            self._give_back(own_place)

    def follow(self, shared: "Future[Any]", stop: StopFlag | None = None) -> None:
        """Wait until another's computation is done or has failed.

        Raises:
            Busy: there is no place left to wait at, or the other was refused.
            Gone: ``stop`` was set.
            NotKnown: inside ``known_only``.
        """
        own_place = self._has_place()
        with self._lock:
            if not own_place:
                if self._places_taken >= self._places:
                    raise self._refusal("threads")
                self._places_taken += 1
            self._following += 1
        try:
            error = _outcome(shared, stop)
        finally:
            with self._lock:
                self._following -= 1
                if not own_place:
                    self._places_taken -= 1
        if isinstance(error, Busy):
            # To try again would be to wait again for as long.
            with self._lock:
                raise self._refusal(error.reason)

    def open_stream(self) -> Callable[[], None]:
        """Take a place for a stream; returns what gives it back, to be called once.

        Raises:
            Busy: there is no place left, or as many streams are open as may be.
        """
        with self._lock:
            if self._streams_open >= self.streams:
                raise self._refusal("streams")
            if self._places_taken >= self._places:
                raise self._refusal("threads")
            self._streams_open += 1
            self._places_taken += 1
        return self._close_stream

    def in_stream(self) -> AbstractContextManager[None]:
        """In this block the thread works for a stream, whose place it uses."""
        return self._mode("stream")

    def known_only(self) -> AbstractContextManager[None]:
        """In this block nothing is computed or waited for: that raises ``NotKnown``."""
        return self._mode("known")

    def load(self) -> Load:
        """What happens at this moment."""
        with self._lock:
            return Load(self.searches - self._free, len(self._waiters), self._following, self._streams_open)

    def shed(self) -> dict[Reason, int]:
        """How often was refused for each reason since the start."""
        with self._lock:
            return dict(self._shed)

    @contextmanager
    def _mode(self, name: str) -> Iterator[None]:
        self._thread.mode = name
        try:
            yield
        finally:
            self._thread.mode = None

    def _has_place(self) -> bool:
        """Whether this thread works for a stream, which has a place.

        Raises:
            NotKnown: inside ``known_only``.
        """
        mode = getattr(self._thread, "mode", None)
        if mode == "known":
            raise NotKnown
        return mode == "stream"

    def _refusal(self, reason: Reason) -> Busy:
        self._shed[reason] += 1
        return Busy(reason)

    def _wait(self, waiter: _Waiter, stop: StopFlag | None) -> None:
        """Return when it is this waiter's turn.

        Raises:
            Busy: it was not in time.
            Gone: its client went away.
        """
        began = time.monotonic()
        end = began + self._wait_s
        while True:
            gone = stop is not None and stop.is_set()
            left = 0.0 if gone else max(0.0, end - time.monotonic())
            if waiter.turn.acquire(timeout=min(left, _LOOK_EVERY_S)):
                break
            if left > 0.0:
                continue
            with self._lock:
                # It may have been handed a search since it looked.
                if not waiter.has_search:
                    self._waiters.remove(waiter)
                    raise Gone if gone else self._refusal("waited")
            break
        if self._on_wait is not None:
            self._on_wait(time.monotonic() - began)

    def _give_back(self, own_place: bool) -> None:
        """Hand the search to who has waited longest, or keep it free."""
        with self._lock:
            if not own_place:
                self._places_taken -= 1
            if self._waiters:
                waiter = self._waiters.popleft()
                waiter.has_search = True
                waiter.turn.release()
                return
            self._free += 1
            if self._free == 1:
                self._on_busy(False)

    def _leave(self) -> None:
        with self._lock:
            self._places_taken -= 1

    def _close_stream(self) -> None:
        with self._lock:
            self._streams_open -= 1
            self._places_taken -= 1


def _give_way() -> None:
    """Make this thread nicer than others, where a thread has a niceness of its own."""
    if sys.platform == "linux":
        os.nice(SEARCH_NICENESS)


def _outcome(shared: "Future[Any]", stop: StopFlag | None) -> BaseException | None:
    """What a computation failed with, once it is over.

    Raises:
        Gone: ``stop`` was set before.
    """
    if stop is None:
        return shared.exception()
    while not stop.is_set():
        try:
            return shared.exception(_LOOK_EVERY_S)
        except TimeoutError:
            continue
    raise Gone
