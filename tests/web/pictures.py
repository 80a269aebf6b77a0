"""Takes the pictures of the page for the documentation: ``python -m tests.web.pictures`` writes ``docs/images/``.

Each view is a function that brings a table to what its picture shows; the tests take them all too.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.server import Server
from tests.web.table import FLAGS, Table

IMAGES = Path(__file__).parent.parent.parent / "docs" / "images"
DESK, PHONE = (1300, 850), (390, 844)
GAME = "game=connect-four&moves=39.32.25.38.37.40.30.33.31.18&x=you&o=computer"


class View(NamedTuple):
    """A picture: the link it begins with (or a path), what is done then, the size in pixels and whether it is dark."""

    link: str
    arrange: Callable[[Table], None]
    size: tuple[int, int] = DESK
    dark: bool = False


def _start(table: Table) -> None:
    table.wait_for_mark("ready")


def _atlas(table: Table) -> None:
    table.page.get_by_role("table").first.wait_for()


def _values(table: Table) -> None:
    table.think_along()
    table.page.locator(".search-end").get_by_text("The search").wait_for(state="attached")


def _review(table: Table) -> None:
    table.press("Review the moves so far")
    table.statistics()
    table.page.locator(".move").nth(4).click()


def _editor(table: Table) -> None:
    table.more("Edit")
    table.page.get_by_text("Copy this position").click()


def _shapes(table: Table) -> None:
    table.press("New game")
    table.page.get_by_role("radio", name="Your own game").check()
    table.page.get_by_role("combobox", name="Edges").select_option("both")
    table.page.get_by_role("checkbox", name="diagonally down").uncheck()
    board = table.page.get_by_role("dialog").get_by_role("grid")
    board.get_by_role("gridcell", name="c3").click()
    board.scroll_into_view_if_needed()


def _learn(table: Table) -> None:
    table.press("Skip what cannot matter")
    table.page.get_by_text("Step 1 of 90").wait_for()
    table.press("Last step")


VIEWS = {
    "page": View(GAME, _values),
    "page-start": View("", _start),
    "page-atlas": View("/atlas", _atlas),
    "page-review": View(GAME.replace("o=computer", "o=you"), _review, dark=True),
    "page-editor": View("game=tic-tac-toe&moves=5.1.9&x=you&o=you", _editor),
    "page-shapes": View("", _shapes, size=PHONE),
    "page-layers": View("game=qubic&moves=1.64.22.16.43.13.4&x=you&o=you", _start),
    "page-learn": View("view=learn", _learn),
    "page-phone": View("game=renju&moves=112.98.113.96.99.127.84.145&x=you&o=you", _start, size=PHONE),
}


def take(browser: Any, url: str, name: str, folder: Path) -> Path:
    """Write the picture of one view as a PNG into a folder."""
    view = VIEWS[name]
    width, height = view.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if view.dark else "light",
        reduced_motion="reduce",
    )
    try:
        table = Table(context.new_page(), url)
        if view.link.startswith("/"):
            table.page.goto(url + view.link)
        else:
            table.open(view.link)
        view.arrange(table)
        table.page.mouse.move(0, 0)
        path = folder / f"{name}.png"
        table.page.screenshot(path=path)
        return path
    finally:
        context.close()


def main() -> None:
    from playwright.sync_api import sync_playwright

    with Server.started(KINAROW_WORKERS="1") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        with tempfile.TemporaryDirectory() as folder:
            for name in VIEWS:
                path = take(browser, server.url, name, Path(folder))
                (IMAGES / path.name).write_bytes(path.read_bytes())
        browser.close()


if __name__ == "__main__":
    main()
