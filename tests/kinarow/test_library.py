"""The library's public names: documented, with examples that run."""

import doctest
import inspect
import re
import sys
from dataclasses import replace

import pytest

import kinarow

OBJECTS = {name: getattr(kinarow, name) for name in kinarow.__all__}
DOCUMENTED = {name: each for name, each in OBJECTS.items() if callable(each)}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_has_a_docstring(name):
    assert inspect.getdoc(DOCUMENTED[name])


@pytest.mark.parametrize(
    "module", ["kinarow", "kinarow.search.bulk", "kinarow.library", "kinarow.game.position", "kinarow.search_types"]
)
def test_examples_in_docstrings_run(module):
    found = doctest.testmod(sys.modules[module])
    assert found.attempted > 0
    assert found.failed == 0


def test_calls_take_text_with_the_rules_as_keywords():
    """So do boards as rows, moves, and a game alone, which is its empty board."""
    position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    expected = replace(kinarow.best_move(position), elapsed_ms=0)
    for board in ("X.O/.X./..O", ["X.O", ".X.", "..O"]):
        assert replace(kinarow.best_move(board, goal=3), elapsed_ms=0) == expected
        assert kinarow.analyse(board, goal=3).moves == kinarow.analyse(position).moves
    assert kinarow.best_move(moves="b2", game="tic-tac-toe").best_moves == (0, 2, 6, 8)
    assert kinarow.best_move(game="connect-four").move == 38
    assert kinarow.best_move(rows=3, columns=3, goal=3, to_move="O").outcome == "draw"
    reviewed = kinarow.review(kinarow.Position.from_moves("", game="tic-tac-toe"), "b2b1")
    assert kinarow.review(moves="b2b1", game="tic-tac-toe") == reviewed
    assert kinarow.review(".../.../...", "b2b1", goal=3) == reviewed


def test_limits_are_given_once():
    position = kinarow.Position.from_moves("h8", game="gomoku")
    limits = kinarow.Limits(max_nodes=300, max_depth=2)
    by_name = kinarow.best_move(position, max_nodes=300, max_depth=2)
    assert replace(by_name, elapsed_ms=0) == replace(kinarow.best_move(position, limits), elapsed_ms=0)
    with pytest.raises(TypeError, match="give either limits or max_nodes"):
        kinarow.best_move(position, limits, max_nodes=300)
    with pytest.raises(kinarow.InputError, match="/max_nodes"):
        kinarow.best_move(position, max_nodes=0)


@pytest.mark.parametrize(
    "read",
    [kinarow.Position.from_text, kinarow.Position.from_rows, kinarow.Position.from_moves],
    ids=lambda read: read.__name__,
)
def test_a_position_refuses_a_keyword_that_it_does_not_know(read):
    with pytest.raises(TypeError, match="unexpected keyword 'gool'; the keywords are caro, "):
        read([], gool=3)


@pytest.mark.parametrize(
    ("arguments", "fields", "said"),
    [
        ((5,), {}, "pass a Position, or a board as text"),
        (("X.O/.X./..O",), {"goal": "3"}, "goal is a whole number, not '3'"),
        (("X.O/.X./..O",), {"goal": True}, "goal is a whole number, not True"),
        (("X.O/.X./..O",), {"gravity": 1}, "gravity is True or False, not 1"),
        (("X.O/.X./..O",), {"game": 3}, "game is the name of a game, such as 'connect-four', not 3"),
        (("X.O/.X./..O",), {"to_move": 1}, "to_move is 'X' or 'O', not 1"),
        (("X.O/.X./..O",), {"directions": 4}, "directions is a list of directions"),
        (("X.O/.X./..O", 1000), {}, "limits is a kinarow.Limits, or give max_nodes"),
        (("X.O/.X./..O",), {"max_nodes": "1000"}, "max_nodes is a whole number"),
        (("X.O/.X./..O",), {"level": "3"}, "level is a whole number"),
        (("X.O/.X./..O",), {"colour": "X"}, "unexpected keyword 'colour'"),
        ((kinarow.Position.from_text("X.O/.X./..O"),), {"goal": 3}, "a Position has its rules"),
    ],
    ids=str,
)
def test_a_wrong_type_is_told_what_to_pass(arguments, fields, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        kinarow.best_move(*arguments, **fields)


def test_a_review_needs_moves_and_positions_name_wrong_types_too():
    with pytest.raises(TypeError, match="moves are the moves of the game"):
        kinarow.review(game="tic-tac-toe")
    for make in (kinarow.Position.from_text, kinarow.Position.from_moves):
        with pytest.raises(TypeError, match="goal is a whole number, not '3'"):
            make("", goal="3")


@pytest.mark.parametrize("level", [0, 11])
def test_levels_out_of_range_are_refused(level):
    position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    with pytest.raises(kinarow.InputError, match="level"):
        kinarow.best_move(position, level=level)


def test_a_seed_repeats_the_choice_of_a_level():
    position = kinarow.Position.from_text(".../.../...", goal=3)
    moves = {kinarow.best_move(position, kinarow.Limits(1000), level=2, seed=seed).move for seed in range(30)}
    again = {kinarow.best_move(position, kinarow.Limits(1000), level=2, seed=seed).move for seed in range(30)}
    assert len(moves) > 2
    assert moves == again
