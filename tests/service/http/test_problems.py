"""Every way a request can fail: the status, the pointer, and one shape for all."""

import json

import pytest
from werkzeug.exceptions import ImATeapot

from kinarow.contract import problems
from kinarow.contract.problems import KINDS, MAX_ERRORS, ProblemType
from kinarow.reading.positions import POSITION_REQUIRED
from service.routes import adapters, docs
from tests.support.app import Broken, bodies, check_problem, check_refused, validate

LONG = "z" * 10_000
RIGHT = {"board": "X.O/.X./..O"}
REFUSED = [
    # The paths; what each request of the row has; the wrong values of a field, or what is added by the pointers of all
    # errors that it causes.
    ("/move /analysis", {}, {
        "board": [None, ["XX.", "...", "..."]], "/board": [{}, {"board": ["..."] * 26, "goal": 3}],
        "/board/0/2": [{"board": [[".", ".", "?"], "...", "..."]}], "/board/1": [{"board": ["...", 5, "..."]}],
        "/goal": [{"rows": 6, "columns": 7}], "/to_move": [{"board": "X../.../...", "to_move": "X"}],
        "/first": [{"game": "connect-four", "first": "O"}],
        "/game": [{"game": "gomoku", "rows": 3, "columns": 3}],
    }),
    ("/move /analysis", {"board": ["....", "...."]}, {"goal": [5, 0, 26]}),
    ("/move /analysis", {"board": ["...", "...", "..."]}, {
        "rows": [4, 0], "columns": [4, 26], "gravity": [1], "misere": ["true"], "exact_goal": [0],
        "game": ["chess", 5, "gomoku"], "to_move": ["Z", 0, ""], "max_depth": [0, 626], "level": [0, 11],
        "max_nodes": [0, 100_001, 10**19], "time_limit_ms": [0, -1, 2**53], "seed": [-1, 2**53], "colour": ["red"],
        "/": [{"": 1}], "/a~1b~0c": [{"a/b~c": 1}], "": [{"\ud800": 1}], "/" + "z" * 99 + "…": [{LONG: 1}],
    }),
    ("/move /analysis /tree", {"game": "connect-four"}, {
        "moves": [None, 4453], "/moves/0": [{"moves": [4453]}], "/moves/4": [{"moves": "4453x"}],
        "/moves/6": [{"moves": "4444444"}], "board": [["X"] * 41],
    }),
    ("/move /analysis /tree", {"game": "connect-four", "moves": "4"}, {
        "to_move": ["X"], "first": [0], "rows": [26], "game": ["conect-four"],
    }),
    ("/move /analysis", {"game": "tic-tac-toe", "moves": "b2a1"}, {
        "only": ["", []], "/only/0": [{"only": "b2"}, {"only": "d4"}, {"moves": [1, 4, 2, 5, 3], "only": "c3"}],
        "/exclude/1": [{"exclude": [1, 5]}],
        "/exclude": [{"exclude": ""}, {"only": "a3", "exclude": "b3"}, {"exclude": "a3b3c3a2c2b1c1"}],
    }),
    ("/move", {"board": "XX./OO./...//.../.../...", "goal": 3, "layers": 2}, {
        "layers": [3, True], "directions": [["vertical"]],
        "/board/1/1": [{"gravity": True, "board": ".../.../...//.../.X./..."}],
    }),
    ("/move", {"board": "X../.../...", "moves": [5]}, {
        "first": ["X"], "/moves/0": [{"board": "XXX/OO./...", "moves": [6]}],
    }),
    ("/move /analysis", {"game": "renju", "moves": "a1a3b1b3c1c5e1e5f1f5"}, {
        "/only/0": [{"only": "d1"}, {"only": [14 * 15 + 4]}],
    }),
    ("/move", {"board": ".../.#./..."}, {"wrap": [True], "/directions/1": [{"directions": ["vertical", "up"]}]}),
    ("/moves", {}, {
        "requests": [{}, None, [RIGHT] * 101], "/requests": [{}], "/board": [{"requests": [], **RIGHT}],
    }),
    ("/review", {"game": "tic-tac-toe"}, {
        "record": [None], "/record": [{"moves": [5], "record": None}],
        "moves": [5], "/moves": [{}], "/moves/1": [{"moves": [1, 1]}],
    }),
    ("/review", {"game": "tic-tac-toe", "moves": [5]}, {
        "to_move": ["X"], "level": [3], "rows": [0], "columns": ["3"], "only": ["a3"], "first": ["Z"],
        "max_nodes": [100_001], "max_depth": [626], "game": ["chess"],
        "/game": [{"rows": 2, "columns": 2}], "/game /goal": [{"goal": 4}],
    }),
    ("/review", {"moves": [1]}, {"/columns /rows": [{}]}),
    ("/tree", RIGHT, {
        "pruning": [1], "max_depth": [0], "max_nodes": [5], "level": [5], "only": ["a3"],
        "board": ["XXX/OOO/..."], "/goal": [{"board": "..../..../....", "goal": 5}],
        "/board": [{"board": ["." * side] * side, "goal": side} for side in (15, 25)],
    }),
]  # fmt: skip


