"""The adapter for Kaggle's ConnectX: the call as the package makes it, and whole games with the real package."""

import json
import random
import subprocess
import time
from pathlib import Path

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.searches import Searches
from service.routes import adapters
from tests.support.app import check_documented, check_problem, check_refused, client_with
from tests.support.environments import python_with
from tests.support.positions import judged, wander
from tests.support.searches import NoSlots

HERE = Path(__file__).parent
FIRST_WINS = {(4, 5, 3), (1, 4, 2)}
"""Rows, columns and goal of the games whose first player wins whatever the other does."""

PLAY_WITHIN_S = 300


@pytest.fixture(scope="module")
def client():
    return client_with()


def call(board, mark, *, rows=6, columns=7, inarow=4, **configuration):
    """The body of a call as kaggle-environments 1.33 sends it."""
    return {
        "action": "act",
        "configuration": {
            "episodeSteps": 1000, "actTimeout": 2, "runTimeout": 1200, "columns": columns, "rows": rows,
            "inarow": inarow, "agentTimeout": 60, "timeout": 2, "__raw_path__": "x", **configuration,
        },
        "environment": "connectx",
        "state": {"observation": {"remainingOverageTime": 60, "step": 0, "board": board, "mark": mark}},
    }  # fmt: skip


def post(client, body, **headers):
    """POST a call as the package does: JSON text, no content type."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(adapters.PATH, data=data, headers=headers)
    check_documented(adapters.PATH, "post", response)
    return response


def column(client, body):
    response = post(client, body)
    assert response.status_code == 200, response.text
    return response.get_json()["action"]


def flat(*rows):
    return [".XO".index(mark) for mark in "".join(rows)]


def test_json_is_taken_without_a_content_type_and_with_one(client):
    body = call([0] * 42, 1)
    plain = column(client, body)
    assert post(client, body, **{"Content-Type": "application/json"}).get_json() == {"action": plain}
    check_problem(post(client, body, **{"Content-Type": "text/csv"}), 415)
    for body in (b"", b"{", b"\xff", b'{"state": NaN}'):
        check_problem(post(client, body), 400)


def test_no_observed_board_is_an_empty_board_and_what_is_left_out_is_as_connectx_has_it(client):
    assert column(client, call([], 1)) == column(client, call([0] * 42, 1))
    assert column(client, {"state": {"observation": {"board": [0] * 42, "mark": 1}}}) in range(7)


def test_every_action_is_the_best_move_on_any_small_configuration(client):
    """Random games on random sizes; the oracle judges the column."""
    rng = random.Random(3)
    for _ in range(60):
        rows, columns = rng.choice([(2, 4), (3, 3), (4, 2), (3, 4), (1, 5), (4, 1)])
        rules = Rules(rows, columns, rng.randint(1, max(rows, columns)), gravity=True)
        position = wander(rng, Position.empty(rules), rng.randint(max(0, rules.cells - 9), rules.cells - 1))
        board = flat(*position.board)
        got = column(client, call(board, position.to_move, rows=rows, columns=columns, inarow=rules.goal))
        assert got in {move % columns for move in judged(position)[2]}


@pytest.mark.parametrize("rows", [1, 3])
def test_where_no_line_fits_an_open_column_is_played(client, rows):
    board = [0] * (rows * 3)
    assert column(client, call(board, 1, rows=rows, columns=3, inarow=9)) == 1
    board[1] = 2
    assert column(client, call(board, 1, rows=rows, columns=3, inarow=9)) == 0


EMPTY = [0] * 42
CALL = call(EMPTY, 1)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""), (5, ""), ({}, "/state"), ({**CALL, "state": None}, "/state"),
        ({**CALL, "state": {}}, "/state/observation"), ({**CALL, "configuration": []}, "/configuration"),
        ({**CALL, "environment": "chess"}, "/environment"), (call([0] * 41, 1), "/state/observation/board"),
        (call("0" * 42, 1), "/state/observation/board"), (call([3, *EMPTY[1:]], 1), "/state/observation/board/0"),
        (call([*EMPTY[1:], True], 1), "/state/observation/board/41"),
        (call([*EMPTY[1:], 1.5], 1), "/state/observation/board/41"), (call(EMPTY, 0), "/state/observation/mark"),
        (call(EMPTY, True), "/state/observation/mark"), (call(EMPTY, "1"), "/state/observation/mark"),
        (call([*EMPTY[1:], 1], 1), "/state/observation/mark"), (call([1, *EMPTY[1:]], 2), "/state/observation/board"),
        (call([0] * 38 + [1, 1, 1, 1], 2), "/state/observation/board"),
        (call([1, 2, 1, 2], 1, rows=2, columns=2, inarow=2), "/state/observation/board"),
        (call([1, 2], 1, rows=1, columns=2, inarow=9), "/state/observation/board"),
        (call(EMPTY, 1, inarow=0), "/configuration/inarow"), (call(EMPTY, 1, inarow="4"), "/configuration/inarow"),
        (call(EMPTY, 1, columns=26), "/configuration/columns"), (call(EMPTY, 1, rows=-1), "/configuration/rows"),
        *((call(EMPTY, 1, actTimeout=value), "/configuration/actTimeout") for value in (-1, "2", None)),
    ],
)  # fmt: skip
def test_what_connectx_never_sends_is_422_and_named(client, body, pointer):
    check_refused(post(client, body), pointer)


@pytest.mark.parametrize("seconds", [0, 0.001, 0.3])
def test_the_answer_takes_less_than_the_time_to_act(seconds):
    """A search that would not end; what the machine itself takes is allowed for."""
    client = client_with(default_nodes=10**12, default_nodes_large=10**12, max_nodes=10**12)
    began = time.process_time()
    assert column(client, call([0] * 225, 1, rows=15, columns=15, inarow=5, actTimeout=seconds)) in range(15)
    assert time.process_time() - began < seconds + 2


def test_a_service_with_no_search_to_spare_plays_all_the_same():
    assert column(client_with(searching=Searches(0, run=NoSlots().run)), call([0] * 42, 1)) in range(7)


@pytest.fixture(scope="module")
def kaggle_python():
    """The Python of an environment with the real package and nothing of ours, kept from run to run."""
    return python_with("kaggle", "--no-deps kaggle-environments==1.33.2", "jsonschema requests")


@pytest.mark.release
def test_the_real_package_plays_whole_games(kaggle_python, live_server):
    """From both seats, on several sizes: every game ends by its rules, and no player is ever late or out of line."""
    ended = subprocess.run(
        [str(kaggle_python), "-I", str(HERE / "play_connectx.py"), f"{live_server.url}{adapters.PATH}"],
        capture_output=True, text=True, timeout=PLAY_WITHIN_S, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    games = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(games) == 16
    for game in games:
        assert game["statuses"] == ["DONE", "DONE"], game
        assert game["left_s"] > 0, game
        rows, columns, inarow, _ = game["game"]
        # Larger boards are not solved in the time there is; two of the small ones can be won by whoever begins.
        lost = game["seat"] == 1 and (rows, columns, inarow) in FIRST_WINS
        solved = rows * columns <= 20 and not lost
        assert game["reward"] in ((0, 1) if solved else (-1, 0, 1)), game
    assert sum(game["reward"] == 1 for game in games) >= 6
