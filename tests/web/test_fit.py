"""Whole boards and all buttons are in sight without scrolling, and nothing moves when a game ends."""

import pytest

SIZES = [(1366, 650), (1280, 720), (1300, 850), (390, 844)]
PHONE = SIZES[-1]

GAMES = {
    "tic-tac-toe": "1.4.2.5.3",
    "connect-four": "36.29.37.30.38.31.39",
    "gomoku": "1.16.2.17.3.18.4.19.5",
    "renju": "113.1.114.3.115.5.116.7.117",
    "qubic": "1.17.2.18.3.19.4",
    "score-four": "1.5.2.6.3.7.4",
    "misere-tic-tac-toe": "1.4.2.5.3",
    "four-by-four": "1.5.2.6.3.7.4",
    "standard-gomoku": "1.16.2.17.3.18.4.19.5",
    "caro": "1.16.2.17.3.18.4.19.5",
    "torus-tic-tac-toe": "1.4.2.5.3",
}
"""A whole game of each name, as tiles."""

PLACES = """() => {
  const parts = document.querySelectorAll("#board .cell, .stage button, .stage select, #status, .top a, .top button");
  const seen = [...parts, document.querySelector(".wordmark svg")].filter((part) => part.checkVisibility());
  return seen.map((part) => {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    return [part.dataset.cell ?? part.id ?? "", left, top, right, bottom];
  });
}"""
CUT_OFF = """() => [...document.querySelectorAll(".player select")].filter((list) => {
  const { width } = list.getBoundingClientRect();
  list.style.position = "fixed";
  return list.getBoundingClientRect().width > width + 0.5;
}).length"""
SCROLLED = "() => (({ scrollHeight: h, clientHeight: c }) => h - c)(document.getElementById('board-frame'))"


def places(table, size) -> dict[str, list[float]]:
    """Where each cell and button is; all lie within the window, and the frame of the board hides none."""
    parts = {name: box for name, *box in table.page.evaluate(PLACES)}
    width, height = size
    outside = {
        name: box
        for name, box in parts.items()
        if box[0] < 0 or box[1] < 0 or box[2] > width + 0.5 or box[3] > height + 0.5
    }
    assert outside == {}
    assert table.page.evaluate(SCROLLED) <= 0
    return parts


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("game", GAMES)
def test_all_is_in_sight_and_stays_where_it_is(sit_down, game, size):
    table = sit_down(f"game={game}&x=you&o=you", size=size)
    places(table, size)
    whole = GAMES[game].split(".")
    table.open(f"game={game}&moves={'.'.join(whole[:-1])}&x=you&o=you")
    table.page.reload()
    table.wait_for_mark("ready")
    during = places(table, size)
    table.page.locator(f"[data-cell='{int(whole[-1]) - 1}']").click()
    table.wait_for_status("win")
    after = places(table, size)
    assert after.pop("again")
    assert {name: box for name, box in after.items() if name != "status"} == {
        name: box for name, box in during.items() if name != "status"
    }


def test_on_a_phone_the_chosen_tile_is_in_sight_and_the_board_keeps_to_the_margins(sit_down):
    table = sit_down("game=score-four", size=PHONE)
    tile = table.page.locator("#games [aria-pressed=true]").bounding_box()
    assert 0 <= tile["x"] <= PHONE[0] - tile["width"]
    table.open("game=gomoku")
    title, board = (table.page.locator(part).bounding_box() for part in (".title", "#board"))
    assert board["x"] >= title["x"]
    assert board["x"] + board["width"] <= title["x"] + title["width"] + 0.5
    assert table.cell("a15").bounding_box()["width"] >= 24


@pytest.mark.parametrize("size", [SIZES[0], PHONE], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("game", ["tic-tac-toe", "gomoku"])
def test_the_bar_beside_the_board_leaves_all_in_sight(sit_down, game, size):
    table = sit_down(f"game={game}&you=both", size=size)
    table.page.get_by_role("switch", name="Think along").check()
    bar = table.page.locator(".evaluation").bounding_box()
    table.page.evaluate("scrollTo(0, 0)")
    places(table, size)
    board = table.page.locator("#board").bounding_box()
    assert bar["x"] + bar["width"] <= board["x"] or bar["y"] + bar["height"] <= board["y"]


@pytest.mark.parametrize("size", [*SIZES, (1024, 768)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_names_of_two_strong_computers_and_the_tree_of_a_lesson_are_whole(sit_down, size):
    table = sit_down("game=gomoku&you=none&level_x=10&level_o=10", size=size)
    assert table.page.evaluate(CUT_OFF) == 0
    table.open("view=learn")
    tree = table.page.locator("#tree").bounding_box()
    assert tree["y"] + tree["height"] <= size[1]
