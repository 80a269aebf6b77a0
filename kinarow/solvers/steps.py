"""The steps of a plan's proof."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinarow.game.position import Position
from kinarow.search_types import KnownBounds
from kinarow.solvers.common.bounds import Bounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.maker_breaker import solver as maker_breaker


@dataclass(slots=True)
class ProofState:
    """A search in progress: its position, limits, and what the steps have proven so far."""

    position: Position
    budget: Budget
    max_depth: int | None = None
    threads: int = 1  # as in ``Limits``
    context: Any = None  # a ``SearchContext``: the table and state of earlier searches
    known: KnownBounds | None = None  # bounds from a book or a strategy
    bounds: Bounds | None = None  # the result of the last exact search; None before the first
    least: int | None = None  # bounds on the value that another step has proven
    most: int | None = None
    safe_move: int | None = None  # a move that guarantees a draw, if ``least`` is 0


Run = Callable[[ProofState, Budget, Any], bool]
"""Narrow ``work.bounds`` within a part of the budget; return True to end the proof. The last argument is
``Step.given``."""


def search_exactly(work: ProofState, part: Budget, solver: Any) -> bool:
    """Search with an exact solver; keep an earlier exact result unless the new one is exact too."""
    if solver is gravity:
        # The context may also be one for large boards, which is of no use here.
        shared = work.context if isinstance(work.context, gravity.SharedTable) else None
        bounds = gravity.solve(work.position, part, shared, work.known, work.threads)
    else:
        bounds = solver.solve(work.position, part, work.least, work.most)
    proven = bounds.exact
    if work.safe_move is not None and not proven and bounds.lower == 0:
        bounds = Bounds(0, bounds.upper, work.safe_move, (work.safe_move,))
    if proven or work.bounds is None or not work.bounds.exact:
        work.bounds = bounds
    # If the budget is spent, the first of equally good moves isn't determined yet.
    return proven and not part.is_spent()


def prove_by_blocking(work: ProofState, part: Budget, share: float) -> bool:
    """Prove a draw, or a bound of 0, by Maker-Breaker searches, each with ``share`` of the nodes left.

    In them one side only blocks: if it can stop every line of the other side, it doesn't lose the real game.
    """
    position, known = work.position, work.known
    if not maker_breaker.fits_position(position):
        return False

    def holds(opponent_is_maker: bool) -> tuple[bool, int | None]:
        nodes = int(part.nodes_left * share)
        return maker_breaker.never_completes(position, part, opponent_is_maker=opponent_is_maker, nodes=nodes)

    safe, move = (True, known.candidates[0]) if known and known.lower == 0 else holds(opponent_is_maker=True)
    if part.is_spent():
        return True
    if not safe and position.rules.cells > WORD_BITS:
        return False  # no exact search follows that could use the other bound
    harmless = (known is not None and known.upper == 0) or holds(opponent_is_maker=False)[0]
    if part.is_spent():
        return True
    if safe and harmless:
        return _drawn(work, move)
    work.least, work.safe_move = (0, move) if safe else (None, None)
    work.most = 0 if harmless else None
    return False


def prove_by_pairing(work: ProofState, part: Budget, _: Any) -> bool:
    """Prove a draw by a pairing strategy."""
    if maker_breaker.cannot_prove(work.position):
        return False
    if not part.visit():
        return True
    move = maker_breaker.find_draw(work.position, part)
    return move is not None and _drawn(work, move)


def cannot_prove(position: Position, step: Any) -> bool:
    """Return True if it is clear without a search that a step of the plan proves nothing."""
    if step.run is prove_by_pairing:
        return maker_breaker.cannot_prove(position)
    return step.run is prove_by_blocking and not maker_breaker.fits_position(position)


def _drawn(work: ProofState, move: int | None) -> bool:
    """Set the result to a draw by ``move``, or by the first legal move, and end the proof."""
    if move is None:
        move = work.position.geometry.first_of(work.position.legal_moves())
    work.bounds = Bounds(0, 0, move, (move,))
    return True
