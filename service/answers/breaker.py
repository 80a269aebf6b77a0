"""A circuit breaker: after a few failures in a row nobody asks, until somebody has found that asking helps again."""

from collections.abc import Callable

import structlog

FAILURES_TO_OPEN = 3
"""A dead server costs no more than so many time limits."""


class Breaker:
    """Open, which means that nobody asks, from the start until ``close``; says in the log when that changes.

    Args:
        on_open: told whether it is open, now and at every change.
    """

    def __init__(self, on_open: Callable[[bool], None] = lambda is_open: None) -> None:
        self.is_open = True
        self._on_open = on_open
        self._failures = 0
        self._said: bool | None = None
        on_open(True)

    def succeeded(self) -> None:
        """An answer came."""
        self._failures = 0

    def failed(self, reason: str) -> None:
        """No answer came; too many of these open it."""
        self._failures += 1
        if self._failures >= FAILURES_TO_OPEN:
            self.open(reason)

    def open(self, reason: str) -> None:
        """Have nobody ask."""
        if self._said is not True:
            structlog.get_logger().warning(
                "the shared cache does not answer; going on without it", reason=reason
            )
        self._set(True)

    def close(self) -> None:
        """Have everybody ask again."""
        self._failures = 0
        if self._said is not False:
            structlog.get_logger().info("the shared cache answers")
        self._set(False)

    def _set(self, is_open: bool) -> None:
        self._said = is_open
        if is_open != self.is_open:
            self.is_open = is_open
            self._on_open(is_open)
