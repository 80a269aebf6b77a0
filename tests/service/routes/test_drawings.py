"""Boards of every shape over HTTP, GET /board.svg, which draws them, and POST /tree, which draws their search."""

from xml.etree import ElementTree

import pytest

from kinarow.contract.json_text import dump
from kinarow.play.teaching import MAX_PLIES
from service.routes import drawings
from tests.support.app import check_problem, check_refused, client_with
from tests.support.contract import check_tree
from tests.support.samples import NODES_OF_EMPTY_BOARD

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
