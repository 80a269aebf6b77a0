"""Every way a request can fail: the status, the pointer, and one shape for all."""

import json

import pytest
from werkzeug.exceptions import ImATeapot

from kinarow.contract.problems import KINDS, MAX_ERRORS
from kinarow.game.position_fields import POSITION_REQUIRED
from service.routes import docs, kaggle
from tests.service.conftest import bodies, operations, validate

LONG = "z" * 10_000
ROWS_6x7 = ["......."] * 6

UNPROCESSABLE = [
    # the body as a whole
    ([], ""),
    ("X.O/.X./..O", ""),
    (3, ""),
    (None, ""),
    ({}, "/board"),
    # the board
    ({"board": None}, "/board"),
    ({"board": 5}, "/board"),
    ({"board": {}}, "/board"),
    ({"board": []}, "/board"),
    ({"board": ""}, "/board"),
    ({"board": [[]]}, "/board/0"),
    ({"board": ["...", "..", "..."]}, "/board/1"),
    ({"board": ["...", 5, "..."]}, "/board/1"),
    ({"board": ["..?", "...", "..."]}, "/board/0"),
    ({"board": [[".", ".", "?"], "...", "..."]}, "/board/0/2"),
    ({"board": [[".", ".", True], "...", "..."]}, "/board/0/2"),
    ({"board": ["." * 26] * 3, "goal": 3}, "/board/0"),
    ({"board": ["..."] * 26, "goal": 3}, "/board"),
    # a flat board
    ({"board": ["X", "O", ".", "."]}, "/board"),
    ({"board": "........."}, "/board"),
    ({"board": [0] * 9}, "/board"),
    # a size that does not agree
    ({"board": ["...", "...", "..."], "rows": 4}, "/rows"),
    ({"board": ["...", "...", "..."], "columns": 4}, "/columns"),
    ({"board": ["...", "...", "..."], "rows": 0}, "/rows"),
    ({"board": ["...", "...", "..."], "columns": 26}, "/columns"),
    # the goal and the other rules
    ({"board": ["....", "...."]}, "/goal"),
    ({"board": ["....", "...."], "goal": 5}, "/goal"),
    ({"board": ["....", "...."], "goal": 0}, "/goal"),
    ({"board": ["....", "...."], "goal": 26}, "/goal"),
    ({"board": ["....", "...."], "goal": 3, "gravity": 1}, "/gravity"),
    ({"board": ["....", "...."], "goal": 3, "misere": "true"}, "/misere"),
    ({"board": ["....", "...."], "goal": 3, "exact_goal": None}, "/exact_goal"),
    ({"board": ["...", "...", "..."], "game": "chess"}, "/game"),
    ({"board": ["...", "...", "..."], "game": 5}, "/game"),
    ({"board": ["...", "...", "..."], "game": "gomoku"}, "/game"),
    ({"board": ROWS_6x7, "game": "connect-four", "goal": 5}, "/goal"),
    ({"board": ROWS_6x7, "game": "connect-four", "gravity": False}, "/gravity"),
    ({"board": ROWS_6x7, "game": "gomoku", "misere": True}, "/misere"),
    # whose move it is
    ({"board": ["...", "...", "..."], "to_move": "Z"}, "/to_move"),
    ({"board": ["...", "...", "..."], "to_move": 1}, "/to_move"),
    ({"board": ["...", "...", "..."], "to_move": ""}, "/to_move"),
    ({"board": ["X..", "...", "..."], "to_move": "X"}, "/to_move"),
    # boards at which no game can stand
    ({"board": ["XX.", "...", "..."]}, "/board"),
    ({"board": ["X..", "...", "..."], "gravity": True}, "/board/0"),
    ({"board": ["OOO", "XX.", "X.."], "to_move": "O"}, "/to_move"),
    # budgets, level and seed
    ({"board": ["...", "...", "..."], "max_depth": 0}, "/max_depth"),
    ({"board": ["...", "...", "..."], "max_depth": 626}, "/max_depth"),
    ({"board": ["...", "...", "..."], "max_nodes": 0}, "/max_nodes"),
    ({"board": ["...", "...", "..."], "max_nodes": 100_001}, "/max_nodes"),
    ({"board": ["...", "...", "..."], "max_nodes": 10**19}, "/max_nodes"),
    ({"board": ["...", "...", "..."], "time_limit_ms": 0}, "/time_limit_ms"),
    ({"board": ["...", "...", "..."], "time_limit_ms": -1}, "/time_limit_ms"),
    ({"board": ["...", "...", "..."], "time_limit_ms": 2**53}, "/time_limit_ms"),
    ({"board": ["...", "...", "..."], "level": 0}, "/level"),
    ({"board": ["...", "...", "..."], "level": 11}, "/level"),
    ({"board": ["...", "...", "..."], "seed": -1}, "/seed"),
    ({"board": ["...", "...", "..."], "seed": 2**53}, "/seed"),
    # unknown fields
    ({"board": ["...", "...", "..."], "colour": "red"}, "/colour"),
    ({"board": ["...", "...", "..."], "": 1}, "/"),
    ({"board": ["...", "...", "..."], "a/b~c": 1}, "/a~1b~0c"),
    ({"board": ["...", "...", "..."], "\ud800": 1}, ""),
    ({"board": ["...", "...", "..."], LONG: 1}, "/" + "z" * 99 + "…"),
]
INTEGERS = ["goal", "rows", "columns", "max_depth", "max_nodes", "time_limit_ms", "level", "seed"]
BOOLEANS = ["gravity", "misere", "exact_goal"]

