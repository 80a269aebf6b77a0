"""Reads a request's body as strict JSON; refuses anything else with status 400, 408, 413, 415 or 501."""

import json
import re
from typing import Any

from kinarow.errors import quoted
from service.api.problem_kinds import (
    BODY_TOO_LARGE,
    TOO_SLOW,
    UNREADABLE_BODY,
    UNSUPPORTED_CODING,
    UNSUPPORTED_MEDIA_TYPE,
    Problem,
)
from service.concurrency import time_limit
from service.settings import Settings

MAX_NESTING = 16
MAX_DIGITS = 20

JSON_TYPE = "application/json"
_WHOLE_FLOAT_LIMIT = 2.0**53
"""Below this limit a float represents every whole number exactly, so 5.0 may be read as 5."""

_STRUCTURE = b'[]{}"'
_NOT_STRUCTURE = bytes(set(range(256)) - set(_STRUCTURE))
_PLAIN_LENGTH = re.compile("[0-9]+")
_LENGTH_DIGITS = 12
"""A Content-Length with more digits is refused as too large without being parsed."""
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_LONG_NUMBER = re.compile(rb"[-+.0-9eE]{%d}" % (MAX_DIGITS + 1))


def read_body(environ: dict[str, Any], settings: Settings) -> bytes:
    """The bytes of a JSON body, not yet parsed.

    Werkzeug's own reader costs as much as the whole rest of a cached answer, and it truncates a chunked body
    that is too long instead of refusing it.

    Args:
        settings: the most bytes to read, and the most seconds to wait for them.

    Raises:
        Problem: 415 if it is not declared as JSON in UTF-8, uncompressed; 501 if its transfer coding is not
            ``chunked`` alone; 413 if it is too large; 408 if it arrives too slowly; 400 if it ends early.
    """
    max_bytes = settings.max_body_bytes
    declared = environ.get("CONTENT_TYPE", "")
    if declared != JSON_TYPE and not _is_json(declared):
        what = quoted(declared) if declared else "missing"
        raise Problem(UNSUPPORTED_MEDIA_TYPE, f"Content-Type is {what}; send application/json.")
    coding = environ.get("HTTP_CONTENT_ENCODING")
    if coding and coding.lower() != "identity":
        raise Problem(UNSUPPORTED_MEDIA_TYPE, f"Content-Encoding {quoted(coding)} is not supported.")
    transfer = environ.get("HTTP_TRANSFER_ENCODING")
    if transfer and transfer.strip().lower() != "chunked":
        # gunicorn takes other codings before "chunked" and leaves it to the app to undo them.
        raise Problem(UNSUPPORTED_CODING, f"Transfer-Encoding {quoted(transfer)} is not supported; send chunked.")
    length = environ.get("CONTENT_LENGTH") or ""
    if _PLAIN_LENGTH.fullmatch(length):
        if len(length) > _LENGTH_DIGITS or int(length) > max_bytes:
            raise _too_large(max_bytes)
        return _read(environ, int(length), settings.receive_s, whole=True)
    # Without a length there is a body only if the server marks the end of the stream, as it does for chunks.
    body = _read(environ, max_bytes + 1, settings.receive_s) if environ.get("wsgi.input_terminated") else b""
    if len(body) > max_bytes:
        raise _too_large(max_bytes)
    return body


def _read(environ: dict[str, Any], size: int, seconds: float, *, whole: bool = False) -> bytes:
    """At most ``size`` bytes of the body; with ``whole``, exactly so many."""
    try:
        with time_limit(seconds):
            body: bytes = environ["wsgi.input"].read(size)
    except TimeoutError:
        raise Problem(TOO_SLOW, f"The body did not arrive within {seconds:g} s.") from None
    except Exception:
        # Each server has its own exceptions for a body that ends early or is chunked wrongly.
        raise _unreadable("The body ended early or is not valid chunked encoding.") from None
    if whole and len(body) < size:
        raise _unreadable("The body is shorter than its Content-Length says.")
    return body


def _too_large(max_bytes: int) -> Problem:
    return Problem(BODY_TOO_LARGE, f"The body has more than {max_bytes} bytes.")


def _is_json(declared: str) -> bool:
    """Whether a Content-Type says JSON in UTF-8."""
    media_type, *parameters = (part.strip().lower() for part in declared.split(";"))
    charsets = {part.removeprefix("charset=").strip('"') for part in parameters if part.startswith("charset=")}
    return media_type == JSON_TYPE and charsets <= {"utf-8", "utf8"}


def parse(body: bytes) -> Any:
    """The value of a JSON text.

    Raises:
        Problem: 400, the text is not JSON, or exceeds a limit of this module.
    """
    if not body.strip():
        raise _unreadable("The body is empty.")
    if body.count(b"[") + body.count(b"{") > MAX_NESTING and nested_too_deep(body):
        raise _unreadable(f"The body is nested more than {MAX_NESTING} deep.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(f"The body is not UTF-8: byte {error.start} cannot be read.") from None
    decoder = _counting_decoder if _LONG_NUMBER.search(body) else _decoder
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _unreadable(f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _unreadable(f"The body is nested more than {MAX_NESTING} deep.") from None


def nested_too_deep(body: bytes) -> bool:
    """Whether brackets outside strings are nested more than ``MAX_NESTING`` deep; linear in the body's length."""
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


def _unreadable(detail: str) -> Problem:
    return Problem(UNREADABLE_BODY, detail)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, each name once."""
    built = dict(pairs)
    if len(built) != len(pairs):
        seen: set[str] = set()
        # set.add returns None, so the first name that is already there is found.
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _unreadable(f"The name {quoted(twice)} appears twice in one object.")
    return built


def _no_constant(name: str) -> Any:
    raise _unreadable(f"The body is not JSON: {name} is not a JSON number.")


def _number(literal: str) -> float | int:
    """A number with a point or an exponent; whole ones are integers, as in JSON Schema."""
    value = float(literal)
    return int(value) if abs(value) < _WHOLE_FLOAT_LIMIT and value.is_integer() else value


def _counted(literal: str) -> str:
    """The number itself, unless it has too many digits."""
    if sum(character.isdigit() for character in literal) > MAX_DIGITS:
        raise _unreadable(f"A number has more than {MAX_DIGITS} digits.")
    return literal


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_no_constant)
# Counting digits costs a call for each number, so this decoder is used only for bodies with a long one.
_counting_decoder = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=lambda literal: int(_counted(literal)),
    parse_float=lambda literal: _number(_counted(literal)),
    parse_constant=_no_constant,
)
