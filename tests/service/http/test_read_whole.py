"""A request is read whole or refused: no part of it is dropped in silence."""

import pytest

from tests.support.app import check_problem, check_refused, without_cost

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
        ("goal=4&board=..../..../", "the board ends with /; write # as %23"),
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
    assert check_refused(ask.get(f"{QUERY}&state=won"), "/state")["detail"] == "/state: unknown parameter"


@pytest.mark.parametrize(("protocol", "host", "status"), [("1.1", "", 400), ("1.0", "", 200), ("1.1", "a", 200)])
def test_http_1_1_needs_a_host(ask, protocol, host, status):
    environ = {"SERVER_PROTOCOL": f"HTTP/{protocol}", "HTTP_HOST": host}
    response = ask._client.get("/healthz", environ_overrides=environ)
    assert response.status_code == status
    if status == 400:
        assert check_problem(response, 400)["type"] == "/problems#malformed-request"
