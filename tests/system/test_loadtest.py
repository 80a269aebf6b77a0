"""The load test passes on a good server and fails on a bad one, or on none."""

import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import threading

import pytest

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
    [("loadtests/locustfile", "/move ", "Player"), ("loadtests/analyst", "/analysis ", "Analyst")],
)
def test_a_file_is_run_by_locust_from_any_folder(live_server, tmp_path, name, asked, users):
    command = [tool("locust"), "-f", REPOSITORY / f"{name}.py", "--headless"]
    command += ["--host", live_server.url, "--users", "4", "--spawn-rate", "4", "--run-time", "6s"]
    done = ended(*command, "--stop-timeout", "10", "--only-summary", folder=tmp_path, seconds=60)
    assert done.returncode == 0, done.stdout + done.stderr
    names = re.findall(r"^POST +(.*?) +(\d+) +\d+\(", done.stdout + done.stderr, re.MULTILINE)
    assert names
    assert all(each.startswith(asked) for each, _ in names)
    assert f'{{"{users}": 4}}' in done.stderr
    assert sum(int(count) for _, count in names) < 40


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
        ({"LOADTEST_SCENARIO": "all", "LOADTEST_PROCESSES": "2"}, ["/move 3x3 ", "/analysis "]),
    ],
    ids=["players", "both kinds in two processes"],
)
def test_whole_games_are_answered_rightly_and_reported(live_server, tmp_path, settings, asked):
    """Leaves a page and figures."""
    done = run_against(live_server.url, users=6, seconds=5, LOADTEST_REPORT=str(tmp_path), **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed: " in done.stdout
    assert [name for name in asked if name not in done.stdout + done.stderr] == []
    assert "<html" in (tmp_path / "report.html").read_text("utf-8").lower()
    assert "Aggregated" in (tmp_path / "load_stats_history.csv").read_text("utf-8")


@pytest.mark.release
@pytest.mark.parametrize(
    ("words", "requests", "left_to_the_whole_run"),
    [
        # So short a run cannot tell caches that are being filled from growth.
        ("--direct --requests 600 --rate 300 --quiet 2", 600, "memory grew"),
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
