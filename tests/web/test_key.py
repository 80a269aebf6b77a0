"""A service that asks for a key: the page asks its visitor, keeps the key for the tab and never shows it."""

import re

import pytest

from tests.support.server import Server
from tests.web.table import expect

KEY = "tests-0123456789.~+/="
LINK = "game=tic-tac-toe&x=you&o=computer"


@pytest.fixture(scope="module")
def guarded():
    with Server.started(KINAROW_WORKERS="1", KINAROW_API_KEYS=KEY) as server:
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


def test_the_copied_command_has_a_placeholder_for_the_key(refused):
    enter(refused, KEY)
    refused.wait_for_status("Your turn")
    command = refused.curl()
    assert re.search(r' -H "Authorization: Bearer \$API_KEY" ', command)
    assert KEY not in refused.page.content()
    refused.press("Forget it")
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
