"""Positions as programs send them: moves, flat boards, games by other names; what is read and what is refused."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import kinarow
from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.play.levels import move_distribution
from kinarow.reading.positions import read_position
from tests.support import oracle
from tests.support.app import check_problem, check_refused, without_cost
from tests.support.commands import kinarow as command
from tests.support.positions import EVERY_GAME, RENJU, composed_position, true_scores, true_value
from tests.support.samples import sampled


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
    assert asked["errors"] == [{"pointer": f"/{name}", "detail": f"unknown field; did you mean {meant}?"}]


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


def test_moves_that_count_cells_from_0_and_texts_of_records_are_told_what_to_send(ask):
    for sent, pointer, words in (
        ([4, 0, 8], "/moves/1", "not 0; tiles count from 1"),
        ([0, 9], "/moves/0", "not 0; tiles count from 1"),
        ("(;GM[4]SZ[15];B[hh])", "/moves", "this text is a record, such as SGF; send it to a review, as record"),
        ("[4, 0, 8]", "/moves", "a JSON list inside a string; send the list itself, or text such as h8i9"),
        ("5 1 9", "/moves/0", "as in h8"),
        ("1,1 0,0", "/moves/0", "write a letter and a number, as in h8"),
        (["5", "1"], "/moves/0", "not '5'"),
        ("b2 zz 1. c1", "/moves/1", "not 'z'"),
        ("-", "/moves", "'-' has no move; for no moves send an empty text"),
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


START = {"game": "tic-tac-toe", "moves": "b2a1"}


def tiles(moves):
    return [move["tile"] for move in moves]


def test_a_restriction_that_leaves_all_moves_changes_nothing(ask):
    queries = [f"/move?game=ttt&moves=b2a1{only}" for only in ("", "&only=a3b3c3a2c2b1c1", "&only=a3")]
    free, restricted, other = map(ask.get, queries)
    assert restricted.headers["ETag"] == free.headers["ETag"] != other.headers["ETag"]
    assert without_cost(restricted.get_json()) == without_cost(free.get_json())


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


BOARD, MOST = "XXX.X/X..XX/.XX../X..../.....", {"goal": 4, "composed": True}
COMPOSED = {"board": BOARD, "to_move": "O", **MOST}


@sampled("count", everyday=150, full=2000)
def test_every_move_has_the_value_of_brute_force_and_every_level_makes_a_move_that_it_may(count):
    rng = random.Random("composed")
    games = [rules for rules in EVERY_GAME if rules not in RENJU]
    found = (composed_position(rng, rules, rng.randint(1, 6)) for rules in rng.choices(games, k=count))
    positions = [position for position in found if position is not None and position.empties < 8]
    for position in positions:
        answer = kinarow.analyse(position)
        assert {each.move: each.score.value for each in answer.moves} == true_scores(position), position
        assert answer.score.value == true_value(position)
        level, board = rng.randrange(1, 10), (position.rules, position.cells, position.to_move)
        moves = {move for move, _ in move_distribution(position, level, kinarow.Limits(max_nodes=1000)).weights}
        wins, safe = set() if position.rules.misere else set(oracle.completing(*board)), set(oracle.safe(*board))
        assert moves <= set(oracle.moves(*board))
        assert level < 5 or (moves == wins if wins else moves <= safe or not safe)
    counts = [(position.cells.count(1), position.cells.count(2)) for position in positions]
    assert sum(abs(xs - os) > 1 for xs, os in counts) > len(counts) / 4


def test_every_door_takes_them(ask, capsys):
    position = Position.from_text(BOARD, to_move="O", **MOST)
    score = kinarow.best_move(position).score.value
    assert Position.from_rows(BOARD.split("/"), to_move=2, **MOST) == position
    assert Position.from_cells(position.rules, position.cells, 2, composed=True) == position
    assert kinarow.best_move(BOARD, to_move="O", **MOST).score.value == score
    assert kinarow.bulk_values([position])["score"][0] == score
    boards, rules = np.asarray(position)[np.newaxis], position.rules
    assert kinarow.bulk_values(boards, rules, to_move=[2], composed=True)["score"][0] == score
    with pytest.raises(kinarow.InputError, match="10 X and 0 O"):
        kinarow.bulk_values(boards, rules, to_move=[2])
    for path in ("/move", "/analysis"):
        assert ask.post(path, COMPOSED).get_json()["score"] == score
        assert ask.get(path, query_string={**COMPOSED, "composed": "true"}).get_json()["score"] == score
    code, out, _ = command(capsys, "move", BOARD, "--goal", "4", "--to-move", "o", "--composed", "--json")
    assert (code, f'"score": {score:g}' in out) == (0, True)


def test_tables_say_it_for_all_rows_or_for_each():
    table = pa.table({"board": [BOARD] * 3, "to_move": ["O", "O", None]})
    assert kinarow.label(table, goal=4)["proven"].to_pylist() == [None] * 3
    assert kinarow.label(table, goal=4, composed=True)["proven"].to_pylist() == [True, True, None]
    for flags in ([True, False, True], ["true", "False", "1"]):
        flagged = table.append_column("composed", pa.array(flags))
        for size in ({}, {"rows": 5, "columns": 5}):
            assert kinarow.label(flagged, goal=4, **size)["proven"].to_pylist() == [True, None, None]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"to_move": None}, "/to_move"),
        ({"composed": False}, "/board"),
        ({"composed": None}, "/board"),
        ({"board": "OXXXX/...../...../...../.....", "to_move": "X"}, "/to_move"),
        ({"board": "XXXX./OOOO./...../...../....."}, "/board"),
        ({"board": "XXXX./...../XXXX./...../....."}, "/board"),
        ({"goal": 5, "renju": True}, "/composed"),
        ({"gravity": True}, "/board/0"),
    ],
)
def test_what_is_no_composed_position_is_refused(ask, change, pointer):
    sent = {name: value for name, value in {**COMPOSED, **change}.items() if value is not None}
    check_refused(ask.post("/move", sent), pointer)


def test_a_legal_position_has_the_same_answer(ask):
    for fields in (
        {"board": "X.O/.X./..O", "to_move": "X"},
        {"game": "gomoku", "moves": "h8", "first": "X", "level": 3, "seed": 1},
    ):
        plain, composed = (ask.post("/move", {**fields, **more}).get_json() for more in ({}, {"composed": True}))
        assert without_cost(plain) == without_cost(composed)


def test_moves_go_on_from_a_composed_board(ask):
    """The side that makes the first of them is sent, or follows from the side to move after them."""
    answers = [
        ask.post("/move", {"board": BOARD, **MOST, "moves": "a1b1e1", **side})
        for side in ({"first": "O"}, {"to_move": "X"})
    ]
    assert [answer.get_json()["to_move"] for answer in answers] == ["X", "X"]
    assert ask.post("/review", {"board": BOARD, **MOST, "moves": "a1b1", "first": "O"}).status_code == 200
