"""Bulk values: the truth about every position and move, whatever stands beside it in the array."""

import random
from dataclasses import replace

import numpy as np
import pytest

import kinarow
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from tests.support.positions import random_positions, true_value


def arrays(positions):
    boards = np.array([np.frombuffer(position.cells, np.uint8) for position in positions])
    return boards, np.array([position.to_move for position in positions])


def read(element) -> Score:
    distance = None if element["distance"] < 0 else int(element["distance"])
    return Score(element["score"], str(element["outcome"]), distance, bool(element["distance_is_bound"]))


def test_finished_positions_have_their_final_score():
    boards = ["XXX/OO./...", "XOX/XOO/OXX", ".../.../..."]
    positions = [Position.from_text(board) for board in boards]
    found = kinarow.bulk_values(arrays(positions)[0], Rules(3, 3, 3), moves="all")
    assert [read(element) for element in found[:2]] == [position.final_score() for position in positions[:2]]
    assert not found["best_moves"][:2].any()
    assert np.isnan(found["move_scores"][:2]).all()


@pytest.mark.parametrize(
    "rules",
    [
        Rules(3, 4, 3, blocked=1 << 5), Rules(6, 6, 4), Rules(9, 9, 5), Rules(7, 7, 5, renju=True),
        Rules(6, 6, 4, caro=True),
    ],
    ids=str,
)  # fmt: skip
def test_values_agree_with_best_move(rules):
    """With limits, on boards of other shapes and on large ones each value is that of ``best_move``."""
    rng = random.Random(7)
    limits = None if rules.cells < 16 else kinarow.Limits(max_nodes=3000)
    positions = []
    for moves in (rng.randint(2, 7) for _ in range(6)):
        position = Position.empty(rules)
        for _ in range(moves):
            if position.ending().state == "ongoing":
                position = position.play(rng.choice(position.legal_moves()))
        positions.append(position)
    boards, sides = arrays(positions)
    found = kinarow.bulk_values(boards, rules, to_move=sides, limits=limits)
    for position, element in zip(positions, found, strict=True):
        score = kinarow.best_move(position, limits or kinarow.Limits()).score
        assert read(element) == replace(score, calibrated=None), position


def test_book_answers_openings():
    """Positions within the book are not searched, and have all their moves."""
    positions = [Position.from_moves(moves, game="connect-four") for moves in ("", "44", "435")]
    found = kinarow.bulk_values(arrays(positions)[0], positions[0].rules, moves="all")
    for position, element in zip(positions, found, strict=True):
        analysis = kinarow.analyse(position)
        assert read(element) == analysis.score
        assert {v.move: v.score.value for v in analysis.moves} == {
            cell: element["move_scores"][cell] for cell in position.legal_moves()
        }


def test_a_position_that_play_does_not_reach_is_not_in_the_book():
    """All marks in the bottom row are O's, so X cannot have begun; the loop proves what the book lacks."""
    text = ["......."] * 2 + ["X......"] * 3 + ["O.O.O.."]
    boards = np.array([[[".XO".index(cell) for cell in row] for row in text]])
    (found,) = kinarow.bulk_values(boards, Rules(6, 7, 4, gravity=True), moves="best")
    assert (found["outcome"], found["distance"], found["proven"]) == ("win", 1, True)
    assert found["best_moves"].nonzero()[0].tolist() == [7]


def test_a_result_depends_on_its_position_alone():
    rules = Rules(6, 7, 4, gravity=True)
    rng = random.Random(3)
    positions = list(random_positions(rng, [rules] * 120, (2, 16)))[:60]
    boards, sides = arrays(positions)
    found = kinarow.bulk_values(boards, rules, to_move=sides, moves="all")
    alone = [kinarow.bulk_values(boards[i : i + 1], rules, to_move=sides[i : i + 1], moves="all") for i in range(60)]
    assert found.tobytes() == np.concatenate(alone).tobytes()
    order = rng.sample(range(60), 60) * 2
    again = kinarow.bulk_values(boards[order], rules, to_move=sides[order], moves="all")
    assert again.tobytes() == found[order].tobytes()
    mirrored = boards.reshape(-1, 6, 7)[:, :, ::-1]
    image = kinarow.bulk_values(mirrored, rules, to_move=sides, moves="all")
    assert image["score"].tolist() == found["score"].tolist()
    turned = image["best_moves"].reshape(-1, 6, 7)[:, :, ::-1].reshape(found["best_moves"].shape)
    assert (turned == found["best_moves"]).all()


