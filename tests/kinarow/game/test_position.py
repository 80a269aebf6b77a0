"""Which boards a game may stand at, whose move it is, what may be played, and when it is over."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.errors import InputError, PositionError
from kinarow.game.notation import TILE
from kinarow.game.position import Position
from kinarow.game.rules import O, Rules
from kinarow.reading.positions import read_position
from tests.support import oracle
from tests.support.positions import EVERY_RULE, position_of
from tests.support.samples import examples

GRAVITY = {"gravity": True}
X_TO_MOVE, O_TO_MOVE = {"to_move": "X"}, {"to_move": "O"}
THREE, FOUR = {"game": "tic-tac-toe"}, {"game": "connect-four"}
WIDE = {"rows": 4, "columns": 10, "goal": 4, "gravity": True}


@pytest.mark.parametrize("misere", [False, True], ids=["normal", "misere"])
@pytest.mark.parametrize(
    ("board", "goal", "asked", "pointer", "says"),
    [
        ("XX.../.....", 4, {}, "/board", "counts"), ("OO.../.....", 4, {}, "/board", "counts"),
        ("OO.../.....", 4, X_TO_MOVE, "/board", "counts"),
        ("X..../.....", 4, X_TO_MOVE, "/to_move", "cannot be X's move"),
        ("XOO../.....", 4, O_TO_MOVE, "/to_move", "cannot be O's move"),
        ("X.../..../O...", 4, GRAVITY, "/board/0/0", "tile 1 in column 1 has an empty cell"),
        ("..../.X../....", 4, GRAVITY, "/board/1/1", "empty cell under it"),
        ("XXX./OOO.", 3, {}, "/board", "both sides"), ("XXX./OOOX", 3, {}, "/board", "both sides"),
        ("XXX./OO.O", 3, X_TO_MOVE, "/to_move", "the game was over"),
        ("XX.XX/OOO..", 3, {}, "/board", "the game was over"),
        ("XX.XX/OOO..", 3, O_TO_MOVE, "/board", "the game was over"),
        ("XXX.O/OO.../XXXOO", 3, {}, "/board", "no single last move"),
        ("XXX.XXX/OO.OO.O", 3, {}, "/board", "no single last move"),
        ("XXXXXX/OO.OOO", 3, {}, "/board", "both sides"), ("XXXXXX/OO.OO.", 3, {}, "/board", "counts"),
        ("XXXXXX/OO.OO./O.....", 3, {}, "/board", "no single last move"),
        ("OXO./XXX./OOX.", 3, GRAVITY, "/board", "no single last move"),
    ],
)  # fmt: skip
def test_a_board_that_no_game_may_stand_at_is_refused(board, goal, asked, pointer, says, misere):
    with pytest.raises(PositionError) as caught:
        position_of(board, goal, misere=misere, **asked)
    ((where, detail),) = caught.value.problems
    assert where == pointer
    assert says in detail


@pytest.mark.parametrize(
    ("board", "goal", "asked", "to_move", "state"),
    [
        (".....", 4, {}, 1, "ongoing"), (".....", 4, O_TO_MOVE, 2, "ongoing"), ("X....", 4, {}, 2, "ongoing"),
        ("O....", 4, {}, 1, "ongoing"), ("XO...", 4, {}, 1, "ongoing"), ("XO...", 4, O_TO_MOVE, 2, "ongoing"),
        # The completed line is that of the side that moved last, whoever began.
        ("XXX./OO..", 3, {}, 2, "won"), ("XXX./OO.O", 3, {}, 2, "won"), ("OOO./XX.X", 3, {}, 1, "won"),
        ("OOO./XX.X", 3, X_TO_MOVE, 1, "won"),
        # One mark, the last, may complete several lines at once.
        ("XXXXX/OO.OO", 3, {}, 2, "won"), ("XXX/XOO/XOO", 3, {}, 2, "won"), ("OXO./XXX./OOX.", 3, {}, 2, "won"),
        ("O.../O.../X...", 2, GRAVITY, 1, "won"),
        # A run longer than an exact goal is no line.
        ("XXXX/OO.O", 3, {"exact_goal": True}, 2, "ongoing"), ("XXXXX/OOOO.", 3, {"exact_goal": True}, 2, "ongoing"),
        ("XOX/OXO", 3, {}, 1, "drawn"), ("X", 1, {}, 2, "won"), (".", 1, {}, 1, "ongoing"),
    ],
)  # fmt: skip
def test_other_boards_are_accepted_with_the_usual_side_to_move(board, goal, asked, to_move, state):
    position = position_of(board, goal, **asked)
    assert position.to_move == to_move
    assert position.ending().state == state


@EVERY_RULE
@examples(150)
@given(data=st.data())
def test_a_board_is_accepted_exactly_when_the_contract_says(flags, data):
    rows, columns = data.draw(st.sampled_from([(1, 5), (2, 3), (3, 2), (2, 4), (3, 4), (4, 3)]))
    rules = Rules(rows, columns, data.draw(st.integers(1, max(rows, columns))), *flags)
    cells = data.draw(st.lists(st.integers(0, 2), min_size=rules.cells, max_size=rules.cells))
    if rules.gravity:
        for column in range(columns):
            fallen = [mark for mark in cells[column::columns] if mark]
            cells[column::columns] = [0] * (rows - len(fallen)) + fallen
    to_move = data.draw(st.sampled_from([1, 2]))
    try:
        Position.from_cells(rules, bytes(cells), to_move)
        accepted = True
    except PositionError:
        accepted = False
    assert accepted == may_stand(rules, bytes(cells), to_move)


def may_stand(rules, cells, to_move):
    """Whether a game may stand at a board (without floating marks), read from the contract line by line."""
    if cells.count(to_move) - cells.count(3 - to_move) not in (0, -1) or oracle.completed(rules, cells, to_move):
        return False
    lines = oracle.completed(rules, cells, 3 - to_move)
    common = set(range(rules.cells)).intersection(*lines)
    if rules.gravity:
        common = {cell for cell in common if cell < rules.columns or cells[cell - rules.columns] == 0}
    return not lines or bool(common)


def test_a_position_never_changes():
    position = position_of("X.O/.X.", 3)
    position.play(1)
    assert position.board == ["X.O", ".X."]
    with pytest.raises(FrozenInstanceError):
        position.to_move = 1
    assert len({position, position_of("X.O/.X.", 3)}) == 1


@pytest.mark.parametrize(
    ("game", "moves", "pointer", "detail"),
    [
        (FOUR, "4444444", "/moves/6", "column 4 is full"),
        (FOUR, [39, 39], "/moves/1", "tile 39 in column 4 is taken by X"),
        (FOUR, [1], "/moves/0", "tile 1 in column 1 cannot be marked yet: the cell under it is empty"),
        ({"game": "gomoku"}, "h8h8", "/moves/1", "h8 is taken by X"),
        ({"game": "gomoku"}, [[7, 7], [7, 7]], "/moves/1", "h8 is taken by X"),
        (WIDE, [{"column": 9}] * 5, "/moves/4", "column j is full"),
        ({"game": "qubic"}, [5, 5], "/moves/1", "tile 5 is taken by X"),
        ({"game": "score-four"}, [{"row": 1, "column": 0}] * 5, "/moves/4", "the stack on tile 5 is full"),
        (THREE, [0], "/moves/0", "tile is a whole number from 1 to 9"),
        (THREE, [1, 10], "/moves/1", "not 10"),
        (THREE, [True], "/moves/0", "a move is a tile"),
        (THREE, [1.0], "/moves/0", "a move is a tile"),
        (THREE, ["5"], "/moves/0", "not '5'"),
        (THREE, [[1]], "/moves/0", "a move is a tile"),
        (THREE, [[1, True]], "/moves/0", "column is a whole number"),
        (THREE, [[3, 0]], "/moves/0", "row is a whole number from 0 to 2"),
        (THREE, [{"column": 1}], "/moves/0", "a move as an object has row and column, counted from 0"),
        (THREE, [{"row": 1, "col": 1}], "/moves/0", "has row and column, counted from 0, not col"),
        (THREE, [{"x": 1, "y": 1}], "/moves/0", "has row and column, counted from 0, not x, y"),
        (FOUR, [{"col": 1}], "/moves/0", "has row and column, or column alone, counted from 0, not col"),
        ({"game": "qubic"}, [{"row": 1, "column": 1}], "/moves/0", "has layer, row and column"),
        *(
            ({"game": "qubic"}, [move], "/moves/0", "")
            for move in ([0, 0], [4, 0, 0], [0, 0, 4], 65, {"layer": 0, "row": 0, "column": 0, "tile": 2})
        ),
        (THREE, "b2a1a2b1c2 0-1", "/moves", "0-1 says a win of O; the moves end with the game won by X"),
        (THREE, "b2a1a2b1c2 1/2-1/2", "/moves", "says a draw"),
        (THREE, [{"row": 1, "column": 1, "tile": 4}], "/moves/0", "is not at this row and column"),
        (THREE, [{"row": 1, "column": 1, "tiles": 5}], "/moves/0", "an object"),
        (THREE, [1, 2, 1], "/moves/2", "a3 is taken by X"),
        (THREE, [1, 4, 2, 5, 3, 6], "/moves/5", "over before this move: won by X"),
        (THREE, [1, 2, 3, 5, 4, 6, 8, 7, 9, 1], "/moves/9", "drawn"),
        (FOUR, [{"column": 7}], "/moves/0", "column is a whole number from 0 to 6"),
        (FOUR, [{"column": 0}] * 7, "/moves/6", "column 1 is full"),
        (FOUR, [{"columns": 0}], "/moves/0", "or column alone"),
    ],
)
def test_errors_name_a_cell_as_moves_do(game, moves, pointer, detail):
    with pytest.raises(InputError) as caught:
        Position.from_moves([], **game).after(moves, first_cell=TILE)
    ((where, said),) = caught.value.problems
    assert where == pointer
    assert detail in said


@pytest.mark.parametrize(
    ("game", "moves", "cell", "said"),
    [
        (THREE, "b2", 4, "cell 4 cannot be marked: b2 is taken by X"),
        ({"game": "gomoku"}, "", 225, "cell 225 cannot be marked: the cells of the board are 0 to 224"),
        ({"game": "gomoku"}, "", -1, "cell -1 cannot be marked: the cells of the board are 0 to 224"),
        ({"game": "score-four"}, [0, 16, 32, 48], 48, "cell 48 cannot be marked: the stack on tile 1 is full"),
        (THREE, "b2a1b1b3a2c2c3a3c1", 8, "cell 8 cannot be marked: the game is over, drawn"),
    ],
)
def test_a_cell_that_cannot_be_marked_says_why(game, moves, cell, said):
    with pytest.raises(ValueError, match=said):
        Position.from_moves(moves, **game).play(cell)


def test_a_blocked_and_a_forbidden_cell_say_so():
    with pytest.raises(ValueError, match="a2 is blocked"):
        Position.from_text("#../...", goal=2).play(0)
    overline = Position.from_moves("h8a1i8b1j8c1l8d1m8f1", game="renju")
    with pytest.raises(ValueError, match="k8 is forbidden to the side that began: overline"):
        overline.play(7 * 15 + 10)


@pytest.mark.parametrize("cell", ["4", 1.0, None, [4], True, np.True_, np.array([4])])
def test_play_takes_whole_numbers_alone(cell):
    with pytest.raises(TypeError, match=r"play\(\) takes a cell, a whole number from 0, not .*; after\(\) takes text"):
        Position.from_moves("", game="connect-four").play(cell)


@pytest.mark.parametrize(
    ("game", "moves", "from_one", "from_zero"),
    [
        (FOUR, [3], 'column 3 of 1 to 7 ("moves": "3")', 'column 3 counted from 0 ("moves": [{"column": 3}])'),
        (FOUR, [3, 4], 'columns 3, 4 of 1 to 7 ("moves": "34")',
         'columns 3, 4 counted from 0 ("moves": [{"column": 3}, {"column": 4}])'),
        (FOUR, [0, 3], None, 'columns 0, 3 counted from 0 ("moves": [{"column": 0}, {"column": 3}])'),
        (FOUR, (7,), 'column 7 of 1 to 7 ("moves": "7")', None),
        (WIDE, [4, 4, 10], 'columns 4, 4, 10 of 1 to 10 ("moves": "d1d2j1")', None),
        (FOUR, [1, 2, 3, 4], 'columns 1, 2, 3, 4 of 1 to 7 ("moves": "1234")',
         'columns 1, 2, 3, 4 counted from 0 ("moves": [{"column": 1}, {"column": 2}, {"column": 3}, …])'),
        *((game, moves, None, None) for game, moves in (
            (FOUR, [4, 4, 4, 4, 4, 4, 4]), (FOUR, [8]), (FOUR, [4, True]), (FOUR, [4, {"column": 3}]), (FOUR, [39, 4]),
            (FOUR, [1, 1, 2, 2, 3, 3, 4, 4]), (FOUR, []), ({"game": "score-four"}, [49]), ({"game": "gomoku"}, [4, 4]),
        )),
    ],
)  # fmt: skip
def test_columns_sent_as_tiles_get_both_readings_and_no_choice(game, moves, from_one, from_zero):
    """Only a list that fails as tiles and plays as columns; ``after`` and ``replay`` say the same."""
    start = Position.from_moves([], **game)
    said = []
    for play in (start.after, lambda moves, first_cell: list(start.replay(moves, first_cell=first_cell))):
        try:
            play(moves, first_cell=TILE)
        except InputError as wrong:
            said.append(wrong.problems[0])
    assert len(set(said)) <= 1
    meant = [reading for reading in (from_one, from_zero) if reading]
    hints = {detail.partition("; did you mean ")[2] for _, detail in said}
    assert hints <= {", or ".join(meant) + "?" if meant else ""}
    if meant:
        assert len(said) == 2
        for reading in meant:
            sent = reading[reading.index("(") + 1 : -1].partition(": ")[2]
            assert "…" in sent or start.after(json.loads(sent))


@pytest.mark.parametrize(
    ("moves", "hint"),
    [
        ([9], "cell is a whole number from 0 to 8, not 9; cells count from 0"), ([10], "from 0 to 8, not 10"),
        ([5, 1, 9], "not 9; cells count from 0"), ([5, 5], "b... is taken"), ([0, "a3"], "a3 is taken by X"),
    ],
)  # fmt: skip
def test_numbers_in_python_are_cells_and_an_old_reading_is_told(moves, hint):
    with pytest.raises(InputError, match=hint.replace("b...", "c2")):
        Position.from_moves(moves, **THREE)


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        (lambda: Position.empty(3), TypeError, "rules is a kinarow.Rules, not 3"),
        (lambda: Position.from_cells(Rules(3, 3, 3), "." * 9), TypeError, "cells is bytes"),
        (lambda: Position.from_cells(Rules(3, 3, 3), bytes(9), "X"), PositionError, "is 1 .X. or 2 .O., not .X."),
        (lambda: Position.from_cells("renju", bytes(9)), TypeError, "rules is a kinarow.Rules"),
        (lambda: Position.from_cells(Rules(3, 3, 3), bytes(8)), PositionError, "the cells are 9 bytes of 0 to 3"),
        (lambda: Position.from_cells(Rules(3, 3, 3), b"\4" + bytes(8)), PositionError, "the cells are 9 bytes"),
        (lambda: Position.empty(Rules(3, 3, 3))["b2"], TypeError, "a cell is a whole number, not 'b2'"),
        (lambda: Position.empty(Rules(3, 3, 3)).marks("X"), ValueError, "a side is 1 .X. or 2 .O., not 'X'"),
        (lambda: Position.empty(Rules(3, 3, 3)).marks(-1), ValueError, "a side is 1 .X. or 2 .O., not -1"),
    ],
)  # fmt: skip
def test_what_no_position_is_made_of_is_named(wrong, kind, says):
    with pytest.raises(kind, match=says):
        wrong()


def test_the_side_to_move_is_a_number_of_python():
    assert type(Position.from_cells(Rules(3, 3, 3), bytes(9), np.int64(2)).to_move) is int


def test_a_position_is_an_array_of_its_marks():
    position = Position.from_moves("445", game="connect-four")
    array = np.asarray(position)
    assert array.tolist() == [[0] * 7] * 4 + [[0, 0, 0, 2, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0]]
    assert np.asarray(position, np.float32).dtype == np.float32
    assert Position.from_rows(array, game="connect-four") == position
    assert [position[cell] for cell in (38, np.int64(31), 39, 0)] == [1, 2, 1, 0]
    deep = Position.from_moves([0, 17], game="qubic")
    assert np.asarray(deep).shape == (4, 4, 4)
    assert np.asarray(deep)[1, 0, 1] == deep[17] == 2
    for cell in (-1, 42, 100):
        with pytest.raises(IndexError, match="0 to 41"):
            position[cell]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(position, copy=False)


def test_a_position_says_whether_it_is_over_and_who_has_won():
    begun, won = Position.from_moves("b2a1a2b1", **THREE), Position.from_moves("b2a1a2b1c2 1-0", **THREE)
    drawn = Position.from_moves("b2a1b1b3a2c2c3a3c1 1/2-1/2", **THREE)
    assert [(each.is_over, each.winner) for each in (begun, won, drawn)] == [(False, None), (True, 1), (True, None)]
    assert Position.from_moves("b2a1 0-1", **THREE) == Position.from_moves("b2a1", **THREE)


def test_a_position_prints_its_board_and_its_code():
    position = Position.from_moves("4453", game="connect-four")
    assert str(position).splitlines()[-2:] == [" .  .  O  X  X  .  .", " 1  2  3  4  5  6  7"]
    assert str(Position.from_text("X.O/.X./..O")) == "3 X  .  O\n2 .  X  .\n1 .  .  O\n  a  b  c"
    for each in (position, Position.from_text("#./.X//../..", layers=2, goal=2)):
        assert eval(repr(each), {"Position": Position, "Rules": Rules}) == each


# Positions as people have them: by board, by moves, and by moves that begin on a board.

AFTER_TWO = Position(Rules(3, 3, 3), bytes([0, 0, 0, 0, 1, 0, 2, 0, 0]), 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"game": "ttt", "moves": "b2a1"},
        {"game": "ttt", "moves": "b2 a1", "to_move": "X", "first": "x"},
        {"rows": 3, "columns": 3, "moves": [5, 7]},
        {"rows": 3, "columns": 3, "goal": 3, "moves": [[1, 1], {"row": 2, "column": 0}]},
        {"board": ".../.X./...", "moves": [7]}, {"board": ".../.X./...", "moves": "a1", "first": "O"},
        {"board": ".../.X./O..", "moves": ""}, {"board": "....X.O..", "game": "tic-tac-toe"},
        {"board": [0, 0, 0, 0, 1, 0, 2, 0, 0], "rows": 3, "columns": 3},
    ],
)  # fmt: skip
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
