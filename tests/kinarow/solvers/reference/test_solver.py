"""The reference search to a depth, its estimates and its budget; tests of every game compare its values."""

import random
import time
from threading import Timer

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.reference import solver as reference
from tests.support.positions import CARO, WITH_FLAGS, random_positions
from tests.support.samples import sampled


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


@pytest.mark.parametrize(("goal", "nodes"), [(3, 20_000), (2, 300)])
def test_tic_tac_toe_is_solved_within_the_default_budget(goal, nodes):
    budget = Budget(nodes * reference.NODE_COST)
    *_, last = reference.iterate(Position.empty(Rules(3, 3, goal)), budget)
    assert (last.score.outcome, last.score.exact) == ("draw" if goal == 3 else "win", True)
