"""The Model Context Protocol, spoken by the official client: by stdio, by HTTP, and to a server in this process."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from kinarow.contract.requests import AnalysisRequest, MoveRequest, ReviewRequest
from kinarow.game.rules import PRESETS, RULES
from kinarow.protocols import mcp
from kinarow.protocols.mcp import create_server
from service.settings import default_settings
from tests.support.commands import ended, kinarow
from tests.support.processes import processor_s

KINAROW = ("-m", "kinarow.commands.cli", "mcp")
WIN = {"board": ["XX.", "OO.", "..."]}


def in_thread(talk):
    """What a coroutine returns, run in a thread of its own: a browser's test may have left a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(anyio.run, talk).result()


def by_stdio(*words: str, env: dict[str, str] | None = None) -> Client:
    own = {**os.environ, **(env or {})}
    return Client(stdio_client(StdioServerParameters(command=sys.executable, args=list(words or KINAROW), env=own)))


def in_process() -> Client:
    return Client(create_server(default_settings()))


def ask(client: Client, *calls):
    async def talk():
        async with client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return in_thread(talk)


def tools_of(client: Client):
    async def talk():
        async with client:
            return (await client.list_tools()).tools

    return in_thread(talk)


def texts(result) -> list[str]:
    return [part.text for part in result.content]


@contextmanager
def http_server(*words: str):
    """The URL of ``kinarow mcp --http`` on a free port; SIGTERM ends it with exit code 0."""
    command = [sys.executable, *KINAROW, "--http", "--port", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http://\S+", process.stderr.readline())[0]
        finally:
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
            process.wait(30)


def test_stdio():
    """A process on pipes lists its tools, answers and refuses."""
    move, refused = ask(by_stdio(), ("best_move", WIN), ("best_move", {"board": "XX./OO./.."}))
    assert move.structured_content["move"] == {"row": 0, "column": 2, "tile": 3}
    assert move.structured_content["outcome"] == "win"
    assert refused.is_error
    assert "/board/2: row 1 has 3 cells, row 3 has 2" in texts(refused)[0]


def test_http():
    """The same by streamable HTTP, on loopback, for the newest clients and those that shake hands first."""
    with http_server() as url:
        assert re.fullmatch(r"http://127.0.0.1:\d+/mcp", url)
        for mode in ("auto", "legacy"):
            (move,) = ask(Client(url, mode=mode), ("best_move", WIN))
            assert move.structured_content["move"]["tile"] == 3
        port = int(url.split(":")[2].partition("/")[0])
        # A server on all addresses would answer at this one too.
        with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), 5):
            pass
        for host, status in (("attacker.example", 421), ("host.docker.internal:8000", 400)):
            assert httpx2.post(url, json={}, headers={"Host": host}).status_code == status
        assert httpx2.get(url.replace("/mcp", "/healthz")).json() == {"status": "ok"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
        for accepted in ("application/json", "text/event-stream"):
            response = httpx2.post(url, json=message, headers={"Accept": accepted})
            assert (response.status_code, response.headers["Content-Type"].partition(";")[0]) == (200, accepted)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_keys_over_http(monkeypatch, tmp_path, host):
    """Where the settings name keys, a request needs one, whatever the address."""
    (tmp_path / "keys").write_text("a-key-of-someone-0123\n")
    monkeypatch.setenv("KINAROW_API_KEYS_FILE", str(tmp_path / "keys"))
    with http_server("--host", host) as url:
        url = url.replace("0.0.0.0", "127.0.0.1")
        for headers in ({}, {"Authorization": "Bearer another-key-0123456789"}):
            refused = httpx2.post(url, json={}, headers=headers)
            assert refused.status_code == 401
            assert refused.headers["WWW-Authenticate"].startswith("Bearer")
        with httpx2.Client(headers={"Authorization": "Bearer a-key-of-someone-0123"}) as client:
            assert client.post(url, json={}).status_code not in (401, 404, 500)


def test_a_server_that_cannot_listen_says_so_in_one_line(capsys):
    """Without keys no other machine is answered; and a port may be taken."""
    code, _, complaint = kinarow(capsys, "mcp", "--http", "--host", "0.0.0.0", "--port", "0")
    assert (code, complaint.count("\n"), "KINAROW_API_KEYS" in complaint) == (2, 1, True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = ended(sys.executable, *KINAROW, "--http", "--port", str(taken.getsockname()[1]), seconds=60)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "kinarow mcp: " in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "request_model"), [("best_move", MoveRequest), ("analyse", AnalysisRequest), ("review", ReviewRequest)]
)
def test_arguments(name, request_model):
    """The arguments of a tool are the fields of the request, and its schema stands alone."""
    tool = next(tool for tool in tools_of(in_process()) if tool.name == name)
    assert set(tool.input_schema["properties"]) == set(request_model.model_fields)
    assert (tool.input_schema["additionalProperties"], tool.annotations.read_only_hint) == (False, True)
    assert tool.annotations.open_world_hint is False
    asked = {"game": "tic-tac-toe", "moves": "b2"} if name == "review" else WIN
    validator = jsonschema.Draft202012Validator(tool.input_schema)
    assert [validator.is_valid(each) for each in (asked, asked | {"levle": 3})] == [True, False]


