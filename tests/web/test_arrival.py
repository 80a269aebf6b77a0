"""The page while it arrives, the board before all else, and what a visitor meets then."""

import re

import pytest

from tests.web.table import IN_PAGE, eventually, expect

LATER = re.compile(r"/web/later\.js$")
REST = re.compile(r"/web/rest\.js")
SCRIPTS = re.compile(r"/web/\w+\.js$")

SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 400_000 / 8, "uploadThroughput": 400_000 / 8}
"""As the browser's tools know it, in milliseconds and bytes a second."""
LATEST_MS = {"first-contentful-paint": 2500, "first board": 2800}
"""A round trip more would cost the first board 400 ms."""


class Held:
    """Requests that are kept waiting until they are let go."""

    def __init__(self, page, pattern) -> None:
        self.routes: list = []
        self.holding = True
        page.route(pattern, lambda route: self.routes.append(route) if self.holding else route.continue_())

    def let_go(self) -> None:
        self.holding = False
        for route in self.routes:
            route.continue_()


@pytest.fixture
def arriving(sit_down):
    """A table whose page has its first board but not the rest: ``arriving(link)`` gives it and what is held."""

    def come(link: str):
        table = sit_down()
        table.page.goto("about:blank")
        held = Held(table.page, LATER)
        table.page.goto(f"{table.url}#{link}", wait_until="commit")
        table.wait_for_mark("first board")
        return table, held

    return come


def test_the_first_board_waits_neither_for_the_service_nor_for_the_rest(arriving):
    table, held = arriving("game=tic-tac-toe&moves=5&x=you&o=you")
    table.expect_board(["...", ".X.", "..."])
    expect(table.status).to_have_text("O to move")
    held.let_go()
    table.page.get_by_role("list", name="Moves").get_by_role("button").wait_for()


PARTS = ".surface, .front, .coordinates"
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@pytest.mark.parametrize("size", [(1366, 650), (390, 844)])
def test_a_board_is_painted_before_any_script_as_the_scripts_draw_it(browser, site, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    held = Held(page, SCRIPTS)
    page.goto(site, wait_until="commit")
    page.wait_for_function(PAINTED)
    board = page.locator("#board .drawing")
    painted, place = page.evaluate(IN_PAGE["boardDrawn"], PARTS), board.bounding_box()
    expect(board).to_be_visible()
    expect(page.locator("#new-game")).to_be_hidden()
    held.let_go()
    page.get_by_role("gridcell").first.wait_for()
    assert page.evaluate(IN_PAGE["boardDrawn"], PARTS) == painted
    assert board.bounding_box() == pytest.approx(place, abs=0.5), "nothing moves"
    page.close()


def test_of_a_link_only_the_frame_is_painted_before_the_scripts(browser, site):
    page = browser.new_page()
    held = Held(page, SCRIPTS)
    page.goto(f"{site.rstrip('/')}/#game=gomoku", wait_until="commit")
    page.locator(".board-frame").wait_for()
    expect(page.locator("#board .drawing")).to_be_hidden()
    held.let_go()
    page.get_by_role("grid", name="Gomoku").wait_for()
    page.close()


@pytest.mark.release  # the clock of an idle machine counts; what is sent first is bounded in bytes
def test_the_first_board_is_painted_and_drawn_in_time_on_slow_3g(browser, site):
    page = browser.new_page()
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW_3G)
    page.goto(site, wait_until="commit")
    page.wait_for_function("() => performance.getEntriesByName('ready').length", timeout=60_000)
    times = {name: page.evaluate(f"performance.getEntriesByName('{name}')[0].startTime")
             for name in (*LATEST_MS, "ready")}  # fmt: skip
    print({name: round(time) for name, time in times.items()}, "ms")
    assert [name for name, latest in LATEST_MS.items() if times[name] > latest] == []
    page.close()


def test_moves_and_choices_made_early_are_not_lost(arriving):
    table, held = arriving("game=tic-tac-toe&x=you&o=you")
    table.page.get_by_label("Who plays O").select_option("10")
    table.cell("b2").click()
    table.expect_board(["...", "...", "..."])
    held.let_go()
    eventually(lambda: sorted("".join(table.board())), sorted("XO......."))
    expect(table.page.get_by_role("list", name="Moves").get_by_role("button")).to_have_count(2)


@pytest.mark.parametrize(
    ("early", "there"),
    [
        ("document.querySelector('#new-game').click()", "#setup[open] input[value=connect-four]"),
        ("document.querySelector('#to-learn').click()", "[role=treeitem]"),
        ("location.hash = 'game=connect-four&x=you&o=you'", "[role=gridcell][data-cell='41']"),
    ],
    ids=["new game", "page", "link"],
)
def test_what_is_asked_for_early_comes_once_it_can(arriving, early, there):
    table, held = arriving("game=tic-tac-toe&x=you&o=you")
    table.page.evaluate(early)
    held.let_go()
    table.page.locator(there).first.wait_for(state="attached")


