"""Searches a position by its plan, and answers other questions from the plan.

The search and the service import this module; neither imports a solver. ``bulk`` is the entry for many positions.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache

from kinarow import score
from kinarow.game import tactics
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
from kinarow.solvers.steps import Work

SOLVERS = ("free_placement", "maker_breaker", "line_counts", "gravity", "large_boards", "line_masks")
"""All solvers with kernels by the names of their folders, the most used first."""


def new_budget(limits: Limits, deadline_ns: int | None) -> Budget:
    """Return the budget of a search."""
    return Budget(limits.max_nodes, NO_DEADLINE if deadline_ns is None else deadline_ns)


def iterate(
    position: Position, limits: Limits, budget: Budget, context: SearchContext | None, known: KnownBounds | None = None
) -> Iterator[SearchInfo]:
    """Yield the iterations of the plan for a position: a proof, or else estimates.

    ``budget.ended_by`` is ``nodes`` if they ended a proof of bounds: more may prove more. It is ``time`` if the time
    ended the choice among equal moves after an exact proof: another run may choose another move.

    Args:
        context: the memory of earlier searches, from ``new_context`` or ``shared_table``.
        known: what an opening book or a strategy knows of the value.
    """
    if limits.expired:
        # Return before a solver sets up its tables.
        budget.run_out_of_time()
        return
    cutoff = cuts_off(position, limits)
    plan = plan_of(position.rules, cutoff)
    work = Work(position, budget, limits.max_depth if cutoff else None, limits.threads, context, known)
    if plan.proof:
        with plan.part_for_proof(budget) as part:
            for step in plan.proof:
                with step.part(part) as own:
                    done = step.run(work, own, step.given)
                if done or budget.is_spent():
                    break
        proof = _proven(work)
        if proof is not None:
            part.keep_reason()
            yield proof
            return
        # The search of large boards needs no node for an estimate.
        if budget.is_spent() and not plan.by_network:
            return
    safe = work.bounds if work.bounds and work.bounds.lower >= 0 else None
    for info in plan.estimate.run(work):
        # A move that is proven not to lose is better than one that only looks better.
        if safe and not info.score.proven:
            estimate = replace(info.score, value=max(info.score.value, 0.0))
            info = replace(info, move=safe.move, score=estimate, line=(safe.move,))
        yield info


def _proven(work: Work) -> SearchInfo | None:
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
    """Return the solvers with kernels that a question about an ongoing position may use, in the order of ``SOLVERS``.

    ``line_counts`` is among them under all rules that it knows: it estimates moves for levels, and where a budget
    ends before any move has a value. Under rules that only the reference search knows the result is empty.
    """
    return _needed(position.rules, cuts_off(position, limits))


@lru_cache(maxsize=PLANS_KEPT)
def _needed(rules: Rules, cutoff: bool) -> tuple[str, ...]:
    wanted = plan_of(rules, cutoff).solvers
    if is_known(rules):
        wanted |= {"line_counts"}
    return tuple(solver for solver in SOLVERS if solver in wanted)


def is_known(rules: Rules) -> bool:
    """Return True if a fast solver knows the game; the reference search answers for all others."""
    return plan_of(rules).estimate is not REFERENCE


def winning_moves(position: Position) -> tuple[int, ...]:
    """Return the moves, in tile order, that win an ongoing game at once; none in misère."""
    proof = plan_of(position.rules).proof
    return (gravity if proof and proof[0].given is gravity else tactics).winning_moves(position)


def evaluate(position: Position) -> Score:
    """Return the value without a search: a draw where no line is left, else the line heuristic."""
    return (line_counts if is_known(position.rules) else reference).evaluate(position)


def evaluations(position: Position) -> Callable[[int], Score]:
    """Return a function that evaluates the position after a move that does not end the game."""
    if is_known(position.rules):
        return line_counts.evaluations(position)
    return lambda move: reference.evaluate(position.play(move))


def estimated_by_network(rules: Rules) -> bool:
    """Return True if the network estimates these boards; the line heuristic of others has another scale."""
    return plan_of(rules).by_network


def has_quick_values(position: Position, limits: Limits) -> bool:
    """Return True if ``QuickMoveValues`` have the scale of the estimates that a search of the position gives."""
    return plan_of(position.rules, cuts_off(position, limits)).by_network


def takes_lists(position: Position, limits: Limits) -> bool:
    """Return True if the position can be searched in a batch (no proof step applies); of quick values."""
    plan = plan_of(position.rules, cuts_off(position, limits))
    return plan.estimate is BY_NETWORK and all(steps.hopeless(position, step) for step in plan.proof)


def fits_exact(rules: Rules) -> bool:
    """Return True if an exact solver takes boards of these rules."""
    return plan_of(rules).exact


def rarely_soon(rules: Rules) -> bool:
    """Return True if these boards, though solvable, are rarely proven within seconds: large ones of other shapes."""
    return plan_of(rules).soon < rules.cells and solvable(rules)


def solvable(rules: Rules) -> bool:
    """Return True if a budget can bring boards of these rules to a proof."""
    return rules.cells <= plan_of(rules).provable


def new_context(rules: Rules) -> SearchContext:
    """Return an empty memory for the searches of one game."""
    return large_boards.GameContext(rules)


def shared_table(position: Position, limits: Limits) -> AbstractContextManager[SearchContext | None]:
    """Return a context that searches of a position and its children share; None without use."""
    plan = plan_of(position.rules)
    if "gravity" not in plan.solvers or position.is_over:
        return nullcontext()
    return gravity.shared_table(position, plan.proof_nodes(limits.max_nodes) or limits.max_nodes)


def node_ms(rules: Rules) -> float:
    """Return the longest time of a node on a large board, in milliseconds."""
    return large_boards.max_node_ns(rules.goal) / NANOSECONDS_PER_MS


tables_within = POOL.within


def free_idle_tables() -> None:
    """Give the memory of all idle transposition tables back to the system."""
    POOL.free_idle()
