"""Searches a position by its plan, and answers questions about plans. It hides the solvers from the rest of kinarow.

``bulk`` does the same for many positions.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from kinarow.search_types import NANOSECONDS_PER_MS, KnownBounds, Limits, SearchContext, SearchInfo
from kinarow.solvers import steps
from kinarow.solvers.common.budget import NO_DEADLINE, Budget
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.large_boards.solver import FoundAfterMove as FoundAfterMove
from kinarow.solvers.large_boards.solver import MoveSearches as MoveSearches
from kinarow.solvers.large_boards.solver import QuickMoveValues as QuickMoveValues
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.plans import BY_NETWORK, PLANS_KEPT, REFERENCE, cuts_off, plan_of
from kinarow.solvers.reference import solver as reference
from kinarow.solvers.steps import ProofState

SOLVERS = ("free_placement", "maker_breaker", "line_counts", "gravity", "large_boards", "line_masks")
"""All solvers with kernels (names of folders), the most used first."""


def new_budget(limits: Limits, deadline_ns: int | None) -> Budget:
    """Return the budget of a search."""
    return Budget(limits.max_nodes, NO_DEADLINE if deadline_ns is None else deadline_ns)


def run_plan(
    position: Position, limits: Limits, budget: Budget, context: SearchContext | None, known: KnownBounds | None = None
) -> Iterator[SearchInfo]:
    """Yield the results of the plan for a position: one proof, or else the iterations of an estimate.

    After a proof of mere bounds ``budget.ended_by`` is ``nodes`` if a larger budget may prove more. After an exact
    proof it is ``time`` if the clock ended the choice among equally good moves: another run may choose another one.

    Args:
        context: the table and state of earlier searches, from ``new_context`` or ``shared_table``.
        known: bounds on the value from an opening book or a strategy.
    """
    if limits.expired:
        # Return before a solver sets up its tables.
        budget.expire()
        return
    cutoff = cuts_off(position, limits)
    plan = plan_of(position.rules, cutoff)
    work = ProofState(position, budget, limits.max_depth if cutoff else None, limits.threads, context, known)
    if plan.proof:
        with plan.part_for_proof(budget) as part:
            for step in plan.proof:
                with step.part(part) as own:
                    done = step.run(work, own, step.given)
                if done or budget.is_spent():
                    break
        proof = _proven(work)
        if proof is not None:
            part.propagate_reason()
            yield proof
            return
        # The large-board search gives an estimate even without a node.
        if budget.is_spent() and not plan.by_network:
            return
    safe = work.bounds if work.bounds and work.bounds.lower >= 0 else None
    for info in plan.estimate.run(work):
        # Prefer a move that is proven not to lose to one that only looks better.
        if safe and not info.score.proven:
            estimate = replace(info.score, value=max(info.score.value, 0.0))
            info = replace(info, move=safe.move, score=estimate, line=(safe.move,))
        yield info


def _proven(work: ProofState) -> SearchInfo | None:
    """Return the result of the proof: the exact value, or a bound that shows who wins; else None."""
    bounds, cells, empties = work.bounds, work.position.rules.cells, work.position.empties
    if bounds is None:
        return None
    exact = bounds.exact
    if not exact and bounds.lower <= 0 <= bounds.upper:
        return None
    proven = bounds.lower if exact or bounds.lower > 0 else bounds.upper
    value = score.proven(proven, cells, empties, is_bound=not exact)
    return SearchInfo(bounds.move, value, bounds.line or (bounds.move,), value.distance or 0)


def needed(position: Position, limits: Limits) -> tuple[str, ...]:
    """Return the solvers whose kernels a question about an ongoing position may need, in the order of ``SOLVERS``.

    ``line_counts`` is always among them if it supports the rules: it estimates moves for levels, and if a budget ends
    before any move has a value. If only the reference search supports the rules, the result is empty.
    """
    return _needed(position.rules, cuts_off(position, limits))


@lru_cache(maxsize=PLANS_KEPT)
def _needed(rules: Rules, cutoff: bool) -> tuple[str, ...]:
    """Return the solvers that the rules use; ``cutoff``: a depth limit may end the search before the game."""
    wanted = plan_of(rules, cutoff).solvers
    if has_plan(rules):
        wanted |= {"line_counts"}
    return tuple(solver for solver in SOLVERS if solver in wanted)


def has_plan(rules: Rules) -> bool:
    """Return True if a fast solver supports the rules; otherwise the reference search answers."""
    return plan_of(rules).estimate is not REFERENCE


def evaluate(position: Position) -> Score:
    """Return the static evaluation: a draw if no side can complete a line any more, else the line heuristic."""
    return (line_counts if has_plan(position.rules) else reference).evaluate(position)


def evaluations(position: Position) -> Callable[[int], Score]:
    """Return a function that evaluates the position after a move; the move must not end the game."""
    if has_plan(position.rules):
        return line_counts.evaluations(position)
    return lambda move: reference.evaluate(position.play(move))


def estimated_by_network(rules: Rules) -> bool:
    """Return True if the network estimates these boards, not the line heuristic, which has another scale."""
    return plan_of(rules).by_network


def has_quick_values(position: Position, limits: Limits) -> bool:
    """Return True if ``QuickMoveValues`` are on the scale of this search's estimates."""
    return plan_of(position.rules, cuts_off(position, limits)).by_network


def can_batch_moves(position: Position, limits: Limits) -> bool:
    """Return True if ``MoveSearches`` may search the position: a network estimate, and no step of a proof applies."""
    plan = plan_of(position.rules, cuts_off(position, limits))
    return plan.estimate is BY_NETWORK and all(steps.cannot_prove(position, step) for step in plan.proof)


def has_exact_solver(rules: Rules) -> bool:
    """Return True if an exact solver supports the rules."""
    return plan_of(rules).exact


def slow_to_prove(rules: Rules) -> bool:
    """Return True if these boards can be proven, but rarely within seconds (``Plan.soon``)."""
    return plan_of(rules).soon < rules.cells and solvable(rules)


def solvable(rules: Rules) -> bool:
    """Return True if boards of these rules can be proven with a large budget."""
    return rules.cells <= plan_of(rules).provable


def new_context(rules: Rules) -> SearchContext:
    """Return a new context for the searches of one game on a large board."""
    return large_boards.GameContext(rules)


def shared_table(position: Position, limits: Limits) -> AbstractContextManager[SearchContext | None]:
    """Return a context manager: a context for searches of a position and its children, None if it's of no use."""
    plan = plan_of(position.rules)
    if "gravity" not in plan.solvers or position.is_over:
        return nullcontext()
    return gravity.shared_table(position, plan.proof_nodes(limits.max_nodes) or limits.max_nodes)


def node_ms(rules: Rules) -> float:
    """Return the most milliseconds that a node of the large-board search takes."""
    return large_boards.max_node_ns(rules.goal) / NANOSECONDS_PER_MS


tables_within = POOL.within


def free_idle_tables() -> None:
    """Free the memory of all idle transposition tables."""
    POOL.free_idle()
