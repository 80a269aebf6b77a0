"""Short wins on line counts: the same distances as the solver for one word, with every short cut on and off."""

import random

import numba
import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.short_wins import kernel, records
from tests.support.plain import plain_answers

ENDLESS = 1 << 60
SWITCHES = [0, kernel.ALL_SWITCHES, *(1 << i for i in range(kernel.ALL_SWITCHES.bit_length()))]


def ends_in(position, most, off=0):
    """In how many plies the position is won (odd) or lost (even), 0 if not within ``most``; and the first move."""
    board = records.new_board(position.rules, off)
    for cell, mark in enumerate(position.relative()):
        if mark:
            kernel.put(board[0], mark - 1, cell)
    records.set_symmetries(board, position.geometry.stabiliser(position.cells))
    table = np.zeros(kernel.ENTRY_WORDS << 8, np.uint64)
    for plies in range(1, min(most, position.empties) + 1):
        attacker = 1 - plies % 2
        board["generation"] = 1 + attacker
        budget = Budget(ENDLESS)
        with np.errstate(over="ignore"):
            yes = kernel.wins_within(board[0], budget.record, table, plies, attacker)
        assert budget.ended_by is None
        if yes:
            return plies, int(board[0]["root_move"])
    return 0, -1


def random_positions(rules, rng, count):
    found = []
    while len(found) < count:
        position = Position.empty(rules)
        for _ in range(rng.randint(1, rules.cells // 2)):
            if position.ending().state == "ongoing":
                position = position.play(rng.choice(position.legal_moves()))
        if position.ending().state == "ongoing":
            found.append(position)
    return found


@pytest.mark.parametrize("rules", [Rules(3, 4, 3), Rules(4, 4, 3), Rules(4, 5, 4), Rules(5, 5, 4)], ids=str)
def test_distances_are_those_of_the_solver_for_one_word_whatever_short_cut_is_off(rules):
    """Both prove the same values, by different code and different orders of moves."""
    rng = random.Random(str(rules))
    for position in random_positions(rules, rng, 12):
        exact = search(position, Limits(10_000_000)).score
        decided = exact.outcome != "draw" and exact.distance <= 7
        for off in SWITCHES:
            plies, move = ends_in(position, 7, off)
            assert plies == (exact.distance if decided else 0), off
            if plies % 2 == 1:
                child = position.play(move)
                assert plies == 1 or search(child, Limits(10_000_000)).score.distance == plies - 1


def few_answers():
    rng = random.Random(29)
    rules = Rules(3, 4, 3), Rules(4, 5, 4), Rules(9, 9, 4)
    return [ends_in(position, 3) for each in rules for position in random_positions(each, rng, 4)]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="this is the plain side already")
def test_plain_python_gives_the_same_answers():
    assert [tuple(answer) for answer in plain_answers(__name__)] == few_answers()
