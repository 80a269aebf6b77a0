"""The errors of input: rules, syntax (notation) and legality (positions)."""

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


WHOLE = (Integral, "a whole number")
SWITCH = (bool, "True or False")


def check_type(name: str, value: object, wanted: tuple[type, str]) -> None:
    """Refuse a value of the wrong type by a ``TypeError`` that says what to pass; ``wanted``: a type, its words.

    A switch may be one of NumPy, which is not imported for it.
    """
    kind, words = wanted
    # In Python True is a whole number, which nobody means.
    if not isinstance(value, kind) or (kind is Integral and isinstance(value, bool)):
        if kind is bool and f"{type(value).__module__}.{type(value).__name__}" in ("numpy.bool", "numpy.bool_"):
            return
        raise TypeError(f"{name} is {words}, not {shown(value)}")


QUOTE_LIMIT = 100


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most similar to an unknown one, or None below the cutoff (0 to 1)."""
    return next(iter(get_close_matches(name[:QUOTE_LIMIT], known, 1, cutoff)), None)


def quoted(value: object) -> str:
    """Quote a part of the input for an error, at most ``QUOTE_LIMIT`` characters: null and true as in JSON."""
    if isinstance(value, str):
        # Cut before repr: a long text must not cost time or memory a second time.
        value = value[:QUOTE_LIMIT]
    elif isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value) if value is None or isinstance(value, bool) else one_line(repr(value))
    return text if len(text) <= QUOTE_LIMIT else text[: QUOTE_LIMIT - 1] + "…"


def several(count: int, what: str, form: str = "d", more: str = "") -> str:
    """Say a number of things, such as ``1 row`` and ``2 rows``; ``more`` is an irregular plural."""
    return f"{count:{form}} {what if count == 1 else more or what + 's'}"


def shown(value: object) -> str:
    """Write a value as Python does, on one line of at most some hundred characters."""
    return one_line(f"{value!r:.{QUOTE_LIMIT}}")


def one_line(text: object) -> str:
    """Return a text as one line that does nothing to a terminal."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in str(text))
