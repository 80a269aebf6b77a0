"""Proofs for large boards: draws by pairings or by the Maker-Breaker game, and wins within a few plies."""

from typing import Any

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import SearchInfo
from kinarow.solvers.common.budget import OUT_OF_TIME, RUNNING, limit_to_share, may_visit, restore_limits
from kinarow.solvers.maker_breaker import pairing
from kinarow.solvers.maker_breaker import solver as maker_breaker
from kinarow.solvers.short_wins import solver as short_wins

PAIRING_SHARE = 0.25
"""The part of the time for pairings: more than they need, except on the largest boards with little time."""

SHORT_WINS_SHARE = 0.9
"""The part of nodes and time for the search for a short win: nearly every such board has one."""

MAKER_BREAKER_SHARE = 0.125
"""The part of the nodes for each of the two searches of the Maker-Breaker game, and of the time for both."""


def likely(rules: Rules) -> bool:
    """Whether a proof can be expected on boards with these rules, given some nodes."""
    return short_wins.fits(rules) or (rules.plain and not rules.gravity and rules.goal >= pairing.TILING_GOAL)


def prove(position: Position, budget: Any) -> SearchInfo | None:
    """The exact value of an ongoing position with a move that keeps it; None if nothing was proven.

    Args:
        position: the position, of any rules.
        budget: the budget of the whole search; ``reason`` says so if it ended here.
    """
    if not may_visit(budget[0]):
        return None
    limits = int(budget["node_limit"][0]), int(budget["deadline_ns"][0])
    move = _paired(position, budget)
    restore_limits(budget, limits)
    if move is not None:
        return _draw(position, move)
    if budget["reason"][0] != RUNNING:
        return None
    found = None
    if short_wins.fits(position.rules):
        limit_to_share(budget, SHORT_WINS_SHARE)
        found = short_wins.prove(position, budget, int(limits[0] * SHORT_WINS_SHARE))
        restore_limits(budget, limits)
    if found is None and budget["reason"][0] == RUNNING and maker_breaker.fits(position):
        limit_to_share(budget, MAKER_BREAKER_SHARE)
        found = _blocked(position, budget, int(limits[0] * MAKER_BREAKER_SHARE))
        restore_limits(budget, limits)
    return found


def _paired(position: Position, budget: Any) -> int | None:
    """A move that keeps a draw proven by pairings; None if they prove no draw, or not in time."""
    limit_to_share(budget, PAIRING_SHARE)
    try:
        return pairing.find_draw(position, int(budget["deadline_ns"][0]))
    except pairing.OutOfTime:
        budget["reason"] = OUT_OF_TIME
        return None


def _blocked(position: Position, budget: Any, nodes: int) -> SearchInfo | None:
    """A draw proven by the Maker-Breaker game."""
    safe, move = maker_breaker.never_completes(position, budget, opponent_is_maker=True, nodes=nodes)
    if (
        not safe
        or not maker_breaker.never_completes(position, budget, opponent_is_maker=False, nodes=nodes)[0]
    ):
        return None
    if move is None:
        move = position.geometry.first_of(position.legal_moves())
    return _draw(position, move)


def _draw(position: Position, move: int) -> SearchInfo:
    """A proven draw."""
    return SearchInfo(move, score.draw(position.empties), (move,), position.empties)
