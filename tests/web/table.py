"""The page as a visitor sits at it: what is on the board, what is said, what can be done."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.commands import package

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE_MS = 30_000
"""How long a page may take for one thing, also on a machine that is busy with others."""
FLAGS = [
    "--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
"""How Chromium is started: without a display, and without asking anybody anything."""


_WRITTEN = (Path(__file__).parent / "js" / "in-page.mjs").read_text("utf-8")
IN_PAGE = dict(re.findall(r"^export const (\w+) = (.+?);(?:\n\n|\n\Z)", _WRITTEN, re.DOTALL | re.MULTILINE))
"""The functions of ``js/in-page.mjs``, as ``page.evaluate`` takes them."""


def expect(actual: Any, message: str | None = None) -> Any:
    """Playwright's assertions, which wait: a page may answer an action later than the action returns."""
    playwright = package("playwright.sync_api")
    playwright.expect.set_options(timeout=PATIENCE_MS)
    return playwright.expect(actual, message)


def eventually(read: Callable[[], Any], expected: Any = True) -> None:
    """Read until it is what is expected, for what Playwright has no assertion for."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while (found := read()) != expected:
        assert time.monotonic() < until, f"{found} is not {expected}"
        time.sleep(0.05)


class Table:
    """A page of kinarow in a browser."""

    def __init__(self, page: "Page", url: str) -> None:
        self.page = page
        self.url = url.rstrip("/") + "/"
        self.requests: list[str] = []  # the addresses of everything that was asked for
        self.errors: list[str] = []
        self.expected_statuses: set[int | str] = set()  # failures that the test has brought about itself
        page.set_default_timeout(PATIENCE_MS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(f"{error}\n{error.stack}"))
        page.on("console", self._console)

    def _console(self, message) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.text} {message.location.get('url')}")

    def unexpected_errors(self) -> list[str]:
        expected = [str(status) for status in self.expected_statuses]
        return [error for error in self.errors if not any(each in error for each in expected)]

    def open(self, link: str = "") -> None:
        """Go to a link of the page, such as ``game=connect-four``, and wait until everything is there."""
        self.page.goto(f"{self.url}#{link}" if link else self.url)
        self.wait_for_mark("ready")

    def reload(self) -> None:
        self.page.reload()
        self.wait_for_mark("ready")

    def wait_for_mark(self, mark: str) -> None:
        """Wait for a mark that the page sets: ``first board``, or ``ready`` once the rest is there too."""
        self.page.wait_for_function("(mark) => performance.getEntriesByName(mark).length > 0", arg=mark)

    def cell(self, name: str) -> "Locator":
        """The cell with a name such as ``b2``, or ``column 4 row 1`` where stones fall."""
        return self.page.get_by_role("gridcell", name=re.compile(rf"^{name}, "))

    def drop(self, *columns: int) -> None:
        for column in columns:
            self.cell(f"column {column} row 1").click(force=True)

    def board(self) -> list[str]:
        """The rows of the board as a screen reader hears them."""
        rows = self.page.get_by_role("grid").get_by_role("row").all()
        return ["".join(_mark(name) for name in _labels(row.get_by_role("gridcell"))) for row in rows]

    def expect_board(self, rows: list[str]) -> None:
        eventually(self.board, rows)

    def marks(self, side: str) -> "Locator":
        """The cells with the marks of ``X`` or ``O``, or with none: ``.``."""
        words = "|".join([word for word, mark in MARKS.items() if mark == side] + [re.escape(side)])
        return self.page.get_by_role("gridcell", name=re.compile(rf"^[^,]+, ({words})(,|$)"))

    def empties(self) -> list[str]:
        labels = self.page.get_by_role("gridcell").and_(self.page.locator(":not([aria-disabled])"))
        return [label.split(",")[0] for label in _labels(labels)]

    def expect_link(self, part: str) -> None:
        """The address has this part."""
        expect(self.page).to_have_url(re.compile(re.escape(part)))

    @property
    def status(self) -> "Locator":
        return self.page.locator("#status")

    @property
    def notice(self) -> "Locator":
        return self.page.locator("#notice")

    @property
    def announced(self) -> "Locator":
        return self.page.locator("#announcer")

    def wait_for_status(self, pattern: str) -> None:
        expect(self.status).to_have_text(re.compile(pattern))

    def wait_for_turn(self) -> None:
        """Wait until the visitor is to move or the game is over."""
        self.wait_for_status(r"^Your turn|win|draw|to move$")

    def is_over(self) -> bool:
        return bool(re.search("win|draw", self.status.inner_text()))

    def play_to_the_end(self) -> None:
        """Click the first empty cell whenever it is the visitor's turn."""
        while not self.is_over():
            self.cell(self.empties()[0]).click()
            self.wait_for_turn()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def more(self, name: str) -> None:
        self.press("More")
        self.press(name)

    def statistics(self) -> None:
        self.page.get_by_text("Statistics", exact=True).click()
        self.page.get_by_role("table").wait_for()

    def set(self, switch: str, on: bool) -> None:
        """Set a switch of the settings."""
        self.press("Settings and keys")
        self.page.get_by_role("dialog").get_by_role("switch", name=switch).set_checked(on)
        self.press("Done")

    def copied(self) -> str:
        return self.page.evaluate("navigator.clipboard.readText()")

    def think_along(self) -> None:
        """Let the service value the position, and wait until it has."""
        self.page.get_by_role("switch", name="Think along").check()
        self.page.locator(".value-list li").first.wait_for()

    def refuse(self, pattern: str, times: int, status: int = 503, **headers: str) -> list[float]:
        """Answer the next requests to a path with a failure; gives the times at which they came."""
        seen: list[float] = []
        self.expected_statuses.add(status)

        def handle(route) -> None:
            seen.append(time.monotonic())
            if len(seen) > times:
                route.continue_()
                return
            problem = {"type": "/problems#unavailable", "title": "Busy", "status": status, "detail": "try again"}
            route.fulfill(
                status=status, headers=headers, content_type="application/problem+json", body=json.dumps(problem)
            )

        self.page.route(pattern, handle)
        return seen

    def stream(self, path: str) -> None:
        """Answer each request to a path by a stream without an end, whose events are those that ``tell`` sends."""
        self.page.evaluate(IN_PAGE["streamWithoutEnd"], path)

    def tell(self, event: str, data) -> None:
        """Send an event to the newest stream."""
        self.page.wait_for_function("() => window.tell")
        self.page.evaluate("([event, data]) => window.tell(event, data)", [event, json.dumps(data)])

    def axe(self, source: str) -> list[str]:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(source)
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        found = self.page.evaluate("(values) => axe.run({ runOnly: { type: 'tag', values } })", tags)
        return [
            f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]


def _labels(cells: "Locator") -> list[str]:
    return cells.evaluate_all("(all) => all.map((each) => each.getAttribute('aria-label'))")


MARKS = {"empty": ".", "Black": "X", "Red": "X", "White": "O", "Yellow": "O"}


def _mark(label: str) -> str:
    word = label.split(", ")[1]
    return MARKS.get(word, word)
