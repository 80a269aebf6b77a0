"""Renju in the library: forbidden cells, who is Black, ends and refusals; test_games compares games with the oracle."""

import random

import pytest

from kinarow.errors import InputError
from kinarow.game import renju
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.large_boards.board.records import kernels
from tests.support import oracle
from tests.support.large_boards import board_of
from tests.support.positions import RENJU_CASES
from tests.support.samples import sampled


def faults(rules, cells):
    """Each forbidden cell and why; the oracle and the kernel, whoever is to move, name the same ones."""
    found = {cell: renju.fault(rules, cells, 1, cell) for cell in renju.forbidden_cells(rules, cells, 1)}
    assert found == oracle.faults(rules, cells), cells
    for to_move in (1, 2):
        board = board_of(Position(rules, cells, to_move))
        assert {cell for cell, mark in enumerate(cells) if not mark and kernels.is_forbidden(*board, cell)} == {*found}
    return found


@pytest.mark.parametrize("case", RENJU_CASES, ids=lambda case: case["name"])
def test_forbidden_cells_and_why(case):
    """On boards that the page is tried on too."""
    rows = case["board"].split("/")
    rules, cells = Rules(len(rows), len(rows[0]), 5, renju=True), bytes(".XO".index(mark) for mark in "".join(rows))
    assert {write_move(cell, rules): fault for cell, fault in faults(rules, cells).items()} == case["forbidden"]


@sampled("count", 80, 1500)
def test_forbidden_cells_are_those_of_the_oracle(count):
    """On boards in no order of play."""
    rng, kinds = random.Random("python"), set()
    for _ in range(count):
        rules = Rules(*rng.choice([(15, 15), (9, 9), (7, 12), (11, 10)]), 5, renju=True)
        marked, share = rng.uniform(0.1, 0.55), rng.choice((0.5, 0.6, 0.75))
        cells = bytes(rng.choices((0, 1, 2), (1 - marked, marked * share, marked * (1 - share)), k=rules.cells))
        kinds |= {*faults(rules, cells).values()}
    assert len(kinds) == 3


def test_a_side_that_may_not_move_ends_the_game_as_a_draw():
    """All that is free on this board of 1 × 7 would make an overline."""
    position = Position(Rules(1, 7, 5, renju=True), bytes([1, 1, 1, 0, 1, 1, 2]), 2)
    stuck = Position(Rules(2, 6, 5, renju=True), bytes([1, 1, 1, 0, 1, 1] + [2, 2, 1, 2, 2, 2]), 1)
    assert position.ending().state == "ongoing"
    assert stuck.beginner == 1
    assert stuck.ending().state == "drawn"
    answer = search(stuck, Limits(max_nodes=1000))
    assert (answer.move, answer.score.outcome) == (None, "draw")


def test_the_side_that_began_is_the_one_with_more_marks_and_else_the_one_to_move():
    rows = ["." * 9 for _ in range(9)]
    assert Position.from_rows(rows, renju=True, goal=5, to_move="O").beginner == 2
    assert Position.from_rows(["X" + "." * 8, *rows[1:]], renju=True, goal=5).beginner == 1


def test_the_beginner_needs_exactly_five_and_the_other_five_or_more():
    six = "XXXXXX./OO.O.OO/......."  # X began: it has one mark more
    assert Position.from_text(six, renju=True, goal=5).ending().state == "ongoing"
    white = Position.from_text("OOOOOO./XX.X.XX/X......", renju=True, goal=5)
    assert (white.ending().state, white.to_move) == ("won", 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"goal": 4}, {"gravity": True}, {"misere": True}, {"exact_goal": True}, {"caro": True}, {"wrap": "rows"},
        {"directions": ["vertical"]}, {"board": "#....../......."},
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(fields):
    board = fields.pop("board", "......./.......")
    with pytest.raises(InputError) as refused:
        Position.from_text(board, **{"goal": 5, "renju": True, **fields})
    assert refused.value.problems[0][0] == "/renju"


def test_a_forbidden_move_is_refused_by_name():
    start = Position.from_rows(["." * 15] * 15, game="renju")
    game = "a1 a2 b1 b2 c1 c3 e1 e3 f1 f3"
    with pytest.raises(InputError, match="overline") as refused:
        start.after(game + " d1")
    assert refused.value.problems[0][0] == "/moves/10"
    with pytest.raises(ValueError, match="forbidden"):
        start.after(game).play(14 * 15 + 3)
