"""Parses JSON strictly (unique names, no NaN, limits on nesting and numbers), and writes it."""

import json
import re
from codecs import BOM_UTF8
from decimal import Decimal, InvalidOperation
from math import isinf
from typing import Any, Literal

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from kinarow.contract.problems import UNREADABLE_BODY, Problem
from kinarow.errors import quoted

MAX_NESTING = 16
MAX_DIGITS = 20

_WHOLE_FLOAT_LIMIT = 2.0**53  # below it a float represents every whole number exactly, so 5.0 may be read as 5

_STRUCTURE = b'[]{}"'
_NOT_STRUCTURE = bytes(set(range(256)) - set(_STRUCTURE))
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_LONG_NUMBER = re.compile(rb"[-+.0-9eE]{%d}" % (MAX_DIGITS + 1))


def parse(body: bytes) -> Any:
    """The value of a JSON text, after a byte-order mark if there is one; the ``Problem``, 400, says what is wrong."""
    body = body.removeprefix(BOM_UTF8)
    if not body.strip():
        raise unreadable("The body is empty.")
    if body.count(b"[") + body.count(b"{") > MAX_NESTING and nested_too_deep(body):
        raise unreadable(f"The body is nested more than {MAX_NESTING} deep.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise unreadable(f"The body is not UTF-8: byte {error.start} cannot be read.") from None
    decoder = _counting_decoder if _LONG_NUMBER.search(body) else _decoder
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise unreadable(f"The body is not JSON: {what} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise unreadable(f"The body is nested more than {MAX_NESTING} deep.") from None


def dump(value: object, lone_surrogates: Literal["replace", "backslashreplace"] = "replace") -> bytes:
    """Plain data and models as JSON text in UTF-8.

    A lone surrogate, which may come from the input, becomes a question mark, or with ``backslashreplace`` its escape.
    """
    try:
        return to_json(value)
    except PydanticSerializationError:
        text = json.dumps(value, default=BaseModel.model_dump, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", lone_surrogates)


def nested_too_deep(body: bytes) -> bool:
    """Whether brackets outside strings are nested more than ``MAX_NESTING`` deep, in linear time."""
    if b"\\" in body:
        body = _ESCAPE.sub(b"", body)
    # Two adjacent quotes end one string and begin the next, or enclose nothing. Removing them moves no bracket into
    # or out of a string, and leaves little to scan.
    skeleton = body.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    depth = 0
    in_string = False
    for character in skeleton:
        if character == 0x22:
            in_string = not in_string
        elif not in_string:
            depth += 1 if character in b"[{" else -1
            if depth > MAX_NESTING:
                return True
    return False


def unreadable(detail: str) -> Problem:
    """The problem of a body that is not JSON within the limits."""
    return Problem(UNREADABLE_BODY, detail)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        seen: set[str] = set()
        # set.add returns None, so the first name that is already there is found.
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise unreadable(f"The name {quoted(twice)} appears twice in one object.")
    return built


def _no_constant(name: str) -> Any:
    raise unreadable(f"The body is not JSON: {name} is not a JSON number.")


class _Unlike(float):
    """A number that a float does not come near, or that only rounding makes whole; it is shown as it was written."""

    literal: str

    def __new__(cls, literal: str) -> "_Unlike":
        made = super().__new__(cls, literal)
        made.literal = literal
        return made

    def __repr__(self) -> str:
        return self.literal


def _number(literal: str) -> float | int:
    """A number with a point or an exponent; whole ones are integers, as in JSON Schema."""
    value = float(literal)
    if isinf(value):
        return _Unlike(literal)
    if abs(value) >= _WHOLE_FLOAT_LIMIT or not value.is_integer():
        return value
    return int(value) if _is_exactly(value, literal) else _Unlike(literal)


def _is_exactly(value: float, literal: str) -> bool:
    try:
        return Decimal(literal) == value
    except InvalidOperation:  # an exponent of 19 digits
        return False


def _counted(literal: str) -> str:
    if sum(character.isdigit() for character in literal) > MAX_DIGITS:
        raise unreadable(f"A number has more than {MAX_DIGITS} digits.")
    return literal


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_no_constant)
# Counting digits costs a call for each number, so this decoder is used only for bodies with a long one.
_counting_decoder = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=lambda literal: int(_counted(literal)),
    parse_float=lambda literal: _number(_counted(literal)),
    parse_constant=_no_constant,
)
