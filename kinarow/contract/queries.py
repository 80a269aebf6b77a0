"""Reads the query of a GET request into a model of the contract, as strictly as a JSON body."""

import re
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from kinarow.contract.json_schema import json_schema
from kinarow.contract.problems import invalid
from kinarow.contract.requests import Request, pointer_to
from kinarow.errors import quoted

_PLAIN_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,19})")
_BOOLEANS = {"true": True, "false": False}

R = TypeVar("R", bound=Request)


def request_of(model: type[R], query: bytes) -> R:
    """Return the request of a query such as ``board=X.O/.X./..O&goal=3``.

    Plain integers and booleans are converted, ``directions`` are split at commas and may be repeated, all else stays
    text for the model. ``_``, by which some clients avoid caches, is ignored. Raises a ``Problem``, 422.
    """
    try:
        sent = parse_qsl(query.decode(), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise invalid([("", "the query is not UTF-8")]) from None
    fields: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, value in sent:
        if name == "_":
            continue
        known, kind, wrong = model.model_fields.get(name), _types(model).get(name), None
        if name in fields and name != "directions":
            wrong = f"the parameter is repeated{'; write / between the rows' if name == 'board' else ''}"
        elif not value and not (known and known.default == ""):
            wrong = "the parameter is empty"
        elif kind == "integer" and not _PLAIN_INTEGER.fullmatch(value):
            wrong = f"must be a plain decimal integer, not {quoted(value)}"
        elif name == "board" and value.endswith("/"):
            wrong = "the board ends with /; leave it out, or write # as %23"
        if wrong:
            errors.setdefault(pointer_to(name), wrong)
            fields.setdefault(name, ())  # so that sending it again is an error too
        elif name == "directions":
            fields[name] = [*fields.get(name, ()), *value.split(",")]
        elif kind == "integer":
            fields[name] = int(value)
        else:
            fields[name] = _BOOLEANS.get(value, value) if kind == "boolean" else value
    if errors:
        raise invalid(errors.items())
    return model.read(fields)


@cache
def _types(model: type[Request]) -> dict[str, str | None]:
    """Return the JSON type of each field."""
    return {name: field.get("type") for name, field in json_schema(model)["properties"].items()}
