"""Matches, levels, tuning and the replay of requests: they run, go on where they were ended, and judge rightly."""

import csv
import json
import random
import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import levels, mistakes
from benchmarks import match as runner
from benchmarks.arena import completes
from benchmarks.replay.__main__ import main
from benchmarks.replay.differences import Comparison
from benchmarks.replay.requests import CHANNELS, Request, requests
from kinarow.game.rules import PRESETS, RULES, Rules
from tests.support import oracle
from tests.support.server import REPOSITORY

NAME = "3 × 3, goal 3"


def test_a_round_robin_goes_on_where_it_was_and_has_a_row_for_every_player(tmp_path):
    """Every two players meet with either side beginning; the seed of a game plays it again."""
    record = tmp_path / "games.csv"
    planned = list(levels.rounds(NAME, (1, 2, 3), most=2, seed=1))
    assert {(x, o) for _, x, o, _ in planned} == {(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)}
    games, file = levels.taken_up(record)
    with file:
        assert games == []
        played = [levels.play(*game) for game in planned]
        csv.writer(file).writerows(played)
        file.write(f"{NAME},1")  # the process was ended while it wrote
    again, file = levels.taken_up(record)
    file.close()
    assert again == played == [levels.play(*game) for game in planned]
    text = levels.report(again, (1, 2, 3))
    assert text.startswith(f"### {NAME}\n\n12 games.\n")
    assert [line.split(" | ")[0] for line in text.splitlines() if " to " in line] == ["| 1", "| 2", "| 3"]


KINAROW = f"{sys.executable} -m kinarow.commands.cli piskvork"
FIRST_EMPTY_CELL = """
import sys
size, taken = 0, set()
def move():
    cell = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
    taken.add(cell)
    print("DEBUG a word before the move")
    print("%d,%d" % cell, flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] in ("START", "RESTART"):
        size, taken = int((words + [size])[1]), set()
        print("OK", flush=True)
    elif words[0] == "BEGIN" or words[0] == "DONE":
        move()
    elif words[0] == "TURN":
        taken.add(tuple(map(int, words[1].split(","))))
        move()
    elif words[0] == "END":
        break
    elif words[0][0].isdigit():
        taken.add(tuple(map(int, words[0].split(",")[:2])))
"""
"""A program that plays badly but by the protocol."""


def program(source: str) -> str:
    return shlex.join([sys.executable, "-c", source])


@pytest.mark.parametrize("exact", [False, True])
def test_lines_are_judged_as_the_rules_say(exact):
    """Random games near the centre, move by move, against the oracle."""
    rng = random.Random(3)
    ends = 0
    for _ in range(60):
        size = rng.choice((7, 9))
        rules, cells, moves = Rules(size, size, 5, exact_goal=exact), bytes(size * size), []
        for cell in rng.sample(range(size * size), size * size):
            moves.append(cell)
            cells = oracle.put(rules, cells, cell, 2 - len(moves) % 2)
            expected = bool(oracle.lines_through(rules, cells, cell))
            assert completes(size, exact, moves) == expected
            ends += expected
            if expected:
                break
    assert ends > 10


@pytest.mark.slow
def test_kinarow_beats_a_program_that_plays_at_random_cells(tmp_path, capsys):
    """Two real processes; the record lets a broken-off match go on, and refuses another match's games."""
    record = tmp_path / "games.jsonl"
    words = [f"{KINAROW} --max-nodes 500", program(FIRST_EMPTY_CELL), "--turn-ms", "20000", "--record", str(record)]
    assert runner.main([*words, "--games", "2"]) == 0
    assert "+2 =0 -0" in capsys.readouterr().out
    assert len(record.read_text().splitlines()) == 3
    assert runner.main([*words, "--games", "3"]) == 0
    said = capsys.readouterr().out
    assert "2 games are known" in said
    assert "+4 =0 -0" in said
    assert [json.loads(line)["result"] for line in record.read_text().splitlines()[1:]] == [1] * 4
    with pytest.raises(SystemExit, match="other conditions"):
        runner.main([*words, "--size", "20"])
    # A judge finds mistakes of the other program alone, and is asked nothing twice.
    judged, answers = tmp_path / "judged.jsonl", []
    words = [str(record), KINAROW, "--judge-nodes", "1000", "--nodes", "500", "--record", str(judged)]
    for _ in range(2):
        assert mistakes.main(words) == 0
        rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if "where the first won" in line]
        assert [row[1] for row in rows] == ["4", "4"]
        assert int(rows[0][3]) == 0 < int(rows[1][3])
        answers.append(judged.read_text())
    assert answers[0] == answers[1]


