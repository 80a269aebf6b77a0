"""Boards as programs send them: one table of boards that are read and of boards that are refused."""

import json
from pathlib import Path

import pytest

from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from tests.support.app import check_problem, without_cost

BOARDS = json.loads((Path(__file__).parents[2] / "support" / "boards.json").read_text(encoding="utf-8"))
READ = [case for case in BOARDS if "same_as" in case]
REFUSED = [case for case in BOARDS if "same_as" not in case]
BUDGET = {"max_nodes": 200}


def in_library(request):
    """The position that the library reads from these fields."""
    fields = {name: value for name, value in request.items() if value is not None}
    board = fields.get("board")
    if "moves" in fields or not isinstance(board, str | list):
        return read_position(request)
    read = Position.from_text if isinstance(board, str) else Position.from_rows
    return read(board, **{name: value for name, value in fields.items() if name not in ("board", "only")})


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