UNREADABLE = [
    (b"", "empty"),
    (b" \r\n\t", "empty"),
    (b"\xff\xfe{}", "not UTF-8"),
    ('{"board": "X.O/.X./..O"}'.encode("utf-16"), "not UTF-8"),
    (b'{"board": "\xed\xa0\x80"}', "not UTF-8"),
    (b"\xef\xbb\xbf{}", "not JSON"),
    (b"{", "not JSON"),
    (b"{}{}", "not JSON"),
    (b"{'board': 1}", "not JSON"),
    (b'{"board": "X\n"}', "not JSON"),
    (b'{"board": "\x00"}', "not JSON"),
    (b'{"goal": NaN}', "NaN"),
    (b'{"goal": -Infinity}', "-Infinity"),
    (b'{"goal": Infinity}', "Infinity"),
    (b'{"goal": 03}', "not JSON"),
    (b'{"goal": +3}', "not JSON"),
    (b'{"goal": .5}', "not JSON"),
    (b'{"goal": 0x3}', "not JSON"),
    (b'{"goal": 3, "goal": 3}', "'goal' appears twice"),
    (b'{"board": "...", "x": {"a": 1, "b": 2, "a": 3}}', "'a' appears twice"),
    (b'{"g\\u006fal": 3, "goal": 3}', "'goal' appears twice"),
    (b"[" * 17 + b"]" * 17, "nested more than 16 deep"),
    (b'{"board":' * 17 + b"1" + b"}" * 17, "nested more than 16 deep"),
    (b"[" * 60_000, "nested more than 16 deep"),
    (b'{"goal": ' + b"1" * 21 + b"}", "more than 20 digits"),
    (b'{"goal": -' + b"1" * 21 + b"}", "more than 20 digits"),
    (b'{"goal": 0.' + b"1" * 20 + b"}", "more than 20 digits"),
    (b'{"goal": 1e' + b"0" * 20 + b"}", "more than 20 digits"),
    (b'{"goal": ' + b"1" * 50_000 + b"}", "more than 20 digits"),
]
BAD_TYPES = [
    None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp",
    "application/json; charset=latin-1",
]  # fmt: skip


def check_problem(response, status):
    """Fail unless it is a problem of this status, in the one shape there is."""
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-ID"]
    assert "ETag" not in response.headers
    problem = json.loads(response.data)
    validate(problem, {"$ref": "#/components/schemas/Problem"})
    assert set(problem) <= {"type", "title", "status", "detail", "instance", "errors", "games"}
    assert problem["status"] == status
    assert {(kind.type, kind.title, kind.status) for kind in KINDS} >= {(problem["type"], problem["title"], status)}
    assert problem["instance"] == response.request.path
    assert ("errors" in problem) == (status == 422)
    return problem


