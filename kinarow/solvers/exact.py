"""Boards for an exact solver: most of the budget is for a proof, the rest for an estimate if there is no proof."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kinarow import score
from kinarow.position import Position
from kinarow.rules import Rules
from kinarow.search_types import SearchInfo
from kinarow.solvers.common.bounds import Bounds
from kinarow.solvers.common.budget import NO_DEADLINE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED
from kinarow.solvers.depth_limited import solver as depth_limited
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity

PROOF_SHARE = 0.75
"""The part of nodes and time for the proof; without a proof the rest goes to an estimate."""

ESTIMATE_NODES = 600_000
"""The most nodes reserved for an estimate, about a second of search; more would hardly improve it."""


def fits(rules: Rules) -> bool:
    """Whether one of the exact solvers takes boards of these rules."""
    return free_placement.fits(rules) or gravity.fits(rules)


def iterate(position: Position, budget: Any) -> Iterator[SearchInfo]:
    """Search an ongoing position like ``depth_limited.iterate``, but try to prove it first.

    If time ended the choice among equal moves after an exact proof, ``budget.reason`` still says so, since
    another run may choose another move.
    """
    node_limit, deadline = int(budget["node_limit"][0]), int(budget["deadline_ns"][0])
    _limit_to_proof(budget)
    solver = gravity if position.rules.gravity else free_placement
    bounds = solver.solve(position, budget)
    proven = _proven(position, bounds)
    if bounds.exact and budget["reason"][0] == OUT_OF_NODES:
        budget["reason"] = RUNNING
    if proven is not None:
        yield proven
        return
    if budget["reason"][0] == STOPPED:
        return
    if budget["reason"][0] == OUT_OF_TIME:
        budget["late"] = 1
    budget["reason"] = RUNNING
    budget["node_limit"], budget["deadline_ns"] = node_limit, deadline
    for found in depth_limited.iterate(position, budget, None):
        # A move that is proven not to lose is better than one that only looks better.
        if bounds.lower >= 0 and not found.score.proven:
            estimate = max(found.score.value, 0.0)
            found = replace(
                found, move=bounds.move, score=replace(found.score, value=estimate), line=(bounds.move,)
            )
        yield found


def _limit_to_proof(budget: Any) -> None:
    """Reduce a budget to the share for the proof."""
    deadline = int(budget["deadline_ns"][0])
    nodes = int(budget["node_limit"][0])
    budget["node_limit"] = max(1, int(nodes * PROOF_SHARE), nodes - ESTIMATE_NODES)
    if deadline != NO_DEADLINE:
        now = time.monotonic_ns()
        budget["deadline_ns"] = now + int((deadline - now) * PROOF_SHARE)


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
