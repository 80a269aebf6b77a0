"""Proofs of draws on large boards, by pairings or by the Maker-Breaker game."""

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import SearchInfo
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.maker_breaker import pairing
from kinarow.solvers.maker_breaker import solver as maker_breaker

PAIRING_SHARE = 0.25  # The part of the time for pairings: more than they need, but for the largest boards
WON_GOAL = 4  # Lines up to this long usually win, and soon
MAKER_BREAKER_SHARE = 0.125  # The part of the nodes for each of two Maker-Breaker searches, and of the time for both


def likely(rules: Rules) -> bool:
    """Whether a search with an ordinary budget usually proves boards of these rules."""
    if not rules.plain or rules.gravity:
        return False
    return rules.goal >= pairing.TILING_GOAL or (rules.goal <= WON_GOAL and not (rules.misere or rules.exact_goal))


def needed(rules: Rules) -> set[str]:
    """The folders of the solvers that a proof for positions of these rules may use."""
    return {"maker_breaker"} if maker_breaker.knows(rules) else set()


def prove(position: Position, budget: Budget) -> SearchInfo | None:
    """The exact value of an ongoing position with a move that keeps it, or None; the whole budget may be spent."""
    if not budget.visit():
        return None
    with budget.part(time_share=PAIRING_SHARE) as part:
        move = _paired(position, part)
    if move is not None:
        return _draw(position, move)
    if budget.is_spent():
        return None
    if not maker_breaker.fits(position):
        return None
    with budget.part(time_share=MAKER_BREAKER_SHARE) as part:
        return _blocked(position, part, int(part.node_limit * MAKER_BREAKER_SHARE))


def _paired(position: Position, budget: Budget) -> int | None:
    """A move that keeps a draw proven by pairings; None if they prove no draw, or not in time."""
    try:
        return pairing.find_draw(position, budget)
    except pairing.BudgetSpent:
        return None


def _blocked(position: Position, budget: Budget, nodes: int) -> SearchInfo | None:
    """A draw proven by the Maker-Breaker game."""
    safe, move = maker_breaker.never_completes(position, budget, opponent_is_maker=True, nodes=nodes)
    if not safe or not maker_breaker.never_completes(position, budget, opponent_is_maker=False, nodes=nodes)[0]:
        return None
    if move is None:
        move = position.geometry.first_of(position.legal_moves())
    return _draw(position, move)


def _draw(position: Position, move: int) -> SearchInfo:
    return SearchInfo(move, score.draw(position.empties), (move,), position.empties)
