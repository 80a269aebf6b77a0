"""Errors about input: rules, syntax (notation) and legality (positions)."""

import json
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral


class InputError(ValueError):
    """Something the caller sent cannot be used.

    Attributes:
        problems: one or more ``(pointer, detail)`` pairs; a pointer is a JSON pointer (RFC 6901)
            into the request that names the field, such as ``/board/1``.
    """

    def __init__(self, pointer: str, detail: str, *more: tuple[str, str]) -> None:
        self.problems: tuple[tuple[str, str], ...] = ((pointer, detail), *more)
        super().__init__("; ".join(f"{where or 'request'}: {what}" for where, what in self.problems))


class RuleError(InputError):
    """The rules contradict themselves or the board's size."""


class NotationError(InputError):
    """The text or list is not a board or a move: ragged, empty, too large, or with an unknown mark."""


class PositionError(InputError):
    """A well-formed board that no game under these rules can reach, or a move that is not possible there."""


class SettingsError(ValueError):
    """A setting is impossible; the message is one line that names its environment variable."""


WHOLE = (Integral, "a whole number")
SWITCH = (bool, "True or False")


def check_type(name: str, value: object, wanted: tuple[type, str]) -> None:
    """Raise a ``TypeError`` that says what to pass if a value has the wrong type; ``wanted``: the type, and its words.

    NumPy's booleans count as ``bool``; they are recognised by name, so that NumPy isn't imported.
    """
    kind, words = wanted
    # In Python True is an Integral, but nobody means it as a number.
    if not isinstance(value, kind) or (kind is Integral and isinstance(value, bool)):
        if kind is bool and f"{type(value).__module__}.{type(value).__name__}" in ("numpy.bool", "numpy.bool_"):
            return
        raise TypeError(f"{name} is {words}, not {shown(value)}")


QUOTE_LIMIT = 100


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most similar to ``name``, or None if none is as similar as ``cutoff`` (0 to 1)."""
    return next(iter(get_close_matches(name[:QUOTE_LIMIT], known, 1, cutoff)), None)


def quoted(value: object) -> str:
    """Quote a part of the input for an error, in at most ``QUOTE_LIMIT`` characters; null and true as in JSON."""
    if isinstance(value, str):
        # Cut before repr: a long text must not cost time or memory a second time.
        value = value[:QUOTE_LIMIT]
    elif isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value) if value is None or isinstance(value, bool) else one_line(repr(value))
    return text if len(text) <= QUOTE_LIMIT else text[: QUOTE_LIMIT - 1] + "…"


def several(count: int, what: str, form: str = "d", more: str = "") -> str:
    """Return a count with its noun, such as ``1 row`` or ``2 rows``; ``more`` is an irregular plural."""
    return f"{count:{form}} {what if count == 1 else more or what + 's'}"


def shown(value: object) -> str:
    """Return the start of a value's ``repr`` on one line, about a hundred characters at most."""
    return one_line(f"{value!r:.{QUOTE_LIMIT}}")


def one_line(text: object) -> str:
    """Return a text on one line, its unprintable characters escaped, so that it can't control a terminal."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in str(text))
