"""The table of plans: which solvers take a board, and that no plan contradicts itself."""

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
    (Rules(5, 5, 4), "free_placement maker_breaker free_placement; line_counts", "soon"),
    (Rules(5, 5, 4, misere=True), "free_placement; line_counts", "soon"),
    (Rules(6, 7, 4, gravity=True), "gravity; line_counts", "soon"),
    (Rules(5, 5, 4, wrap="both"), "free_placement maker_breaker free_placement; line_counts", "soon"),
    (Rules(5, 5, 4, wrap="both", misere=True), "free_placement; line_counts", "soon"),
    (CUBE, "line_masks; line_counts", "rarely"),
    (replace(CUBE, misere=True), "line_masks; line_counts", "rarely"),
    (Rules(6, 6, 5, caro=True), "; line_counts", "soon"),
    (Rules(7, 7, 5, caro=True), "line_counts; large_boards", "soon"),
    (Rules(15, 15, 5, caro=True), "; large_boards", "never"),
    (Rules(9, 9, 5, caro=True, blocked=1), "; line_counts", "never"),
    (Rules(6, 6, 5, renju=True), "; large_boards", "soon"),
    (Rules(8, 8, 5, renju=True), "large_boards; large_boards", "soon"),
    *((Rules(15, 15, goal), "no kernel maker_breaker; large_boards", proven)
      for goal, proven in ((5, "never"), (4, "soon"), (9, "soon"))),
    (Rules(10, 10, 5, wrap="both"), "; line_counts", "never"),
    (Rules(8, 8, 5, gravity=True), "line_masks; line_counts", "rarely"),
    (Rules(4, 4, 3, wrap="both", marks="shared"), "line_masks; reference", "soon"),
    (Rules(10, 10, 5, wrap="both", misere=True), "; line_counts", "never"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "solvers", "proven"), GAMES, ids=str)
def test_a_board_has_the_plan_of_its_rules(rules, solvers, proven):
    plan = plan_of(rules)
    assert " ".join(step.solver for step in plan.proof) + f"; {plan.estimate.solver}" == solvers
    empty, counted = Position.empty(rules), {"line_counts"} if rules.marks == "own" else set()
    kernels = {*solvers.replace(";", "").split()} - {"no", "kernel", "reference"}
    assert {*select.needed(empty, Limits())} == kernels | counted
    assert {*select.needed(empty, Limits(max_depth=3))} == counted | ({"large_boards"} if rules.renju else set())
    assert select.solvable(rules) == (proven != "never")
    assert select.rarely_soon(rules) == (proven == "rarely")
    assert select.estimated_by_network(rules) == solvers.endswith("large_boards")
    # No solver searches twice with nothing found between.
    runs = [step.run for step in plan.proof]
    assert (steps.exact, steps.exact) not in set(pairwise(runs))


@pytest.mark.parametrize("rules", [Rules(7, 7, 5, caro=True), Rules(8, 8, 5, renju=True)], ids=str)
def test_an_estimate_has_the_scale_of_its_plan_at_any_budget(rules):
    position = Position.empty(rules).play(24).play(25).play(17).play(31)
    assert search(position, Limits(1)).score == search(position, Limits(2)).score


@pytest.mark.parametrize("board", [
    ".OX./O.../..../.X.O//..../...O/..../....//X..X/XX../O.../....//..../..../.X../.O..",
    "O.../...X/.OXX/..X.//..O./..../..O./....//..../..XX/..../..O.//..../..../..../.XO.",
])  # fmt: skip
def test_a_win_too_long_for_near_queries_is_no_draw(board):
    """A forced win in 21 and in 15 plies: the exact solver, told of it, finds no win sooner."""
    assert search(position_of(board, 4), Limits(300_000)).score.outcome == "win"
