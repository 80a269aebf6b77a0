"""Keys: columns by their number, letters for what one does often, a list of them, and a switch."""

from tests.web.table import IN_PAGE, eventually, expect

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
    expect(table.page.locator(".preview")).to_have_count(1)
    table.set("first tap", False)
    table.cell("e5").tap()
    eventually(lambda: "".join(table.board()).replace(".", ""), "OX")


def test_shortcuts_are_off_while_typing(sit_down):
    table = sit_down(OPEN)
    table.page.keyboard.press("e")
    table.page.get_by_label("Paste a board or moves").press_sequentially("4u")
    table.expect_board(["......."] * 6)
    expect(table.page.get_by_label("Paste a board or moves")).to_have_value("4u")
