"""Boards of every shape over HTTP, GET /board.svg, which draws them, and POST /tree, which draws their search."""

from xml.etree import ElementTree

import pytest

from kinarow.contract.json_text import dump
from kinarow.play.teaching import MAX_PLIES
from service.routes import drawings
from tests.support.app import check_problem, check_refused, client_with
from tests.support.contract import check_tree
from tests.support.samples import NODES_OF_EMPTY_BOARD


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


def test_what_is_wrong_is_a_problem(ask):
    for query in ("board=XX", "values=1&board=.../.../...", "moves=44", "top=3&board=.../.../..."):
        check_problem(ask.get(f"/board.svg?{query}"), 422)


EMPTY = {"board": ["...", "...", "..."]}


def test_the_empty_board_has_as_many_nodes_as_textbooks_say():
    """20,866 nodes with pruning; plain minimax takes 549,946, which is above the usual bound but may be allowed."""
    client = client_with(max_time_ms=100_000)
    assert client.post("/tree", json=EMPTY).get_json()["nodes"] == 20_866
    refused = client.post("/tree", json={**EMPTY, "pruning": False})
    assert "50000 nodes" in check_refused(refused, "/board")["detail"]


@pytest.mark.slow
def test_without_that_bound_the_whole_tree_of_the_empty_board_is_drawn(monkeypatch):
    monkeypatch.setattr(drawings, "MAX_TREE_NODES", 600_000)
    client = client_with(max_time_ms=100_000)
    answer = client.post("/tree", json={**EMPTY, "pruning": False})
    assert answer.data.startswith(b'{"nodes":%d,' % NODES_OF_EMPTY_BOARD["minimax"])


def test_pruning_is_the_default(ask):
    board = {"board": "X.O/.X./..O"}
    assert (
        ask.answer("/tree", board)
        == ask.answer("/tree", {**board, "pruning": True})
        != ask.answer("/tree", {**board, "pruning": False})
    )


def test_the_server_bounds_the_nodes(ask, monkeypatch):
    whole = ask.answer("/tree", {"board": "X.O/.X./..O"})["nodes"]
    monkeypatch.setattr(drawings, "MAX_TREE_NODES", whole)
    assert ask.answer("/tree", {"board": "X.O/.X./..O"})["nodes"] == whole
    monkeypatch.setattr(drawings, "MAX_TREE_NODES", whole - 1)
    refused = ask.post("/tree", {"board": "X.O/.X./..O"})
    assert f"more than {whole - 1} nodes" in check_refused(refused, "/board")["detail"]


def test_the_deepest_tree_that_is_drawn_can_be_written(ask):
    """A column that fills from the bottom takes 25 plies, and a tree of as many plies as are allowed can be written."""
    request = {"board": [["."]] * 25, "goal": 25, "gravity": True, "columns": 1}
    answer = ask.answer("/tree", request)
    check_tree(request, answer)
    assert answer["nodes"] == 26
    nested = {}
    for _ in range(MAX_PLIES):
        nested = {"children": [nested]}
    assert dump({"root": nested}).count(b"children") == MAX_PLIES
