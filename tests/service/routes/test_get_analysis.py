"""GET /analysis: the same fields as parameters, for caches, and events for a browser's EventSource."""

from tests.service.http.test_problems import check_problem
from tests.service.routes.test_move import without_cost
from tests.support.events import read_events

PATH = "/analysis?game=tic-tac-toe&moves=b2a1"
EVENTS = {"Accept": "text/event-stream"}


def test_it_answers_what_post_answers(ask):
    posted = ask.post("/analysis", {"game": "tic-tac-toe", "moves": "b2a1", "top": 2}).get_json()
    asked = ask.get(f"{PATH}&top=2").get_json()
    assert len(asked["moves"]) == 2
    assert without_cost(asked) == without_cost(posted)


def test_caches_may_keep_it_and_ask_again(ask):
    first = ask.get(PATH)
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "public, max-age=86400"
    assert set(first.vary) == {"Accept", "Accept-Encoding"}
    again = ask.get(PATH, headers={"If-None-Match": tag})
    assert again.status_code == 304
    assert again.headers["ETag"] == tag
    assert set(again.vary) == {"Accept", "Accept-Encoding"}


def test_every_question_has_a_tag_of_its_own(ask):
    queries = [PATH, f"{PATH}&top=2", f"{PATH}&max_nodes=50", f"{PATH}a2"]
    tags = [ask.get(query).headers["ETag"] for query in queries]
    tags.append(ask.get("/move?game=tic-tac-toe&moves=b2a1").headers["ETag"])
    assert len(set(tags)) == len(tags)


def test_unrepeatable_answers_are_not_cached(ask):
    response = ask.get(f"{PATH}&level=2")
    assert response.headers["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers


def test_as_events_it_ends_with_the_result(ask):
    response = ask.get(f"{PATH}&max_nodes=900", headers=EVENTS)
    assert response.mimetype == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-store"
    text = response.get_data(as_text=True)
    events = read_events(text)
    assert events[-1].name == "result"
    assert without_cost(events[-1].data) == without_cost(ask.get(f"{PATH}&max_nodes=900").get_json())
    ids = [line for line in text.splitlines() if line.startswith("id: ")]
    assert ids == [f"id: {number}" for number in range(1, len(events) + 1)]


def test_a_source_that_connects_again_is_ended(ask):
    response = ask.get(PATH, headers={**EVENTS, "Last-Event-ID": "3"})
    assert response.status_code == 204
    assert response.headers["Cache-Control"] == "no-store"


def test_a_mistake_is_a_problem_for_a_source_too(ask):
    check_problem(ask.get("/analysis?moves=b2", headers=EVENTS), 422)
