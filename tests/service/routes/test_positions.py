"""Positions as programs send them: moves, flat boards, games by other names; what is read and what is refused."""

import json
from pathlib import Path

import pytest

from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.reading.positions import read_position
from tests.support.app import check_problem, check_refused, without_cost

CONNECT_FOUR = {"game": "connect-four", "max_nodes": 500}
BOARD = [".......", ".......", ".......", ".......", "...O...", "..OXX.."]
FORMS = [
    {"moves": "4453"}, {"moves": "4 4 5 3"}, {"moves": [39, 32, 40, 38]},
    {"moves": [{"column": 3}, {"column": 3}, [5, 4], {"row": 5, "column": 2, "tile": 38}]},
    {"moves": [40, 38], "board": [".......", ".......", ".......", ".......", "...O...", "...X..."]},
    {"moves": "53", "board": "......./......./......./......./...O.../...X...", "first": "X"},
    {"board": "".join(BOARD)}, {"board": list("".join(BOARD))}, {"board": BOARD, "game": "Connect 4"},
]  # fmt: skip


@pytest.mark.parametrize("path", ["/move", "/analysis"])
def test_every_form_of_a_position_has_the_same_answer(ask, path):
    by_board = without_cost(ask.post(path, {**CONNECT_FOUR, "board": BOARD}).get_json())
    for form in FORMS:
        assert without_cost(ask.post(path, {**CONNECT_FOUR, **form}).get_json()) == by_board, form
    queries = (f"game=connect-four&max_nodes=500&board={'/'.join(BOARD)}", "game=connect4&max_nodes=500&moves=4453")
    asked = [ask.get(f"{path}?{query}") for query in queries]
    assert asked[0].headers["ETag"] == asked[1].headers["ETag"]
    assert without_cost(asked[0].get_json()) == without_cost(asked[1].get_json()) == by_board


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
    ("name", "meant"),
    [(name, "to_move") for name in ("player", "turn", "side", "side_to_move", "current_player", "currentPlayer")]
    + [(name, "to_move") for name in ("side-to-move", "mark", "marker", "xIsNext", "ToMove", "tomove", "to_mvoe")]
    + [(name, "to_move") for name in ("playerSymbol", "player_color", "isXTurn", "aiMark", "colorToMove")]
    + [(name, "level") for name in ("difficulty", "strength", "skill", "aiDifficulty", "difficulty_level")]
    + [(name, "board") for name in ("state", "grid", "squares", "cells", "boxrd", "tiles", "boardArray")]
    + [(name, "moves") for name in ("history", "pgn", "sequence", "pos", "moveHistory", "playedMoves")]
    + [(name, "goal") for name in ("win_length", "k", "connect", "n_in_a_row", "winLength", "inarow", "gaol", "goals")]
    + [(name, "goal") for name in ("winningLength", "numInARow", "x_in_row", "lineLength", "stonesToWin")]
    + [
        ("size", "rows and columns"), ("Max-Depth", "max_depth"), ("max_nods", "max_nodes"),
        ("time_limt_m", "time_limit_ms"),
    ]
    + [("width", "columns"), ("height", "rows"), ("depth", "max_depth")]
    + [("boardWidth", "columns"), ("n_layers", "layers"), ("availableMoves", "only"), ("hasExactGoal", "exact_goal")]
    + [(name, "to_move") for name in ("isBlackTurn", "blackToMove", "currentSign", "whosTurn")]
    + [("boardData", "board"), ("dims", "rows and columns"), ("renjuRules", "renju"), ("gravityEnabled", "gravity")]
    + [("timeout", "time_limit_ms"), ("time", "time_limit_ms"), ("thinkingTime", "time_limit_ms")],
)  # fmt: skip
def test_a_wrong_name_gets_the_field_that_people_mean(ask, name, meant):
    posted = check_problem(ask.post("/move", {"game": "ttt", name: 1}), 422)
    assert posted["errors"] == [{"pointer": f"/{name}", "detail": f"unknown field; did you mean {meant}?"}]
    asked = check_problem(ask.get("/move", query_string={"game": "ttt", name: 1}), 422)
    assert asked["errors"] == [{"pointer": f"/{name}", "detail": f"unknown parameter; did you mean {meant}?"}]


@pytest.mark.parametrize(
    "name",
    [
        *("top", "tile", "aiPlayers", "mode", "role", "player1", "theme", "z" * 10_000),
        *("players", "levels", "row", "col", "lastMove", "winningLine", "moveCount"),  # these may mean several things
        *("game_id", "gameId", "row1"),  # and these mean no field
        *("gaolx", "bxxrd", "colxmmnz"),  # too many letters differ
    ],
)
def test_a_name_that_is_not_near_gets_no_hint(ask, name):
    (error,) = check_problem(ask.post("/move", {"game": "ttt", name: None}), 422)["errors"]
    assert error["detail"] == "unknown field"


