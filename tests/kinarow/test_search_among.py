"""The best of some moves: compared with plain minimax over those moves alone."""

import random

import pytest

from kinarow import Limits, Position, Rules
from kinarow.analysis import analyse, search_among
from kinarow.search import search
from tests.support.minimax import WIN, plain_move_values
from tests.support.positions import EVERY_RULE, board_rows, lively_position

PLENTY = Limits(max_nodes=1_000_000)


def values_of(position):
    """The true value of each legal move on the library's scale: plain minimax to the end."""
    rules = position.rules
    values = plain_move_values(board_rows(position), "XO"[position.to_move - 1], rules, position.empties)
    marks = rules.cells - position.empties
    true = {}
    for (row, column), (value, certain) in values.items():
        assert certain
        plies = WIN - abs(value) - marks
        score = 0 if value == 0 else (rules.cells + 1 - plies) * (1 if value > 0 else -1)
        true[row * rules.columns + column] = score
    return true


@EVERY_RULE
def test_the_best_of_any_moves_is_as_good_as_minimax_says(flags):
    rng = random.Random(f"among {flags}")
    for _ in range(12):
        position = lively_position(rng, flags)
        if position.ending().state != "ongoing" or position.empties > 9:
            continue
        true = values_of(position)
        legal = position.legal_moves()
        allowed = tuple(sorted(rng.sample(legal, rng.randint(1, len(legal)))))
        best = max(true[move] for move in allowed)
        found = search_among(position, PLENTY, allowed)
        assert found.move in allowed
        assert (found.score.value, found.proven) == (best, True)
        assert set(found.best_moves) <= {move for move in allowed if true[move] == best}
        whole = analyse(position, PLENTY, allowed=allowed)
        assert {value.move: value.score.value for value in whole.moves} == {m: true[m] for m in allowed}
        assert set(whole.result.best_moves) == {move for move in allowed if true[move] == best}


@pytest.mark.parametrize("nodes", [1, 2, 10, 500])
def test_a_node_budget_bounds_all_searches_together(nodes):
    position = Position.empty(Rules(9, 9, 5)).play(40)
    allowed = tuple(move for move in position.legal_moves() if move % 3 == 0)
    found = search_among(position, Limits(max_nodes=nodes), allowed)
    assert found.nodes <= nodes
    assert found.move in allowed
    again = search_among(position, Limits(max_nodes=nodes), allowed)
    assert (again.move, again.score, again.line) == (found.move, found.score, found.line)


def test_a_line_of_a_near_exact_end_is_whole():
    rng = random.Random("whole lines")
    seen = 0
    for flags in [(False, False, False), (True, False, False), (False, True, False)]:
        for _ in range(40):
            position = lively_position(rng, flags)
            found = search(position, PLENTY)
            if found.score.exact and found.outcome in ("win", "loss") and found.distance <= 9:
                seen += 1
                last = position
                for move in found.line:
                    last = last.play(move)
                assert len(found.line) == found.distance
                assert last.ending().state == "won"
    assert seen > 20
