"""Reads the JSON of requests, and writes the JSON of answers."""

import json
from typing import Any, Literal

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from kinarow import strict_json
from kinarow.contract.problems import UNREADABLE_BODY, Problem


def parse(body: bytes) -> Any:
    """Return the value of a request's JSON body; raise a ``Problem``, 400, if it cannot be read."""
    try:
        return strict_json.parse(body, "the body", limited=True)
    except strict_json.NotJson as wrong:
        clause = str(wrong)
        raise unreadable_body(f"{clause[0].upper()}{clause[1:]}.") from None


def dump(value: object, lone_surrogates: Literal["replace", "backslashreplace"] = "replace") -> bytes:
    """Return plain data and models as JSON text in UTF-8.

    A lone surrogate, which may come from the input, becomes ``?``, or with ``backslashreplace`` an escape.
    """
    try:
        return to_json(value)
    except PydanticSerializationError:
        text = json.dumps(value, default=BaseModel.model_dump, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", lone_surrogates)


def unreadable_body(detail: str) -> Problem:
    """Return the problem of a body that is not JSON within the limits."""
    return Problem(UNREADABLE_BODY, detail)
