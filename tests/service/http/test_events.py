"""POST /analysis as server-sent events: progress, then the result or what went wrong."""

import threading
import time

import pytest
from werkzeug.test import TestResponse

from kinarow import best_move
from kinarow.engine import Answer
from service.http import events as stream
from service.routes import docs
from service.searches.overload import Overloaded
from tests.service.conftest import check_documented, client_with, validate
from tests.service.routes.test_move import without_cost
from tests.support.events import read_events

STREAM = {"Accept": "text/event-stream"}
NINE = {"board": ["." * 9] * 9, "goal": 5}


def ask(client, fields, accept="text/event-stream") -> TestResponse:
    return client.post("/analysis", json=fields, headers={"Accept": accept})


def test_progress_comes_after_each_iteration_and_then_the_result():
    client = client_with()
    response = ask(client, NINE)
    assert response.status_code == 200
    assert response.content_type == "text/event-stream"
    *progress, result = read_events(response.text)
    assert result.name == "result"
    assert [event.name for event in progress] == ["progress"] * len(progress)
    assert len(progress) >= 2
    depths = [event.data["depth"] for event in progress]
    nodes = [event.data["nodes"] for event in progress]
    assert depths == sorted(depths)
    assert nodes == sorted(nodes)
    for event in progress:
        assert event.data["line"]
        assert set(event.data["line"][0]) == {"row", "column", "tile"}
        validate(event.data, docs.document()["components"]["schemas"]["AnalysisProgress"])


def test_the_result_is_the_answer_that_comes_without_a_stream():
    plain = ask(client_with(), NINE, accept="application/json").get_json()
    streamed = read_events(ask(client_with(), NINE).text)[-1].data
    validate(streamed, docs.document()["components"]["schemas"]["AnalysisAnswer"])
    assert without_cost(streamed) == without_cost(plain)
    assert streamed["moves"] == plain["moves"]


def test_the_progress_speaks_of_the_board_that_was_asked_about():
    """A board and its turned copy have one search; each hears of its own cells."""
    board = ["." * 9] * 3 + ["...X.....", "....O....", ".....X..."] + ["." * 9] * 3
    turned = ["".join(column) for column in zip(*reversed(board), strict=True)]
    for rows in (board, turned):
        events = read_events(ask(client_with(), {"board": rows, "goal": 5, "to_move": "O"}).text)
        for event in events[:-1]:
            first = event.data["line"][0]
            assert rows[first["row"]][first["column"]] == "."


def test_an_answer_that_is_known_is_one_event_of_the_same_answer():
    client = client_with()
    first = read_events(ask(client, NINE).text)[-1].data
    again = read_events(ask(client, NINE).text)
    assert [event.name for event in again] == ["result"]
    assert again[0].data["search"]["cached"] is True
    assert without_cost(again[0].data) == without_cost(first)


def test_no_cache_keeps_a_stream_and_no_proxy_holds_it_back():
    client = client_with()
    for _ in range(2):
        response = ask(client, NINE)
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Accel-Buffering"] == "no"
        check_documented("/analysis", "post", response)
        response.close()


@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream", True),
        ("text/event-stream;q=0.5", True),
        ("text/event-stream, application/json;q=0.9", True),
        ("text/event-stream, */*;q=0.1", True),
        ("application/json;q=0.9, text/event-stream", True),
        ("application/json, text/event-stream", True),
        ("text/event-stream; charset=utf-8", True),
        ("application/json, text/event-stream;q=0.9", False),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=0.0, */*", False),
        ("text/*", False),
        ("*/*", False),
        ("application/json", False),
        ("text/html, application/xhtml+xml", False),
        ("text/event-streams", False),
        ("", False),
        (";;;q=x,text/event-stream;q=nonsense", False),
    ],
)
def test_accept_decides(app, accept, streams):
    with app.test_request_context(headers=accept and {"Accept": accept}):
        assert stream.wanted() is streams


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b'{"board": ["XXX"], "goal": 3}', "application/json", 422),
    ],
)
def test_what_fails_before_the_first_byte_is_an_ordinary_problem(data, kind, status):
    response = client_with().post("/analysis", data=data, content_type=kind, headers=STREAM)
    assert response.status_code == status
    assert response.content_type == "application/problem+json"


def test_a_stream_for_which_there_is_no_room_is_an_ordinary_problem():
    client = client_with(streams=0)
    assert ask(client, NINE, accept="application/json").status_code == 200
    refused = ask(client, {"board": ["X........"] + ["." * 9] * 8, "goal": 5})
    assert refused.status_code == 503
    assert refused.content_type == "application/problem+json"
    assert int(refused.headers["Retry-After"]) >= 1
    check_documented("/analysis", "post", refused)


class Failing:
    """A recommender that reports progress and then fails, or fails at once."""

    def __init__(self, error, after=1):
        self.error = error
        self.after = after

    def ask(self, key, question, search, explain):
        from kinarow import score
        from kinarow.search_types import SearchInfo

        for depth in range(self.after):
            question.progress(SearchInfo(0, score.draw(0), (0,), depth, depth))
        raise self.error


def failing_client(error, after):
    return client_with(recommender=Failing(error, after))


def test_what_fails_later_is_an_event_with_the_problem():
    events = read_events(ask(failing_client(RuntimeError("secret"), 2), NINE).text)
    assert [event.name for event in events] == ["progress", "progress", "error"]
    problem = events[-1].data
    validate(problem, docs.document()["components"]["schemas"]["Problem"])
    assert problem["status"] == 500
    assert problem["instance"] == "/analysis"
    assert "secret" not in str(problem)


def test_a_search_that_is_shed_before_it_tells_anything_is_an_ordinary_503():
    response = ask(failing_client(Overloaded("waited"), 0), NINE)
    assert response.status_code == 503
    assert response.content_type == "application/problem+json"
    assert "Retry-After" in response.headers


def test_a_stream_that_is_closed_early_stops_its_search_and_gives_its_place_back():
    client = client_with(streams=1, max_nodes=10**12, max_time_ms=60_000, default_nodes_large=10**12)
    large = {"board": ["." * 15] * 15, "goal": 5, "time_limit_ms": 60_000}
    response = client.post("/analysis", json=large, headers=STREAM, buffered=False)
    chunks = iter(response.response)
    assert next(chunks).startswith(b"id: 1\nevent: progress\n")
    assert any(thread.name == "stream" for thread in threading.enumerate())
    response.close()
    for thread in threading.enumerate():
        if thread.name == "stream":
            thread.join(5)
            assert not thread.is_alive()
    assert ask(client, NINE).status_code == 200


class Slow:
    """A recommender that reports nothing for a while."""

    def ask(self, key, question, search, explain):
        time.sleep(0.6)
        return Answer(best_move(question.position), ()), False


def test_a_search_that_is_silent_at_first_begins_with_a_comment():
    text = ask(client_with(search_wait_ms=0, recommender=Slow()), NINE).text
    assert text.startswith(": ")
    assert [event.name for event in read_events(text)] == ["result"]


def test_requests_that_joined_a_stream_get_the_result():
    client = client_with()
    hard = {"board": ["." * 7] * 6, "game": "connect-four", "max_nodes": 100_000}
    bodies: list[str] = []
    threads = [
        threading.Thread(target=lambda: bodies.append(ask(client.application.test_client(), hard).text))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    results = [read_events(body)[-1] for body in bodies]
    assert [result.name for result in results] == ["result"] * 3
    assert len({str(without_cost(result.data)["moves"]) for result in results}) == 1
    assert [result.data["search"]["cached"] for result in results].count(False) == 1
