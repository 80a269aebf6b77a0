"""Boards in every notation that is accepted, and a pointed refusal of everything else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.errors import QUOTE_LIMIT, InputError, NotationError, quoted
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules, Size
from kinarow.reading.boards import read_side
from kinarow.reading.moves import read_moves
from tests.support.written_boards import grid_of


def refused(board, **size):
    """The one problem that reading this board raises."""
    with pytest.raises(NotationError) as caught:
        grid_of(board, **size)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("board", "size", "read"),
    [
        (["X", ".", "O"], {"rows": 1}, (1, 3)), (["X", ".", "O"], {"columns": 1}, (3, 1)),
        ("X.O", {"rows": 1}, (1, 3)), ("X.O", {"columns": 1}, (3, 1)), ([1, 0, 2], {"rows": 1}, (1, 3)),
        (["X", None, "o"], {"columns": 1}, (3, 1)), ("X/./O", {}, (3, 1)), ([["X"], ["."], ["O"]], {}, (3, 1)),
        (["X.O"], {}, (1, 3)), ([["X", ".", "O"]], {"rows": 1, "columns": 3}, (1, 3)),
    ],
)  # fmt: skip
def test_a_single_row_or_column_may_be_flat_where_the_size_says_so(board, size, read):
    assert grid_of(board, **size) == (*read, bytes([1, 0, 2]), 1)


def test_a_board_of_one_cell():
    assert grid_of(["."]) == grid_of([[None]]) == grid_of(".", rows=1) == (1, 1, b"\x00", 1)


FLAT = 'this is a flat board: send rows, ["X.O", ".X.", "..."] or X.O/.X./..., or say rows and columns'
LAYERS, EIGHT = {"layers": 2}, {"rows": 2, "columns": 4}


@pytest.mark.parametrize(
    ("board", "size", "pointer", "words"),
    [
        (["....", "...", "..."], {}, "/board/1", "row 1 has 4 cells, row 2 has 3"),
        ("X.O/.X.//", {}, "/board/2", "row 1 has 3 cells, row 3 has 0"),
        ([["X", "O"], ["."]], {}, "/board/1", "row 1 has 2 cells, row 2 has 1"),
        (["..", "..", "...", ".."], LAYERS, "/board/2", "row 1 of layer 1 has 2 cells, row 1 of layer 2 has 3"),
        ([["..", ".."], [".."]], LAYERS, "/board/1", "layer 1 has 2 rows, layer 2 has 1"),
        ([[".."], 5], LAYERS, "/board/1", "row 1 of layer 2 must be a string or a list of cells, not 5"),
        (["..", ".R"], LAYERS, "/board/1", 'unknown mark "R" in row 1, column 2 of layer 2'),
        ([list("...R"), list("....")], {}, "/board/0/3", 'unknown mark "R" in row 1, column 4'),
        (list("....") + list("...R"), EIGHT, "/board/7", 'unknown mark "R" in row 2, column 4'),
        ("....O..R", EIGHT, "/board", 'unknown mark "R" in row 2, column 4'),
        (["."] * 7 + ["R"], LAYERS | {"usual_size": Size(2, 2)}, "/board/7",
         'unknown mark "R" in row 2, column 2 of layer 2'),
        ("X.O/.é.", {}, "/board/1", "unknown mark"), ("X\u0000O/...", {}, "/board/0", "unknown mark"),
        *(([["X", "."], [mark, "."]], {}, "/board/1/0", "unknown mark") for mark in (3, True, 1.0, ["X"], {}, "XO")),
        *((board, {}, "/board", "") for board in (None, 5, 1.5, True, {"rows": []}, object(), b"X.O", {"X.O"})),
        *((["X.O", row], {}, "/board/1", "row 2 must be") for row in (None, 5, {}, True)),
        *((["X.O", "..."], {name: n}, f"/{name}", "") for name, n in (("rows", 3), ("columns", 2), ("rows", 1))),
        *((board, {}, "/board", "") for board in ([], "", [[]], [""], "/", "//")),
        ("X.O.X...O", {"rows": 3}, "/board", FLAT),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_where_it_stands(board, size, pointer, words):
    """Sentences count from 1 and pointers from 0."""
    where, detail = refused(board, **size)
    assert where.startswith(pointer)
    assert where == pointer or not words
    assert f"{detail}$".startswith(words)


@pytest.mark.parametrize(
    ("board", "size"),
    [
        (lambda side: ["." * side] * 2, {}), (lambda side: [["."] * side] * 2, {}), (lambda side: ["..."] * side, {}),
        (lambda side: [[0]] * side, {}), (lambda side: "/".join(["." * side] * 2), {}),
        (lambda side: "/".join(["..."] * side), {}), (lambda side: "/".join("." * side), {}),
        (lambda side: "." * side, {"rows": 1}), (lambda side: "." * side, {"columns": 1}),
        (lambda side: ["."] * side, {"columns": 1}),
    ],
)  # fmt: skip
def test_a_board_over_the_largest_side_is_too_large(board, size):
    """By default 25 rows or columns, and less may be allowed; a huge board has as short a message."""
    assert grid_of(board(25), **size)
    assert grid_of(board(6), **size, max_side=6)
    huge = refused(board(10**5), **size)
    for pointer, detail in (refused(board(26), **size), refused(board(6), **size, max_side=5), huge):
        assert pointer in ("/board", "/board/0")
        assert len(detail) < 120


@pytest.mark.parametrize("name", ["", 0, "0", 3, True, None, "XX", "z", -1, "x" * 10_000])
def test_another_name_is_no_side(name):
    with pytest.raises(NotationError) as caught:
        read_side(name)
    assert caught.value.problems[0][0] == "/to_move"
    assert len(caught.value.problems[0][1]) <= QUOTE_LIMIT + 40


@pytest.mark.parametrize(
    "value", ["a" * 1000, "\u0000" * 1000, "\U0001f600" * 300, 10**30, 1.5, None, True, "'\"" * 90]
)
def test_what_is_quoted_of_the_input_is_at_most_100_characters(value):
    assert len(quoted(value)) <= QUOTE_LIMIT == 100
    shown = {"a list": [1] * 10**6, "an object": {"a": 1}, "'Z'": "Z", "7": 7, "null": None, "true": True}
    assert [quoted(each) for each in shown.values()] == [*shown]


def test_an_error_holds_all_its_problems_and_reads_as_one_sentence():
    error = InputError("/goal", "too long", ("", "not an object"))
    assert error.problems == (("/goal", "too long"), ("", "not an object"))
    assert str(error) == "/goal: too long; request: not an object"
    assert isinstance(error, ValueError)


FOUR, GOMOKU, TEN, THREE = Rules(6, 7, 4, gravity=True), Rules(15, 15, 5), Rules(4, 10, 4, gravity=True), Rules(3, 3, 3)


@pytest.mark.parametrize(
    ("rules", "moves", "read"),
    [
        *((FOUR, text, [(None, 3), (None, 3), (None, 4), (None, 2)]) for text in ("4453", "4,4, 5 ,3", "44,53")),
        (FOUR, "1 7\n1", [(None, 0), (None, 6), (None, 0)]), (FOUR, [{"column": 3}, 42], [(None, 3), (5, 6)]),
        (GOMOKU, "h8h7i9", [(7, 7), (8, 7), (6, 8)]), (GOMOKU, " A1 o15 h10", [(14, 0), (0, 14), (5, 7)]),
        (GOMOKU, "a1,o15, h10", [(14, 0), (0, 14), (5, 7)]), (TEN, "a1j4", [(3, 0), (0, 9)]), (THREE, "b2", [(1, 1)]),
        (THREE, "", []), (THREE, [], []),
        (THREE, [5, [0, 0], {"row": 2, "column": 1, "tile": 8}], [(1, 1), (0, 0), (2, 1)]),
        *((GOMOKU, text, [(7, 7), (8, 7), (6, 8)]) for text in (
            ["h8", " H7", "i9"], "1.h8 2.h7 3.i9", "1. h8 h7 2. i9", "1.h8 1...h7 2.i9", "h8-h7-i9", "h8_h7;i9\n",
        )),
        *((FOUR, text, [(None, 3), (None, 3), (None, 4), (None, 2)]) for text in (
            ["4", "4", "5", "3"], "1. 4 4 2. 5 3", "1.4 2.4 3.5 4.3", "4-4_5;3", "1.44 2.53",
        )),
        (TEN, ["a1", "J4"], [(3, 0), (0, 9)]), (THREE, np.array([4, 0]) + 1, [(1, 1), (0, 0)]),
        (THREE, [np.int8(5), np.array([0, 0])], [(1, 1), (0, 0)]),
    ],
)  # fmt: skip
def test_moves_are_read_as_text_and_as_list(rules, moves, read):
    named = [(None, stack) if cell is None else divmod(cell, rules.columns) for cell, stack in read_moves(moves, rules)]
    assert named == read


@pytest.mark.parametrize(
    ("rules", "moves", "pointer"),
    [
        (FOUR, "48", "/moves/1"), (FOUR, "0", "/moves/0"), (FOUR, "4a", "/moves/1"), (FOUR, "4²", "/moves/1"),
        (FOUR, "4\uff14", "/moves/1"), (FOUR, "1" * 8_000, "/moves"), (GOMOKU, "h8 8h", "/moves/1"),
        # The last two are the Kelvin sign, whose small letter is k, and a wide 8.
        *((GOMOKU, text, "/moves/0") for text in ("p1", "a16", "a0", "a01", "a1é", "77", "\u212a8", "h\uff18")),
        (GOMOKU, "h8\u212a8", "/moves/0"), (GOMOKU, ["h8h7"], "/moves/0"),
        (GOMOKU, "1.h8 3.h7", "/moves/1"), (GOMOKU, "2.h8", "/moves/0"), (GOMOKU, "1.h8 2.h7 2.h6", "/moves/2"),
        (GOMOKU, "1.1.h8", "/moves/0"), (FOUR, "1. 4 3. 4", "/moves/1"), (FOUR, ["44"], "/moves/0"),
        (GOMOKU, "7,7 8,8", "/moves/0"), (GOMOKU, ["7"], "/moves/0"), (FOUR, ["4", ""], "/moves/1"),
        (Rules(3, 3, 3, layers=3), ["a1"], "/moves/0"), (GOMOKU, "h8 1-0", "/moves/1"), (GOMOKU, "h8.h7", "/moves/0"),
        *((GOMOKU, moves, "/moves") for moves in ("x" * 8_000, [1] * 626, None, 5, {"column": 1})),
    ],
)  # fmt: skip
def test_what_names_no_cell_is_refused_at_its_place(rules, moves, pointer):
    with pytest.raises(NotationError) as caught:
        read_moves(moves, rules)
    assert caught.value.problems[0][0] == pointer


@given(size=st.tuples(st.integers(1, 25), st.integers(1, 25)), gravity=st.booleans(), data=st.data())
def test_a_written_move_reads_as_the_same_cell(size, gravity, data):
    rules = Rules(*size, 1, gravity)
    position = Position.empty(rules)
    cell = data.draw(st.sampled_from(position.legal_moves()))
    (named,) = read_moves(write_move(cell, rules), rules)
    assert position.find_move(named, "") == cell


def test_a_board_with_rows_may_have_another_size_than_its_game():
    assert grid_of("..../....", usual_size=Size(6, 7))[:2] == (2, 4)