@pytest.mark.parametrize("path", ["/move", "/analysis"])
@pytest.mark.parametrize(("fields", "pointer"), UNPROCESSABLE, ids=lambda value: json.dumps(value)[:60])
def test_what_is_no_valid_request_is_422_and_names_the_field(ask, path, fields, pointer):
    problem = check_problem(ask.post(path, fields), 422)
    assert pointer in {error["pointer"] for error in problem["errors"]}
    assert all(len(error["detail"]) < 300 for error in problem["errors"])


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", ["5", True, 3.5, None, [], {}, 1e300], ids=repr)
def test_an_integer_is_nothing_else(ask, name, value):
    problem = check_problem(ask.post("/move", {"board": "X.O/.X./..O", name: value}), 422)
    assert [error["pointer"] for error in problem["errors"]] == [f"/{name}"]


@pytest.mark.parametrize("name", BOOLEANS)
@pytest.mark.parametrize("value", ["true", 0, 1, None, [], {}], ids=repr)
def test_a_boolean_is_nothing_else(ask, name, value):
    problem = check_problem(ask.post("/move", {"board": "X.O/.X./..O", name: value}), 422)
    assert [error["pointer"] for error in problem["errors"]] == [f"/{name}"]


@pytest.mark.parametrize("path", bodies())
@pytest.mark.parametrize(("body", "part"), UNREADABLE, ids=lambda value: repr(value)[:40])
def test_what_is_no_strict_json_is_400(ask, path, body, part):
    assert part in check_problem(ask.post(path, data=body), 400)["detail"]


@pytest.mark.parametrize("path", [path for path in bodies() if path != kaggle.PATH])
@pytest.mark.parametrize("content_type", BAD_TYPES)
def test_another_content_type_is_415(ask, path, content_type):
    check_problem(ask.post(path, data=b'{"board": "X.O/.X./..O"}', content_type=content_type), 415)


def test_a_compressed_body_is_415(ask):
    body = b'{"board": "X.O/.X./..O"}'
    check_problem(ask.post("/move", data=body, headers={"Content-Encoding": "gzip"}), 415)
    assert ask.post("/move", data=body, headers={"Content-Encoding": "identity"}).status_code == 200


def test_a_body_above_the_limit_is_413_and_one_at_the_limit_is_read(ask, settings):
    body = b'{"board": "X.O/.X./..O"}'
    full = body.ljust(settings.max_body_bytes)
    assert ask.post("/move", data=full).status_code == 200
    check_problem(ask.post("/move", data=full + b" "), 413)


@pytest.mark.parametrize(
    "path",
    [
        "/nothing", "/move/", "/move/5", "/docs/nothing", "/web/../app.py", "/web/%2e%2e/app.py", "/MOVE", "/%00",
        "/💣", "/reviews", "/metrics/nothing",
    ],
)  # fmt: skip
def test_an_unknown_path_is_404(app, path):
    check_problem(app.test_client().get(path), 404) if path.isascii() and "%" not in path else None
    assert app.test_client().get(path).status_code == 404


@pytest.mark.parametrize(("path", "meant"), [("/move/", "/move"), ("/analysis//", "/analysis"), ("/move/5/", None)])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_path_with_a_slash_too_many_gets_the_right_one(app, method, path, meant):
    problem = check_problem(app.test_client().open(path, method=method), 404)
    assert ("/docs lists all paths" in problem["detail"]) == (meant is None)
    assert meant is None or problem["detail"].endswith(f"did you mean {meant}?")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "BREW"])
@pytest.mark.parametrize("path", docs.document()["paths"])
def test_a_wrong_method_is_405_and_says_which_are_allowed(app, method, path):
    known = {known for known, where, _ in operations() if where == path}
    if method in known:
        return
    allowed = {"OPTIONS", *known, *(["HEAD"] if "GET" in known else [])}
    response = app.test_client().open(path, method=method)
    check_problem(response, 405)
    assert set(response.headers["Allow"].split(", ")) == allowed