def test_a_part_that_does_not_arrive_is_said(sit_down):
    table = sit_down()
    table.expected_statuses |= {"ERR_FAILED", "later.js"}
    table.page.goto("about:blank")
    table.page.route(LATER, lambda route: route.abort())
    table.page.goto(f"{table.url}#game=tic-tac-toe", wait_until="commit")
    for _ in range(2):
        table.notice.get_by_text("Reload the page").wait_for()
        table.press("Dismiss")
        expect(table.notice).to_be_hidden()
        table.press("Hint")
    table.expect_board(["...", "...", "..."])


def test_what_no_first_move_needs_comes_after_the_board_and_is_fetched_again_where_that_failed(sit_down):
    table = sit_down()
    table.expected_statuses.add("ERR_FAILED")
    table.page.goto("about:blank")
    table.page.route(REST, lambda route: route.abort())
    table.open("game=tic-tac-toe&moves=a3b2&you=both")
    table.press("Review the moves so far")
    table.notice.get_by_text("The server cannot be reached.").wait_for()
    table.page.unroute(REST)
    table.page.evaluate("document.querySelector('#notice-action').click()")
    expect(table.page.locator(".move .grade")).to_have_count(2)
    asked = "performance.getEntriesByType('resource').find(({ name }) => name.includes('rest.js')).startTime"
    assert table.page.evaluate(f"{asked} > performance.getEntriesByName('first board')[0].startTime")


def test_a_click_on_what_is_still_loading_says_so_until_it_is_there(sit_down):
    table = sit_down()
    table.page.goto("about:blank")
    held = Held(table.page, REST)
    table.open("game=tic-tac-toe")
    table.press("New game")
    table.notice.get_by_text("This is still loading").wait_for()
    held.let_go()
    table.page.locator("#setup[open]").wait_for()


PHONE = (390, 844)


def test_a_tile_begins_a_game_against_a_middle_level(sit_down):
    table = sit_down()
    table.page.get_by_role("heading", level=1, name="Connect Four").wait_for()
    expect(table.status).to_have_text("Your turn: Red to move")
    expect(table.page.get_by_title("the value of every move, on any board, proven")).to_contain_text("Think along")
    table.page.locator("#games").get_by_role("button", name="Tic-tac-toe").click()
    table.page.get_by_role("heading", level=1, name="Tic-tac-toe").wait_for()
    expect(table.page.get_by_label("Who plays O").locator("option:checked")).to_have_text("Level 5 · Medium")
    table.cell("b2").click()
    table.page.locator("#games").wait_for(state="hidden")


def test_the_wordmark_leads_home_and_the_navigation_to_puzzles_and_the_atlas(sit_down):
    table = sit_down("game=gomoku&moves=h8h7")
    table.page.get_by_role("link", name="kinarow").click()
    table.page.get_by_role("heading", level=1, name="Connect Four").wait_for()
    table.page.get_by_role("link", name="Puzzles").click()
    table.page.locator("#puzzle p").wait_for()
    table.page.get_by_role("link", name="Atlas").click()
    table.page.get_by_role("heading", level=1, name="Solved games").wait_for()
    table.page.get_by_role("link", name="Puzzles").click()
    table.page.locator("#puzzle p").wait_for()
    table.page.go_back()
    table.page.get_by_role("heading", level=1, name="Connect Four").wait_for()
    expect(table.page.locator("#puzzle")).to_be_hidden()


def test_a_new_game_offers_puzzles_and_an_own_game_opens_at_its_rules(sit_down):
    table = sit_down(size=PHONE)
    table.press("New game")
    table.page.get_by_role("dialog").get_by_role("button", name="A puzzle").click()
    table.page.locator("#puzzle p").wait_for()
    table.open()
    table.page.locator("#games").get_by_role("button", name="Your own game").click()
    expect(table.page.get_by_role("spinbutton", name="Columns")).to_be_focused()
    assert 0 <= table.page.get_by_role("spinbutton", name="Columns").bounding_box()["y"] <= PHONE[1] / 2


