"""The best of some moves: compared with plain minimax over those moves alone."""

import random

import pytest

import kinarow
from kinarow import Limits, Position, Rules
from kinarow.search.analysis import analyse, search_among
from tests.support.positions import EVERY_RULE, plain_positions, true_scores

PLENTY = Limits(max_nodes=1_000_000)


@EVERY_RULE
def test_the_best_of_any_moves_is_as_good_as_minimax_says(flags):
    rng = random.Random(f"among {flags}")
    for position in plain_positions("among", flags, 8, 20, goals=(3, 4), max_empties=9):
        true, legal = true_scores(position), position.legal_moves()
        allowed = tuple(sorted(rng.sample(legal, rng.randint(1, len(legal)))))
        best = max(true[move] for move in allowed)
        found = search_among(position, PLENTY, allowed)
        assert found.move in allowed
        assert (found.score.value, found.proven) == (best, True)
        assert set(found.best_moves) <= {move for move in allowed if true[move] == best}
        whole = analyse(position, PLENTY, allowed=allowed)
        assert {value.move: value.score.value for value in whole.moves} == {m: true[m] for m in allowed}
        assert set(whole.result.best_moves) == {move for move in allowed if true[move] == best}


@pytest.mark.parametrize("level", [1, 5, 10])
def test_the_library_chooses_among_the_moves_it_may(level):
    position = Position.from_text("X.O/.../...", goal=3)
    for only, cells in [([1, 7], {1, 7}), ("b3 b1", {1, 7}), ([[1, 0]], {3}), ([{"row": 2, "column": 2}], {8})]:
        found = kinarow.best_move(position, level=level, seed=3, only=only)
        assert {found.move, *found.best_moves} <= cells
        assert {value.move for value in kinarow.analyse(position, only=only).moves} == cells
        rest = {value.move for value in kinarow.analyse(position, exclude=only).moves}
        assert rest == {*position.legal_moves()} - cells


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"only": [0]}, "/only/0"), ({"only": []}, "/only"), ({"exclude": "a2 a1 b3 b2 b1 c2 c1"}, "/exclude"),
        ({"only": [1], "exclude": [3]}, "/exclude"),
    ],
)  # fmt: skip
def test_moves_that_may_not_be_chosen_among(options, pointer):
    position = Position.from_text("X.O/.../...", goal=3)
    for ask in (kinarow.best_move, kinarow.analyse):
        with pytest.raises(kinarow.InputError) as refused:
            ask(position, **options)
        assert refused.value.problems[0][0] == pointer


@pytest.mark.parametrize("goal", [5, 7])
@pytest.mark.parametrize("nodes", [1, 2, 10, 500])
def test_a_node_budget_bounds_all_searches_together(nodes, goal):
    position = Position.empty(Rules(9, 9, goal)).play(40)
    allowed = tuple(move for move in position.legal_moves() if move % 3 == 0)
    found = search_among(position, Limits(max_nodes=nodes), allowed)
    assert found.nodes <= nodes
    assert found.move in allowed
    again = search_among(position, Limits(max_nodes=nodes), allowed)
    assert (again.move, again.score, again.line) == (found.move, found.score, found.line)


def test_the_only_move_allowed_is_the_whole_set_of_the_best():
    """Also where the search of all moves knows of no more than one: the allowed move is that one."""
    position = Position.empty(Rules(9, 9, 5)).play(40)
    limits = Limits(max_nodes=200)
    first = search_among(position, limits, position.legal_moves())
    assert not first.best_moves_complete
    only = search_among(position, limits, (first.move,))
    assert (only.best_moves, only.best_moves_complete) == ((first.move,), True)
    two = tuple(sorted((first.move, *[move for move in position.legal_moves() if move != first.move][:1])))
    assert not search_among(position, limits, two).best_moves_complete


def test_a_proven_set_of_the_best_is_no_search_cut_short():
    """The move allowed completes a line; what the others are worth does not matter."""
    position = Position.from_moves("d1k1c1a1", game="treblecross")
    found = search_among(position, Limits(max_nodes=1), (1, 6, 8, 9))
    assert (found.best_moves, found.best_moves_complete, found.stopped_by) == ((1,), True, "proof")
