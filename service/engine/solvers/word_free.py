"""The exact solver for boards of at most 64 cells without gravity: proves value and distance, or bounds them."""

from functools import lru_cache
from typing import Any

from service.engine.geometry import geometry
from service.engine.kernels import word_free as kernel
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers.tables import POOL
from service.engine.solvers.verdict import Verdict, read_verdict, words

SPACES_KEPT = 64
MAX_TABLE_BITS = 20
"""At most 2^20 buckets of 64 bytes: above, memory of its own for every search costs more than it saves."""


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return not rules.gravity and kernel.fits(rules.rows, rules.columns)


@lru_cache(maxsize=SPACES_KEPT)
def _space(rules: Rules) -> tuple[Any, list[int]]:
    """The kernel's record of a game to copy for a search, and the bit of each cell."""
    places = kernel.word_bits(rules.rows, rules.columns)
    space = kernel.new_space(
        rules.rows, rules.columns, rules.goal, rules.misere, rules.exact_goal, bits=places
    )
    # Among equal moves the engine's own fixed order decides.
    space["order"][0, : rules.cells] = [places[cell] for cell in geometry(rules).move_order]
    return space, places


def solve(position: Position, control: Any) -> Verdict:
    """Prove as much as the budget allows of an ongoing position."""
    template, places = _space(position.rules)
    space = template.copy()
    result = kernel.new_result()
    own, opponent = words(position, places)
    size = min(MAX_TABLE_BITS, kernel.table_size_hint(position.empties, position.rules.misere))
    with POOL.borrow("free placement", ((1 << size) + 1) * kernel.BUCKET_WORDS) as table:
        kernel.solve(space[0], own, opponent, control[0], table.words, result[0])
    return read_verdict(result[0], places)
