"""A crowd that asks one hard question makes one search: there is one slot, and no queue for another."""

import threading

import pytest

from tests.service.conftest import client_with

CROWD = 50
OPEN = {"board": ["." * 15] * 15, "goal": 5, "max_nodes": 20_000}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/move", OPEN),
        ("/move", {**OPEN, "time_limit_ms": 60_000}),
        ("/move", {**OPEN, "level": 4, "seed": 1}),
        ("/analysis", OPEN),
        ("/review", {"rows": 15, "columns": 15, "goal": 5, "moves": [113], "max_nodes": 20_000}),
        ("/tree", {"board": ["X.O", "...", "..."], "goal": 3, "pruning": False, "max_depth": 5}),
    ],
)
def test_a_crowd_makes_one_search(path, body):
    app = client_with(searches=1, search_queue=0).application
    ready, answers = threading.Barrier(CROWD), []

    def ask() -> None:
        client = app.test_client()
        ready.wait(30)
        answers.append(client.post(path, json=body))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [answer.status_code for answer in answers] == [200] * CROWD
    searches = [answer.get_json().get("search", {}) for answer in answers]
    assert sum(search.get("cached") is False for search in searches) == (1 if path in ("/move", "/analysis") else 0)
