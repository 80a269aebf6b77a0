"""Boards with layers: how they are written, which moves fall where, what is refused, and what Qubic is known to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.errors import InputError
from kinarow.game.board_svg import picture
from kinarow.game.notation import write_cell, write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules, Size
from kinarow.reading.moves import read_move
from kinarow.reading.positions import read_board
from tests.support.written_boards import grid_of

EMPTY_LAYER = "..../..../..../...."


def test_a_board_is_a_list_of_all_rows_or_of_layers_or_a_text():
    grid = (2, 3, bytes([1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1]), 2)
    mixed = [["X", ".", "O"], "...", "...", [".", ".", "x"]]
    for board in ("X.O/...//.../..X", "X.O/.../.../..X", mixed, [mixed[:2], mixed[2:]]):
        assert grid_of(board, layers=2) == grid
    assert grid_of([["X.O", "..."], ["...", "..X"]], usual_size=Size(4, 4, 2)) == grid


def test_lists_of_single_cells_are_layers_of_one_column_unless_there_is_one_row():
    board = [["X", ".", "O"], ["O", ".", "X"]]
    assert grid_of(board, layers=2)[:2] == (3, 1)
    assert grid_of(board, layers=2, rows=1)[:2] == (1, 3)
    assert grid_of([*board, *board], layers=2)[:2] == (2, 3)


@given(size=st.tuples(st.integers(2, 4), st.integers(1, 4), st.integers(1, 4)), data=st.data())
def test_the_board_of_a_position_reads_as_the_same_board(size, data):
    layers, rows, columns = size
    count = layers * rows * columns
    cells = bytes(data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)))
    rules = Rules(rows, columns, 1, layers=layers)
    board = Position(rules, cells, 1).board
    assert len(board) == layers * rows
    one = 1 if columns == 1 else None  # else its rows are the cells of a flat board
    assert grid_of(board, layers=layers, columns=one) == (rows, columns, cells, layers)
    assert grid_of([list(row) for row in board], layers=layers, rows=rows) == (rows, columns, cells, layers)
    nested = [board[layer * rows : (layer + 1) * rows] for layer in range(layers)]
    assert grid_of(nested, layers=layers) == (rows, columns, cells, layers)


def test_a_tile_counts_columns_then_rows_then_layers():
    rules = Rules(3, 4, 3, layers=2)
    assert write_cell(0, rules) == {"layer": 0, "row": 0, "column": 0, "tile": 1}
    assert write_cell(23, rules) == {"layer": 1, "row": 2, "column": 3, "tile": 24}
    assert write_move(17, rules) == "18"
    for named in (18, [1, 1, 1], {"layer": 1, "row": 1, "column": 1}, write_cell(17, rules)):
        assert read_move(named, rules, "").cell == 17


TWO, FALL = {"layers": 2, "goal": 3}, {"gravity": True}


@pytest.mark.parametrize(
    ("board", "rules", "pointer"),
    [
        ([["...", "..."], ["...", "..."]], {"goal": 3}, "/board/0/0"), (".../...//.../...", {"goal": 3}, "/board/2"),
        (".../...//.../...", {"goal": 3, "layers": 3}, "/layers"), (".../...//.../...", {"layers": 2}, "/goal"),
        (".../.../...//.../.../...", {"layers": 2}, "/goal"), (".../...//.../...", {"layers": 2, "goal": 4}, "/goal"),
        (".../...//...", TWO, "/board/1"), (".../...//.../..", TWO, "/board/1/1"),
        (".../...//..../....", TWO, "/board/1/0"), (".../...//.../..Z", TWO, "/board/1/1"),
        ([["..."], "..."], TWO, "/board/0/0"), ([["..."], []], TWO, "/board/1"),
        (5, TWO, "/board"), ([], TWO, "/board"),
        (["...", "...", "..."], TWO, "/layers"), (["...", "...", "...", ".."], TWO, "/board/3"),
        (["...", "...", "...", "..Z"], TWO, "/board/3"), (["...", "...", "...", [".", ".", "Z"]], TWO, "/board/3/2"),
        (["...", "...", None, "..."], TWO, "/board/2"), (["...", "...", "...", "..X"], TWO | FALL, "/board/3"),
        ([["...", "..."], ["...", "..X"]], TWO | FALL, "/board/1/1"),
        ([["...", "..."], ["...", ["Z", "X", "."]]], TWO, "/board/1/1/0"),
        (".../...//.../...", TWO | {"wrap": "rows"}, "/wrap"),
        (".../...//.../...", TWO | {"directions": ["vertical"]}, "/directions"),
        (".../...//.../..X", TWO | FALL, "/board/1/1"), (".../...//.../..#", TWO | FALL, "/board/1/1"),
        ([["...", "..."], ["...", "..."]], {"layers": 26, "goal": 3}, "/layers"),
        ([["." * 25] * 25] * 2, TWO, "/layers"), (f"{EMPTY_LAYER}//{EMPTY_LAYER}", {"game": "qubic"}, "/layers"),
        (EMPTY_LAYER, {"game": "qubic"}, "/game"),
        (f"{EMPTY_LAYER}//{EMPTY_LAYER}", {"game": "gomoku", "layers": 2}, "/game"),
    ],
)  # fmt: skip
def test_impossible_boards_are_refused(board, rules, pointer):
    with pytest.raises(InputError) as refused:
        read_board({"board": board, **rules})
    assert refused.value.problems[0][0] == pointer


def test_layers_stand_side_by_side_in_a_picture():
    position = Position.from_moves([0, 63], game="qubic")
    drawn = picture(position.rules, position.cells, lit=(63,), last=63, texts={16: "+1"})
    assert [drawn.count(f">layer {layer}<") for layer in range(6)] == [0, 1, 1, 1, 1, 0]
    assert "4 × 4 × 4 board, 1 X and 1 O" in drawn
    assert len(drawn) < 10_000
