"""The web pages that the documentation shows get their answers, in a browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.docs.examples import DOCUMENTED_URL, Block, web_pages

ANSWERED_WITHIN_MS = 20_000


@pytest.mark.parametrize("block", web_pages(), ids=str)
def test_a_documented_page_shows_what_came_back(block: Block, browser, live_server) -> None:
    """In the element with the id ``answer``, move after move until the game is over."""
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    # At the service's own origin, so that the page may ask it whatever other origins are allowed.
    address = f"{live_server.url}/page-of-the-documentation"
    html = block.text.replace(DOCUMENTED_URL, live_server.url)
    page.route(address, lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
    try:
        page.goto(address)
        expect(page.locator("#answer")).not_to_be_empty(timeout=ANSWERED_WITHIN_MS)
        play_to_the_end(page)
        assert errors == []
    finally:
        page.close()


def play_to_the_end(page: Page) -> None:
    """Click the first button that is free until the page says who has won."""
    board = page.locator("#board")
    while "won" not in page.locator("#answer").inner_text():
        before = board.text_content()
        board.locator("button:enabled").first.click()
        page.wait_for_function(
            "(before) => /won/.test(document.querySelector('#answer').textContent) ||"
            " (document.querySelector('#board button:enabled') &&"
            "  document.querySelector('#board').textContent !== before)",
            arg=before,
        )