def refused():
    """The requests of the table, each with its path and its pointers."""
    for paths, common, cases in REFUSED:
        for name, wrong in cases.items():
            for each in wrong:
                is_pointer = not name or name.startswith("/")
                fields = {**common, **(each if is_pointer else {name: each})}
                for path in paths.split():
                    yield path, fields, (name if is_pointer else f"/{name}").split() or [""]


INTEGERS = ["goal", "rows", "columns", "max_depth", "max_nodes", "time_limit_ms", "level", "seed"]
BOOLEANS = ["gravity", "misere", "exact_goal"]

UNREADABLE = [
    (b"", "no length"), (b" \r\n\t", "empty"), (b"\xff\xfe{}", "not UTF-8"),
    ('{"board": "X.O/.X./..O"}'.encode("utf-16"), "not UTF-8"), (b'{"board": "\xed\xa0\x80"}', "not UTF-8"),
    (b"\xef\xbb\xbf", "empty"), (b"{", "not JSON"), (b"{}{}", "not JSON"), (b"{'board': 1}", "not JSON"),
    (b'{"board": "X\n"}', "not JSON"), (b'{"board": "\x00"}', "not JSON"), (b'{"goal": NaN}', "NaN"),
    (b'{"goal": -Infinity}', "-Infinity"), (b'{"goal": Infinity}', "Infinity"), (b'{"goal": 03}', "not JSON"),
    (b'{"a": "b', "Unterminated string starting at line 1"),
    (b'{"goal": +3}', "not JSON"), (b'{"goal": .5}', "not JSON"), (b'{"goal": 0x3}', "not JSON"),
    (b'{"goal": 3, "goal": 3}', "'goal' appears twice"),
    (b'{"board": "...", "x": {"a": 1, "b": 2, "a": 3}}', "'a' appears twice"),
    (b'{"g\\u006fal": 3, "goal": 3}', "'goal' appears twice"), (b"[" * 17 + b"]" * 17, "nested more than 16 deep"),
    (b'{"board":' * 17 + b"1" + b"}" * 17, "nested more than 16 deep"), (b"[" * 60_000, "nested more than 16 deep"),
    (b'{"goal": ' + b"1" * 21 + b"}", "more than 20 digits"), (b'{"goal": -' + b"1" * 21 + b"}", "more than 20 digits"),
    (b'{"goal": 0.' + b"1" * 20 + b"}", "more than 20 digits"),
    (b'{"goal": 1e' + b"0" * 20 + b"}", "more than 20 digits"),
    (b'{"goal": ' + b"1" * 50_000 + b"}", "more than 20 digits"),
]  # fmt: skip
BAD_TYPES = [
    None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp",
    "application/json; charset=latin-1",
]  # fmt: skip


@pytest.mark.parametrize(("path", "fields", "pointers"), list(refused()), ids=lambda value: json.dumps(value)[:60])
def test_what_is_no_valid_request_is_422_and_names_the_fields(ask, path, fields, pointers):
    check_refused(ask.post(path, fields), *pointers)


