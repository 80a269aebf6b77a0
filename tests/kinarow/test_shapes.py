"""Joined edges, blocked cells and chosen directions: every answer is that of a brute force over chains of cells."""

import random
from itertools import product

import numpy as np
import pytest

from kinarow.errors import InputError
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from kinarow.game.tactics import completing_cells
from kinarow.play.teaching import tree
from kinarow.search.analysis import analyse
from kinarow.search.best_move import search
from kinarow.search.bulk import bulk_values
from kinarow.search_types import Limits
from tests.support.samples import sampled
from tests.support.shapes import STEPS, Game, has_line, moves, random_marks, text_of, values

ENOUGH = Limits(max_nodes=2_000_000)


def layers(deep, high, wide):
    return "//".join(["/".join(["." * wide] * high)] * deep)


SHAPES = [
    *(
        (board, goal, wrap, tuple(STEPS))
        for board in (".../.../...", "..../..../....", "..../..../..../....", "...../...../...../.....")
        for goal in (3, 4)
        for wrap in ("rows", "columns", "both")
        if goal <= max(len(board.split("/")), len(board.split("/")[0]))
    ),
    (".../.../...", 2, "both", tuple(STEPS)),
    ("../..", 2, "both", tuple(STEPS)),
    ("......", 3, "rows", tuple(STEPS)),
    ("....", 4, "both", ("horizontal",)),
    ("./././././.", 5, "columns", ("vertical", "diagonal")),
    ("..../..../....", 3, "none", ("horizontal", "vertical")),
    ("..../..../..../....", 3, "none", ("diagonal", "antidiagonal")),
    ("..../..../..../....", 3, "both", ("diagonal",)),
    (".../.../...", 3, "rows", ("vertical", "antidiagonal")),
    ("..../..../.##./.##.", 3, "none", tuple(STEPS)),
    ("..../..../..../#..#", 3, "rows", tuple(STEPS)),
    ("...../...../.#.#./##.##", 3, "both", tuple(STEPS)),
    ("...#/...#/...#", 3, "both", ("horizontal", "diagonal")),
    (layers(3, 3, 3), 3),
    (layers(2, 3, 4), 3),
    (layers(2, 3, 4), 2),
    (layers(4, 2, 3), 4),
    (layers(3, 1, 4), 3),
    (layers(4, 4, 4), 4),
    (layers(2, 3, 3).replace(".", "#", 2), 3),
]
FLOATING = [(".#.../..#../...#.", 3, "none", tuple(STEPS)), ("#.../..#./...#/.#..", 3, "both", tuple(STEPS))]


FEW_GAMES = 60


EVERY_RULE = tuple(product((False, True), repeat=3))


def games(shapes, flags=EVERY_RULE):
    for shape, (gravity, misere, exact_goal) in product(shapes, flags):
        yield Game(*shape, gravity, misere, exact_goal)


CARO = [
    Game(board, goal, directions=directions, exact_goal=exact_goal, caro=True)
    for board, goal, directions in (
        (".../.../...", 2, tuple(STEPS)),
        (".../.../...", 3, tuple(STEPS)),
        ("..../..../....", 1, tuple(STEPS)),
        ("..../..../....", 2, tuple(STEPS)),
        ("......", 2, tuple(STEPS)),
        ("........", 3, tuple(STEPS)),
        ("...../...../.....", 3, tuple(STEPS)),
        ("..../..../..../....", 2, ("diagonal", "vertical")),
        ("...../.#.../...../...#.", 3, tuple(STEPS)),
        ("......./.......", 4, tuple(STEPS)),
        ("/".join(["......."] * 6), 4, tuple(STEPS)),
        ("/".join(["........"] * 8), 5, tuple(STEPS)),
    )
    for exact_goal in (False, True)
]
EVERY_GAME = [*games(SHAPES), *games(FLOATING, tuple(product((False,), (False, True), (False, True)))), *CARO]


def position_in(game, marks, side):
    return read_position({"board": text_of(game, marks), "to_move": side, **game.size, **game.fields})


