"""The board takes the height that is there, all buttons are in sight, and nothing moves when a game ends."""

import pytest

from tests.web.table import IN_PAGE, expect

SIZES = [(1366, 650), (1280, 720), (1024, 768), (390, 844)]
PHONES = [SIZES[-1], (320, 640)]
TWICE = [(683, 325), (640, 360), (512, 384)]  # the first three windows at 200 %
by_size = "{0[0]}x{0[1]}".format

GAMES = {
    "tic-tac-toe": "1.4.2.5.3", "connect-four": "36.29.37.30.38.31.39", "gomoku": "1.16.2.17.3.18.4.19.5",
    "renju": "113.1.114.3.115.5.116.7.117", "qubic": "1.17.2.18.3.19.4", "score-four": "1.5.2.6.3.7.4",
    "misere-tic-tac-toe": "1.4.2.5.3", "four-by-four": "1.5.2.6.3.7.4", "standard-gomoku": "1.16.2.17.3.18.4.19.5",
    "caro": "1.16.2.17.3.18.4.19.5", "torus-tic-tac-toe": "1.4.2.5.3",
}  # fmt: skip
"""A whole game of each name, as tiles."""

SCROLLED = "() => (({ scrollHeight: h, clientHeight: c }) => h - c)(document.getElementById('board-frame'))"


def places(table, size) -> dict[str, list[float]]:
    """Where each cell and button is; all lie within the window, and the frame of the board hides none."""
    parts = {name: box for name, *box in table.page.evaluate(IN_PAGE["places"])}
    for name, (left, top, right, bottom) in parts.items():
        assert left >= 0 <= top, name
        assert (right, bottom) <= (size[0] + 0.5, size[1] + 0.5), name
    assert table.page.evaluate(SCROLLED) <= 0
    parts.pop("status", None)  # its words change
    return parts


@pytest.mark.parametrize("size", SIZES, ids=by_size)
@pytest.mark.parametrize("game", GAMES)
def test_all_is_in_sight_and_stays_where_it_is(sit_down, game, size):
    table = sit_down(f"game={game}&x=you&o=you", size=size, touch=size in PHONES)
    places(table, size)
    whole = GAMES[game].split(".")
    table.open(f"game={game}&moves={'.'.join(whole[:-1])}&x=you&o=you")
    table.reload()
    during = places(table, size)
    table.page.locator(f"[data-cell='{int(whole[-1]) - 1}']").click()
    table.wait_for_status("win")
    after = places(table, size)
    assert after.pop("again")
    assert after == during


def shown(table, part: str) -> dict[str, float]:
    box = table.page.locator(part).bounding_box()
    assert box
    return box


def in_sight(table, size) -> float:
    frame, foot = shown(table, "#board-frame"), shown(table, ".foot")
    covered = foot["y"] if foot["x"] < frame["x"] + frame["width"] else size[1]
    return min(frame["y"] + frame["height"], covered, size[1]) - max(0, frame["y"])


def test_a_large_board_takes_the_height_of_the_window(sit_down):
    table = sit_down("game=gomoku", size=SIZES[0])
    assert in_sight(table, SIZES[0]) >= 500
    for size in SIZES[1:3]:
        table.page.set_viewport_size({"width": size[0], "height": size[1]})
        assert in_sight(table, size) >= 0.75 * size[1]


@pytest.mark.parametrize("size", TWICE, ids=by_size)
def test_at_200_percent_much_of_the_board_is_in_sight(sit_down, size):
    table = sit_down("game=gomoku&moves=h8h7i9&you=both", size=size)
    assert in_sight(table, size) >= 240
    bar, zoom = shown(table, "#player-x"), shown(table, "#zoom")
    assert zoom["x"] + zoom["width"] <= bar["x"] + bar["width"]
    assert table.page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("size", PHONES, ids=by_size)
def test_on_a_phone_the_board_and_whose_turn_it_is_stay_while_the_rest_scrolls(sit_down, size):
    """The tile that is chosen is in sight, and the board keeps to the margins."""
    table = sit_down("game=score-four", size=size, touch=True)
    tile = shown(table, "#games .tile-button[aria-pressed=true]")
    assert 0 <= tile["x"] <= size[0] - tile["width"]
    moves = "".join(f"{column}{row}" for row in (1, 4) for column in "abcdefghijklmno")
    table.open(f"game=gomoku&you=both&moves={moves}")
    board, frame = shown(table, "#board-frame"), shown(table, ".title")
    assert board["x"] >= frame["x"]
    assert board["x"] + board["width"] <= frame["x"] + frame["width"] + 0.5
    table.page.get_by_role("list", name="Moves").get_by_role("button").last.scroll_into_view_if_needed()
    table.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    bar, status, foot = (shown(table, part) for part in ("#player-o", ".to-move .turn", ".foot"))
    assert bar["y"] >= 0
    assert status["y"] + status["height"] <= foot["y"]
    assert foot["y"] + foot["height"] <= size[1] + 0.5


