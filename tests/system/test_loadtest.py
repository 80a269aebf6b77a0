"""The load test passes on a good server and fails on a bad one, or on none."""

import functools
import http.client
import http.server
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from loadtests import games
from tests.chaos import hostile, storm
from tests.support.commands import ended, tool
from tests.support.server import REPOSITORY, free_port


def run_against(host: str, users: int = 4, seconds: int = 3, **settings: str) -> "subprocess.CompletedProcess[str]":
    """A short load test of a server that runs already, by people who do not think."""
    crowd = {"LOADTEST_HOST": host, "LOADTEST_USERS": str(users), "LOADTEST_SECONDS": str(seconds)}
    environment = {**os.environ, "LOADTEST_THINK_S": "0", **crowd, **settings}
    tool("locust")  # which it starts
    return ended(sys.executable, "-m", "loadtests.run", environment=environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked", "users"),
    [
        ("loadtests/locustfile", "/move ", "Player"),
        ("loadtests/analyst", "/analysis ", "Analyst"),
        ("tests/chaos/stranger", "hostile ", "Stranger"),
    ],
)
def test_a_file_is_run_by_locust_from_any_folder(live_server, tmp_path, name, asked, users):
    command = [tool("locust"), "-f", REPOSITORY / f"{name}.py", "--headless"]
    command += ["--host", live_server.url, "--users", "4", "--spawn-rate", "4", "--run-time", "6s"]
    done = ended(*command, "--stop-timeout", "10", "--only-summary", folder=tmp_path, seconds=60)
    assert done.returncode == 0, done.stdout + done.stderr
    names = re.findall(r"^(?:POST|RAW) +(.*?) +(\d+) +\d+\(", done.stdout + done.stderr, re.MULTILINE)
    assert names
    assert all(each.startswith(asked) for each, _ in names)
    assert f'{{"{users}": 4}}' in done.stderr
    assert users == "Stranger" or sum(int(count) for _, count in names) < 40


def test_no_server_fails_the_run():
    done = run_against(f"http://127.0.0.1:{free_port()}", seconds=1)
    assert done.returncode == 1
    assert "FAILED: " in done.stdout


@pytest.fixture
def wrong_server():

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = b'{"state": "ongoing", "move": {"row": 99, "column": 0, "tile": 1}}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("served", "limits", "complaint"),
    [("wrong_server", {}, "without ['score'"), ("live_server", {"LOADTEST_MOVE_MS": "0"}, "which must be under 0 ms")],
)
def test_wrong_and_late_answers_fail_the_run(request, served, limits, complaint):
    server = request.getfixturevalue(served)
    done = run_against(getattr(server, "url", server), users=1, seconds=2, **limits)
    assert done.returncode == 1
    assert "FAILED: " in done.stdout
    assert complaint in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({}, ["/move 3x3 new", "/move 3x3 known"]),
        ({"LOADTEST_SCENARIO": "all", "LOADTEST_PROCESSES": "2"}, ["/move 3x3 ", "/analysis ", "hostile no JSON"]),
    ],
    ids=["players", "all three kinds in two processes"],
)
def test_whole_games_are_answered_rightly_and_reported(live_server, tmp_path, settings, asked):
    """Leaves a page and figures."""
    done = run_against(live_server.url, users=6, seconds=5, LOADTEST_REPORT=str(tmp_path), **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed: " in done.stdout
    assert [name for name in asked if name not in done.stdout + done.stderr] == []
    assert "<html" in (tmp_path / "report.html").read_text("utf-8").lower()
    assert "Aggregated" in (tmp_path / "load_stats_history.csv").read_text("utf-8")


def plays(port: int, seed: int, until: float, times_ms: list[float]) -> None:
    """A person of the load test, by the standard library's client: the same games and pauses."""
    choice = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def send(method, path, body=None):
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return connection.getresponse().read()

    def ask(game, rows, side):
        body = json.dumps({"board": rows, "to_move": side, **game.fields})
        began = time.perf_counter()
        answer = send("POST", "/move", body)
        times_ms.append(1000 * (time.perf_counter() - began))
        time.sleep(choice.uniform(0.5, 1.5) * THINK_S)
        answer = json.loads(answer)
        if time.monotonic() > until:
            return None
        return answer if answer["state"] == "ongoing" else {"after": answer}

    send("GET", "/healthz")
    time.sleep(choice.uniform(0, THINK_S))
    while time.monotonic() < until:
        (game,) = choice.choices(GAMES, WEIGHTS)
        games.play(game, functools.partial(ask, game), choice)


THINK_S, USERS, MINUTE_S = 0.5, 10, 60
GAMES = [games.TIC_TAC_TOE, games.FOUR_BY_FOUR, games.CONNECT_FOUR, games.MISERE, games.GOMOKU]
WEIGHTS = [8, 4, 4, 2, 1]


@pytest.mark.release
def test_the_figures_of_a_load_test_are_those_of_a_plain_client_beside_it(live_server):
    """Its 99th percentile of a minute is at most 1.5 times that of as many plain clients, and the rounding to 1 ms."""
    times_ms: list[float] = []
    with ThreadPoolExecutor(USERS) as crowd:
        until = time.monotonic() + MINUTE_S
        for seed in range(USERS):
            crowd.submit(plays, live_server.port, seed, until, times_ms)
        done = run_against(live_server.url, users=USERS, seconds=MINUTE_S, LOADTEST_THINK_S=str(THINK_S))
    assert done.returncode == 0, done.stdout
    told_ms = float(re.search(r"99 % under (\d+) ms", done.stdout)[1])
    plain_ms = statistics.quantiles(times_ms, n=100)[98]
    print(f"\n99 % under {told_ms:.0f} ms by the load test, {plain_ms:.1f} ms by {len(times_ms)} plain requests")
    assert len(times_ms) > 500
    assert told_ms <= 1.5 * plain_ms + 1


@pytest.mark.release
@pytest.mark.parametrize(
    ("words", "requests", "left_to_the_whole_run"),
    [
        # So short a run cannot tell tables that are being filled from growth.
        ("--direct --requests 600 --rate 300 --quiet 2 --primes 0", 600, "memory grew"),
        # In eight seconds the user asks 160 times: chance decides the 99th percentile, the second slowest answer.
        ("--requests 2500 --rate 500 --quiet 10", 2500, "99th percentile"),
    ],
    ids=["at the service itself", "through the proxy"],
)
def test_a_hostile_run_finds_nothing_wrong(capsys, words, requests, left_to_the_whole_run):
    code = hostile.main(words.split())
    found = json.loads(capsys.readouterr().out)
    assert [each for each in found["failures"] if left_to_the_whole_run not in each] == []
    assert code == (1 if found["failures"] else 0)
    assert sum(sum(answers.values()) for answers in found["answers"].values()) == requests
    assert found["user_requests"] > 50
    assert "direct" in words or found["attacked_p50"] < 2 * found["quiet_p50"]


@pytest.mark.release
def test_a_storm_passes(capsys):
    assert storm.main(["--seconds", "25"]) == 0, capsys.readouterr().out
    assert "requests answered correctly" in capsys.readouterr().out
