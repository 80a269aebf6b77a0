"""The table of plans: which boards are solved, and that no plan contradicts itself."""

from dataclasses import replace
from itertools import pairwise

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers import select, steps
from kinarow.solvers.plans import plan_of
from tests.support.positions import position_of

CUBE = Rules(4, 4, 4, layers=4, gravity=True)
GAMES = [
    (Rules(5, 5, 4), "soon"),
    (Rules(5, 5, 4, misere=True), "soon"),
    (Rules(6, 7, 4, gravity=True), "soon"),
    (Rules(5, 5, 4, wrap="both"), "soon"),
    (Rules(5, 5, 4, wrap="both", misere=True), "soon"),
    (CUBE, "rarely"),
    (replace(CUBE, misere=True), "rarely"),
    (Rules(6, 6, 5, caro=True), "soon"),
    (Rules(7, 7, 5, caro=True), "never"),
    (Rules(15, 15, 5, caro=True), "never"),
    (Rules(9, 9, 5, caro=True, blocked=1), "never"),
    (Rules(6, 6, 5, renju=True), "soon"),
    (Rules(8, 8, 5, renju=True), "never"),
    *((Rules(15, 15, goal), proven)
      for goal, proven in ((5, "never"), (4, "soon"), (9, "soon"))),
    (Rules(10, 10, 5, wrap="both"), "never"),
    (Rules(8, 8, 5, gravity=True), "rarely"),
    (Rules(4, 4, 3, wrap="both", marks="shared"), "soon"),
    (Rules(10, 10, 5, wrap="both", misere=True), "never"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "proven"), GAMES, ids=str)
def test_a_board_has_the_plan_of_its_rules(rules, proven):
    """Budgets go by it. No solver searches twice with nothing found between."""
    assert select.solvable(rules) == (proven != "never")
    assert select.rarely_soon(rules) == (proven == "rarely")
    runs = [step.run for step in plan_of(rules).proof]
    assert (steps.exact, steps.exact) not in set(pairwise(runs))


@pytest.mark.parametrize(("rules", "by_network"), [
    (Rules(7, 7, 5, caro=True), True), (Rules(8, 8, 5, renju=True), True), (Rules(7, 9, 5), True),
    (Rules(8, 8, 5, exact_goal=True), True), (Rules(8, 8, 4, gravity=True), True), (Rules(6, 6, 5), False),
    (Rules(8, 8, 5, misere=True), False), (Rules(6, 7, 4, gravity=True), False), (Rules(8, 8, 5, wrap="both"), False),
    (Rules(8, 8, 5, blocked=1), False),
], ids=str)  # fmt: skip
def test_the_network_estimates_large_plain_boards(rules, by_network):
    """A search of all moves to a depth has another scale."""
    assert select.estimated_by_network(rules) == by_network
    assert select.has_quick_values(Position.empty(rules), Limits()) == by_network
    assert rules.renju or not select.has_quick_values(Position.empty(rules), Limits(max_depth=2))


@pytest.mark.parametrize("board", [
    ".OX./O.../..../.X.O//..../...O/..../....//X..X/XX../O.../....//..../..../.X../.O..",
    "O.../...X/.OXX/..X.//..O./..../..O./....//..../..XX/..../..O.//..../..../..../.XO.",
])  # fmt: skip
def test_a_win_too_long_for_near_queries_is_no_draw(board):
    """A forced win in 21 and in 15 plies: the exact solver, told of it, finds no win sooner."""
    assert search(position_of(board, 4), Limits(300_000)).score.outcome == "win"
