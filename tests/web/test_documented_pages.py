"""The web pages that the documentation shows, which play with a service of another origin, and its pictures."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.settings import Settings
from tests.support.commands import package, run
from tests.support.examples import DOCUMENTED_URL, Block, web_pages
from tests.support.page import served
from tests.support.server import REPOSITORY, Server
from tests.web.table import expect

Page = package("playwright.sync_api").Page


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A web server that serves the files of ``tmp_path``."""
    with served(tmp_path) as server:
        yield server.url.rstrip("/")


@pytest.fixture
def page(browser) -> Iterator[Page]:
    opened = browser.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert errors == []


def save(block: Block, folder: Path, service: str) -> str:
    (folder / "page.html").write_text(block.text.replace(DOCUMENTED_URL, service), "utf-8")
    return "/page.html"


@pytest.mark.parametrize("block", web_pages(), ids=str)
def test_a_documented_page_plays_to_the_end_though_the_service_fails_in_between(
    block: Block, page: Page, site: str, tmp_path: Path
) -> None:
    """The page says what happened, and the next click goes on once the service is back."""
    with Server.started(KINAROW_WORKERS="1", KINAROW_CORS_ORIGINS=site) as server:
        page.goto(site + save(block, tmp_path, server.url))
        assert page.evaluate("document.characterSet") == "UTF-8"
        answer = page.locator("#answer")
        expect(answer).to_contain_text("Your turn")
        server.stop()
        before = page.locator("#board").text_content()
        page.locator("#board button:enabled").first.click()
        expect(answer).to_contain_text(f"No answer from {server.url}.")
        expect(page.locator("#board")).to_have_text(before)
        settings = {"KINAROW_WORKERS": "1", "KINAROW_CORS_ORIGINS": site, "KINAROW_PORT": str(server.port)}
        with Server.started(ready=False, **settings) as again:
            again.url = server.url
            again.wait_until_ready()
            play_to_the_end(page)


@pytest.mark.parametrize("from_file", [False, True], ids=["on a site", "opened as a file"])
@pytest.mark.parametrize("block", web_pages(), ids=str)
def test_a_page_that_may_not_ask_names_the_setting_that_lets_it(
    block: Block, page: Page, site: str, tmp_path: Path, live_server: Server, from_file: bool
) -> None:
    """Also if the first request of all is refused."""
    path = save(block, tmp_path, live_server.url)
    page.goto(f"file://{tmp_path}{path}" if from_file else site + path)
    answer = page.locator("#answer")
    expect(page.locator("#board button:enabled").first).to_be_visible()
    page.locator("#board button:enabled").first.click()
    allowed = "*" if from_file else site
    assert Settings(cors_origins=allowed)
    expect(answer).to_contain_text(f"KINAROW_CORS_ORIGINS allow {allowed}?")
    expect(page.locator("#board button:enabled").first).to_be_visible()


def play_to_the_end(page: Page) -> None:
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


IMAGES = REPOSITORY / "docs" / "images"


@pytest.mark.slow
def test_every_view_is_pictured(tmp_path):
    """Taken anew, each is a PNG of the same size, as its first 24 bytes say."""
    package("playwright.sync_api")
    if shutil.which("chromium") is None:
        pytest.skip("the page is pictured in Chromium: apt-get install chromium")
    run(sys.executable, "-m", "docs.screenshots", tmp_path, seconds=500)
    taken, kept = (
        {path.name: path.read_bytes()[:24] for path in folder.glob("page*.png")} for folder in (tmp_path, IMAGES)
    )
    assert taken == kept
