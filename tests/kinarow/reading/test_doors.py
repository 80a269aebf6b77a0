"""What is read and what is refused by the command line and MCP; ``test_positions.py`` asks HTTP and the library."""

import json
from pathlib import Path

import anyio
from mcp import Client

from kinarow.protocols.mcp import create_server
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
