"""The exact solver for boards of at most 64 cells and any shape: proves the value with its distance, or bounds."""

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library
from kinarow.solvers.common.bounds import Bounds, games_of
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import ANY_MOVE, ENDLESS_NODES, WORD_BITS, table_words
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.line_masks.layout import GAME_DTYPE, STATE_DTYPE

kernels = Library("line_masks")
game_of = games_of(kernels, GAME_DTYPE)

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "marks", "layers"})
MOST_BUCKETS_LOG2 = 20
MOST_ENDLESS_BUCKETS_LOG2 = 23
NODE_NS = 4_000  # about the most nanoseconds that a node takes


def fits(rules: Rules) -> bool:
    """Return True if this solver supports the rules and the board."""
    return rules.within(RULES_HANDLED) and rules.cells <= WORD_BITS


def solve(position: Position, budget: Budget, least: int | None = None, most: int | None = None) -> Bounds:
    """Return the best bounds on an ongoing position that the budget allows, given ``least <= value <= most``."""
    game, bits = game_of(position.rules)
    budget.set_poll_interval(NODE_NS)
    own, opponent = bits.bitboards(position)
    # At most 64 MB, or 512 MB with an endless budget.
    largest = MOST_BUCKETS_LOG2 if budget.node_limit < ENDLESS_NODES else MOST_ENDLESS_BUCKETS_LOG2
    size = min(largest, position.empties, max(0, budget.node_limit.bit_length() - 1))
    with POOL.borrow("line masks", table_words(size)) as table:
        bounds = -WORD_BITS if least is None else least, WORD_BITS if most is None else most, ANY_MOVE
        memory = budget.pointer, table.pointer, table.result
        kernels.solve(game, table.state_of(STATE_DTYPE), own, opponent, *bounds, *memory)
        return bits.bounds(table.result.array)
