"""Tic-tac-toe at every reachable position, and search to a depth beside plain minimax with the line heuristic."""

import random

import pytest

from kinarow.game.line_heuristic import estimate_scale
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from tests.support.minimax import DECISIVE, WIN, plain_move_values, plain_value
from tests.support.positions import (
    RULE_FLAGS,
    SIDE,
    board_rows,
    flags_name,
    judged,
    lively_position,
    random_position,
    random_rules,
)

PLENTY = Limits(max_nodes=10**7)


def test_every_position_of_tic_tac_toe_is_answered_truly():
    """A win in n plies scores 10 - n, a loss n - 10; the move is a fastest win or a slowest loss."""
    reachable = newest = {Position.empty(Rules(3, 3, 3))}
    while newest:
        ongoing = [position for position in newest if position.ending().state == "ongoing"]
        for position in ongoing:
            outcome, plies, best = judged(position)
            answer = search(position, PLENTY)
            assert answer.score.value == {"win": 10 - plies, "draw": 0, "loss": plies - 10}[outcome]
            assert (answer.score.outcome, answer.score.distance) == (outcome, plies)
            assert answer.move in answer.best_moves
            assert set(answer.best_moves) <= best
        newest = {position.play(move) for position in ongoing for move in position.legal_moves()}
        reachable = reachable | newest
    assert len(reachable) == 5478


def expected_score(value, position):
    """What the plain depth-limited value is on the scale of answers: a distance, or the squashed estimate."""
    marks = position.rules.cells - position.empties
    if abs(value) >= DECISIVE:
        return ("win" if value > 0 else "loss"), WIN - abs(value) - marks
    scale = estimate_scale(position.rules.goal)
    return "unknown", round(value / (abs(value) + scale), 4)


@pytest.mark.parametrize("flags", RULE_FLAGS, ids=flags_name)
def test_pruning_changes_no_value(flags):
    rng = random.Random(f"pruning {flags}")
    for _ in range(20):
        position = lively_position(rng, flags)
        assert_no_value_changed(position, rng.randint(2, 4 if position.empties <= 9 else 3))
    compared = 0
    while compared < 20:
        rules = random_rules(rng, 16)
        rules = Rules(rules.rows, rules.columns, rules.goal, *flags)
        position = random_position(rng, rules, rng.randrange(rules.cells))
        if position is not None:
            assert_no_value_changed(position, rng.randint(1, 4 if position.empties <= 8 else 2))
            compared += 1


def assert_no_value_changed(position, depth):
    board, side, rules = board_rows(position), SIDE[position.to_move], position.rules
    values = plain_move_values(board, side, rules, depth)
    value, certain = plain_value(board, side, rules, depth)
    result = search(position, Limits(max_nodes=10**7, max_depth=depth))
    assert values[divmod(result.move, rules.columns)][0] == value
    outcome, number = expected_score(value, position)
    if result.score.outcome == "draw":
        # With pruning fewer estimates are seen, so a draw may be proven where plain minimax still estimates 0.
        assert value == 0
        assert result.score.value == 0
    elif outcome == "unknown":
        assert not certain
        assert (result.score.outcome, result.score.value) == ("unknown", number)
    else:
        assert (result.score.outcome, result.score.distance) == (outcome, number)


@pytest.mark.parametrize("flags", RULE_FLAGS, ids=flags_name)
@pytest.mark.parametrize(
    ("rows", "columns", "goal"), [(7, 6, 4), (6, 7, 4), (4, 9, 3), (10, 9, 5), (1, 13, 3), (24, 25, 5), (25, 2, 25)]
)
def test_any_board_is_answered_at_any_depth_cutoff(rows, columns, goal, flags):
    position = Position.empty(Rules(rows, columns, goal, *flags))
    for depth in (1, 2, 3):
        result = search(position, Limits(max_nodes=20_000, max_depth=depth))
        assert result.move in position.legal_moves()
        assert result.depth <= depth
        assert result.stopped_by in ("depth", "nodes", "proof")
        assert result.score.proven or -1 < result.score.value < 1
