"""The interface of connect4.gamesolver.org: known scores, scores by brute force, and its clients' way to ask."""

import random

import pytest

from kinarow.game.position import Position
from kinarow.searches import Searches
from tests.support.app import check_problem, check_refused
from tests.support.positions import true_scores

FULL = 100


def solved(ask, query):
    response = ask.get(f"/solve?{query}")
    assert response.status_code == 200, response.text
    return response.get_json()


def test_scores_that_are_known(ask):
    """Two as published; a fourth mark on three wins with the seventh mark of the game."""
    for query in ("pos=", "", "rows=6&columns=7"):
        assert solved(ask, query) == {"pos": "", "score": [-2, -1, 0, 1, 0, -1, -2]}
    assert solved(ask, "pos=475") == {"pos": "475", "score": [-18, -2, -2, -18, -18, -2, -18]}
    won = solved(ask, "pos=2634774315435467514624")["score"]
    assert (won[3], won[5]) == (FULL, (42 + 2 - 23) // 2)
    assert max(won[:3] + won[4:5] + won[6:]) < won[5]
    assert solved(ask, "pos=1212121")["score"] == [FULL] * 7
    assert solved(ask, "pos=2222&rows=4&columns=4")["score"][1] == FULL


def brute_force(position):
    """The score of each column by playing everything out."""
    scores, cells = [FULL] * position.rules.columns, position.rules.cells
    for move, score in true_scores(position).items() if position.ending().state == "ongoing" else ():
        plies = cells + 1 - abs(score)
        scores[move % position.rules.columns] = ((score > 0) - (score < 0)) * ((position.empties + 2 - plies) // 2)
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
        *((f"pos={pos}", "/pos") for pos in ("48", "40", "4a", "4%204", "1111111", "12121211", "4&pos=4", "%D9%A1")),
        *((f"rows={rows}", "/rows") for rows in ("x", "26", "9&columns=9", "3&columns=3")),
        *(("pos=4&moves=4", "/moves"), ("columns=10", "/columns"), ("columns=0", "/columns")),
    ],
)
def test_what_is_wrong_is_named(ask, query, pointer):
    response = ask.get(f"/solve?{query}")
    check_refused(response, pointer)
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_pages_of_any_origin_read_it(make_asker):
    """Other origins that are set do not close it."""
    response = make_asker(cors_origins="https://example.org").get("/solve", headers={"Origin": "https://else.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "*"


class OneSearch(Searches):
    """Has time for one new search in each request; what it knows already costs nothing."""

    def __init__(self):
        super().__init__(cache_bytes=1 << 20)
        self.used = False

    def ask(self, kind, question, search, **options):
        value, known = super().ask(kind, question.until(0) if self.used else question, search, **options)
        self.used = self.used or not known
        return value, known


def test_what_was_proven_is_kept_when_the_time_is_over(make_asker):
    """Each try proves a column more, until the answer is whole."""
    query = "pos=11213&rows=4&columns=4"
    slow = OneSearch()
    ask = make_asker(searching=slow)
    tries = 0
    while (response := ask.get(f"/solve?{query}")).status_code != 200:
        assert (response.headers["Retry-After"], response.headers["Cache-Control"]) == ("1", "no-store")
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        check_problem(response, 503)
        slow.used = False
        tries += 1
        assert tries < 8
    assert tries >= 1
    assert response.get_json() == make_asker().get(f"/solve?{query}").get_json()
