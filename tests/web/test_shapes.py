"""Boards of other shapes and rules: blocked cells, joined edges, directions, layers, Caro, Renju, and the gallery."""

import itertools
import math
import re
from urllib.parse import parse_qsl

import pytest

from tests.support.samples import GALLERY
from tests.web.table import eventually, expect

NAMES = "(all) => all.map((each) => each.ariaLabel)"
TORUS = "rows=5&columns=5&goal=4&wrap=both&x=you&o=you"


@pytest.fixture
def own_game(sit_down):
    table = sit_down()
    table.press("New game")
    table.page.get_by_role("radio", name="Your own game").check()
    return table


def block(table, *names):
    board = table.page.get_by_role("dialog").get_by_role("grid")
    for name in names:
        board.get_by_role("gridcell", name=name).click()


def expect_blocked(table, *names):
    cells = table.page.get_by_role("dialog").get_by_role("gridcell", name="blocked")
    eventually(lambda: [name.split(",")[0] for name in cells.evaluate_all(NAMES)], [*names])


def test_a_game_of_another_shape_is_set_up_and_played(own_game):
    """Cells are blocked by a click, edges joined, directions left out; the service plays by the same rules."""
    table = own_game
    table.page.get_by_role("combobox", name="Edges").select_option("both")
    table.page.get_by_role("checkbox", name="diagonally down").uncheck()
    table.page.get_by_role("checkbox", name="diagonally up").uncheck()
    block(table, "c3", "a1", "a1")
    expect_blocked(table, "c3")
    table.press("Start")
    rules = "opposite edges joined, only across or up and down, 1 cell blocked."
    expect(table.page.locator("#game-rules")).to_contain_text(rules)
    table.expect_board([".....", ".....", "..blocked..", ".....", "....."])
    with table.page.expect_request("**/move") as asked:
        table.cell("a5").click()
        table.wait_for_turn()
    sent = asked.value.post_data_json
    assert sent["board"] == ["X....", ".....", "..#..", ".....", "....."]
    assert (sent["wrap"], sent["directions"]) == ("both", ["horizontal", "vertical"])
    expect(table.marks("O")).to_have_count(1)
    before = table.board()
    table.reload()
    table.expect_board(before)


def test_where_stones_fall_a_blocked_cell_comes_to_rest_too(own_game):
    table = own_game
    table.page.get_by_role("switch", name="Stones fall").check()
    block(table, "column 2 row 5", "column 2 row 5")
    expect_blocked(table, "column 2 row 2", "column 2 row 1")
    table.page.get_by_role("switch", name="Stones fall").uncheck()
    block(table, "c3")
    table.page.get_by_role("switch", name="Stones fall").check()
    expect_blocked(table)
    for name in ("across", "up and down", "diagonally down", "diagonally up"):
        table.page.get_by_role("checkbox", name=name).uncheck()
    table.press("Start")
    expect(table.page.get_by_role("dialog", name="New game"), "lines need a direction").to_be_visible()


def as_query(value):
    return ",".join(value) if isinstance(value, list) else str(value).lower()


def test_every_game_of_the_gallery_is_played(sit_down):
    """By the rules of its picture in the documentation."""
    table = sit_down()
    for name, query in GALLERY.items():
        table.open("game=tic-tac-toe")
        if not table.page.locator("#games").get_by_text("Rare games").is_visible():
            table.page.get_by_text("More games").click()
        table.page.locator("#games").get_by_role("button", name=name).click()
        table.page.get_by_role("heading", level=1, name=name).wait_for()
        with table.page.expect_request("**/move") as asked:
            table.page.get_by_role("grid").get_by_role("gridcell").first.click()
            table.wait_for_turn()
        sent, rules = asked.value.post_data_json, dict(parse_qsl(query))
        rules.pop("moves", None)
        drawn = rules.pop("board", "").replace("/", "")
        assert {field: as_query(sent[field]) for field in rules} == rules
        blocked = [cell for cell, mark in enumerate("".join(sent["board"])) if mark == "#"]
        assert blocked == [cell for cell, mark in enumerate(drawn) if mark == "#"]
        expect(table.notice).to_be_hidden()


