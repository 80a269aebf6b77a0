"""Usable by everyone: axe-core finds nothing, moves are announced, motion can be refused, keys do all."""

import pytest

from tests.support.page import AXE
from tests.web.table import IN_PAGE, eventually, expect

SIZES = [(390, 844), (768, 1024), (1300, 850)]
every_look = [
    pytest.param(size, dark, id=f"{size[0]}-{'dark' if dark else 'light'}")
    for size, dark in zip(SIZES, (True, False, True), strict=True)
]
"""Every size, and both colour schemes: one does not depend on the other."""


@pytest.fixture(scope="session")
def axe() -> str:
    return AXE.read_text("utf-8")


def as_it_is(table):
    yield "page"


def reviewed_and_thought_about(table):
    table.press("Review this game")
    table.page.locator(".move-list .grade").first.wait_for()
    table.page.locator(".move").nth(3).click()
    yield "graded"
    table.think_along()
    yield "thinking"
    table.set("Nodes and times", True)
    yield "searched"


def a_game_of_ones_own(table):
    table.press("New game")
    table.page.get_by_role("radio", name="Your own game").check()
    yield "dialog"


def a_lesson(table):
    table.page.get_by_role("treeitem").first.wait_for()
    yield "lesson"
    table.press("First step")
    for _ in range(20):
        table.press("Next")
    yield "tree"


def the_editor_and_small_dialogs(table):
    table.more("Edit")
    table.page.get_by_text("Copy this position").click()
    yield "editor"
    table.press("Cancel")
    for press, name in ((table.more, "Share"), (table.press, "Settings and keys")):
        press(name)
        yield name
        table.press("Done")


VIEWS = {
    "start": ("", as_it_is),
    "won": ("game=tic-tac-toe&moves=1.4.2.5.3&x=you&o=you", as_it_is),
    "stones": ("game=connect-four&moves=39.32.38&x=you&o=you", as_it_is),
    "renju": ("game=renju&moves=112.1.113.15.99.211.84.225&x=you&o=you", as_it_is),
    "layers": ("game=qubic&moves=1.2.22.3.43.4.64&x=you&o=you", as_it_is),
    "panels": ("game=tic-tac-toe&moves=1.2.3.4.5.6.7&x=you&o=you", reviewed_and_thought_about),
    "dialog": ("", a_game_of_ones_own),
    "learn": ("view=learn", a_lesson),
    "editor": ("game=connect-four&moves=39.32&x=you&o=you", the_editor_and_small_dialogs),
}
"""A link, and what is then done, which stops wherever the page has to be without a violation."""


@pytest.mark.parametrize(("size", "dark"), every_look)
@pytest.mark.parametrize("name", VIEWS)
def test_no_view_has_a_violation(sit_down, axe, name, size, dark):
    link, steps = VIEWS[name]
    table = sit_down(link, size=size, dark=dark)
    for step in steps(table):
        assert table.axe(axe) == [], step
        assert table.page.evaluate("document.documentElement.scrollWidth") <= size[0], step


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("status", "told"), [(401, "This service needs a key"), (503, "The server is busy.")])
def test_what_a_service_refuses_is_said_without_a_violation(sit_down, axe, status, told, dark):
    table = sit_down("game=tic-tac-toe", size=SIZES[0], dark=dark)
    table.refuse("**/move", 1, status, **{"Retry-After": "3"})
    table.cell("a3").click()
    table.page.get_by_text(told).first.wait_for()
    assert table.axe(axe) == []