@pytest.mark.parametrize(
    "board", ["X.O/.X./..O", "XXX/OOO/...", "XXO/.../...", "XXX/O../...", "X../.../..O", ".../..X/..."]
)
@pytest.mark.parametrize("gravity", [False, True], ids=["free", "gravity"])
@pytest.mark.parametrize("side", [None, 1, 2])
def test_boards_are_refused_as_by_from_cells(board, gravity, side):
    rules = Rules(3, 3, 3, gravity)
    cells = bytes(".XO".index(mark) for mark in board if mark != "/")
    said = []
    for read in (
        lambda: Position.from_cells(rules, cells, side),
        lambda: kinarow.bulk_values([list(cells)], rules, to_move=None if side is None else [side]),
    ):
        try:
            read()
            said.append(None)
        except kinarow.InputError as wrong:
            said.append(wrong.problems[0][1])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("boards", "to_move", "pointer"),
    [
        ([[0] * 8], None, "/boards"), ([[0] * 9, [0] * 8], None, "/boards"), ([[4] + [0] * 8], None, "/boards"),
        ([[0.5] + [0] * 8], None, "/boards"), ([[0] * 9, [3] + [0] * 8], None, "/boards/1"),
        ([[0] * 9], [3], "/to_move"), ([[0] * 9], [1, 2], "/to_move"), ([[0] * 9], ["X"], "/to_move"),
        ([[0] * 9], [True], "/to_move"), ([[0] * 9] * 2, [[1], [1, 2]], "/to_move"), ([["X"] * 9], None, "/boards"),
        ([[0] * 9] * 2, np.ma.array([1, 2], mask=[0, 1]), "/to_move"), ([[True] + [False] * 8], None, "/boards"),
        (np.ma.array([[1] + [0] * 8], mask=[[1] + [0] * 8]), None, "/boards"),
        ([np.ma.array([1] + [0] * 8, mask=[1] + [0] * 8)], None, "/boards"), ([[1, 2, -1] + [0] * 6], None, "/boards"),
    ],
)  # fmt: skip
def test_bad_arrays_are_refused(boards, to_move, pointer):
    with pytest.raises(kinarow.InputError) as caught:
        kinarow.bulk_values(boards, Rules(3, 3, 3), to_move=to_move)
    assert caught.value.problems[0][0] == pointer


def test_no_positions_give_no_values():
    for nothing in (np.zeros((0, 9), np.uint8), []):
        assert len(kinarow.bulk_values(nothing, Rules(3, 3, 3), moves="all")) == 0


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        ({"rules": "tic-tac-toe"}, TypeError, "rules is the game of the boards, a kinarow.Rules, not 'tic-tac-toe'"),
        ({"composed": 2, "to_move": [1]}, TypeError, "composed is True or False, not 2"),
        ({"limits": 1000}, TypeError, "limits is a kinarow.Limits, not 1000"),
        ({"stop": "x"}, TypeError, "stop is a kinarow.Stop, not 'x'"),
        ({"moves": "bset"}, kinarow.InputError, "/moves: moves is one of none, best, all, not 'bset'"),
        ({"moves": ["best"]}, kinarow.InputError, "/moves: moves is one of none, best, all, not a list"),
    ],
)  # fmt: skip
def test_wrong_keywords_are_named_even_without_boards(wrong, kind, says):
    with pytest.raises(kind, match=says):
        kinarow.bulk_values(np.zeros((0, 9)), **{"rules": Rules(3, 3, 3)} | wrong)


def test_stop_ends_a_call():
    stop = kinarow.Stop()
    stop.set()
    with pytest.raises(kinarow.SearchStopped):
        kinarow.bulk_values(np.zeros((1, 42), np.uint8) + 0, Rules(6, 7, 4, gravity=True, misere=True), stop=stop)


def test_more_than_a_thousand_positions_reuse_the_table():
    """The stamps of the table's entries run out after 511 positions; values stay right."""
    rules = Rules(4, 5, 4, gravity=True)
    rng = random.Random(11)
    positions = list(random_positions(rng, [rules] * 1500, (9, 9)))
    boards, sides = arrays(positions)
    found = kinarow.bulk_values(boards, rules, to_move=sides)
    unique = len(np.unique(boards, axis=0))
    assert unique > 600
    for index in rng.sample(range(len(positions)), 10):
        assert found["score"][index] == true_value(positions[index]), positions[index]
