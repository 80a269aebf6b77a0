"""A real browser at the page of a real server, watched for errors and for requests that leave the server."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.support.commands import package
from tests.support.firefox import Firefox, started
from tests.web.table import FLAGS, Table

WIDE = (1440, 900)


@pytest.fixture(scope="session")
def browser():
    playwright_api = package("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("the page is tested in Chromium: apt-get install chromium")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def firefox(tmp_path) -> Iterator[Firefox]:
    with started(tmp_path) as page:
        yield page


@pytest.fixture(scope="session")
def site(request) -> str:
    """Where the page is; KINAROW_WEB_URL names a server that is running already."""
    return os.environ.get("KINAROW_WEB_URL") or request.getfixturevalue("live_server").url


@pytest.fixture
def sit_down(browser, site) -> Iterator[Callable[..., Table]]:
    """Opens the page: ``sit_down(link, size=, dark=, touch=, still=, url=, engine=)`` gives a ``Table``.

    At the end nothing may have been asked of any other host, and no error may stand in the console,
    but for responses that a test has named in ``table.expected_statuses``.
    """
    tables: list[Table] = []

    def open_table(link="", *, size=WIDE, dark=False, touch=False, still=True, url=None, engine="service", **context):
        opened = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
            has_touch=touch,
            permissions=["clipboard-read", "clipboard-write"],
            **context,
        )
        # What is built in the folder of the page makes no difference to tests of the service.
        opened.add_init_script(f"try {{ localStorage['kinarow.engine'] ??= '{engine}' }} catch {{}}")
        table = Table(opened.new_page(), url or site)
        tables.append(table)
        table.open(link)
        return table

    yield open_table
    for table in tables:
        table.page.context.close()
    for table in tables:
        assert [asked for asked in table.requests if not asked.startswith(table.url)] == []
        assert table.unexpected_errors() == []
