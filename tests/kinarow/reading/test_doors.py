"""What every way to ask reads and refuses: names of fields, strict JSON, and the tables of boards.

``test_positions.py`` asks HTTP and the library for the same tables.
"""

import json
from pathlib import Path

import anyio
import pytest
from mcp import Client

from kinarow.contract.json_text import parse
from kinarow.contract.problems import Problem
from kinarow.contract.requests import AnalysisRequest, PictureRequest, PuzzleRequest, ReviewRequest, TreeRequest
from kinarow.errors import RuleError
from kinarow.labelling.reading import open_rows
from kinarow.protocols.mcp import create_server
from kinarow.reading.games import read_games
from kinarow.reading.names import did_you_mean, game_name
from service.settings import default_settings
from tests.support.commands import kinarow

SUPPORT = Path(__file__).parents[2] / "support"
READ, REFUSED = (json.loads(SUPPORT.joinpath(name).read_text("utf-8")) for name in ("accepted.json", "refused.json"))
BUDGET = {"max_nodes": 200}


def words_of(request):
    """The options of a request; None if it has a value that is no text, number or flag."""
    words = []
    for name, value in request.items():
        if name not in ("board", "moves") and value in (None, False):
            continue
        if not isinstance(value, str if name == "board" else str | int) or str(value).startswith("-"):
            return None
        option = [f"--{name.replace('_', '-')}"] if name != "board" else []
        words += option if value is True else [*option, str(value)]
    return words


def as_text(request):
    """The same with rows of text as one text."""
    board = request.get("board")
    rows = isinstance(board, list) and len(board) > 1 and all(isinstance(row, str) for row in board)
    return {**request, "board": "/".join(board)} if rows else request


def test_the_command_line_reads_and_refuses_what_the_tables_say(capsys):
    count = 0
    for case in READ + REFUSED:
        words = words_of(case["request"])
        if words is None or "to_move" in case["request"] or "first" in case["request"]:
            continue
        code, out, err = kinarow(capsys, "move", *words, "--max-nodes", "200", "--json")
        if "same_as" not in case:
            assert code == 2, case
            assert [each for each in case["detail_has"] if each not in err] == [], case
        elif (other := words_of(as_text(case["same_as"]))) is not None:
            assert code == 0, case
            _, same, wrong = kinarow(capsys, "move", *other, "--max-nodes", "200", "--json")
            assert not wrong, case
            assert json.loads(out)["board"] == json.loads(same)["board"], case
            count += 1
    assert count > 40


def test_mcp_reads_and_refuses_what_the_tables_say():
    requests = [case[name] for case in READ for name in ("request", "same_as")]
    # There an empty text is as not sent, and a text of JSON is read as what it writes.
    refused = [case for case in REFUSED if "" not in case["request"].values() and case["why"] != "JSON in a text"]
    requests += [case["request"] for case in refused]

    async def talk():
        async with Client(create_server(default_settings())) as client:
            return [await client.call_tool("best_move", {**BUDGET, **each}) for each in requests]

    answers = anyio.run(talk)
    for index, case in enumerate(READ):
        one, other = (answers[2 * index + at].structured_content for at in (0, 1))
        assert (one["board"], one["score"]) == (other["board"], other["score"]), case
    for case, answer in zip(refused, answers[2 * len(READ) :], strict=True):
        assert answer.is_error, case
        assert [each for each in case["detail_has"] if each not in answer.content[0].text] == [], case


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"moves": [5], "moves": [1]}', "the name 'moves' appears twice in one object"),
        ('{"moves": [NaN]}', "NaN is not a JSON number"),
        ('{"moves": ' + "[" * 100_000, "nested"),
    ],
)
def test_equal_names_and_deep_nesting_are_refused_by_every_door(tmp_path, text, says):
    with pytest.raises(Problem) as caught:
        parse(text.encode())
    assert says[1:] in caught.value.detail
    ((_, game),) = read_games(text)
    assert says in str(game)
    file = tmp_path / "in.jsonl"
    file.write_text(f'{text}\n{{"moves": [5]}}\n')
    rows = open_rows(file)
    wrong, right = next(rows.positions(block)["moves"] for block in rows.blocks(2))
    assert says in str(wrong)
    assert right == [5]


def test_every_field_of_a_request_is_known_to_hints_in_any_case():
    models = (AnalysisRequest, PictureRequest, ReviewRequest, TreeRequest, PuzzleRequest)
    fields = {name for model in models for name in model.model_fields}
    for name in fields:
        assert did_you_mean(name.upper(), fields) == f"; did you mean {name}?"
    assert did_you_mean("positions", {"requests"}) == "; did you mean requests?"


@pytest.mark.parametrize(
    ("preset", "typed"),
    [
        ("connect-four", ["connect4", "Connect Four", "connect_4", "four-in-a-row"]),
        ("tic-tac-toe", ["ttt", "TicTacToe", "Tic-Tac-Toe", "noughts and crosses"]),
        ("misere-tic-tac-toe", ["misère tic-tac-toe"]), ("four-by-four", ["4x4"]),
        ("gomoku", ["Gomoku", "five in a row", "Gomoku 15"]), ("standard-gomoku", ["standard_gomoku"]),
        ("score-four", ["Score Four", "score4", "sogo"]), ("qubic", ["3D tic-tac-toe"]),
    ],
)  # fmt: skip
def test_names_that_people_type_are_understood(preset, typed):
    assert {game_name(name) for name in typed} == {preset}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("conect4", "connect-four"), ("tic tac tow", "tic-tac-toe"), ("gomuku", "gomoku"),
        ("connectfuor", "connect-four"),
    ],
)  # fmt: skip
def test_a_name_that_is_nearly_right_gets_a_suggestion(typed, meant):
    with pytest.raises(RuleError, match=f"did you mean {meant}"):
        game_name(typed)
    with pytest.raises(RuleError, match="no such game: 'ultimate tic-tac-toe'; the games are"):
        game_name("ultimate tic-tac-toe")


@pytest.mark.parametrize(
    "typed", ["connect 5", "connect6", "connect-six", "connect3", "3 in a row", "k in a row", "4x4 tic-tac-toe"]
)
def test_a_game_of_another_number_is_none_that_is_nearly_right(typed):
    with pytest.raises(RuleError, match=f"no such game: '{typed}'; the games are"):
        game_name(typed)
