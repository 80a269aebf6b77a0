"""The exact solver for boards of at most 64 cells without gravity: proves value and distance, or bounds them."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.bounds import Bounds, CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.bulk import BulkValues, cells_of_bits, marks_as_words
from kinarow.solvers.common.capacity import ENDLESS_NODES, FREE_PLACEMENT_LINES, WORD_BITS
from kinarow.solvers.common.proof_table import table_words
from kinarow.solvers.common.record import new_state, without_attributes
from kinarow.solvers.common.result import new_result
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.free_placement import records
from kinarow.solvers.free_placement.layout import GAME_DTYPE, STATE_DTYPE

kernels = Library("free_placement")

KNOWN = frozenset({"misere", "exact_goal", "wrap", "directions", "layers"})
GAMES_KEPT = 64
MAX_TABLE_BITS = 20  # At most 2^20 buckets of 64 bytes; a larger table for every search costs more than it saves
MAX_ENDLESS_TABLE_BITS = 22
BUCKETS_PER_NODE = 2  # A larger table for a small budget only touches more memory

NODE_NS = 4_000  # Nanoseconds that the most expensive node takes, roughly: one in misere that makes plans

BULK_NODES = 20_000  # Nodes for a position of a bulk call, and again for each of its moves
BULK_TABLE_BITS = 14  # Buckets of the table of a bulk call as a power of two: a megabyte, enough for ``BULK_NODES``


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    if not rules.within(KNOWN) or rules.cells > WORD_BITS:
        return False
    return rules.plain or len(geometry(rules).directed_lines) <= FREE_PLACEMENT_LINES


@lru_cache(maxsize=GAMES_KEPT)
def _game(rules: Rules) -> tuple[Pointer, CellBits]:
    """The kernel's record of a game, which searches share, and the bit of each cell."""
    game = without_attributes(records.new_game(rules), GAME_DTYPE)
    return Pointer(game), CellBits(records.cell_bits(rules))


def solve(position: Position, budget: Budget, least: int | None = None, most: int | None = None) -> Bounds:
    """Prove as much of an ongoing position as the budget allows, given ``least <= value <= most``."""
    game, bits = _game(position.rules)
    budget.poll_by_cost(NODE_NS)
    own, opponent = bits.bitboards(position)
    largest = MAX_TABLE_BITS if budget.node_limit < ENDLESS_NODES else MAX_ENDLESS_TABLE_BITS
    by_budget = (BUCKETS_PER_NODE * budget.node_limit).bit_length()
    size = min(largest, by_budget, records.table_size_hint(position.empties, position.rules.misere))
    cells = position.rules.cells
    with POOL.borrow("free placement", table_words(size)) as table:
        state = table.state_of(STATE_DTYPE)
        state.array["least"] = -cells if least is None else least
        state.array["most"] = cells if most is None else most
        kernels.solve(game, state, own, opponent, budget.pointer, table.pointer, table.result)
        return bits.bounds(table.result.array)


def bulk_values(rules: Rules, boards: NDArray[np.uint8], moves: int, budget: Budget) -> BulkValues:
    """The exact values of those ongoing positions that ``BULK_NODES`` suffice for, each with an empty table.

    A row of ``boards`` is a position seen from the side to move: 0 empty, 1 own, 2 the opponent's, 3 blocked. ``moves``
    is ``NO_MOVES``, ``BEST_MOVES`` or ``ALL_MOVES``. Where anything but nodes ends the budget, later positions get no
    value.
    """
    game, bits = _game(rules)
    places = bits.places
    state, result = new_state(STATE_DTYPE), new_result()
    state.array["least"], state.array["most"] = -rules.cells, rules.cells
    budget.poll_by_cost(NODE_NS)
    bulk = BulkValues.empty(boards)
    own = marks_as_words(boards, 1, places)
    # The kernels take blocked cells for marks of the opponent, which are on no line.
    opponent = marks_as_words(boards, 2, places) | marks_as_words(boards, 3, places)
    kernels.value_positions(
        game,
        state,
        budget.pointer,
        np.zeros(table_words(BULK_TABLE_BITS), np.uint64),
        result,
        own,
        opponent,
        cells_of_bits(places),
        moves,
        BULK_NODES,
        bulk.values,
        bulk.move_values,
    )
    return bulk
