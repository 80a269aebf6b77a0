"""The proofs in the package, which ``checker/check_proof.py`` checks: one file, with one proof after the other."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "proofs.gz"


def name_of(head: dict[str, Any]) -> str:
    """Return the file name of a proof; ``head`` is the JSON object on its first line."""
    rules = dict(head["rules"])
    sides = [str(rules.pop(name)) for name in ("layers", "rows", "columns") if name in rules]
    goal, board = rules.pop("goal"), "".join(head["board"])
    words = ["x".join(sides), f"goal{goal}"]
    for name, value in rules.items():
        words.append(name if value is True else f"{name}-{'-'.join(value) if isinstance(value, list) else value}")
    for mark, word in (("X", "x"), ("O", "o"), ("#", "blocked")):
        if tiles := [str(cell + 1) for cell, each in enumerate(board) if each == mark]:
            words.append("-".join([word, *tiles]))
    return f"{'-'.join([*words, head['side'], head['claim']])}.proof".replace("_", "-").lower()


@cache
def shipped() -> dict[str, bytes]:
    """Return the proofs in the package by file name, each as the bytes of its file."""
    found, data, at = {}, gzip.decompress(FILE.read_bytes()), 0
    while at < len(data):
        line = data.index(b"\n", at) + 1
        head = json.loads(data[at:line])
        found[name_of(head)] = data[at : line + head["decisions"]]
        at = line + head["decisions"]
    return found
