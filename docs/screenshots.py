"""Takes the pictures of the page for these pages: ``python -m docs.screenshots``.

It writes into ``docs/images``, or into the folder that is named; a test takes them too.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.server import Server
from tests.web.table import FLAGS, Table

IMAGES = Path(__file__).parent / "images"
DESK, PHONE = (1300, 850), (390, 844)
GAME = "game=connect-four&moves=39.32.25.38.37.40.30.33.31.18&x=you&o="


def start(table: Table) -> None:
    table.wait_for_mark("ready")


def atlas(table: Table) -> None:
    table.page.goto(f"{table.url}atlas")
    table.page.get_by_role("table").first.wait_for()


def values(table: Table) -> None:
    table.think_along()
    table.page.locator(".search-end").get_by_text("The search").wait_for(state="attached")


def review(table: Table) -> None:
    table.press("Review the moves so far")
    table.statistics()
    table.page.locator(".move").nth(4).click()


def editor(table: Table) -> None:
    table.more("Edit")
    table.page.get_by_text("Copy this position").click()


def shapes(table: Table) -> None:
    table.press("New game")
    table.page.get_by_role("radio", name="Your own game").check()
    table.page.get_by_role("combobox", name="Edges").select_option("both")
    table.page.get_by_role("checkbox", name="diagonally down").uncheck()
    board = table.page.get_by_role("dialog").get_by_role("grid")
    board.get_by_role("gridcell", name="c3").click()
    board.scroll_into_view_if_needed()


def learn(table: Table) -> None:
    table.press("Skip what cannot matter")
    table.page.get_by_text("Step 1 of 60").wait_for()
    table.press("Last step")


class View(NamedTuple):
    """A picture: the link it begins with, what is done then, the size in pixels and whether it is dark."""

    link: str
    arrange: Callable[[Table], None]
    size: tuple[int, int] = DESK
    dark: bool = False


VIEWS = {
    "page": View(f"{GAME}computer", values),
    "page-start": View("", start),
    "page-atlas": View("", atlas),
    "page-review": View(f"{GAME}you", review, dark=True),
    "page-editor": View("game=tic-tac-toe&moves=5.1.9&x=you&o=you", editor),
    "page-shapes": View("", shapes, PHONE),
    "page-layers": View("game=qubic&moves=1.64.22.16.43.13.4&x=you&o=you", start),
    "page-learn": View("view=learn", learn),
    "page-phone": View("game=renju&moves=112.98.113.96.99.127.84.145&x=you&o=you", start, PHONE),
}


def take(browser: Any, url: str, name: str, folder: Path) -> Path:
    """Write the picture of a view as a PNG into a folder."""
    link, arrange, (width, height), dark = VIEWS[name]
    scheme = "dark" if dark else "light"
    view: dict[str, Any] = {"viewport": {"width": width, "height": height}, "has_touch": width == PHONE[0]}
    page = browser.new_page(**view, color_scheme=scheme, reduced_motion="reduce")
    try:
        table = Table(page, url)
        table.open(link)
        arrange(table)
        page.mouse.move(0, 0)
        path = folder / f"{name}.png"
        page.screenshot(path=path)
        return path
    finally:
        page.close()


def main() -> None:
    folder = Path(sys.argv[1]) if sys.argv[1:] else IMAGES
    from playwright.sync_api import sync_playwright

    with Server.started(KINAROW_WORKERS="1") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for name in VIEWS:
            take(browser, server.url, name, folder)
        browser.close()


if __name__ == "__main__":
    main()
