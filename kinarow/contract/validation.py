"""Turns Pydantic's errors into the pointers and details of the HTTP contract."""

from collections.abc import Collection

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from kinarow.contract.problems import MAX_ERRORS
from kinarow.errors import QUOTE_LIMIT, quoted
from kinarow.reading.names import did_you_mean

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
    "too_short": "must list at least {min_length}",
    "too_long": "must list at most {max_length}",
}


def problems_of(wrong: ValidationError, known: Collection[str]) -> list[tuple[str, str]]:
    """Return the pointer and the detail of each error; ``known`` names the fields that a hint may suggest."""
    errors = wrong.errors(include_url=False)
    if len(errors) > MAX_ERRORS:
        # Finding similar names for thousands of unknown fields would cost more than a search.
        known = ()
    return [("".join(pointer_to(str(part)) for part in error["loc"]), _detail(error, known)) for error in errors]


def pointer_to(name: str) -> str:
    """Return the JSON pointer to a field of the request; a very long name is cut."""
    if len(name) > QUOTE_LIMIT:
        name = name[: QUOTE_LIMIT - 1] + "…"
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def _detail(error: ErrorDetails, known: Collection[str]) -> str:
    kind = error["type"]
    if kind == "missing":
        return f"{error['loc'][-1]} is required"
    if kind == "extra_forbidden":
        return f"unknown field{did_you_mean(str(error['loc'][-1]), known)}"
    if kind == "string_unicode" and not error["loc"]:
        return f"a field's name must be Unicode text, not {quoted(error['input'])}"
    if kind in ("model_type", "dict_type"):
        return f"{'' if error['loc'] else 'the body '}must be an object, not {quoted(error['input'])}"
    wanted = _WHAT_IS_WANTED.get(kind)
    if wanted is None:
        return error["msg"]
    context = error.get("ctx", {})
    return f"{wanted.format(**context)}, not {context.get('actual_length', quoted(error['input']))}"
