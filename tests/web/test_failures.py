"""A server that sheds, fails, goes away, comes back or asks for a key; and answers that come too late."""

import re

import pytest

from tests.support.server import Server
from tests.web.table import IN_PAGE, eventually, expect

MOVE = "**/move"


@pytest.mark.parametrize("status", [503, 429])
def test_a_busy_server_is_asked_again_when_it_said(sit_down, status):
    table = sit_down("game=tic-tac-toe")
    seen = table.refuse(MOVE, 1, status, **{"Retry-After": "2"})
    table.cell("a3").click()
    table.notice.get_by_text("The server is busy. Trying again in").wait_for()
    expect(table.status).to_have_text("O to move")  # nobody thinks meanwhile
    expect(table.notice.get_by_role("button", name="Try now")).to_be_hidden()
    table.wait_for_status("Your turn")
    assert 1.9 <= seen[1] - seen[0] < 20
    expect(table.notice.get_by_text("The server answers again.")).to_be_visible()


def test_the_notice_of_a_busy_service_covers_no_navigation(sit_down):
    table = sit_down("game=tic-tac-toe")
    table.refuse(MOVE, 1, 503, **{"Retry-After": "8"})
    table.cell("a3").click()
    table.notice.get_by_text("Trying again in").wait_for()
    notice, links = table.notice.bounding_box(), table.page.locator(".top").bounding_box()
    assert notice["y"] >= links["y"] + links["height"]


def test_without_a_named_time_it_is_asked_again_all_the_same_but_not_after_an_error(sit_down):
    table = sit_down("game=tic-tac-toe")
    seen = table.refuse(MOVE, 2, 503)
    table.cell("a3").click()
    table.wait_for_status("Your turn")
    assert len(seen) == 3
    seen = table.refuse(MOVE, 99, 500)
    table.cell(table.empties()[0]).click()
    table.wait_for_status("^Paused")
    table.page.wait_for_timeout(1500)
    assert len(seen) == 1, "no endless loop"


def test_a_lost_network_is_said_and_the_game_goes_on_after_it(sit_down):
    table = sit_down("game=tic-tac-toe")
    table.expected_statuses.add("net::ERR")
    table.page.context.set_offline(True)
    table.cell("a3").click()
    table.notice.get_by_text("The server cannot be reached.").wait_for()
    table.expect_board(["X..", "...", "..."])
    table.page.context.set_offline(False)
    table.wait_for_status("Your turn")
    expect(table.marks("O")).to_have_count(1)


def test_trying_now_does_not_wait(sit_down):
    table = sit_down("game=tic-tac-toe")
    seen = table.refuse(MOVE, 5, 502)
    table.page.evaluate("() => void setInterval(() => document.querySelector('#notice-action').click(), 50)")
    table.cell("a3").click()
    table.wait_for_status("Your turn")
    assert len(seen) == 6
    assert seen[-1] - seen[0] < 25, "by itself it waits 31 seconds"


def test_a_server_that_stops_and_starts_again_is_found_again(sit_down):
    with Server.started(KINAROW_WORKERS="1") as server:
        table = sit_down("game=tic-tac-toe", url=server.url)
        table.expected_statuses.add("net::ERR")
        table.cell("a3").click()
        table.wait_for_status("Your turn")
        server.stop()
        table.cell(table.empties()[0]).click()
        table.notice.get_by_text("The server cannot be reached.").wait_for()
        with Server.started(port=server.port, KINAROW_WORKERS="1"):
            expect(table.status).to_have_text(re.compile("Your turn"), timeout=60_000)  # its waits double
            expect(table.marks("O")).to_have_count(2)
            table.page.context.close()


def test_a_refusal_is_shown_and_the_game_can_go_on(sit_down):
    table = sit_down("game=tic-tac-toe")
    table.refuse(MOVE, 1, 422)
    table.cell("a3").click()
    table.notice.get_by_text("try again", exact=True).wait_for()
    table.wait_for_status("^Paused")
    table.press("Continue")
    table.wait_for_status("Your turn")


