"""Setting up a position: marks by hand, whose move, pasted boards and moves, copies to take away."""

import re

import pytest

from tests.web.table import eventually, expect

EMPTY = "game=tic-tac-toe&x=you&o=you"


@pytest.fixture
def editing(sit_down):
    def begin(link=EMPTY, **how):
        table = sit_down(link, **how)
        table.more("Edit")
        table.page.get_by_role("heading", name="Set up a position").wait_for()
        return table

    return begin


def choose(table, group, name):
    table.page.get_by_role("radiogroup", name=group).get_by_text(name, exact=True).click()


def paste(table, text):
    table.page.get_by_label("Paste a board or moves").fill(text)
    table.press("Read it")


def expect_copied(table, part):
    eventually(lambda: part in table.copied())


@pytest.mark.everyday
def test_marks_are_put_and_taken_away(editing):
    table = editing()
    table.cell("a3").click()
    choose(table, "Mark to put down", "O")
    table.cell("b2").click()
    table.cell("c1").click()
    table.cell("c1").click()
    choose(table, "Mark to put down", "Take away")
    table.cell("a3").click()
    table.expect_board(["...", ".O.", "..."])
    choose(table, "Side to move", "X")
    table.press("Play from here")
    expect(table.status).to_have_text("X to move")
    table.expect_link("board=.../.O./...")


def test_stones_fall_and_the_top_one_is_taken_away(editing):
    table = editing("game=connect-four&x=you&o=you")
    column = table.cell("column 4 row 6")
    column.click()
    column.click()
    choose(table, "Mark to put down", "Yellow")
    column.click()
    eventually(lambda: [row[3] for row in table.board()], list("...OXX"))
    choose(table, "Mark to put down", "Take away")
    column.click()
    eventually(lambda: [row[3] for row in table.board()], list("....XX"))


def test_a_position_that_is_over_is_explained(editing):
    table = editing()
    for name in ("a3", "b3", "c3"):
        table.cell(name).click()
    expect(table.page.get_by_text("X has a line already")).to_be_visible()
    expect(table.page.get_by_role("button", name="Play from here")).to_have_attribute("aria-disabled", "true")
    table.press("Clear")
    table.expect_board(["..."] * 3)
    table.press("Cancel")
    expect(table.status).to_have_text("X to move")


def test_marks_in_any_number_are_played_on_from_and_the_link_leads_there(editing):
    table = editing("game=tic-tac-toe&x=you&o=computer&level=10")
    for name in ("a3", "b2"):
        table.cell(name).click()
    choose(table, "Side to move", "O")
    expect(table.page.get_by_text("No game comes to these numbers of marks")).to_be_visible()
    table.press("Play from here")
    table.wait_for_status("Your turn")
    table.expect_board(["X..", ".X.", "..O"])
    table.page.wait_for_url("**board=X../.X./...&first=O&composed=true&moves=c1**")
    table.reload()
    table.expect_board(["X..", ".X.", "..O"])


def test_a_pasted_board_is_something_to_go_on_changing_and_pasted_moves_are_a_game(editing):
    table = editing()
    paste(table, "a1 a1")
    expect(table.page.get_by_text("Move 2 (a1) is not possible.")).to_be_visible()
    table.expect_board(["..."] * 3)
    paste(table, "❌⬜⭕\n⬜❌⬜\n⬜⬜⭕")
    table.expect_board(["X.O", ".X.", "..O"])
    expect(table.page.locator("#editor")).to_be_visible()
    paste(table, "b2 a1")
    table.page.get_by_role("heading", level=1, name="Tic-tac-toe", exact=True).wait_for()
    table.expect_board(["...", ".X.", "O.."])
    table.more("Edit")
    paste(table, "(;FF[4]GM[4]SZ[15];B[hh];W[hi])(;GM[4];B[aa])")
    expect(table.notice).to_have_text("This is the first of several games.")
    table.page.get_by_role("heading", level=1, name="Gomoku", exact=True).wait_for()
    table.expect_link("#game=gomoku&moves=h8h7&you=both")


def test_moves_that_are_none_in_the_game_shown_are_another_game_only_if_the_visitor_says_so(editing):
    table = editing("game=tic-tac-toe")
    paste(table, "4453")
    table.page.get_by_role("button", name="Connect Four: 4453").wait_for()
    table.expect_board(["..."] * 3)
    table.press("Connect Four: 4453")
    table.page.get_by_role("button", name="Connect Four: 4453").wait_for(state="detached")
    table.expect_board(["......."] * 4 + ["...O...", "..OXX.."])


def test_both_sides_of_a_pasted_game_are_the_visitors_until_somebody_chooses_a_computer(editing):
    table = editing("game=tic-tac-toe&level=10")
    paste(table, "b2")
    table.wait_for_status("O to move")
    table.expect_link("#game=tic-tac-toe&moves=b2&you=both&level=10")
    table.reload()
    table.page.wait_for_timeout(1000)
    expect(table.status).to_have_text("O to move")
    table.expect_board(["...", ".X.", "..."])
    table.page.get_by_label("Who plays O").select_option("10")
    table.wait_for_turn()
    expect(table.marks("O")).to_have_count(1)


def test_a_position_is_taken_away_as_link_text_and_picture(editing):
    table = editing("game=connect-four&moves=39.32&x=you&o=you")
    table.page.get_by_text("Copy this position").click()
    table.press("Copy board")
    expect_copied(table, "...O.../...X...")
    table.press("Copy link")
    expect_copied(table, "#game=connect-four&board=")
    with table.page.expect_download() as download:
        table.press("Save picture")
    picture = download.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 2000
    table.press("Cancel")
    table.more("Share")
    table.press("Copy moves")
    eventually(table.copied, "44")
    table.press("Copy SGF")
    expect_copied(table, ";B[df];W[de])")
    table.press("Copy picture")
    table.page.wait_for_function("navigator.clipboard.read().then(([item]) => item.types.includes('image/png'))")


def test_in_a_high_window_its_buttons_keep_their_height(editing):
    table = editing("game=connect-four&moves=44")
    table.page.set_viewport_size({"width": 1366, "height": 1400})
    heights = "(all) => all.map((each) => each.getBoundingClientRect().height)"
    assert max(table.page.locator("#editor :is(button, .segments)").evaluate_all(heights)) <= 52


def test_the_editor_has_no_move_of_its_own(editing):
    table = editing("game=tic-tac-toe&x=computer&o=computer")
    asked = len([url for url in table.requests if re.search("/(move|analysis)$", url)])
    table.page.wait_for_timeout(1500)
    assert len([url for url in table.requests if re.search("/(move|analysis)$", url)]) == asked
