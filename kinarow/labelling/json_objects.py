"""Strict JSON: the object of a line, or why it has none."""

import json
from typing import Any

MAX_DIGITS = 4300  # Python reads longer whole numbers only where it is told to


class _Repeated(dict[str, Any]):
    """An object in which a name is there twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    return built if len(built) == len(pairs) else _Repeated(built)


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= MAX_DIGITS else text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON; write null or a text")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_constant)


def read_object(line: str) -> dict[str, Any] | str:
    """The object of a line, or why it has none."""
    if not line.strip():
        return "the line is empty"
    try:
        row = _decoder.decode(line)
    except RecursionError:
        return "not JSON: it is nested too deep"
    except ValueError as failure:
        return f"not JSON: {failure}"
    if not isinstance(row, dict):
        return "not a JSON object"
    return "a name is there twice" if isinstance(row, _Repeated) else row


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogate, which no UTF-8 has."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