@pytest.mark.parametrize("size", SIZES, ids=by_size)
@pytest.mark.parametrize("game", ["tic-tac-toe", "gomoku"])
def test_thinking_along_moves_nothing(sit_down, game, size):
    table = sit_down(f"game={game}&you=both", size=size, touch=size in PHONES)
    before = places(table, size)
    table.think_along()
    table.page.evaluate("scrollTo(0, 0)")
    bar, board = shown(table, ".evaluation"), shown(table, "#board")
    assert bar["x"] + bar["width"] <= board["x"] or bar["y"] + bar["height"] <= board["y"]
    assert places(table, size) == before


def test_on_paper_are_the_board_the_moves_and_the_graph(sit_down):
    table = sit_down("game=connect-four&moves=44533345&you=both", size=SIZES[0])
    table.press("Review the moves so far")
    table.page.get_by_text("Statistics").wait_for()
    table.page.emulate_media(media="print")
    expect(table.page.locator("button:not(.move), nav, dialog, .review-note").locator("visible=true")).to_have_count(0)
    board, chart = shown(table, "#board"), shown(table, ".graph")
    moves = [move.bounding_box() for move in table.page.locator(".move").all()]
    assert len(moves) == 8
    assert board["y"] + board["height"] < moves[0]["y"] < moves[-1]["y"] + moves[-1]["height"] <= chart["y"]
    assert table.page.locator("#chart").evaluate("(chart) => getComputedStyle(chart).printColorAdjust") == "exact"


def test_the_atlas_fits_a_phone(sit_down):
    table = sit_down(size=PHONES[0])
    table.page.goto(f"{table.url}atlas")
    size = table.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size[0] <= PHONES[0][0]
    assert size[1] < 9900
    table.page.get_by_text("Other boards").click()
    expect(table.page.get_by_role("table").last).to_be_visible()


@pytest.mark.parametrize("size", SIZES, ids=by_size)
def test_the_names_of_two_strong_computers_are_whole(sit_down, size):
    table = sit_down("game=gomoku&you=none&level_x=10&level_o=10", size=size)
    assert table.page.evaluate(IN_PAGE["listsCutOff"]) == 0


@pytest.mark.parametrize("size", [(1366, 650), (1366, 768), (1920, 1080), (1024, 768)])
@pytest.mark.parametrize("link", ["game=connect-four", "game=gomoku", "game=treblecross"])
def test_board_bars_and_foot_keep_to_one_grid(sit_down, size, link):
    """The bars of both players end where the board does; a short board lies in the middle of the height."""
    table = sit_down(link, size=size)
    box = lambda selector: table.page.locator(selector).bounding_box()  # noqa: E731
    board, bars = box("#board-frame"), (box("#player-o"), box("#player-x"))
    for bar in bars:
        assert abs(bar["x"] - board["x"]) <= 1
        assert abs(bar["x"] + bar["width"] - board["x"] - board["width"]) <= 1
    head = box(".top")["height"]
    above, below = min(bar["y"] for bar in bars), max(bar["y"] + bar["height"] for bar in bars)
    assert abs(above - head - (size[1] - below)) <= 2
    assert abs(box("#move-steps")["x"] - box("#controls")["x"]) <= 1 or box("#move-steps")["y"] == box("#controls")["y"]


@pytest.mark.parametrize("size", [(1366, 768), (1024, 768), (390, 844)], ids=by_size)
def test_head_and_contents_have_one_left_edge_on_all_pages(sit_down, size):
    """The text of the atlas is narrow; there are two columns of games from 1,000 pixels on."""
    table = sit_down(size=size)
    heads = []
    for address in ("#view=play", "#view=learn", "atlas", "problems"):
        table.page.goto(f"{table.url}{address}")
        places = [shown(table, part) for part in (".wordmark >> nth=0", ".top nav a >> nth=0", ".top nav a >> nth=4")]
        heads.append([round(place["x"]) for place in places])
        if address == "atlas":
            text = shown(table, "main p >> nth=0")
            assert abs(text["x"] - heads[0][0]) <= 6
            assert text["width"] <= 560
    assert heads == [heads[0]] * 4
    table.open("game=gomoku")
    if size[0] > 1000:
        tiles = {round(tile.bounding_box()["x"]) for tile in table.page.locator("#games .tile-button").all()}
        assert len(tiles) == 2
        assert abs(shown(table, "#board-frame")["x"] - heads[0][0]) <= 14, "the bar of who is ahead is between"


def test_on_a_phone_a_review_shows_six_rows_of_moves_and_one_part_at_a_time(sit_down):
    size = PHONES[0]
    table = sit_down("game=connect-four&you=both", size=size, touch=True)
    expect(table.page.locator("#move-steps")).to_be_hidden()
    table.open("game=connect-four&you=both&moves=444331543256571513672")
    table.page.locator("#review").click()
    expect(table.announced).to_have_text("The review is ready.")
    table.page.get_by_role("list", name="Moves").get_by_role("button").last.scroll_into_view_if_needed()
    from_y, to_y = shown(table, ".sentence"), shown(table, ".foot")["y"]
    rows = [row.bounding_box() for row in table.page.locator("#move-list > li").all()]
    assert len([row for row in rows if from_y["y"] + from_y["height"] <= row["y"] + 1 <= to_y - row["height"]]) >= 6
    expect(table.page.locator("#chart")).to_be_hidden()
    table.page.get_by_text("Graph", exact=True).click()
    expect(table.page.locator("#chart")).to_be_visible()
    expect(table.page.locator("#move-list")).to_be_hidden()
