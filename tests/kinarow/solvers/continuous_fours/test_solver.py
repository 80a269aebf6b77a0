"""Wins by continuous fours: all that plain recursion finds, none that it does not, and lines that end the game."""

import random

import pytest

from kinarow.game.position import Position
from kinarow.game.tactics import completing_cells
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.continuous_fours import solver
from kinarow.solvers.line_counts import solver as line_counts
from tests.support import oracle
from tests.support.positions import drawn, random_positions, space
from tests.support.samples import sampled

GAMES = [
    drawn(space(3, 3, 3), 3),
    drawn(space(3, 3, 4), 3, exact_goal=True),
    drawn(space(4, 4, 4), 4),
    drawn(space(4, 4, 4), 4, gravity=True),
    drawn(space(3, 4, 4), 3, gravity=True),
    drawn("...../...../...../.....", 4, "both"),
    drawn("...../...../...../.....", 3, "rows", gravity=True),
    drawn("....../......", 3, "rows", exact_goal=True),
    drawn("..#.../....../.#..../......", 4, "columns"),
]
WALKED_INTO = [
    "..../..../..O./...O//.X../O.X./..../....//X.../..../..X./....//.O../...O/..../..XX",
    "..../.O../X..X/O...//..../..XO/..../..X.//..../..../O.../....//..../..../...X/....",
]
"""Positions of Qubic in which a short search without a look at threats loses to them."""


def plies_to_win(position, most):
    """The fewest plies, at most ``most``, of a win by continuous fours, or None: plain recursion by the rules."""
    game, side, other = position.rules, position.to_move, 3 - position.to_move

    def search_within(board, left):
        if oracle.completing(game, board, side):
            return True
        if left < 3:
            return False
        for cell in oracle.moves(game, board, side):
            after = oracle.put(game, board, cell, side)
            if oracle.completing(game, after, other):
                continue
            replies = oracle.completing(game, after, side)
            if len(replies) > 1 or (
                replies and left > 3 and search_within(oracle.put(game, after, replies[0], other), left - 2)
            ):
                return True
        return False

    return next((plies for plies in range(1, most + 1, 2) if search_within(position.cells, plies)), None)


@sampled("count", 1, 6)
def test_the_shortest_win_is_that_of_plain_recursion(count):
    won = 0
    for position in random_positions(random.Random("threats"), GAMES * 2 * count, (6, 20)):
        expected = plies_to_win(position, 5)
        win = solver.find_win(position, Budget(10**6))
        assert (win.plies if win is not None and win.plies <= 5 else None) == expected, position
        won += expected is not None
        if win is not None:
            assert_forced(position, win.line)
    assert won >= count


def assert_forced(position, line):
    """Every second mark of the line is a forced reply, and the last completes a line."""
    for index, move in enumerate(line):
        if index % 2:
            attacker = position.to_move % 2 + 1
            assert not completing_cells(position, position.to_move)
            assert move in completing_cells(position, attacker)
        position = position.play(move)
    assert position.ending().state == "won"


TORUS = Position.from_rows(["." * 15] * 15, goal=5, wrap="both")


@pytest.mark.parametrize(
    ("position", "nodes", "outcome"),
    [
        (TORUS.after([[0, 14], [7, 7], [0, 0], [7, 9], [0, 1], [3, 3]]), 10_000, "win"),
        (TORUS.after([[7, 7], [0, 0], [7, 8], [0, 5], [7, 9], [3, 9], [2, 2], [12, 3], [7, 10]]), 20_000, "loss"),
        (Position.from_moves([[0, 0, 0], [1, 1, 2], [0, 0, 3], [2, 1, 1], [3, 0, 0], [1, 3, 2], [3, 3, 0], [2, 2, 1]],
                             game="qubic"), 100_000, "win"),
    ],
)  # fmt: skip
def test_wins_by_threats_are_found_before_any_estimate(position, nodes, outcome):
    """Also over the edges of a torus; where every move loses to threats the loss is proven."""
    answer = search(position, Limits(max_nodes=nodes))
    assert (answer.outcome, answer.proven) == (outcome, True)
    if outcome == "win":
        assert answer.distance <= solver.find_win(position, Budget(10**6)).plies
        assert position.rules.layers > 1 or (answer.distance, answer.score.is_bound) == (3, False)


def test_an_estimate_never_walks_into_a_win_by_threats():
    seen = 0
    for text in WALKED_INTO:
        position = Position.from_text(text, game="qubic", to_move="O")
        budget = Budget(10_000)
        *_, last = line_counts.iterate(position, budget, None)
        seen += solver.find_win(position.play(last.move), Budget(10**6)) is not None
        *_, last = solver.estimate(position, Budget(200_000))
        lost = solver.find_win(position.play(last.move), Budget(10**6)) is not None
        assert lost == (last.score.outcome == "loss")
    assert seen == len(WALKED_INTO)


def test_a_small_budget_is_kept_and_the_rest_is_left():
    position = Position.from_moves([1, 2, 22, 5, 4, 16, 13, 40], game="qubic")
    for nodes in (1, 4, 100, 1_000):
        budget = Budget(nodes)
        solver.find_win(position, budget)
        assert budget.nodes <= max(1, nodes // solver.SHARE)
        assert budget.node_limit == nodes


@pytest.mark.parametrize("misere", [False, True])
def test_threats_win_nothing_in_misere(misere):
    rules = Position.from_text("../..", goal=2, misere=misere).rules
    assert solver.fits(rules) == (not misere)
