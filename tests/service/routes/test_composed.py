"""Composed positions, with any numbers of marks: every door takes them, and every value is that of brute force."""

import random

import numpy as np
import pyarrow as pa
import pytest

import kinarow
from kinarow.game.position import Position
from kinarow.play.levels import move_distribution
from tests.support import oracle
from tests.support.app import check_refused, without_cost
from tests.support.commands import kinarow as command
from tests.support.positions import EVERY_GAME, RENJU, composed_position, true_scores, true_value
from tests.support.samples import sampled

BOARD, MOST = "XXX.X/X..XX/.XX../X..../.....", {"goal": 4, "composed": True}
COMPOSED = {"board": BOARD, "to_move": "O", **MOST}


@sampled("count", everyday=150, full=2000)
def test_every_move_has_the_value_of_brute_force_and_every_level_makes_a_move_that_it_may(count):
    rng = random.Random("composed")
    games = [rules for rules in EVERY_GAME if rules not in RENJU]
    found = (composed_position(rng, rules, rng.randint(1, 6)) for rules in rng.choices(games, k=count))
    positions = [position for position in found if position is not None and position.empties < 8]
    for position in positions:
        answer = kinarow.analyse(position)
        assert {each.move: each.score.value for each in answer.moves} == true_scores(position), position
        assert answer.score.value == true_value(position)
        level, board = rng.randrange(1, 10), (position.rules, position.cells, position.to_move)
        moves = {move for move, _ in move_distribution(position, level, kinarow.Limits(max_nodes=1000)).weights}
        wins, safe = set() if position.rules.misere else set(oracle.completing(*board)), set(oracle.safe(*board))
        assert moves <= set(oracle.moves(*board))
        assert level < 5 or (moves == wins if wins else moves <= safe or not safe)
    counts = [(position.cells.count(1), position.cells.count(2)) for position in positions]
    assert sum(abs(xs - os) > 1 for xs, os in counts) > len(counts) / 4


def test_every_door_takes_them(ask, capsys):
    position = Position.from_text(BOARD, to_move="O", **MOST)
    score = kinarow.best_move(position).score.value
    assert Position.from_rows(BOARD.split("/"), to_move=2, **MOST) == position
    assert Position.from_cells(position.rules, position.cells, 2, composed=True) == position
    assert kinarow.best_move(BOARD, to_move="O", **MOST).score.value == score
    assert kinarow.bulk_values([position])["score"][0] == score
    boards, rules = np.asarray(position)[np.newaxis], position.rules
    assert kinarow.bulk_values(boards, rules, to_move=[2], composed=True)["score"][0] == score
    with pytest.raises(kinarow.InputError, match="10 X and 0 O"):
        kinarow.bulk_values(boards, rules, to_move=[2])
    for path in ("/move", "/analysis"):
        assert ask.post(path, COMPOSED).get_json()["score"] == score
        assert ask.get(path, query_string={**COMPOSED, "composed": "true"}).get_json()["score"] == score
    code, out, _ = command(capsys, "move", BOARD, "--goal", "4", "--to-move", "o", "--composed", "--json")
    assert (code, f'"score": {score:g}' in out) == (0, True)


def test_tables_say_it_for_all_rows_or_for_each():
    table = pa.table({"board": [BOARD] * 3, "to_move": ["O", "O", None]})
    assert kinarow.label(table, goal=4)["proven"].to_pylist() == [None] * 3
    assert kinarow.label(table, goal=4, composed=True)["proven"].to_pylist() == [True, True, None]
    for flags in ([True, False, True], ["true", "False", "1"]):
        flagged = table.append_column("composed", pa.array(flags))
        for size in ({}, {"rows": 5, "columns": 5}):
            assert kinarow.label(flagged, goal=4, **size)["proven"].to_pylist() == [True, None, None]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"to_move": None}, "/to_move"),
        ({"composed": False}, "/board"),
        ({"composed": None}, "/board"),
        ({"board": "OXXXX/...../...../...../.....", "to_move": "X"}, "/to_move"),
        ({"board": "XXXX./OOOO./...../...../....."}, "/board"),
        ({"board": "XXXX./...../XXXX./...../....."}, "/board"),
        ({"goal": 5, "renju": True}, "/composed"),
        ({"gravity": True}, "/board/0"),
    ],
)
def test_what_is_no_composed_position_is_refused(ask, change, pointer):
    sent = {name: value for name, value in {**COMPOSED, **change}.items() if value is not None}
    check_refused(ask.post("/move", sent), pointer)


def test_a_legal_position_has_the_same_answer(ask):
    for fields in (
        {"board": "X.O/.X./..O", "to_move": "X"},
        {"game": "gomoku", "moves": "h8", "first": "X", "level": 3, "seed": 1},
    ):
        plain, composed = (ask.post("/move", {**fields, **more}).get_json() for more in ({}, {"composed": True}))
        assert without_cost(plain) == without_cost(composed)


def test_moves_go_on_from_a_composed_board(ask):
    """The side that makes the first of them is sent, or follows from the side to move after them."""
    answers = [
        ask.post("/move", {"board": BOARD, **MOST, "moves": "a1b1e1", **side})
        for side in ({"first": "O"}, {"to_move": "X"})
    ]
    assert [answer.get_json()["to_move"] for answer in answers] == ["X", "X"]
    assert ask.post("/review", {"board": BOARD, **MOST, "moves": "a1b1", "first": "O"}).status_code == 200
