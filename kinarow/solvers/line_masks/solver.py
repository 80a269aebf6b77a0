"""The exact solver for boards of any lines, at most 64 cells: proves value and distance, or bounds them."""

from functools import lru_cache

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.bounds import Bounds, CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import ANY_MOVE, WORD_BITS
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.line_masks import records
from kinarow.solvers.line_masks.layout import STATE_DTYPE

kernels = Library("line_masks")

KNOWN = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "marks", "layers"})
GAMES_KEPT = 64
NODE_NS = 4_000  # Nanoseconds that the most expensive node takes, roughly


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return rules.within(KNOWN) and rules.cells <= WORD_BITS


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> tuple[Pointer, CellBits]:
    """The kernel's record of a game, which searches share, and the bit of each cell."""
    return Pointer(records.new_game(rules)), CellBits(records.cell_bits(rules))


def solve(position: Position, budget: Budget, least: int | None = None, most: int | None = None) -> Bounds:
    """Prove as much of an ongoing position as the budget allows, given ``least <= value <= most``."""
    game, bits = game_of(position.rules)
    budget.poll_by_cost(NODE_NS)
    own, opponent = bits.bitboards(position)
    size = records.table_words(position.empties, budget.node_limit)
    with POOL.borrow("line masks", size) as table:
        known = -WORD_BITS if least is None else least, WORD_BITS if most is None else most, ANY_MOVE
        memory = budget.pointer, table.pointer, table.result
        kernels.solve(game, table.state_of(STATE_DTYPE), own, opponent, *known, *memory)
        return bits.bounds(table.result.array)
