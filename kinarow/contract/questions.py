"""Turns requests into questions for the engine."""

from dataclasses import replace

from pydantic import MISSING

from kinarow.contract.problems import invalid
from kinarow.contract.requests import AnalysisRequest, BudgetFields, MoveRequest, Request, ReviewRequest, or_default
from kinarow.engine import Question
from kinarow.game.notation import TILE
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.reading.positions import read_allowed, read_position, read_start
from kinarow.reading.records import Record, read_record
from kinarow.search_types import Limits
from kinarow.settings import Settings


def position_of(request: Request, settings: Settings) -> Position:
    """Return the position of a request; raise ``InputError`` if it is impossible or too large for the settings."""
    return read_position(request.sent(), settings.max_side)


def question_of(request: MoveRequest, settings: Settings) -> Question:
    """Return the question of a request, with defaults filled in and caps applied.

    ``Problem`` 422: a budget above the server's limit. ``InputError``: an impossible board, move or rule.
    """
    _check_nodes(request, settings)
    sent = request.sent()
    position = read_position(sent, settings.max_side)
    time_limit_ms, most_ms = request.time_limit_ms, settings.max_time_ms
    limits = _limits(
        request, position.rules, settings, most_ms if time_limit_ms is MISSING else min(time_limit_ms, most_ms)
    )
    if time_limit_ms is not MISSING and settings.threads != 1:
        # An answer with a time limit varies from machine to machine anyway, so threads may vary it too.
        limits = replace(limits, threads=settings.threads)
    return Question(
        position,
        limits,
        request.level,
        None if request.seed is MISSING else request.seed,
        read_allowed(sent, position),
        or_default(request.top, None) if isinstance(request, AnalysisRequest) else None,
    )


def game_of(request: ReviewRequest, settings: Settings) -> tuple[Question, Record | None]:
    """Return ``(question, record)``: a question about the game's start, and its record, None if it was sent as moves.

    Raises like ``question_of``, also for a missing size, a wrong first side and a record that cannot be read.
    """
    _check_nodes(request, settings)
    sent, record = request.sent(), None
    if request.record is MISSING:
        start = read_start(sent, settings.max_side)
    else:
        record = read_record(request.record, sent, settings.max_side)
        start = record.start
    return Question(start, _limits(request, start.rules, settings, settings.max_time_ms)), record


def cells_of(moves: object, start: Position) -> tuple[int, ...]:
    """Return the cells that the moves of a request mark; raise ``InputError`` at ``/moves/i`` for an impossible one."""
    return tuple(cell for _, cell in start.replay(moves, first_cell=TILE))


def _check_nodes(request: BudgetFields, settings: Settings) -> None:
    """Raise a ``Problem`` if the request asks for more nodes than the settings allow."""
    max_nodes = request.max_nodes
    if max_nodes is not MISSING and max_nodes > settings.max_nodes:
        raise invalid([("/max_nodes", f"at most {settings.max_nodes} nodes are allowed here, not {max_nodes}")])


def _limits(request: BudgetFields, rules: Rules, settings: Settings, time_limit_ms: int) -> Limits:
    """Return the request's limits on nodes and depth, with default nodes, and this time limit."""
    nodes = settings.nodes_by_default(rules) if request.max_nodes is MISSING else request.max_nodes
    return Limits(nodes, None if request.max_depth is MISSING else request.max_depth, time_limit_ms)
