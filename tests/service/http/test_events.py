"""POST /analysis as server-sent events: progress, then the result or what went wrong."""

import threading

import pytest
from werkzeug.test import TestResponse

from kinarow import best_move, score
from kinarow.search_types import SearchInfo
from service.http import events as stream
from service.routes import docs
from service.searches.limiter import Overloaded
from tests.support.app import check_documented, check_problem, client_with, validate, without_cost
from tests.support.server import read_events

STREAM = {"Accept": "text/event-stream"}
NINE = {"board": ["." * 9] * 9, "goal": 5}


def ask(client, fields, accept="text/event-stream") -> TestResponse:
    return client.post("/analysis", json=fields, headers={"Accept": accept})


def test_progress_comes_after_each_iteration_and_then_the_result():
    """The result is the answer that comes without a stream; asked again, it is the only event."""
    client, schemas = client_with(), docs.openapi_document()["components"]["schemas"]
    response = ask(client, NINE)
    assert (response.status_code, response.content_type) == (200, "text/event-stream")
    *progress, result = read_events(response.text)
    assert [event.name for event in progress] == ["progress"] * len(progress)
    assert len(progress) >= 2
    for figure in ("depth", "nodes"):
        figures = [event.data[figure] for event in progress]
        assert figures == sorted(figures)
    for event in progress:
        assert set(event.data["line"][0]) == {"row", "column", "tile"}
        validate(event.data, schemas["AnalysisProgress"])
    assert result.name == "result"
    validate(result.data, schemas["AnalysisAnswer"])
    plain = ask(client_with(), NINE, accept="application/json").get_json()
    assert without_cost(result.data) == without_cost(plain)
    (again,) = read_events(ask(client, NINE).text)
    assert (again.name, again.data["search"]["cached"]) == ("result", True)
    assert without_cost(again.data) == without_cost(plain)


def test_no_cache_keeps_a_stream_and_no_proxy_holds_it_back():
    client = client_with()
    for _ in range(2):
        response = ask(client, NINE)
        assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-store", "no")
        check_documented("/analysis", "post", response)
        response.close()


@pytest.mark.parametrize("accept", [
    "text/event-stream", "Text/Event-Stream", "text/event-stream;q=0.5", "text/event-stream, application/json;q=0.9",
    "text/event-stream, */*;q=0.1", "application/json;q=0.9, text/event-stream",
    "text/event-stream; charset=utf-8", "text/event-stream;q=0.2, application/json;q=0, */*",
    "text/*;q=0.1, text/event-stream;q=0.8, application/*;q=0.7",
])  # fmt: skip
def test_a_client_that_prefers_events_gets_a_stream(app, accept):
    with app.test_request_context(headers={"Accept": accept}):
        assert stream.prefers_events()


@pytest.mark.parametrize("accept", [
    "application/json, text/event-stream;q=0.9", "text/event-stream;q=0", "text/event-stream;q=0.0, */*", "text/*",
    "*/*", "application/json, text/event-stream", "text/event-stream, */*",
    "text/event-stream;q=0.5, */*;q=0.8", "application/*, text/event-stream;q=0.9", "application/json",
    "text/html, application/xhtml+xml", "text/event-streams", "",
    ";;;q=x,text/event-stream;q=nonsense",
])  # fmt: skip
def test_any_other_client_gets_none(app, accept):
    with app.test_request_context(headers=accept and {"Accept": accept}):
        assert not stream.prefers_events()


def test_what_fails_before_the_first_byte_is_an_ordinary_problem(monkeypatch):
    client = client_with()
    monkeypatch.setattr("service.app.MAX_STREAMS", 0)
    without_room = client_with()
    for data, kind, status in (
        (b"{", "application/json", 400), (b"{}", "text/plain", 415),
        (b'{"board": ["XXX"], "goal": 3}', "application/json", 422),
    ):  # fmt: skip
        response = client.post("/analysis", data=data, content_type=kind, headers=STREAM)
        check_problem(response, status)
    refused = ask(without_room, NINE)
    check_problem(refused, 503)
    check_documented("/analysis", "post", refused)
    assert int(refused.headers["Retry-After"]) >= 1
    assert ask(without_room, NINE, accept="application/json").status_code == 200


class Failing:
    """Searches that tell of some progress and then fail."""

    def __init__(self, error, after):
        self.error, self.after = error, after

    def ask(self, kind, question, search, **options):
        for depth in range(self.after):
            question.progress(SearchInfo(0, score.draw(0), (0,), depth, depth))
        raise self.error


def test_what_fails_later_is_an_event_with_the_problem():
    events = read_events(ask(client_with(searching=Failing(RuntimeError("secret"), 2)), NINE).text)
    assert [event.name for event in events] == ["progress", "progress", "error"]
    problem = events[-1].data
    validate(problem, docs.openapi_document()["components"]["schemas"]["Problem"])
    assert (problem["status"], problem["instance"]) == (500, "/analysis")
    assert "secret" not in str(problem)


def test_a_search_that_is_shed_before_it_tells_anything_is_an_ordinary_503():
    response = ask(client_with(searching=Failing(Overloaded("waited"), 0)), NINE)
    check_problem(response, 503)
    assert "Retry-After" in response.headers


def test_a_stream_that_is_closed_early_stops_its_search_and_gives_its_place_back(monkeypatch):
    monkeypatch.setattr("service.app.MAX_STREAMS", 1)
    client = client_with(max_nodes=10**12, max_time_ms=60_000, default_nodes_large=10**12)
    large = {"board": ["." * 15] * 15, "goal": 5, "time_limit_ms": 60_000}
    response = client.post("/analysis", json=large, headers=STREAM, buffered=False)
    chunks = iter(response.response)
    assert next(chunks).startswith(b"id: 1\nevent: progress\n")
    assert any(thread.name == "stream" for thread in threading.enumerate())
    response.close()
    for thread in threading.enumerate():
        if thread.name == "stream":
            thread.join(60)
            assert not thread.is_alive()
    assert ask(client, NINE).status_code == 200


class Silent:
    """Searches that tell nothing until they are let go."""

    def __init__(self):
        self.go_on = threading.Event()

    def ask(self, kind, question, search, **options):
        assert self.go_on.wait(30)
        return best_move(question.position), False


def test_a_search_that_is_silent_at_first_begins_with_a_comment():
    silent = Silent()
    client = client_with(search_wait_ms=0, searching=silent)
    first, *rest = _letting_go(client.post("/analysis", json=NINE, headers=STREAM, buffered=False), silent)
    assert first.startswith(b": ")
    assert [event.name for event in read_events(b"".join(rest).decode())] == ["result"]


def _letting_go(response, silent):
    """The pieces of a stream whose search goes on after the first."""
    for piece in response.response:
        yield piece
        silent.go_on.set()
