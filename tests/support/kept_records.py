"""The records of games in ``records.json``, what each of them is, and how they get spoilt."""

import json
import random
import string
from pathlib import Path
from typing import Any

_KEPT = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
RECORDS: dict[str, bytes] = {
    name: text.encode(_KEPT["encodings"].get(name, "utf-8")) for name, text in _KEPT["texts"].items()
}
"""The files as programs write them, byte by byte."""
CASES: list[dict[str, Any]] = _KEPT["cases"]
"""A file with the fields of a caller, and the game or the error that it is."""


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A record with a few bytes lost, doubled, changed or moved."""
    spoilt = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, end = sorted(rng.randrange(len(spoilt) + 1) for _ in range(2))
        match rng.randrange(6):
            case 0:
                del spoilt[at : at + rng.randint(1, 3)]
            case 1:
                spoilt[at:at] = rng.choice(string.printable).encode()
            case 2:
                spoilt[at : at + 1] = rng.choice([b"[", b"]", b"(", b")", b";", b",", b"\\", b"\xff", b"0", b"9", b"z"])
            case 3:
                spoilt[at:at] = spoilt[at:end] * rng.choice([1, 1, 50])
            case 4:
                del spoilt[at:end]
            case 5:
                spoilt = spoilt[end:] + spoilt[:end]
    return bytes(spoilt)
