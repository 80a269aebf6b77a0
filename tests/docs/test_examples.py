"""Every example of the README and the documentation prints what its page says."""

import shutil

import pytest

from tests.docs.examples import (
    DOCUMENTED_URL,
    EXEMPT,
    Block,
    Example,
    examples,
    pages,
    unexplained,
    web_pages,
)
from tests.support.server import REPOSITORY


@pytest.mark.parametrize("example", examples(), ids=str)
def test_an_example_prints_what_the_page_says(example: Example, live_server) -> None:
    """A block without an answer beside it must at least succeed."""
    if example.missing:
        pytest.skip(f"{example.missing} is not installed")
    printed = example.run(live_server.url)
    if example.answer is not None:
        assert example.comparable(printed) == example.comparable(example.answer.text)


@pytest.mark.parametrize("block", web_pages(), ids=str)
def test_a_web_page_of_the_documentation_gets_an_answer(block: Block, live_server) -> None:
    """A page shows what came back in the element with the id ``answer``."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            page = browser.new_page()
            errors: list[str] = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            # The service's own origin, so that the page may ask it whatever other origins are allowed.
            page.goto(f"{live_server.url}/version")
            page.set_content(block.text.replace(DOCUMENTED_URL, live_server.url))
            playwright.expect(page.locator("#answer")).not_to_be_empty(timeout=20_000)
            assert errors == []
        finally:
            browser.close()


def test_every_block_is_run_or_says_why_not() -> None:
    """A page that holds a command nobody has tried is a page that will be wrong."""
    assert [str(block) for block in unexplained()] == []


def test_the_readme_has_examples() -> None:
    """The runner finds them at all."""
    assert sum(example.page.name == "README.md" and "curl" in example.command for example in examples()) > 3


def test_a_page_that_is_exempt_has_a_reason() -> None:
    """And its name is spelt as that of a page below docs/."""
    assert all(name.startswith("docs/") and name.endswith(".md") and why for name, why in EXEMPT.items())
    assert REPOSITORY / "README.md" in pages()
