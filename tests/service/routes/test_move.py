"""POST /move: what may be asked, in which notations, and what comes back."""

import copy
import json
from dataclasses import replace

import pytest

from kinarow.contract.questions import question_of
from kinarow.contract.requests import MoveRequest
from kinarow.game.rules import PRESETS
from kinarow.search_types import Limits
from service.settings import default_settings

KEYS = {
    "move", "score", "outcome", "distance", "distance_is_bound", "proven", "expected", "to_move", "state", "winner",
    "winning_cells", "line", "best_moves", "best_moves_complete", "board", "after", "search",
}  # fmt: skip
SPELLINGS = [
    ["X.O", ".X.", "..O"],
    ["x_o", "-x-", "  o"],
    ["1.2", ".1.", "002"],
    [["X", ".", "O"], [".", "X", "."], [".", ".", "O"]],
    [["x", None, "o"], ["", "x", ""], ["_", "-", "o"]],
    [[1, 0, 2], [0, 1, 0], [0, 0, 2]],
    [["1", "0", "2"], ["0", 1, " "], [0, None, 2.0]],
    "X.O/.X./..O",
    "x_o/-1-/  2",
]


def without_cost(answer):
    """The answer without what may differ between two askings."""
    search = {name: value for name, value in answer["search"].items() if name not in ("elapsed_ms", "cached")}
    return {**answer, "search": search}


def test_the_answer_has_every_field_of_the_contract(ask):
    response = ask.post("/move", {"board": [["x", "x", "o"], ["o", "_", "_"], ["x", "_", "o"]], "to_move": "X"})
    answer = response.get_json()
    assert response.status_code == 200
    assert set(answer) >= KEYS
    assert set(answer["search"]) == {"depth", "nodes", "elapsed_ms", "stopped_by", "source", "cached"}
    assert answer["move"] == answer["line"][0] == {"row": 1, "column": 2, "tile": 6}
    assert answer["board"] == ["XXO", "O.X", "X.O"]


@pytest.mark.parametrize("board", SPELLINGS, ids=str)
def test_every_notation_means_the_same_board(ask, board):
    assert without_cost(ask.post("/move", {"board": board}).get_json()) == without_cost(
        ask.post("/move", {"board": SPELLINGS[0]}).get_json()
    )


@pytest.mark.parametrize("game", PRESETS)
def test_every_preset_is_known_and_agrees_with_its_own_fields(ask, game):
    preset = PRESETS[game]
    board = ["." * preset.columns] * preset.rows
    if preset.layers > 1:
        board = [board] * preset.layers
    fields = preset.fields()
    by_name = ask.post("/move", {"board": board, "game": game}).get_json()
    assert without_cost(ask.post("/move", {"board": board, "game": game, **fields}).get_json()) == without_cost(by_name)
    assert without_cost(ask.post("/move", {"board": board, **fields}).get_json()) == without_cost(by_name)


def test_a_whole_float_may_be_sent_for_an_integer(ask):
    body = '{"board": ["....", "...."], "goal": 3.0, "max_nodes": 1e2}'
    assert ask.post("/move", data=body).status_code == 200


def test_the_request_is_not_changed(settings):
    fields = {"board": [["x", None, "o"], ["", "x", ""], ["_", "-", "o"]], "to_move": "x", "game": "tic-tac-toe"}
    before = copy.deepcopy(fields)
    question_of(MoveRequest.read(fields), settings)
    assert fields == before


def test_a_time_limit_above_the_cap_is_lowered_to_it(make_asker):
    seen = []

    class Spy:
        def ask(self, key, question, search, explain):
            seen.append(question.limits.time_limit_ms)
            raise ZeroDivisionError

    ask = make_asker(recommender=Spy(), max_time_ms=50)
    for fields in ({}, {"time_limit_ms": 2**53 - 1}, {"time_limit_ms": 20}):
        ask.post("/move", {"board": "X.O/.X./..O", **fields})
    assert seen == [50, 50, 20]


def test_only_json_in_utf_8_is_taken_but_in_any_spelling_of_its_name(ask):
    body = b'{"board": "X.O/.X./..O"}'
    for content_type in ("application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'):
        assert ask.post("/move", data=body, content_type=content_type).status_code == 200


def test_the_second_request_is_cached_and_the_third_found_by_its_bytes(make_asker):
    ask = make_asker()
    body = json.dumps({"board": "XO./.../...", "max_nodes": 50_000})
    answers = [ask.post("/move", data=body).get_json() for _ in range(4)]
    assert [answer["search"]["cached"] for answer in answers] == [False, True, True, True]
    assert len({json.dumps(without_cost(answer)) for answer in answers}) == 1


def test_without_the_response_cache_the_answers_are_the_same(make_asker):
    with_cache, without = make_asker(), make_asker(response_cache_bytes=0)
    for board in SPELLINGS * 3:
        one = with_cache.post("/move", {"board": board}).get_json()
        other = without.post("/move", {"board": board}).get_json()
        assert without_cost(one) == without_cost(other)


class Knowing:
    """A recommender that knows every answer, each from a search that ended for this reason."""

    def __init__(self, stopped_by):
        self.stopped_by = stopped_by
        self.kinds = []

    def ask(self, key, question, search, explain):
        self.kinds.append(key[0])
        value = explain(search(Limits(1000)))
        if key[0] == "distribution":
            return value, True
        return replace(value, result=replace(value.result, stopped_by=self.stopped_by)), True


def test_an_answer_cut_short_by_time_is_never_kept(make_asker):
    hurried = Knowing("time")
    client = make_asker(recommender=hurried)._client
    for _ in range(3):
        assert client.post("/move", json={"board": "X.O/.X./..O"}).status_code == 200
        response = client.get("/move?board=X.O/.X./..O")
        assert response.headers["Cache-Control"] == "no-store"
        assert "ETag" not in response.headers
    assert hurried.kinds == ["move"] * 6


def test_a_varied_choice_is_never_kept(make_asker):
    varied = Knowing("proof")
    client = make_asker(recommender=varied)._client
    for _ in range(2):
        client.post("/move", json={"board": "X.O/.X./..O", "level": 3})
        assert client.get("/move?board=X.O/.X./..O&level=3").headers["Cache-Control"] == "no-store"
    assert varied.kinds == ["distribution", "choice"] * 4
    for _ in range(3):
        assert client.get("/move?board=X.O/.X./..O&level=3&seed=5").headers["ETag"]
    assert varied.kinds[8:] == ["distribution", "choice"]


@pytest.mark.parametrize(("sent", "threads"), [({}, 1), ({"max_nodes": 10}, 1), ({"time_limit_ms": 10}, 3)])
def test_only_a_request_with_a_time_limit_may_use_several_threads(sent, threads):
    question = question_of(MoveRequest.read({"game": "gomoku", **sent}), default_settings(threads=3))
    assert question.limits.threads == threads
    assert question.repeatable == (threads == 1)
