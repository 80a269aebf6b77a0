"""Reads the query of a GET request into a model of the contract, as strictly as a JSON body."""

import re
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from kinarow.contract.json_schema import json_schema
from kinarow.contract.problems import invalid
from kinarow.contract.requests import Request, pointer_to

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
    repeated = set()
    for name, value in sent:
        if name == "directions":
            fields[name] = [*fields.get(name, ()), *value.split(",")]
        elif name in fields:
            repeated.add(name)
        elif name != "_":
            fields[name] = _value(value, _types(model).get(name))
    if repeated:
        hints = {"board": "; write / between the rows"}
        raise invalid((pointer_to(name), f"the parameter is repeated{hints.get(name, '')}") for name in repeated)
    if str(fields.get("board")).endswith("/"):
        raise invalid([("/board", "the board ends with /; leave it out, or write # as %23")])
    return model.read(fields)


@cache
def _types(model: type[Request]) -> dict[str, str | None]:
    """Return the JSON type of each field."""
    return {name: field.get("type") for name, field in json_schema(model)["properties"].items()}


def _value(value: str, kind: str | None) -> str | int | bool:
    if kind == "integer" and _PLAIN_INTEGER.fullmatch(value):
        return int(value)
    return _BOOLEANS.get(value, value) if kind == "boolean" else value
