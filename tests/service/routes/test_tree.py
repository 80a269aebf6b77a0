"""POST /tree: the search of a small position as a teacher draws it."""

import pytest

from kinarow.contract.json_text import dump
from kinarow.play.teaching import MAX_PLIES
from service.routes import drawings
from tests.support.app import check_refused, client_with
from tests.support.contract import check_tree
from tests.support.samples import NODES_OF_EMPTY_BOARD

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
