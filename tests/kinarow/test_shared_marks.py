"""Games in which both sides mark with X, beside a brute force that shares nothing with the engine."""

import random

import pytest

import kinarow
from kinarow.errors import InputError
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.tactics import completing_cells, safe_moves, winning_moves
from kinarow.search.bulk import bulk_values
from tests.kinarow.test_shapes import position_in
from tests.support.samples import sampled
from tests.support.shapes import STEPS, Game, has_line, moves, random_marks, values

NOTAKTO = {"goal": 3, "misere": True, "marks": "shared"}


def random_game(rng):
    """A game of a random size, shape and goal, with up to 20 cells."""
    shape = rng.random()
    if shape < 0.15:
        board = "." * rng.randint(1, 20)
    elif shape < 0.25:
        board = "//".join(["/".join(["..."] * rng.randint(1, 3))] * 2)
    else:
        rows, columns = rng.choice([(r, c) for r in range(1, 6) for c in range(1, 6) if r * c <= 20])
        board = "/".join("".join("#" if rng.random() < 0.06 else "." for _ in range(columns)) for _ in range(rows))
    gravity = "#" not in board and rng.random() < 0.25
    layers = "//" in board
    wrap = "none" if layers or rng.random() < 0.7 else rng.choice(("rows", "columns", "both"))
    names = tuple(STEPS)
    chosen = tuple(sorted(rng.sample(names, rng.randint(1, 4)), key=names.index))
    directions = names if layers or rng.random() < 0.7 else chosen
    longest = max(board.count("/") + 1, *map(len, board.replace("//", "/").split("/")))
    goal = rng.randint(1, min(5, max(map(len, board.split("/"))) if layers else longest))
    return Game(board, goal, wrap, directions, gravity, rng.random() < 0.5, rng.random() < 0.3, shared=True)


def samples(name, count):
    """Ongoing positions with at most nine empty cells, as (game, marks, side)."""
    rng = random.Random(name)
    found = 0
    while found < count:
        game = random_game(rng)
        drawn = random_marks(game, rng, rng.randint(1, min(9, len(game.free)))) if game.free else None
        if drawn is not None:
            found += 1
            yield game, *drawn


@sampled("count", 60, 600)
def test_every_value_is_that_of_the_brute_force(count):
    for game, marks, side in samples("shared", count):
        position = position_in(game, marks, side)
        truth = {game.cell(value.move): value for value in kinarow.analyse(position).moves}
        assert all(value.score.exact for value in truth.values())
        assert {cell: value.score.value for cell, value in truth.items()} == values(game, marks, side), (game, marks)


@sampled("count", 60, 600)
def test_moves_endings_and_threats_are_those_of_the_brute_force(count):
    for game, marks, side in samples("endings", count):
        position = position_in(game, marks, side)
        other = "O" if side == "X" else "X"
        legal = moves(game, marks)
        assert list(map(game.cell, position.legal_moves())) == legal
        completing = [cell for cell in legal if has_line(game, {**marks, cell: side}, side)]
        for each in (1, 2):
            assert list(map(game.cell, completing_cells(position, each))) == completing
        assert list(map(game.cell, winning_moves(position))) == ([] if game.misere else completing)
        for move in position.legal_moves():
            after = position.play(move)
            ending, done = after.ending(), game.cell(move) in completing
            winner = {"X": 1, "O": 2}[other if game.misere else side] if done else None
            assert (ending.winner, ending.state == "won") == (winner, done)
            loses = done if game.misere else not done and bool(winning_moves(after))
            assert (move in safe_moves(position)) == (not loses)
        assert static_evaluation(position) == 0
        assert position_in(game, marks, side) == position


@pytest.mark.parametrize(
    ("board", "fields", "pointer", "words"),
    [
        ("O../.../...", NOTAKTO, "/board/0", 'unknown mark "O" in row 1, column 1'),
        ([["", "", ""], ["X", "", 2], ["", "", ""]], NOTAKTO, "/board/1/2", 'unknown mark "O" in row 2, column 3'),
        ("XXX/.../XXX", NOTAKTO, "/board", "no single last mark"),
        ("X../.../...", {**NOTAKTO, "gravity": True}, "/board/0", "empty cell under it"),
        (".../.../...", {"marks": "shared", "caro": True}, "/marks", "caro"),
        (".../.../...", {"marks": "both"}, "/marks", "own, shared"),
    ],
)
def test_what_cannot_be_is_refused(board, fields, pointer, words):
    read = Position.from_text if isinstance(board, str) else Position.from_rows
    with pytest.raises(InputError, match=words) as refused:
        read(board, **fields)
    assert refused.value.problems[0][0] == pointer


def test_either_side_may_be_to_move():
    """By default X after an even number of marks; any count of marks goes with either side."""
    boards = [f"{'X' * count:.<5}/....." for count in range(4)]
    assert [Position.from_text(board, goal=5, marks="shared").to_move for board in boards] == [1, 2, 1, 2]
    assert Position.from_text("XX.../.....", goal=4, marks="shared", to_move="O").to_move == 2
    begun = Position.from_moves("a1 b2", rows=3, columns=3, first="O", **NOTAKTO)
    assert (begun.board, begun.to_move) == (["...", ".X.", "X.."], 2)


def test_a_double_line_ends_the_game_and_the_side_that_completed_it_loses_in_misere():
    ending = Position.from_text("XXX/X../X..", **NOTAKTO).ending()
    assert (ending.state, ending.winner, ending.winning_cells) == ("won", 2, (0, 1, 2, 3, 6))


def test_only_the_centre_wins_notakto():
    values_of = {each.move: each.outcome for each in kinarow.analyse(rows=3, columns=3, **NOTAKTO).moves}
    assert values_of == {cell: "win" if cell == 4 else "loss" for cell in range(9)}


def test_what_is_not_proven_is_0_and_nothing_is_expected():
    """On more than 64 cells the reference search answers, at every depth."""
    for depth in (None, 1, 2):
        answer = kinarow.best_move(
            rows=9, columns=9, goal=3, misere=True, marks="shared", max_nodes=50_000, max_depth=depth
        )
        assert (str(answer.score.value), answer.expected, answer.proven) == ("0.0", None, False)


def test_bulk_calls_take_boards_of_either_side():
    (first, second) = bulk_values([[1, 0, 0, 0], [1, 0, 0, 0]], Rules(1, 4, 3, marks="shared"), to_move=[1, 2])
    assert first["score"] == second["score"]
