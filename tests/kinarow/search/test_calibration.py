"""The expected result of estimates: where there is one, and that it orders moves as their estimates do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinarow
from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.calibration import calibrated, expected_result
from kinarow.search_types import Limits

GOMOKU = Rules(15, 15, 5)
ESTIMATES = st.floats(-score.MAX_ESTIMATE, score.MAX_ESTIMATE)
CALIBRATED = [
    GOMOKU, Rules(20, 20, 6, exact_goal=True), Rules(9, 12, 4), Rules(25, 25, 9), Rules(15, 15, 5, caro=True),
    Rules(15, 15, 5, renju=True), Rules(6, 6, 5, renju=True), Rules(8, 8, 5), Rules(8, 8, 5, exact_goal=True),
]  # fmt: skip
NOT_CALIBRATED = [
    Rules(15, 15, 5, gravity=True), Rules(15, 15, 5, misere=True), Rules(15, 15, 5, wrap="both"),
    Rules(15, 15, 5, directions=("horizontal",)), Rules(15, 15, 5, blocked=1), Rules(8, 8, 4, layers=2),
    Rules(6, 6, 5), Rules(6, 6, 5, caro=True), Rules(8, 8, 4, gravity=True),
]  # fmt: skip
LIMITS = Limits(max_nodes=2000)


@given(value=ESTIMATES, other=ESTIMATES, rules=st.sampled_from(CALIBRATED), data=st.data())
def test_a_better_estimate_has_no_worse_expected_result(value, other, rules, data):
    """It is 0 for 0, opposite for the other side, has three decimals, and is never certain."""
    empties = data.draw(st.integers(1, rules.cells))
    lower, upper = sorted((value, other))
    assert expected_result(lower, rules, empties) <= expected_result(upper, rules, empties)
    expected = expected_result(value, rules, empties)
    assert expected == -expected_result(-value, rules, empties) == round(expected, 3)
    assert abs(expected) < 1
    assert math.copysign(1, expected) == 1 or expected < 0
    assert expected_result(0.0, rules, empties) == 0


@pytest.mark.parametrize("rules", NOT_CALIBRATED)
def test_gravity_misere_other_shapes_and_small_boards_have_no_calibration(rules):
    assert expected_result(0.5, rules, 20) is None


def test_a_search_to_a_depth_has_no_expected_result_and_a_proven_one_has_its_own():
    position = Position.empty(GOMOKU)
    estimate = score.estimate(5, 10)
    assert calibrated(estimate, position, Limits(max_depth=4)).expected is None
    assert calibrated(estimate, position, Limits()).expected > 0
    win = score.win(225, 5)
    assert calibrated(win, position, Limits()) is win
    assert win.expected == 1


def test_an_analysis_has_expected_results_in_the_order_of_scores():
    """The chosen move has that of the answer, the events have them too, and a depth limit takes them away."""
    position = Position.from_moves("h8h9i8", game="gomoku")
    heard = []
    found = kinarow.analyse(position, LIMITS, progress=heard.append, live_moves=3)
    assert found.result.expected == found.moves[0].expected is not None
    assert [move.expected for move in found.moves] == sorted((move.expected for move in found.moves), reverse=True)
    assert heard
    assert all(value.score.expected is not None for info in heard for value in (info, *info.moves))
    limited = kinarow.analyse(position, Limits(max_nodes=2000, max_depth=2))
    assert {move.expected for move in limited.moves if not move.proven} == {None}


def test_a_search_of_one_node_and_moves_that_are_allowed_have_expected_results():
    position = Position.from_moves("h8h9", game="gomoku")
    assert kinarow.best_move(position, Limits(max_nodes=1)).expected is not None
    assert kinarow.best_move(position, LIMITS, only="a1a2").expected < 0
