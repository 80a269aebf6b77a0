"""Reads the query of a GET request into a model of the contract, as strictly as a JSON body."""

import re
from collections.abc import Collection
from typing import Any, Generic, TypeVar
from urllib.parse import unquote_to_bytes

from kinarow.contract.json_schema import json_schema
from kinarow.contract.problems import MAX_ERRORS, invalid
from kinarow.contract.requests import Request, pointer_to
from kinarow.errors import quoted
from kinarow.reading.names import did_you_mean

_PLAIN_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,19})")
_LIST = "directions"
_BOOLEANS = {"true": True, "false": False}

R = TypeVar("R", bound=Request)


class QueryReader(Generic[R]):
    """Reads queries as requests of one model; the JSON types of its fields say how to convert their values.

    ``integer`` and ``boolean`` are converted, ``directions`` are split at commas, all others stay text. A value may be
    empty only if the field's default is.
    """

    def __init__(self, request: type[R]) -> None:
        self._request = request
        self._types = {name: field.get("type", "") for name, field in json_schema(request)["properties"].items()}
        self._may_be_empty = {name for name, field in request.model_fields.items() if field.default == ""}

    def read(self, query: bytes) -> R:
        """Return the request of a query such as ``board=X.O/.X./..O&goal=3``.

        Raises a ``Problem``, 422, with an error for each parameter that is unknown, empty, repeated (except
        ``directions``) or of another type. ``_``, by which some clients avoid caches, is ignored.
        """
        fields: dict[str, Any] = {}
        errors: dict[str, str] = {}
        parts = [part.partition(b"=") for part in query.split(b"&")] if query else []
        names = [_text(raw_name) for raw_name, _, _ in parts]
        unsent = self._types.keys() - set(names)
        for name, (_, _, raw_value) in zip(names, parts, strict=True):
            if name == "_":
                continue
            pointer = pointer_to(name) if name else ""
            if not name:
                errors[pointer] = "a parameter has no name" if name == "" else "a parameter's name is not UTF-8"
            elif name in fields and name != _LIST:
                errors[pointer] = f"the parameter is repeated{'; write / between the rows' if name == 'board' else ''}"
            else:
                try:
                    value = self._value(name, raw_value, unsent if len(errors) < MAX_ERRORS else ())
                    fields[name] = [*fields.get(name, ()), *value.split(",")] if name == _LIST else value
                except ValueError as error:
                    fields.setdefault(name, ())  # so that sending it again is an error too
                    errors[pointer] = str(error)
        if errors:
            raise invalid(errors.items())
        return self._request.read(fields)

    def _value(self, name: str, raw: bytes, unsent: Collection[str]) -> Any:
        """Return the value of a parameter; the error about an unknown name suggests a name in ``unsent``."""
        kind = self._types.get(name)
        if kind is None:
            raise ValueError(f"unknown parameter{did_you_mean(name, unsent)}")
        value = _text(raw)
        if value is None:
            raise ValueError("the value is not UTF-8")
        if not value and name not in self._may_be_empty:
            raise ValueError("the parameter is empty")
        if kind == "integer":
            if not _PLAIN_INTEGER.fullmatch(value):
                raise ValueError(f"must be a plain decimal integer, not {quoted(value)}")
            return int(value)
        if kind == "boolean":
            if value not in _BOOLEANS:
                raise ValueError(f"must be true or false, not {quoted(value)}")
            return _BOOLEANS[value]
        if name == "board" and value.endswith("/"):
            raise ValueError("the board ends with /; leave it out, or write # as %23")
        return value


def _text(raw: bytes) -> str | None:
    """Return a name or value with ``+`` and percent signs decoded; None if its bytes are not UTF-8."""
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ")).decode("utf-8")
    except UnicodeDecodeError:
        return None
