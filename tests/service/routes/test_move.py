"""POST /move: what may be asked, in which notations, and what comes back."""

import json
from dataclasses import replace

import pytest

from benchmarks.easy_questions import calls_of_a_new_move
from kinarow.contract.questions import question_of
from kinarow.contract.requests import MoveRequest
from kinarow.game.rules import PRESETS
from kinarow.search_types import Limits
from service.settings import default_settings
from tests.support.app import without_cost

SPELLINGS = [
    ["X.O", ".X.", "..O"], ["x_o", "_x_", "__o"], ["1-2", "-1-", "--2"],
    [["X", ".", "O"], [".", "X", "."], [".", ".", "O"]], [["x", None, "o"], ["", "x", ""], [" ", None, "o"]],
    [[1, 0, 2], [0, 1, 0], [0, 0, 2]], [["1", "0", "2"], ["0", 1, 0], [0.0, 0, 2.0]], "X.O/.X./..O", "x o/ x /  o",
]  # fmt: skip


@pytest.mark.parametrize("board", SPELLINGS, ids=str)
def test_every_notation_means_the_same_board(ask, board):
    one, other = (ask.post("/move", {"board": each}).get_json() for each in (board, SPELLINGS[0]))
    assert without_cost(one) == without_cost(other)


@pytest.mark.parametrize("game", PRESETS)
def test_every_preset_is_known_and_agrees_with_its_own_fields(ask, game):
    preset = PRESETS[game]
    board = ["." * preset.columns] * preset.rows
    asked = {"board": board if preset.layers == 1 else [board] * preset.layers}
    by_name = without_cost(ask.post("/move", {**asked, "game": game}).get_json())
    for fields in (preset.fields(), {"game": game, **preset.fields()}):
        assert without_cost(ask.post("/move", {**asked, **fields}).get_json()) == by_name


def test_a_time_limit_above_the_cap_is_lowered_to_it(make_asker):
    knowing = Knowing("proof")
    ask = make_asker(searching=knowing, max_time_ms=50)
    for fields in ({}, {"time_limit_ms": 2**53 - 1}, {"time_limit_ms": 20}):
        ask.post("/move", {"board": "X.O/.X./..O", **fields})
    assert knowing.limits == [50, 50, 20]


def test_only_json_in_utf_8_is_taken_but_in_any_spelling_of_its_name(ask):
    """And a whole float for an integer, and a byte-order mark before it."""
    body = b'{"board": ["....", "...."], "goal": 3.0, "max_nodes": 1e2}'
    usual = "application/json"
    for content_type in (
        usual,
        "Application/JSON; charset=UTF-8",
        f'{usual};charset="utf-8"',
        f"{usual}; charset=us-ascii",
    ):
        assert ask.post("/move", data=body, content_type=content_type).status_code == 200
        assert ask.post("/move", data=b"\xef\xbb\xbf" + body, content_type=content_type).status_code == 200


def test_the_second_request_is_cached_and_the_third_found_by_its_bytes(make_asker):
    """Without that cache of responses the answers are the same."""
    with_cache, without = make_asker(), make_asker(response_cache_bytes=0)
    for board in ("XO./.../...", *SPELLINGS):
        body = json.dumps({"board": board, "max_nodes": 50_000})
        answers = [ask.post("/move", data=body).get_json() for ask in (with_cache, with_cache, with_cache, without)]
        assert [answer["search"]["cached"] for answer in answers[1:3]] == [True, True]
        assert len({json.dumps(without_cost(answer)) for answer in answers}) == 1


def test_a_new_move_of_a_small_board_takes_few_calls():
    calls = calls_of_a_new_move()
    assert calls.all <= 300
    assert calls.of_service <= 55
    assert calls.depth <= 19


class Knowing:
    """Searches that know every answer, each from a search that ended for this reason."""

    def __init__(self, stopped_by):
        self.stopped_by = stopped_by
        self.kinds, self.limits = [], []

    def ask(self, kind, question, search, **options):
        self.kinds.append(kind.partition(" ")[0])
        self.limits.append(question.limits.time_limit_ms)
        value = search(Limits(1000))
        if kind == "distribution":
            return value, True
        return replace(value, stopped_by=self.stopped_by), True


@pytest.mark.parametrize(
    ("stopped_by", "level", "kinds"), [("time", {}, ["move"]), ("proof", {"level": 3}, ["distribution", "choice"])]
)
def test_an_answer_cut_short_by_time_and_a_varied_choice_are_never_kept(make_asker, stopped_by, level, kinds):
    knowing = Knowing(stopped_by)
    client = make_asker(searching=knowing)._client
    for _ in range(3):
        assert client.post("/move", json={"board": "X.O/.X./..O", **level}).status_code == 200
        query = {"board": "X.O/.X./..O", **level}
        response = client.get("/move", query_string=query, headers={"If-None-Match": "*"} if level else {})
        assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store")
        assert "ETag" not in response.headers
    assert knowing.kinds == kinds * 6


def test_a_choice_with_a_seed_is_kept(make_asker):
    knowing = Knowing("proof")
    client = make_asker(searching=knowing)._client
    for _ in range(3):
        assert client.get("/move?board=X.O/.X./..O&level=3&seed=5").headers["ETag"]
    assert knowing.kinds == ["distribution", "choice"]


@pytest.mark.parametrize(("sent", "threads"), [({}, 1), ({"max_nodes": 10}, 1), ({"time_limit_ms": 10}, 3)])
def test_only_a_request_with_a_time_limit_may_use_several_threads(sent, threads):
    question = question_of(MoveRequest.read({"game": "gomoku", **sent}), default_settings(threads=3))
    assert question.limits.threads == threads
    assert question.repeatable == (threads == 1)
