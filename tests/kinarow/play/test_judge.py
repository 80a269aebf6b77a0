"""The judge: figures of games that were counted by hand, intervals and ratings of known truth, and the command."""

import json
import math
import random
import xml.etree.ElementTree as Tree

import pytest

from kinarow.commands.cli import main
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play import judge
from kinarow.play.judge import Game, rate, ratings
from kinarow.play.review import Review
from tests.support.commands import kinarow

GAMES = [
    {"game": "tic-tac-toe", "moves": [1, 2, 5, 3], "players": {"X": "kinarow-level-1", "O": "mine"}},
    {"game": "connect-four", "moves": "4,4,4 4444", "players": {"X": "mine", "O": "kinarow-level-1"}},
]
"""X opens in the corner and O loses at once; then both play the middle column, until a mark finds it full."""


@pytest.fixture
def run(tmp_path, capsys):
    """Judges the games of some lines; gives the exit code and both outputs."""

    def judged(lines, out="report"):
        games = tmp_path / "games.jsonl"
        text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
        games.write_text(text, "latin-1")
        return kinarow(capsys, "judge", str(games), "--out", str(tmp_path / out))

    return judged


def test_a_report(run, tmp_path):
    """Moves by phase and by kind of value, an illegal move, and a rating for who met a level."""
    code, printed, complaints = run(GAMES)
    assert (code, complaints) == (0, "")
    figures = json.loads((tmp_path / "report.json").read_text())
    mine, level = figures["players"]["mine"], figures["players"]["kinarow-level-1"]
    assert mine["games"] == 2
    assert mine["phases"]["all"]["illegal"] == mine["phases"]["opening"]["illegal"] == 1
    # O's first mark lost a drawn game; the other four moves kept what there was.
    assert mine["phases"]["all"]["by_proof"]["moves"] == level["phases"]["all"]["by_proof"]["moves"] == 5
    kept = mine["phases"]["all"]["by_proof"]["keeps_value"]
    # Wilson's interval, as tabulated.
    assert (kept["count"], kept["value"], round(kept["low"], 3), round(kept["high"], 3)) == (4, 0.8, 0.376, 0.964)
    # Of 0, 0, 0, 0, 1: the mean, and 1.96 times the standard deviation by the root of five beside it.
    assert mine["phases"]["all"]["by_proof"]["lost"] == {"value": 0.2, "low": -0.192, "high": 0.592}
    assert mine["phases"]["middle"]["by_proof"]["moves"] == 1
    assert figures["elo"]["kinarow-level-1"]["value"] == 0
    assert set(figures["elo"]) == {"kinarow-level-1", "mine"}
    assert "| mine | all | proof | 5 |" in printed
    assert (tmp_path / "report.md").read_text() == printed
    assert Tree.parse(tmp_path / "report.svg").getroot().tag.endswith("svg")


def test_a_report_says_how_many_positions_time_has_cut_short():
    cut, whole = (Review((), Position.empty(Rules(3, 3, 3)), number) for number in (3, 0))
    games = [judge.Judged({"X": "mine", "O": "other"}, review, ()) for review in (cut, whole, cut)]
    assert judge.report(games).cut_by_time == 6
    assert "6 positions were cut short" in judge.as_markdown(judge.report(games))
    assert "short" not in judge.as_markdown(judge.report(games[1:2]))


def test_illegal_moves_before_a_move_count_as_such_and_lose_nothing(run, tmp_path):
    """O tries a full cell and one off the board, then blocks; X, at its last move, ends the game with a full cell."""
    players = {"X": "kinarow-level-1", "O": "mine"}
    moves = [1, 1, 10, 5, 2, 3, 5]
    for each in (moves, ["a3", "a3", "d1", "b2", "b3", "c3", "b2"], "a3 a3 d1 b2 b3 c3 b2"):
        assert run([{"game": "tic-tac-toe", "moves": each, "players": players}])[0] == 0
        figures = json.loads((tmp_path / "report.json").read_text())
        mine, level = (figures["players"][name]["phases"]["all"] for name in ("mine", "kinarow-level-1"))
        assert (mine["illegal"], level["illegal"]) == (2, 1)
        # Kaggle's rates count illegal moves, which are neither good nor perfect; ours do not.
        assert [mine["by_proof"][name]["value"] for name in ("best", "keeps_value", "perfect", "good")] == [
            1, 1, 0.5, 0.5,
        ]  # fmt: skip
        assert level["by_proof"]["good"]["value"] == 0.6667
        assert mine["by_estimate"]["good"] is None
        assert figures["elo"]["mine"]["value"] > 0