@pytest.mark.parametrize("path", [path for path in bodies() if path != adapters.PATH])
@pytest.mark.parametrize("value", [[], "X.O/.X./..O", 3, None])
def test_a_body_is_an_object(ask, path, value):
    check_refused(ask.post(path, value), "")


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in INTEGERS for value in ("5", True, 3.5, [], {}, 1e300)]
    + [(name, value) for name in BOOLEANS for value in ("true", 0, 1, [], {})],
)
def test_integers_and_booleans_are_nothing_else(ask, name, value):
    check_refused(ask.post("/move", {**RIGHT, name: value}), f"/{name}")


@pytest.mark.parametrize("path", bodies())
@pytest.mark.parametrize(("body", "part"), UNREADABLE, ids=lambda value: repr(value)[:40])
def test_what_is_no_strict_json_is_400(ask, path, body, part):
    assert part in check_problem(ask.post(path, data=body), 400)["detail"]


@pytest.mark.parametrize("path", [path for path in bodies() if path != adapters.PATH])
@pytest.mark.parametrize("content_type", BAD_TYPES)
def test_another_content_type_is_415(ask, path, content_type):
    problem = check_problem(ask.post(path, data=b'{"board": "X.O/.X./..O"}', content_type=content_type), 415)
    assert (content_type or "missing").rpartition("charset=")[2] in problem["detail"]


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
    response = app.test_client().get(path)
    assert response.status_code == 404
    if path.isascii() and "%" not in path:
        check_problem(response, 404)


@pytest.mark.parametrize(("path", "meant"), [("/move/", "/move"), ("/analysis//", "/analysis"), ("/move/5/", None)])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_path_with_a_slash_too_many_gets_the_right_one(app, method, path, meant):
    problem = check_problem(app.test_client().open(path, method=method), 404)
    assert ("/docs lists all paths" in problem["detail"]) == (meant is None)
    assert meant is None or problem["detail"].endswith(f"did you mean {meant}?")


METHODS = {path: {method.upper() for method in methods} for path, methods in docs.openapi_document()["paths"].items()}


@pytest.mark.parametrize(
    ("path", "method"),
    [(path, each) for path, known in METHODS.items() for each in ("GET", "POST", "PUT", "BREW") if each not in known],
)
def test_a_wrong_method_is_405_and_says_which_are_allowed(app, path, method):
    known = METHODS[path]
    allowed = {"OPTIONS", *known, *(["HEAD"] if "GET" in known else [])}
    response = app.test_client().open(path, method=method)
    check_problem(response, 405)
    assert set(response.headers["Allow"].split(", ")) == allowed


def test_a_fault_of_the_service_is_500_and_tells_the_client_nothing_of_it(make_asker, log_lines):
    response = make_asker(searching=Broken(ZeroDivisionError("a secret detail"))).post("/move", RIGHT)
    assert b"secret" not in response.data
    assert b"ZeroDivision" not in response.data
    assert "X-Request-ID" in check_problem(response, 500)["detail"]
    logged = json.dumps(log_lines())
    assert "a secret detail" in logged
    assert response.headers["X-Request-ID"] in logged


def test_all_that_is_wrong_is_told_at_once_sorted_by_pointer(ask):
    fields = {"bord": 1, "goal": "3", "level": 99, "seed": True, "top": None}
    problem = check_problem(ask.post("/move", fields), 422)
    assert problem["errors"] == [
        {"pointer": "/bord", "detail": "unknown field; did you mean board?"},
        {"pointer": "/goal", "detail": "must be an integer, not '3'"},
        {"pointer": "/level", "detail": "must be at most 10, not 99"},
        {"pointer": "/seed", "detail": "must be an integer, not true"},
        {"pointer": "/top", "detail": "unknown field"},
    ]
    assert problem["detail"] == "/bord: unknown field; did you mean board? (and 4 more)"
    assert check_problem(ask.post("/move", {"goal": 3}), 422)["detail"] == f"/board: {POSITION_REQUIRED}"