def test_layers_lie_side_by_side_and_a_line_leads_through_them(sit_down):
    """Qubic with two visitors: the line from one corner to the other, reached over the gap by keys."""
    table = sit_down("game=qubic&moves=1.2.22.3.43.4&x=you&o=you")
    boxes = [group.bounding_box() for group in table.page.get_by_role("rowgroup").all()]
    assert len(boxes) == 4
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    assert boxes[0]["y"] + boxes[0]["height"] < boxes[2]["y"]
    table.cell("1d4").focus()
    table.page.keyboard.press("ArrowRight")
    expect(table.cell("2a4")).to_be_focused()
    table.page.keyboard.press("Control+End")
    table.page.keyboard.press("Enter")
    expect(table.status).to_have_text("X wins")
    line = ", ".join(f"{n}{'abcd'[n - 1]}{5 - n}" for n in range(1, 5))
    expect(table.announced).to_contain_text(f"X plays 4d1. X wins, with the line {line}.")
    expect(table.page.locator(".won-line .ring")).to_have_count(4)
    expect(table.page.get_by_role("list", name="Moves").locator(".where").last).to_have_text("4d1")


SPOTS = "(all) => all.map((spot) => [Number(spot.getAttribute('cx')), Number(spot.getAttribute('cy'))])"


def test_in_space_no_mark_hides_another_at_first(sit_down):
    table = sit_down("game=qubic&you=both", size=(1366, 650))
    figure = table.page.locator("#space").bounding_box()
    assert figure["y"] + figure["height"] <= 650
    spots = table.page.locator(".space .spot").evaluate_all(SPOTS)
    assert len(spots) == 64
    table.cell("1a1").click()
    mark = table.page.locator(".space .stroke").first.evaluate(
        "(mark) => mark.getCTM().a / mark.ownerSVGElement.getCTM().a"
    )
    nearest = min(math.dist(one, other) for one, other in itertools.combinations(spots, 2))
    assert nearest >= 2 * 33 * mark, "a mark has arms of 33"


def test_balls_fall_onto_pegs(sit_down):
    """In Score Four the layer that is clicked does not matter."""
    table = sit_down("game=score-four&x=you&o=you")
    for layer in (4, 1, 1):
        table.cell(f"{layer}b3").click()
    taken = table.page.get_by_role("gridcell").and_(table.page.locator(":not([aria-label*=empty])"))
    eventually(lambda: taken.evaluate_all(NAMES), ["1b3, Red", "2b3, Yellow", "3b3, Red, last move"])
    board = "//".join(["..../.X../..../....", "..../.O../..../....", "..../.X../..../....", "..../..../..../...."])
    table.more("Edit")
    table.page.get_by_text("Copy this position").click()
    expect(table.page.get_by_label("Board", exact=True)).to_have_value(board)


@pytest.mark.parametrize(
    ("link", "heat", "best", "move", "told"),
    [
        ("layers=3&moves=1.2.14.3", 23, "3c1", 3, ": loss, "),
        ("board=.../.%23./...&moves=1.2.4", 5, "a1", 2, "X plays a2: best, draw."),
    ],
    ids=["a cube", "a blocked cell"],
)
def test_a_game_of_another_shape_is_thought_about_and_reviewed(sit_down, link, heat, best, move, told):
    table = sit_down(f"rows=3&columns=3&goal=3&{link}&x=you&o=you")
    table.think_along()
    expect(table.page.locator(".heat")).to_have_count(heat)
    expect(table.page.locator(".value-list .where").first).to_have_text(best)
    table.press("Review the moves so far")
    table.statistics()
    table.page.locator(".move").nth(move).click()
    expect(table.page.locator(".review-note")).to_contain_text(told)


RENJU = "game=renju&moves=112.1.113.15.99.211.84.225&x=you&o=you"
"""Black has two in the row and two in the column of i8."""


