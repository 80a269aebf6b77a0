"""The values of JSON lines: their own text, the types of their columns, and other values as JSON."""

import base64
import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

MAX_DIGITS = 4300  # Python reads longer whole numbers only where it is told to

# ---------------------------------------------------------------- read


class _Repeated(dict[str, Any]):
    """An object in which a name is there twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    return built if len(built) == len(pairs) else _Repeated(built)


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= MAX_DIGITS else text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON; write null or a text")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_constant)
_skipper = json.JSONDecoder(parse_int=str, parse_float=str)
_BETWEEN = " \t\r\n,:"


def read_object(line: str) -> dict[str, Any] | str:
    """The object of a line, or why it has none."""
    if not line.strip():
        return "the line is empty"
    try:
        row = _decoder.decode(line)
    except RecursionError:
        return "not JSON: it is nested too deep"
    except ValueError as failure:
        return f"not JSON: {failure}"
    if not isinstance(row, dict):
        return "not a JSON object"
    return "a name is there twice" if isinstance(row, _Repeated) else row


def texts_of(line: str) -> dict[str, str]:
    """The text of each value of a line that ``read_object`` takes, by its name."""
    texts: dict[str, str] = {}
    at = _next(line, line.index("{") + 1)
    while line[at] != "}":
        name, end = _skipper.raw_decode(line, at)
        at = _next(line, end)
        _, end = _skipper.raw_decode(line, at)
        texts[name] = line[at:end]
        at = _next(line, end)
    return texts


def _next(line: str, at: int) -> int:
    """Where the next name or value of an object begins, or where it ends."""
    while line[at] in _BETWEEN:
        at += 1
    return at


# ---------------------------------------------------------------- types of columns


class Kind(NamedTuple):
    """A type of a column, and what makes its value of the JSON text of one."""

    type: pa.DataType
    read: Callable[[str], Any]


KINDS = {
    "integer": Kind(pa.int64(), int),
    "number": Kind(pa.float64(), float),
    "boolean": Kind(pa.bool_(), "true".__eq__),
    "string": Kind(pa.string(), json.loads),
    "json": Kind(pa.string(), str),
}
"""The types of columns, in order of preference; ``json`` keeps the text of every value."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Columns:
    """The columns of JSON lines, in the order in which they appear, and which types all their values have."""

    def __init__(self) -> None:
        self._kinds: dict[str, frozenset[str]] = {}

    def add(self, texts: dict[str, str]) -> None:
        """Take the values of a row."""
        for name, text in texts.items():
            before = self._kinds.get(name)
            if before is None:
                self._kinds[name] = kinds_of(text)
            elif before:
                self._kinds[name] = before & kinds_of(text)

    def types(self) -> dict[str, Kind]:
        """Each column with its type."""
        return {
            name: KINDS[next((kind for kind in KINDS if kind in found), "json")] for name, found in self._kinds.items()
        }


def column_name(name: str) -> str:
    """The name of a column for a name in an object."""
    return name if is_unicode(name) else json.dumps(name)


def kinds_of(text: str) -> frozenset[str]:
    """The types that hold the value of a JSON text exactly, apart from ``json``."""
    if text[0] == '"':
        return frozenset() if _SURROGATE.search(text) and not is_unicode(json.loads(text)) else frozenset({"string"})
    if text in ("true", "false"):
        return frozenset({"boolean"})
    if text[0] not in "-0123456789":
        return frozenset()
    whole = text.lstrip("-").isdigit() and text != "-0" and len(text) <= 20 and -(2**63) <= int(text) < 2**63
    return frozenset({"integer"} if whole else ()) | frozenset({"number"} if _is_double(text) else ())


def _is_double(text: str) -> bool:
    """Whether the double next to a number is that number, or is written as it is."""
    value = float(text)
    if value == 0:
        return not re.search("[1-9]", re.split("[eE]", text)[0])
    return repr(value) == text or (math.isfinite(value) and Decimal(text) in (Decimal(repr(value)), Decimal(value)))


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogate, which no UTF-8 has."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# ---------------------------------------------------------------- write


def as_json(value: Any) -> str:
    """A value as JSON. What JSON lacks is text: NaN and infinities by their names, bytes in base64, others as shown."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_as_text)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_as_text)


def _as_text(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def plain(table: pa.Table) -> pa.Table:
    """A table whose times are text, since Python has none with nanoseconds."""
    return table.cast(pa.schema([field.with_type(_plain_type(field.type)) for field in table.schema]))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain_type(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), _plain_type(kind.item_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_type(kind.value_type))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_type(kind.value_type), kind.list_size)
    return pa.list_(_plain_type(kind.value_type)) if pa.types.is_list(kind) else kind
