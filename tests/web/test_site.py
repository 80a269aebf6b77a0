"""The page as files of a static host, in browsers that lose the network after the first visit."""

import json
import re

import pytest

from kinarow.game.rules import PRESETS
from release.site import write_site
from service.routes import docs, page
from tests.support.firefox import READY
from tests.support.page import served
from tests.web.logic import client
from tests.web.table import IN_PAGE, expect

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not page.engine(), reason="no engine is built: make browser")]

GAMES = [*PRESETS]
OWN_GAMES = [
    "rows=6&columns=6&goal=4", "rows=7&columns=8&goal=4&gravity=true", "rows=9&columns=9&goal=4&misere=true",
    "rows=9&columns=8&goal=5&gravity=true&exact_goal=true",
]  # fmt: skip
"""Games of one's own on plain boards, small and large."""
KEPT = "navigator.serviceWorker.ready.then((ready) => ready.active !== null)"
BOARD = "[...document.querySelectorAll('[role=gridcell]')].map((cell) => cell.getAttribute('aria-label')).join()"
LAST_EMPTY = "[...document.querySelectorAll('[role=gridcell]:not([aria-disabled])')].at(-1).dataset.cell"
LIMITS = "sent.filter(({ request }) => request.level === 4).map(({ request }) => request.time_limit_ms)"
"""The time limits of the moves that opponents have thought about."""
PUZZLE = "document.querySelector('#puzzle').checkVisibility()"
PAST_OPENING = ["44444432", "4455", "445533", "12345677", "44435553"]
SLOWER = 4
"""How many times slower a phone is than this machine."""
REPLY_MS = 2000