def test_tools():
    """The tools, each with a purpose in words; a model has their list in every conversation, so it is short."""
    tools = tools_of(in_process())
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    whole = len(json.dumps(listed))
    for tool in listed:
        for rule in RULES:  # each stands in every schema, since that stands alone
            tool["inputSchema"]["properties"].pop(rule, None)
    assert len(json.dumps(listed)) <= 8_200
    assert whole - len(json.dumps(listed)) <= 450 * len(RULES)
    assert all(field["description"] for tool in tools for field in tool.input_schema["properties"].values())
    assert [tool.name for tool in tools] == ["best_move", "analyse", "review", "puzzle", "judge", "list_games"]
    assert all(len(tool.description) > 20 for tool in tools)


def test_answers():
    """An answer is that of the request as data and text, the board a second text; or it has words alone."""
    game = {"game": "tic-tac-toe", "moves": [1, 2, 5, 3]}
    move, values, review, games = ask(
        in_process(), ("best_move", WIN), ("analyse", WIN | {"top": 2}), ("review", game), ("list_games", {})
    )
    (first_move,) = ask(in_process(), ("best_move", {"game": "connect-four"}))
    assert texts(first_move)[1].splitlines()[-1] == "...X..."
    for result in (move, first_move, games):
        assert not result.is_error
        assert json.loads(texts(result)[0]) == result.structured_content
    assert texts(move)[1] == "XXX\nOO.\n..."
    first, second = values.structured_content["moves"]
    assert (first["tile"], first["score"] > second["score"]) == (3, True)
    (told,) = texts(review)
    assert told.startswith("XOO\n.X.\n...\n\nThe game is not over.\nX: 2 best, 0 inaccuracies")
    assert told.endswith(":\n1. X a3 best\n2. O b3 mistake (b2)\n3. X b2 best\n4. O c3 inaccuracy (c1)")
    assert "connect-four:\n.......\n" in texts(games)[1]
    assert review.structured_content["moves"][1]["grade"] == "mistake"
    listed = {game["game"]: game for game in games.structured_content["games"]}
    assert set(listed) == set(PRESETS)
    assert listed["connect-four"]["gravity"]
    assert (listed["connect-four"]["rows"], listed["connect-four"]["columns"]) == (6, 7)


def test_the_text_of_an_analysis_is_the_board_the_sentence_and_the_moves():
    """Ten moves by default; the structured content has the same."""
    asked = {"game": "gomoku", "moves": "h8", "max_nodes": 500}
    ten, three, over = ask(
        in_process(), ("analyse", asked), ("analyse", asked | {"top": 3}), ("analyse", {"board": "XXX/OO./..."})
    )
    for result, count in ((ten, 10), (three, 3)):
        answer = result.structured_content
        (text,) = texts(result)
        board, sentence, moves = text.split("\n\n")
        assert board.splitlines() == answer["board"]
        assert sentence == answer["text"]
        assert len(moves.splitlines()) == len(answer["moves"]) == count
        cell = answer["moves"][1]
        assert moves.splitlines()[1].startswith(f"{'abcdefghijklmno'[cell['column']]}{15 - cell['row']}: not decided, ")
    assert texts(over) == ["XXX\nOO.\n...\n\nThe game is over: X has won."]


def test_puzzle():
    """A puzzle has one right move, by the tool that values all moves; a seed repeats it."""
    wanted = {"game": "tic-tac-toe", "seed": 5}
    puzzle, again = ask(in_process(), ("puzzle", wanted), ("puzzle", wanted))
    data = puzzle.structured_content
    assert data == again.structured_content
    assert (texts(puzzle)[1], type(data["moves"])) == ("\n".join(data["board"]), str)
    (values,) = ask(in_process(), ("analyse", {"game": "tic-tac-toe", "moves": data["moves"]}))
    moves = values.structured_content["moves"]
    assert [move["tile"] for move in moves if move["outcome"] == data["outcome"]] == [data["move"]["tile"]]
    (none,) = ask(in_process(), ("puzzle", {"game": "torus-tic-tac-toe"}))
    assert none.is_error
    assert "no puzzle was found in time" in texts(none)[0]
    pegs = {"rows": 3, "columns": 3, "layers": 2, "goal": 3, "gravity": True, "seed": 1, "max_plies": 5}
    (in_layers,) = ask(in_process(), ("puzzle", pegs))
    board, moves = (in_layers.structured_content[name] for name in ("board", "moves"))
    assert type(moves) is list
    assert texts(in_layers)[1] == "\n\n".join(["\n".join(board[:3]), "\n".join(board[3:])])


