"""Boards of at most 64 cells: a proof within most of the budget, else the best estimate the rest of it buys."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from service.engine import score
from service.engine.kernels.control import NO_DEADLINE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, STOPPED
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers import line_table, word_free, word_gravity
from service.engine.solvers.finding import Finding
from service.engine.solvers.verdict import Verdict

PROOF_SHARE = 0.75
"""The part of nodes and time that the proof may use; the rest buys an estimate where there is none."""

ESTIMATE_NODES = 600_000
"""The most nodes kept back for an estimate: about a second; what more of them sees is little."""


def fits(rules: Rules) -> bool:
    """Whether boards of these rules can be solved here."""
    return word_free.fits(rules) or word_gravity.fits(rules)


def findings(position: Position, control: Any) -> Iterator[Finding]:
    """Search an ongoing position as ``line_table.findings`` does, but to prove it.

    After an exact proof ``control.reason`` still says so where the clock cut the choice among equal
    moves short, since that answer may differ another time.
    """
    node_limit, deadline = int(control["node_limit"][0]), int(control["deadline_ns"][0])
    verdict = _prove(position, control)
    proven = _proven(position, verdict)
    if verdict.exact and control["reason"][0] == OUT_OF_NODES:
        control["reason"] = RUNNING
    if proven is not None:
        yield proven
        return
    if control["reason"][0] == STOPPED:
        return
    if control["reason"][0] == OUT_OF_TIME:
        control["late"] = 1
    control["reason"] = RUNNING
    control["node_limit"], control["deadline_ns"] = node_limit, deadline
    for found in line_table.findings(position, control, None):
        # A move that is known not to lose beats one that only looks better.
        if verdict.lower >= 0 and not found.score.proven:
            estimate = max(found.score.value, 0.0)
            found = replace(
                found, move=verdict.move, score=replace(found.score, value=estimate), line=(verdict.move,)
            )
        yield found


def _prove(position: Position, control: Any) -> Verdict:
    """Run the exact solver on its share of the budget."""
    deadline = int(control["deadline_ns"][0])
    nodes = int(control["node_limit"][0])
    control["node_limit"] = max(1, int(nodes * PROOF_SHARE), nodes - ESTIMATE_NODES)
    if deadline != NO_DEADLINE:
        now = time.monotonic_ns()
        control["deadline_ns"] = now + int((deadline - now) * PROOF_SHARE)
    solver = word_gravity if position.rules.gravity else word_free
    return solver.solve(position, control)


def _proven(position: Position, verdict: Verdict) -> Finding | None:
    """What the verdict proves of the outcome, if anything; the distance may be a bound."""
    cells, empties = position.rules.cells, position.empties
    if verdict.exact:
        value = score.proven(verdict.lower, cells, empties)
    elif verdict.lower > 0:
        value = score.proven(verdict.lower, cells, empties, is_bound=True)
    elif verdict.upper < 0:
        value = score.proven(verdict.upper, cells, empties, is_bound=True)
    else:
        return None
    depth = value.distance or 0
    return Finding(verdict.move, value, verdict.line or (verdict.move,), depth)
