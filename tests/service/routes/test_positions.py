"""Positions as moves, flat boards and games by other names, on every path that takes a position."""

import pytest

from tests.service.http.test_problems import check_problem
from tests.service.routes.test_move import without_cost

CONNECT_FOUR = {"game": "connect-four", "max_nodes": 500}
BOARD = [".......", ".......", ".......", ".......", "...O...", "..OXX.."]
FORMS = [
    {"moves": "4453"},
    {"moves": "4 4 5 3"},
    {"moves": [39, 32, 40, 38]},
    {"moves": [{"column": 3}, {"column": 3}, [5, 4], {"row": 5, "column": 2, "tile": 38}]},
    {"moves": [40, 38], "board": [".......", ".......", ".......", ".......", "...O...", "...X..."]},
    {"moves": "53", "board": "......./......./......./......./...O.../...X...", "first": "X"},
    {"board": "".join(BOARD)},
    {"board": list("".join(BOARD))},
    {"board": BOARD, "game": "Connect 4"},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("path", ["/move", "/analysis"])
def test_every_form_of_a_position_has_the_same_answer(ask, path, form):
    by_board = ask.post(path, {**CONNECT_FOUR, "board": BOARD}).get_json()
    answer = ask.post(path, {**CONNECT_FOUR, **form}).get_json()
    assert without_cost(answer) == without_cost(by_board)


EMPTY_BOARDS = [
    ({"game": "connect-four"}, {"board": ["......."] * 6}),
    ({"game": "connect-four", "to_move": "O"}, {"board": ["......."] * 6}),
    ({"game": "gomoku", "rows": 9, "columns": 9}, {"board": ["." * 9] * 9}),
    ({"rows": 3, "columns": 4, "goal": 3}, {"board": ["....", "....", "...."]}),
    ({"rows": 3, "columns": 3}, {"board": "........."}),
    ({"game": "qubic"}, {"board": [["...."] * 4] * 4}),
]


@pytest.mark.parametrize(("fields", "board"), EMPTY_BOARDS, ids=str)
def test_a_game_without_a_position_is_its_empty_board(ask, fields, board):
    fields = fields | {"max_nodes": 500}
    for path in ("/move", "/analysis"):
        by_board = ask.post(path, fields | board).get_json()
        assert without_cost(ask.post(path, fields).get_json()) == without_cost(by_board)
        assert without_cost(ask.get(path, query_string=fields).get_json()) == without_cost(by_board)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"goal": 4}, "/board"),
        ({"rows": 6, "goal": 4}, "/board"),
        ({"rows": 6, "columns": 7}, "/goal"),
        ({"game": "connect-four", "first": "O"}, "/first"),
        ({"game": "gomoku", "rows": 3, "columns": 3}, "/game"),
    ],
    ids=str,
)
def test_a_game_of_unknown_size_is_refused(ask, fields, pointer):
    problem = check_problem(ask.post("/move", fields), 422)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("name", "meant"),
    [(name, "to_move") for name in ("player", "turn", "side", "side_to_move", "current_player")]
    + [(name, "level") for name in ("difficulty", "strength", "skill")]
    + [(name, "board") for name in ("state", "grid", "squares", "cells")]
    + [(name, "moves") for name in ("history", "pgn", "sequence", "pos")]
    + [(name, "goal") for name in ("win_length", "k", "connect", "n_in_a_row")]
    + [("width", "columns"), ("height", "rows"), ("depth", "max_depth")]
    + [("timeout", "time_limit_ms"), ("time", "time_limit_ms")],
)
def test_a_wrong_name_gets_the_field_that_people_mean(ask, name, meant):
    posted = check_problem(ask.post("/move", {"game": "ttt", name: 1}), 422)
    assert posted["errors"] == [{"pointer": f"/{name}", "detail": f"unknown field; did you mean {meant}?"}]
    asked = check_problem(ask.get("/move", query_string={"game": "ttt", name: 1}), 422)
    assert asked["errors"] == [{"pointer": f"/{name}", "detail": f"unknown parameter; did you mean {meant}?"}]


