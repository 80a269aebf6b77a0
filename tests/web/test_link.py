"""Links that restore a position, and the browser's own back."""

from tests.web.table import eventually, expect


def test_a_shared_link_restores_game_players_level_and_position(sit_down):
    table = sit_down("game=connect-four&first=O&x=you&o=you&level=4")
    table.drop(4, 4, 3)
    table.more("Share")
    table.press("Copy link")
    table.page.get_by_text("Copied").wait_for()
    link = table.copied()
    expect(table.page).to_have_url(link)
    again = sit_down(link.partition("#")[2])
    again.expect_board(table.board())
    expect(again.status).to_have_text("Red to move")
    expect(again.page.get_by_label("Who plays Yellow")).to_have_value("you")


def test_where_copying_is_not_allowed_the_link_is_shown(sit_down):
    table = sit_down("game=tic-tac-toe&moves=5&x=you&o=you")
    table.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    table.more("Share")
    table.press("Copy link")
    table.page.get_by_text("Not allowed").wait_for()
    expect(table.page.get_by_role("textbox", name="Link")).to_have_value(table.page.url)


def test_a_position_in_the_query_is_followed_until_a_move_is_made(sit_down):
    table = sit_down()
    table.page.goto(f"{table.url}?game=connect-four&pos=4453")
    table.wait_for_mark("ready")
    table.expect_board(["......."] * 4 + ["...O...", "..OXX.."])
    table.drop(1)
    table.page.wait_for_url(f"{table.url}#game=connect-four&moves=44531*")


def test_back_returns_to_the_game_before(sit_down):
    table = sit_down("game=tic-tac-toe&moves=5&x=you&o=you")
    table.press("New game")
    table.page.get_by_role("radio", name="Connect Four").check()
    table.press("Start")
    eventually(lambda: len(table.board()), 6)
    table.page.go_back()
    table.expect_board(["...", ".X.", "..."])


def test_a_link_that_leads_nowhere_says_so_and_opens_a_new_game(sit_down):
    table = sit_down("game=<script>")
    words = 'This link does not lead to a game. No game is called "<script>".'
    expect(table.notice.get_by_text(words)).to_be_visible()
    table.expect_board(["......."] * 6)
    table.press("Dismiss")
    table.drop(4)
    table.wait_for_status("Your turn")