def test_a_win_is_celebrated_and_a_loss_says_where_it_became_certain(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a3a2b3b2", still=False)
    table.cell("c3").click()
    expect(table.page.locator(".celebrated .winning")).to_have_count(3)
    lost = sit_down("game=tic-tac-toe&level=10")
    for cell in ("b1", "a1", "c3", "c1", "a2", "c2", "b3"):
        if cell in lost.empties() and not lost.is_over():
            lost.cell(cell).click()
            lost.wait_for_turn()
    lost.wait_for_status("computer wins")
    expect(lost.page.locator(".celebrated")).to_have_count(0)
    lost.page.get_by_text("After your move 5, c3, O had a proven win.").wait_for()


def test_levels_have_names_and_two_computers_may_have_different_ones(sit_down):
    """And a finished game can be played again: from a link it opens without the card, the result before the button."""
    table = sit_down("game=gomoku")
    expect(table.page.get_by_label("Who plays White").locator("optgroup option").last).to_have_text(
        "Level 10 · Strongest"
    )
    table.open("game=tic-tac-toe&x=you&o=you")
    options = table.page.get_by_label("Who plays O").locator("option").all_inner_texts()
    named = [option.partition(" · ")[2] for option in options if "·" in option]
    assert (named, len(options)) == (["Easy", "Medium", "Hard", "Perfect"], 12)
    table.page.get_by_label("Who plays O").select_option("8")
    table.page.get_by_label("Who plays X").select_option("3")
    with table.page.expect_request("**/move") as asked:
        table.wait_for_status("win|draw")
    table.expect_link("level_x=3&level_o=8")
    assert asked.value.post_data_json["level"] in (3, 8)
    table.open("game=tic-tac-toe&moves=1.4.2.5.3&x=you&o=you")
    expect(table.page.locator("#end-card.open")).to_have_count(0)
    result, again = (table.page.locator(part).bounding_box()["x"] for part in ("#status", "#again"))
    assert result < again
    table.press("Play again")
    table.expect_board(["..."] * 3)
    expect(table.page.get_by_role("button", name="Play again", exact=True)).to_be_hidden()


@pytest.mark.parametrize(("side", "size"), [(19, PHONE), (25, (320, 640))])
def test_larger_boards_are_zoomed_and_moved(sit_down, side, size):
    table = sit_down(f"rows={side}&columns={side}&goal=5&x=you&o=you", size=size)
    assert table.page.locator("#board").bounding_box()["width"] <= size[0]
    while table.page.get_by_role("gridcell").last.bounding_box()["width"] < 24:
        table.press("Larger board")
    table.page.get_by_role("gridcell").last.click()
    expect(table.page.get_by_role("gridcell").last).to_have_accessible_name(re.compile(", Black"))
    assert table.page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_end_of_a_game_is_a_card_that_covers_no_board(sit_down):
    """It comes after the last move, closes by Escape, comes back with that move, and takes no focus."""
    table = sit_down("game=tic-tac-toe&moves=a3a2b3b2")
    card = table.page.locator("#end-card.open")
    expect(card).to_have_count(0)
    table.cell("c3").click()
    expect(card).to_contain_text("You win!")
    expect(table.page.get_by_role("button", name="Play again", exact=True)).to_have_count(1)
    expect(table.page.get_by_role("button", name="Review this game")).to_have_count(1)
    expect(table.announced).to_have_text(re.compile(r"^X plays c3\. X wins.* A plays again, Escape closes\.$"))
    expect(table.page.get_by_role("gridcell").and_(table.page.locator(":focus"))).to_have_count(1)
    for width, height in ((1366, 650), (1024, 768), (390, 844), (320, 640), (844, 390)):
        table.page.set_viewport_size({"width": width, "height": height})
        board, box = table.page.locator("#board-frame").bounding_box(), card.bounding_box()
        assert box["x"] >= board["x"] + board["width"] or box["y"] >= board["y"] + board["height"]
        assert box["x"] + box["width"] <= width
        assert height < 650 or card.evaluate(IN_PAGE["allOnTop"])
    table.page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    table.page.locator("#move-back").click()
    table.page.locator("#move-next").click()
    expect(card).to_be_visible()
    table.page.locator("#board .cell").first.focus()
    table.page.keyboard.press("a")
    expect(card).to_have_count(0)
    table.expect_board(["..."] * 3)


@pytest.mark.parametrize(
    ("link", "cell", "title"),
    [
        ("game=tic-tac-toe&moves=a3a2b3b2&you=both", "c3", "X wins"),
        ("game=tic-tac-toe&moves=a3b3c3b2a2c2b1a1&you=both", "c1", "Draw"),
    ],
)
def test_the_card_says_the_result(sit_down, link, cell, title):
    table = sit_down(link)
    table.cell(cell).click()
    expect(table.page.locator("#end-card.open #end-title")).to_have_text(title)


def test_no_stroke_of_a_completed_line_crosses_a_mark(sit_down):
    table = sit_down("game=connect-four&moves=1213141&you=both")
    paths = table.page.locator(".won-line .core").get_attribute("d")
    ends = [list(map(float, pair)) for pair in re.findall(r"[ML]([\d.]+) ([\d.]+)", paths)]
    marks = [(50, 100 * row + 50) for row in range(2, 6)]
    assert len(ends) == 6
    assert all(((x - mx) ** 2 + (y - my) ** 2) ** 0.5 >= 37.9 for x, y in ends for mx, my in marks)


@pytest.mark.parametrize("size", [(1366, 650), PHONE, (320, 640), (844, 390)])
def test_a_new_game_keeps_its_players_in_sight_and_has_a_picture_for_each_game(sit_down, size):
    table = sit_down(size=size)
    table.press("New game")
    dialog = table.page.get_by_role("dialog")
    expect(dialog.locator(".thumbnail").nth(20)).to_be_attached()  # the dialog's script comes when it is first opened
    pictures = dialog.locator(".thumbnail").evaluate_all("(all) => all.map((each) => each.outerHTML)")
    assert len(set(pictures)) == len(pictures) > 20
    for game in ("Tic-tac-toe", "Hollow cube"):
        dialog.get_by_role("radio", name=re.compile(f"^{game}")).check()
        for control in (dialog.get_by_label("X is played by"), dialog.get_by_role("radio", name="O", exact=True)):
            expect(control).to_be_in_viewport(ratio=1)
