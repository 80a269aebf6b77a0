"""Bulk values: the truth about every position and move, whatever stands beside it in the array."""

import random
from dataclasses import replace

import numpy as np
import pytest

import kinarow
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from tests.support.positions import EVERY_RULE, board_rows, judged, random_position
from tests.support.samples import sampled

SIZES = ((3, 3), (3, 4), (4, 3), (2, 5), (1, 6), (5, 1))


def positions_of(rng, rules, count):
    found = []
    while len(found) < count:
        position = random_position(rng, rules, rng.randint(max(0, rules.cells - 9), rules.cells - 1))
        if position is not None:
            found.append(position)
    return found


def arrays(positions):
    boards = np.array([np.frombuffer(position.cells, np.uint8) for position in positions])
    return boards, np.array([position.to_move for position in positions])


def read(element) -> Score:
    distance = None if element["distance"] < 0 else int(element["distance"])
    return Score(element["score"], str(element["outcome"]), distance, bool(element["distance_is_bound"]))


def true_score(position):
    if position.ending().state != "ongoing":
        return position.final_score()
    outcome, plies, _ = judged(position)
    sign = {"win": 1, "draw": 0, "loss": -1}[outcome]
    return Score(sign * (position.rules.cells + 1 - plies), outcome, plies)


@EVERY_RULE
@sampled("count", 8, 150)
def test_values_are_true(flags, count):
    rng = random.Random(f"{flags}{count}")
    for rows, columns in SIZES:
        rules = Rules(rows, columns, rng.randint(2, 3) if max(rows, columns) > 2 else 1, *flags)
        positions = positions_of(rng, rules, count)
        boards, sides = arrays(positions)
        found = kinarow.bulk_values(boards, rules, to_move=sides, moves="all")
        best = kinarow.bulk_values(boards, rules, to_move=sides, moves="best")
        for position, element, other in zip(positions, found, best, strict=True):
            outcome, plies, moves = judged(position)
            assert read(element) == true_score(position), (position, outcome, plies)
            assert read(other) == read(element)
            assert set(np.flatnonzero(element["best_moves"])) == moves, position
            assert set(np.flatnonzero(other["best_moves"])) == moves, position
            legal = position.legal_moves()
            for cell in range(rules.cells):
                if cell in legal:
                    after = kinarow.score.before_move(true_score(position.play(cell)), rules.cells)
                    assert element["move_scores"][cell] == after.value, (position, cell)
                    assert element["move_proven"][cell]
                else:
                    assert np.isnan(element["move_scores"][cell])


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
        Rules(3, 3, 3, wrap="both"),
        Rules(3, 3, 3, directions=("horizontal", "vertical")),
        Rules(3, 4, 3, blocked=1 << 5),
        Rules(4, 4, 3, gravity=True, wrap="rows"),
        Rules(6, 6, 4),
        Rules(9, 9, 5),
        Rules(7, 7, 5, renju=True),
        Rules(6, 6, 4, caro=True),
    ],
    ids=str,
)
def test_values_agree_with_best_move(rules):
    """With limits, on boards of other shapes and on large ones each value is that of ``best_move``."""
    rng = random.Random(7)
    limits = None if rules.cells < 16 else kinarow.Limits(max_nodes=3000)
    positions = []
    while len(positions) < 6:
        position = Position.empty(rules)
        for _ in range(rng.randint(2, 7)):
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
    positions = []
    while len(positions) < 60:
        position = random_position(rng, rules, rng.randint(26, 40))
        if position is not None:
            positions.append(position)
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
    sides = None if side is None else [side]
    why = refusal(rules, cells, side)
    if why is None:
        assert len(kinarow.bulk_values([list(cells)], rules, to_move=sides)) == 1
        return
    with pytest.raises(kinarow.InputError) as caught:
        kinarow.bulk_values([list(cells)], rules, to_move=sides)
    assert caught.value.problems[0] == ("/boards/0", why)


def refusal(rules, cells, side):
    """Why ``Position.from_cells`` refuses a board; None if it takes it."""
    try:
        Position.from_cells(rules, cells, side)
    except kinarow.PositionError as wrong:
        return wrong.problems[0][1]
    return None


@pytest.mark.parametrize(
    ("boards", "to_move", "pointer"),
    [
        ([[0] * 8], None, "/boards"),
        ([[0] * 9, [0] * 8], None, "/boards"),
        ([[4] + [0] * 8], None, "/boards"),
        ([[0.5] + [0] * 8], None, "/boards"),
        ([[0] * 9, [3] + [0] * 8], None, "/boards/1"),
        ([[0] * 9], [3], "/to_move"),
        ([[0] * 9], [1, 2], "/to_move"),
    ],
)
def test_bad_arrays_are_refused(boards, to_move, pointer):
    with pytest.raises(kinarow.InputError) as caught:
        kinarow.bulk_values(boards, Rules(3, 3, 3), to_move=to_move)
    assert caught.value.problems[0][0] == pointer


def test_no_positions_give_no_values():
    assert len(kinarow.bulk_values(np.zeros((0, 9), np.uint8), Rules(3, 3, 3), moves="all")) == 0


def test_stop_ends_a_call():
    stop = kinarow.Stop()
    stop.set()
    with pytest.raises(kinarow.SearchStopped):
        kinarow.bulk_values(np.zeros((1, 42), np.uint8) + 0, Rules(6, 7, 4, gravity=True, misere=True), stop=stop)


def test_more_than_a_thousand_positions_reuse_the_table():
    """The stamps of the table's entries run out after 511 positions; values stay right."""
    rules = Rules(4, 5, 4, gravity=True)
    rng = random.Random(11)
    positions = [p for p in (random_position(rng, rules, 11) for _ in range(1500)) if p is not None]
    boards, sides = arrays(positions)
    found = kinarow.bulk_values(boards, rules, to_move=sides)
    unique = len(np.unique(boards, axis=0))
    assert unique > 600
    for index in rng.sample(range(len(positions)), 10):
        outcome, plies, _ = judged(positions[index])
        assert (found["outcome"][index], found["distance"][index]) == (outcome, plies), board_rows(positions[index])
