"""A crowd that asks one hard question makes one search: there is one slot, and no queue for another."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.app import client_with

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
