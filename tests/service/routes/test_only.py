"""The fields only and exclude: the answer is about the moves that are left."""

import pytest

from tests.service.http.test_problems import check_problem
from tests.service.routes.test_move import without_cost

START = {"game": "tic-tac-toe", "moves": "b2a1"}


def tiles(moves):
    return [move["tile"] for move in moves]


@pytest.mark.parametrize(
    "fields",
    [{"only": "a3 b3"}, {"only": [1, 2]}, {"exclude": "c3a2c2b1c1"}, {"only": [[0, 0], {"row": 0, "column": 1}]}],
)
def test_only_the_allowed_moves_are_chosen_and_listed(ask, fields):
    move = ask.post("/move", {**START, **fields}).get_json()
    analysis = ask.post("/analysis", {**START, **fields}).get_json()
    assert move["move"]["tile"] in (1, 2)
    assert sorted(tiles(analysis["moves"])) == [1, 2]
    assert analysis["best_moves_complete"] is True
    assert set(tiles(analysis["best_moves"])) <= {1, 2}
    assert (move["score"], move["text"]) == (analysis["score"], analysis["text"])


def test_a_restriction_that_leaves_all_moves_changes_nothing(ask):
    free = ask.get("/move?game=ttt&moves=b2a1")
    restricted = ask.get("/move?game=ttt&moves=b2a1&only=a3b3c3a2c2b1c1")
    assert restricted.headers["ETag"] == free.headers["ETag"]
    assert without_cost(restricted.get_json()) == without_cost(free.get_json())
    assert ask.get("/move?game=ttt&moves=b2a1&only=a3").headers["ETag"] != free.headers["ETag"]


def test_symmetric_requests_have_symmetric_answers(ask):
    found = [
        ask.post("/move", {"game": "ttt", "moves": "", "only": corner}).get_json()
        for corner in ("a1", "a3", "c1", "c3")
    ]
    assert [answer["move"]["tile"] for answer in found] == [7, 1, 9, 3]
    assert [answer["search"]["cached"] for answer in found][1:] == [True, True, True]


@pytest.mark.parametrize("level", range(1, 10))
def test_every_level_keeps_to_the_allowed_moves(ask, level):
    for seed in range(5):
        answer = ask.post("/move", {**START, "only": [4, 9], "level": level, "seed": seed}).get_json()
        assert answer["move"]["tile"] in (4, 9)
        assert set(tiles(answer["best_moves"])) <= {4, 9}


def test_no_reason_compares_with_moves_that_were_not_looked_at(ask):
    answer = ask.post("/move", {"game": "connect4", "moves": "4453", "exclude": "3"}).get_json()
    codes = [reason["code"] for reason in answer["reasons"]]
    assert "proven_loss" in codes
    assert "longest_defence" not in codes


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"only": "b2"}, "/only/0"),
        ({"exclude": [1, 5]}, "/exclude/1"),
        ({"only": ""}, "/only"),
        ({"only": []}, "/only"),
        ({"exclude": []}, "/exclude"),
        ({"only": "d4"}, "/only/0"),
        ({"only": None}, "/only"),
        ({"only": "a3", "exclude": "b3"}, "/exclude"),
        ({"exclude": "a3b3c3a2c2b1c1"}, "/exclude"),
        ({"moves": [1, 4, 2, 5, 3], "only": "c3"}, "/only/0"),
    ],
)
def test_a_restriction_that_cannot_be_is_named(ask, fields, pointer):
    for path in ("/move", "/analysis"):
        response = ask.post(path, {**START, **fields})
        check_problem(response, 422)
        assert response.get_json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("fields", "meant"),
    [({"only": [4, 5]}, '"only": "45"'), ({"exclude": [0]}, '"exclude": "1"'), ({"only": [4, 8]}, "")],
)
def test_columns_sent_as_tiles_get_the_text_that_was_meant(ask, fields, meant):
    problem = check_problem(ask.post("/move", {"game": "connect-four", **fields}), 422)
    assert problem["errors"][0]["detail"].partition("; did you mean ")[2] == (f"{meant}?" if meant else "")


def test_trees_and_reviews_know_no_restriction(ask):
    for path in ("/tree", "/review"):
        response = ask.post(path, {**START, "only": "a3"})
        assert response.get_json()["errors"] == [{"pointer": "/only", "detail": "unknown field"}]


def test_an_answer_says_where_it_comes_from(ask):
    searched = ask.post("/move", START).get_json()
    booked = ask.post("/move", {"game": "connect4", "moves": "44"}).get_json()
    over = ask.post("/move", {"game": "ttt", "moves": [1, 4, 2, 5, 3]}).get_json()
    assert [answer["search"]["source"] for answer in (searched, booked, over)] == ["search", "book", "rules"]
