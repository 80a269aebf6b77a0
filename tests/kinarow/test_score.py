"""Scores and their order, and the expected result of estimates."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinarow
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import MAX_ESTIMATE, Score, draw, estimate, loss, parent_score, proven, win
from kinarow.search.calibration import calibrated, expected_result
from kinarow.search_types import Limits

CELLS = st.integers(1, 625)
RAW = st.one_of(st.integers(-(10**15), 10**15), st.floats(-1e15, 1e15))
SCALE = st.floats(0.5, 1e13)


@given(cells=CELLS, data=st.data())
def test_any_win_is_above_any_estimate_and_any_estimate_above_any_loss(cells, data):
    plies = data.draw(st.integers(0, cells))
    guess = estimate(data.draw(RAW), data.draw(SCALE))
    assert win(cells, plies).value >= 1 > guess.value > -1 >= loss(cells, plies).value
    assert draw(plies).value == 0


@given(cells=CELLS, data=st.data())
def test_a_win_in_n_is_the_number_of_cells_and_one_less_n_and_a_loss_its_negative(cells, data):
    plies = data.draw(st.integers(0, cells))
    assert win(cells, plies).value == cells + 1 - plies == -loss(cells, plies).value
    assert type(win(cells, plies).value) is int
    for score in (win(cells, plies), loss(cells, plies), draw(plies)):  # it can be read back from its number
        assert proven(int(score.value), cells, empties=plies) == score
    if plies:
        assert win(cells, plies - 1).value > win(cells, plies).value
        assert loss(cells, plies - 1).value < loss(cells, plies).value


@given(raw=RAW, scale=SCALE)
def test_an_estimate_has_four_decimals_lies_within_bounds_and_is_never_minus_zero(raw, scale):
    value = estimate(raw, scale).value
    assert abs(value) <= MAX_ESTIMATE
    assert value == round(value, 4)
    assert math.copysign(1, value) == (1 if value >= 0 else -1)
    assert value * raw >= 0


@given(one=RAW, other=RAW, scale=SCALE)
def test_estimates_keep_the_order_of_what_the_heuristic_says(one, other, scale):
    lower, upper = sorted((one, other))
    assert estimate(lower, scale).value <= estimate(upper, scale).value
    assert estimate(-one, scale).value == -estimate(one, scale).value


def test_an_estimate_says_that_nothing_is_known():
    guess = estimate(5, 10)
    assert (guess.outcome, guess.distance, guess.is_bound) == ("unknown", None, False)
    assert (guess.proven, guess.exact, guess.value) == (False, False, 0.3333)
    assert estimate(10, 10).value == 0.5
    assert str(estimate(-0.0, 10).value) == str(estimate(-1e-9, 10).value) == "0.0"


@given(cells=st.integers(2, 625), data=st.data())
def test_a_move_is_one_ply_further_from_the_end_than_the_position_it_leads_to(cells, data):
    plies = data.draw(st.integers(0, cells - 1))
    bound = data.draw(st.booleans())
    assert parent_score(win(cells, plies, bound), cells) == loss(cells, plies + 1, bound)
    assert parent_score(loss(cells, plies, bound), cells) == win(cells, plies + 1, bound)
    assert parent_score(draw(plies), cells) == draw(plies + 1)
    guess = estimate(data.draw(RAW), 10)
    assert parent_score(guess, cells).value == -guess.value
    assert str(parent_score(estimate(0, 10), cells).value) == "0.0"


def test_the_expected_result_is_the_proven_or_calibrated_one_if_there_is_one():
    assert [each.expected for each in (win(9, 3), draw(4), loss(9, 2, is_bound=True))] == [1, 0, -1]
    assert estimate(5, 10).expected is None
    assert parent_score(estimate(5, 10), 9).expected is None
    calibrated = Score(0.25, "unknown", None, calibrated=0.4)
    assert calibrated.expected == 0.4
    assert parent_score(calibrated, 9) == Score(-0.25, "unknown", None, calibrated=-0.4)


GOMOKU = Rules(15, 15, 5)
ESTIMATES = st.floats(-MAX_ESTIMATE, MAX_ESTIMATE)
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
    guess = estimate(5, 10)
    assert calibrated(guess, position, Limits(max_depth=4)).expected is None
    assert calibrated(guess, position, Limits()).expected > 0
    won = win(225, 5)
    assert calibrated(won, position, Limits()) is won
    assert won.expected == 1


def test_an_analysis_has_expected_results_in_the_order_of_scores():
    """The chosen move has that of the answer, the events have them too, and a depth limit takes them away."""
    position = Position.from_moves("h8h9i8", game="gomoku")
    heard = []
    found = kinarow.analyse(position, LIMITS, progress=heard.append, live_moves=3)
    assert found.expected == found.moves[0].expected is not None
    assert [move.expected for move in found.moves] == sorted((move.expected for move in found.moves), reverse=True)
    assert heard
    assert all(value.score.expected is not None for info in heard for value in (info, *info.moves))
    limited = kinarow.analyse(position, Limits(max_nodes=2000, max_depth=2))
    assert {move.expected for move in limited.moves if not move.proven} == {None}


def test_a_search_of_one_node_and_moves_that_are_allowed_have_expected_results():
    position = Position.from_moves("h8h9", game="gomoku")
    assert kinarow.best_move(position, Limits(max_nodes=1)).expected is not None
    assert kinarow.best_move(position, LIMITS, only="a1a2").expected < 0
