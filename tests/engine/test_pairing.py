"""Draws by pairings: the pattern is what it claims, no move of the opponent breaks a proof, small cases agree."""

import random

import pytest

from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.search import Limits, search
from service.engine.solvers import pairing
from service.engine.solvers.blocking import lines_by_run


def test_nine_cells_in_a_row_hold_a_pair_wherever_the_pattern_is_laid():
    """The whole claim of the pattern, on the largest board; and no cell is in two pairs."""
    rules = Rules(25, 25, pairing.PATTERN_GOAL)
    lines = [line for line, _ in lines_by_run(rules)]
    for pairs in pairing._tilings(25, 25):
        taken = 0
        for pair in pairs:
            assert pair.bit_count() == 2
            assert not taken & pair
            taken |= pair
        assert pairing._cells_paired(pairs, lines, (1 << rules.cells) - 1) is not None


@pytest.mark.parametrize("exact_goal", [False, True])
@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("board", [(9, 9, 9), (15, 15, 9), (25, 25, 9), (10, 25, 12), (25, 25, 25)], ids=str)
def test_a_goal_of_nine_or_more_is_a_draw_on_every_board(board, misere, exact_goal):
    """Through the engine's own search, with the distance of a draw."""
    position = Position.empty(Rules(*board, misere=misere, exact_goal=exact_goal))
    result = search(position, Limits(1_000))
    assert (result.score.outcome, result.score.distance) == ("draw", position.empties)
    assert result.stopped_by == "proof"


@pytest.mark.parametrize("misere", [False, True])
def test_what_pairings_prove_the_solver_for_one_word_proves_too(misere):
    """Small boards, where another proof exists."""
    rng = random.Random(5)
    found = 0
    for rules in (
        Rules(5, 5, 5, misere=misere),
        Rules(3, 6, 5, misere=misere),
        Rules(6, 4, 6, misere=misere),
    ):
        for _ in range(25):
            position = Position.empty(rules)
            for _ in range(rng.randint(0, rules.cells - 2)):
                if position.ending().state == "ongoing":
                    position = position.play(rng.choice(position.legal_moves()))
            if position.ending().state != "ongoing":
                continue
            move = pairing.find_draw(position)
            if move is None:
                continue
            found += 1
            assert search(position, Limits(5_000_000)).score.outcome == "draw"
            child = position.play(move)
            assert child.ending().state == "drawn" or search(child, Limits(5_000_000)).score.outcome == "draw"
    assert found >= 10


def test_gravity_has_no_pairings():
    """A reply may not be playable there."""
    assert pairing.find_draw(Position.empty(Rules(9, 9, 9, gravity=True))) is None
