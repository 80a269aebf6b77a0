"""Boards of other shapes and rules: blocked cells, joined edges, directions, layers, Caro, Renju, and the gallery."""

import itertools
import math
from urllib.parse import parse_qsl

import pytest

from tests.support.samples import GALLERY

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


def blocked_in_dialog(table):
    cells = table.page.get_by_role("dialog").get_by_role("gridcell", name="blocked")
    return [name.split(",")[0] for name in cells.evaluate_all("(all) => all.map((each) => each.ariaLabel)")]


def test_a_game_of_another_shape_is_set_up_and_played(own_game):
    """Cells are blocked by a click, edges joined, directions left out; the service plays by the same rules."""
    table = own_game
    table.page.get_by_role("combobox", name="Edges").select_option("both")
    table.page.get_by_role("checkbox", name="diagonally down").uncheck()
    table.page.get_by_role("checkbox", name="diagonally up").uncheck()
    block(table, "c3", "a1", "a1")
    assert blocked_in_dialog(table) == ["c3"]
    table.press("Start")
    rules = table.page.locator("#game-rules").inner_text()
    assert rules.endswith("opposite edges joined, only across or up and down, 1 cell blocked.")
    assert table.board() == [".....", ".....", "..blocked..", ".....", "....."]
    with table.page.expect_request("**/move") as asked:
        table.cell("a5").click()
        table.wait_for_turn()
    sent = asked.value.post_data_json
    assert sent["board"] == ["X....", ".....", "..#..", ".....", "....."]
    assert (sent["wrap"], sent["directions"]) == ("both", ["horizontal", "vertical"])
    assert sum(row.count("O") for row in table.board()) == 1
    before = table.board()
    table.reload()
    assert table.board() == before


def test_where_stones_fall_a_blocked_cell_comes_to_rest_too(own_game):
    table = own_game
    table.page.get_by_role("switch", name="Stones fall").check()
    block(table, "column 2 row 5", "column 2 row 5")
    assert blocked_in_dialog(table) == ["column 2 row 2", "column 2 row 1"]
    table.page.get_by_role("switch", name="Stones fall").uncheck()
    block(table, "c3")
    table.page.get_by_role("switch", name="Stones fall").check()
    assert blocked_in_dialog(table) == []
    for name in ("across", "up and down", "diagonally down", "diagonally up"):
        table.page.get_by_role("checkbox", name=name).uncheck()
    table.press("Start")
    assert table.page.get_by_role("dialog", name="New game").is_visible(), "lines need a direction"


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
        assert not table.notice.is_visible()


def test_layers_lie_side_by_side_and_a_line_leads_through_them(sit_down):
    """Qubic with two visitors: the line from one corner to the other, reached over the gap by keys."""
    table = sit_down("game=qubic&moves=1.2.22.3.43.4&x=you&o=you")
    boxes = [group.bounding_box() for group in table.page.get_by_role("rowgroup").all()]
    assert len(boxes) == 4
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    assert boxes[0]["y"] + boxes[0]["height"] < boxes[2]["y"]
    table.cell("1d4").focus()
    table.page.keyboard.press("ArrowRight")
    assert table.page.evaluate("document.activeElement.ariaLabel") == "2a4, empty"
    table.page.keyboard.press("Control+End")
    table.page.keyboard.press("Enter")
    assert table.status == "X wins"
    line = ", ".join(f"{n}{'abcd'[n - 1]}{5 - n}" for n in range(1, 5))
    assert table.announced == f"X plays 4d1. X wins, with the line {line}."
    assert table.page.locator(".won-line .ring").count() == 4
    assert table.page.get_by_role("list", name="Moves").locator(".where").last.inner_text() == "4d1"


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
    taken = [name for name in table.page.get_by_role("gridcell").evaluate_all(NAMES) if "empty" not in name]
    assert taken == ["1b3, Red", "2b3, Yellow", "3b3, Red, last move"]
    board = "//".join(["..../.X../..../....", "..../.O../..../....", "..../.X../..../....", "..../..../..../...."])
    table.more("Edit")
    table.page.get_by_text("Copy this position").click()
    assert table.page.get_by_label("Board", exact=True).input_value() == board