@pytest.mark.parametrize(
    ("game", "moves", "option"),
    [
        ("tic-tac-toe", [0, 4, 8, 2, 6, 3, 7], "cells"), ("gomoku", [112, 0, 113, 1], "cells"),
        ("connect-four", [3, 0, 3, 0, 3], "columns-from-0"), ("connect-four", "3030303", "columns-from-0"),
        ("connect-four", ["3", "0"], "columns-from-0"),
    ],
)  # fmt: skip
def test_moves_that_are_possible_in_one_other_way_end_the_run(run, tmp_path, game, moves, option):
    """The report that was there stays; with the way that the sentence names every move is judged."""
    (tmp_path / "report.json").write_text("mine")
    asked = {"game": game, "moves": moves, "players": {"X": "a", "O": "b"}, "max_nodes": 200}
    said = f"some moves are impossible; all are possible as {option}: add --moves {option}"
    assert run([asked])[::2] == (2, f"kinarow judge: {said}\n")
    assert (tmp_path / "report.json").read_text() == "mine"
    command = ["judge", str(tmp_path / "games.jsonl"), "--out", str(tmp_path / "again"), "--moves", option]
    assert main(command) == 0
    phases = [each["phases"]["all"] for each in json.loads((tmp_path / "again.json").read_text())["players"].values()]
    graded = sum(
        each[f"by_{kind}"][count] for each in phases for kind in ("proof", "estimate") for count in ("moves", "unclear")
    )
    assert (graded, sum(each["illegal"] for each in phases)) == (len(moves), 0)


def test_numbers_that_may_be_columns_from_1_or_from_0_are_no_game(run):
    game = {"game": "connect-four", "moves": [4, 4, 4, 3], "players": {"X": "a", "O": "b"}}
    code, _, complaints = run([game])
    assert code == 2
    assert "say which by --moves" in complaints


CONNECTX = [[0, None], [None, 0], [1, None], [None, 0], [1, None], [None, 0], [1, None], [None, 7]]
REPLAYS = {
    "connectx": {
        "configuration": {"rows": 6, "columns": 7, "inarow": 4},
        "steps": [
            [
                {"action": action, "status": "ACTIVE" if (number + agent) % 2 == 0 else "INACTIVE"}
                for agent, action in enumerate(actions)
            ]
            for number, actions in enumerate([[None, None], *CONNECTX])
        ],
    },
    "open_spiel_connect_four": {
        "configuration": {"openSpielGameParameters": {"rows": 6, "columns": 7, "x_in_row": 4}},
        "info": {"TeamNames": ["a", "b"], "actionHistory": ["0", "0", "1", "0", "1", "0", "1"]},
        "steps": [[{"status": "DONE"}, {"status": "INVALID", "action": {"submission": 7}}]],
    },
    "open_spiel_tic_tac_toe": {
        "configuration": {}, "info": {"TeamNames": ["a", "b"], "actionHistory": ["0", "4", "1", "2", "6", "3", "5"]},
        "steps": [[{"status": "DONE"}, {"status": "INVALID", "action": {"submission": None}}]],
    },
}  # fmt: skip
"""Replays of seven moves, actions from 0, and of one that is illegal, which is O's."""


@pytest.mark.parametrize("name", REPLAYS)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_replay_is_judged_as_it_was_played(tmp_path, name, indent):
    (tmp_path / "replay.json").write_text(json.dumps({"name": name, **REPLAYS[name]}, indent=indent))
    assert main(["judge", str(tmp_path / "replay.json"), "--out", str(tmp_path / "report")]) == 0
    players = json.loads((tmp_path / "report.json").read_text())["players"]
    phases = [players[each]["phases"]["all"] for each in sorted(players)]
    counts = [(each["by_proof"]["moves"], each["illegal"]) for each in phases]
    assert counts == [(4, 0), (3, 1)]


def test_a_file_without_a_game_is_told_once(tmp_path, capsys):
    spoilt = [{"name": name, "configuration": [], "steps": []} for name in ("connectx", [])]
    spoilt += [{"name": "open_spiel_tic_tac_toe", "configuration": {}, "steps": []}]
    for text in (
        *map(json.dumps, spoilt),
        json.dumps({"name": "chess", "configuration": {}, "steps": []}, indent=1),
        "{\n 1\n}\n",
        "[]",
        "",
    ):
        (tmp_path / "games.json").write_text(text)
        assert main(["judge", str(tmp_path / "games.json"), "--out", str(tmp_path / "report")]) == 2
        assert len(capsys.readouterr().err.splitlines()) <= 2
    assert not (tmp_path / "report.json").exists()


