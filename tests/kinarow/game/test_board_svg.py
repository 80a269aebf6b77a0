"""Boards as SVG: well formed, small, with the coordinates of their game."""

import re
from xml.etree import ElementTree

import pytest

from kinarow import Position, Rules
from kinarow.game.board_svg import LIT, picture

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
