"""The version of the package, and the version of its engine's answers."""

import os
import re
from functools import cache

VERSION = "1.0.0"

_ANSWERING = ("engine.py", "game", "play", "score.py", "search", "search_types.py", "solvers")
"""The files and folders of the library that can change an answer: code and data."""

_DATA = (".npz", ".book", ".jsonl")
_COMMENT = re.compile(rb"\n *#[^\n]*")
_QUOTES = b'"' * 3


@cache
def engine_version() -> str:
    """Return a text that changes whenever an answer may change: the version and a digest of code and data.

    Docstrings and comment lines do not count. The result is the same on every Python.
    """
    import hashlib  # only here: the command line starts without it

    digest = hashlib.sha256()
    root = os.path.dirname(__file__) + "/"
    names = [name for name in _ANSWERING if name.endswith(".py")]
    for folder in _ANSWERING:
        for parent, _, files in os.walk(root + folder):
            names += [f"{parent[len(root) :]}/{name}" for name in files if name.endswith((".py", *_DATA))]
    for name in sorted(name.replace("\\", "/") for name in names):
        with open(root + name, "rb") as file:
            contents = file.read()
        digest.update(name.encode() + hashlib.sha256(_code(contents) if name.endswith(".py") else contents).digest())
    return f"{VERSION}+{digest.hexdigest()[:12]}"


def _code(source: bytes) -> bytes:
    """Return the source without comments, and with empty docstrings (triple-quoted strings on lines of their own)."""
    pieces = source.split(_QUOTES)  # code and triple-quoted strings in turn
    for place in range(1, len(pieces), 2):
        if pieces[place + 1][:1] == b"\n" and pieces[place - 1].rstrip(b" ")[-1:] in b"\n":
            pieces[place] = b""
    return _COMMENT.sub(b"", _QUOTES.join(pieces))