def test_moves_after_the_end_do_not_count(run, tmp_path):
    """X loses by a line in misère; what is written behind it is nobody's illegal move."""
    players = {"X": "kinarow-level-1", "O": "mine"}
    assert run([{"game": "misere", "moves": [1, 9, 2, 8, 3, 4], "players": players}])[0] == 0
    figures = json.loads((tmp_path / "report.json").read_text())
    assert {each["phases"]["all"]["illegal"] for each in figures["players"].values()} == {0}
    assert figures["elo"]["mine"]["value"] > 0


def test_a_player_without_a_legal_move(run):
    """Its figures are empty and its illegal move is counted, once."""
    game = {"game": "tic-tac-toe", "moves": [10], "players": {"X": "a|b", "O": "mine"}}
    none = "0.000 (0.000 to 0.793)"
    assert run([game])[1].splitlines()[-3:] == [
        rf"| a\|b | all |  | 0 |  |  | {none} | {none} |  |  | 1 |",
        rf"| a\|b | opening |  | 0 |  |  | {none} | {none} |  |  | 1 |",
        "| mine | all |  | 0 |  |  |  |  |  |  | 0 |",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"game": "tic-tac-toe", "moves": [1]}, "/players"),
        ({"game": "tic-tac-toe", "moves": [1], "players": {"X": "a"}}, "/players/O: O is required"),
        ({"game": "tic-tac-toe", "moves": [1], "players": {"X": "a", "O": ""}}, "/players/O: "),
        ({"moves": [1], "players": {"X": "a", "O": "b"}}, "/rows"),
        ("nope\n", "line 1"),
        ('{"é": 1}\n', "line 1: it is not UTF-8: byte 2 cannot be read"),
    ],
)
def test_a_line_that_is_no_game_costs_itself(run, tmp_path, line, said):
    """One line names the file, the line and the field; the games around it are judged."""
    game = {"game": "tic-tac-toe", "moves": [5], "players": {"X": "mine", "O": "b"}}
    code, _, complaints = run([game, line, game])
    complaint, count = complaints.splitlines()
    assert "line 2: " in complaint
    assert said.replace("line 1", "line 2") in complaint
    assert (code, count) == (0, "2 games judged, 1 bad line")
    assert json.loads((tmp_path / "report.json").read_text())["players"]["mine"]["games"] == 2


def test_a_byte_order_mark_is_skipped_and_a_strict_run_fails_for_a_bad_line(tmp_path, capsys):
    game = json.dumps({"game": "tic-tac-toe", "record": "b2 a1 1-0", "players": {"X": "mine", "O": "b"}})
    (tmp_path / "marked.jsonl").write_text(f"\ufeff{game}\n", "utf-8")
    command = ["judge", str(tmp_path / "marked.jsonl"), "--out", str(tmp_path / "report"), "--strict"]
    assert main(command) == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "marked.jsonl").write_text(f"\ufeff{game}\n\n[\n", "utf-8")
    assert main(command) == 1
    assert "line 3: it is not JSON" in capsys.readouterr().err


def test_what_can_fail_early_fails_before_the_games_are_judged(run, tmp_path):
    """A folder that is missing, before a game that takes minutes."""
    long = {"game": "gomoku", "moves": [112, 113], "max_nodes": 10**9, "players": {"X": "a", "O": "b"}}
    code, printed, complaints = run([long], "no/such/report")
    assert (code, printed) == (1, "")
    assert complaints == f"kinarow judge: --out: cannot write into the folder {tmp_path / 'no/such'}\n"


def test_ratings_find_the_strengths_that_made_the_games():
    """Three players 200 Elo apart, a thousand games of each pair."""
    chance, truth = random.Random(1), {"kinarow-level-1": 0, "b": 200, "c": 400}
    games = []
    for first in truth:
        for second in truth:
            if first < second:
                expected = 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
                games += [Game(first, second, float(chance.random() < expected)) for _ in range(1000)]
    for player, rating in rate(games, "kinarow-level-1").items():
        assert abs(rating.value - truth[player]) < 40
        assert rating.low <= rating.value <= rating.high
    assert math.isclose(ratings([Game("a", "b", 0.5)] * 10, "a")["b"], 0, abs_tol=1e-6)
