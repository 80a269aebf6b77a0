"""Gunicorn's master, which on SIGTERM first has the service say that it is not ready, and stops a while later."""

import signal
import time
from typing import Any

from gunicorn.arbiter import Arbiter

from service.api.readiness import drain


class Master(Arbiter):  # type: ignore[misc]
    """Starts the workers and replaces them; the first SIGTERM drains, a second one or SIGINT ends at once.

    While it drains everything is answered as before but ``/readyz`` with 503, so that whoever spreads the
    requests sends no more here; after that the listening sockets are closed and what is under way is finished.

    Args:
        app: gunicorn's application.
        drain_s: how long to drain; 0 for not at all.
    """

    def __init__(self, app: Any, drain_s: float) -> None:
        super().__init__(app)
        self._drain_s = drain_s
        self._told_to_stop = False
        self._stop_at: float | None = None

    def signal(self, sig: int, frame: Any) -> None:
        """Queue a signal; gunicorn knows SIGINT alone as the one that means at once."""
        if sig == signal.SIGTERM:
            if self._told_to_stop:
                sig = signal.SIGINT
            self._told_to_stop = True
        super().signal(sig, frame)

    def handle_term(self) -> None:
        """Begin to drain."""
        drain()
        self.log.info("Draining for %g s", self._drain_s)
        self._stop_at = time.monotonic() + self._drain_s

    def wait_for_signals(self, timeout: float = 1.0) -> list[int]:
        """Wait for signals, and end the main loop when the service has drained long enough."""
        if self._stop_at is not None:
            timeout = min(timeout, self._stop_at - time.monotonic())
            if timeout <= 0:
                raise StopIteration
        signals: list[int] = super().wait_for_signals(timeout)
        return signals
