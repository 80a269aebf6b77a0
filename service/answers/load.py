"""How much a worker does at a moment, and why a request gets no answer: there is no room, or its client has gone."""

from typing import Literal, NamedTuple

Reason = Literal["queue_full", "waited", "streams"]

RETRY_AFTER_S = 1
"""After how many seconds a refused client may try again."""

DETAILS: dict[Reason, str] = {
    "queue_full": "All searches are taken, and as many requests wait for one as may.",
    "waited": "No search became free in time.",
    "streams": "As many streams are open as may be.",
}


class Overloaded(Exception):
    """There is no room for one more search or stream now; ``reason`` says what was full."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(DETAILS[reason])
        self.reason: Reason = reason


class ClientDisconnected(Exception):
    """The client went away before it had its answer."""


class Load(NamedTuple):
    """How many searches run or wait, how many requests wait for another's search, and how many streams are open."""

    running: int = 0
    waiting: int = 0
    joined: int = 0
    streams: int = 0
