"""What is known of a value beforehand spares work, and changes neither what is proven nor the move."""

import random

import pytest

from kinarow.game.rules import Rules
from kinarow.search_types import KnownBounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver
from tests.support.positions import judged, random_position, true_move_value, true_value

RULES = [(misere, exact) for misere in (False, True) for exact in (False, True)]
EVERY_RULE = pytest.mark.parametrize("flags", RULES, ids=["normal", "exact", "misere", "misere-exact"])
SIZES = [(3, 4), (4, 4), (4, 5), (5, 3), (2, 7)]
MAX_EMPTIES = 12
POSITIONS = 30
PLENTY = 10**9


def positions(flags, count):
    """So many random ongoing positions with the truth about each: value, best moves."""
    rng = random.Random(f"known bounds {flags}")
    while count:
        rules = Rules(*rng.choice(SIZES), rng.randint(2, 4), True, *flags)
        position = random_position(rng, rules, rng.randint(rules.cells - MAX_EMPTIES, rules.cells - 3))
        if position is not None:
            yield position, true_value(position), judged(position)[2]
            count -= 1


def known_of(rng, position, value, best):
    """True bounds at random: exact with the best moves and some others, or a lower one."""
    cells = position.rules.cells
    if rng.random() < 0.5:
        others = [move for move in position.legal_moves() if rng.random() < 0.3]
        return KnownBounds(value, value, tuple({*best, *others}))
    return KnownBounds(max(-cells, value - rng.randint(0, 4)), cells, position.legal_moves())


@EVERY_RULE
def test_the_value_and_the_move_are_those_of_a_search_that_knows_nothing(flags):
    rng = random.Random(f"known {flags}")
    for position, value, best in positions(flags, POSITIONS):
        alone = solver.solve(position, Budget(PLENTY))
        found = solver.solve(position, Budget(PLENTY), known=known_of(rng, position, value, best))
        assert (found.lower, found.upper, found.move) == (alone.lower, alone.upper, alone.move)
        assert (found.lower, found.move in best) == (value, True)


@EVERY_RULE
def test_a_search_cut_short_claims_no_more_for_its_move_than_the_move_reaches(flags):
    rng = random.Random(f"cut {flags}")
    for position, value, best in positions(flags, POSITIONS):
        known = known_of(rng, position, value, best)
        for nodes in (1, 3, 10, 30, 100, 300):
            found = solver.solve(position, Budget(nodes), known=known)
            assert found.lower <= value <= found.upper
            assert found.lower <= true_move_value(position, found.move)
