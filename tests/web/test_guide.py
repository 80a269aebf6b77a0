"""The guide in a browser: usable by everyone, whole under its own policy, with a search that finds."""

import threading

import pytest
from werkzeug.serving import make_server

from service.app import create_app
from service.routes import docs
from service.settings import default_settings
from tests.support.commands import package
from tests.support.page import AXE
from tests.web.table import expect

Page = package("playwright.sync_api").Page

PAGES = ["", "api.html", "settings.html"]
LOOKS = [(390, "light"), (1300, "dark")]


@pytest.fixture(scope="module")
def site(guide):
    """The service in this process, with the guide that the tests have built."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docs, "GUIDE", guide)
        server = make_server("127.0.0.1", 0, create_app(default_settings()), threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.port}"
        server.shutdown()


@pytest.fixture
def open_page(browser, site):
    """Opens a page of the guide; at the end the console must be free of errors."""
    errors: list[str] = []
    contexts = []

    def opened(path: str, width: int = 1300, scheme: str = "light", **options) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: errors.append(request.url) if not request.url.startswith(site) else None)
        page.goto(f"{site}/guide/{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_violation(open_page, path, width, scheme):
    page = open_page(path, width, scheme, bypass_csp=True)
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run().then((result) => result.violations.map((each) => each.id))")
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_search_finds_a_page(open_page):
    page = open_page("")
    page.get_by_placeholder("Search").first.fill("overline")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results").get_by_role("link", name="The rules").first).to_be_visible()
    page.locator("#search-results").get_by_role("link", name="The rules").first.click()
    expect(page.get_by_role("heading", name="The rules")).to_be_visible()


@pytest.mark.parametrize(("word", "title"), [("cors", "Questions"), ("beginner", "Playing levels")])
def test_the_search_shows_pages_for_readers_before_decisions(open_page, word, title):
    page = open_page(f"search.html?q={word}")
    results = page.locator("#search-results li a")
    expect(results.filter(has_text=title).first).to_be_visible()
    expect(page.locator("#search-results")).to_contain_text("finished")
    decisions = ["decisions/" in link.get_attribute("href") for link in results.all()]
    assert decisions == sorted(decisions)


def test_the_guide_leads_to_the_board_and_the_api(open_page, site):
    page = open_page("decisions/0001-numba.html")
    page.get_by_role("link", name="API", exact=True).click()
    expect(page).to_have_url(f"{site}/docs")
    expect(page.locator("#documentation")).to_contain_text("/analysis")
    page.get_by_role("link", name="Guide", exact=True).click()
    expect(page).to_have_url(f"{site}/guide/")
    page.get_by_role("complementary", name="kinarow").get_by_role("link", name="Play", exact=True).click()
    expect(page).to_have_url(f"{site}/")


def test_on_a_phone_the_head_is_whole_and_no_heading_is_broken_within_a_word(open_page):
    page = open_page("", 390)
    bar, mark = (
        page.locator(".mobile-header").bounding_box(),
        page.locator(".announcement .wordmark svg").bounding_box(),
    )
    assert bar["y"] <= mark["y"]
    assert mark["y"] + mark["height"] <= bar["y"] + bar["height"]
    words = "(heading) => heading.getClientRects().length && heading.scrollWidth <= heading.clientWidth"
    assert page.locator("h1").first.evaluate(words)
    assert page.locator("h1").first.bounding_box()["height"] < 60
    small = "(all) => all.map((each) => each.getBoundingClientRect()).filter((box) => box.width && box.height < 24)"
    alone = ".mobile-header :is(a, label, button), .announcement a, .toc-tree a, .left-details a"
    assert page.locator(alone).evaluate_all(small) == []
    expect(page.locator(".left-details a")).to_be_visible()


def test_a_theme_chosen_on_the_page_holds_in_the_guide(open_page, site):
    page = open_page("", 1300)
    page.goto(f"{site}/")
    page.evaluate("document.getElementById('theme').click()")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    page.evaluate("document.getElementById('theme').click()")
    page.goto(f"{site}/guide/")
    expect(page.locator("body")).to_have_attribute("data-theme", "dark")
    page.goto(f"{site}/atlas")
    expect(page.locator("html.dark-mode")).to_be_attached()
