"""/move and GET /analysis: what may be asked, as a body and as parameters, and what comes back."""

import json
from dataclasses import replace

import pytest

from benchmarks.easy_questions import calls_of_a_new_move
from kinarow.contract.questions import question_of
from kinarow.contract.requests import MoveRequest
from kinarow.search_types import Limits
from service.settings import default_settings
from tests.support.app import CHEAP, check_problem, check_refused, without_cost
from tests.support.server import read_events


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
    with_cache, without = make_asker(), make_asker(cache_bytes=0)
    for board in ("XO./.../...", ["x_o", "_x_", "__o"], [[1, 0, 2], [0, 1, 0], [0.0, 0, 2.0]]):
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


def test_a_picture_with_values_cut_short_by_time_is_never_kept(make_asker):
    for stopped_by, kept in (("proof", True), ("time", False)):
        client = make_asker(searching=Knowing(stopped_by))._client
        headers = client.get("/board.svg?board=X.O/.X./..O&values=true").headers
        assert ("ETag" in headers, headers["Cache-Control"] == "no-store") == (kept, not kept)


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


def test_a_request_may_have_as_many_nodes_as_the_server_allows(ask):
    most = CHEAP["max_nodes"]
    assert ask.post("/move", {"board": "XX./OO./...", "max_nodes": most}).status_code == 200
    problem = check_refused(ask.post("/move", {"board": "XX./OO./...", "max_nodes": most + 1}), "/max_nodes")
    assert f"at most {most} nodes are allowed here" in problem["detail"]


BOARD = "board=X.O/.X./..O"
SAME = [
    "board=X.O/.X./..O", "board=x_o/_x_/__o", "board=1.2%2F.1.%2F..2", "board=X+O/+X+/++O",
    "board=X%20O/%20X%20/%20%20O", "board=X.O/.X./..O&goal=3", "goal=3&board=X.O/.X./..O&misere=false&level=10",
    "board=X.O/.X./..O&game=tic-tac-toe&to_move=x", "board=X.O/.X./..O&rows=3&columns=3",
    "board=X.O/.X./..O&max_nodes=2000&time_limit_ms=99999999",
]  # fmt: skip
OTHERS = [
    "board=X.O/.X./.O.", "board=X.O/.X./..O&goal=2", "board=X.O/.X./..O&gravity=false&misere=true",
    "board=X.O/.X./..O&exact_goal=true", "board=X.O/.X./..O&max_depth=2", "board=X.O/.X./..O&max_nodes=2001",
    "board=X.O/.X./..O&time_limit_ms=9999", "board=X.O/.X./..O&seed=1", "board=X.O/.X./..O&level=9&seed=1",
    "board=O.X/.O./..X", "board=O.X/.X./O..",
]  # fmt: skip


LAYERS = "rows=1&columns=4&layers=2&goal=3&board=X...//"
EMPTY = "board=.../.../..."


@pytest.mark.parametrize(
    ("query", "same"),
    [
        *((BOARD, query) for query in SAME), (f"{LAYERS}...O", f"{LAYERS}...O&gravity=false"),
        (f"{EMPTY}&directions=vertical,diagonal", f"{EMPTY}&directions=diagonal,vertical"),
    ],
)  # fmt: skip
def test_every_spelling_of_a_question_has_the_same_tag_and_answer(ask, query, same):
    first, response = ask.get(f"/move?{query}"), ask.get(f"/move?{same}")
    assert response.headers["ETag"] == first.headers["ETag"]
    assert response.headers["ETag"].startswith('W/"')
    assert response.headers["Cache-Control"] == "public, max-age=86400"
    assert without_cost(response.get_json()) == without_cost(first.get_json())


@pytest.mark.parametrize("path", ["/move", "/analysis"])
def test_get_answers_what_post_answers(ask, path):
    posted = ask.post(path, {"board": "X.O/.X./..O", "misere": True, "max_depth": 3})
    by_query = ask.get(f"{path}?{BOARD}&misere=true&max_depth=3").get_json()
    assert without_cost(by_query) == without_cost(posted.get_json())
    assert "ETag" not in posted.headers
    assert posted.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        f"/move?{BOARD}", "/analysis?game=ttt&moves=b2a1", "/board.svg?board=X../.O./...", "/solve?pos=44", "/atlas",
        "/atlas.json", "/atlas.csv",
    ],
)  # fmt: skip
def test_caches_may_keep_an_answer_and_ask_again(app, path):
    client = app.test_client()
    first = client.get(path)
    assert first.headers["Cache-Control"].startswith("public, max-age=")
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])


@pytest.mark.parametrize("form", ["{}", '"other", {}', "*", '{}, W/"x"'])
def test_a_client_that_has_the_answer_gets_304(ask, form):
    tag = ask.get(f"/move?{BOARD}").headers["ETag"]
    response = ask.get(f"/move?{SAME[1]}", headers={"If-None-Match": form.format(tag)})
    assert (response.status_code, response.data) == (304, b"")
    assert (response.headers["ETag"], response.headers["Cache-Control"]) == (tag, "public, max-age=86400")


