"""Exact values of many positions of one game in one kernel call."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules
from kinarow.search_types import SearchStopped, Stop
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.common.capacity import ENDLESS_NODES, NO_VALUE, table_words
from kinarow.solvers.common.layout import RESULT_DTYPE
from kinarow.solvers.common.record import new_state, new_words
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.gravity.layout import STATE_DTYPE
from kinarow.solvers.line_masks import solver as line_masks

GRAVITY_TABLE_WORDS = 1 << 24  # 128 MB; the system provides only the pages that are written
BULK_NODES = 20_000  # node limit of a position without gravity, and of each of its moves
BULK_TABLE_BITS = 14  # log2 of the buckets of its table: a megabyte, enough for ``BULK_NODES``


class BulkValues(NamedTuple):
    """The values of positions and of their moves on the scale of proven scores, for the side to move."""

    values: NDArray[np.int8]  # by position; NO_VALUE: unknown
    move_values: NDArray[np.int8]  # by position and cell; NO_VALUE: illegal, unknown or not asked for


class SharedTable:
    """A table that all calls for one gravity game share; a gigabyte (2**27 words) holds 64 million proven bounds."""

    def __init__(self, words: int) -> None:
        self.words, self._begun = new_words(words), np.zeros(1, STATE_DTYPE)
        self._begun["shared"] = 1
        self.idle = [self._begun]  # the states that no call uses now

    def state(self) -> Any:
        """Return a state for one call; the caller appends it to ``idle`` afterwards."""
        return self.idle.pop() if self.idle else self._begun.copy()

    def share(self) -> None:
        """Allow several threads to use the table at once; call it after a first use."""
        gravity.kernels.share_table(self._begun, self.words, len(self.words))


def proves_all(rules: Rules) -> bool:
    """Return True if every position of these rules can be searched until a proof."""
    return gravity.fits(rules) or free_placement.fits(rules)


def fits(rules: Rules) -> bool:
    """Return True if ``values`` supports these rules."""
    return proves_all(rules) or line_masks.fits(rules)


def values(
    rules: Rules, boards: NDArray[np.uint8], moves: int, stop: Stop | None = None, shared: SharedTable | None = None
) -> BulkValues:
    """Return the exact values of ongoing positions of one game, each searched with an empty table.

    On plain boards with gravity all positions get a value; on others those that ``BULK_NODES`` nodes suffice for.

    Args:
        boards: a row for each position, seen from the side to move: 0 empty, 1 own, 2 the opponent's, 3 blocked.
        moves: ``NO_MOVES``, ``BEST_MOVES`` or ``ALL_MOVES``: which moves get a value.
        shared: with gravity, a table for all positions in place of an empty one for each.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    budget = Budget(NO_LIMIT)
    bulk = BulkValues(np.full(len(boards), NO_VALUE, np.int8), np.full(boards.shape, NO_VALUE, np.int8))
    with (stop or Stop()).also_stops(budget):
        if gravity.fits(rules):
            _by_gravity(rules, boards, moves, budget, shared, bulk)
        else:
            solver = free_placement if free_placement.fits(rules) else line_masks
            memory = new_state(solver.STATE_DTYPE), new_words(table_words(BULK_TABLE_BITS))
            _value(solver, rules, boards, budget, memory, (moves, BULK_NODES), bulk)
    if budget.ended_by == "stop":
        raise SearchStopped
    return bulk


def _by_gravity(
    rules: Rules, boards: NDArray[np.uint8], moves: int, budget: Budget, shared: SharedTable | None, bulk: BulkValues
) -> None:
    """Fill in ``bulk`` with the gravity solver, in the shared table or in one that is emptied for each position."""
    state = shared.state() if shared else np.zeros(1, STATE_DTYPE)
    words = shared.words if shared else new_words(GRAVITY_TABLE_WORDS)
    _value(gravity, rules, boards, budget, (state, words), (moves, ENDLESS_NODES), bulk)
    if shared:
        shared.idle.append(state)


def _value(
    solver: Any,
    rules: Rules,
    boards: NDArray[np.uint8],
    budget: Budget,
    memory: tuple[Any, NDArray[np.uint64]],
    wanted: tuple[int, int],
    bulk: BulkValues,
) -> None:
    """Fill in ``bulk``. ``memory``: state and table; ``wanted``: which moves, and the node limit of a position."""
    game, bits = solver.game_of(rules)
    # The kernels treat blocked cells as marks of the opponent: no line contains them.
    weights = np.uint64(1) << np.array(bits.places, np.uint64)
    own, opponent, blocked = (np.asarray((boards == mark) @ weights, np.uint64) for mark in (1, 2, 3))
    budget.set_poll_interval(solver.NODE_NS)
    state, words = memory
    cells = np.zeros(64, np.int64)  # the cell of each bit
    cells[list(bits.places)] = np.arange(len(bits.places))
    positions = own, opponent | blocked, cells
    result = np.zeros(1, RESULT_DTYPE).view(np.recarray)
    solver.kernels.value_positions(game, state, budget.pointer, words, result, *positions, *wanted, *bulk)