def test_judge():
    """The report is that of the command, for games as text or as a list; the text has its table and the last boards."""
    sent = '{"game": "tic-tac-toe", "moves": [1, 2, 5, 3], "players": {"X": "a", "O": "b"}}'
    never = '{"game": "connect-four", "moves": "8", "players": {"X": "c", "O": "a"}}'
    both, listed, wrong = ask(
        in_process(),
        ("judge", {"games": f"{sent}\n{never}\n"}),
        ("judge", {"games": [json.loads(sent), json.loads(never)]}),
        ("judge", {"games": f"{sent}\n{{}}"}),
    )
    assert both.structured_content == listed.structured_content == json.loads(texts(both)[0])
    figures = both.structured_content["players"]
    assert figures["b"]["phases"]["all"]["by_proof"]["lost"]["value"] == 0.5
    assert figures["c"]["phases"]["all"]["illegal"] == 1
    assert "| c | all |  | 0 |  |  | 0.000 (0.000 to 0.793) |" in texts(both)[1]
    assert texts(both)[1].endswith("c (X) against a (O):\n" + "\n".join(["......."] * 6))
    assert "/games/1/players: players is required" in texts(wrong)[0]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("puzzle", {"game": "chess"}, "/game: "),
        ("best_move", WIN | {"difficulty": 3}, "/difficulty: unknown field; did you mean level?"),
        ("best_move", WIN | {"level": 11, "seed": -1}, "/seed: must be at least 0, not -1"),
        ("review", {"record": "(;GM[4]SZ[5];B[aa];W[aa])"}, "/record: line 1, column 22: move 2: "),
        ("list_games", {"game": "gomoku"}, "/game: unknown field"),
        ("judge", {"games": "nope"}, "/games/0: it is not JSON"),
    ],
)
def test_refusals(name, arguments, told):
    """What is wrong with the arguments reaches the model, with the place of each mistake."""
    (result,) = ask(in_process(), (name, arguments))
    assert result.is_error
    assert told in texts(result)[0]


def test_numbers_and_names_are_read_as_by_http():
    """Also what clients add or leave empty is as not sent; a review of the longest game has a short text."""
    call = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "best_move", "arguments": {%s}}}'
    for sent, read in (
        ('"level": 5', "5"),
        ('"level": 3, "level": 5', "The name 'level' appears twice in one object."),
    ):
        arguments = json.loads(mcp._check_json((call % sent).encode()))["params"]["arguments"]
        assert [str(each) for each in arguments.values()] == [read]
    added = {"level": 5.0, "only": [3.0], "toolCallId": "call_1", "exclude": "", "to_move": ""}
    full = {"rows": 25, "columns": 25, "goal": 25, "moves": list(range(1, 602)), "max_nodes": 1}
    same, twice, unknown, long = ask(
        in_process(), ("best_move", WIN | added), ("best_move", {"\0": "twice"}),
        ("best_move", WIN | {"toolCall": ""}), ("review", full),
    )  # fmt: skip
    assert same.structured_content["outcome"] == "win"
    assert texts(twice)[0].endswith("twice")
    assert "/toolCall: unknown field" in texts(unknown)[0]
    (told,) = texts(long)
    assert told.endswith("\n601. X a1 best")
    assert len(told) < 20_000


@pytest.mark.slow
def test_cancelled_calls():
    """The search of a call that was given up is stopped."""
    long = {"board": "/".join(["." * 15] * 15), "goal": 5, "max_nodes": 10**8, "time_limit_ms": 300_000}

    async def talk() -> float:
        async with by_stdio(env={"KINAROW_MAX_TIME_MS": "300000"}) as client:
            children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()
            server = int(children.split()[-1])
            await client.call_tool("best_move", WIN)
            with anyio.move_on_after(2) as scope:
                await client.call_tool("best_move", long)
            assert scope.cancelled_caught
            await anyio.sleep(0.5)
            used = processor_s(server)
            await anyio.sleep(1.5)
            return processor_s(server) - used

    assert in_thread(talk) < 0.2
