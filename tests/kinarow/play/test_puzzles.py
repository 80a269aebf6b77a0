"""Puzzles have one right move, by the oracle on small boards and by an analysis on larger ones."""

import json
import time
from itertools import islice

import pytest

from kinarow.commands import cli
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.library import analyse, best_move
from kinarow.play.puzzles import SEEDS, puzzles
from kinarow.search_types import Limits, SearchStopped, Stop
from tests.support.positions import true_scores

LIMITS = Limits(200_000)


@pytest.mark.parametrize(
    "rules",
    [Rules(3, 3, 3), Rules(3, 3, 3, misere=True), Rules(3, 4, 3, gravity=True), Rules(3, 3, 3, exact_goal=True)],
    ids=str,
)
def test_the_oracle_knows_one_right_move(rules):
    some = list(islice(puzzles(rules, 1, LIMITS), 6))
    assert len({puzzle.position.canonical().position for puzzle in some}) == len(some) > 0
    for puzzle in some:
        values = true_scores(puzzle.position)
        best = values.pop(puzzle.move)
        assert max(values.values()) < best if best == 0 else max(values.values()) <= 0 < best
        assert puzzle.outcome == ("win" if best > 0 else "draw")
        nearest = best if best > 0 else -max(values.values())
        assert puzzle.plies == rules.cells + 1 - nearest


def test_a_stop_ends_the_games_from_which_puzzles_come():
    stop = Stop()
    stop.set()
    started = time.process_time()
    with pytest.raises(SearchStopped):
        next(puzzles(Rules(15, 15, 5), 1, LIMITS, stop=stop))
    assert time.process_time() - started < 0.2, "32 games take a second"


def test_the_level_is_the_lowest_that_finds_the_move():
    puzzle = next(puzzle for puzzle in puzzles(PRESETS["tic-tac-toe"], 1, LIMITS) if 3 < puzzle.level < 10)
    for level in range(1, puzzle.level + 1):
        made = [best_move(puzzle.position, level=level, seed=seed).move for seed in range(SEEDS)]
        assert (2 * made.count(puzzle.move) >= SEEDS) == (level == puzzle.level)


# The command: lines that are requests, a page with boards, and an end where there are no more.


def lines(capsys, *words):
    assert cli.main(["puzzles", *words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.slow
def test_lines_and_page(capsys, tmp_path):
    page = tmp_path / "page.html"
    some = lines(capsys, "--game", "connect-four", "--count", "3", "--max-plies", "9", "--page", str(page))
    assert len({Position.from_moves(puzzle["moves"], game="connect-four").canonical().position for puzzle in some}) == 3
    for puzzle in some:
        position = {name: puzzle[name] for name in ("game", "rows", "columns", "moves", "to_move")}
        values = analyse(**position, max_nodes=5_000_000).moves
        assert all(value.proven for value in values)
        assert puzzle["plies"] <= 9
        assert [value.move + 1 for value in values if value.outcome == puzzle["outcome"]] == [puzzle["move"]["tile"]]
        assert puzzle["line"][0] == puzzle["move"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == text.count("<li>") == 3
    assert "1. " + some[0]["to_move"] + " to move and " + some[0]["outcome"] in text


def test_fewer_are_the_first(capsys):
    rules = ("--rows", "3", "--columns", "4", "--goal", "3", "--gravity", "--seed", "7")
    some = lines(capsys, *rules, "--count", "3")
    assert some[:2] == lines(capsys, *rules, "--count", "2")
    assert (some[0]["gravity"], some[0]["goal"]) == (True, 3)


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("--game", "torus-tic-tac-toe"), 1, "kinarow puzzles: found 0 of 10; no others were found"),
        (("--game", "chess"), 2, "kinarow puzzles: --game"),
        (("--goal", "3"), 2, "kinarow puzzles: "),
    ],
)
def test_refusals(capsys, words, code, complaint):
    assert cli.main(["puzzles", *words]) == code
    assert capsys.readouterr().err.startswith(complaint)