@pytest.mark.parametrize("name", ["squares", "grid", "history", "bord"])
@pytest.mark.parametrize("path", ["/move", "/analysis", "/review"])
def test_a_position_under_another_name_is_told_by_that_name(ask, path, name):
    """It stands first, and nothing says that there is no position."""
    problem = check_problem(ask.post(path, {name: ["X.O", ".X.", "..."]}), 422)
    field = "moves" if name == "history" else "board"
    assert problem["detail"].startswith(f"/{name}: unknown field; did you mean {field}?")
    assert POSITION_REQUIRED not in str(problem)


def test_the_listed_errors_are_bounded(ask):
    problem = check_problem(ask.post("/move", {f"field{i}": i for i in range(2_000)}), 422)
    assert len(problem["errors"]) == MAX_ERRORS
    assert "(and 2000 more)" in problem["detail"]


@pytest.mark.parametrize("names", [MAX_ERRORS - 1, MAX_ERRORS])
def test_names_get_hints_as_long_as_all_errors_are_listed(ask, names):
    """Hints for more names would cost more than a search."""
    fields = {f"colum{'n' * i}z": 1 for i in range(names - 1)} | {"colunms": 1}
    problem = check_problem(ask.post("/move", {**fields, "board": "..../..../....", "goal": 3}), 422)
    assert len(problem["errors"]) == names
    assert any("did you mean columns?" in each["detail"] for each in problem["errors"])
    many = {f"x{i}": 1 for i in range(MAX_ERRORS)} | {"colunms": 1, "board": "..../..../....", "goal": 3}
    assert "did you mean" not in str(check_problem(ask.post("/move", many), 422)["errors"])


def test_no_detail_quotes_more_than_100_characters_of_the_input(ask):
    wrong = [{name: LONG} for name in ("to_move", "game", "goal", LONG)]
    for fields in (*({**RIGHT, **each} for each in wrong), *({"board": board} for board in (LONG, [LONG], [[LONG]]))):
        assert "z" * 101 not in json.dumps(check_problem(ask.post("/move", fields), 422))
    for body in (LONG, [LONG]):
        assert "z" * 101 not in json.dumps(check_refused(ask.post("/move", body), ""))


def test_lone_surrogates_are_refused(ask):
    """Half a character is refused as what it is: a field's value or a field's name."""
    for fields, pointer, part in (
        ({"wrap": "\ud83d"}, "/wrap", "must be Unicode text"),
        ({"\ud83d": 1}, "", "a field's name must be Unicode text"),
    ):
        (error,) = check_refused(ask.post("/move", {**RIGHT, **fields}), pointer)["errors"]
        assert error["detail"].startswith(part)


def test_the_page_of_problems_has_every_type(app):
    page = app.test_client().get("/problems").text
    for kind in KINDS:
        assert f'id="{kind.type.partition("#")[2]}"' in page


def test_a_failure_without_a_kind_of_its_own_has_the_same_shape(make_asker):
    response = make_asker(searching=Broken(ImATeapot()))._client.post("/move", json=RIGHT)
    problem = json.loads(response.data)
    assert response.mimetype == "application/problem+json"
    assert (response.status_code, problem["status"], problem["type"]) == (418, 418, "about:blank")
    validate(problem, {"$ref": "#/components/schemas/Problem"})


@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", True), ("*/*", False), (None, False),
        ("application/json", False), ("application/json, text/html;q=0.5", False),
    ],
)  # fmt: skip
def test_a_missing_path_is_a_page_for_people_and_a_problem_for_programs(app, accept, is_page):
    """In the reader's language, with links that lead home from any depth."""
    headers = {"Accept-Language": "fr"} | ({"Accept": accept} if accept else {})
    response = app.test_client().get("/no/such/page", headers=headers)
    assert response.status_code == 404
    assert "Accept" in {each.strip() for each in response.headers["Vary"].split(",")}
    assert response.headers["Cache-Control"] == "no-store"
    if not is_page:
        assert response.mimetype == "application/problem+json"
        return
    assert response.mimetype == "text/html"
    assert '<html lang="fr">' in response.text
    assert "Cette page n’existe pas" in response.text
    assert 'href="../../"' in response.text


def test_every_kind_of_problem_is_listed_once():
    declared = [each for each in vars(problems).values() if isinstance(each, ProblemType)]
    assert sorted(kind.name for kind in KINDS) == sorted(kind.name for kind in declared)