def test_an_answer_to_an_outdated_position_is_never_played(sit_down):
    """Nor are its hint and its values shown, even where the request could not be taken back in time."""
    table = sit_down("game=tic-tac-toe")
    table.page.evaluate(IN_PAGE["holdBack"], "move")
    held = lambda count: eventually(lambda: table.page.evaluate("window.held.length"), count)  # noqa: E731
    table.cell("a3").click()
    held(1)
    table.press("Undo")
    table.page.get_by_label("Who plays O").select_option("you")
    table.cell("c1").click()
    table.page.evaluate(IN_PAGE["letGo"])
    table.expect_board(["...", "...", "..X"])
    table.press("Hint")
    held(1)
    table.cell("a3").click()
    table.page.evaluate(IN_PAGE["letGo"])
    expect(table.page.locator(".pointer")).to_have_count(0)
    table.page.evaluate(IN_PAGE["holdBack"], "analysis")
    table.page.get_by_role("switch", name="Think along").check()
    held(1)
    for name in ("b2", "c2", "b3"):
        table.cell(name).click()
    table.page.evaluate("() => { for (const resolve of window.held) resolve(); window.held = null; }")
    expect(table.page.locator(".value-list li")).to_have_count(4)
    expect(table.page.locator(".heat")).to_have_count(4)


KEY = "tests-0123456789.~+/="
LINK = "game=tic-tac-toe&x=you&o=computer"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    keys = tmp_path_factory.mktemp("keys") / "keys"
    keys.write_text(f"{KEY}\n")
    with Server.started(KINAROW_WORKERS="1", KINAROW_API_KEYS_FILE=str(keys)) as server:
        yield server.url


@pytest.fixture
def refused(sit_down, guarded):
    table = sit_down(LINK, url=guarded)
    table.expected_statuses.add(401)
    table.cell("a3").click()
    table.page.get_by_role("dialog").wait_for()
    return table


def enter(table, key):
    table.page.get_by_label("API key").fill(key)
    table.press("Use this key")


def test_the_game_goes_on_once_the_right_key_is_there(refused):
    enter(refused, "not-the-right-one")
    refused.page.get_by_text("That key is not known here.").wait_for()
    expect(refused.page.get_by_label("API key")).to_have_value("")
    enter(refused, f" {KEY} ")
    refused.wait_for_status("Your turn")
    expect(refused.marks("O")).to_have_count(1)
    expect(refused.page.get_by_role("dialog")).to_be_hidden()


def test_a_key_lasts_as_long_as_the_tab(refused, sit_down, guarded):
    enter(refused, KEY)
    refused.wait_for_status("Your turn")
    refused.page.reload()
    refused.press("Hint")
    refused.page.locator(".pointer").wait_for()
    assert KEY not in refused.page.evaluate("JSON.stringify([localStorage, document.cookie, location.href])")
    elsewhere = sit_down(LINK, url=guarded)
    elsewhere.expected_statuses.add(401)
    elsewhere.press("Hint")
    elsewhere.page.get_by_role("dialog").wait_for()


def test_the_settings_forget_a_key(refused):
    enter(refused, KEY)
    refused.wait_for_status("Your turn")
    assert KEY not in refused.page.content()
    refused.press("Settings and keys")
    refused.press("Forget it")
    expect(refused.page.locator("#key-note")).to_be_hidden()
    refused.press("Done")
    refused.press("Hint")
    refused.page.get_by_role("dialog").wait_for()


def test_without_a_key_the_page_says_so_and_asks_again_when_told(refused):
    refused.press("Not now")
    refused.notice.get_by_text("This service needs a key").wait_for()
    refused.wait_for_status("^Paused")
    refused.press("Continue")
    refused.page.get_by_role("dialog").wait_for()
    refused.page.keyboard.press("Escape")
    refused.wait_for_status("^Paused")


def test_two_questions_at_once_ask_for_one_key(sit_down, guarded):
    table = sit_down("game=tic-tac-toe&x=you&o=you", url=guarded)
    table.expected_statuses.add(401)
    table.page.evaluate("for (const name of ['#hint', '.along input']) document.querySelector(name).click()")
    table.page.get_by_role("dialog").wait_for()
    enter(table, KEY)
    table.page.locator(".value-list li").first.wait_for()
    table.page.locator(".pointer").wait_for()
    expect(table.page.get_by_role("dialog")).to_be_hidden()
