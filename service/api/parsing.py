"""Turns the checked fields of a request into a position and limits."""

from dataclasses import dataclass, replace
from typing import Any

from kinarow.game.position import Position
from kinarow.game.position_fields import read_allowed, read_position, read_start
from kinarow.game.rules import Rules
from kinarow.search.search import solvable
from kinarow.search_types import Limits
from service.api.problem_kinds import invalid
from service.api.schemas import FULL_STRENGTH
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request to value one position, with everything resolved: defaults filled in, caps applied.

    Attributes:
        position: the board, its rules and the side to move.
        limits: the budget in effect.
        level: 1 to 10.
        seed: makes a varied choice repeatable, or None.
        top: the most moves that an analysis lists; None for all.
        allowed: the moves among which to choose, in tile order; None for all.
    """

    position: Position
    limits: Limits
    level: int
    seed: int | None
    top: int | None
    allowed: tuple[int, ...] | None

    @property
    def repeatable(self) -> bool:
        """Whether the same request always gets the same move."""
        return self.level == FULL_STRENGTH or self.seed is not None


@dataclass(frozen=True, slots=True)
class ParsedGame:
    """A recorded game to be reviewed; its moves are read when they are replayed.

    Attributes:
        start: the position before the first move.
        moves: the field of the request.
        limits: the budget for each position.
    """

    start: Position
    moves: Any
    limits: Limits


def parse_request(fields: dict[str, Any], settings: Settings) -> ParsedRequest:
    """The checked fields of a request with defaults and caps applied; the fields are not changed.

    Raises:
        Problem: 422, the budget is above the server's limit.
        InputError: the board, the moves, the rules or the side to move are impossible.
    """
    _check_nodes(fields, settings)
    position = read_position(fields, settings.max_side)
    limits = _parse_limits(fields, position.rules, settings)
    get = fields.get
    return ParsedRequest(
        position, limits, get("level", FULL_STRENGTH), get("seed"), get("top"), read_allowed(fields, position)
    )


def with_deadline(limits: Limits, deadline_ns: int) -> Limits:
    """The limits with a further end of the time, on the scale of ``time.monotonic_ns()``."""
    return replace(limits, deadline_ns=deadline_ns)


def parse_game(fields: dict[str, Any], settings: Settings) -> ParsedGame:
    """The game of a checked request for a review.

    Raises:
        Problem: 422, the budget is above the server's limit.
        InputError: the size is missing or too large, or the board, the rules or the first side are impossible.
    """
    _check_nodes(fields, settings)
    start = read_start(fields, settings.max_side)
    return ParsedGame(start, fields["moves"], _parse_limits(fields, start.rules, settings))


def _check_nodes(fields: dict[str, Any], settings: Settings) -> None:
    """Refuse a budget above the server's limit."""
    max_nodes = fields.get("max_nodes", 0)
    if max_nodes > settings.max_nodes:
        raise invalid(
            [("/max_nodes", f"at most {settings.max_nodes} nodes are allowed here, not {max_nodes}")]
        )


def _parse_limits(fields: dict[str, Any], rules: Rules, settings: Settings) -> Limits:
    """The budget in effect: the fields of the request, with defaults and caps."""
    get = fields.get
    return Limits(
        max_nodes=get("max_nodes") or settings.nodes_by_default(solvable(rules)),
        max_depth=get("max_depth"),
        time_limit_ms=min(get("time_limit_ms", settings.max_time_ms), settings.max_time_ms),
    )
