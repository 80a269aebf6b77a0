"""Tests the table of plans, kernels that check every index, and the reference search."""

import os
import random
import shutil
import sys
import time
from dataclasses import replace
from itertools import pairwise
from threading import Timer

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.sources import PACKAGE
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers import select, steps
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.plans import plan_of
from kinarow.solvers.reference import solver as reference
from tests.support.commands import run
from tests.support.positions import CARO, WITH_FLAGS, position_of, random_positions
from tests.support.samples import sampled
from tests.support.server import REPOSITORY

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
    (Rules(9, 9, 4, blocked=1), "never"),
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
    assert select.slow_to_prove(rules) == (proven == "rarely")
    runs = [step.run for step in plan_of(rules).proof]
    assert (steps.search_exactly, steps.search_exactly) not in set(pairwise(runs))


@pytest.mark.parametrize(("rules", "by_network"), [
    (Rules(7, 7, 5, caro=True), True), (Rules(8, 8, 5, renju=True), True), (Rules(7, 9, 5), True),
    (Rules(8, 8, 5, exact_goal=True), True), (Rules(8, 8, 4, gravity=True), True), (Rules(6, 6, 5), False),
    (Rules(8, 8, 5, misere=True), False), (Rules(6, 7, 4, gravity=True), False), (Rules(8, 8, 5, wrap="both"), False),
    (Rules(8, 8, 5, blocked=1), False), (Rules(9, 9, 5, blocked=1), True), (Rules(9, 9, 5, layers=2), False),
], ids=str)  # fmt: skip
def test_the_network_estimates_large_flat_boards(rules, by_network):
    """A search of all moves to a depth has another scale."""
    assert select.estimated_by_network(rules) == by_network
    assert select.has_quick_values(Position.empty(rules), Limits()) == by_network
    assert rules.renju or not select.has_quick_values(Position.empty(rules), Limits(max_depth=2))


@pytest.mark.parametrize(("board", "goal"), [
    (".OX./O.../..../.X.O//..../...O/..../....//X..X/XX../O.../....//..../..../.X../.O..", 4),
    ("O.../...X/.OXX/..X.//..O./..../..O./....//..../..XX/..../..O.//..../..../..../.XO.", 4),
    ("........./........./......XX./....##.#./.....X.../........./....#.OO./...O...../.........", 5),
])  # fmt: skip
def test_a_win_far_ahead_is_proven(board, goal):
    """In 21 and 15 plies, too long for near queries, and in 11 by threats between blocked cells of a large board."""
    assert search(position_of(board, goal), Limits(300_000)).score.outcome == "win"


SEARCHED = [
    (Rules(3, 4, 3), Limits(300)), (Rules(4, 4, 3, misere=True), Limits(200)),
    (Rules(4, 4, 4, exact_goal=True), Limits(300)), (Rules(4, 5, 4, gravity=True), Limits(300)),
    (Rules(4, 5, 4, gravity=True, misere=True), Limits(300)), (Rules(6, 7, 4, gravity=True), Limits(300, 3)),
    (Rules(3, 3, 3, layers=3, gravity=True), Limits(300)), (Rules(1, 11, 3, marks="shared"), Limits(300)),
    (Rules(5, 5, 4, wrap="both"), Limits(150)), (Rules(9, 9, 5), Limits(100)), (Rules(9, 9, 5, renju=True), Limits(30)),
]  # fmt: skip
CHECKED = """
import numpy as np
from kinarow.game.rules import Rules
from kinarow.solvers.line_counts import solver
from tests.kinarow.solvers.test_plans import answers
print(*answers(), sep="\\n")
state, cells = solver.new_state(solver.STATE_DTYPE), np.zeros(9, np.int8)
try:
    solver.kernels.set_up(solver.game_of(Rules(3, 3, 3)), state, cells[:8])
except ArithmeticError:
    print("an index is beyond an array")
"""


def answers():
    """What searches say of the first three positions of each game, whichever solvers they use."""
    for rules, limits in SEARCHED:
        position = Position.empty(rules)
        for _ in range(3):
            found = search(position, limits)
            yield str(replace(found, elapsed_ms=0))
            position = position.play(found.move)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_kernels_that_check_every_index_give_the_same_answers_and_nodes(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "kinarow", ignore=shutil.ignore_patterns("compiled", "__pycache__"))
    path = os.pathsep.join((str(tmp_path), str(REPOSITORY)))
    checks = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": path}
    for command in (("-m", "kinarow.kernels.build"), ("-c", CHECKED)):
        printed = run(sys.executable, *command, folder=tmp_path, environment=checks, seconds=1200)
    assert printed.splitlines() == [*answers(), "an index is beyond an array"]


@sampled("count", 200, 5000)
def test_estimates_are_those_of_the_line_counts(count):
    rng = random.Random("estimates")
    for position in random_positions(rng, rng.choices([*WITH_FLAGS, *CARO], k=count), (1, 20)):
        assert reference.evaluate(position) == line_counts.evaluate(position)


def test_a_budget_deadline_and_stop_end_the_search():
    position = Position.empty(Rules(15, 15, 5))
    few = Budget(100 * reference.NODE_COST)
    assert all(info.move in position.legal_moves() for info in reference.iterate(position, few))
    assert (few.nodes, few.ended_by) == (100, "nodes")
    late = Budget(NO_LIMIT, time.monotonic_ns() + 50_000_000)
    list(reference.iterate(position, late))
    assert late.ended_by == "time"
    stopped = Budget(NO_LIMIT)
    Timer(0.05, stopped.stop).start()
    list(reference.iterate(position, stopped))
    assert stopped.ended_by == "stop"
