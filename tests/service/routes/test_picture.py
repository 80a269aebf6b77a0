"""GET /board.svg: a position as a picture that caches may keep."""

from xml.etree import ElementTree

from tests.support.app import check_problem

SVG = "{http://www.w3.org/2000/svg}"


def texts(response):
    return [each.text for each in ElementTree.fromstring(response.data).iter(f"{SVG}text")]


def test_a_position_is_drawn_with_its_last_move(ask):
    response = ask.get("/board.svg?game=connect-four&moves=4453")
    assert response.mimetype == "image/svg+xml"
    assert texts(response) == list("1234567")
    assert response.data.count(b"<circle") == 1


def test_values_are_those_of_the_analysis(ask):
    moves = ask.get("/analysis?game=ttt&moves=b2a1b1").get_json()["moves"]
    drawn = texts(ask.get("/board.svg?game=ttt&moves=b2a1b1&values=true"))
    assert sorted(drawn[6:] + drawn[:6]) == sorted(
        [f"{move['score']:+d}" if move["score"] else "0" for move in moves] + ["a", "b", "c", "1", "2", "3"]
    )


def test_a_full_gomoku_board_is_small(ask):
    rows = "/".join("XXOO" * 3 + "XXO" if row % 2 else "OOXX" * 3 + "OOX" for row in range(14)) + "/" + "." * 15
    response = ask.get(f"/board.svg?game=gomoku&board={rows}")
    assert response.status_code == 200, response.text
    assert len(response.data) < 10_000


def test_what_is_wrong_is_a_problem(ask):
    for query in ("board=XX", "values=1&board=.../.../...", "moves=44", "top=3&board=.../.../..."):
        check_problem(ask.get(f"/board.svg?{query}"), 422)
