"""The version of the package, and the version of its engine's answers."""

import ast
import hashlib
from functools import cache
from pathlib import Path

VERSION = "1.0.0"

_ANSWERING = ("engine.py", "game", "play", "score.py", "search", "search_types.py", "solvers")
"""The files and folders of the library that can change an answer: code and data."""

_DATA = (".npz", ".book", ".jsonl")


@cache
def engine_version() -> str:
    """A text that changes whenever an answer may change: the version and a digest of code and data.

    Comments, docstrings and layout do not count.
    """
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for name in _ANSWERING:
        for source in sorted(path for path in (root / name, *(root / name).rglob("*")) if path.is_file()):
            if source.suffix == ".py":
                contents = _code(source.read_text("utf-8"))
            elif source.suffix in _DATA:
                contents = source.read_bytes()
            else:
                continue
            digest.update(source.relative_to(root).as_posix().encode() + hashlib.sha256(contents).digest())
    return f"{VERSION}+{digest.hexdigest()[:12]}"


def _code(source: str) -> bytes:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree).encode()
