"""The reference search beside brute force that shares nothing with it; fast solvers beside the reference search."""

import random
import time
from threading import Timer

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.reference import solver as reference
from tests.kinarow.game.test_renju import games as renju_games
from tests.kinarow.game.test_renju import position_of
from tests.kinarow.test_shapes import EVERY_GAME, position_in
from tests.support import renju
from tests.support.minimax import DECISIVE, WIN, plain_value
from tests.support.positions import EVERY_RULE, SIDE, board_rows, lively_position
from tests.support.samples import sampled
from tests.support.shapes import random_marks, values

ENOUGH = Limits(max_nodes=2_000_000)


def result_of(position, max_depth=None):
    *_, last = reference.iterate(position, Budget(NO_LIMIT), max_depth)
    return last


def samples(name, games, empties):
    rng = random.Random(name)
    for game in games:
        found = random_marks(game, rng, rng.randint(*empties))
        if found is not None:
            yield game, *found


@sampled("count", 100, 3000)
def test_every_value_is_that_of_the_brute_force_and_of_the_fast_solvers(count):
    for game, marks, side in samples("reference", random.Random(1).choices(EVERY_GAME, k=count), (1, 6)):
        position = position_in(game, marks, side)
        truth = values(game, marks, side)
        found = result_of(position)
        assert found.score.exact
        assert found.score.value == max(truth.values()) == truth[game.cell(found.move)]
        assert found.score == search(position, ENOUGH).score
        last = position
        for move in found.line:
            last = last.play(move)
        assert (last.ending().state == "ongoing") == (len(found.line) < found.score.distance)


@sampled("count", 5, 60)
def test_every_value_in_renju_is_that_of_the_brute_force(count):
    asked = 0
    for board, black, won_by in renju_games(8 * count, 5, 6, "reference"):
        position = position_of(board, black)
        if won_by is None and len(board.empty) == 5 and position.ending().state == "ongoing":
            truth = renju.values(board, black)
            found = result_of(position)
            assert found.score.value == max(truth.values()) == truth[divmod(found.move, 6)]
            asked += 1
    assert asked >= count


@EVERY_RULE
def test_the_value_at_a_depth_is_that_of_plain_minimax(flags):
    rng = random.Random(f"reference {flags}")
    for _ in range(5):
        position, depth = lively_position(rng, flags), rng.randint(1, 3)
        value, _ = plain_value(board_rows(position), SIDE[position.to_move], position.rules, depth)
        found = result_of(position, depth).score
        if abs(value) >= DECISIVE:
            plies = WIN - abs(value) - (position.rules.cells - position.empties)
            assert (found.outcome, found.distance) == ("win" if value > 0 else "loss", plies)
        else:
            scale = 2 * 10 ** (position.rules.goal - 1)
            assert found.value == round(value / (abs(value) + scale), 4)


@sampled("count", 200, 5000)
def test_estimates_are_those_of_the_line_counts(count):
    for game, marks, side in samples("estimates", random.Random(2).choices(EVERY_GAME, k=count), (1, 20)):
        position = position_in(game, marks, side)
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
