"""The exact solver for boards of at most 64 cells without gravity: proves the value with its distance, or bounds."""

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library
from kinarow.solvers.common.bounds import Bounds, games_of
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import (
    ANY_MOVE,
    BUCKET_BYTES,
    ENDLESS_NODES,
    FREE_PLACEMENT_LINES,
    WORD_BITS,
    table_words,
)
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.free_placement.layout import GAME_DTYPE, STATE_DTYPE

kernels = Library("free_placement")
game_of = games_of(kernels, GAME_DTYPE)

RULES_HANDLED = frozenset({"misere", "exact_goal", "wrap", "directions", "layers"})
MAX_TABLE_BITS = 20  # At most 2^20 buckets of 64 bytes; a larger table for every search costs more than it saves
MAX_ENDLESS_TABLE_BITS = 22
BUCKETS_PER_NODE = 2  # A larger table for a small budget only touches more memory

NODE_NS = 4_000  # About the most nanoseconds that a node takes (in misere, with plans)


def fits(rules: Rules) -> bool:
    """Return True if this solver supports the rules and the board."""
    if not rules.within(RULES_HANDLED) or rules.cells > WORD_BITS:
        return False
    return rules.plain or len(geometry(rules).directed_lines) <= FREE_PLACEMENT_LINES


def solve(position: Position, budget: Budget, least: int | None = None, most: int | None = None) -> Bounds:
    """Return the best bounds on an ongoing position that the budget allows, given ``least <= value <= most``."""
    game, bits = game_of(position.rules)
    budget.set_poll_interval(NODE_NS)
    own, opponent = bits.bitboards(position)
    largest = MAX_TABLE_BITS if budget.node_limit < ENDLESS_NODES else MAX_ENDLESS_TABLE_BITS
    by_budget = (BUCKETS_PER_NODE * budget.node_limit).bit_length()
    size = min(largest, by_budget, max(8, min(22, position.empties + (4 if position.rules.misere else 1))))
    size = POOL.fitting_bits(size, BUCKET_BYTES)
    with POOL.borrow("free placement", table_words(size)) as table:
        bounds = -WORD_BITS if least is None else least, WORD_BITS if most is None else most, ANY_MOVE
        memory = budget.pointer, table.pointer, table.result
        kernels.solve(game, table.state_of(STATE_DTYPE), own, opponent, *bounds, *memory)
        return bits.bounds(table.result.array)
