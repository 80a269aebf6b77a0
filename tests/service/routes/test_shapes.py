"""Boards of every shape over HTTP, answered as the library does, and GET /board.svg, which draws them."""

from xml.etree import ElementTree

import pytest

from tests.support.app import check_problem


def test_levels_and_trees_and_reviews_know_shapes(ask):
    board = {"board": ["X.#", "O..", "..."], "wrap": "rows", "goal": 3}
    assert ask.post("/move", {**board, "level": 3, "seed": 5}).get_json()["move"]["tile"] not in (1, 3, 4)
    tree = ask.post("/tree", {**board, "max_depth": 2}).get_json()
    assert len(tree["root"]["children"]) == 6
    review = ask.post("/review", {"board": ["..#", "...", "..."], "wrap": "both", "moves": [1, 5, 2]}).get_json()
    assert [move["to_move"] for move in review["moves"]] == ["X", "O", "X"]


def test_forbidden_cells_of_renju_are_no_moves(ask):
    """X has three and two in row 1 with a gap between: d1 makes six."""
    game = {"game": "renju", "moves": "a1 a3 b1 b3 c1 c5 e1 e5 f1 f5", "max_nodes": 2000}
    forbidden = 14 * 15 + 3 + 1
    answer = ask.post("/analysis", game).get_json()
    assert forbidden not in {move["tile"] for move in answer["moves"]}
    assert len(answer["moves"]) == 225 - 10 - 1
    for route in ("/move", "/review"):
        refused = check_problem(ask.post(route, {**game, "moves": game["moves"] + " d1"}), 422)
        assert refused["errors"][0]["pointer"] == "/moves/10"
        assert "overline" in refused["errors"][0]["detail"]
    refused = check_problem(ask.post("/move", {**game, "only": [forbidden]}), 422)
    assert refused["errors"][0]["pointer"] == "/only/0"
    assert ask.post("/move", {**game, "level": 3, "seed": 4}).get_json()["move"]["tile"] != forbidden
    problem = check_problem(ask.post("/move", {"board": ["." * 15] * 15, "game": "renju", "goal": 4}), 422)
    assert problem["errors"][0]["pointer"] == "/game"


def test_caro_is_a_rule_of_a_request(ask):
    closed = {"board": "OXXX.O/O...../......"}
    answer = ask.post("/analysis", {**closed, "goal": 4, "caro": True, "to_move": "X"}).get_json()
    assert {move["tile"]: move["outcome"] for move in answer["moves"]}[5] != "win"
    free = ask.post("/move", {**closed, "goal": 4, "to_move": "X"}).get_json()
    assert (free["move"]["tile"], free["distance"]) == (5, 1)
    problem = check_problem(ask.post("/move", {"board": ".../.../...", "caro": True, "misere": True}), 422)
    assert {error["pointer"] for error in problem["errors"]} == {"/caro", "/misere"}
    by_name = ask.post("/move", {"game": "caro", "moves": "h8", "max_nodes": 500}).get_json()
    assert len(by_name["board"]) == 15


LAYERS = {"board": "XX./OO./...//.../.../...", "goal": 3, "layers": 2}


def test_a_board_with_layers_is_answered_in_layers(ask):
    answer = ask.post("/move", LAYERS).get_json()
    third = {"layer": 0, "row": 0, "column": 2, "tile": 3}
    assert (answer["move"], answer["outcome"], answer["score"]) == (third, "win", 18)
    assert answer["board"] == ["XXX", "OO.", "...", "...", "...", "..."]
    assert [cell["tile"] for cell in answer["after"]["winning_cells"]] == [1, 2, 3]
    assert answer["text"].startswith("X plays tile 3, completing a line")
    queried = ask.get("/move?board=XX./OO./...//.../.../...&goal=3&layers=2").get_json()
    assert queried["move"] == third


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 3, 1), (1, 2, 3), (2, 1, 1), (2, 1, 3), (3, 2, 1), (3, 3, 3)])
@pytest.mark.parametrize("gravity", [False, True])
def test_the_board_of_an_answer_can_be_sent_back_as_it_came(ask, size, gravity):
    layers, rows, columns = size
    game = {"layers": layers, "rows": rows, "columns": columns, "goal": max(size), "gravity": gravity, "max_nodes": 50}
    asked = game
    for _ in range(4):
        answer = ask.post("/analysis", asked).get_json()
        assert [len(row) for row in answer["board"]] == [columns] * (layers * rows)
        asked = {**game, "board": answer["board"]}
        again = ask.post("/move", asked).get_json()
        assert (again["state"], again["winner"]) == (answer["after"]["state"], answer["after"]["winner"])
    assert again["state"] == "ongoing" or again["board"] == answer["board"]


def test_every_path_knows_layers(ask):
    moves = ask.post("/analysis", LAYERS).get_json()["moves"]
    assert {move["layer"] for move in moves} == {0, 1}
    tree = ask.post("/tree", {**LAYERS, "max_depth": 1}).get_json()
    assert len(tree["root"]["children"]) == 14
    assert tree["root"]["children"][-1]["move"] == {"layer": 1, "row": 2, "column": 2, "tile": 18}
    review = ask.post("/review", {"game": "score-four", "moves": [1, {"row": 0, "column": 0}, [2, 0, 0]]})
    assert [move["move"]["layer"] for move in review.get_json()["moves"]] == [0, 1, 2]
    drawn = ask.get("/board.svg?board=XX./OO./...//.../.../...&goal=3&layers=2").get_data(as_text=True)
    assert "layer 2" in drawn


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
