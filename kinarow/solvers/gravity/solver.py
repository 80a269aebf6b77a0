"""The exact solver for boards with gravity that fit 64 bits: proves value and distance, or bounds them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.search_types import KnownBounds
from kinarow.solvers.common import bitboard
from kinarow.solvers.common.bounds import Bounds, CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.layout import GAME_DTYPE
from kinarow.solvers.common.record import without_attributes
from kinarow.solvers.common.table_pool import POOL, Table
from kinarow.solvers.gravity import records
from kinarow.solvers.gravity.layout import LAST_GENERATION, STATE_DTYPE

kernels = Library("gravity")

KNOWN = frozenset({"gravity", "misere", "exact_goal"})
GAMES_KEPT = 64

NODE_NS = 2_000  # Nanoseconds that the most expensive node takes, roughly

_ALL_MOVES = 2**64 - 1


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return rules.within(KNOWN) and rules.plain and rules.gravity and bitboard.fits(rules.rows, rules.columns)


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> tuple[Pointer, CellBits]:
    """The kernel's record of a game, which searches share, and the bit of each cell."""
    game = without_attributes(bitboard.new_game(rules), GAME_DTYPE)
    return Pointer(game), CellBits(bitboard.cell_bits(rules.rows, rules.columns))


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A table and the working memory that goes with it, for searches of a position and of what follows it.

    Bounds that one search has stored are true for all others, so exact values do not depend on it; how far a search
    with limits gets depends on the searches before it.
    """

    rules: Rules
    table: Table
    state: Pointer


@contextmanager
def shared_table(position: Position, node_limit: int) -> Iterator[SharedTable]:
    """A table for the searches of an ongoing position and of those that follow it, each with so many nodes."""
    size = records.table_size_hint(position.empties, node_limit)
    with POOL.borrow("gravity", size, LAST_GENERATION) as table:
        yield SharedTable(position.rules, table, _state_of(table))


def _state_of(table: Table) -> Pointer:
    """The working memory of a search or several with this table, ready for the first."""
    state = table.state_of(STATE_DTYPE)
    state.array["generation"], state.array["begun"] = table.generation, 0
    return state


def solve(
    position: Position, budget: Budget, shared: SharedTable | None = None, known: KnownBounds | None = None
) -> Bounds:
    """Prove as much of an ongoing position as the budget allows, given what is ``known`` of its value.

    Without a shared table, made for the position or one that leads to it, the search has an empty one.
    """
    if shared is not None:
        return _solve(position, budget, shared.table, shared.state, known)
    size = records.table_size_hint(position.empties, budget.node_limit)
    with POOL.borrow("gravity", size, LAST_GENERATION) as table:
        return _solve(position, budget, table, _state_of(table), known)


def _solve(position: Position, budget: Budget, table: Table, state: Pointer, known: KnownBounds | None) -> Bounds:
    game, bits = game_of(position.rules)
    budget.poll_by_cost(NODE_NS)
    own, opponent = bits.bitboards(position)
    lower, upper, candidates = -position.rules.cells, position.rules.cells, _ALL_MOVES
    if known is not None:
        lower, upper = max(lower, known.lower), min(upper, known.upper)
        candidates = sum(1 << bits.places[move] for move in known.candidates)
    kernels.solve(game, state, own, opponent, lower, upper, candidates, budget.pointer, table.pointer, table.result)
    return bits.bounds(table.result.array)
