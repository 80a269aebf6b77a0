"""Turns the checked fields of a request into a question."""

from typing import Any

from kinarow.contract.problem_kinds import invalid
from kinarow.engine import Question
from kinarow.game.position_fields import read_allowed, read_position, read_start
from kinarow.game.rules import Rules
from kinarow.play.levels import FULL_STRENGTH
from kinarow.search_types import Limits
from kinarow.settings import Settings


def parse_question(fields: dict[str, Any], settings: Settings) -> Question:
    """The question of a checked request, with defaults filled in and caps applied.

    A budget above the server's limit is a ``Problem``, 422; an impossible board, move, rule or side an ``InputError``.
    """
    _check_nodes(fields, settings)
    position = read_position(fields, settings.max_side)
    limits = _parse_limits(fields, position.rules, settings)
    get = fields.get
    return Question(
        position, limits, get("level", FULL_STRENGTH), get("seed"), read_allowed(fields, position), get("top")
    )


def parse_game(fields: dict[str, Any], settings: Settings) -> tuple[Question, Any]:
    """The question of a checked request for a review, at the position before the first move, and the moves.

    The moves are as they were sent; they are read when they are replayed. A budget above the server's limit is a
    ``Problem``, 422; an ``InputError`` names a missing or too large size, or an impossible board, rule or first side.
    """
    _check_nodes(fields, settings)
    start = read_start(fields, settings.max_side)
    return Question(start, _parse_limits(fields, start.rules, settings)), fields["moves"]


def _check_nodes(fields: dict[str, Any], settings: Settings) -> None:
    max_nodes = fields.get("max_nodes", 0)
    if max_nodes > settings.max_nodes:
        raise invalid([("/max_nodes", f"at most {settings.max_nodes} nodes are allowed here, not {max_nodes}")])


def _parse_limits(fields: dict[str, Any], rules: Rules, settings: Settings) -> Limits:
    get = fields.get
    return Limits(
        max_nodes=get("max_nodes") or settings.nodes_by_default(rules),
        max_depth=get("max_depth"),
        time_limit_ms=min(get("time_limit_ms", settings.max_time_ms), settings.max_time_ms),
    )