def samples(name, count, empties):
    """Ongoing positions of every game, as (game, marks, side)."""
    rng = random.Random(name)
    for game in EVERY_GAME if count > 1 else rng.sample(EVERY_GAME, FEW_GAMES):
        for _ in range(count):
            found = random_marks(game, rng, rng.randint(*empties))
            if found is not None:
                yield game, *found


@sampled("count", 2, 15)
def test_every_score_under_caro_is_that_of_the_brute_force(count):
    rng = random.Random("caro")
    asked = 0
    for game in CARO * count:
        found = random_marks(game, rng, rng.randint(1, 7))
        if found is None:
            continue
        marks, side = found
        position = position_in(game, marks, side)
        analysis = analyse(position, ENOUGH)
        assert all(value.score.exact for value in analysis.moves)
        assert {game.cell(value.move): value.score.value for value in analysis.moves} == values(game, marks, side), (
            game,
            text_of(game, marks),
            side,
        )
        asked += 1
    assert asked >= len(CARO) // 2


@sampled("count", 1, 12)
def test_every_score_is_that_of_the_brute_force(count):
    asked = 0
    for game, marks, side in samples("scores", count, (1, 7)):
        analysis = analyse(position_in(game, marks, side), ENOUGH)
        found = {game.cell(value.move): value.score.value for value in analysis.moves}
        assert all(value.score.exact for value in analysis.moves)
        assert found == values(game, marks, side), (game, text_of(game, marks), side)
        asked += 1
    assert asked >= FEW_GAMES // 2 * count


@sampled("count", 1, 12)
def test_bulk_calls_have_every_best_move_of_the_brute_force(count):
    asked = 0
    for game, marks, side in samples("best", count, (1, 7)):
        position = position_in(game, marks, side)
        board, to_move = np.frombuffer(position.cells, np.uint8)[None], [position.to_move]
        truth = {game.tile(cell) - 1: value for cell, value in values(game, marks, side).items()}
        best = {cell for cell, value in truth.items() if value == max(truth.values())}
        for which in ("best", "all"):
            (found,) = bulk_values(board, position.rules, to_move=to_move, moves=which)
            assert found["score"] == max(truth.values())
            assert set(found["best_moves"].nonzero()[0]) == best, (game, text_of(game, marks), side)
            assert found["best_moves_complete"]
        for nodes in (1, 10, 100):
            (few,) = bulk_values(board, position.rules, to_move=to_move, limits=Limits(max_nodes=nodes), moves="all")
            for cell, value in truth.items():
                if few["move_is_bound"][cell]:
                    assert 0 < few["move_scores"][cell] / value <= 1
                elif few["move_proven"][cell]:
                    assert few["move_scores"][cell] == value, (game, text_of(game, marks), side, cell)
            if few["best_moves_complete"]:
                assert set(few["best_moves"].nonzero()[0]) == best
        asked += 1
    assert asked >= FEW_GAMES // 2 * count


def test_scores_of_moves_say_that_they_are_bounds():
    """Few nodes prove that each move loses, and not how soon."""
    position = Position.from_text(".OX/XOX/.X.//O../OXO/XOO", layers=2, goal=3, misere=True)
    board = np.frombuffer(position.cells, np.uint8)[None]
    (few,) = bulk_values(board, position.rules, limits=Limits(max_nodes=10), moves="all")
    (exact,) = bulk_values(board, position.rules, moves="all")
    assert (few["move_scores"][0], few["move_is_bound"][0]) == (-14, True)
    assert (exact["move_scores"][0], exact["move_is_bound"][0]) == (-16, False)


@sampled("count", 1, 15)
def test_endings_and_threats_are_those_of_the_brute_force(count):
    for game, marks, side in samples("endings", count, (0, 12)):
        position = position_in(game, marks, side)
        legal = moves(game, marks)
        assert list(map(game.cell, position.legal_moves())) == legal
        completing = [cell for cell in legal if has_line(game, {**marks, cell: side}, side)]
        assert list(map(game.cell, completing_cells(position, position.to_move))) == completing
        for move in position.legal_moves():
            cell = game.cell(move)
            state = position.play(move).ending().state
            assert (state == "won") == (cell in completing)
            assert (state == "drawn") == (cell not in completing and len(marks) + 1 == len(game.free))


