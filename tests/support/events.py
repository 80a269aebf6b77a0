"""Reading server-sent events in tests."""

import json
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One event: its name and its data."""

    name: str
    data: Any


def read_events(text: str) -> list[Event]:
    """The events of a whole stream, comments left out.

    An ``AssertionError`` says that the text is no stream of events with JSON data of one line each.
    """
    assert text.endswith("\n\n")
    events = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        if block.startswith(":"):
            continue
        number, name, data = block.split("\n")
        assert number == f"id: {len(events) + 1}"
        assert name.startswith("event: ")
        assert data.startswith("data: ")
        events.append(Event(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events
