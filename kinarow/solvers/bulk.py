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


Memory = tuple[Any, NDArray[np.uint64]]
"""A search's state record and transposition table."""


def shared_table(words: int) -> Memory:
    """Return memory that all calls for one gravity game share; 2**27 words, a gigabyte, hold 64 million bounds."""
    state = np.zeros(1, STATE_DTYPE)
    state["shared"] = 1
    return state, new_words(words)


def proves_all(rules: Rules) -> bool:
    """Return True if every position of these rules can be searched until a proof."""
    return gravity.fits(rules) or free_placement.fits(rules)


def fits(rules: Rules) -> bool:
    """Return True if ``values`` supports these rules."""
    return proves_all(rules) or line_masks.fits(rules)


def values(
    rules: Rules, boards: NDArray[np.uint8], moves: int, stop: Stop | None = None, memory: Memory | None = None
) -> BulkValues:
    """Return the exact values of ongoing positions of one game, each searched with an empty table.

    On plain boards with gravity all positions get a value; on others those that ``BULK_NODES`` nodes suffice for.

    Args:
        boards: a row for each position, seen from the side to move: 0 empty, 1 own, 2 the opponent's, 3 blocked.
        moves: ``NO_MOVES``, ``BEST_MOVES`` or ``ALL_MOVES``: which moves get a value.
        memory: with gravity, a ``shared_table`` for all positions in place of an empty one for each.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    budget = Budget(NO_LIMIT)
    bulk = BulkValues(np.full(len(boards), NO_VALUE, np.int8), np.full(boards.shape, NO_VALUE, np.int8))
    with (stop or Stop()).also_stops(budget):
        if gravity.fits(rules):
            memory = memory or (np.zeros(1, STATE_DTYPE), new_words(GRAVITY_TABLE_WORDS))
            _value(gravity, rules, boards, budget, memory, (moves, ENDLESS_NODES), bulk)
        else:
            solver = free_placement if free_placement.fits(rules) else line_masks
            memory = new_state(solver.STATE_DTYPE), new_words(table_words(BULK_TABLE_BITS))
            _value(solver, rules, boards, budget, memory, (moves, BULK_NODES), bulk)
    if budget.ended_by == "stop":
        raise SearchStopped
    return bulk


def _value(
    solver: Any,
    rules: Rules,
    boards: NDArray[np.uint8],
    budget: Budget,
    memory: Memory,
    wanted: tuple[int, int],
    bulk: BulkValues,
) -> None:
    """Fill in ``bulk``; ``wanted``: which moves, and the node limit of a position."""
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