@sampled("count", 1, 10)
def test_symmetric_positions_have_one_form_and_one_value(count):
    for game, marks, side in samples("symmetries", count, (2, 6)):
        position = position_in(game, marks, side)
        best = max(values(game, marks, side).values())
        form = position.canonical()
        assert search(form.position, ENOUGH).score.value == best
        for permutation in position.geometry.symmetries[-3:]:
            image = Position.from_cells(
                position.rules, bytes(position.cells[cell] for cell in permutation), position.to_move
            )
            assert image.canonical().position == form.position
        seen = [position.relative()[cell] for cell in form.to_original]
        assert bytes(seen) == form.position.cells
        assert static_evaluation(position) == static_evaluation(form.position)
        assert sorted(form.to_original) == list(range(position.rules.cells))


@sampled("count", 1, 5)
def test_a_tree_has_the_value_of_the_brute_force(count):
    for game, marks, side in samples("trees", count, (1, 4)):
        position = position_in(game, marks, side)
        assert tree(position, max_nodes=10_000)["root"]["value"] == max(values(game, marks, side).values())


@pytest.mark.parametrize(
    ("board", "rules", "outcome", "distance"),
    [
        (".../.../...", {"wrap": "both"}, "win", 7),
        (".../.../...", {"game": "torus-tic-tac-toe"}, "win", 7),
        ("..../..../....", {"wrap": "rows", "goal": 3}, "win", 5),
        (".../.../...", {"directions": ["horizontal", "vertical"]}, "draw", 9),
        (".../.#./...", {}, "draw", 8),
        ("..#/#../.#.", {}, "draw", 6),  # without any line
    ],
)
def test_known_values(board, rules, outcome, distance):
    score = search(Position.from_text(board, **rules), ENOUGH).score
    assert (score.outcome, score.distance, score.exact) == (outcome, distance, True)


def test_a_torus_has_its_shifts():
    position = Position.empty(Position.from_text("..../..../....", goal=3, wrap="both").rules)
    assert len(set(position.geometry.symmetries)) == 4 * 12
    assert len(set(Position.from_text(".../.../...", wrap="both").geometry.symmetries)) == 8 * 9
    assert len(set(Position.from_text(".../.../...", wrap="rows", gravity=True).geometry.symmetries)) == 2 * 3


def test_a_large_torus_keeps_its_turns_alone_where_all_symmetries_would_take_long():
    position = Position.from_rows(["." * 25] * 25, goal=5, wrap="both")
    assert len(position.geometry.stabiliser(position.cells)) == 8
    shifted = {position.play(cell).canonical().position.cells for cell in (0, 31, 312, 624)}
    assert len(shifted) == 1


def test_blocked_cells_break_symmetries():
    position = Position.from_text("#../.../...", goal=3)
    assert len(position.geometry.stabiliser(position.cells)) == 2


def test_a_board_of_blocked_cells_alone_is_drawn():
    assert Position.from_text("##/##", goal=2).ending().state == "drawn"


@pytest.mark.parametrize(
    ("board", "rules", "pointer"),
    [
        ("#../.../...", {"gravity": True}, "/board/0"),
        (".../.#./.X.", {"gravity": True}, "/board/1"),
        (".../.../...", {"wrap": "torus"}, "/wrap"),
        (".../.../...", {"directions": []}, "/directions"),
        (".../.../...", {"directions": "horizontal"}, "/directions"),
        (".../.../...", {"directions": ["up"]}, "/directions/0"),
        (".../.../...", {"directions": ["vertical", "vertical"]}, "/directions/1"),
        (".../.../...", {"game": "tic-tac-toe", "wrap": "both"}, "/game"),
    ],
)
def test_impossible_boards_are_refused(board, rules, pointer):
    with pytest.raises(InputError) as refused:
        Position.from_text(board, **rules)
    assert refused.value.problems[0][0] == pointer


def test_a_blocked_cell_is_never_marked():
    position = Position.from_text(".../.#./...")
    with pytest.raises(ValueError, match="cannot be marked"):
        position.play(4)
    with pytest.raises(InputError, match="is blocked"):
        position.after([5])
