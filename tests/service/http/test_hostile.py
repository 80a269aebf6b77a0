"""Thousands of malformed and hostile requests: never a fault of the service, always an answer in its shape."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.provisional import urls

from kinarow.contract.requests import AnalysisRequest
from tests.support.app import bodies, check_problem, client_with
from tests.support.samples import examples
from tests.support.server import REPOSITORY, Server

FIELDS = sorted(AnalysisRequest.model_fields)
BIG = 10**19
WRONG_VALUES = [
    None, True, False, 0, 1, 2, 3, -1, 26, 625, 626, BIG, -BIG, 2**53, 2**63,
    0.0, -0.0, 1.5, 5e-324, 1e300,
    "", " ", "X", "x", "O", "0", "1", "3", "-1", "true", "null", "NaN", "\x00", "\x7f", "\t\n",
    "\u2028", "\ufeff", "\ud800", "X\ud800O", "é", "💣",
    "X" * 30_000, "/" * 650, "/" * 30_000, "../../etc/passwd", "{{7*7}}", "%s%n", "' OR 1=1", "<script>",
    "tic-tac-toe", "gomoku", "...", ".../.../...", "X.O/.X./..O", "XXX/OOO/...", "./././.",
    [], [[]], [[[]]], [None], [True], [""], [[""]], ["X"], ["XX", "O"], ["...", None, "..."], [["X"], "X"], [{}],
    ["."] * 700, [["."] * 700], [[None] * 25] * 25, [0] * 20_000, [[0] * 20_000], ["." * 25] * 25, ["X" * 25] * 25,
    [[[[[[[["X"]]]]]]]],
    {}, {"a": 1}, {"": ""}, {"row": 1}, {"\ud800": 1},
]  # fmt: skip
HEADERS = [
    "X-Request-ID", "If-None-Match", "Accept", "Accept-Encoding", "Content-Encoding", "Content-Type", "Cookie",
    "Origin", "Range", "Expect", "Forwarded", "Host",
]  # fmt: skip
RIGHT = "X.O/.X./..O"
FALLING = {"board": ["." * 7] * 6, "goal": 4, "gravity": True}


def check_any(response):
    """Fail unless it is an answer about a position or a problem below 500."""
    if response.status_code != 304:
        check_formed(response)
    if response.status_code == 200:
        assert json.loads(response.data)["search"]["nodes"] >= 0


@pytest.fixture(scope="module")
def tiny():
    return client_with(default_nodes=20, default_nodes_large=20, max_nodes=200, max_time_ms=200)


VALUED = ("/move", "/analysis")
OTHER_BODIES = {path: body for path, body in bodies().items() if path not in VALUED}
"""The paths that take something else than a position to be valued: a right request, and their fields."""


def check_formed(response):
    """Fail unless it is a JSON answer or a problem below 500."""
    assert response.status_code < 500, response.text
    if response.status_code == 200:
        assert response.mimetype == "application/json"
        json.loads(response.data.decode("utf-8"))
    else:
        check_problem(response, response.status_code)


def post(client, value, path="/move"):
    return client.post(path, data=json.dumps(value), content_type="application/json")


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("/move", {"board": RIGHT}), ("/analysis", FALLING), pytest.param("/move", FALLING, marks=pytest.mark.slow),
        pytest.param("/analysis", {"board": RIGHT}, marks=pytest.mark.slow),
    ],
    ids=["move", "analysis falling", "move falling", "analysis"],
)  # fmt: skip
@pytest.mark.parametrize("name", FIELDS)
def test_any_value_in_any_field_is_answered(tiny, path, rest, name):
    for value in WRONG_VALUES:
        check_any(post(tiny, {**rest, name: value}, path))


@pytest.mark.parametrize("path", OTHER_BODIES)
def test_any_value_in_any_field_of_the_other_paths_is_answered(tiny, path):
    right, fields = OTHER_BODIES[path]
    for name in fields:
        for value in WRONG_VALUES:
            check_formed(post(tiny, {**right, name: value}, path))
    for value in WRONG_VALUES:
        check_problem(post(tiny, value, path), 422)
        check_formed(post(tiny, {"requests": [value, value]}, "/moves"))
        check_formed(post(tiny, {"game": "connect-four", "moves": [value]}, "/review"))
        check_formed(post(tiny, {"game": "connect-four", "moves": [[value, value], {"column": value}]}, "/review"))
        for part in ("board", "mark"):
            observation = {"board": [0] * 42, "mark": 1, part: value}
            check_formed(post(tiny, {"state": {"observation": observation}}, "/adapters/kaggle-connectx"))
        for part in ("rows", "columns", "inarow", "actTimeout"):
            call = {**OTHER_BODIES["/adapters/kaggle-connectx"][0], "configuration": {part: value}}
            check_formed(post(tiny, call, "/adapters/kaggle-connectx"))


def test_a_number_at_the_edge_of_what_floats_hold_is_no_integer(tiny):
    for number in ("1e400", "-1e400", "1E+308", "-0", "0.1e-400"):
        body = f'{{"board": "{RIGHT}", "max_nodes": {number}}}'
        check_problem(tiny.post("/move", data=body, content_type="application/json"), 422)


def test_any_value_as_a_parameter_or_as_the_whole_body_is_answered(tiny):
    for value in WRONG_VALUES:
        check_problem(post(tiny, value), 422)
        text = value if isinstance(value, str) else json.dumps(value)
        for name in FIELDS:
            query = {"board": RIGHT, name: text.encode("utf-8", "surrogatepass")}
            check_any(tiny.get("/move", query_string=query))


ANY_JSON = st.recursive(
    st.sampled_from(WRONG_VALUES) | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | st.text(), inner, max_size=6),
    max_leaves=20,
)


HEADER_TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=60)
URL_PATHS = urls().map(lambda url: "/" + url.partition("://")[2].partition("/")[2])
PATHS = URL_PATHS | st.text(max_size=50).map(lambda text: "/" + text)
MANY = examples(200)


@MANY
@given(value=ANY_JSON, path=st.sampled_from(list(OTHER_BODIES)), data=st.data())
def test_any_json_is_answered(tiny, value, path, data):
    check_any(post(tiny, value))
    check_formed(post(tiny, value, path))
    right, fields = OTHER_BODIES[path]
    check_formed(post(tiny, {**right, data.draw(st.sampled_from(fields)): value}, path))


@MANY
@given(query=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=100))
def test_any_query_is_answered(tiny, query):
    check_any(tiny.get("/move", environ_overrides={"QUERY_STRING": query}))


@MANY
@given(name=st.sampled_from(HEADERS), value=HEADER_TEXT)
def test_any_header_is_answered(tiny, name, value):
    variable = "CONTENT_TYPE" if name == "Content-Type" else "HTTP_" + name.upper().replace("-", "_")
    by_query = tiny.get(f"/move?board={RIGHT}", environ_overrides={variable: value})
    by_body = tiny.post("/move", json={"board": RIGHT}, environ_overrides={variable: value})
    for response in (by_query, by_body):
        check_any(response)
        assert response.headers["X-Request-ID"].isascii()


@MANY
@given(path=PATHS)
def test_any_path_is_answered(tiny, path):
    raw = path.encode("utf-8", "replace").decode("latin-1")
    response = tiny.get("/", environ_overrides={"PATH_INFO": raw})
    assert response.status_code in (200, 404, 405, 422)


@pytest.mark.parametrize("length", ["", "-1", "abc", "1e3", "5", "24 ", "99999999999999999999", "٣"])
def test_a_wrong_length_is_answered(tiny, length):
    """What a careless proxy may hand on: a length that is none, too small, too large or huge."""
    sent = {"data": f'{{"board": "{RIGHT}"}}', "content_type": "application/json"}
    response = tiny.post("/move", **sent, environ_overrides={"CONTENT_LENGTH": length})
    assert response.status_code in (200, 400, 413)
    check_any(response)


TINY = {
    "KINAROW_DEFAULT_NODES": "300", "KINAROW_DEFAULT_NODES_LARGE": "300", "KINAROW_MAX_NODES": "3000",
    "KINAROW_MAX_TIME_MS": "500",
}  # fmt: skip
"""Searches cost next to nothing: it is the answers' form that is tried here."""


@pytest.mark.slow
def test_no_request_breaks_the_contract():
    """A failure is not shrunk: that would take minutes."""
    with Server.started(**TINY) as server:
        tried = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                "--config-file", Path(__file__).with_name("schemathesis.toml"), "run", f"{server.url}/openapi.json",
                "--max-examples", "25", "--generation-deterministic", "--no-shrink", "--no-color",
                "--suppress-health-check", "all", "--request-timeout", "20",
            ],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=500,
        )  # fmt: skip
    assert tried.returncode == 0, tried.stdout[-10_000:] + tried.stderr
    assert re.search(r"Selected: (\d+)/\1\n +Tested: \1\n", tried.stdout), tried.stdout[-2_000:]
