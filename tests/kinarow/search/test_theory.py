"""What is known of empty boards, asked of the engine's search: outcomes and exact distances.

The free boards are classic (Uiterwijk and van den Herik, The advantage of the initiative, 2000; Hsu, Ko, Chen,
Wei, Hsueh, Wu, On solving the 7,7,5-game and the 8,8,5-game, 2020), those with gravity from Tromp's tables.
"""

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.search import search
from kinarow.search_types import Limits
from service.settings import Settings

DEFAULT = Settings.model_fields["default_nodes"].default
DEFAULT_LARGE = Settings.model_fields["default_nodes_large"].default
PATIENT = 2_000_000_000


def check(rules: Rules, outcome: str, distance: int, nodes: int) -> None:
    """Assert that the empty board's value is proven within so many nodes."""
    position = Position.empty(rules)
    result = search(position, Limits(nodes))
    assert (result.score.outcome, result.score.distance, result.score.is_bound) == (outcome, distance, False)
    assert result.stopped_by == "proof"
    assert result.nodes <= nodes
    assert result.line[0] == result.move in result.best_moves
    for cell in result.line:
        position = position.play(cell)
    if outcome != "draw" and len(result.line) == distance:
        assert position.ending().state == "won"


def wide(rows: int, columns: int) -> int:
    """The nodes a request without a budget gets."""
    return DEFAULT if rows * columns <= 64 else DEFAULT_LARGE


@pytest.mark.parametrize(("rows", "columns"), [(3, 3)])
def test_three_by_three_is_a_draw(rows, columns):
    """Tic-tac-toe."""
    check(Rules(rows, columns, 3), "draw", 9, DEFAULT)


@pytest.mark.parametrize(
    ("rows", "columns"), [(3, 4), (4, 3), (3, 5), (3, 9), (25, 3), (4, 4), (4, 7), (5, 5), (8, 8), (9, 9), (25, 25)]
)
def test_every_other_board_with_goal_three_is_won_in_seven_or_five(rows, columns):
    """Seven plies with three rows or columns, five with more of both."""
    check(Rules(rows, columns, 3), "win", 7 if min(rows, columns) == 3 else 5, wide(rows, columns))


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (4, 5), (4, 6), (4, 7), (7, 4), (5, 5)])
def test_these_boards_with_goal_four_are_draws(rows, columns):
    """Within the default budget."""
    check(Rules(rows, columns, 4), "draw", rows * columns, DEFAULT)


@pytest.mark.parametrize(("rows", "columns"), [(5, 6), (6, 5), (6, 6), (7, 7), (8, 8)])
def test_larger_boards_with_goal_four_are_won_in_eleven(rows, columns):
    """On one word."""
    check(Rules(rows, columns, 4), "win", 11, DEFAULT)


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (6, 6), (7, 7)])
def test_boards_with_goal_five_are_draws(rows, columns):
    """Seven by seven by building and blocking."""
    check(Rules(rows, columns, 5), "draw", rows * columns, DEFAULT)


@pytest.mark.parametrize(("rows", "columns", "goal"), [(8, 8, 6), (8, 8, 7), (9, 9, 9), (15, 15, 9), (12, 20, 10)])
def test_long_goals_are_draws(rows, columns, goal):
    """By pairings."""
    check(Rules(rows, columns, goal), "draw", rows * columns, wide(rows, columns))


@pytest.mark.parametrize(
    ("rows", "columns", "goal", "plies"), [(1, 1, 1, 1), (25, 25, 1, 1), (2, 2, 2, 3), (9, 9, 2, 3)]
)
def test_goals_of_one_and_two_are_won_at_once(rows, columns, goal, plies):
    """One mark, or a mark and two neighbours."""
    check(Rules(rows, columns, goal), "win", plies, wide(rows, columns))


def test_misere_three_by_three_is_a_draw_only_by_the_centre():
    """Any other first move loses."""
    rules = Rules(3, 3, 3, misere=True)
    check(rules, "draw", 9, DEFAULT)
    for cell in range(9):
        child = search(Position.empty(rules).play(cell), Limits(DEFAULT))
        assert child.score.outcome == ("draw" if cell == 4 else "win")


@pytest.mark.parametrize(("rows", "columns", "goal"), [(4, 4, 4), (4, 5, 4), (5, 5, 5)])
def test_these_misere_boards_are_draws(rows, columns, goal):
    """Within the default budget."""
    check(Rules(rows, columns, goal, misere=True), "draw", rows * columns, DEFAULT)


@pytest.mark.parametrize(
    ("rows", "columns", "outcome"),
    [(4, 4, "draw"), (4, 5, "draw"), (5, 4, "draw"), (5, 5, "draw"), (5, 6, "draw"), (4, 6, "loss")],
)
def test_small_gravity_boards_with_goal_four(rows, columns, outcome):
    """Four rows of six columns are the second player's."""
    check(Rules(rows, columns, 4, gravity=True), outcome, rows * columns, DEFAULT)


@pytest.mark.parametrize(
    ("rows", "columns", "outcome", "distance"),
    [(6, 6, "loss", 36), (5, 7, "draw", 35), pytest.param(5, 8, "win", 39, marks=pytest.mark.slow)],
)
def test_larger_gravity_boards_with_goal_four(rows, columns, outcome, distance):
    """Seconds each, and about a minute for the last."""
    check(Rules(rows, columns, 4, gravity=True), outcome, distance, PATIENT)
