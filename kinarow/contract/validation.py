"""Turns Pydantic's errors into the pointers and details of the HTTP contract."""

import json
from collections.abc import Collection

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from kinarow.contract.problems import MAX_ERRORS
from kinarow.errors import QUOTE_LIMIT, nearest, quoted

_WHAT_IS_WANTED = {
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a string",
    "string_unicode": "must be Unicode text",
    "literal_error": "must be {expected}",
    "list_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length}",
    "too_long": "must have at most {max_length}",
}
_CLOSE_ENOUGH = 0.7

_OTHER_NAMES = {
    "to_move": ("player", "turn", "side", "side_to_move", "current_player"),
    "level": ("difficulty", "strength", "skill"),
    "board": ("state", "grid", "squares", "cells"),
    "moves": ("history", "pgn", "sequence", "pos"),
    "goal": ("win_length", "k", "connect", "n_in_a_row"),
    "columns": ("width",),
    "rows": ("height",),
    "max_depth": ("depth",),
    "time_limit_ms": ("timeout", "time"),
}
"""Names that other services use for a field."""

_MEANT = {other: name for name, others in _OTHER_NAMES.items() for other in others}


def problems_of(wrong: ValidationError, known: Collection[str]) -> list[tuple[str, str]]:
    """The pointer and the detail of each error; ``known`` names the fields that a hint may suggest."""
    errors = wrong.errors(include_url=False)
    if len(errors) > MAX_ERRORS:
        # Finding similar names for thousands of unknown fields would cost more than a search.
        known = ()
    return [("".join(pointer_to(str(part)) for part in error["loc"]), _detail(error, known)) for error in errors]


def pointer_to(name: str) -> str:
    """The JSON pointer to a field of the request; a very long name is cut."""
    if len(name) > QUOTE_LIMIT:
        name = name[: QUOTE_LIMIT - 1] + "…"
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def did_you_mean(name: str, known: Collection[str]) -> str:
    """A hint to append to the error of an unknown name; empty if no known name is similar."""
    meant = _MEANT.get(name) or nearest(name, known, _CLOSE_ENOUGH)
    return f"; did you mean {meant}?" if meant in known else ""


def _detail(error: ErrorDetails, known: Collection[str]) -> str:
    kind = error["type"]
    if kind == "missing":
        return f"{error['loc'][-1]} is required"
    if kind == "extra_forbidden":
        return f"unknown field{did_you_mean(str(error['loc'][-1]), known)}"
    if kind == "string_unicode" and not error["loc"]:
        return f"a field's name must be Unicode text, not {_as_sent(error['input'])}"
    if kind in ("model_type", "dict_type"):
        return f"{'' if error['loc'] else 'the body '}must be an object, not {quoted(error['input'])}"
    wanted = _WHAT_IS_WANTED.get(kind)
    if wanted is None:
        return error["msg"]
    return f"{wanted.format(**error.get('ctx', {}))}, not {_as_sent(error['input'])}"


def _as_sent(value: object) -> str:
    """A value of the wrong type in the spelling of JSON: ``true`` and ``null`` instead of ``True`` and ``None``."""
    return json.dumps(value) if value is None or isinstance(value, bool) else quoted(value)
