"""A board written in any one alphabet is the same board, one that mixes two is none; and boards as SVG."""

import re
from copy import deepcopy
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kinarow import Position, Rules
from kinarow.errors import NotationError
from kinarow.game.board_svg import LIT, picture
from tests.support.written_boards import grid_of

LETTERS, NUMBERS, DIGITS = ("Xx", "Oo"), ((1, "1"), (2, "2")), ("1", "2")
BLANK = (None, "", " ")
SEPARATORS = ("/", "\n", "\r\n", "/\n")
SIZES = st.tuples(st.integers(1, 25), st.integers(1, 25))


@st.composite
def boards(draw):
    """The size of a board, and its cells."""
    rows, columns = draw(SIZES)
    cells = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=rows * columns, max_size=rows * columns))
    return rows, columns, bytes(cells)


def cut(cells, columns):
    return [cells[at : at + columns] for at in range(0, len(cells), columns)]


@given(board=boards(), data=st.data())
def test_one_alphabet_is_the_same_board_in_every_form(board, data):
    rows, columns, cells = board
    as_text = data.draw(st.booleans())
    signs = [*zip("×✕✖✗❌ХхΧχＸ", "○◯⭕ОоΟοＯ⭕○", strict=True), ("🔴", "🟡"), ("🔴", "🔵"), ("●", "○")]
    xs, os = data.draw(st.sampled_from([LETTERS, DIGITS if as_text else NUMBERS, *signs]))
    empty = data.draw(st.sampled_from([*"._-⬜⬛·•", *("0 " if as_text else [(0, "0"), BLANK, ("none", "None")])]))
    marks = [data.draw(st.sampled_from([*(empty, xs, os, "#")[cell]])) for cell in cells]
    assume(marks != [""])  # a row without cells
    said = {"rows": rows, "columns": columns}
    if not as_text:
        forms = [marks, cut(marks, columns), [tuple(row) for row in cut(marks, columns)]]
    else:
        texts = cut("".join(marks), columns)
        forms = ["".join(texts), *({separator.join(texts) for separator in SEPARATORS}), texts]
        forms += [f"\n{forms[1]}\n", [list(row) for row in texts]]
        spaced = [" ".join(row) for row in texts]
        forms += [spaced]
        if empty != " ":
            forms += [" / ".join(spaced), "\n  ".join(spaced), [f"{row}  " for row in spaced]]
            forms += [" ".join("".join(texts)), [f" {row} " for row in texts]] if empty in marks else []
    before = deepcopy(forms)
    for form in forms:
        assert grid_of(form, **said) == (rows, columns, cells, 1)
    assert forms == before


@pytest.mark.parametrize("form", [["X O  "], [" 1 2 "], " X O ", "1 2  ", ["XO"]])
def test_a_full_row_may_have_spaces_around_and_between_its_cells(form):
    assert grid_of(form, rows=1, columns=2) == (1, 2, b"\1\2", 1)


@given(board=boards(), first=st.sampled_from([0, 1]), as_text=st.booleans())
def test_numbered_cells_are_the_same_board_flat_and_in_rows(board, first, as_text):
    rows, columns, cells = board
    assume(1 in cells or 2 in cells or cells.rfind(0) + first > 2)
    numbers = [str(index + first) if as_text else index + first for index in range(len(cells))]
    marks = [number if cell == 0 else "?XO#"[cell] for number, cell in zip(numbers, cells, strict=True)]
    said = {"rows": rows, "columns": columns}
    forms = [marks, cut(marks, columns)]
    if all(len(str(mark)) == 1 for mark in marks):
        digits = ["".join(map(str, row)) for row in cut(marks, columns)]
        forms += ["".join(digits), digits, "\n".join(digits), "/".join(" ".join(row) for row in digits)]
    for form in forms:
        assert grid_of(form, **said) == (rows, columns, cells, 1)


TWINS = [("X", "1"), ("x", 1), ("O", "2"), ("o", 2), ("X", "2"), ("O", 1)]
TWINS += [(one, other) for one in "._-" for other in ("0", 0, None, "")]
TWINS += [(".", "_"), ("_", "-"), ("-", "."), ("0", None), (0, ""), (0, " "), ("_", " ")]


@given(size=SIZES, twins=st.sampled_from(TWINS), data=st.data())
def test_two_alphabets_are_no_board(size, twins, data):
    rows, columns = size
    count = rows * columns
    assume(count > 2)
    letters = data.draw(st.sampled_from(["XO", "12"])) if twins[0] in ("._-0", 0) else str(twins[0])
    marks = data.draw(st.lists(st.sampled_from([*letters, "."]), min_size=count, max_size=count))
    # A point beside the numbers of cells is an empty cell without one.
    for mark, place in zip((*twins, "."), data.draw(st.permutations(range(count))), strict=False):
        marks[place] = mark
    with pytest.raises(NotationError, match=r"both marks|letter"):
        grid_of(marks, rows=rows, columns=columns)
    with pytest.raises(NotationError, match=r"both marks|letter"):
        grid_of(cut(marks, columns))


SVG = "{http://www.w3.org/2000/svg}"


def labels(drawn):
    return [each.text for each in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("position", "coordinates"),
    [
        (Position.from_moves("4453", game="connect-four"), list("1234567")),
        (Position.from_text(".../.../..."), ["a", "b", "c", "3", "2", "1"]),
    ],
)
def test_coordinates_are_columns_under_gravity_and_else_letters_and_numbers_from_the_bottom(position, coordinates):
    assert labels(position._repr_svg_()) == coordinates


def test_every_mark_is_drawn_and_a_completed_line_is_lit():
    drawn = Position.from_text("XXX/OO./...")._repr_svg_()
    crosses, rings = re.findall(r'd="(M[^"]*)" stroke="#(?:b42318|1d4ed8)"', drawn)
    assert crosses.count("M") == 2 * 3
    assert rings.count("M") == 2
    assert drawn.count(LIT) == 3


def test_the_last_move_and_texts_are_shown_on_empty_cells_only():
    position = Position.from_text("X../.O./...")
    drawn = picture(position.rules, position.cells, last=4, texts={0: "no", 1: "+5 <"})
    assert "+5 <" in labels(drawn)
    assert "no" not in labels(drawn)
    assert drawn.count("<circle") == 1


@pytest.mark.parametrize("side", [15, 19])
def test_a_full_board_stays_small(side):
    drawn = picture(Rules(side, side, 5), bytes(1 + cell % 2 for cell in range(side * side)))
    ElementTree.fromstring(drawn)
    assert side > 15 or len(drawn.encode()) < 10_000


def test_blocked_cells_are_filled_and_joined_edges_are_broken_lines():
    shaped = Position.from_text("X.#/.O./...", wrap="rows")
    plain = Position.from_text("X../.O./...")
    drawn, usual = (picture(position.rules, position.cells) for position in (shaped, plain))
    assert (drawn.count('z"'), drawn.count("stroke-dasharray")) == (1, 1)
    assert (usual.count('z"'), usual.count("stroke-dasharray")) == (0, 0)
