"""The table of plans: which solvers search a board, in which order, and with which part of the budget.

A plan first tries to prove the value in several steps, then estimates it with the rest of the budget. The plan for some
rules is the first row of ``PLANS`` that takes them; the last row takes all rules. ``plan_of`` drops the steps whose
solvers don't support the rules.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.search_types import Limits, SearchInfo
from kinarow.solvers import steps
from kinarow.solvers.common.budget import Budget, Part
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.line_masks import solver as line_masks
from kinarow.solvers.maker_breaker import solver as maker_breaker
from kinarow.solvers.maker_breaker.layout import TILING_GOAL
from kinarow.solvers.reference import solver as reference

PLANS_KEPT = 256
WORD_CELLS = 64  # The most cells of a bitboard
SMALL_CELLS = 36  # Boards up to this size are estimated by the line heuristic, larger ones by the network
WON_GOAL = 4  # Up to this goal the first player usually wins, and soon
FIRST_NODES = 20_000  # Nodes of a first exact search, which are enough for small boards and near wins
USUAL_PART = 0.25  # The part of nodes and time that is kept for an estimate, in case the proof fails
LARGE_PART = 0.875  # The same where proofs usually fail
ESTIMATE_NODES = 600_000  # The most nodes kept as the usual part (about a second): more hardly improve an estimate


class Step(NamedTuple):
    """A step of a proof, with its limits."""

    run: steps.Run
    solver: str  # the name of its folder
    knows: Callable[[Rules], bool]  # True if the solver supports the rules
    given: Any = None  # the last argument of ``run``
    nodes: int | None = None
    time: float | None = None  # as a share of the time left

    def part(self, budget: Budget) -> AbstractContextManager[Budget]:
        """Return a context manager that limits a budget to this step's part."""
        return nullcontext(budget) if self.nodes is self.time is None else Part(budget, self.nodes, self.time)


class Estimate(NamedTuple):
    """A search that estimates the value, in iterations."""

    run: Callable[[steps.ProofState], Iterator[SearchInfo]]
    solver: str  # the name of its folder


def _exact(solver: Any, nodes: int | None = None) -> Step:
    """Return the step of an exact solver's module."""
    return Step(steps.search_exactly, solver.__name__.split(".")[-2], solver.fits, solver, nodes)


def _blocking(share: float) -> Step:
    return Step(steps.prove_by_blocking, "maker_breaker", maker_breaker.fits, share)


BY_LINES = Estimate(lambda work: line_counts.iterate(work.position, work.budget, work.max_depth), "line_counts")
BY_NETWORK = Estimate(
    lambda work: large_boards.iterate(work.position, work.budget, work.context, threads=work.threads), "large_boards"
)
OF_ALL_MOVES = Estimate(
    lambda work: large_boards.iterate(work.position, work.budget, fixed_depth=True, max_depth=work.max_depth),
    "large_boards",
)
REFERENCE = Estimate(lambda work: reference.iterate(work.position, work.budget, work.max_depth), "reference")

