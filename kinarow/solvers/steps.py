"""The steps of a plan that prove something about a position."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from kinarow.game.position import Position
from kinarow.search_types import MAX_LINE, KnownBounds, SearchInfo
from kinarow.solvers.common.bounds import Bounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.continuous_fours import solver as continuous_fours
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.maker_breaker import pairing
from kinarow.solvers.maker_breaker import solver as maker_breaker

SURE_PLIES = 3  # A win by continuous fours within this many plies is the quickest: a win in 1 is found first


@dataclass(slots=True)
class Work:
    """A search in progress: its position, what it may use, and what its steps have proven."""

    position: Position
    budget: Budget
    max_depth: int | None = None
    threads: int = 1  # as in ``Limits``
    context: Any = None  # a ``SearchContext``: the memory of earlier searches
    known: KnownBounds | None = None  # what a book or a strategy knows of the value
    bounds: Bounds | None = None  # the result of the last exact search; None before the first
    least: int | None = None  # other known bounds on the value, for the next exact search
    most: int | None = None
    safe_move: int | None = None  # a move that guarantees a draw, where ``least`` is 0
    proof: SearchInfo | None = None  # a proof that comes with a distance or a line of its own


Run = Callable[[Work, Budget, Any], bool]
"""Narrows ``work.bounds`` within a part of the budget; the last argument is the step's own. True ends the proof."""


def exact(work: Work, part: Budget, solver: Any) -> bool:
    """Search with an exact solver. An earlier exact result stays unless the new one is exact too."""
    if solver is gravity:
        # The memory of a game on a large board is of no use here.
        shared = work.context if isinstance(work.context, gravity.SharedTable) else None
        bounds = gravity.solve(work.position, part, shared, work.known, work.threads)
    else:
        bounds = solver.solve(work.position, part, work.least, work.most)
    proven = bounds.exact
    if work.safe_move is not None and not proven and bounds.lower == 0:
        bounds = Bounds(0, bounds.upper, work.safe_move, (work.safe_move,))
    if proven or work.bounds is None or not work.bounds.exact:
        work.bounds = bounds
    # Without nodes left, the first of equal moves is not known yet.
    return proven and not part.is_spent()


def sooner(work: Work, part: Budget, solver: Any) -> bool:
    """After a win by continuous fours, look briefly for a sooner one: a bound on the distance is good enough."""
    win = work.bounds
    if work.least is None or win is None:
        return False
    found: Bounds = solver.solve(work.position, part, win.lower)
    is_sooner, is_final = found.lower > win.lower, found.exact and not part.is_spent()
    if is_sooner or is_final:
        work.bounds = found
    else:  # the win stays; the search may have shown that none is much sooner
        work.bounds = win._replace(upper=max(win.lower, min(win.upper, found.upper)))
    return True


def fours(work: Work, part: Budget, _: Any) -> bool:
    """Look for a win by continuous fours."""
    win = continuous_fours.find_win(work.position, part)
    if win is None:
        return False
    cells, before = work.position.rules.cells, work.bounds
    lower = cells + 1 - win.plies
    if before is None:
        upper = lower if win.plies <= SURE_PLIES else cells
        work.bounds = Bounds(lower, upper, win.line[0], win.line[:MAX_LINE])
    elif before.lower <= lower:
        work.bounds = Bounds(lower, max(lower, before.upper), win.line[0], win.line)
    work.least = lower
    return False


def blocking(work: Work, part: Budget, share: float) -> bool:
    """Ask, for each side, whether the other can keep it from every line by blocking alone: a draw, or a bound of 0.

    Each of the two Maker-Breaker searches may use ``share`` of the remaining nodes.
    """
    known = work.known
    safe, move = known is not None and known.lower == 0, None
    if known is not None and safe:
        move = known.candidates[0]
    else:
        nodes = int(part.nodes_left * share)
        safe, move = maker_breaker.never_completes(work.position, part, opponent_is_maker=True, nodes=nodes)
    if part.is_spent():
        return True
    harmless = known is not None and known.upper == 0
    if not harmless:
        nodes = int(part.nodes_left * share)
        harmless, _ = maker_breaker.never_completes(work.position, part, opponent_is_maker=False, nodes=nodes)
    if part.is_spent():
        return True
    if safe and harmless:
        line = maker_breaker.drawing_line(work.position, part, move)
        work.bounds = Bounds(0, 0, line[0], line)
        return True
    work.least, work.safe_move = (0, move) if safe else (None, None)
    work.most = 0 if harmless else None
    return False


def blocked(work: Work, part: Budget, share: float) -> bool:
    """A draw by blocking alone. Each of the two Maker-Breaker searches may use ``share`` of all nodes."""
    position, nodes = work.position, int(part.node_limit * share)
    if not maker_breaker.fits(position):
        return False
    safe, move = maker_breaker.never_completes(position, part, opponent_is_maker=True, nodes=nodes)
    if not safe or not maker_breaker.never_completes(position, part, opponent_is_maker=False, nodes=nodes)[0]:
        return False
    return _drawn(work, position.geometry.first_of(position.legal_moves()) if move is None else move)


def paired(work: Work, part: Budget, _: Any) -> bool:
    """A draw by pairings."""
    if not part.visit():
        return True
    try:
        move = pairing.find_draw(work.position, part)
    except pairing.BudgetSpent:
        move = None
    return move is not None and _drawn(work, move)


HOPELESS: dict[Any, Callable[[Position], bool]] = {
    paired: pairing.hopeless,
    blocked: lambda position: not maker_breaker.fits(position),
}
"""For steps that a position may show at once to prove nothing: whether it does."""


def _drawn(work: Work, move: int) -> bool:
    work.bounds = Bounds(0, 0, move, (move,))
    return True


def whole_game(work: Work, part: Budget, iterate: Callable[[Work], Iterator[SearchInfo]]) -> bool:
    """Search to the end of the game."""
    work.proof = next((info for info in iterate(replace(work, budget=part)) if info.score.proven), None)
    return work.proof is not None
