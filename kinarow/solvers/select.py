"""The entry to the solvers, but for bulk calls: it chooses one for a position, and passes on their other functions.

    plain boards of at most 64 cells   gravity; free placement, which asks the maker-breaker game for draws
    other shapes up to 64 cells        line masks, then continuous fours
    larger plain boards                pairings, short wins, maker-breaker (``large_proofs``), then large boards
    larger boards of other shapes      continuous fours, then depth-limited
    Renju; larger boards of Caro       large boards
    smaller boards of Caro, a depth cutoff before the end of the game     depth-limited

``kinarow.solvers.exact`` puts the exact solvers together. ``needed`` names all solvers that a question may use.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from kinarow.search_types import (
    MAX_LINE,
    NANOSECONDS_PER_MS,
    KnownBounds,
    Limits,
    SearchContext,
    SearchInfo,
    Stop,
)
from kinarow.solvers import exact, large_proofs
from kinarow.solvers.common.budget import NO_DEADLINE, Budget
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.continuous_fours import solver as continuous_fours
from kinarow.solvers.depth_limited import solver as depth_limited
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards

SURE_PLIES = 3
"""A win by continuous fours in at most so many plies is the quickest possible: a win in 1 is found first."""

MAX_PROVABLE_CELLS = 64
"""Boards of another shape with more cells are hardly ever proven."""

SMALL_CELLS = 36
"""Boards of Caro and Renju up to this size are searched to the end of the game, which gives exact distances."""

WHOLE_GAME_SHARE = 0.25
"""The part of nodes and time for a search to the end of the game on larger ones of at most ``MAX_PROVABLE_CELLS``."""


def new_budget(limits: Limits, deadline_ns: int | None, stop: Stop | None) -> Budget:
    """The budget of a search."""
    budget = Budget(limits.max_nodes, NO_DEADLINE if deadline_ns is None else deadline_ns)
    if stop is not None:
        stop.attach(budget)
    return budget


def iterate(
    position: Position,
    limits: Limits,
    budget: Budget,
    context: SearchContext | None,
    known: KnownBounds | None = None,
) -> Iterator[SearchInfo]:
    """The iterations of the solver that suits a position best.

    Args:
        context: the memory of earlier searches: from ``new_context`` or ``shared_table``, as the board wants; or None.
        known: what an opening book knows of the value.
    """
    if limits.expired:
        # Return before a solver sets up its tables.
        budget.run_out_of_time()
        return iter(())
    shallow = _is_shallow(position, limits)
    rules = position.rules
    if rules.renju or (rules.caro and not shallow):
        return _with_other_patterns(position, limits.max_depth if shallow else None, budget, context)
    if shallow:
        return depth_limited.iterate(position, budget, limits.max_depth)
    if exact.fits(rules):
        # The memory of a game on a large board is of no use here.
        shared = context if isinstance(context, gravity.SharedTable) else None
        return exact.iterate(position, budget, shared, known)
    if not rules.plain:
        return _large_shape(position, budget)
    proof = large_proofs.prove(position, budget)
    if proof is not None:
        return iter((proof,))
    assert context is None or isinstance(context, large_boards.GameContext)
    return large_boards.iterate(position, budget, context)


def _with_other_patterns(
    position: Position, max_depth: int | None, budget: Budget, context: SearchContext | None
) -> Iterator[SearchInfo]:
    """The iterations under Caro or Renju, which no exact solver knows; ``max_depth`` under Renju alone."""
    rules = position.rules
    if rules.renju:
        whole_game = large_boards.iterate(position, budget, fixed_depth=True, max_depth=max_depth)
    else:
        whole_game = depth_limited.iterate(position, budget, None)
    if max_depth is not None or rules.cells <= SMALL_CELLS or not rules.plain:
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
    *("free_placement", "maker_breaker", "depth_limited", "gravity"),
    *("large_boards", "short_wins", "line_masks", "continuous_fours"),
)
"""All solvers by the names of their folders, those that people need most often first."""


def needed(position: Position, limits: Limits) -> tuple[str, ...]:
    """All solvers that questions about an ongoing position may use, in the order of ``SOLVERS``.

    The depth-limited one is always among them: it estimates moves for levels, draws trees, and helps out where a
    budget ends before any move has a value.
    """
    rules = position.rules
    wanted = {"depth_limited"}
    if rules.renju:
        wanted.add("large_boards")
    elif _is_shallow(position, limits):
        # An analysis orders the moves of a large board by its patterns, whatever the depth.
        wanted |= {"large_boards"} if rules.plain and not exact.fits(rules) else set()
    elif rules.caro:
        wanted |= {"large_boards"} if rules.plain and rules.cells > SMALL_CELLS else set()
    elif exact.fits(rules):
        wanted |= exact.needed(rules)
    elif rules.plain:
        wanted |= {"large_boards", *large_proofs.needed(rules)}
    if not rules.plain and continuous_fours.fits(rules):
        wanted.add("continuous_fours")
    return tuple(solver for solver in SOLVERS if solver in wanted)


def _is_shallow(position: Position, limits: Limits) -> bool:
    return limits.max_depth is not None and limits.max_depth < position.empties


def fits_exact(rules: Rules) -> bool:
    """Whether an exact solver takes boards of these rules."""
    return exact.fits(rules)


def solvable(rules: Rules) -> bool:
    """Whether a budget can bring boards of these rules to a proof."""
    if not rules.plain or rules.caro or rules.renju:
        return rules.cells <= MAX_PROVABLE_CELLS
    return exact.fits(rules) or large_proofs.likely(rules)


def new_context(rules: Rules) -> SearchContext:
    """An empty memory for the searches of one game."""
    return large_boards.GameContext(rules)


def shared_table(position: Position, limits: Limits) -> AbstractContextManager[SearchContext | None]:
    """A context for searches of an ongoing position and of its children, each within these limits; None without use.

    Exact values do not depend on the context, other results on the searches before it.
    """
    return exact.shared_table(position, limits.max_nodes)


def evaluate(position: Position) -> Score:
    """The value of an ongoing position without a search: a draw if no line is open, otherwise the line heuristic."""
    return depth_limited.evaluate(position)


def evaluations(position: Position) -> Callable[[int], Score]:
    """A function from a legal move that does not end the game to the value ``evaluate`` of the position after it."""
    return depth_limited.evaluations(position)


def quick_move_values(position: Position) -> large_boards.QuickMoveValues:
    """The values of moves on a large board by its patterns alone, without a search."""
    return large_boards.QuickMoveValues(position)


def node_ms(rules: Rules) -> float:
    """The longest time of a node on a large board, in milliseconds."""
    return large_boards.max_node_ns(rules.goal) / NANOSECONDS_PER_MS


def exact_prover(rules: Rules, table_words: int) -> Callable[[NDArray[np.uint8]], list[int]]:
    """A function that proves the values of ongoing positions of one gravity game, with one table for all its calls.

    It takes boards as ``kinarow.solvers.bulk.values`` does.

    Args:
        rules: the rules of all positions: a game with gravity that an exact solver takes.
        table_words: the size of the table in words of 8 bytes, a power of two from 8 on.
    """
    return gravity.Prover(rules, table_words).values


def free_idle_tables() -> None:
    """Give the memory of all idle transposition tables back to the system."""
    POOL.free_idle()