@pytest.fixture(scope="module")
def folder(tmp_path_factory, guide):
    """The site, with the guide that the tests have built."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docs, "GUIDE", guide)
        write_site(folder)
    return folder


@pytest.fixture
def host(folder):
    """A static host of the site, which a test may stop."""
    with served(folder) as server:
        yield server


@pytest.fixture
def offline(sit_down, host):
    """A table whose network is off after the first visit."""
    table = sit_down(url=host.url)
    assert table.page.evaluate(KEPT)
    table.page.context.set_offline(True)
    table.page.goto("about:blank")
    table.page.set_default_timeout(60_000)
    return table


def test_without_a_network_whole_games_are_played_reviewed_and_puzzles_solved(offline):
    """And no opponent may think about a move for more than three seconds."""
    offline.page.add_init_script(
        "globalThis.sent = []; const { postMessage } = Worker.prototype;"
        "Worker.prototype.postMessage = function (data) { sent.push(data); postMessage.call(this, data); };"
    )
    for game in (*(f"game={name}" for name in GAMES), *OWN_GAMES):
        offline.open(f"{game}&level=4")
        while not offline.is_over():
            offline.page.locator("[role=gridcell]:not([aria-disabled])").last.click(force=True)
            offline.wait_for_turn()
        limits = offline.page.evaluate(LIMITS)
        assert limits
        assert {*limits} == {3000}
        offline.press("Review this game")
        offline.page.locator("#statistics").wait_for()
        expect(offline.page.locator(".move .grade").first).to_be_visible()
    expect(offline.page.locator("#engine-now")).to_have_text("The last answer came from this browser.")
    offline.page.get_by_role("link", name="Puzzles").click()
    offline.page.wait_for_function(f"() => {PUZZLE}")
    offline.press("Solution")
    offline.page.locator("#status").get_by_text("The solution is").wait_for()
    offline.page.get_by_role("link", name="Learn").click()
    offline.page.get_by_text("Step 1 of 22").wait_for()
    offline.open("game=gomoku&you=both")
    offline.more("Edit")
    offline.page.get_by_label("Paste a board or moves").fill("(;FF[4]GM[4]SZ[15];B[hh];W[hi])")
    offline.press("Read it")
    offline.expect_link("moves=h8h7")
    offline.more("Share")
    expect(offline.page.get_by_label("SGF")).to_have_value(re.compile(r";B\[hh\];W\[hi\]"))


@pytest.mark.parametrize("link", ["rows=6&columns=6&goal=4&wrap=both", "game=tic-tac-toe&board=%23../.../..."])
def test_a_board_that_needs_a_service_says_so_and_two_people_can_play_it(offline, link):
    offline.open(link)
    offline.cell("c3").click()
    offline.notice.get_by_text("This game needs a kinarow service").wait_for()
    offline.open(f"{link}&you=both")
    offline.cell("c3").click()
    offline.cell("c2").click()
    for side in "XO":
        expect(offline.marks(side)).to_have_count(1)


def test_without_a_network_the_atlas_and_the_guide_open(offline, folder, host):
    offline.page.context.set_offline(False)
    offline.page.goto(host.url)
    (later,) = re.findall(r"^const LATER = (.+);$", (folder / "service-worker.js").read_text("utf-8"), re.MULTILINE)
    names = json.loads(later)
    assert {"atlas.en.html", "guide/api.html", "guide/index.html"} <= {*names}
    kept = "async (names) => (await Promise.all(names.map((name) => caches.match(name)))).every(Boolean)"
    while not offline.page.evaluate(kept, names):
        offline.page.wait_for_timeout(100)
    for is_away in (False, True):
        offline.page.context.set_offline(is_away)
        offline.page.goto(f"{host.url}atlas.en.html")
        offline.page.get_by_role("heading", level=1, name="Solved games").wait_for()
        offline.page.locator("#proofs summary").click()
        assert offline.page.locator(".proofs a[download]").first.evaluate("async ({ href }) => (await fetch(href)).ok")
    for address in ("atlas.en.html", "guide/api.html", ""):
        offline.page.goto(f"{host.url}{address}")
        offline.page.get_by_role("link", name="Guide", exact=True).first.click()
        expect(offline.page).to_have_url(re.compile(r"/guide/(index|README)\.html$"))


def test_it_can_be_installed_and_links_lead_to_files(offline, folder, host):
    assert (folder / "manifest.webmanifest").is_file()
    offline.page.context.set_offline(False)
    offline.page.goto(host.url)
    offline.wait_for_mark("ready")
    offline.page.get_by_role("link", name="Atlas").click()
    offline.page.get_by_role("heading", level=1, name="Solved games").wait_for()
    offline.page.get_by_role("link", name="Play").click()
    offline.wait_for_mark("ready")


def test_firefox_plays_every_game_after_the_host_has_stopped_and_reviews_one(firefox, host):
    firefox.open(host.url)
    firefox.wait(READY)
    firefox.wait("navigator.serviceWorker.controller")
    host.shutdown()
    host.socket.close()
    over = "/win|draw/.test(document.querySelector('#status').textContent)"
    turn = "/^Your turn/.test(document.querySelector('#status').textContent)"
    for game in reversed(GAMES):
        firefox.open(f"{host.url}#game={game}&level=4")
        firefox.send("browsingContext.reload", context=firefox.context, wait="complete")
        firefox.wait(READY)
        while not firefox.ask(over):
            before = json.dumps(firefox.ask(BOARD))
            firefox.click(f"[data-cell='{firefox.ask(LAST_EMPTY)}']")
            firefox.wait(f"{BOARD} !== {before} && ({over} || {turn})")
    firefox.click("#end-offers button:last-of-type")
    firefox.wait("document.querySelectorAll('.move-list .grade').length >= 5")
    firefox.click("#to-puzzles")
    firefox.wait(PUZZLE)


def test_the_page_of_a_service_goes_on_when_the_service_is_away(sit_down):
    table = sit_down("game=connect-four&level=10", engine="browser")
    table.drop(4)
    table.wait_for_turn()
    table.page.get_by_text("The last answer came from").wait_for(state="attached")
    table.page.evaluate("new Promise((ready) => setTimeout(ready, 5000))")
    table.expected_statuses.add("net::ERR")
    table.page.context.set_offline(True)
    table.drop(4)
    table.wait_for_turn()
    expect(table.notice).to_be_hidden()
    expect(table.page.locator("#engine-now")).to_have_text("The last answer came from this browser.")


def test_boards_with_blocked_cells_are_left_to_the_service(sit_down):
    table = sit_down("game=tic-tac-toe&level=10", engine="browser")
    who = table.page.locator("#engine-now")
    while who.text_content() != "The last answer came from this browser.":
        table.open("game=tic-tac-toe&moves=b2&level=10")
        table.page.wait_for_timeout(1000)
        table.open("game=tic-tac-toe&level=10")
    table.open("game=tic-tac-toe&board=%23../XX./.OO&you=X&level=10")
    table.cell("c3").click()
    table.wait_for_turn()
    expect(who).to_have_text("The last answer came from the service.")


def test_files_that_do_not_come_do_not_hide_that_the_service_is_away(sit_down):
    table = sit_down(engine="browser")
    table.expected_statuses.add("net::ERR")
    table.page.route("**/web/engine/**", lambda route: None)
    table.page.route("**/move", lambda route: route.abort())
    table.page.locator("[role=gridcell]:not([aria-disabled])").first.click(force=True)
    table.notice.get_by_role("button", name="Try now").wait_for()


def test_a_new_site_replaces_its_own_old_pages_and_nothing_of_other_sites(sit_down, tmp_path, monkeypatch):
    pages, folder = tmp_path / "guide", tmp_path / "site"
    pages.mkdir()
    monkeypatch.setattr(docs, "GUIDE", pages)
    (pages / docs.FIRST_PAGE).write_text("old")
    write_site(folder)
    with served(folder) as host:
        table = sit_down(url=host.url)
        table.expected_statuses.add("favicon")
        assert table.page.evaluate(KEPT)
        table.page.evaluate("caches.open('kinarow of another site')")
        table.page.goto(f"{host.url}guide/index.html")
        (pages / docs.FIRST_PAGE).write_text("new")
        write_site(folder)
        table.page.reload()
        expect(table.page.locator("body")).to_have_text("old")
        table.page.evaluate("navigator.serviceWorker.ready.then((ready) => ready.update())")
        table.page.wait_for_function("navigator.serviceWorker.ready.then((ready) => ready.waiting !== null)")
        table.open()
        expect(table.notice).to_contain_text("A new version of this page is here.")
        with table.page.expect_navigation():
            table.press("Reload")
        table.page.goto(f"{host.url}guide/index.html")
        expect(table.page.locator("body")).to_have_text("new")
        names = table.page.evaluate("caches.keys()")
        assert [name.startswith(f"kinarow {host.url} ") for name in sorted(names)] == [True, False]


GAMES_REVIEWED = [
    {"game": "tic-tac-toe", "moves": [1, 9, 5, 7, 8]},
    {"game": "connect-four", "first": "O", "moves": [39, 32, 25, 38, 37, 40, 30, 33, 31, 18]},
    {"game": "misere-tic-tac-toe", "board": ["X..", "...", "..O"], "first": "X", "moves": [5, 2, 4, 6, 3, 7, 8]},
    {"game": "treblecross", "moves": [6, 1, 9]},
    {"game": "qubic", "moves": [1, 64, 22, 16, 43, 13, 4], "max_nodes": 3000},
]


def test_reviews_are_those_of_the_service(sit_down, host):
    table = sit_down(url=host.url)
    folder = f"{host.url}web/engine/{page.engine()}/"
    graded = table.page.evaluate(IN_PAGE["reviews"], [folder, GAMES_REVIEWED])
    for asked, own in zip(GAMES_REVIEWED, graded, strict=True):
        known = client().post("/review", json=asked).json
        assert own == {name: known[name] for name in own}


@pytest.mark.alone
def test_a_phone_answers_at_level_10_within_two_seconds_past_the_opening(sit_down, host):
    """The processor of a worker cannot be slowed down, so its times are multiplied."""
    table = sit_down(url=host.url)
    folder = f"{host.url}web/engine/{page.engine()}/"
    times = table.page.evaluate(IN_PAGE["timesOfMoves"], [folder, PAST_OPENING])
    assert max(times) * SLOWER <= REPLY_MS, times
