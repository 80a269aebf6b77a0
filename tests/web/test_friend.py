"""A game with a friend: two browsers that share nothing but links."""

import re

import pytest

from tests.support.page import AXE
from tests.web.table import eventually, expect

SIZES = [(320, 640), (390, 844), (1024, 768), (1280, 720)]


def begin(sit_down, link="game=tic-tac-toe", **size):
    table = sit_down(link, **size)
    table.page.locator("#plays-o").select_option("friend")
    table.expect_link("with=friend&you=X&id=")
    return table


def sent(table) -> str:
    """The link that the page says to send, by its button."""
    table.page.locator("#friend").get_by_role("button", name="Copy link").click()
    link = table.page.get_by_label(re.compile("Send (this link|the result)")).input_value()
    eventually(table.copied, link)
    return link


def play(table, cell: str) -> str:
    table.cell(cell).click()
    return sent(table)


def paste(table, link: str) -> None:
    table.page.get_by_label("Paste the answer").fill(link)


def opened(sit_down, link: str, **size):
    return sit_down(link.partition("#")[2], **size)


def test_two_browsers_play_a_game_to_its_end_with_copies_only(sit_down):
    """One page is reloaded in the middle, a wrong link is refused, and the service gets no request."""
    first = begin(sit_down)
    link = play(first, "b2")
    second = opened(sit_down, link)
    expect(second.status).to_have_text("Your turn: O to move")
    expect(second.page).to_have_url(re.compile("you=O"))
    expect(second.page.locator("#friend")).to_be_hidden()
    answer = play(second, "a3")
    paste(first, answer.replace("id=", "id=0"))
    expect(first.page.get_by_text("This link belongs to another game.")).to_be_visible()
    paste(first, link)
    expect(first.page.get_by_text("This link has no new move.")).to_be_visible()
    paste(first, f"Your turn: {answer} !")
    expect(first.status).to_have_text("Your turn: X to move")
    link = play(first, "b1")
    first.reload()
    expect(first.status).to_have_text("Your friend's turn: O to move")
    expect(first.page.locator("#undo")).to_have_attribute("aria-disabled", "true")
    expect(first.page.locator("[role=gridcell]:not([aria-disabled])")).to_have_count(0)
    paste(second, link)
    paste(first, play(second, "a1"))
    paste(second, play(first, "b3"))
    for table in (first, second):
        table.wait_for_status("You win as X" if table is first else "X wins")
        expect(table.page.locator("#end-card.open")).to_be_visible()
        expect(table.page.get_by_role("switch", name="Think along")).to_be_enabled()
        assert not [asked for asked in table.requests if re.search(r"/(move|analysis|review)$", asked)]
    expect(first.page.locator("#friend").get_by_role("button", name="Copy link")).to_be_visible()
    expect(second.page.locator("#friend")).to_be_hidden()


def test_a_move_is_taken_back_until_it_is_sent_and_nothing_helps_until_the_end(sit_down):
    table = begin(sit_down)
    for part in (table.page.locator("#hint"), table.page.locator("#undo")):
        expect(part).to_have_attribute("aria-disabled", "true")
    expect(table.page.get_by_role("switch", name="Think along")).to_be_disabled()
    table.cell("a1").click()
    expect(table.page.get_by_text("Only this computer can open the link")).to_be_visible()
    table.press("Undo")
    table.expect_board(["..."] * 3)
    play(table, "b2")
    expect(table.page.locator("#undo")).to_have_attribute("aria-disabled", "true")
    table.page.keyboard.press("u")
    table.page.locator("#move-back").click()
    expect(table.page.locator("[role=gridcell]:not([aria-disabled])")).to_have_count(0)
    table.expect_link("moves=b2&with=friend")


