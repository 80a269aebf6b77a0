"""The exact solver for boards with gravity that fit 64 bits: proves value and distance, or bounds them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.search_types import KnownBounds
from kinarow.solvers.common import bitboard
from kinarow.solvers.common.bounds import Bounds, CellBits
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.common.bulk import BulkValues, cells_of_bits, marks_as_words
from kinarow.solvers.common.layout import GAME_DTYPE
from kinarow.solvers.common.record import without_attributes
from kinarow.solvers.common.result import new_result
from kinarow.solvers.common.table_pool import POOL, Table
from kinarow.solvers.gravity import records
from kinarow.solvers.gravity.layout import LAST_GENERATION, STATE_DTYPE

kernels = Library("gravity")

KNOWN = frozenset({"gravity", "misere", "exact_goal"})
GAMES_KEPT = 64

BULK_TABLE_WORDS = 1 << 24  # The table of a bulk call: 128 MB, of which a search takes only as much as it fills
NODE_NS = 2_000  # Nanoseconds that the most expensive node takes, roughly

_ALL_MOVES = 2**64 - 1


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return rules.within(KNOWN) and rules.plain and rules.gravity and bitboard.fits(rules.rows, rules.columns)


@lru_cache(maxsize=GAMES_KEPT)
def _game(rules: Rules) -> tuple[Pointer, CellBits]:
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
    game, bits = _game(position.rules)
    budget.poll_by_cost(NODE_NS)
    own, opponent = bits.bitboards(position)
    lower, upper, candidates = -position.rules.cells, position.rules.cells, _ALL_MOVES
    if known is not None:
        lower, upper = max(lower, known.lower), min(upper, known.upper)
        candidates = sum(1 << bits.places[move] for move in known.candidates)
    kernels.solve(game, state, own, opponent, lower, upper, candidates, budget.pointer, table.pointer, table.result)
    return bits.bounds(table.result.array)


class Prover:
    """Proves positions of one game that ``fits`` one after the other with one table: related ones share work.

    Its ``table_words`` are a power of two from 8 on; 2**27 (a gigabyte) holds 64 million proven bounds.
    """

    def __init__(self, rules: Rules, table_words: int) -> None:
        self._game, bits = _game(rules)
        self._places = bits.places
        self._state, self._result = records.new_state(), new_result()
        self._table = np.zeros(table_words, np.uint64)
        self._state["generation"] = 1
        # Mirror images share an entry throughout, as from the empty board.
        kernels.begin_search(self._game, self._state, self._table, 0, 0)

    def values(self, boards: NDArray[np.uint8]) -> list[int]:
        """The exact values of ongoing positions; ``boards`` as in ``bulk_values``."""
        own, opponent = (marks_as_words(boards, side, self._places) for side in (1, 2))
        budget = Budget(NO_LIMIT)
        records = self._game, self._state, budget.pointer, self._table
        values = []
        for *marks, empties in zip(own, opponent, (boards == 0).sum(axis=1), strict=True):
            kernels.solve_by_null_windows(*records, *marks, -empties, empties, self._result)
            values.append(int(self._result["lower"][0]))
        return values


def bulk_values(rules: Rules, boards: NDArray[np.uint8], moves: int, budget: Budget) -> BulkValues:
    """The exact values of ongoing positions of one game, each with an empty table.

    A row of ``boards`` is a position seen from the side to move: 0 empty, 1 own, 2 the opponent's. ``moves`` is
    ``NO_MOVES``, ``BEST_MOVES`` or ``ALL_MOVES``. The budget has no node limit; positions after its end get no value.
    """
    game, bits = _game(rules)
    places = bits.places
    state, result = records.new_state(), new_result()
    budget.poll_by_cost(NODE_NS)
    bulk = BulkValues.empty(boards)
    own, opponent = (marks_as_words(boards, side, places) for side in (1, 2))
    kernels.value_positions(
        game,
        state,
        budget.pointer,
        np.zeros(BULK_TABLE_WORDS, np.uint64),
        result,
        own,
        opponent,
        cells_of_bits(places),
        moves,
        bulk.values,
        bulk.move_values,
    )
    return bulk