REQUEST = Request("mcp", "mcp best_move", ("best_move", {"game": "gomoku"}))
ANSWER = {"move": {"row": 1}, "line": [{"tile": 1}, {"tile": 2}], "search": {"nodes": 5, "elapsed_ms": 0.5}}


def compared(before, after, **options):
    comparison = Comparison(**options)
    comparison.add(REQUEST, before, after)
    return comparison


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"move": None}, "move"),
        ({"move": {"row": 1.0}}, "move.row"),
        ({"move": {"row": True}}, "move.row"),
        ({"move": {"row": 1, "column": 2}}, "move.column"),
        ({"line": [{"tile": 1}, {"tile": 3}]}, "line.*.tile"),
        ({"line": [{"tile": 1}]}, "line.length"),
        ({"search": {"nodes": 6, "elapsed_ms": 0.5}}, "search.nodes"),
        ({"new": None}, "new"),
    ],
)
def test_every_field_is_compared_with_its_type(changed, path):
    """Whichever answer has the change; the report shows the request and both values."""
    for pair in ((ANSWER, ANSWER | changed), (ANSWER | changed, ANSWER)):
        comparison = compared(*pair)
        assert comparison.fields == Counter([path])
        assert comparison.differing == Counter([REQUEST.kind])
        assert "gomoku" in comparison.report()
        assert f"field {path}: 1 differences" in comparison.report()


def test_times_and_the_cache_may_differ_and_so_may_named_fields():
    """An allowed path is counted all the same."""
    assert not compared(ANSWER, ANSWER | {"search": {"nodes": 5, "elapsed_ms": 9.5, "cached": True}}).differing
    changed = ANSWER | {"line": [{"tile": 4}, {"tile": 5}]}
    assert not compared(ANSWER, changed, ignored=["tile"]).differing
    comparison = compared(ANSWER, changed, allowed=["line.*"])
    assert not comparison.differing
    assert comparison.allowed == Counter({"line.*.tile": 2})
    assert compared(ANSWER, changed, allowed=["line"]).differing


def test_an_answer_whose_time_ended_is_not_compared_but_its_neighbours_are():
    """They are counted, since a replay should have none."""
    ended = ANSWER | {"move": None, "search": {"nodes": 3, "stopped_by": "time"}}
    comparison = compared({"answers": [ANSWER, ANSWER]}, {"answers": [ended, ANSWER | {"move": 1}]})
    assert comparison.out_of_time == 1
    assert comparison.fields == Counter(["answers.*.move"])


def test_the_requests_reach_every_rule_game_and_endpoint():
    """The same seed makes the same ones, whichever channels are asked."""
    made = list(requests(2000, seed=1))
    sent = str(made)
    assert {request.channel for request in made} == {*CHANNELS}
    assert [name for name in (*PRESETS, *RULES, "layers", "only", "exclude", "level", "top") if name not in sent] == []
    assert len({request.kind for request in made}) >= 25
    assert [request for request in made if request.channel == "mcp"] == list(requests(2000, 1, frozenset(["mcp"])))


@pytest.mark.slow
def test_a_checkout_answers_as_itself(capsys):
    """Over all four channels, each with the processes of an installed checkout."""
    checkout = str(REPOSITORY)
    assert main([checkout, checkout, "--requests", "25", "--seed", "2"]) == 0
    report = capsys.readouterr().out
    assert "25 requests, 0 with differences" in report
    assert all(f"{channel} " in report for channel in CHANNELS)


def test_a_folder_without_an_environment_is_refused(tmp_path: Path):
    """Otherwise two checkouts might be one."""
    with pytest.raises(ValueError, match="install the checkout"):
        main([str(tmp_path), str(tmp_path)])