def test_a_browser_that_has_played_the_other_side_says_so_before_it_changes_sides(sit_down):
    first = begin(sit_down)
    link = play(first, "b2")
    for stays in (True, False):
        first.page.goto("about:blank")
        first.open(link.partition("#")[2])
        expect(first.page.get_by_role("heading", name="This browser has played X in this game")).to_be_visible()
        expect(first.page.locator("#board [role=gridcell]:not([aria-disabled])")).to_have_count(0)
        first.press("Play X" if stays else "Play O")
        first.wait_for_status("Your friend's turn: O" if stays else "Your turn: O")
        first.expect_link("you=X" if stays else "you=O")
    second = opened(sit_down, link)
    expect(second.status).to_have_text("Your turn: O to move")


@pytest.mark.parametrize("way", ["pasted", "opened"])
@pytest.mark.parametrize("taken", [False, True])
def test_a_link_that_does_not_go_on_is_shown_beside_mine_and_i_choose(sit_down, way, taken):
    table = begin(sit_down)
    link = play(table, "b2")
    other = link.replace("moves=b2", "moves=a1c3").replace("you=O", "you=X")
    if way == "pasted":
        paste(table, other)
    else:
        table.page.goto("about:blank")
        table.open(other.partition("#")[2])
    dialog = table.page.get_by_role("dialog")
    expect(dialog.locator("figcaption")).to_have_text(["Yours: b2", "In the link: a1 c3"])
    table.press("Take the link's" if taken else "Keep mine")
    expect(dialog).to_be_hidden()
    table.expect_link("moves=a1c3" if taken else "moves=b2&")
    table.wait_for_status("Your turn: X" if taken else "Your friend's turn: O")


def test_the_system_shares_the_link_where_it_can(sit_down):
    table = begin(sit_down, "")
    table.page.context.add_init_script("navigator.share = async ({ url }) => { window.shared = url }")
    table.reload()
    table.drop(4)
    table.press("Send this link")
    expect(table.page.locator("#undo")).to_have_attribute("aria-disabled", "true")
    assert re.search("moves=4&with=friend&you=O&id=", table.page.evaluate("window.shared"))


@pytest.mark.parametrize("cut", ["&with=fri", "&with=friend", "&with=friend&you=X&id="])
def test_a_link_that_lacks_its_end_is_told_so_and_keeps_the_board(sit_down, cut):
    table = sit_down(f"game=connect-four&moves=443322{cut}")
    expect(table.notice).to_contain_text("This link is incomplete")
    dismiss = table.page.get_by_role("button", name="Dismiss")
    assert dismiss.evaluate("(button) => button.scrollWidth <= button.clientWidth")
    expect(table.marks("X")).to_have_count(3)


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_the_winning_move_is_sent_first_from_the_end_card(sit_down, size):
    table = sit_down("game=connect-four&moves=443322&with=friend&you=X&id=abcde12345", size=size)
    expect(table.cell("column 5 row 1")).not_to_have_attribute("aria-disabled", "true")
    table.drop(5)
    card = table.page.locator("#end-card.open")
    send, again = (card.get_by_role("button", name=name, exact=True) for name in ("Copy link", "Play again"))
    assert send.bounding_box()["y"] < again.bounding_box()["y"]
    send.click()
    eventually(lambda: "moves=4433225&with=friend&you=O&id=abcde12345" in table.copied())
    table.press("Dismiss")
    expect(table.page.locator("#panel > .friend")).to_be_visible()


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_what_is_sent_and_pasted_fits_and_has_no_violation(sit_down, size):
    table = begin(sit_down, "game=gomoku", size=size)
    link = play(table, "h8")
    source = AXE.read_text("utf-8")
    for _ in ("panel", "dialog"):
        assert table.axe(source) == []
        assert table.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        field, board = (table.page.locator(part).bounding_box() for part in ("#friend-answer", "#board-frame"))
        assert field["height"] >= 44
        assert field["x"] >= board["x"] + board["width"] or field["y"] >= board["y"] + board["height"]
        paste(table, link.replace("h8", "h9"))
    boards = [board.bounding_box() for board in table.page.locator("#friend-dialog .board").all()]
    assert boards[0]["x"] + boards[0]["width"] <= boards[1]["x"]
    assert abs(boards[0]["y"] - boards[1]["y"]) < 1
