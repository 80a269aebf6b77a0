"""Draws by pairings: the pattern is what it claims, no move of the opponent breaks a proof, small cases agree."""

import random
import time

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.maker_breaker import pairing
from kinarow.solvers.maker_breaker.solver import lines_by_run, masks, open_lines
from tests.support.positions import random_position, random_positions
from tests.support.samples import sampled


def test_nine_cells_in_a_row_hold_a_pair_wherever_the_pattern_is_laid():
    """The whole claim of the pattern, on the largest board; and no cell is in two pairs."""
    rules = Rules(25, 25, pairing.TILING_GOAL)
    lines = [line for line, _ in lines_by_run(rules)]
    for place in range(pairing.TILING_SIDE**2):
        pairs = [
            {first, first + step}
            for step, firsts in pairing.tiling_masks(25, 25, *divmod(place, pairing.TILING_SIDE)).items()
            for first in range(rules.cells)
            if firsts >> first & 1
        ]
        assert len(set().union(*pairs)) == 2 * len(pairs)
        masks = [sum(1 << cell for cell in pair) for pair in pairs]
        assert all(any(line & pair == pair for pair in masks) for line in lines)


@pytest.mark.parametrize("exact_goal", [False, True])
def test_every_line_that_is_open_holds_a_pair_of_the_tiling_used(exact_goal):
    """Seen line by line on boards with marks, where the search looks at all lines of a direction at once."""
    rng = random.Random(1)
    found = 0
    for size in [(9, 9), (25, 3), (3, 25), (12, 14)]:
        rules = Rules(*size, 9, exact_goal=exact_goal)
        for marks in (0, 1, 2, 3, 4):
            order = rng.sample(range(rules.cells), marks)
            maker, breaker = (sum(1 << cell for cell in order[side::2]) for side in (0, 1))
            paired = pairing.tiled_pairs(rules, maker, breaker, Budget(NO_LIMIT))
            if paired is not None:
                found += 1
                assert not paired & (maker | breaker)
                assert all((line & paired).bit_count() > 1 for line in open_lines(rules, maker, breaker))
    assert found >= 15


def test_a_deadline_that_has_passed_or_a_stop_ends_the_search_for_a_pairing():
    """On boards where the tiling serves and where cells are given out one by one."""
    for rules in (Rules(20, 20, 9), Rules(3, 25, 5)):
        empty, stopped = Position.empty(rules), Budget(NO_LIMIT)
        assert pairing.find_draw(empty, Budget(NO_LIMIT)) is not None
        stopped.stop()
        for budget in (Budget(NO_LIMIT, time.monotonic_ns()), stopped):
            assert pairing.find_draw(empty, budget) is None
            assert budget.is_spent()
    # With gravity a reply may not be playable.
    assert not pairing.knows(Rules(9, 9, 9, gravity=True))


@pytest.mark.parametrize("exact_goal", [False, True])
@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("board", [
    *((9, 9, 9), (15, 15, 9), (25, 25, 9), (10, 25, 12), (25, 25, 25)),  # by the tiling
    *((9, 9, 7), (11, 11, 8), (3, 25, 4)),  # by augmenting paths
], ids=str)  # fmt: skip
def test_large_boards_with_a_pairing_are_draws(board, misere, exact_goal):
    position = Position.empty(Rules(*board, misere=misere, exact_goal=exact_goal))
    result = search(position, Limits(1_000))
    assert (result.score.outcome, result.score.distance) == ("draw", position.empties)
    assert result.stopped_by == "proof"


@pytest.mark.parametrize("misere", [False, True])
def test_what_pairings_prove_the_solver_for_one_word_proves_too(misere):
    rng = random.Random(5)
    found = 0
    sizes = (9, 3, 9), (2, 12, 9), (1, 18, 9), (5, 5, 5), (3, 6, 5), (6, 4, 6)
    for rules in (Rules(*size, misere=misere) for size in sizes):
        for position in random_positions(rng, [rules] * 25, (2, rules.cells)):
            move = pairing.find_draw(position, Budget(NO_LIMIT))
            if move is not None:
                found += 1
                assert search(position, Limits(5_000_000)).score.outcome == "draw"
                child = position.play(move)
                assert child.ending().state == "drawn" or search(child, Limits(5_000_000)).score.outcome == "draw"
    assert found >= 20


@sampled("number", 100, 400)
def test_too_few_cells_are_seen_only_where_there_is_no_pairing(number):
    rng, paired, refused = random.Random("few cells"), 0, 0
    for _ in range(number):
        rules = Rules(rng.randint(3, 12), rng.randint(7, 12), rng.randint(4, 7), exact_goal=rng.random() < 0.3)
        position = random_position(rng, rules, rng.randrange(rules.cells // 2))
        if position is None:
            continue
        hopeless = pairing.hopeless(position)
        pairs = pairing.matched_pairs(open_lines(rules, *masks(position)), Budget(NO_LIMIT))
        assert not (hopeless and pairs)
        paired, refused = paired + (pairs is not None), refused + hopeless
    assert 20 * paired > number
    assert refused > 0
