"""The load of a worker, and two reasons for sending no answer: the worker is full, or the client has left.

``service.http.errors`` answers the first with 503 and ``Retry-After``.
"""

from typing import Literal, NamedTuple

from kinarow.search_types import NoCore

Reason = Literal["queue_full", "waited", "streams"]

DETAILS: dict[Reason, str] = {
    "queue_full": "All searches are busy, and the queue for them is full.",
    "waited": "No search slot became free in time.",
    "streams": "Too many event streams are open.",
}


class Overloaded(NoCore):
    """The worker can take no further search or stream now; ``reason`` names the limit."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(DETAILS[reason])
        self.reason: Reason = reason
        self.at_once = reason != "waited"


class ClientDisconnected(Exception):
    """The client closed its connection before the answer was ready."""


class Load(NamedTuple):
    """Numbers of taken slots, of helpers too, of searches in the queue, of requests that joined another's search, and
    of open streams.
    """

    running: int = 0
    waiting: int = 0
    joined: int = 0
    streams: int = 0
