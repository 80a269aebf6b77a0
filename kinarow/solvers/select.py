"""The entry to the solvers, but for bulk calls: it chooses one for a position, and passes on their other functions.

    plain boards of at most 64 cells   gravity; free placement, which asks the maker-breaker game for draws
    other shapes up to 64 cells        free placement or line masks, with continuous fours
    larger plain boards                pairings, maker-breaker (``large_proofs``), then large boards
    larger boards of other shapes      continuous fours, then line counts
    Renju; larger boards of Caro       large boards
    smaller boards of Caro, a depth cutoff before the end of the game     line counts
    rules that none of these knows                                        reference

``needed`` names all solvers that a question may use.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from kinarow.search_types import MAX_LINE, NANOSECONDS_PER_MS, KnownBounds, Limits, SearchContext, SearchInfo
from kinarow.solvers import large_proofs
from kinarow.solvers.common.bounds import Bounds
from kinarow.solvers.common.budget import NO_DEADLINE, Budget
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.continuous_fours import solver as continuous_fours
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.gravity.solver import Prover as Prover
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.large_boards.solver import QuickMoveValues as QuickMoveValues
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.line_masks import solver as line_masks
from kinarow.solvers.maker_breaker import solver as maker_breaker
from kinarow.solvers.reference import solver as reference

GAMES_KEPT = 64
PROOF_SHARE = 0.75  # The part of nodes and time for the proof; without a proof the rest goes to an estimate
FIRST_NODES = 20_000  # Nodes of the exact solver before wins by continuous fours are looked for
SOONER_NODES = 100_000  # The most nodes that look for a sooner win than one by continuous fours
ESTIMATE_NODES = 600_000  # The most nodes kept for an estimate, about a second; more would hardly improve it
SURE_PLIES = 3  # A win by continuous fours in at most so many plies is the quickest possible: a win in 1 is found first
MAX_PROVABLE_CELLS = 64  # Boards of another shape with more cells are hardly ever proven
SMALL_CELLS = 36  # Boards of Caro and Renju up to this size are searched to the end, for exact distances
WHOLE_GAME_SHARE = 0.25  # The part of the budget for a search to the end on larger ones up to MAX_PROVABLE_CELLS


def new_budget(limits: Limits, deadline_ns: int | None) -> Budget:
    """The budget of a search."""
    return Budget(limits.max_nodes, NO_DEADLINE if deadline_ns is None else deadline_ns)


def iterate(
    position: Position, limits: Limits, budget: Budget, context: SearchContext | None, known: KnownBounds | None = None
) -> Iterator[SearchInfo]:
    """The iterations of the solver that suits a position best.

    The context is the memory of earlier searches, from ``new_context`` or ``shared_table``, as the board wants;
    ``known`` is what an opening book or a strategy knows of the value.
    """
    if limits.expired:
        # Return before a solver sets up its tables.
        budget.run_out_of_time()
        return iter(())
    shallow = _is_shallow(position, limits)
    rules = position.rules
    if not is_known(rules):
        return reference.iterate(position, budget, limits.max_depth)
    if rules.renju or (rules.caro and not shallow):
        return _with_other_patterns(position, limits.max_depth if shallow else None, budget, context)
    if shallow:
        return line_counts.iterate(position, budget, limits.max_depth)
    if fits_exact(rules):
        # The memory of a game on a large board is of no use here.
        shared = context if isinstance(context, gravity.SharedTable) else None
        return _exact(position, budget, shared, known)
    if not rules.plain:
        return _large_shape(position, budget)
    proof = large_proofs.prove(position, budget)
    if proof is not None:
        return iter((proof,))
    assert context is None or isinstance(context, large_boards.GameContext)
    return large_boards.iterate(position, budget, context)


@lru_cache(maxsize=GAMES_KEPT)
def is_known(rules: Rules) -> bool:
    """Whether a fast solver knows the game; the reference search answers for all others."""
    return line_counts.fits(rules) or large_boards.fits(rules)


def evaluate(position: Position) -> Score:
    """The value of an ongoing position without a search: a draw where no line is left, else the line heuristic."""
    return (line_counts if is_known(position.rules) else reference).evaluate(position)


def evaluations(position: Position) -> Callable[[int], Score]:
    """What ``evaluate`` says of the position after a legal move that does not end the game, for its side to move."""
    if is_known(position.rules):
        return line_counts.evaluations(position)
    return lambda move: reference.evaluate(position.play(move))


def estimated_by_network(rules: Rules) -> bool:
    """Whether estimates under these rules are those of the large-board search, without a depth cutoff.

    All others are those of the line heuristic, which has another scale.
    """
    if not large_boards.fits(rules):
        return False
    return rules.renju or (rules.cells > SMALL_CELLS if rules.caro else not fits_exact(rules))


def has_quick_values(position: Position, limits: Limits) -> bool:
    """Whether ``QuickMoveValues`` have the scale of the estimates that a search of the position gives."""
    return estimated_by_network(position.rules) and (position.rules.renju or not _is_shallow(position, limits))


def fits_exact(rules: Rules) -> bool:
    """Whether an exact solver takes boards of these rules."""
    return _exact_solver(rules) is not None


@lru_cache(maxsize=GAMES_KEPT)
def _exact_solver(rules: Rules) -> Any:
    """The exact solver that suits the rules best, None where none takes them."""
    if free_placement.fits(rules):
        return free_placement
    if gravity.fits(rules):
        return gravity
    return line_masks if not rules.plain and line_masks.fits(rules) else None


def _exact(
    position: Position, budget: Budget, shared: gravity.SharedTable | None = None, known: KnownBounds | None = None
) -> Iterator[SearchInfo]:
    """The iterations on a board that an exact solver takes: most of the budget for a proof, the rest for an estimate.

    The proof uses a shared table, which is given with gravity alone, and known bounds.

    If nodes ended a proof of bounds, or time the choice among equal moves after an exact proof, ``budget.ended_by``
    says so: more nodes may prove more, and another run may choose another move.
    """
    plain = position.rules.plain
    with budget.part(nodes=_proof_nodes(budget.node_limit), time_share=PROOF_SHARE) as part:
        if position.rules.gravity and (shared is not None or known is not None):
            bounds = gravity.solve(position, part, shared, known)
        elif known is not None:
            bounds = free_placement.solve(position, part, known=known)
        elif plain:
            bounds = _exact_solver(position.rules).solve(position, part)
        else:
            bounds = _prove_shape(position, part)
    proven = _proven(position, bounds)
    if proven is not None:
        part.keep_reason()
        yield proven
        return
    if budget.is_spent():
        return
    for info in line_counts.iterate(position, budget, None) if plain else continuous_fours.estimate(position, budget):
        # A move that is proven not to lose is better than one that only looks better.
        if bounds.lower >= 0 and not info.score.proven:
            estimate = max(info.score.value, 0.0)
            info = replace(info, move=bounds.move, score=replace(info.score, value=estimate), line=(bounds.move,))
        yield info


def _prove_shape(position: Position, budget: Budget) -> Bounds:
    """Prove as much as the budget allows on a board of another shape, with the search for continuous fours.

    1. The exact solver for a few nodes: small boards and near wins need no more.
    2. A win by continuous fours.
    3. The exact solver again; after such a win for a few nodes, since a bound on its distance is good enough.
    """
    solver = _exact_solver(position.rules)
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


def _with_other_patterns(
    position: Position, max_depth: int | None, budget: Budget, context: SearchContext | None
) -> Iterator[SearchInfo]:
    """The iterations under Caro or Renju, which no exact solver knows; ``max_depth`` under Renju alone."""
    rules = position.rules
    if rules.renju:
        whole_game = large_boards.iterate(position, budget, fixed_depth=True, max_depth=max_depth)
    else:
        whole_game = line_counts.iterate(position, budget, None)
    if max_depth is not None or rules.cells <= SMALL_CELLS or not estimated_by_network(rules):
        return whole_game
    assert context is None or isinstance(context, large_boards.GameContext)
    threats = large_boards.iterate(position, budget, context)
    return _proof_or(whole_game, threats, budget) if rules.cells <= MAX_PROVABLE_CELLS else threats


def _proof_or(
    whole_game: Iterator[SearchInfo], otherwise: Iterator[SearchInfo], budget: Budget
) -> Iterator[SearchInfo]:
    """The proof of a search to the end of the game if a share of the budget suffices, else the other iterations."""
    nodes = max(1, int(budget.node_limit * WHOLE_GAME_SHARE))
    with budget.part(nodes=nodes, time_share=WHOLE_GAME_SHARE):
        # Both searches count in the record of the whole budget, which now has the limits of the part.
        proof = next((info for info in whole_game if info.score.proven), None)
    if proof is not None:
        yield proof
    elif not budget.is_spent():
        yield from otherwise


def _large_shape(position: Position, budget: Budget) -> Iterator[SearchInfo]:
    """The iterations on a board of another shape that no exact solver takes: continuous fours, then estimates."""
    if continuous_fours.fits(position.rules):
        win = continuous_fours.find_win(position, budget)
        if win is not None:
            value = score.win(position.rules.cells, win.plies, is_bound=win.plies > SURE_PLIES)
            yield SearchInfo(win.line[0], value, win.line[:MAX_LINE], win.plies)
            return
    if not budget.is_spent():
        yield from continuous_fours.estimate(position, budget)


SOLVERS = (
    *("free_placement", "maker_breaker", "line_counts", "gravity"),
    *("large_boards", "line_masks", "continuous_fours"),
)
"""All solvers by the names of their folders, those that people need most often first."""


def needed(position: Position, limits: Limits) -> tuple[str, ...]:
    """All solvers that questions about an ongoing position may use, in the order of ``SOLVERS``.

    Line counts is nearly always among them: it estimates moves for levels, and helps out where a budget ends before any
    move has a value. Under rules that only the reference search knows there are none.
    """
    rules = position.rules
    if not is_known(rules):
        return ()
    wanted = {"line_counts"}
    if has_quick_values(position, limits):
        wanted.add("large_boards")
    if not (rules.renju or rules.caro or _is_shallow(position, limits)):
        if fits_exact(rules):
            wanted |= _needed_exactly(rules)
        elif rules.plain:
            wanted |= large_proofs.needed(rules)
    if not rules.plain and continuous_fours.fits(rules):
        wanted.add("continuous_fours")
    return tuple(solver for solver in SOLVERS if solver in wanted)


def _needed_exactly(rules: Rules) -> set[str]:
    """The folders of the exact solvers that rules that ``fits_exact`` takes may use."""
    solver = _exact_solver(rules)
    if solver is free_placement:
        return {"free_placement"} | ({"maker_breaker"} if maker_breaker.knows(rules) else set())
    return {"gravity" if solver is gravity else "line_masks"}


def _is_shallow(position: Position, limits: Limits) -> bool:
    return limits.max_depth is not None and limits.max_depth < position.empties


def rarely_soon(rules: Rules) -> bool:
    """Whether boards of these rules, though solvable, are rarely proven within seconds: large ones of other shapes."""
    return not rules.plain and SMALL_CELLS < rules.cells <= MAX_PROVABLE_CELLS


def solvable(rules: Rules) -> bool:
    """Whether a budget can bring boards of these rules to a proof."""
    if not rules.plain or rules.caro or rules.renju or not is_known(rules):
        return rules.cells <= MAX_PROVABLE_CELLS
    return fits_exact(rules) or large_proofs.likely(rules)


def new_context(rules: Rules) -> SearchContext:
    """An empty memory for the searches of one game."""
    return large_boards.GameContext(rules)


@contextmanager
def shared_table(position: Position, limits: Limits) -> Iterator[SearchContext | None]:
    """A context for searches of a position and of its children, each within these limits; None without use.

    These share most positions below. Exact values do not depend on the context, other results on the searches before.
    """
    if _exact_solver(position.rules) is not gravity or position.ending().state != "ongoing":
        yield None
        return
    with gravity.shared_table(position, _proof_nodes(limits.max_nodes)) as shared:
        yield shared


def node_ms(rules: Rules) -> float:
    """The longest time of a node on a large board, in milliseconds."""
    return large_boards.max_node_ns(rules.goal) / NANOSECONDS_PER_MS


def free_idle_tables() -> None:
    """Give the memory of all idle transposition tables back to the system."""
    POOL.free_idle()
