"""The Maker-Breaker game: against brute force, with every short cut on and off."""

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import table_words
from kinarow.solvers.maker_breaker import kernel, layout, solver
from kinarow.solvers.maker_breaker.solver import new_game
from tests.support.positions import EVERY_GAME, random_positions, true_scores, true_value
from tests.support.samples import sampled

ENDLESS = 1 << 60
SWITCHES = [0, layout.ALL_SWITCHES, *(1 << i for i in range(layout.ALL_SWITCHES.bit_length()))]


class Brute:
    """Plain search over sets of cells, from the rules of the game alone."""

    def __init__(self, lines):
        self.succeeds = cache(self._succeeds)
        self.lines = frozenset(lines)

    def _succeeds(self, lines, maker_to_move):
        """Whether the maker completes one of the lines, each a set of the cells still lacking."""
        if frozenset() in lines:
            return True
        cells = frozenset().union(*lines)
        if not cells:
            return False
        if maker_to_move:
            return any(self.succeeds(frozenset(line - {c} for line in lines), False) for c in cells)
        return all(self.succeeds(frozenset(line for line in lines if c not in line), True) for c in cells)


def random_lines(rng):
    """Some lines of two to four cells on up to eight cells, as on a board late in a game."""
    cells = range(rng.randint(3, 8))
    count = rng.randint(1, 9)
    return [frozenset(rng.sample(cells, rng.randint(2, min(4, len(cells))))) for _ in range(count)], len(cells)


def ask(lines, cells, maker_to_move, off=0, nodes=ENDLESS, table=None):
    """The kernel's answer, its first move and its budget."""
    game = new_game([sum(1 << c for c in line) for line in lines], cells, off).view(np.recarray)
    state, budget = np.zeros(1, layout.STATE_DTYPE).view(np.recarray), Budget(nodes)
    kept = np.zeros(table_words(6), np.uint64) if table is None else table
    with np.errstate(over="ignore"):
        answer = kernel.solve(game[0], state[0], budget.record, kept, maker_to_move)
    return bool(answer), int(state[0]["root_move"]), budget


@pytest.mark.parametrize("maker_to_move", [0, 1])
def test_answers_agree_with_brute_force_whatever_short_cut_is_off(maker_to_move):
    """Random hypergraphs: the least regular games there are. A maker's move leaves a success, a breaker's a failure."""
    rng = random.Random(maker_to_move)
    table = np.zeros(table_words(6), np.uint64)
    for _ in range(300):
        lines, cells = random_lines(rng)
        brute = Brute(lines)
        expected = brute.succeeds(frozenset(lines), bool(maker_to_move))
        for off in SWITCHES:
            answer, move, budget = ask(lines, cells, maker_to_move, off, table=table)
            assert (answer, budget.ended_by) == (expected, None), (lines, off)
            if maker_to_move and answer:
                assert brute.succeeds(frozenset(line - {move} for line in lines), False)
            elif not answer and move >= 0 and not maker_to_move:
                assert not brute.succeeds(frozenset(line for line in lines if move not in line), True)


def test_a_budget_that_ends_says_so():
    """The answer is void, the count exact."""
    lines = [frozenset(range(i, i + 4)) for i in range(20)] + [frozenset(range(i, i + 10, 3)) for i in range(10)]
    whole = ask(lines, 32, 1)[2].nodes
    for nodes in (1, 2, whole - 1):
        budget = ask(lines, 32, 1, nodes=nodes)[2]
        assert (budget.ended_by, budget.nodes) == ("nodes", nodes)


def test_answers_and_nodes_do_not_depend_on_what_the_table_held():
    rng = random.Random(3)
    games = [random_lines(rng) for _ in range(60)]
    fresh = [ask(*game, 1)[2].nodes for game in games]
    table = np.zeros(table_words(6), np.uint64)
    assert [ask(*game, 1, table=table)[2].nodes for game in games] == fresh
    assert [ask(*game, 1, table=table)[2].nodes for game in games[::-1]] == fresh[::-1]


@sampled("count", 150, 2000)
def test_what_mere_blocking_proves_is_true_in_every_game(count):
    """Who completes no line against mere blocking does not win; the move that comes with the proof keeps that."""
    rng, seen = random.Random("blocking"), Counter()
    games = [rules for rules in EVERY_GAME if solver.knows(rules)]
    for position in random_positions(rng, rng.choices(games, k=count), (3, 8)):
        safe, move = solver.never_completes(position, Budget(ENDLESS), opponent_is_maker=True, nodes=10_000)
        harmless, _ = solver.never_completes(position, Budget(ENDLESS), opponent_is_maker=False, nodes=10_000)
        assert not safe or (true_value(position) if move is None else true_scores(position)[move]) >= 0, position
        assert not harmless or true_value(position) <= 0, position
        seen.update({"safe": safe, "by a move": safe and move is not None, "harmless": harmless})
    assert min(seen[kind] for kind in ("safe", "by a move", "harmless")) > count // 10


@pytest.mark.slow
def test_boards_that_took_long():
    """One is blocked in a quarter of a minute, one is a draw in misère in half one, by the images of marks."""
    empty = Position.empty(Rules(7, 8, 5))
    assert solver.never_completes(empty, Budget(ENDLESS), opponent_is_maker=False, nodes=8_000_000)[0]
    assert search(Position.empty(Rules(5, 5, 4, misere=True)), Limits(80_000_000)).score.outcome == "draw"
