"""Boards for an exact solver: most of the budget is for a proof, the rest for an estimate if there is no proof."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import KnownBounds, SearchInfo
from kinarow.solvers.common.bounds import Bounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.continuous_fours import solver as continuous_fours
from kinarow.solvers.depth_limited import solver as depth_limited
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.line_masks import solver as line_masks
from kinarow.solvers.maker_breaker import solver as maker_breaker

GAMES_KEPT = 64

PROOF_SHARE = 0.75
"""The part of nodes and time for the proof; without a proof the rest goes to an estimate."""

FIRST_NODES = 20_000
"""Nodes of the exact solver before wins by continuous fours are looked for."""

SOONER_NODES = 100_000
"""The most nodes that look for a sooner win than one by continuous fours."""

ESTIMATE_NODES = 600_000
"""The most nodes reserved for an estimate, about a second of search; more would hardly improve it."""


def fits(rules: Rules) -> bool:
    """Whether one of the exact solvers takes boards of these rules."""
    return _solver(rules) is not None


def needed(rules: Rules) -> set[str]:
    """The folders of the exact solvers that rules that ``fits`` takes may use."""
    solver = _solver(rules)
    if solver is free_placement:
        return {"free_placement"} | ({"maker_breaker"} if maker_breaker.knows(rules) else set())
    return {"gravity" if solver is gravity else "line_masks"}


@lru_cache(maxsize=GAMES_KEPT)
def _solver(rules: Rules) -> Any:
    """The exact solver that suits the rules best, None where none takes them."""
    if free_placement.fits(rules):
        return free_placement
    if gravity.fits(rules):
        return gravity
    return line_masks if not rules.plain and line_masks.fits(rules) else None


@contextmanager
def shared_table(position: Position, nodes: int) -> Iterator[gravity.SharedTable | None]:
    """A table for several searches of an ongoing position and its children with so many nodes each.

    None where the solver shares none between searches.
    """
    if _solver(position.rules) is not gravity:
        yield None
        return
    with gravity.shared_table(position, _proof_nodes(nodes)) as shared:
        yield shared


def iterate(
    position: Position,
    budget: Budget,
    shared: gravity.SharedTable | None = None,
    known: KnownBounds | None = None,
) -> Iterator[SearchInfo]:
    """Search an ongoing position like ``depth_limited.iterate``, but try to prove it first.

    The proof uses a shared table and known bounds, which are given with gravity alone.

    If nodes ended a proof of bounds, or time the choice among equal moves after an exact proof, ``budget.ended_by``
    says so: more nodes may prove more, and another run may choose another move.
    """
    plain = position.rules.plain
    with budget.part(nodes=_proof_nodes(budget.node_limit), time_share=PROOF_SHARE) as part:
        if shared is not None or known is not None:
            bounds = gravity.solve(position, part, shared, known)
        elif plain:
            bounds = _solver(position.rules).solve(position, part)
        else:
            bounds = _prove_shape(position, part)
    proven = _proven(position, bounds)
    if proven is not None:
        part.keep_reason()
        yield proven
        return
    if budget.is_spent():
        return
    for info in (
        depth_limited.iterate(position, budget, None)
        if plain
        else continuous_fours.estimate(position, budget)
    ):
        # A move that is proven not to lose is better than one that only looks better.
        if bounds.lower >= 0 and not info.score.proven:
            estimate = max(info.score.value, 0.0)
            info = replace(
                info, move=bounds.move, score=replace(info.score, value=estimate), line=(bounds.move,)
            )
        yield info


def _prove_shape(position: Position, budget: Budget) -> Bounds:
    """Prove as much as the budget allows on a board of another shape, with the search for continuous fours.

    1. The exact solver for a few nodes: small boards and near wins need no more.
    2. A win by continuous fours.
    3. The exact solver again; after such a win for a few nodes, since a bound on its distance is good enough.
    """
    solver = _solver(position.rules)
    assert solver is not None
    with budget.part(nodes=FIRST_NODES) as part:
        bounds: Bounds = solver.solve(position, part)
    # With the nodes spent, the first of equal moves is not known yet.
    if (bounds.exact and part.finished) or budget.is_spent():
        return bounds
    win = continuous_fours.find_win(position, budget) if continuous_fours.fits(position.rules) else None
    if budget.is_spent():
        return bounds
    if win is None:
        again: Bounds = solver.solve(position, budget)
        return bounds if bounds.exact and not again.exact else again
    by_fours = position.rules.cells + 1 - win.plies
    least = max(bounds.lower, by_fours)
    with budget.part(nodes=SOONER_NODES) as part:
        sooner: Bounds = solver.solve(position, part, least)
    settled = sooner.exact and part.finished
    if settled or sooner.lower > least:
        return sooner
    if bounds.lower > by_fours:
        return bounds
    return Bounds(least, max(least, min(bounds.upper, sooner.upper)), win.line[0], win.line)


def _proof_nodes(nodes: int) -> int:
    return max(1, int(nodes * PROOF_SHARE), nodes - ESTIMATE_NODES)


def _proven(position: Position, bounds: Bounds) -> SearchInfo | None:
    """The outcome that the bounds prove, or None; the distance may be a bound."""
    cells, empties = position.rules.cells, position.empties
    if bounds.exact:
        value = score.proven(bounds.lower, cells, empties)
    elif bounds.lower > 0:
        value = score.proven(bounds.lower, cells, empties, is_bound=True)
    elif bounds.upper < 0:
        value = score.proven(bounds.upper, cells, empties, is_bound=True)
    else:
        return None
    depth = value.distance or 0
    return SearchInfo(bounds.move, value, bounds.line or (bounds.move,), depth)
