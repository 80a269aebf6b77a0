"""What the library's calls take: a position or what describes one, and limits or their fields."""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from kinarow.errors import InputError
from kinarow.game.field_types import check_types
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position, read_start
from kinarow.game.rules import RuleKeywords
from kinarow.search_types import Limits


class LimitKeywords(TypedDict, total=False):
    """The limits of a search by their names."""

    max_nodes: int
    max_depth: int | None
    time_limit_ms: int | None


class GameKeywords(RuleKeywords, LimitKeywords, total=False):
    """The fields of a request that describe a game beside its moves, and limits; ``None`` is a field not given."""

    rows: int | None
    columns: int | None
    layers: int | None
    to_move: str | None
    first: str | None


class PositionKeywords(GameKeywords, total=False):
    """The same for a position, which moves may lead to."""

    moves: object


def position_of(position: object, fields: Mapping[str, Any]) -> Position:
    """The position that a call means.

    Args:
        position: a position; a board as text or rows; or None for the empty board, from which ``moves`` may lead on.
        fields: the keywords of the call.

    Raises:
        TypeError: the position or a keyword has another type, or stands beside a position that says it already.
        InputError: no such position can be.
    """
    return _read(position, fields, read_position)


def start_of(position: object, fields: Mapping[str, Any]) -> Position:
    """The position in which a game begins, by the same arguments."""
    return _read(position, fields, read_start)


def _read(
    position: object, fields: Mapping[str, Any], read: Callable[[dict[str, Any]], Position]
) -> Position:
    if not fields and isinstance(position, Position):
        return position
    given = {name: value for name, value in fields.items() if value is not None}
    known = PositionKeywords.__optional_keys__
    for name in given:
        if name not in known:
            raise TypeError(f"unexpected keyword {name!r}; the keywords are {', '.join(sorted(known))}")
    check_types(given)
    described = {name: value for name, value in given.items() if name not in LimitKeywords.__optional_keys__}
    if isinstance(position, Position):
        if described:
            raise TypeError(f"a Position has its rules and its moves: {', '.join(described)} goes with text")
        return position
    if position is None:
        return read(described)
    if not isinstance(position, str | list | tuple):
        raise TypeError(
            f"pass a Position, or a board as text such as 'X.O/.X./..O' or as rows, not {position!r:.100}"
        )
    return read({"board": position, **described})


def limits_of(limits: object, fields: Mapping[str, Any]) -> Limits:
    """The limits of a call, from ``limits`` or from the keywords of their names.

    Raises:
        TypeError: both are given, or one has another type.
        InputError: a limit is below 1.
    """
    if not fields and isinstance(limits, Limits):
        return limits
    given = {name: fields[name] for name in LimitKeywords.__optional_keys__ if fields.get(name) is not None}
    if limits is None:
        for name, value in given.items():
            if value < 1:
                raise InputError(f"/{name}", f"{name} is 1 or more, not {value}")
        return Limits(**given)
    if given:
        raise TypeError(f"give either limits or {', '.join(sorted(given))}")
    if not isinstance(limits, Limits):
        raise TypeError(f"limits is a kinarow.Limits, or give max_nodes=100_000, not {limits!r:.100}")
    return limits
