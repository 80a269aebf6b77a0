"""Loads the engine once, in the foreground or the background, and says whether the service is ready."""

from collections.abc import Callable
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

import structlog

from service.api.problem_kinds import UNAVAILABLE, Problem

if TYPE_CHECKING:
    from service.answers.recommender import Recommender

RETRY_AFTER_S = 2
"""Seconds after which a client may try again while the engine is loading."""


class Engine(NamedTuple):
    """The loaded engine: its functions, and a text that changes whenever an answer may."""

    recommender: "Recommender"
    version: str


class Readiness:
    """The engine, loaded on first use or by ``start``.

    Importing the engine compiles its kernels, for up to two minutes, or loads them from their cache.
    ``start`` does this in another thread, while health checks are answered.

    Args:
        load: imports and warms up the engine; called once.
    """

    def __init__(self, load: Callable[[], Engine]) -> None:
        self._load = load
        self._engine: Engine | None = None
        self._lock = Lock()
        self._in_background = False

    @property
    def ready(self) -> bool:
        """Whether the engine is loaded and warm."""
        return self._engine is not None

    def check(self) -> None:
        """Return if the engine is loaded.

        Raises:
            Problem: 503, it is loading.
        """
        if not self.ready:
            raise warming()

    def engine(self) -> Engine:
        """The engine; loads it now unless ``start`` was called.

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
    """The problem while the engine is being loaded."""
    detail = "The engine is still loading its kernels."
    return Problem(UNAVAILABLE, detail, headers={"Retry-After": str(RETRY_AFTER_S)})
