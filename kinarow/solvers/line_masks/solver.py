"""The exact solver for boards of any lines, at most 64 cells: proves value and distance, or bounds them."""

from functools import lru_cache

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.bounds import Bounds, CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import ANY_MOVE, ENDLESS_NODES, WORD_BITS, table_words
from kinarow.solvers.common.game_record import new_game
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.line_masks.layout import GAME_DTYPE, STATE_DTYPE

kernels = Library("line_masks")

KNOWN = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "marks", "layers"})
GAMES_KEPT = 64
MOST_BUCKETS_LOG2 = 20
MOST_ENDLESS_BUCKETS_LOG2 = 23
NODE_NS = 4_000  # Nanoseconds that the most expensive node takes, roughly


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return rules.within(KNOWN) and rules.cells <= WORD_BITS


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules, off: int = 0) -> tuple[Pointer, CellBits]:
    """The kernel's record of a game, which searches share, and the bit of each cell."""
    return new_game(kernels, rules, GAME_DTYPE, off)


def solve(position: Position, budget: Budget, least: int | None = None, most: int | None = None) -> Bounds:
    """Prove as much of an ongoing position as the budget allows, given ``least <= value <= most``."""
    game, bits = game_of(position.rules)
    budget.poll_by_cost(NODE_NS)
    own, opponent = bits.bitboards(position)
    # At most 64 MB, endless 512 MB.
    largest = MOST_BUCKETS_LOG2 if budget.node_limit < ENDLESS_NODES else MOST_ENDLESS_BUCKETS_LOG2
    size = min(largest, position.empties, max(0, budget.node_limit.bit_length() - 1))
    with POOL.borrow("line masks", table_words(size)) as table:
        known = -WORD_BITS if least is None else least, WORD_BITS if most is None else most, ANY_MOVE
        memory = budget.pointer, table.pointer, table.result
        kernels.solve(game, table.state_of(STATE_DTYPE), own, opponent, *known, *memory)
        return bits.bounds(table.result.array)
