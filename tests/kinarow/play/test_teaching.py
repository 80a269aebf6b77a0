"""The reference search: the trees a teacher draws, with the counts that textbooks give."""

import json

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.teaching import TreeTooLarge, tree
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from tests.support.contract import check_tree
from tests.support.positions import EVERY_RULE, judged, plain_positions, position_of, true_value
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
