"""The types of the fields that the library takes as keywords; the service checks those of a request by its models."""

from collections.abc import Mapping, Set
from typing import Any

from kinarow.errors import SWITCH, WHOLE, check_type
from kinarow.game.rules import RULES

_WANTED: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("rows", "columns", "layers", "level", "seed", "live_moves"), WHOLE),
    **dict.fromkeys(("max_nodes", "max_depth", "time_limit_ms", "total_time_ms"), WHOLE),
    **{name: rule.wanted for name, rule in RULES.items()},
    **dict.fromkeys(("composed", "values", "empty_is_start"), SWITCH),
    "prefix": (str, "a text"),
    "error_column": (str, "the name of a column"),
    "game": (str, "the name of a game, such as 'connect-four'"),
}


def check_fields(fields: Mapping[str, Any], known: Set[str]) -> None:
    """Refuse a keyword that is not known, and a field of the wrong type, by a ``TypeError`` that says what to pass.

    ``None`` is a field not given.
    """
    for name, value in fields.items():
        if name not in known:
            raise TypeError(f"unexpected keyword {name!r}; the keywords are {', '.join(sorted(known)) or 'none'}")
        if value is not None and name in _WANTED:
            check_type(name, value, _WANTED[name])
