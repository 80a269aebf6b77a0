"""A rule that is declared and played, but that no solver and no short cut has heard of: all refuse, none guesses.

The rule: the first mark of a game may not be in a corner. Nothing but ``legal_moves`` knows it.
"""

import random
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pytest

import kinarow
from kinarow.errors import RuleError
from kinarow.game import position_arrays, tactics
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.labelling import enumeration
from kinarow.play.levels import level_name, move_distribution
from kinarow.play.reasons import reasons_for
from kinarow.search import calibration
from kinarow.search.best_move import load, search
from kinarow.search.known import atlas, book, strategy
from kinarow.search_types import Limits
from kinarow.solvers import bulk, select
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.line_masks import solver as line_masks
from kinarow.solvers.maker_breaker import solver as maker_breaker

GAMES = [
    *PRESETS.values(), Rules(7, 8, 5), Rules(4, 4, 3, misere=True), Rules(3, 4, 3, wrap="rows"), Rules(9, 9, 4),
    Rules(9, 9, 5, directions=("horizontal", "vertical")), Rules(3, 3, 3, layers=3, exact_goal=True),
]  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class OddRules(Rules):
    """The rules with one more field."""

    odd: bool = field(default=False, metadata={"words": "Odd.", "in_words": "odd", "not_with": ()})


def corners(game):
    return {0, game.columns - 1, (game.rows - 1) * game.columns, game.rows * game.columns - 1}


@pytest.fixture(autouse=True)
def odd_rule(monkeypatch):
    """Let positions play by the rule."""
    usual = Position.legal_moves

    def legal_moves(position):
        moves = usual(position)
        if getattr(position.rules, "odd", False) and not any(mark in (1, 2) for mark in position.cells):
            return tuple(move for move in moves if move not in corners(position.rules))
        return moves

    monkeypatch.setattr(Position, "legal_moves", legal_moves)


def odd(game):
    names = ("rows", "columns", "goal", "blocked", *game.special())
    return OddRules(**{name: getattr(game, name) for name in names}, odd=True)


@cache
def value(at):
    """The value on the scale of scores, by brute force on positions alone."""
    ending, won = at.ending(), at.rules.cells + 1
    if ending.state != "ongoing":
        return 0 if ending.winner is None else won if ending.winner == at.to_move else -won
    return max(values(at).values())


def values(at):
    """The same of each move."""
    after = {move: value(at.play(move)) for move in at.legal_moves()}
    return {move: (child > 0) - (child < 0) - child for move, child in after.items()}


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_no_short_cut_takes_a_game_whose_rules_it_does_not_know(game):
    unknown, empty = odd(game), Position.empty(odd(game))
    assert (unknown.special()["odd"], replace(unknown, odd=False).special()) == (True, game.special())
    exact = free_placement, gravity, line_masks, line_counts, large_boards
    for fits in (*(module.fits for module in (*exact, book)), bulk.fits, position_arrays.lines_stand_alone):
        assert not fits(unknown), fits.__module__
    assert not maker_breaker.fits(unknown)
    assert select.needed(empty, Limits()) == ()
    assert not select.has_exact_solver(unknown)
    assert not select.has_quick_values(empty, Limits())
    assert (book.shipped(unknown), strategy.shipped(unknown), strategy.blocking(unknown)) == (None, None, None)
    assert (atlas.find(unknown), atlas.of(empty)) == (None, None)
    assert calibration.expected_result(0.5, unknown, 9) is None
    assert len(empty.geometry.symmetries) == 1
    after = empty.play(empty.legal_moves()[0])
    assert static_evaluation(after) == 0
    assert select.evaluate(after).value == 0
    assert len({weight for _, weight in move_distribution(empty, 2, Limits()).weights}) == 1
    assert level_name(10, unknown) == "Strongest"
    assert reasons_for(empty, empty.legal_moves()[0], select.evaluate(after), is_best=False) == ()
    with pytest.raises(RuleError, match="listed"):
        next(enumeration.layers(unknown))
    load(empty)


@pytest.mark.parametrize(
    "game", [Rules(3, 3, 3), Rules(3, 3, 3, misere=True), Rules(2, 4, 3), Rules(3, 2, 2)], ids=repr
)
def test_answers_are_right_by_the_rule(game):
    rng = random.Random(repr(game))
    position = Position.empty(odd(game))
    while position.ending().state == "ongoing":
        best, truth = value(position), values(position)
        answer, analysis = kinarow.best_move(position), kinarow.analyse(position)
        assert (answer.score.value, answer.score.exact) == (best, True)
        assert answer.move in position.legal_moves()
        assert {each.move: each.score.value for each in analysis.moves} == truth
        assert set(answer.best_moves) <= {move for move, each in truth.items() if each == best}
        winning = {move for move in truth if position.play(move).ending().winner == position.to_move}
        assert set(tactics.winning_moves(position)) == winning
        assert kinarow.best_move(position, level=1, seed=1).move in position.legal_moves()
        boards = np.frombuffer(position.cells, np.uint8)[None]
        (labels,) = kinarow.bulk_values(boards, position.rules, to_move=[position.to_move], moves="all")
        assert (labels["score"], labels["proven"]) == (best, True)
        assert {cell: labels["move_scores"][cell] for cell in truth} == truth
        position = position.play(rng.choice(position.legal_moves()))


def test_searches_of_the_reference_stay_within_their_budget():
    answer = search(Position.empty(odd(Rules(15, 15, 5))), Limits(max_nodes=20_000))
    assert (answer.nodes, answer.stopped_by, answer.proven) == (200, "nodes", False)
