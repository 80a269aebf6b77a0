"""The exact solver for boards of at most 64 cells without gravity: proves value and distance, or bounds them."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.search_types import KnownBounds
from kinarow.solvers.common.bounds import Bounds, bitboards, read_bounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.bulk import BulkValues, cells_of_bits, marks_as_words
from kinarow.solvers.common.capacity import ENDLESS_NODES, FREE_PLACEMENT_LINES, WORD_BITS
from kinarow.solvers.common.proof_table import table_words
from kinarow.solvers.common.record import copy_of, new_state, without_attributes
from kinarow.solvers.common.result import RESULT_DTYPE, new_result
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.free_placement import records
from kinarow.solvers.free_placement.layout import GAME_DTYPE, STATE_DTYPE
from kinarow.solvers.maker_breaker import solver as maker_breaker

kernels = Library("free_placement")

KNOWN = frozenset({"misere", "exact_goal", "wrap", "directions", "layers"})
GAMES_KEPT = 64
MAX_TABLE_BITS = 20  # At most 2^20 buckets of 64 bytes; a larger table for every search costs more than it saves
MAX_ENDLESS_TABLE_BITS = 22
BUCKETS_PER_NODE = 2  # A larger table for a small budget only touches more memory

NODE_NS = 4_000  # Nanoseconds that the most expensive node takes, roughly: one in misere that makes plans

FIRST_NODES = 20_000
"""Nodes for the kernel before the Maker-Breaker game is tried: small boards and near wins need no more."""

BULK_TABLE_BITS = 14  # Buckets of the table of a bulk call as a power of two: a megabyte, enough for ``FIRST_NODES``

MAKER_BREAKER_SHARE, OTHER_SHAPE_SHARE = 2, 8
"""Each of the two searches of the Maker-Breaker game may use one in this many of the nodes that are left for it: fewer
on boards of another shape, which may have many more lines, so that a node takes more time."""

DRAW_LINE = 8  # The most moves of a line after a draw proven by the Maker-Breaker game


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    if not rules.within(KNOWN) or rules.cells > WORD_BITS:
        return False
    return rules.plain or len(geometry(rules).directed_lines) <= FREE_PLACEMENT_LINES


@lru_cache(maxsize=GAMES_KEPT)
def _game(rules: Rules) -> tuple[Pointer, tuple[int, ...]]:
    """The kernel's record of a game, which searches share, and the bit of each cell."""
    return Pointer(without_attributes(records.new_game(rules), GAME_DTYPE)), tuple(records.cell_bits(rules))


def solve(position: Position, budget: Budget, least: int | None = None, known: KnownBounds | None = None) -> Bounds:
    """Prove as much of an ongoing position as the budget allows, given that its value is at least ``least``.

    What is ``known`` of it is that a side does not win, or nothing; it spares the search of step 2. With ``least``, a
    win that is known, the kernel searches alone.

    1. The kernel alone, for a few nodes: nothing else could be quicker.
    2. The Maker-Breaker game: can either side complete a line at all if the other only blocks? If neither can, the
       position is a draw.
    3. The kernel again, with the bounds from step 2.
    """
    if least is not None or not maker_breaker.fits(position):
        return _kernel(position, budget, least)
    with budget.part(nodes=FIRST_NODES) as part:
        bounds = _kernel(position, part)
    # With the nodes spent, the first of equal moves is not known yet.
    if (bounds.exact and part.finished) or budget.is_spent():
        return bounds
    part_of = MAKER_BREAKER_SHARE if position.rules.plain else OTHER_SHAPE_SHARE
    share = budget.nodes_left // part_of
    safe, move = known is not None and known.lower == 0, None
    if known is not None and safe:
        move = known.candidates[0]
    else:
        safe, move = maker_breaker.never_completes(position, budget, opponent_is_maker=True, nodes=share)
    if budget.is_spent():
        return bounds
    share = budget.nodes_left // part_of
    harmless = known is not None and known.upper == 0
    if not harmless:
        harmless, _ = maker_breaker.never_completes(position, budget, opponent_is_maker=False, nodes=share)
    if budget.is_spent():
        return bounds
    if safe and harmless:
        return _draw(position, budget, move)
    first, cells = bounds, position.rules.cells
    bounds = _kernel(position, budget, 0 if safe else -cells, 0 if harmless else cells)
    if first.exact and not bounds.exact:
        return first
    if safe and not bounds.exact and bounds.lower == 0 and move is not None:
        return Bounds(0, bounds.upper, move, (move,))
    return bounds


def _kernel(position: Position, budget: Budget, least: int | None = None, most: int | None = None) -> Bounds:
    """The bounds that the kernel proves, given that the value lies from ``least`` to ``most``."""
    game, places = _game(position.rules)
    result = copy_of(bytes(RESULT_DTYPE.itemsize), RESULT_DTYPE)
    budget.poll_by_cost(NODE_NS)
    own, opponent = bitboards(position, places)
    largest = MAX_TABLE_BITS if budget.node_limit < ENDLESS_NODES else MAX_ENDLESS_TABLE_BITS
    by_budget = (BUCKETS_PER_NODE * budget.node_limit).bit_length()
    size = min(largest, by_budget, records.table_size_hint(position.empties, position.rules.misere))
    cells = position.rules.cells
    with POOL.borrow("free placement", table_words(size)) as table:
        state = table.state_of(STATE_DTYPE)
        state.array["least"] = -cells if least is None else least
        state.array["most"] = cells if most is None else most
        kernels.solve(game, state, own, opponent, budget.pointer, table.pointer, result)
    return read_bounds(result, places)


def _draw(position: Position, budget: Budget, move: int | None) -> Bounds:
    """The bounds of a draw proven by mere blocking, with a line of moves that keep it, as far as a small budget goes.

    ``move`` keeps the draw; None if all moves do.
    """
    line: list[int] = []
    with budget.part(nodes=budget.nodes) as part:
        while len(line) < DRAW_LINE and position.ending().state == "ongoing":
            safe = _first_safe(position, part)
            if safe is None:
                break
            line.append(safe)
            position = position.play(safe)
    if not line:
        line = [move if move is not None else next(iter(_in_order(position)))]
    return Bounds(0, 0, line[0], tuple(line))


def _first_safe(position: Position, budget: Budget) -> int | None:
    """The first move in the fixed order after which the opponent provably completes no line; None if unknown."""
    for move in _in_order(position):
        child = position.play(move)
        if child.empties == 0:
            return move
        left = budget.nodes_left
        if budget.is_spent() or not left:
            return None
        if maker_breaker.never_completes(child, budget, opponent_is_maker=False, nodes=left)[0]:
            return move
    return None


def _in_order(position: Position) -> list[int]:
    """The legal moves in the fixed order."""
    legal = set(position.legal_moves())
    return [cell for cell in position.geometry.move_order if cell in legal]


def bulk_values(rules: Rules, boards: NDArray[np.uint8], moves: int, budget: Budget) -> BulkValues:
    """The exact values of those ongoing positions that ``FIRST_NODES`` suffice for, each with an empty table.

    A row of ``boards`` is a position seen from the side to move: 0 empty, 1 own, 2 the opponent's, 3 blocked. ``moves``
    is ``NO_MOVES``, ``BEST_MOVES`` or ``ALL_MOVES``. Where anything but nodes ends the budget, later positions get no
    value.
    """
    game, places = _game(rules)
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
        FIRST_NODES,
        bulk.values,
        bulk.move_values,
    )
    return bulk