def test_a_hint_names_no_field_that_the_path_lacks_and_a_query_says_moves_once_and_in_full(ask):
    game = {"game": "ttt", "moves": "b2", "difficulty": 3, "player": "X", "level": 3}
    problem = check_problem(ask.post("/review", game), 422)
    assert [error["detail"] for error in problem["errors"]] == ["unknown field"] * 3
    for query in ("moves=", "moves=4&moves=4", "moves=4&first=", "moves=%FF"):
        check_problem(ask.get(f"/move?game=connect-four&{query}"), 422)


def test_a_tree_is_drawn_after_moves_and_a_review_takes_text_and_begins_on_a_board(ask):
    by_board, moves, after = (
        ask.post("/tree", asked).get_json() for asked in (
            {"board": "XOX/OXO/.X.", "to_move": "O"}, {"game": "ttt", "moves": "a3b3c3a2b2c2b1", "first": "X"},
            {"board": "XOX/OX./...", "moves": [6, 8]},
        )
    )  # fmt: skip
    assert by_board == moves == after
    as_list, as_text, rest = (
        ask.post("/review", {**CONNECT_FOUR, **asked}).get_json() for asked in (
            {"moves": [39, 32, 40, 38]}, {"moves": "4453"},
            {"board": "......./......./......./......./...O.../...X...", "moves": "53"},
        )
    )  # fmt: skip
    assert as_text == as_list
    assert [move["move"] for move in rest["moves"]] == [move["move"] for move in as_list["moves"][2:]]
    assert [move["to_move"] for move in rest["moves"]] == ["X", "O"]


def test_moves_that_count_cells_from_0_and_texts_of_records_are_told_what_to_send(ask):
    for sent, pointer, words in (
        ([4, 0, 8], "/moves/1", "not 0; tiles count from 1"),
        ([0, 9], "/moves/0", "not 0; tiles count from 1"),
        ("(;GM[4]SZ[15];B[hh])", "/moves", "this text is a record, such as SGF: a review takes it as record"),
        ("[4, 0, 8]", "/moves", "this text is a list in JSON; send the list itself as moves, or text"),
        ("5 1 9", "/moves/0", "as in h8"),
        ("1,1 0,0", "/moves/0", "write a letter and a number, as in h8"),
        (["5", "1"], "/moves/0", "not '5'"),
        ("b2 zz 1. c1", "/moves/1", "not 'z'"),
        ("-", "/moves", "'-' has no move; the text of no moves is empty"),
    ):
        (error,) = check_problem(ask.post("/review", {"game": "ttt", "moves": sent}), 422)["errors"]
        assert error["pointer"] == pointer
        assert error["detail"].endswith(words)


def test_lists_of_a_wrong_length_are_told_how_long_they_may_be(ask):
    for names, words in (([], "must list at least 1, not 0"), (["vertical"] * 9, "must list at most 4, not 9")):
        (error,) = check_problem(ask.post("/move", {"game": "ttt", "directions": names}), 422)["errors"]
        assert error == {"pointer": "/directions", "detail": words}


def test_a_server_that_allows_small_boards_only_says_so(make_asker):
    ask = make_asker(max_side=5)
    assert ask.post("/move", {"board": ["....."] * 5, "goal": 4, "max_nodes": 10}).status_code == 200
    check_refused(ask.post("/move", {"board": ["......"] * 5, "goal": 4}), "/board/0")
    check_refused(ask.post("/move", {"game": "connect-four", "moves": "4"}), "/columns", "/rows")


def test_an_answer_is_told_in_a_sentence(ask):
    for path, board, told in (
        ("/move", "XX./OO./...", "X plays c3, completing a line: X wins at once."),
        ("/move", ".XX/.OO/...", "X plays a3, completing a line: X wins at once."),
        ("/analysis", "XXX/OO./...", "The game is over: X has won."),
    ):
        assert ask.post(path, {"board": board}).get_json()["text"] == told


START = {"game": "tic-tac-toe", "moves": "b2a1"}


def tiles(moves):
    return [move["tile"] for move in moves]


@pytest.mark.parametrize(
    "fields",
    [{"only": "a3 b3"}, {"only": [1, 2]}, {"exclude": "c3a2c2b1c1"}, {"only": [[0, 0], {"row": 0, "column": 1}]}],
)
def test_only_the_allowed_moves_are_chosen_and_listed(ask, fields):
    move = ask.post("/move", {**START, **fields}).get_json()
    analysis = ask.post("/analysis", {**START, **fields}).get_json()
    assert move["move"]["tile"] in (1, 2)
    assert sorted(tiles(analysis["moves"])) == [1, 2]
    assert analysis["best_moves_complete"] is True
    assert set(tiles(analysis["best_moves"])) <= {1, 2}
    assert (move["score"], move["text"]) == (analysis["score"], analysis["text"])