def test_a_client_that_has_another_answer_gets_this_one(ask):
    for tag in (ask.get(f"/move?{OTHERS[0]}").headers["ETag"], "garbage"):
        assert ask.get(f"/move?{BOARD}", headers={"If-None-Match": tag}).status_code == 200
    check_problem(ask.get("/move?board=XX./.../...", headers={"If-None-Match": "*"}), 422)


def test_for_how_long_answers_may_be_kept_is_a_setting(make_asker):
    assert make_asker(max_age_s=60).get(f"/move?{BOARD}").headers["Cache-Control"] == "public, max-age=60"


def test_head_answers_as_get_does_without_the_body(app):
    response = app.test_client().head(f"/move?{BOARD}")
    assert (response.status_code, response.data) == (200, b"")
    assert response.headers["ETag"]


WRONG = {
    "": ["&%FF=3"],
    "/": ["&=3"],
    "/board": [f"&{BOARD}"],
    "/goal": [
        "&goal=3&goal=3",
        *(f"&goal={goal}" for goal in ("", "3.0", "+3", "%203", "03", "0x3", "1e0", "3_0", "%D9%A3", "-1", "4")),
        "&goal",
    ],
    "/seed": ["&seed=" + "9" * 5_000],
    "/gravity": ["&gravity=True", "&gravity=1", "&gravity="],
    "/misere": ["&misere=yes"],
    "/to_move": ["&to_move=Z"],
    "/game": ["&game=chess"],
    **{f"/{name.replace('/', '~1')}": [f"&{name}=3"] for name in ("colour", "Goal", "board[]", "top", "a/b")},
}
"""What is added to the query of a board, by the parameter that is then wrong."""
WRONG_BOARDS = ["board=", "board", "goal=3", ""]
WRONG_BOARDS += [f"board={board}" for board in ("X.O", "XX./.../...", "." * 5_000)]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [(BOARD + added, pointer) for pointer, cases in WRONG.items() for added in cases]
    + [(query, "/board") for query in WRONG_BOARDS] + [("board=%FF", ""), ("board=X.?/.../...", "/board/0")]
    + [("board=%5B%22X.O%22%5D", "/board")],
    ids=lambda value: value[:50],
)  # fmt: skip
def test_a_wrong_parameter_is_422_and_named(ask, query, pointer):
    problem = check_problem(ask.get(f"/move?{query}"), 422)
    assert pointer in {error["pointer"] for error in problem["errors"]}


def test_all_wrong_parameters_are_told_at_once(ask):
    problem = check_problem(ask.get("/move?level=x&seed=&misere=1&misere=1"), 422)
    assert problem["errors"] == [
        {"pointer": "/level", "detail": "must be a plain decimal integer, not 'x'"},
        {"pointer": "/misere", "detail": "the parameter is repeated"},
        {"pointer": "/seed", "detail": "the parameter is empty"},
    ]


ANALYSIS = "/analysis?game=tic-tac-toe&moves=b2a1"
EVENTS = {"Accept": "text/event-stream"}


DIFFERENT = [
    *(f"/move?{query}" for query in (BOARD, *OTHERS, f"{LAYERS}O...", f"{LAYERS}...O", "board=.../.%23./...")),
    *(f"/move?{EMPTY}{shape}" for shape in ("", "&wrap=rows", "&wrap=both", "&caro=true")),
    *(f"/move?{EMPTY}&directions={names}" for names in ("vertical", "vertical,diagonal")),
    "/move?game=tic-tac-toe&moves=b2a1", *(f"{ANALYSIS}{more}" for more in ("", "&top=2", "&max_nodes=50", "a2")),
    *(f"/board.svg?board=X../{rest}" for rest in (".O./...", ".O./...&values=true", ".../...&moves=b2", "..O/...")),
]  # fmt: skip


def test_every_question_has_a_tag_of_its_own(ask):
    tags = [ask.get(query).headers["ETag"] for query in DIFFERENT]
    assert len(set(tags)) == len(tags)


def test_an_analysis_varies_with_the_accepted_type_and_a_varied_choice_has_no_tag(ask):
    assert set(ask.get(ANALYSIS).vary) == {"Accept", "Accept-Encoding"}
    varied = ask.get(f"{ANALYSIS}&level=2")
    assert varied.headers["Cache-Control"] == "no-store"
    assert "ETag" not in varied.headers


def test_as_events_it_ends_with_the_result(ask):
    response = ask.get(f"{ANALYSIS}&max_nodes=900", headers=EVENTS)
    assert (response.mimetype, response.headers["Cache-Control"]) == ("text/event-stream", "no-store")
    last = read_events(response.text)[-1]
    assert last.name == "result"
    assert without_cost(last.data) == without_cost(ask.get(f"{ANALYSIS}&max_nodes=900").get_json())


def test_a_source_that_connects_again_is_ended_and_a_mistake_is_a_problem(ask):
    response = ask.get(ANALYSIS, headers={**EVENTS, "Last-Event-ID": "3"})
    assert (response.status_code, response.headers["Cache-Control"]) == (204, "no-store")
    check_problem(ask.get("/analysis?moves=b2", headers=EVENTS), 422)
