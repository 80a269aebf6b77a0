"""The load test passes on a good server and fails on a bad one, or on none."""

import http.server
import os
import random
import subprocess
import sys
import threading

import pytest

from loadtests import games
from tests.support.server import REPOSITORY, free_port


def run_against(host: str, users: int = 4, seconds: int = 3) -> "subprocess.CompletedProcess[str]":
    """A short load test of a server that runs already."""
    return subprocess.run(
        [sys.executable, "-m", "loadtests.run"],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "LOADTEST_HOST": host,
            "LOADTEST_USERS": str(users),
            "LOADTEST_SECONDS": str(seconds),
        },
        capture_output=True,
        text=True,
        timeout=90,
    )


def test_whole_games_on_every_board_are_answered_rightly(live_server):
    done = run_against(live_server.url, seconds=5)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed: " in done.stdout
    assert "/move 3x3" in done.stdout + done.stderr


def test_no_server_fails_the_run():
    done = run_against(f"http://127.0.0.1:{free_port()}", seconds=1)
    assert done.returncode == 1
    assert "FAILED: " in done.stdout


@pytest.fixture
def wrong_server():
    """Answers every request with 200 and a move that is off the board."""

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

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_answers_wrongly_fails_the_run(wrong_server):
    done = run_against(wrong_server, users=1, seconds=1)
    assert done.returncode == 1
    assert "FAILED: " in done.stdout
    assert "without ['score'" in done.stdout + done.stderr


def test_a_game_ends_with_the_board_full_or_when_the_service_says_so():
    asked = []

    def ask(rows, side):
        asked.append(rows)
        row, column = games.random_cell(rows, games.CONNECT_FOUR, random.Random(len(asked)))
        board = games.put(rows, row, column, side)
        full = not any("." in row for row in board)
        return {"board": board, "after": {"state": "drawn" if full else "ongoing"}}

    for seed in range(4):
        asked.clear()
        games.play(games.CONNECT_FOUR, ask, random.Random(seed))
        assert len(asked) == 21