def test_a_restriction_that_leaves_all_moves_changes_nothing(ask):
    queries = [f"/move?game=ttt&moves=b2a1{only}" for only in ("", "&only=a3b3c3a2c2b1c1", "&only=a3")]
    free, restricted, other = map(ask.get, queries)
    assert restricted.headers["ETag"] == free.headers["ETag"] != other.headers["ETag"]
    assert without_cost(restricted.get_json()) == without_cost(free.get_json())


def test_symmetric_requests_have_symmetric_answers(ask):
    corners = ({"game": "ttt", "moves": "", "only": corner} for corner in ("a1", "a3", "c1", "c3"))
    found = [ask.post("/move", corner).get_json() for corner in corners]
    assert [answer["move"]["tile"] for answer in found] == [7, 1, 9, 3]
    assert [answer["search"]["cached"] for answer in found][1:] == [True, True, True]


@pytest.mark.parametrize("level", [1, 9])
def test_a_level_keeps_to_the_allowed_moves_also_where_it_would_make_none(ask, level):
    for seed in range(5):
        asked = {"board": "XX./OO./...", "only": [7, 9], "level": level, "seed": seed}
        answer = ask.post("/move", asked).get_json()
        assert set(tiles([answer["move"], *answer["best_moves"]])) <= {7, 9}


def test_no_reason_compares_with_moves_that_were_not_looked_at(ask):
    answer = ask.post("/move", {"game": "connect4", "moves": "4453", "exclude": "3"}).get_json()
    codes = [reason["code"] for reason in answer["reasons"]]
    assert "proven_loss" in codes
    assert "longest_defence" not in codes


@pytest.mark.parametrize(
    ("fields", "meant"),
    [
        ({"only": [4]}, 'column 4 of 1 to 7 ("only": "4"), or column 4 counted from 0 ("only": [{"column": 4}])'),
        ({"exclude": [0]}, 'column 0 counted from 0 ("exclude": [{"column": 0}])'), ({"only": [4, 8]}, ""),
        ({"moves": "44", "only": [7]}, 'column 7 of 1 to 7 ("only": "7")'),
    ],
)  # fmt: skip
def test_columns_sent_as_tiles_get_what_they_may_mean(ask, fields, meant):
    problem = check_problem(ask.post("/move", {"game": "connect-four", **fields}), 422)
    assert problem["errors"][0]["detail"].partition("; did you mean ")[2] == (f"{meant}?" if meant else "")


def test_an_answer_says_where_it_comes_from(ask):
    over = {"game": "ttt", "moves": [1, 4, 2, 5, 3]}
    for asked, source in ((START, "search"), ({"game": "connect4", "moves": "44"}, "book"), (over, "rules")):
        assert ask.post("/move", asked).get_json()["search"]["source"] == source


SUPPORT = Path(__file__).parents[2] / "support"
READ, REFUSED = (json.loads(SUPPORT.joinpath(name).read_text("utf-8")) for name in ("accepted.json", "refused.json"))
BUDGET = {"max_nodes": 200}


def in_library(request):
    """The position that the library reads from these fields."""
    fields = {name: value for name, value in request.items() if value is not None}
    board = fields.get("board")
    if "moves" in fields or not isinstance(board, str | list):
        return read_position(request)
    read = Position.from_text if isinstance(board, str) else Position.from_rows
    return read(board, **{name: value for name, value in fields.items() if name not in ("board", "only", "exclude")})


def exists(pointer, request):
    """Whether a pointer leads to something in a request, for a missing field to where it would be.

    In one text it counts rows or moves.
    """
    _, field, *steps = pointer.split("/")
    value = request.get(field)
    for step in steps:
        if not isinstance(value, list) or int(step) >= len(value):
            return isinstance(value, str) and (field == "moves" or "/" in value or "\n" in value)
        value = value[int(step)]
    return True


@pytest.mark.parametrize("case", READ, ids=lambda case: case["why"])
def test_a_board_is_read_as_it_is_meant(ask, case):
    one, other = (ask.post("/move", {**case[name], **BUDGET}).get_json() for name in ("request", "same_as"))
    assert without_cost(one) == without_cost(other)
    assert in_library(case["request"]) == in_library(case["same_as"])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["why"])
def test_another_board_is_refused_with_words_that_help(ask, case):
    problem = check_problem(ask.post("/move", {**case["request"], **BUDGET}), 422)
    details = [problem["detail"]]
    for error in problem["errors"]:
        assert exists(error["pointer"], case["request"])
    if case["request"].get("board", 0) is not None:
        with pytest.raises(InputError) as refused:
            in_library(case["request"])
        details.append(str(refused.value))
    for detail in details:
        assert [words for words in case["detail_has"] if words not in detail] == []
