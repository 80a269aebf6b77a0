"""Proofs for boards past one word: draws by pairings or by mere blocking, and wins within a few plies."""

import time
from typing import Any

from service.engine import score
from service.engine.kernels.control import NO_DEADLINE, OUT_OF_NODES, OUT_OF_TIME, RUNNING, may_visit
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers import blocking, near_wins, pairing
from service.engine.solvers.finding import Finding

PAIRING_SHARE = 0.25
"""The part of the time that pairings may take: more than they need, but on the largest boards with little time."""

NEAR_SHARE = 0.9
"""The part of nodes and time that the search for a near win may use: nearly every such board has one."""

BLOCKING_SHARE = 0.125
"""Each of the two questions of the weaker game may use this part of the nodes, and both of the time."""


def likely(rules: Rules) -> bool:
    """Whether a proof is to be expected of boards with these rules, given some nodes."""
    return near_wins.fits(rules) or (not rules.gravity and rules.goal >= pairing.PATTERN_GOAL)


def finding(position: Position, control: Any) -> Finding | None:
    """The exact value of an ongoing position with a move that keeps it; None where none was proven.

    Args:
        position: the position, of any rules.
        control: the budget of the whole search; ``reason`` says so if it ended here.
    """
    if not may_visit(control[0]):
        return None
    limits = int(control["node_limit"][0]), int(control["deadline_ns"][0])
    move = _paired(position, control)
    _whole(control, limits)
    if move is not None:
        return _draw(position, move)
    if control["reason"][0] != RUNNING:
        return None
    found = None
    if near_wins.fits(position.rules):
        _part(control, NEAR_SHARE)
        found = near_wins.find(position, control, int(limits[0] * NEAR_SHARE))
        _whole(control, limits)
    if found is None and control["reason"][0] == RUNNING and blocking.fits(position):
        _part(control, BLOCKING_SHARE)
        found = _blocked(position, control, int(limits[0] * BLOCKING_SHARE))
        _whole(control, limits)
    return found


def _paired(position: Position, control: Any) -> int | None:
    """A move that keeps a draw proven by pairings, if there is one and the time suffices."""
    _part(control, PAIRING_SHARE)
    try:
        return pairing.find_draw(position, int(control["deadline_ns"][0]))
    except pairing.OutOfTime:
        control["reason"] = OUT_OF_TIME
        return None


def _part(control: Any, share: float) -> None:
    """Bring the end of the time forward to a share of what is left."""
    deadline = int(control["deadline_ns"][0])
    if deadline != NO_DEADLINE:
        now = time.monotonic_ns()
        control["deadline_ns"] = now + int((deadline - now) * share)


def _whole(control: Any, limits: tuple[int, int]) -> None:
    """Give back the whole budget, and forget that a part of it was spent."""
    control["node_limit"], control["deadline_ns"] = limits
    reason = control["reason"][0]
    spent = control["nodes"][0] >= limits[0] if reason == OUT_OF_NODES else time.monotonic_ns() >= limits[1]
    if reason == OUT_OF_TIME:
        control["late"] = 1
    if reason in (OUT_OF_NODES, OUT_OF_TIME) and not spent:
        control["reason"] = RUNNING


def _blocked(position: Position, control: Any, nodes: int) -> Finding | None:
    """A draw that the weaker game of building and blocking proves."""
    safe, move = blocking.never_completes(position, control, opponent_builds=True, nodes=nodes)
    if not safe or not blocking.never_completes(position, control, opponent_builds=False, nodes=nodes)[0]:
        return None
    if move is None:
        move = next(cell for cell in position.geometry.move_order if position.cells[cell] == 0)
    return _draw(position, move)


def _draw(position: Position, move: int) -> Finding:
    """A proven draw."""
    return Finding(move, score.draw(position.empties), (move,), position.empties)