def test_a_fault_of_the_service_is_500_and_tells_the_client_nothing_of_it(make_asker, capfd):
    class Broken:
        def ask(self, *_):
            raise ZeroDivisionError("a secret detail")

    response = make_asker(recommender=Broken()).post("/move", {"board": "X.O/.X./..O"})
    assert b"secret" not in response.data
    assert b"ZeroDivision" not in response.data
    assert "X-Request-ID" in check_problem(response, 500)["detail"]
    logged = "".join(capfd.readouterr())
    assert "a secret detail" in logged
    assert response.headers["X-Request-ID"] in logged


def test_all_that_is_wrong_is_told_at_once_sorted_by_pointer(ask):
    fields = {"bord": 1, "goal": "3", "level": 99, "seed": None}
    problem = check_problem(ask.post("/move", fields), 422)
    assert problem["errors"] == [
        {"pointer": "/board", "detail": POSITION_REQUIRED},
        {"pointer": "/bord", "detail": "unknown field; did you mean board?"},
        {"pointer": "/goal", "detail": "must be an integer, not '3'"},
        {"pointer": "/level", "detail": "must be at most 10, not 99"},
        {"pointer": "/seed", "detail": "must be an integer, not null"},
    ]
    assert problem["detail"] == f"/board: {POSITION_REQUIRED} (and 4 more)"


def test_only_so_many_errors_are_listed(ask):
    problem = check_problem(ask.post("/move", {f"field{i}": i for i in range(2_000)}), 422)
    assert len(problem["errors"]) == MAX_ERRORS
    assert "(and 2000 more)" in problem["detail"]


@pytest.mark.parametrize(
    "fields",
    [
        {"board": LONG},
        {"board": [LONG]},
        {"board": [[LONG]]},
        {"board": ["..."] * 3, "to_move": LONG},
        {"board": ["..."] * 3, "game": LONG},
        {"board": ["..."] * 3, "goal": LONG},
        {"board": ["..."] * 3, LONG: LONG},
        [LONG],
        LONG,
    ],
    ids=lambda fields: json.dumps(fields)[:40],
)
def test_no_detail_quotes_more_than_100_characters_of_the_input(ask, fields):
    problem = check_problem(ask.post("/move", fields), 422)
    assert "z" * 101 not in json.dumps(problem)


@pytest.mark.parametrize(
    ("fields", "pointer", "part"),
    [
        ({"board": ["..."] * 3, "to_move": "\ud83d"}, "/to_move", "must be Unicode text"),
        ({"board": ["..."] * 3, "\ud83d": 1}, "", "a field's name must be Unicode text"),
    ],
    ids=["value", "name"],
)
def test_lone_surrogates_are_refused(ask, fields, pointer, part):
    """Half a character is refused as what it is: a field's value or a field's name."""
    (error,) = check_problem(ask.post("/move", fields), 422)["errors"]
    assert error["pointer"] == pointer
    assert error["detail"].startswith(part)


def test_a_smaller_board_size_can_be_set(make_asker):
    ask = make_asker(max_side=5)
    assert ask.post("/move", {"board": ["....."] * 5, "goal": 4, "max_nodes": 10}).status_code == 200
    problem = check_problem(ask.post("/move", {"board": ["......"] * 5, "goal": 4}), 422)
    assert problem["errors"][0]["pointer"] == "/board/0"


def test_the_page_of_problems_has_every_type(app):
    page = app.test_client().get("/problems").text
    for kind in KINDS:
        assert f'id="{kind.type.partition("#")[2]}"' in page


def test_a_failure_without_a_kind_of_its_own_has_the_same_shape(make_asker):
    class Teapot:
        def ask(self, *_):
            raise ImATeapot

    response = make_asker(recommender=Teapot())._client.post("/move", json={"board": "X.O/.X./..O"})
    problem = json.loads(response.data)
    assert response.mimetype == "application/problem+json"
    assert (response.status_code, problem["status"], problem["type"]) == (418, 418, "about:blank")
    validate(problem, {"$ref": "#/components/schemas/Problem"})
