"""What is known of empty boards, asked of the engine's search: outcomes and exact distances.

The free boards are classic (Uiterwijk and van den Herik, The advantage of the initiative, 2000; Hsu, Ko, Chen,
Wei, Hsueh, Wu, On solving the 7,7,5-game and the 8,8,5-game, 2020), those with gravity from Tromp's tables.
"""

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from service.settings import Settings

DEFAULT = Settings.model_fields["default_nodes"].default
DEFAULT_LARGE = Settings.model_fields["default_nodes_large"].default
PATIENT = 2_000_000_000


def check(rules: Rules, outcome: str, distance: int, nodes: int) -> None:
    """Assert that the empty board's value is proven within ``nodes`` nodes."""
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


def each(outcome: str, goal: int, sizes: list[tuple[int, int]], distance: int | None = None) -> list[tuple]:
    """Rows of the table: boards whose value is the same, a draw's distance being the number of cells."""
    return [(rows, columns, goal, outcome, distance or rows * columns) for rows, columns in sizes]


@pytest.mark.parametrize(
    ("rows", "columns", "goal", "outcome", "distance"),
    [
        *each("win", 1, [(1, 1), (2, 3), (25, 25)], 1),
        *each("win", 2, [(2, 2), (1, 3), (9, 9)], 3),
        *each("draw", 2, [(1, 2)]),
        *each("draw", 3, [(3, 3), (1, 9)]),
        *each("win", 3, [(3, 4), (4, 3), (3, 5), (3, 7), (3, 9), (25, 3)], 7),
        *each("win", 3, [(4, 4), (4, 7), (5, 5), (4, 9), (7, 7), (8, 8), (9, 9), (25, 25)], 5),
        *each("draw", 4, [(4, 4), (4, 5), (4, 6), (4, 7), (7, 4), (5, 5)]),
        *each("win", 4, [(5, 6), (6, 5), (6, 6), (7, 7), (8, 8)], 11),
        *each("draw", 5, [(5, 5), (6, 6), (7, 7)]),
        # By pairings.
        *each("draw", 6, [(6, 6), (7, 7), (8, 8)]),
        *each("draw", 7, [(8, 8)]),
        *each("draw", 9, [(1, 25), (3, 12), (6, 9), (9, 9), (15, 15)]),
        *each("draw", 10, [(12, 20)]),
    ],
)
def test_free_boards(rows, columns, goal, outcome, distance):
    check(Rules(rows, columns, goal), outcome, distance, DEFAULT if rows * columns <= 64 else DEFAULT_LARGE)


@pytest.mark.parametrize(("rows", "columns", "goal"), [(3, 3, 3), (4, 4, 4), (4, 5, 4), (5, 5, 5)])
def test_misere_boards_are_draws(rows, columns, goal):
    check(Rules(rows, columns, goal, misere=True), "draw", rows * columns, DEFAULT)


@pytest.mark.parametrize(
    ("rows", "columns", "outcome", "distance", "nodes"),
    [
        *((rows, columns, "draw", rows * columns, DEFAULT) for rows in (4, 5) for columns in (4, 5)),
        (5, 6, "draw", 30, DEFAULT),
        (4, 6, "loss", 24, DEFAULT),
        # Seconds each, and about a minute for the last.
        (6, 6, "loss", 36, PATIENT),
        (5, 7, "draw", 35, PATIENT),
        pytest.param(5, 8, "win", 39, PATIENT, marks=pytest.mark.slow),
    ],
)
def test_gravity_boards_with_goal_four(rows, columns, outcome, distance, nodes):
    check(Rules(rows, columns, 4, gravity=True), outcome, distance, nodes)