def test_forbidden_cells_are_marked_for_black_and_cannot_be_chosen(sit_down):
    table = sit_down(RENJU)
    barred = table.page.get_by_role("gridcell", name="forbidden")
    expect(barred.first).to_be_visible()
    expect(table.page.locator("#board .forbidden")).to_have_count(barred.count())
    name = barred.first.get_attribute("aria-label").split(",")[0]
    before = table.board()
    barred.first.click(force=True)
    table.expect_board(before)
    expect(barred.first).to_have_attribute("aria-disabled", "true")
    table.cell("m1").click()
    expect(barred, "White may play everywhere").to_have_count(0)
    expect(table.cell(name).and_(table.page.locator(":not([aria-disabled])"))).to_be_visible()


def test_rules_that_do_not_go_together_cannot_be_chosen(own_game):
    table = own_game
    dialog = table.page.get_by_role("dialog")
    dialog.get_by_role("switch", name="Renju").check()
    for name in ("Stones fall", "misère", "Caro"):
        expect(dialog.get_by_role("switch", name=name)).to_be_disabled()
    table.press("Start")
    expect(dialog, "Renju is five in a row").to_be_visible()
    dialog.get_by_role("spinbutton", name="In a row").fill("5")
    table.press("Start")
    expect(table.page.locator("#game-rules")).to_contain_text("forbidden to the side that begins.")
    table.press("New game")
    dialog.get_by_role("switch", name="Renju").uncheck()
    dialog.get_by_role("spinbutton", name="Layers").fill("2")
    expect(dialog.get_by_role("combobox", name="Edges")).to_be_disabled()
    expect(dialog.get_by_role("rowgroup")).to_have_count(2)


def test_a_line_over_a_joined_edge_is_drawn_on_both_sides(sit_down):
    """Neighbours beyond joined edges are seen under the mouse."""
    table = sit_down("game=torus-tic-tac-toe&moves=c3a1&you=both")
    for cell, beyond, sides in (("a3", 5, [1, 1]), ("b2", 0, [0, 0])):
        table.cell(cell).hover()
        expect(table.page.locator(".beyond")).to_have_count(beyond)
        for side, count in zip(("is-x", "is-o"), sides, strict=True):
            expect(table.page.locator(f".beyond .{side}")).to_have_count(count)
    table.open(f"{TORUS}&moves=1.6.2.7.4.8")
    expect(table.page.locator("#board .joined-edges")).to_have_attribute("d", re.compile("M"))
    table.cell("e5").click()
    expect(table.status).to_have_text("X wins")
    expect(table.page.locator(".won-line .core")).to_have_attribute("d", re.compile("^M[^M]+M[^M]+$"))
    expect(table.announced).to_have_text(re.compile("with the line d5, e5, a5, b5\\."))


def test_cells_are_blocked_in_the_editor(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=you")
    table.more("Edit")
    table.page.get_by_role("radiogroup", name="Mark to put down").get_by_text("Blocked").click()
    table.cell("b2").click()
    table.press("Play from here")
    expect(table.page.locator("#game-name")).to_have_text("Your own game")
    table.expect_link("board=.../.%23./...")


def test_layers_stand_in_space_and_turn_by_keys_and_by_dragging(sit_down):
    table = sit_down("game=qubic&moves=1a1.1a2.2b2.1b1.3c3.1c1&you=both")
    space = table.page.get_by_role("img", name="The board in space")
    expect(space.locator(".piece")).to_have_count(6)
    mark = space.locator(".piece").first
    first = mark.bounding_box()
    space.press("ArrowRight")
    eventually(lambda: mark.bounding_box() != first)
    second = mark.bounding_box()
    expect(table.status, "the arrow keys do not step through the game").to_have_text("X to move")
    space.hover()
    table.page.mouse.down()
    table.page.mouse.move(0, 300)
    table.page.mouse.up()
    eventually(lambda: mark.bounding_box() != second)
    table.cell("4d4").click()
    expect(space.locator(".through")).to_have_count(1)
    table.open("game=gomoku")
    expect(space).to_be_hidden()
