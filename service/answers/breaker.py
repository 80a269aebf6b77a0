"""A circuit breaker: it opens after a few failures in a row, and calls are skipped until a probe succeeds."""

from collections.abc import Callable

import structlog

FAILURES_TO_OPEN = 3
"""Failures in a row that open the breaker: a dead server costs a worker this many timeouts."""


class Breaker:
    """A breaker that starts open, which means that calls are skipped. It logs every change.

    Args:
        on_change: called with whether it is open, at once and at every change.
    """

    def __init__(self, on_change: Callable[[bool], None] = lambda is_open: None) -> None:
        self.is_open = True
        self._on_change = on_change
        self._failures = 0
        self._said: bool | None = None
        on_change(True)

    def succeeded(self) -> None:
        """Note a successful call, which ends the failures in a row."""
        self._failures = 0

    def failed(self, reason: str) -> None:
        """Count a failed call; ``FAILURES_TO_OPEN`` in a row open the breaker."""
        self._failures += 1
        if self._failures >= FAILURES_TO_OPEN:
            self.open(reason)

    def open(self, reason: str) -> None:
        """Skip calls from now on."""
        if self._said is not True:
            structlog.get_logger().warning("the shared cache does not answer; going on without it", reason=reason)
        self._set(True)

    def close(self) -> None:
        """Allow calls again."""
        self._failures = 0
        if self._said is not False:
            structlog.get_logger().info("the shared cache answers")
        self._set(False)

    def _set(self, is_open: bool) -> None:
        self._said = is_open
        if is_open != self.is_open:
            self.is_open = is_open
            self._on_change(is_open)
