"""Loads the engine once, at once or in the background, and says whether the service is ready."""

import mmap
from collections.abc import Callable
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

import structlog

from service.api.problems import UNAVAILABLE, Problem

if TYPE_CHECKING:
    from service.recommender import Recommender

RETRY_AFTER_S = 2
"""After how many seconds a client may try again while the engine is loading."""


# One byte that this process shares with every process forked from it after this import: not 0 while draining.
_draining = mmap.mmap(-1, 1)


def drain() -> None:
    """Turn ``/readyz`` to 503, in this process and in all that share its start, while all else is answered.

    It only writes a byte, so a signal handler may call it; called in gunicorn's master it reaches every worker.
    """
    _draining[0] = 1


def resume() -> None:
    """Undo ``drain``."""
    _draining[0] = 0


def draining() -> bool:
    """Whether ``drain`` was called."""
    return _draining[0] != 0


class Engine(NamedTuple):
    """The loaded engine: its use cases, and a text that changes whenever an answer may."""

    recommender: "Recommender"
    version: str


class Readiness:
    """The engine, loaded on first use unless that was done before.

    Importing the engine compiles its kernels or loads them from their cache, which the first time
    takes up to a minute. ``start`` does it in a thread of its own while health checks are answered.

    Args:
        load: imports and warms up the engine; called once.
        overloaded: whether to turn away who asks if the service is ready.
    """

    def __init__(self, load: Callable[[], Engine], overloaded: Callable[[], bool] = lambda: False) -> None:
        self._load = load
        self._overloaded = overloaded
        self._engine: Engine | None = None
        self._lock = Lock()
        self._in_background = False

    @property
    def ready(self) -> bool:
        """Whether the engine is loaded and warm."""
        return self._engine is not None

    def check(self) -> None:
        """Return if new requests are welcome.

        Raises:
            Problem: 503, the engine is loading, the service is about to stop, or it has been overloaded for some time.
        """
        if draining():
            raise _unready("The service is about to stop.")
        if not self.ready:
            raise warming()
        if self._overloaded():
            raise _unready("Every worker has been busy for some time.")

    def engine(self) -> Engine:
        """The engine; loads it now unless a thread is doing so.

        Raises:
            Problem: 503, it is being loaded in the background.
        """
        if self._engine is not None:
            return self._engine
        if self._in_background:
            raise warming()
        return self._load_once()

    def start(self) -> None:
        """Load the engine in the background."""
        self._in_background = True
        Thread(target=self._load_and_log, name="warm-up", daemon=True).start()

    def _load_once(self) -> Engine:
        with self._lock:
            if self._engine is None:
                self._engine = self._load()
            return self._engine

    def _load_and_log(self) -> None:
        try:
            self._load_once()
        except Exception:
            structlog.get_logger().exception("the engine could not be loaded")


def warming() -> Problem:
    """The answer while the engine is being loaded."""
    return _unready("The engine is still loading its kernels.")


def _unready(detail: str) -> Problem:
    return Problem(UNAVAILABLE, detail, headers={"Retry-After": str(RETRY_AFTER_S)})
