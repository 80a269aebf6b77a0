"""Positions as people have them: by board, by moves, and by moves that begin on a board."""

import pytest

from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from kinarow.game.rules import O, Rules

TIC_TAC_TOE = Rules(3, 3, 3)
AFTER_TWO = Position(TIC_TAC_TOE, bytes([0, 0, 0, 0, 1, 0, 2, 0, 0]), 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"game": "ttt", "moves": "b2a1"},
        {"game": "ttt", "moves": "b2 a1", "to_move": "X", "first": "x"},
        {"rows": 3, "columns": 3, "moves": [5, 7]},
        {"rows": 3, "columns": 3, "goal": 3, "moves": [[1, 1], {"row": 2, "column": 0}]},
        {"board": ".../.X./...", "moves": [7]},
        {"board": ".../.X./...", "moves": "a1", "first": "O"},
        {"board": ".../.X./O..", "moves": ""},
        {"board": "....X.O..", "game": "tic-tac-toe"},
        {"board": [0, 0, 0, 0, 1, 0, 2, 0, 0], "rows": 3, "columns": 3},
    ],
)
def test_every_form_is_the_same_position(fields):
    assert read_position(fields) == AFTER_TWO


def test_either_side_may_make_the_first_move():
    position = read_position({"game": "connect4", "moves": "44", "first": "O"})
    assert position.board[4:] == ["...X...", "...O..."]
    assert position.to_move == 2
    on_board = read_position({"board": "X.O/.../...", "moves": [5], "first": "O"})
    assert on_board.board[1] == ".O."


def test_a_game_alone_is_its_empty_board():
    assert read_position({"game": "ttt"}) == Position.from_text(".../.../...")
    assert read_position({"game": "ttt", "to_move": "O"}).to_move == O
    assert read_position({"rows": 3, "columns": 3, "goal": 2, "layers": 2}).cells == bytes(18)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({}, "/board"),
        ({"rows": 3, "goal": 3}, "/board"),
        ({"board": "...", "rows": 1, "goal": 2, "first": "X"}, "/first"),
        ({"game": "ttt", "moves": [5], "to_move": "X"}, "/to_move"),
        ({"game": "ttt", "moves": [5], "first": "Y"}, "/first"),
        ({"board": "X../.../...", "moves": [5], "first": "X"}, "/first"),
        ({"board": "XXX/OO./...", "moves": [6]}, "/moves/0"),
        ({"game": "ttt", "moves": [5, 5]}, "/moves/1"),
        ({"game": "ttt", "moves": [1, 4, 2, 5, 3, 6]}, "/moves/5"),
        ({"game": "connect-four", "moves": "4444444"}, "/moves/6"),
        ({"game": "connect-four", "moves": [1]}, "/moves/0"),
        ({"moves": [5]}, "/rows"),
        ({"moves": [5], "rows": 4, "columns": 4}, "/goal"),
        ({"board": "X..", "game": "ttt"}, "/board"),
    ],
)
def test_a_contradiction_is_named(fields, pointer):
    with pytest.raises(InputError) as caught:
        read_position(fields)
    assert caught.value.problems[0][0] == pointer


def test_the_library_reads_rows_text_and_moves():
    rows = Position.from_rows(["X.O", ".X.", "..O"], goal=3)
    assert rows == Position.from_text("X.O/.X./..O")
    assert rows == Position.from_moves("a3 c3 b2 c1", rows=3, columns=3)
    assert rows == Position.from_text("X.O.X...O", game="tic-tac-toe", to_move="X")
    assert Position.from_moves("4453", game="connect4").after("3") == Position.from_moves("44533", game="connect-four")
    with pytest.raises(InputError):
        Position.from_moves("1", rows=3, columns=3)
