"""GET /move: the same fields as parameters, strictly read, and answers that caches may keep."""

import pytest

from tests.service.http.test_problems import check_problem
from tests.service.routes.test_move import without_cost

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


@pytest.mark.parametrize("query", SAME)
def test_every_spelling_of_a_question_has_the_same_tag_and_answer(ask, query):
    first, response = ask.get(f"/move?{BOARD}"), ask.get(f"/move?{query}")
    assert response.headers["ETag"] == first.headers["ETag"]
    assert response.headers["ETag"].startswith('W/"')
    assert response.headers["Cache-Control"] == "public, max-age=86400"
    assert without_cost(response.get_json()) == without_cost(first.get_json())


def test_different_questions_have_different_tags(ask):
    tags = [ask.get(f"/move?{query}").headers["ETag"] for query in [BOARD, *OTHERS]]
    assert len(set(tags)) == len(tags)


def test_get_answers_what_post_answers(ask):
    fields = {"board": "X.O/.X./..O", "misere": True, "max_depth": 3}
    by_query = ask.get(f"/move?{BOARD}&misere=true&max_depth=3").get_json()
    assert without_cost(by_query) == without_cost(ask.post("/move", fields).get_json())


def test_post_answers_have_no_tag(ask):
    response = ask.post("/move", {"board": "X.O/.X./..O"})
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("form", ["{}", '"other", {}', "*", '{}, W/"x"'])
def test_a_client_that_has_the_answer_gets_304(ask, form):
    tag = ask.get(f"/move?{BOARD}").headers["ETag"]
    response = ask.get(f"/move?{SAME[1]}", headers={"If-None-Match": form.format(tag)})
    assert response.status_code == 304
    assert response.data == b""
    assert response.headers["ETag"] == tag
    assert response.headers["Cache-Control"] == "public, max-age=86400"


def test_a_client_that_has_another_answer_gets_this_one(ask):
    tag = ask.get(f"/move?{OTHERS[0]}").headers["ETag"]
    assert ask.get(f"/move?{BOARD}", headers={"If-None-Match": tag}).status_code == 200
    assert ask.get(f"/move?{BOARD}", headers={"If-None-Match": "garbage"}).status_code == 200


def test_a_varied_answer_has_no_tag_and_is_never_304(ask):
    response = ask.get(f"/move?{BOARD}&level=3", headers={"If-None-Match": "*"})
    assert response.status_code == 200
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


def test_an_answer_that_time_cut_short_has_no_tag(make_asker):
    ask = make_asker(max_nodes=10**9, default_nodes_large=10**9)
    response = ask.get("/move?board=" + "/".join(["." * 15] * 15) + "&game=gomoku&time_limit_ms=1")
    assert response.get_json()["search"]["stopped_by"] == "time"
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


def test_a_question_that_is_wrong_is_no_304(ask):
    check_problem(ask.get("/move?board=XX./.../...", headers={"If-None-Match": "*"}), 422)


def test_for_how_long_answers_may_be_kept_is_a_setting(make_asker):
    assert make_asker(max_age_s=60).get(f"/move?{BOARD}").headers["Cache-Control"] == "public, max-age=60"


def test_head_answers_as_get_does_without_the_body(app):
    response = app.test_client().head(f"/move?{BOARD}")
    assert response.status_code == 200
    assert response.headers["ETag"]
    assert response.data == b""


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("", "/board"),
        ("goal=3", "/board"),
        ("board=", "/board"),
        ("board", "/board"),
        (f"{BOARD}&{BOARD}", "/board"),
        (f"{BOARD}&goal=3&goal=3", "/goal"),
        (f"{BOARD}&goal=", "/goal"),
        (f"{BOARD}&goal", "/goal"),
        (f"{BOARD}&goal=3.0", "/goal"),
        (f"{BOARD}&goal=+3", "/goal"),
        (f"{BOARD}&goal=%203", "/goal"),
        (f"{BOARD}&goal=03", "/goal"),
        (f"{BOARD}&goal=0x3", "/goal"),
        (f"{BOARD}&goal=1e0", "/goal"),
        (f"{BOARD}&goal=3_0", "/goal"),
        (f"{BOARD}&goal=%D9%A3", "/goal"),
        (f"{BOARD}&goal=-1", "/goal"),
        (f"{BOARD}&goal=4", "/goal"),
        (f"{BOARD}&seed=" + "9" * 5_000, "/seed"),
        (f"{BOARD}&gravity=True", "/gravity"),
        (f"{BOARD}&gravity=1", "/gravity"),
        (f"{BOARD}&gravity=", "/gravity"),
        (f"{BOARD}&misere=yes", "/misere"),
        (f"{BOARD}&colour=red", "/colour"),
        (f"{BOARD}&Goal=3", "/Goal"),
        (f"{BOARD}&board[]=X", "/board[]"),
        (f"{BOARD}&top=2", "/top"),
        (f"{BOARD}&a/b=2", "/a~1b"),
        (f"{BOARD}&to_move=Z", "/to_move"),
        (f"{BOARD}&game=chess", "/game"),
        (f"{BOARD}&", ""),
        (f"&{BOARD}", ""),
        (f"{BOARD}&=3", ""),
        (f"{BOARD}&%FF=3", ""),
        ("board=%FF", "/board"),
        ("board=X.O", "/board"),
        ("board=%5B%22X.O%22%5D", "/board"),
        ("board=XX./.../...", "/board"),
        ("board=X.?/.../...", "/board/0"),
        ("board=" + "." * 5_000, "/board"),
    ],
    ids=lambda value: value[:50],
)
def test_a_wrong_parameter_is_422_and_named(ask, query, pointer):
    problem = check_problem(ask.get(f"/move?{query}"), 422)
    assert pointer in {error["pointer"] for error in problem["errors"]}


def test_all_wrong_parameters_are_told_at_once(ask):
    problem = check_problem(ask.get("/move?gaol=3&level=x&seed=&misere=1&misere=1"), 422)
    assert problem["errors"] == [
        {"pointer": "/gaol", "detail": "unknown parameter; did you mean goal?"},
        {"pointer": "/level", "detail": "must be a plain decimal integer, not 'x'"},
        {"pointer": "/misere", "detail": "the parameter is repeated"},
        {"pointer": "/seed", "detail": "the parameter is empty"},
    ]
