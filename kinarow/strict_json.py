"""Strict JSON: UTF-8, no name twice in an object, no NaN; for requests also limits on nesting and digits."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from math import isinf
from typing import Any

from kinarow.errors import quoted

MAX_NESTING = 16
MAX_DIGITS = 20

_WHOLE_FLOAT_LIMIT = 2.0**53  # below it a float represents every whole number exactly, so 5.0 may be read as 5
_MOST_DIGITS = 4300  # Python's own limit for the digits of an integer
_STRUCTURE = b'[]{}"'
_NOT_STRUCTURE = bytes(set(range(256)) - set(_STRUCTURE))
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_LONG_NUMBER = re.compile(rb"[-+.0-9eE]{%d}" % (MAX_DIGITS + 1))


class NotJson(ValueError):
    """The text is not strict JSON; the message is a clause that says why."""


def parse(text: bytes, subject: str = "it", *, limited: bool = False) -> Any:
    """Return the value of a JSON text, which may begin with a byte-order mark; ``NotJson`` names it as ``subject``.

    A ``limited`` text may be nested at most ``MAX_NESTING`` deep, and its numbers have at most ``MAX_DIGITS`` digits.
    """
    text = text.removeprefix(BOM_UTF8)
    if not text.strip():
        raise NotJson(f"{subject} is empty")
    if limited and text.count(b"[") + text.count(b"{") > MAX_NESTING and nested_too_deep(text):
        raise NotJson(f"{subject} is nested more than {MAX_NESTING} deep")
    decoder = _decoder
    if _LONG_NUMBER.search(text):
        decoder = _counting_decoder if limited else _long_decoder
    try:
        return decoder.decode(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotJson(f"{subject} is not UTF-8: byte {error.start} cannot be read") from None
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise NotJson(f"{subject} is not JSON: {what} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotJson(f"{subject} is nested too deep") from None


def nested_too_deep(text: bytes) -> bool:
    """Return True if brackets outside strings are nested more than ``MAX_NESTING`` deep, in linear time."""
    if b"\\" in text:
        text = _ESCAPE.sub(b"", text)
    # Two adjacent quotes end one string and begin the next, or enclose nothing. Removing them moves no bracket into
    # or out of a string, and leaves little to scan.
    skeleton = text.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object as a dict; raise ``NotJson`` if a name appears twice."""
    built = dict(pairs)
    if len(built) != len(pairs):
        seen: set[str] = set()
        # set.add returns None, so the first name that is already there is found.
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise NotJson(f"the name {quoted(twice)} appears twice in one object")
    return built


def _no_constant(name: str) -> Any:
    raise NotJson(f"{name} is not a JSON number")


class _Unlike(float):
    """A number too large for a float, or one that only rounding makes whole; its ``repr`` is the text as written."""

    literal: str

    def __new__(cls, literal: str) -> "_Unlike":
        made = super().__new__(cls, literal)
        made.literal = literal
        return made

    def __repr__(self) -> str:
        return self.literal


def _number(literal: str) -> float | int:
    """Return the value of a number with a point or an exponent; an ``int`` if it is whole, as in JSON Schema."""
    value = float(literal)
    if isinf(value):
        return _Unlike(literal)
    if abs(value) >= _WHOLE_FLOAT_LIMIT or not value.is_integer():
        return value
    try:
        is_exact = Decimal(literal) == value
    except InvalidOperation:  # an exponent of 19 digits
        is_exact = False
    return int(value) if is_exact else _Unlike(literal)


def _counted(literal: str) -> str:
    """Return the number's text; raise ``NotJson`` if it has more than ``MAX_DIGITS`` digits."""
    if sum(character.isdigit() for character in literal) > MAX_DIGITS:
        raise NotJson(f"a number has more than {MAX_DIGITS} digits")
    return literal


def _decoder_of(parse_int: Callable[[str], Any], parse_float: Callable[[str], Any]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_object, parse_int=parse_int, parse_float=parse_float, parse_constant=_no_constant
    )


_decoder = _decoder_of(int, _number)
# These call a Python function for each integer, so they are used only for texts with a long number.
_counting_decoder = _decoder_of(lambda literal: int(_counted(literal)), lambda literal: _number(_counted(literal)))
_long_decoder = _decoder_of(lambda literal: int(literal) if len(literal) <= _MOST_DIGITS else literal, _number)
