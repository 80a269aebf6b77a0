"""The interface of connect4.gamesolver.org: known scores, scores by brute force, and its clients' way to ask."""

import json
import random
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from kinarow.game.position import Position
from service.searches.recommender import Recommender
from tests.service.http.test_problems import check_problem
from tests.support.oracle import completes_line, judge, legal_moves, with_mark

FULL = 100


def solved(ask, query):
    response = ask.get(f"/solve?{query}")
    assert response.status_code == 200, response.text
    return response.get_json()


def test_scores_that_are_known(ask):
    """Two as published; a fourth mark on three wins with the seventh mark of the game."""
    assert solved(ask, "pos=") == {"pos": "", "score": [-2, -1, 0, 1, 0, -1, -2]}
    assert solved(ask, "pos=475") == {"pos": "475", "score": [-18, -2, -2, -18, -18, -2, -18]}
    won = solved(ask, "pos=2634774315435467514624")["score"]
    assert won[3] == FULL
    assert won[5] == (42 + 2 - 23) // 2
    assert max(won[:3] + won[4:5] + won[6:]) < won[5]
    assert solved(ask, "pos=1212121")["score"] == [FULL] * 7
    assert solved(ask, "pos=2222&rows=4&columns=4")["score"][1] == FULL


def test_the_empty_board_may_be_asked_in_three_ways(ask):
    answers = [ask.get(path).get_json() for path in ("/solve", "/solve?pos=", "/solve?rows=6&columns=7")]
    assert [answer["score"] for answer in answers] == [[-2, -1, 0, 1, 0, -1, -2]] * 3


def brute_force(position):
    """The score of each column by playing everything out."""
    rules = position.rules
    cells = rules.rows * rules.columns
    board = tuple(position.board)
    marks = cells - position.empties
    side, other = "XO"[position.to_move - 1], "OX"[position.to_move - 1]
    scores = [FULL] * rules.columns
    if position.ending().state != "ongoing":
        return scores
    for move in legal_moves(board, gravity=True):
        after = with_mark(board, move, side)
        if completes_line(after, *move, rules.goal, False):
            value, plies = 1, 1
        elif not any("." in row for row in after):
            value, plies = 0, 1
        else:
            reply, rest, _ = judge(after, other, rules.goal, True, False, False)
            value, plies = -reply, rest + 1
        scores[move[1]] = value * ((cells + 2 - (marks + plies)) // 2)
    return scores


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 4), (4, 5), (2, 6)])
def test_scores_on_small_boards_are_those_of_brute_force(ask, rows, columns):
    rng = random.Random(f"solve {rows} {columns}")
    for _ in range(10):
        moves = ""
        position = Position.from_moves("", rows=rows, columns=columns, goal=4, gravity=True)
        while position.empties > 8 and position.ending().state == "ongoing":
            move = rng.choice(position.legal_moves())
            moves += str(move % columns + 1)
            position = position.play(move)
        assert solved(ask, f"pos={moves}&rows={rows}&columns={columns}")["score"] == brute_force(position)


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("pos=48", "/pos"),
        ("pos=40", "/pos"),
        ("pos=4a", "/pos"),
        ("pos=4%204", "/pos"),
        ("pos=1111111", "/pos"),
        ("pos=12121211", "/pos"),
        ("pos=4&pos=4", "/pos"),
        ("pos=%D9%A1", "/pos"),
        ("pos=4&moves=4", "/moves"),
        ("columns=10", "/columns"),
        ("columns=0", "/columns"),
        ("rows=x", "/rows"),
        ("rows=26", "/rows"),
        ("rows=9&columns=9", "/rows"),
        ("rows=3&columns=3", "/rows"),
    ],
)
def test_what_is_wrong_is_named(ask, query, pointer):
    response = ask.get(f"/solve?{query}")
    check_problem(response, 422)
    assert [error["pointer"] for error in response.get_json()["errors"]] == [pointer]
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_caches_may_keep_it_and_pages_of_any_origin_read_it(ask):
    first = ask.get("/solve?pos=44", headers={"Origin": "https://example.org"})
    assert first.headers["Access-Control-Allow-Origin"] == "*"
    assert first.headers["Cache-Control"] == "public, max-age=86400"
    again = ask.get("/solve?pos=44", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert ask.get("/solve?pos=45").headers["ETag"] != first.headers["ETag"]


def test_other_origins_that_are_set_do_not_close_it(make_asker):
    ask = make_asker(cors_origins="https://example.org")
    response = ask.get("/solve?pos=44", headers={"Origin": "https://elsewhere.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "*"


class OneSearch(Recommender):
    """Has time for one new search in each request; what it knows already costs nothing."""

    def __init__(self):
        super().__init__(cache_size=100)
        self.used = False

    def ask(self, key, question, search, explain):
        value, known = super().ask(key, question.until(0) if self.used else question, search, explain)
        self.used = self.used or not known
        return value, known


def test_what_was_proven_is_kept_when_the_time_is_over(make_asker):
    """Each try proves a column more, until the answer is whole."""
    query = "pos=11213&rows=4&columns=4"
    slow = OneSearch()
    ask = make_asker(recommender=slow)
    tries = 0
    while (response := ask.get(f"/solve?{query}")).status_code != 200:
        assert response.headers["Retry-After"] == "1"
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        check_problem(response, 503)
        slow.used = False
        tries += 1
        assert tries < 8
    assert tries >= 1
    assert response.get_json() == make_asker().get(f"/solve?{query}").get_json()


@contextmanager
def local_solver(*options):
    """The URL of ``kinarow solver`` on a free port; SIGTERM ends it with exit code 0."""
    command = [sys.executable, "-m", "kinarow.commands.cli", "solver", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http://\S+", process.stderr.readline())[0]
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


def test_a_client_of_a_local_solver_never_plays_a_full_column():
    """As SPIN-Bench plays: the greatest score, unmasked, against a random player, whole games from either side."""
    chance = random.Random(1)
    with local_solver("--full-column", "-1000") as url:
        for first in (0, 1, 0, 1):
            position, moves = Position.from_moves("", game="connect-four"), ""
            while position.ending().state == "ongoing":
                if len(moves) % 2 == first:
                    with urllib.request.urlopen(f"{url}?pos={moves}") as answer:
                        scores = json.load(answer)["score"]
                    column = chance.choice([c for c, score in enumerate(scores) if score == max(scores)])
                else:
                    column = chance.choice([move % 7 for move in position.legal_moves()])
                moves += str(column + 1)
                position = Position.from_moves(moves, game="connect-four")
            assert position.ending().winner in (None, first + 1)
        with urllib.request.urlopen(f"{url}?pos=222222") as answer:
            assert json.load(answer)["score"][1] == -1000
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{url}?pos=2222222")
        problem = json.load(refused.value)
        assert (refused.value.code, problem["errors"][0]["pointer"]) == (422, "/pos")
