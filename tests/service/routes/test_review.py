"""POST /review: a whole game, every move graded."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.game.rules import Rules
from kinarow.searches import Searches
from service.routes import docs
from service.searches.limiter import Overloaded
from tests.support import oracle
from tests.support.app import check_problem, validate
from tests.support.contract import check_review, check_review_claims, check_review_truth
from tests.support.positions import RULE_FLAGS
from tests.support.samples import examples
from tests.support.server import read_events

TIC_TAC_TOE = {"game": "tic-tac-toe", "moves": [1, 2, 5, 9, 4, 3, 6]}


def test_every_move_of_a_game_is_graded(ask):
    answer = ask.answer("/review", TIC_TAC_TOE)
    check_review(TIC_TAC_TOE, answer)
    check_review_truth(TIC_TAC_TOE, answer)
    assert [move["grade"] for move in answer["moves"]] == ["best", "mistake"] + ["best"] * 5
    assert (answer["state"], answer["winner"]) == ("won", "X")
    best = {"inaccuracies": 0, "mistakes": 0, "blunders": 0, "unclear": 0, "accuracy": 1.0, "lost": 0.0}
    assert answer["summary"] == {
        "X": {"moves": 4, "best": 4, **best, "lost_over": 4},
        "O": {"moves": 3, "best": 2, **best, "mistakes": 1, "accuracy": 0.667, "lost": 0.333, "lost_over": 3},
        "cut_by_time": 0,
    }


def test_a_game_without_a_move_is_reviewed(ask):
    nobody = dict.fromkeys(("moves", "best", "inaccuracies", "mistakes", "blunders", "unclear", "lost_over"), 0)
    nobody |= {"accuracy": None, "lost": None}
    answer = {"moves": [], "state": "ongoing", "winner": None}
    answer["summary"] = {"X": nobody, "O": nobody, "cut_by_time": 0}
    assert ask.answer("/review", {"game": "tic-tac-toe", "moves": []}) == answer | {"winning_cells": []}


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_a_depth_limit_holds_for_each_position(ask, depth):
    request = {**TIC_TAC_TOE, "max_depth": depth}
    check_review(request, ask.answer("/review", request))


def test_a_record_is_reviewed_as_its_moves_are(ask):
    """The answer says what the record says; the size and the rules are fields of a request for its game."""
    text = "(;GM[4]SZ[7]RU[standard]PB[Ann]RE[W+]AB[dd]AW[dc];B[cd];W[ce])"
    answer = ask.answer("/review", {"record": text, "max_nodes": 500})
    assert answer["record"] == {
        "format": "sgf", "players": {"X": "Ann", "O": None}, "result": "W+", "first": "X",
        "rows": 7, "columns": 7, "goal": 5, "exact_goal": True,
        "board": [".......", ".......", "...O...", "...X...", ".......", ".......", "......."],
    }  # fmt: skip
    fields = {name: answer["record"][name] for name in ("board", "first", "goal", "exact_goal")}
    by_moves = ask.answer("/review", {**fields, "moves": "c4 c3", "max_nodes": 500})
    assert "record" not in by_moves
    assert {**by_moves, "record": answer["record"]} == answer
    other = ask.answer("/review", {"record": text, "max_nodes": 500, "game": "caro"})
    assert (other["record"].get("caro"), other["record"].get("exact_goal")) == (True, None)


@pytest.mark.parametrize(
    ("fields", "pointer", "detail"),
    [
        ({"record": "b2\na1 b2", "game": "ttt"}, "/record", "line 2, column 4: move 3: b2 is taken by X"),
        ({"record": "b2", "game": "ttt", "moves": "b2"}, "/moves", "not with record"),
        ({"record": "b2", "game": "ttt", "board": ".../.../..."}, "/board", "not with record"),
        ({"record": 5, "game": "ttt"}, "/record", "must be a string, not 5"),
        ({"game": "ttt"}, "/moves", "moves or record is required"),
    ],
)
def test_a_record_that_cannot_be_read_is_refused_at_its_place(ask, fields, pointer, detail):
    problem = check_problem(ask.post("/review", fields), 422)
    assert problem["errors"][0]["pointer"] == pointer
    assert detail in problem["errors"][0]["detail"]


def test_a_missing_game_is_said_once(ask):
    """By the name that was likely meant, where one is; a board alone would not do."""
    for body, told in (
        ({"move": [1]}, [("/move", "unknown field; did you mean moves?")]),
        ({}, [("/moves", "moves or record is required")]),
    ):
        response = ask.post("/review", {"game": "tic-tac-toe"} | body)
        assert [(error["pointer"], error["detail"]) for error in response.get_json()["errors"]] == told


@pytest.mark.parametrize("side", [10, pytest.param(25, marks=pytest.mark.slow)])
def test_a_game_that_fills_its_board_is_reviewed_and_one_move_more_is_named(ask, side):
    """Each row alternates, shifted every second row, so that no line is ever near."""
    marks = {r * side + c + 1: (r // 2 + c) % 2 for r in range(side) for c in range(side)}
    first, second = sorted(([tile for tile in marks if marks[tile] == mark] for mark in (0, 1)), key=len, reverse=True)
    moves = [tile for pair in zip(first, second, strict=False) for tile in pair] + first[len(second) :]
    request = {"rows": side, "columns": side, "goal": side, "moves": moves, "max_nodes": 1}
    answer = ask.answer("/review", request)
    assert (len(answer["moves"]), answer["state"]) == (side * side, "drawn")
    problem = check_problem(ask.post("/review", {**request, "moves": [*moves, 1]}), 422)
    assert problem["errors"][0]["pointer"] in (f"/moves/{side * side}", "/moves")


@st.composite
def games(draw, cells=9):
    """A review request of a small board under any rules, with rows and columns; its moves are random legal ones."""
    sizes = [(rows, columns) for rows in range(1, 10) for columns in range(1, 10) if rows * columns <= cells]
    rows, columns = draw(st.sampled_from(sizes))
    gravity, misere, exact_goal = draw(st.sampled_from(RULE_FLAGS))
    goal = draw(st.integers(1, max(rows, columns)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    rules = Rules(rows, columns, goal, gravity, misere, exact_goal)
    cells, first, moves = bytes(rules.cells), draw(st.sampled_from((1, 2))), []
    for number in range(draw(st.integers(0, rules.cells))):
        move, side = rng.choice(oracle.moves(rules, cells, 1)), first if number % 2 == 0 else 3 - first
        cells, (row, column) = oracle.put(rules, cells, move, side), divmod(move, columns)
        moves.append(rng.choice([move + 1, [row, column], {"row": row, "column": column}]))
        if oracle.lines_through(rules, cells, move):
            break
    return {
        "rows": rows, "columns": columns, "goal": goal, "gravity": gravity, "misere": misere,
        "exact_goal": exact_goal, "first": "XO"[first - 1], "moves": moves,
    }  # fmt: skip


@examples(60)
@given(request=games())
def test_any_game_is_reviewed_truly(ask, request):
    answer = ask.answer("/review", {**request, "max_nodes": 100_000})
    check_review(request, answer)
    check_review_truth(request, answer)


@examples(60)
@given(request=games(cells=12), nodes=st.integers(1, 60))
def test_a_review_with_hardly_any_nodes_claims_nothing_that_is_not_true(ask, request, nodes):
    if len(request["moves"]) < request["rows"] * request["columns"] - 9:
        # The oracle would take too long.
        request = {**request, "moves": []}
    answer = ask.answer("/review", {**request, "max_nodes": nodes})
    check_review(request, answer)
    check_review_claims(request, answer)


def test_the_same_review_gets_the_same_answer_whatever_was_asked_before(make_asker):
    request = {"game": "connect-four", "moves": [{"column": c} for c in (3, 3, 2, 2, 4)], "max_nodes": 3_000}
    ask, other = make_asker(), make_asker()
    first = ask.answer("/review", request)
    for length in (2, 4):
        other.answer("/review", {**request, "moves": request["moves"][:length]})
    assert other.answer("/review", request) == first == ask.answer("/review", request)


class Crowded(Searches):
    """Has no core for the third of its searches."""

    asked = 0

    def ask(self, kind, question, search, **options):
        self.asked += 1
        if self.asked == 3:
            raise Overloaded("waited")
        return super().ask(kind, question, search, **options)


def test_what_gets_no_core_in_time_is_cut_and_says_so(make_asker):
    answer = make_asker(searching=Crowded(1 << 20)).answer("/review", TIC_TAC_TOE)
    assert answer["summary"]["cut_by_time"] == 1
    assert sum(move["stopped_by"] == "time" for move in answer["moves"]) == 2


EVENTS = {"Accept": "text/event-stream"}


def streamed(ask, request):
    response = ask.post("/review", request, headers=EVENTS)
    assert (response.status_code, response.content_type) == (200, "text/event-stream")
    assert response.headers["Cache-Control"] == "no-store"
    return read_events(response.text)


def test_each_move_is_an_event_as_soon_as_it_is_graded(make_asker):
    """The last move comes first; the result is the answer that comes without events; all is the same when known."""
    ask, schemas = make_asker(), docs.openapi_document()["components"]["schemas"]
    *told, result = events = streamed(ask, TIC_TAC_TOE)
    assert streamed(ask, TIC_TAC_TOE) == events
    for event in told:
        assert event.name == "move"
        validate(event.data, schemas["ReviewedMoveEvent"])
    assert [event.data.pop("index") for event in told] == [6, 5, 4, 3, 2, 1, 0]
    assert result.name == "result"
    assert [event.data for event in reversed(told)] == result.data["moves"]
    assert result.data == make_asker().answer("/review", TIC_TAC_TOE)
