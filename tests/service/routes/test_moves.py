"""POST /moves, each request answered as /move would; and one search for a crowd that asks the same."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from kinarow.contract.problems import MAX_ERRORS
from kinarow.searches import Searches
from service.routes import drawings, moves
from service.searches.limiter import Overloaded
from tests.support.app import check_refused, client_with, without_cost
from tests.support.contract import check_answer

BOARD = "X.O/.X./..O"
HARD = {"board": ["." * 7] * 6, "game": "connect-four"}


def answers(ask, requests):
    """The answers and the problems, of which each place has one."""
    got = ask.answer("/moves", {"requests": requests})["answers"]
    assert all(each.keys() == {"answer", "problem"} and None in each.values() for each in got)
    return [each["answer"] or each["problem"] for each in got]


def test_every_request_gets_its_answer_in_order(ask):
    requests = [
        {"board": BOARD}, {"board": ["XX.", "OO.", "..."], "to_move": "O"}, {"board": ["XXX", "OO.", "..."]},
        {**HARD, "max_nodes": 500}, {"board": ["...", "...", "..."], "level": 3, "seed": 7}, {"board": BOARD},
    ]  # fmt: skip
    got = answers(ask, requests)
    assert len(got) == len(requests)
    for request, answer in zip(requests, got, strict=True):
        check_answer(request, answer)
        assert without_cost(answer) == without_cost(ask.post("/move", request).get_json())
    assert got[5]["search"]["cached"]
    assert answers(ask, []) == []


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        (5, ""), (None, ""), ([], ""), ({}, "/board"), ({"board": "XX./.../..."}, "/board"),
        ({"board": ["X.O", "XX", "..."]}, "/board/1"), ({"board": BOARD, "top": 3}, "/top"),
        ({"board": BOARD, "max_nodes": 10**9}, "/max_nodes"), ({"board": BOARD, "\ud800": 1}, ""),
        ({"board": [["\ud800"]]}, "/board/0/0"),
    ],
)  # fmt: skip
def test_a_bad_request_spoils_no_other(ask, wrong, pointer):
    """Its problem is the one that /move answers, but for the instance."""
    good, problem, again = answers(ask, [{"board": BOARD}, wrong, {"board": BOARD}])
    assert without_cost(good) == without_cost(again)
    assert problem["errors"][0]["pointer"] == pointer
    alone = ask.post("/move", wrong).get_json()
    assert problem == {**alone, "instance": "/moves#/requests/1"}


def test_the_server_bounds_how_many(ask, monkeypatch):
    monkeypatch.setattr(moves, "MAX_BATCH", 2)
    assert len(answers(ask, [{"board": BOARD}] * 2)) == 2
    problem = check_refused(ask.post("/moves", {"requests": [{"board": BOARD}] * 3}), "/requests")
    assert "at most 2" in problem["detail"]


HARD_GAMES = [{"board": ["." * side] * side, "goal": 5} for side in range(8, 18)]


@pytest.mark.parametrize(
    ("path", "asked", "part"),
    [
        ("/moves", {"requests": HARD_GAMES * 2}, '"stopped_by":"time"'),
        ("/review", {"rows": 25, "columns": 25, "goal": 5, "moves": list(range(1, 626, 14))}, '"summary"'),
        ("/tree", {"board": ["." * 25] * 25, "goal": 5, "max_depth": 2, "pruning": False}, "is not finished in time"),
    ],
)
def test_all_searches_of_a_request_end_within_the_cap_of_one(make_asker, monkeypatch, path, asked, part):
    """Searches that would not end, at 300 ms for all of them; what the machine itself takes is allowed for."""
    endless = dict.fromkeys(("max_nodes", "default_nodes", "default_nodes_large"), 10**9)
    monkeypatch.setattr(drawings, "MAX_TREE_NODES", 10**6)
    ask = make_asker(max_time_ms=300, **endless)
    began = time.process_time()
    response = ask.post(path, asked)
    assert time.process_time() - began < 4
    assert part in response.text
    if path == "/moves":
        for request, each in zip(asked["requests"], response.get_json()["answers"], strict=True):
            check_answer(request, each["answer"])


def test_a_known_answer_costs_a_batch_no_time(make_asker):
    """Beside a search that takes all it gets, answers asked before are whole ones from the cache."""
    ask = make_asker(max_time_ms=300, max_nodes=10**12, default_nodes_large=10**12)
    known = {"board": ["......"] * 6, "goal": 6}
    ask.post("/move", {**known, "max_nodes": 1_000})  # loads the kernel, which may take longer than a search may
    whole = ask.post("/move", {**known, "max_nodes": 2_000}).get_json()
    hard, again = answers(ask, [{"board": ["." * 15] * 15, "goal": 5}, {**known, "max_nodes": 2_000}])
    assert hard["search"]["stopped_by"] in ("time", "proof")
    assert again["search"]["cached"]
    assert without_cost(again) == without_cost(whole)


class _Shedding(Searches):
    """Has no room for the second of its searches, and is broken at the third."""

    asked = 0

    def ask(self, kind, question, search, **options):
        self.asked += 1
        if self.asked in (2, 3):
            raise Overloaded("queue_full") if self.asked == 2 else RuntimeError("broken")
        return super().ask(kind, question, search, **options)


def test_each_request_may_take_its_share_of_the_time_that_is_left(monkeypatch):
    left = []

    def answered(question, call, usual=moves.move):
        left.append((question.limits.deadline_ns - time.monotonic_ns()) / 10**10)
        return usual(question, call)

    monkeypatch.setattr(moves, "move", answered)
    client_with(max_time_ms=60_000).post("/moves", json={"requests": [{"board": BOARD}] * 3})
    assert list(map(round, left)) == [2, 3, 6]


def test_a_shed_search_is_a_503_in_its_place_and_a_fault_a_500(make_asker, caplog):
    ask = make_asker(searching=_Shedding(cache_bytes=1 << 20))
    got = answers(ask, [{"board": BOARD}] * 4)
    assert [answer.get("status", 200) for answer in got] == [200, 503, 500, 200]
    assert got[1]["instance"] == "/moves#/requests/1"
    assert "broken" not in got[2]["detail"]
    assert "broken" in caplog.text


def test_a_batch_of_bad_requests_gets_an_answer_of_its_size_and_hints_for_as_many_names_as_one_request(make_asker):
    fields = {"board": BOARD, "colunms": 1, **{f"field{number:03}": 1 for number in range(MAX_ERRORS - 1)}}
    got = answers(make_asker(), [fields] * 100)
    assert [len(each["errors"]) for each in got] == [MAX_ERRORS] + [1] * 99
    assert all(f"{MAX_ERRORS - 1} more" in each["detail"] for each in got)
    assert ["did you mean columns?" in each["errors"][0]["detail"] for each in got] == [True] + [False] * 99
    assert len(str(got)) < 50_000


CROWD = 50
OPEN = {"board": ["." * 15] * 15, "goal": 5, "max_nodes": 20_000}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/move", OPEN), ("/move", {**OPEN, "time_limit_ms": 60_000}), ("/move", {**OPEN, "level": 4, "seed": 1}),
        ("/analysis", OPEN), ("/review", {"rows": 15, "columns": 15, "goal": 5, "moves": [113], "max_nodes": 20_000}),
        ("/tree", {"board": ["X.O", "...", "..."], "goal": 3, "pruning": False, "max_depth": 5}),
    ],
)  # fmt: skip
def test_a_crowd_makes_one_search(path, body):
    app = client_with(searches=1, search_queue=0).application
    ready = threading.Barrier(CROWD)

    def ask(_):
        client = app.test_client()
        ready.wait(30)
        return client.post(path, json=body)

    with ThreadPoolExecutor(CROWD) as pool:
        answers = list(pool.map(ask, range(CROWD)))
    assert [answer.status_code for answer in answers] == [200] * CROWD
    searches = [answer.get_json().get("search", {}) for answer in answers]
    assert sum(search.get("cached") is False for search in searches) == (1 if path in ("/move", "/analysis") else 0)
