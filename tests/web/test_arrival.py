"""The page while it arrives: the board before all else, nothing lost that is done early, no silence on a loss."""

import re

import pytest

from tests.web.table import IN_PAGE, eventually, expect

LATER = re.compile(r"/web/later\.js$")
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


@pytest.mark.alone
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
