"""Loads the kernels in the background while requests are answered, and says whether the service is ready."""

from collections.abc import Callable
from threading import Thread

import structlog

from kinarow.game.position import Position
from kinarow.game.rules import PRESETS
from kinarow.search.search import is_loaded
from service.api.problem_kinds import UNAVAILABLE, Problem
from service.concurrency import PATCHED, Threads

RETRY_AFTER_S = 2  # seconds after which a client may try again while kernels are being loaded


class Readiness:
    """Whether the kernels are loaded, for which ``load`` is called once.

    Compiling them takes a minute or two. ``start`` does this in another thread while health checks and what needs no
    kernel are answered; the other requests are answered 503.
    """

    def __init__(self, load: Callable[[], None]) -> None:
        self._load = load
        self.ready = False

    def check(self) -> None:
        """Return if all kernels are loaded; otherwise raise the problem 503."""
        if not self.ready:
            raise warming(listed=True)

    def load(self) -> None:
        """Load the kernels, and return then."""
        self._load()
        self.ready = True

    def start(self) -> None:
        """Load the kernels in the background."""
        Thread(target=self._load_and_log, name="warm-up", daemon=True).start()

    def _load_and_log(self) -> None:
        try:
            if PATCHED:
                # This thread is a greenlet, and only a native thread leaves the loop of the worker free.
                Threads(1, "warm-up").run(self.load)
            else:
                self.load()
        except Exception:
            structlog.get_logger().exception("the kernels could not be loaded")


def ready_games() -> list[str]:
    """The presets whose positions are answered already."""
    return [name for name, rules in PRESETS.items() if is_loaded(Position.empty(rules))]


def warming(*, listed: bool = False) -> Problem:
    """The problem while kernels are being loaded: it says which games are ready, if wanted in a list too."""
    games = ready_games()
    ready = f"These games are ready: {', '.join(games)}." if games else "No game is ready yet."
    detail = f"The engine is still compiling. {ready}"
    more = {"games": games} if listed else {}
    return Problem(UNAVAILABLE, detail, headers={"Retry-After": str(RETRY_AFTER_S)}, more=more)