ON_LARGE_BOARDS = (
    Step(
        steps.prove_by_pairing, "maker_breaker", maker_breaker.knows_pairings, time=0.25
    ),  # more than most boards need
    Step(steps.prove_by_blocking, "maker_breaker", maker_breaker.fits, 0.125, time=0.125),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How boards of some rules are searched."""

    takes: Callable[[Rules], bool]  # True if the plan is for these rules
    proof: tuple[Step, ...] = ()  # the steps of the proof, in order
    kept: float = 0.0  # the part of nodes and time that is kept for an estimate, in case the proof fails
    soon: int = WORD_CELLS  # boards up to this many cells are usually proven within seconds, if they can be
    provable: int = WORD_CELLS  # boards up to this many cells can be proven with a large budget
    estimate: Estimate = REFERENCE  # ``plan_of`` sets it by the rules

    @property
    def exact(self) -> bool:
        """True if an exact solver takes part."""
        return any(step.run is steps.search_exactly for step in self.proof)

    @property
    def by_network(self) -> bool:
        """True if the large-board search estimates; all others use the line heuristic, which has another scale."""
        return self.estimate.solver == "large_boards"

    @property
    def solvers(self) -> set[str]:
        """The names (folders) of all solvers that the plan may use."""
        return {self.estimate.solver, *(step.solver for step in self.proof)}

    def proof_nodes(self, nodes: int) -> int | None:
        """Return how many of a budget's nodes are for the proof; None if all are."""
        if not self.kept:
            return None
        usual = int(nodes * (1 - self.kept))
        return max(1, usual, nodes - ESTIMATE_NODES) if self.kept == USUAL_PART else max(1, usual)

    def part_for_proof(self, budget: Budget) -> Part:
        """Return a context manager that limits a budget to the part for the proof."""
        return Part(budget, self.proof_nodes(budget.node_limit), 1 - self.kept if self.kept else None)


def _is_short_goal(rules: Rules) -> bool:
    return rules.goal <= WON_GOAL and not rules.misere and not rules.exact_goal


def _by_network(rules: Rules) -> bool:
    if not large_boards.fits(rules) or rules.cells <= SMALL_CELLS:
        return False
    return rules.cells > WORD_CELLS or (rules.plain and not (rules.misere or gravity.fits(rules)))


def _estimate(rules: Rules, cutoff: bool) -> Estimate:
    """Return the search that estimates boards of these rules; with ``cutoff`` it is a search to a given depth."""
    if _by_network(rules) and not cutoff:
        return BY_NETWORK
    if rules.renju and large_boards.fits(rules):
        return OF_ALL_MOVES
    # With shared marks every estimate is 0.
    return BY_LINES if line_counts.fits(rules) else REFERENCE


PLANS = (
    # Boards of one word. Other shapes may have many more lines, so that nodes of a Maker-Breaker game take longer.
    Plan(
        lambda r: r.plain and free_placement.fits(r),
        (_exact(free_placement, FIRST_NODES), _blocking(1 / 2), _exact(free_placement)),
        USUAL_PART,
    ),
    Plan(
        free_placement.fits,
        (_exact(free_placement, FIRST_NODES), _blocking(1 / 8), _exact(free_placement)),
        USUAL_PART,
        soon=SMALL_CELLS,
    ),
    Plan(gravity.fits, (_exact(gravity),), USUAL_PART),
    Plan(lambda r: line_masks.fits(r) and _by_network(r), (_exact(line_masks),), LARGE_PART, soon=SMALL_CELLS),
    Plan(line_masks.fits, (_exact(line_masks),), USUAL_PART, soon=SMALL_CELLS),
    # Renju and Caro, which no exact solver supports: small boards are searched to the end of the game.
    Plan(lambda r: (r.renju or r.caro) and _by_network(r), provable=0),
    Plan(lambda r: r.renju and large_boards.fits(r)),
    # Larger boards.
    Plan(
        lambda r: _by_network(r) and r.plain and not r.gravity and (r.goal >= TILING_GOAL or _is_short_goal(r)),
        ON_LARGE_BOARDS,
        soon=MAX_CELLS,
        provable=MAX_CELLS,
    ),
    Plan(_by_network, ON_LARGE_BOARDS, provable=0),
    Plan(line_counts.fits, soon=SMALL_CELLS),
    # Rules that no fast solver supports.
    Plan(lambda r: True, soon=0),
)


@lru_cache(maxsize=PLANS_KEPT)
def plan_of(rules: Rules, cutoff: bool = False) -> Plan:
    """Return the plan for boards of these rules; with ``cutoff`` that of a search to a given depth, without a proof."""
    estimate = _estimate(rules, cutoff)
    if cutoff:
        return Plan(lambda r: True, estimate=estimate)
    plan = next(plan for plan in PLANS if plan.takes(rules))
    proof = [step for step in plan.proof if step.knows(rules)]
    # Two exact searches with nothing between them are one.
    if [step.run for step in proof] == [steps.search_exactly, steps.search_exactly]:
        del proof[0]
    return replace(plan, proof=tuple(proof), estimate=estimate)


def cuts_off(position: Position, limits: Limits) -> bool:
    """Return True if ``max_depth`` ends a search of an ongoing position before the end of the game."""
    return limits.max_depth is not None and limits.max_depth < position.empties
