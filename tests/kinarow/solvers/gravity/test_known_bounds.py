"""What is known of a value beforehand spares work, and changes neither what is proven nor the move."""

import random

import pytest

from kinarow import score
from kinarow.game.rules import Rules
from kinarow.search_types import KnownBounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver
from tests.support.oracle import judge
from tests.support.positions import judged, random_position

RULES = [(misere, exact) for misere in (False, True) for exact in (False, True)]
EVERY_RULE = pytest.mark.parametrize("flags", RULES, ids=["normal", "exact", "misere", "misere-exact"])
SIZES = [(3, 4), (4, 4), (4, 5), (5, 3), (2, 7)]
MAX_EMPTIES = 12
POSITIONS = 30
PLENTY = 10**9


@pytest.fixture(scope="module", autouse=True)
def _forget():
    """The oracle's memory is large, and of no use to the tests that follow."""
    yield
    judge.cache_clear()


def positions(flags, count):
    """So many random ongoing positions with the truth about each: value, best moves."""
    rng = random.Random(f"known bounds {flags}")
    while count:
        rules = Rules(*rng.choice(SIZES), rng.randint(2, 4), True, *flags)
        position = random_position(rng, rules, rng.randint(rules.cells - MAX_EMPTIES, rules.cells - 3))
        if position is not None:
            outcome, plies, best = judged(position)
            value = {"win": rules.cells + 1 - plies, "draw": 0, "loss": plies - rules.cells - 1}[outcome]
            yield position, value, best
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
            assert found.lower <= reached(position, found.move)


def reached(position, move):
    """What a move is worth for the side that makes it."""
    cells, child = position.rules.cells, position.play(move)
    ended = child.final_score()
    if ended is not None:
        return score.before_move(ended, cells).value
    outcome, plies, _ = judged(child)
    return {"win": plies - cells, "draw": 0, "loss": cells - plies}[outcome]
