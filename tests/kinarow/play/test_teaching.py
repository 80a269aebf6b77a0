"""The reference search: the trees a teacher draws, with the counts that textbooks give."""

import json
import time
from itertools import islice

import pytest

from kinarow.commands import cli
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.library import analyse, best_move
from kinarow.play.puzzles import SEEDS, puzzles
from kinarow.play.teaching import TreeTooLarge, tree
from kinarow.search.best_move import search
from kinarow.search_types import Limits, SearchStopped, Stop
from tests.support.contract import check_tree
from tests.support.positions import EVERY_RULE, judged, plain_positions, position_of, true_scores, true_value
from tests.support.samples import NODES_OF_EMPTY_BOARD, sampled

EMPTY = Position.empty(Rules(3, 3, 3))
BOUND = 100_000


def test_the_tree_of_the_empty_board_has_the_nodes_it_counts():
    grown = tree(EMPTY, max_nodes=BOUND)
    assert grown["nodes"] == NODES_OF_EMPTY_BOARD["alpha-beta"] == sum(1 for _ in walk(grown["root"]))
    assert grown["root"]["value"] == 0
    assert grown["root"]["move"] is None
    assert json.loads(json.dumps(grown, allow_nan=False)) == grown


def walk(node):
    yield node
    for child in node["children"]:
        yield from walk(child)


@EVERY_RULE
@pytest.mark.parametrize("pruning", [False, True], ids=["minimax", "alpha-beta"])
@sampled("count", 15, 40)
def test_the_tree_is_that_of_minimax_and_its_best_line_keeps_the_true_value(flags, pruning, count):
    for position in plain_positions("true", flags, count, 16, goals=(2, 16), max_empties=6):
        grown = tree(position, pruning=pruning, max_nodes=BOUND)
        request = {**position.rules.short_fields(), "to_move": "XO"[position.to_move - 1], "pruning": pruning}
        check_tree({**request, "board": [list(row) for row in position.board]}, grown)
        assert grown["root"]["value"] == true_value(position)
        _, plies, best = judged(position)
        line = [node["move"]["tile"] - 1 for node in walk(grown["root"]) if node["best"] and node["move"]]
        assert line[0] in best
        assert len(line) == plies


@EVERY_RULE
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_value_at_a_depth_is_what_the_fast_search_to_that_depth_says(flags, depth):
    for position in plain_positions("depth", flags, 25, 16, goals=(2, 16), max_empties=8):
        value = tree(position, max_depth=depth, max_nodes=BOUND)["root"]["value"]
        assert value == search(position, Limits(max_nodes=10**6, max_depth=depth)).score.value


def test_a_depth_limit_bounds_the_tree_and_a_line_found_within_it_counts_in_full():
    position = position_of("XX./OO./...", 3)
    grown = tree(position, pruning=False, max_depth=1, max_nodes=BOUND)
    assert grown["nodes"] == 6
    assert grown["root"]["value"] == 9
    assert tree(EMPTY, pruning=False, max_depth=3, max_nodes=BOUND)["nodes"] == 1 + 9 + 9 * 8 + 9 * 8 * 7


@pytest.mark.parametrize(
    ("board", "rules", "value"),
    [("XXX/OO./...", {}, -10), ("XXX/OO./...", {"misere": True}, 10), ("XOX/XOO/OXX", {}, 0)],
)
def test_a_finished_position_is_a_tree_of_one_node(board, rules, value):
    root = {"move": None, "value": value, "alpha": None, "beta": None, "cut": False, "best": True, "children": []}
    assert tree(position_of(board, 3, **rules), max_nodes=1) == {"root": root, "nodes": 1}


def test_a_tree_over_the_bound_is_refused_with_the_bound_named():
    with pytest.raises(TreeTooLarge) as refused:
        tree(EMPTY, max_nodes=20_865)
    assert refused.value.problems[0][0] == "/board"
    assert "20865 nodes" in refused.value.problems[0][1]
    with pytest.raises(TreeTooLarge):
        tree(Position.empty(Rules(25, 25, 5)), max_nodes=5_000)


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
        (("--game", "torus-tic-tac-toe"), 1, "kinarow puzzles: found only 0 of 10 puzzles"),
        (("--game", "chess"), 2, "kinarow puzzles: --game"),
        (("--goal", "3"), 2, "kinarow puzzles: "),
    ],
)
def test_refusals(capsys, words, code, complaint):
    assert cli.main(["puzzles", *words]) == code
    assert capsys.readouterr().err.startswith(complaint)
