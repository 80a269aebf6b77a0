"""Whole games by mouse, touch and keyboard, everything one can do to a game, and links that restore one."""

import re

import pytest

from tests.web.table import eventually, expect

NARROW = (320, 640)
CONTENT = "(all) => all.map(({ ariaLabel }) => (ariaLabel.includes('blocked') ? '#' : '.'))"
OWN = "rows=4&columns=4&goal=3"


@pytest.mark.everyday
def test_a_whole_game_by_mouse_is_never_won_against_full_strength(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=computer&level=10")
    table.play_to_the_end()
    table.wait_for_status("^(The computer wins as O|A draw: the board is full)$")
    expect(table.marks("X").nth(2)).to_be_visible()
    eventually(table.empties, [])


def test_a_whole_game_by_touch_on_a_small_screen(sit_down):
    table = sit_down(f"{OWN}&gravity=true", size=NARROW, touch=True)
    while not table.is_over():
        table.cell(table.empties()[-1]).tap()
        table.wait_for_turn()
    expect(table.status).to_have_text(
        re.compile("^(The computer wins as Yellow|You win as Red|A draw: the board is full)$")
    )


def test_a_whole_game_by_keyboard_alone(sit_down):
    table = sit_down("game=connect-four&x=you&o=you")
    table.page.keyboard.press("Tab")
    table.page.keyboard.press("Enter")
    expect(table.page.get_by_role("gridcell").and_(table.page.locator(":focus"))).to_be_visible()
    table.page.keyboard.press("Home")
    for _ in range(3):
        table.page.keyboard.press("Enter")
        table.page.keyboard.press("ArrowRight")
        table.page.keyboard.press(" ")
        table.page.keyboard.press("ArrowLeft")
    table.expect_board(["......."] * 3 + ["XO....."] * 3)
    expect(table.status).to_have_text("Red to move")
    table.page.keyboard.press("Enter")
    expect(table.status).to_have_text("Red wins")
    line = ", ".join(f"column 1 row {row}" for row in (4, 3, 2, 1))
    expect(table.announced).to_contain_text(f"Red plays column 1. Red wins, with the line {line}.")


def test_the_keyboard_reaches_every_cell_and_stays_on_the_board(sit_down):
    table = sit_down(OWN)
    table.page.locator("#skip").press("Enter")
    walk = [
        ("Control+Home", "a4"), ("ArrowUp", "a4"), ("ArrowLeft", "a4"), ("ArrowRight", "b4"), ("ArrowDown", "b3"),
        ("End", "d3"), ("Control+End", "d1"), ("ArrowDown", "d1"), ("Home", "a1"),
    ]  # fmt: skip
    for key, name in walk:
        table.page.keyboard.press(key)
        expect(table.cell(name)).to_be_focused()
    expect(table.page.locator("[role=gridcell][tabindex='0']")).to_have_count(1)


def test_a_stone_falls_to_the_lowest_empty_cell_and_a_full_column_takes_none(sit_down):
    table = sit_down("game=connect-four&x=you&o=you", still=False)
    table.cell("column 3 row 6").click()
    table.cell("column 3 row 3").click()
    table.expect_board(["......."] * 4 + ["..O....", "..X...."])
    for part, count in ((".arriving", 2), (".arriving.is-o .last-disc", 1), (".last-disc", 1)):
        expect(table.page.locator(part)).to_have_count(count)
    table.open("rows=2&columns=3&goal=3&gravity=true&moves=4.1&x=you&o=you")
    table.drop(1)
    table.expect_board(["O..", "X.."])
    expect(table.cell("column 1 row 2")).to_have_attribute("aria-disabled", "true")


def test_the_last_move_the_line_and_the_winner_are_marked(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.cell("c3").click()
    expect(table.status).to_have_text("X wins")
    expect(table.cell("c3")).to_have_attribute("aria-label", "c3, X, last move, in the completed line")
    expect(table.page.locator(".won-line")).to_have_count(1)
    expect(table.page.locator("#board .faded")).to_have_count(0)
    expect(table.page.locator("#player-x.winner")).to_have_count(1)
    table.open("game=misere-tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.cell("c3").click()
    expect(table.status).to_have_text("O wins")


def test_undo_and_redo_go_to_the_visitors_own_turns(sit_down):
    table = sit_down("game=tic-tac-toe")
    table.cell("b2").click()
    table.wait_for_status("Your turn")
    table.press("Undo")
    table.expect_board(["..."] * 3)
    expect(table.announced).to_have_text("Move taken back. X to move.")
    expect(table.status).to_have_text("Your turn: X to move")
    table.more("Redo")
    expect(table.marks("O")).to_have_count(1)
    table.more("Restart")
    table.expect_board(["..."] * 3)
    table.open("game=tic-tac-toe&moves=1.2.3&x=you&o=you")
    table.press("Undo")
    table.cell("c1").click()
    table.expect_board(["XO.", "...", "..X"])
    expect(table.page.locator("#redo")).to_have_attribute("aria-disabled", "true")


def test_a_hint_points_out_the_winning_move_and_goes_with_the_next(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.press("Hint")
    table.page.locator(".pointer").wait_for()
    expect(table.cell("c3")).to_have_attribute("aria-label", re.compile("recommended"))
    expect(table.announced).to_have_text("Hint: c3.")
    table.cell("a1").click()
    expect(table.page.locator(".pointer")).to_have_count(0)


def test_swapping_sides_or_another_player_lets_the_computer_move_at_once(sit_down):
    table = sit_down("game=tic-tac-toe")
    table.press("New game")
    table.page.keyboard.press("Escape")
    expect(table.page.get_by_role("dialog")).to_be_hidden()
    table.more("Swap sides")
    table.wait_for_status("Your turn: O")
    expect(table.marks("X")).to_have_count(1)
    table.open("game=tic-tac-toe&moves=5&x=you&o=you")
    table.page.get_by_label("Who plays O").select_option("5")
    table.wait_for_status("Your turn: X")
    expect(table.marks("O")).to_have_count(1)


def test_two_computers_play_to_the_end_and_can_be_paused(sit_down):
    table = sit_down("game=tic-tac-toe&x=computer&o=computer")
    table.press("Pause")
    table.wait_for_status("^Paused")
    rows = table.board()
    table.page.wait_for_timeout(1200)
    table.expect_board(rows)
    table.press("Continue")
    table.wait_for_status("^A draw")


def test_every_game_can_be_chosen_in_the_dialog(sit_down):
    """Each begins with its own board: cells, blocked ones among them, and rules."""
    table = sit_down()
    games = table.page.evaluate("import('./web/first.js').then(({ modules }) => modules['shared/catalogue.js'].GAMES)")
    assert len(games) == 22
    for game in games:
        table.press("New game")
        table.page.locator(f"#setup input[value={game['id']}]").check()
        table.press("Start")
        expect(table.page.locator("#game-name")).to_have_text(game["name"])
        eventually(lambda: "".join(table.page.get_by_role("gridcell").evaluate_all(CONTENT)), game["cells"])


def test_a_game_of_ones_own_with_o_to_start_at_a_lower_level(sit_down):
    table = sit_down()
    table.press("New game")
    dialog = table.page.get_by_role("dialog")
    dialog.get_by_role("radio", name="Your own game").check()
    dialog.get_by_role("spinbutton", name="Columns").fill("6")
    dialog.get_by_role("spinbutton", name="Rows").fill("2")
    dialog.get_by_role("spinbutton", name="In a row").fill("7")
    table.press("Start")
    expect(dialog, "a line longer than the board must be refused").to_be_visible()
    dialog.get_by_role("spinbutton", name="In a row").fill("4")
    dialog.get_by_role("switch", name="Stones fall").check()
    dialog.get_by_role("radiogroup", name="First move").get_by_text("Yellow", exact=True).click()
    dialog.get_by_label("Yellow is played by").select_option("3")
    table.press("Start")
    eventually(lambda: [len(row) for row in table.board()], [6, 6])
    expect(table.page.locator("#game-rules")).to_have_text("6 × 2 board, 4 in a row wins, stones fall.")
    table.wait_for_status("Your turn: Red")
    expect(table.marks("O")).to_have_count(1)
    expect(table.page.get_by_label("Who plays Yellow")).to_have_value("3")
    table.expect_link("first=O")
    table.expect_link("level=3")


def test_the_narrowest_boards_can_be_played(sit_down):
    table = sit_down()
    for link in ("rows=1&columns=3&goal=3", "rows=4&columns=1&goal=2&gravity=true", "rows=1&columns=1&goal=1"):
        table.open(link)
        table.cell(table.empties()[0]).click()
        table.wait_for_turn()
        expect(table.marks("X").first).to_be_visible()


@pytest.mark.parametrize(("game", "cells"), [("notakto", 9), ("treblecross", 11)])
def test_a_game_in_which_both_sides_mark_with_x_is_played_to_its_end(sit_down, game, cells):
    """And the sides are called by their places, for an O or a black stone never appears."""
    table = sit_down(f"game={game}&level=10")
    expect(table.status).to_have_text("Your turn: First player to move")
    expect(table.page.locator("#board")).to_have_attribute("data-skin", "tiles")
    table.play_to_the_end()
    expect(table.status).to_have_text(re.compile("^(You win as First player|The computer wins as Second player)$"))
    expect(table.page.locator(".player .is-o, .move-list .is-o")).to_have_count(0)
    marks = "".join(table.board())
    assert len(marks) == cells
    assert set(marks) <= {"X", "."}
    expect(table.page.get_by_role("list", name="Moves").get_by_role("button")).to_have_count(marks.count("X"))
    expect(table.page.get_by_role("gridcell", name="line").nth(2)).to_be_visible()
    table.press("Play again")
    eventually(lambda: set("".join(table.board())) <= {"X", "."})


@pytest.mark.parametrize(
    ("link", "cell", "said"),
    [
        ("game=connect-four&moves=444444&you=both", "column 4 row 6", "Column 4 is full."),
        ("game=tic-tac-toe&moves=b2&you=both", "b2", "B2 is taken."),
        ("game=renju&moves=112.1.113.15.99.211.84.225&you=both", "h8", None),
    ],
)
def test_a_cell_that_cannot_be_chosen_says_why_to_everyone(sit_down, link, cell, said):
    """The cross of Renju is looked up on the board."""
    table = sit_down(link)
    if said is None:
        forbidden = table.page.get_by_role("gridcell", name=re.compile("forbidden")).first
        cell = forbidden.get_attribute("aria-label").split(",")[0]
        said = f"{cell} is forbidden to Black."
    table.cell(cell).click(force=True)
    expect(table.notice).to_contain_text(said)
    expect(table.announced).to_have_text(said)


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


def test_looking_back_and_reloading_keeps_the_game(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a1b2c3a3&level=2")
    table.page.locator("#move-back").click()
    table.expect_link("moves=a1b2c3a3&at=3&level=2")
    table.reload()
    table.wait_for_status("Paused")
    table.more("Share")
    expect(table.page.get_by_label("Moves", exact=True).last).to_have_value("a1 b2 c3 a3")
    expect(table.page.get_by_label("SGF", exact=True)).to_have_value(re.compile(r";W\[aa\]\)$"))
    assert not [asked for asked in table.requests if asked.endswith("/move")]


def test_another_move_in_the_middle_begins_a_variation_that_says_so(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a1b2c3a3&at=2&you=both")
    table.cell("b1").click()
    expect(table.notice).to_contain_text("This move begins a variation.")
    expect(table.announced).to_contain_text("This move begins a variation.")
    table.expect_link("moves=a1b2b1&you=both&tree=a1b2c3(b1)a3".replace("&you=both", ""))