def test_a_hint_names_no_field_that_the_path_lacks(ask):
    game = {"game": "ttt", "moves": "b2", "difficulty": 3, "player": "X"}
    problem = check_problem(ask.post("/review", game), 422)
    assert [error["detail"] for error in problem["errors"]] == ["unknown field"] * 2


def test_a_tree_is_drawn_after_moves(ask):
    by_board = ask.post("/tree", {"board": "XOX/OXO/.X.", "to_move": "O"}).get_json()
    moves = ask.post("/tree", {"game": "ttt", "moves": "a3b3c3a2b2c2b1", "first": "X"}).get_json()
    assert moves == by_board
    assert ask.post("/tree", {"board": "XOX/OX./...", "moves": [6, 8]}).get_json() == by_board


def test_a_review_takes_text_and_begins_on_a_board(ask):
    as_list = ask.post("/review", {**CONNECT_FOUR, "moves": [39, 32, 40, 38]}).get_json()
    as_text = ask.post("/review", {**CONNECT_FOUR, "moves": "4453"}).get_json()
    assert as_text == as_list
    rest = ask.post(
        "/review", {**CONNECT_FOUR, "board": "......./......./......./......./...O.../...X...", "moves": "53"}
    ).get_json()
    assert [move["move"] for move in rest["moves"]] == [move["move"] for move in as_list["moves"][2:]]
    assert [move["to_move"] for move in rest["moves"]] == ["X", "O"]


@pytest.mark.parametrize("path", ["/move", "/analysis"])
def test_the_same_as_query_parameters(ask, path):
    by_board = ask.get(f"{path}?game=connect-four&max_nodes=500&board={'/'.join(BOARD)}")
    by_moves = ask.get(f"{path}?game=connect4&max_nodes=500&moves=4453")
    assert by_moves.headers["ETag"] == by_board.headers["ETag"]
    assert without_cost(by_moves.get_json()) == without_cost(by_board.get_json())


@pytest.mark.parametrize("path", ["/move", "/analysis", "/tree"])
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"moves": "4453x"}, "/moves/4"),
        ({"moves": None}, "/moves"),
        ({"moves": 4453}, "/moves"),
        ({"moves": [4453]}, "/moves/0"),
        ({"moves": "4444444"}, "/moves/6"),
        ({"moves": "4", "to_move": "X"}, "/to_move"),
        ({"moves": "4", "first": 1}, "/first"),
        ({"moves": "4", "rows": 26}, "/rows"),
        ({"moves": "4", "game": "conect-four"}, "/game"),
        ({"board": ["X"] * 41}, "/board"),
    ],
)
def test_what_is_wrong_with_moves_is_named(ask, path, fields, pointer):
    response = ask.post(path, {"game": "connect-four", **fields})
    check_problem(response, 422)
    assert pointer in [error["pointer"] for error in response.get_json()["errors"]]


@pytest.mark.parametrize("query", ["moves=", "moves=4&moves=4", "moves=4&first=", "moves=%FF"])
def test_a_query_says_moves_once_and_in_full(ask, query):
    check_problem(ask.get(f"/move?game=connect-four&{query}"), 422)


def test_a_server_that_allows_small_boards_only_says_so(make_asker):
    response = make_asker(max_side=5).post("/move", {"game": "connect-four", "moves": "4"})
    assert [error["pointer"] for error in response.get_json()["errors"]] == ["/columns", "/rows"]


def test_an_answer_is_told_in_a_sentence(ask):
    answer = ask.post("/move", {"board": "XX./OO./..."}).get_json()
    assert answer["text"] == "X plays c3, completing a line: X wins at once."
    mirrored = ask.post("/move", {"board": ".XX/.OO/..."}).get_json()
    assert mirrored["text"] == "X plays a3, completing a line: X wins at once."
    over = ask.post("/analysis", {"board": "XXX/OO./..."}).get_json()
    assert over["text"] == "The game is over: X has won."
