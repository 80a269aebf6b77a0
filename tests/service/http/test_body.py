"""The JSON reader: exact at its limits, and linear in the length of what it reads."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.contract.json_text import parse
from kinarow.contract.problems import Problem
from kinarow.contract.requests import MoveRequest
from kinarow.strict_json import MAX_NESTING, nested_too_deep
from tests.support.app import check_problem, check_refused, without_cost

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**19), 10**19)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


def depth_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(VALUES)
def test_what_json_writes_is_read_back(value):
    assert parse(json.dumps(value).encode()) == value


@given(VALUES, st.integers(0, 30))
def test_nesting_is_counted_outside_strings_only(value, wraps):
    for _ in range(wraps):
        value = [value, '[[[[{{{{"\\" [[[[']
    body = json.dumps(value).encode()
    assert nested_too_deep(body) == (depth_of(value) > MAX_NESTING)


@pytest.mark.parametrize("number", ["9" * 20, "-" + "9" * 20, "1." + "5" * 19, "1e-" + "0" * 18 + "1"])
def test_a_number_of_20_digits_is_read(number):
    assert parse(number.encode()) == json.loads(number)


def test_digits_and_brackets_are_counted_where_they_count():
    assert parse(b'["' + b"0" * 25 + b'", 1]') == ["0" * 25, 1]
    assert parse(b'["-------------------------", 1.5]') == ["-" * 25, 1.5]
    assert len(parse(b"[" + b",".join([b"[[1]]"] * 5_000) + b"]")) == 5_000


@pytest.mark.parametrize(
    ("text", "value"), [("5.0", 5), ("-0.0", 0), ("1e2", 100), ("2.5", 2.5), ("1e400", float("inf"))]
)
def test_whole_numbers_are_integers_however_they_are_written(text, value):
    read = parse(text.encode())
    assert read == value
    assert isinstance(read, int) == (abs(value) < 2**53 and value == int(value))


@pytest.mark.parametrize("number", ["4.0000000000000001", "1e-999", "0e" + "9" * 18 + "9", "2.99999999999999999"])
def test_no_number_is_rounded_to_a_whole_one(number):
    with pytest.raises(Problem) as refused:
        MoveRequest.read(parse(f'{{"game": "ttt", "seed": {number}}}'.encode()))
    assert [*refused.value.problems] == [("/seed", f"must be an integer, not {number}")]


def test_a_body_that_breaks_off_is_400(app):
    class Torn(io.BytesIO):
        def read(self, *_):
            raise ConnectionResetError

    for stream, length in ((io.BytesIO(b'{"board": '), 24), (Torn(), 24), (Torn(), "")):
        response = app.test_client().post(
            "/move",
            content_type="application/json",
            environ_overrides={"wsgi.input": stream, "CONTENT_LENGTH": length and str(length)},
        )
        assert (response.status_code, response.mimetype) == (400, "application/problem+json")


@pytest.mark.parametrize("digits", [12, 13, 5000])
def test_a_length_of_many_digits_is_413(app, digits):
    sent = {"wsgi.input": io.BytesIO(b"{}"), "CONTENT_LENGTH": "9" * digits}
    response = app.test_client().post("/move", content_type="application/json", environ_overrides=sent)
    assert (response.status_code, response.mimetype) == (413, "application/problem+json")


def test_a_body_in_chunks_is_read_up_to_the_limit(app, settings):
    body = b'{"board": "X.O/.X./..O"}'
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    for size, status in ((settings.max_body_bytes, 200), (settings.max_body_bytes + 1, 413)):
        stream = io.BytesIO(body.ljust(size))
        response = app.test_client().post(
            "/move", content_type="application/json", environ_overrides={**chunked, "wsgi.input": stream}
        )
        assert response.status_code == status


BOARD = {"board": ["X..", ".O.", "..."]}
QUERY = "/move?board=X../.O./..."


@pytest.mark.parametrize(
    ("path", "body", "refused"),
    [
        ("/move?misere=true", BOARD, "/misere"), ("/move?game", BOARD, "/game"), ("/analysis?top=1", BOARD, "/top"),
        ("/review?level=3", {"game": "tic-tac-toe", "moves": "b2"}, "/level"),
        ("/moves?goal=3", {"requests": [BOARD]}, "/goal"), ("/tree?pruning=false", BOARD, "/pruning"),
        ("/move?top=1", BOARD, ""), ("/tree?level=3&max_depth2=1&%ff", BOARD | {"max_depth": 1}, ""),
    ],
)  # fmt: skip
def test_a_field_of_the_body_in_the_query_of_a_post_is_refused(ask, path, body, refused):
    response = ask._client.post(path, json=body)
    if not refused:
        assert response.status_code == 200
        return
    (error,) = check_refused(response, refused)["errors"]
    assert error["detail"] == "send it in the body"


@pytest.mark.parametrize("path", [QUERY, "/analysis?board=X../.O./...", "/board.svg?board=X../.O./...", "/solve?pos=4"])
def test_a_get_with_a_body_is_refused(ask, path):
    for body, status in ((b"{}", 200), (b" \n", 200), (b'{"misere": true}', 400), (b"x", 400)):
        response = ask.get(path, data=body)
        assert response.status_code == status
    assert check_problem(response, 400)["detail"] == "GET reads no body; send it by POST."


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("_=1700000000&_=2&board=X../.O./...", BOARD),
        ("board=X../.O./...&directions=horizontal&directions=vertical,diagonal",
         BOARD | {"directions": ["horizontal", "vertical", "diagonal"]}),
    ],
)  # fmt: skip
def test_in_a_query_directions_may_be_repeated_and_one_name_is_ignored(ask, query, same):
    assert without_cost(ask.get(f"/move?{query}").get_json()) == without_cost(ask.answer("/move", same))


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("goal=4&board=..../..../", "the board ends with /; leave it out, or write # as %23"),
        ("board=X..&board=.O.", "the parameter is repeated; write / between the rows"),
    ],
)
def test_a_board_that_was_cut_in_a_query_is_refused(ask, query, detail):
    (error,) = check_refused(ask.get(f"/move?{query}"), "/board")["errors"]
    assert error["detail"] == detail


@pytest.mark.parametrize(
    ("sent", "same"),
    [
        (BOARD | {"exclude": []}, BOARD),
        ({"game": "tic-tac-toe", "moves": [{"row": 1, "column": 1, "tile": 5, "layer": None}]},
         {"game": "tic-tac-toe", "moves": "b2"}),
        ({"game": "connect-four", "moves": [{"row": None, "column": 3}]}, {"game": "connect-four", "moves": "4"}),
    ],
)  # fmt: skip
def test_an_empty_exclude_and_null_in_a_move_are_as_not_sent(ask, sent, same):
    assert without_cost(ask.answer("/move", sent)) == without_cost(ask.answer("/move", same))


def test_no_hint_names_a_field_that_was_sent(ask):
    assert check_refused(ask.post("/move", BOARD | {"state": "ongoing"}), "/state")["detail"] == "/state: unknown field"
    assert check_refused(ask.get(f"{QUERY}&state=won"), "/state")["detail"] == "/state: unknown field"


@pytest.mark.parametrize(("protocol", "host", "status"), [("1.1", "", 400), ("1.0", "", 200), ("1.1", "a", 200)])
def test_http_1_1_needs_a_host(ask, protocol, host, status):
    environ = {"SERVER_PROTOCOL": f"HTTP/{protocol}", "HTTP_HOST": host}
    response = ask._client.get("/healthz", environ_overrides=environ)
    assert response.status_code == status
    if status == 400:
        assert check_problem(response, 400)["type"] == "/problems#malformed-request"