@pytest.mark.parametrize(
    ("link", "heat", "best", "move", "told"),
    [
        ("layers=3&moves=1.2.14.3", 23, "3c1", 3, "3c1"),
        ("board=.../.%23./...&moves=1.2.4", 5, "a1", 2, "X plays a2: best, draw."),
    ],
    ids=["a cube", "a blocked cell"],
)
def test_a_game_of_another_shape_is_thought_about_and_reviewed(sit_down, link, heat, best, move, told):
    table = sit_down(f"rows=3&columns=3&goal=3&{link}&x=you&o=you")
    table.think_along()
    assert table.page.locator(".heat").count() == heat
    assert table.page.locator(".value-list .where").first.inner_text() == best
    table.press("Review the moves so far")
    table.statistics()
    table.page.locator(".move").nth(move).click()
    assert told in table.page.locator(".review-note").inner_text()


RENJU = "game=renju&moves=112.1.113.15.99.211.84.225&x=you&o=you"
"""Black has two in the row and two in the column of i8."""


def test_forbidden_cells_are_marked_for_black_and_cannot_be_chosen(sit_down):
    table = sit_down(RENJU)
    barred = table.page.get_by_role("gridcell", name="forbidden")
    assert barred.count() == table.page.locator("#board .forbidden").count() > 0
    name = barred.first.get_attribute("aria-label").split(",")[0]
    before = table.board()
    barred.first.click(force=True)
    assert table.board() == before
    assert barred.first.get_attribute("aria-disabled") == "true"
    table.cell("m1").click()
    assert barred.count() == 0, "White may play everywhere"
    assert table.cell(name).get_attribute("aria-disabled") is None


def test_rules_that_do_not_go_together_cannot_be_chosen(own_game):
    table = own_game
    dialog = table.page.get_by_role("dialog")
    dialog.get_by_role("switch", name="Renju").check()
    for name in ("Stones fall", "misère", "Caro"):
        assert dialog.get_by_role("switch", name=name).is_disabled()
    table.press("Start")
    assert dialog.is_visible(), "Renju is five in a row"
    dialog.get_by_role("spinbutton", name="In a row").fill("5")
    table.press("Start")
    assert table.page.locator("#game-rules").inner_text().endswith("forbidden to the side that begins.")
    table.press("New game")
    dialog.get_by_role("switch", name="Renju").uncheck()
    dialog.get_by_role("spinbutton", name="Layers").fill("2")
    assert dialog.get_by_role("combobox", name="Edges").is_disabled()
    assert dialog.get_by_role("rowgroup").count() == 2


def test_a_line_over_a_joined_edge_is_drawn_on_both_sides(sit_down):
    """Neighbours beyond joined edges are seen under the mouse."""
    table = sit_down("game=torus-tic-tac-toe&moves=c3a1&you=both")
    for cell, beyond, sides in (("a3", 5, [1, 1]), ("b2", 0, [0, 0])):
        table.cell(cell).hover()
        assert table.page.locator(".beyond").count() == beyond
        assert [table.page.locator(f".beyond .{side}").count() for side in ("is-x", "is-o")] == sides
    table.open(f"{TORUS}&moves=1.6.2.7.4.8")
    assert table.page.locator("#board .joined-edges").get_attribute("d")
    table.cell("e5").click()
    assert (table.status, table.page.locator(".won-line .core").get_attribute("d").count("M")) == ("X wins", 2)
    assert table.announced.endswith("with the line d5, e5, a5, b5.")


def test_cells_are_blocked_in_the_editor(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=you")
    table.more("Edit")
    table.page.get_by_role("radiogroup", name="Mark to put down").get_by_text("Blocked").click()
    table.cell("b2").click()
    table.press("Play from here")
    assert table.page.locator("#game-name").inner_text() == "Your own game"
    assert "board=.../.%23./..." in table.page.url


def test_layers_stand_in_space_and_turn_by_keys_and_by_dragging(sit_down):
    table = sit_down("game=qubic&moves=1a1.1a2.2b2.1b1.3c3.1c1&you=both")
    space = table.page.get_by_role("img", name="The board in space")
    assert space.locator(".piece").count() == 6
    mark = space.locator(".piece").first
    places = [mark.bounding_box()]
    space.press("ArrowRight")
    places.append(mark.bounding_box())
    assert table.status == "X to move", "the arrow keys do not step through the game"
    space.hover()
    table.page.mouse.down()
    table.page.mouse.move(0, 300)
    table.page.mouse.up()
    places.append(mark.bounding_box())
    assert places[0] != places[1] != places[2]
    table.cell("4d4").click()
    assert space.locator(".through").count() == 1
    table.open("game=gomoku")
    assert not space.is_visible()
