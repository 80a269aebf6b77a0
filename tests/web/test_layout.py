"""Every state of the page at every size: nothing overlaps, no text is cut, all can be hit, nothing scrolls sideways."""

import pytest

from tests.web.table import IN_PAGE, eventually, expect

SIZES = [(1366, 650), (1366, 768), (1300, 850), (1920, 1080), (1024, 768), (390, 844), (320, 640), (844, 390)]

by_size = "{0[0]}x{0[1]}".format


def as_it_is(table):
    pass


def reviewed(table):
    table.page.locator("#review").click()
    expect(table.page.locator("#statistics")).to_be_visible()
    table.page.locator("#move-back").click()


def thought_about(table):
    table.think_along()


def a_puzzle(table):
    table.page.locator("#to-puzzles").click()
    expect(table.page.locator("#puzzle .next button").first).to_be_visible()


def a_lesson(table):
    expect(table.page.get_by_role("treeitem").first).to_be_visible()


def the_editor(table):
    table.page.keyboard.press("e")
    expect(table.page.locator("#editor")).to_be_visible()


def a_game_of_ones_own(table):
    table.page.locator("#new-game").click()
    table.page.locator("input[value=custom]").check()


def the_settings(table):
    table.page.locator("#keys").click()


def the_atlas(table):
    table.page.goto(f"{table.url}atlas")


def the_api(table):
    table.page.goto(f"{table.url}docs")
    expect(table.page.locator(".opblock").first).to_be_visible()


STATES = {
    "first visit": ("", as_it_is),
    "game": ("game=gomoku&moves=h8h7i9i7g7j10&you=both", as_it_is),
    "values": ("game=tic-tac-toe&moves=b2&you=both", thought_about),
    "layers": ("game=qubic&moves=1.64&you=both", thought_about),
    "review": ("game=connect-four&moves=44533345&you=both", reviewed),
    "end": ("game=tic-tac-toe&moves=1.4.2.5.3&you=X", as_it_is),
    "puzzle": ("", a_puzzle),
    "learn": ("view=learn", a_lesson),
    "editor": ("game=connect-four&moves=44", the_editor),
    "own game": ("", a_game_of_ones_own),
    "settings": ("", the_settings),
    "atlas": ("", the_atlas),
}


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
@pytest.mark.parametrize(
    ("state", "language"),
    [
        *((state, "en") for state in STATES),
        *((state, each) for state in ("game", "learn") for each in ("fr", "es", "ja")),
    ],
)
def test_a_state_is_whole_at_every_size(sit_down, state, language, touch):
    """Targets have 24 pixels, and 44 for fingers."""
    link, act = STATES[state]
    table = sit_down(link, locale=language, touch=touch)
    act(table)
    found = {}
    for width, height in SIZES:
        table.page.set_viewport_size({"width": width, "height": height})
        table.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if wrong := table.page.evaluate(IN_PAGE["wrongPlaces"], 44 if touch else 24):
            found[f"{width}x{height}"] = wrong
    assert found == {}


ARRIVALS = {
    "first visit": ("", {}),
    "link": ("game=gomoku&moves=h8h7i9&you=both", {}),
    "think along": ("", {"kinarow.along": "on"}),
}


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 650), (390, 844)], ids=by_size)
@pytest.mark.parametrize("arrival", ARRIVALS)
def test_nothing_moves_while_the_page_arrives(sit_down, arrival, size):
    """The sum of layout shifts from the first paint to two seconds after all is there."""
    link, kept = ARRIVALS[arrival]
    table = sit_down(size=size, still=False)
    table.page.evaluate("(kept) => Object.assign(localStorage, kept)", kept)
    table.page.goto("about:blank")
    table.open(link)
    shifts = table.page.evaluate(IN_PAGE["layoutShifts"])
    assert sum(value for value, *_ in shifts) < 0.001, shifts


@pytest.mark.parametrize("size", [(844, 390), (320, 640), (683, 325), (640, 360)], ids=by_size)
def test_a_large_board_fits_its_frame_when_it_opens(sit_down, size):
    """On phones and at 200 %: with its coordinates, and until the visitor zooms."""
    table = sit_down("game=gomoku&moves=h8h7&you=both", size=size, touch=True)
    frame = table.page.locator("#board-frame")
    across = "(frame) => frame.scrollWidth - frame.clientWidth + frame.scrollHeight - frame.clientHeight"
    assert frame.evaluate(across) <= 1
    table.press("Larger board")
    eventually(lambda: frame.evaluate(across) > 20)


@pytest.mark.parametrize("size", [(1366, 650), (390, 844)], ids=by_size)
def test_labels_of_a_tree_stay_at_their_boards(sit_down, size):
    """Beside them where columns are wide, else below their middle."""
    table = sit_down("view=learn&lesson=3&step=24", size=size)
    expect(table.page.locator(".explain .count")).to_contain_text("24")
    for node in table.page.locator(".node:not(.pruned)").all():
        board, label = node.locator(".mini").bounding_box(), node.locator(".worth").bounding_box()
        if board and label:
            right, middle = board["x"] + board["width"], board["x"] + board["width"] / 2
            is_beside = 0 <= label["x"] - right <= 8
            is_below = abs(middle - label["x"] - label["width"] / 2) <= 1
            assert is_beside or is_below
            assert abs(label["y"] - board["y"]) <= 2 * board["height"]
