"""One scale for all scores: any win above any estimate above any loss, quick wins and slow losses first."""

import math

from hypothesis import given
from hypothesis import strategies as st

from kinarow.score import MAX_ESTIMATE, Score, before_move, draw, estimate, loss, proven, win

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
    assert before_move(win(cells, plies, bound), cells) == loss(cells, plies + 1, bound)
    assert before_move(loss(cells, plies, bound), cells) == win(cells, plies + 1, bound)
    assert before_move(draw(plies), cells) == draw(plies + 1)
    guess = estimate(data.draw(RAW), 10)
    assert before_move(guess, cells).value == -guess.value
    assert str(before_move(estimate(0, 10), cells).value) == "0.0"


def test_the_expected_result_is_the_proven_or_calibrated_one_if_there_is_one():
    assert [each.expected for each in (win(9, 3), draw(4), loss(9, 2, is_bound=True))] == [1, 0, -1]
    assert estimate(5, 10).expected is None
    assert before_move(estimate(5, 10), 9).expected is None
    calibrated = Score(0.25, "unknown", None, calibrated=0.4)
    assert calibrated.expected == 0.4
    assert before_move(calibrated, 9) == Score(-0.25, "unknown", None, calibrated=-0.4)
