"""The types of the fields that the library takes as keywords; the service checks those of a request by its models."""

from collections.abc import Mapping, Sequence, Set
from numbers import Integral
from typing import Any

from kinarow.game.rules import RULES, Rule


def _wanted(rule: Rule) -> tuple[type, str]:
    match rule.kind:
        case "integer":
            return Integral, "a whole number"
        case "switch":
            return bool, "True or False"
        case "choice":
            *most, last = map(repr, rule.choices)
            return str, f"{', '.join(most)} or {last}"
    return Sequence, f"a list of {rule.name}, such as {list(rule.choices[:2])}"


_WANTED: dict[str, tuple[type, str]] = {
    **dict.fromkeys(
        ("rows", "columns", "layers", "max_nodes", "max_depth", "time_limit_ms", "level", "seed"),
        (Integral, "a whole number"),
    ),
    **{name: _wanted(rule) for name, rule in RULES.items()},
    "composed": (bool, "True or False"),
    "game": (str, "the name of a game, such as 'connect-four'"),
}


def check_fields(fields: Mapping[str, Any], known: Set[str]) -> None:
    """Refuse a keyword that is not known, and a field of the wrong type, by a ``TypeError`` that says what to pass.

    ``None`` is a field not given.
    """
    for name, value in fields.items():
        if name not in known:
            raise TypeError(f"unexpected keyword {name!r}; the keywords are {', '.join(sorted(known))}")
        if value is None or name not in _WANTED:
            continue
        kind, words = _WANTED[name]
        # In Python True is a whole number, which nobody means.
        if not isinstance(value, kind) or (kind is Integral and isinstance(value, bool)):
            raise TypeError(f"{name} is {words}, not {value!r:.100}")
