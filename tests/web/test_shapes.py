"""Boards of other shapes: blocked cells, joined edges, chosen directions, and the games that are played on them."""

import pytest

TORUS = "rows=5&columns=5&goal=4&wrap=both&x=you&o=you"


@pytest.fixture
def own_game(sit_down):
    """The dialog of a game of one's own."""
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
    table.page.reload()
    table.wait_for_mark("ready")
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


def test_lines_need_a_direction(own_game):
    table = own_game
    for name in ("across", "up and down", "diagonally down", "diagonally up"):
        table.page.get_by_role("checkbox", name=name).uncheck()
    table.press("Start")
    assert table.page.get_by_role("dialog", name="New game").is_visible()


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Torus tic-tac-toe", {"game": "torus-tic-tac-toe"}),
        ("No diagonals", {"goal": 4, "directions": ["horizontal", "vertical"]}),
        ("Blocked centre", {"board": ["X....", ".....", "..#..", ".....", "....."]}),
        ("Five by five torus", {"wrap": "both"}),
        ("Round tower", {"gravity": True, "wrap": "rows"}),
    ],
)
def test_every_game_of_the_gallery_is_played(sit_down, name, asked):
    table = sit_down()
    table.page.get_by_text("More games").click()
    table.page.locator("#games").get_by_role("button", name=name).click()
    table.page.get_by_role("heading", level=1, name=name).wait_for()
    with table.page.expect_request("**/move") as sent:
        table.page.get_by_role("grid").get_by_role("gridcell").first.click()
        table.wait_for_turn()
    assert asked.items() <= sent.value.post_data_json.items()
    assert not table.notice.is_visible()


def test_a_line_over_a_joined_edge_is_drawn_on_both_sides(sit_down, picture):
    table = sit_down(f"{TORUS}&moves=1.6.2.7.4.8")
    assert table.page.locator("#board .joined-edges").get_attribute("d")
    table.cell("e5").click()
    assert table.status == "X wins"
    assert table.page.locator(".won-line .core").get_attribute("d").count("M") == 2
    assert table.announced.endswith("with the line d5, e5, a5, b5.")
    picture(table, "won")


def test_a_game_on_a_blocked_board_is_reviewed_and_thought_about(sit_down):
    table = sit_down("rows=3&columns=3&goal=3&board=.../.%23./...&moves=1.2.4&x=you&o=you")
    table.think_along()
    assert table.page.locator(".heat").count() == 5
    table.tab("Moves")
    table.press("Review the moves so far")
    table.page.get_by_role("table").wait_for()
    table.page.locator(".move").nth(2).click()
    assert table.page.get_by_text("X plays a2: best, draw.").is_visible()


def test_cells_are_blocked_in_the_editor_and_read_from_text(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=you")
    table.press("Edit")
    table.page.get_by_role("radiogroup", name="Mark to put down").get_by_text("Blocked").click()
    table.cell("b2").click()
    table.press("Play from here")
    assert table.page.locator("#game-name").inner_text() == "Your own game"
    assert "board=.../.%23./..." in table.page.url
    table.press("Edit")
    table.page.get_by_label("Paste a board or moves").fill(
        '{"board": "#../.../..#", "goal": 3, "wrap": "rows"}'
    )
    table.press("Read it")
    table.press("Play from here")
    assert table.board() == ["blocked..", "...", "..blocked"]
    assert "wrap=rows" in table.page.url


@pytest.mark.parametrize(
    "link",
    [
        "rows=3&columns=3&goal=3&wrap=all",
        "rows=3&columns=3&goal=3&directions=up",
        "rows=3&columns=3&goal=3&directions=",
    ],
)
def test_a_link_to_no_shape_leads_to_a_new_game(sit_down, link):
    table = sit_down(link)
    assert table.notice.get_by_text("This link does not lead to a game").is_visible()