def test_the_board_tells_its_size_and_moves_and_results_are_announced(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2&x=you&o=you")
    grid = table.page.get_by_role("grid", name="Tic-tac-toe board, 3 rows, 3 columns")
    expect(grid).to_have_attribute("aria-describedby", "board-help")
    table.cell("b2").click()
    expect(table.announced).to_have_text("O plays b2. X to move.")
    table.cell("c3").click()
    expect(table.announced).to_contain_text("X plays c3. X wins, with the line a3, b3, c3.")
    table.open("game=treblecross")
    expect(table.page.get_by_role("grid", name="Treblecross board, 1 row, 11 columns")).to_be_visible()


def test_reduced_motion_stops_all_animation(sit_down):
    table = sit_down("game=connect-four&x=you&o=you", still=True)
    table.drop(1)
    eventually(lambda: table.page.evaluate("document.getAnimations().length"), 0)


def test_the_theme_can_be_chosen_and_is_remembered(sit_down):
    table = sit_down()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = table.page.evaluate(ground)
    table.press("Settings and keys")
    table.press("Colours: automatic")
    table.press("Colours: light")
    eventually(lambda: table.page.evaluate(ground) != light)
    dark = table.page.evaluate(ground)
    table.page.reload()
    eventually(lambda: table.page.evaluate(ground), dark)
    table.press("Settings and keys")
    expect(table.page.get_by_role("button", name="Colours: dark")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", ["atlas", "problems", "no/such/page"])
def test_pages_beside_the_one_to_play_on_have_no_violation(sit_down, axe, path, dark):
    table = sit_down(dark=dark, extra_http_headers={"Accept": "text/html"}, bypass_csp=True)
    table.expected_statuses.add(404)
    table.page.goto(f"{table.url}{path}")
    assert table.axe(axe) == []


OF_SWAGGER = {"nested-interactive", "heading-order", "region"}
"""What its own markup breaks: a button within a button, third-level headings first, and a head outside its <main>."""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_api_page_has_no_violation_but_those_of_swagger(sit_down, axe, dark):
    table = sit_down("", dark=dark, bypass_csp=True)
    table.page.goto(f"{table.url}docs")
    table.page.locator(".opblock").first.wait_for()
    assert {each.partition(":")[0] for each in table.axe(axe)} <= OF_SWAGGER


OPEN = "game=connect-four&x=you&o=you"


def test_digits_drop_stones_and_letters_take_them_back(sit_down):
    table = sit_down(OPEN)
    middle = table.page.locator("[role=gridcell][tabindex='0']")
    expect(middle, "the focus begins in the middle").to_have_attribute("aria-label", "column 4 row 3, empty")
    for key in "4453":
        table.page.keyboard.press(key)
    table.expect_board(["......."] * 4 + ["...O...", "..OXX.."])
    table.page.keyboard.press("u")
    table.expect_board(["......."] * 4 + ["...O...", "...XX.."])
    table.page.keyboard.press("r")
    table.page.keyboard.press("h")
    table.page.locator(".pointer").wait_for()


def test_a_question_mark_lists_the_keys_and_letters_can_be_switched_off(sit_down):
    table = sit_down(OPEN)
    table.page.keyboard.press("?")
    dialog = table.page.get_by_role("dialog", name="Keys")
    expect(dialog.get_by_text("Undo")).to_be_visible()
    table.page.keyboard.press("4")
    dialog.get_by_role("switch", name="Letters").uncheck()
    table.press("Done")
    table.page.keyboard.press("4")
    table.expect_board(["......."] * 6)
    table.reload()
    table.page.keyboard.press("4")
    table.expect_board(["......."] * 6)
    table.set("Letters", True)
    table.page.keyboard.press("4")
    table.expect_board(["......."] * 5 + ["...X..."])


def test_a_mark_clicks_only_where_that_was_switched_on_and_it_is_remembered(sit_down):
    table = sit_down(OPEN)
    table.page.evaluate(IN_PAGE["countSounds"])
    table.drop(4)
    eventually(lambda: table.page.evaluate("window.clicks"), 0)
    table.set("Sounds", True)
    table.reload()
    table.page.evaluate(IN_PAGE["countSounds"])
    table.drop(4)
    eventually(lambda: table.page.evaluate("window.clicks"), 1)
    table.press("Undo")
    eventually(lambda: table.page.evaluate("window.clicks"), 1)


def test_by_touch_on_a_large_board_the_second_tap_plays(sit_down):
    table = sit_down("game=gomoku&you=both", touch=True, size=(390, 844))
    for cell, marks in (("h8", 0), ("c3", 0), ("c3", 1), ("d4", 1)):
        table.cell(cell).tap()
        eventually(lambda: len("".join(table.board()).replace(".", "")), marks)
        if not marks:
            for part in (table.status, table.announced):
                expect(part).to_have_text(f"Tap {cell} again to play.")
    expect(table.page.locator(".preview")).to_have_count(1)
    table.set("first tap", False)
    table.cell("e5").tap()
    eventually(lambda: "".join(table.board()).replace(".", ""), "OX")


def test_where_the_system_chooses_the_colours_a_switch_that_is_on_is_filled_and_a_board_has_one_grid(sit_down):
    table = sit_down("game=gomoku&you=both", forced_colors="active")
    switch = table.page.get_by_role("switch", name="Think along")
    ground = "(node) => getComputedStyle(node).backgroundColor"
    off = switch.evaluate(ground)
    switch.check()
    assert switch.evaluate(ground) != off
    assert table.cell("a1").evaluate("(cell) => getComputedStyle(cell).outlineStyle") == "none"


def test_shortcuts_are_off_while_typing(sit_down):
    table = sit_down(OPEN)
    table.page.keyboard.press("e")
    table.page.get_by_label("Paste a board or moves").press_sequentially("4u")
    table.expect_board(["......."] * 6)
    expect(table.page.get_by_label("Paste a board or moves")).to_have_value("4u")
