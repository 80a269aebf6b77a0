"""Spans of traces, as far as searches know them; ``service.telemetry.traces`` makes them."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol


class Span(Protocol):
    """Measures a part of a request."""

    def __call__(self, name: str, /) -> AbstractContextManager[Any]:
        """The part with this name, while the context is open."""


no_span: Span = nullcontext
"""Measures nothing."""
