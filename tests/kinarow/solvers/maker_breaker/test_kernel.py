"""The Maker-Breaker game: against brute force, with every short cut on and off, and draws by pairings."""

import random
import time
from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.common.capacity import table_words
from kinarow.solvers.maker_breaker import kernel, kernel_draw, layout, solver
from kinarow.solvers.maker_breaker.layout import PAIRS_DTYPE, TILING_SIDE
from kinarow.solvers.maker_breaker.solver import new_game
from tests.support.positions import EVERY_GAME, random_position, random_positions, true_scores, true_value
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
    games = [rules for rules in EVERY_GAME if solver.fits(rules)]
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


def prepared(rules, cells):
    """The lines of a board, and the working memory of a search for pairs with these marks."""
    pairs = np.zeros(1, PAIRS_DTYPE)
    pairs["marks"][0, : rules.cells] = np.frombuffer(cells, np.int8)
    return solver.lines_of(rules).array[0], pairs[0]


def open_lines(rules, cells, maker):
    """The empty cells of each line that a side can still complete."""
    lines = [line for _, line in geometry(rules).directed_lines]
    lines = [line for line in lines if 3 - maker not in {cells[cell] for cell in line.cells}]
    if rules.exact_goal:
        lines = [line for line in lines if maker not in (cells[cell] for cell in line.flanks)]
    return [{cell for cell in line.cells if cells[cell] == 0} for line in lines]


@pytest.mark.parametrize("exact_goal", [False, True])
def test_every_line_that_is_open_holds_a_pair_of_the_tiling_used(exact_goal):
    """Wherever the pattern is laid on the largest board, nine cells in a row hold a pair; and on boards with marks."""
    rng = random.Random(1)
    found = 0
    for size, most in [((25, 25), 0), ((9, 9), 4), ((25, 3), 4), ((3, 25), 4), ((12, 14), 4)]:
        rules = Rules(*size, 9, exact_goal=exact_goal)
        for marks, shift in product(range(most + 1), range(TILING_SIDE**2)):
            cells = bytearray(rules.cells)
            for index, cell in enumerate(rng.sample(range(rules.cells), marks)):
                cells[cell] = 1 + index % 2
            lines, pairs = prepared(rules, bytes(cells))
            is_tiled = kernel_draw.tile(lines, pairs, 1, shift)
            assert is_tiled or marks
            if is_tiled:
                found += 1
                paired = set(np.flatnonzero(pairs["paired"]).tolist())
                assert all(cells[cell] == 0 for cell in paired)
                assert all(len(line & paired) > 1 for line in open_lines(rules, cells, 1))
    assert found >= 150


def test_a_deadline_that_has_passed_or_a_stop_ends_the_search_for_a_pairing():
    """On boards where the tiling serves and where cells are given out one by one."""
    for rules in (Rules(20, 20, 9), Rules(3, 25, 5)):
        empty, stopped = Position.empty(rules), Budget(NO_LIMIT)
        assert solver.find_draw(empty, Budget(NO_LIMIT)) is not None
        stopped.stop()
        for budget in (Budget(NO_LIMIT, time.monotonic_ns()), stopped):
            assert solver.find_draw(empty, budget) is None
            assert budget.is_spent()
    # With gravity a reply may not be playable.
    assert not solver.knows_pairings(Rules(9, 9, 9, gravity=True))


@pytest.mark.parametrize("exact_goal", [False, True])
@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("board", [
    *((9, 9, 9), (15, 15, 9), (25, 25, 9), (10, 25, 12), (25, 25, 25)),  # by the tiling
    *((9, 9, 7), (11, 11, 8), (3, 25, 4)),  # by augmenting paths
], ids=str)  # fmt: skip
def test_large_boards_with_a_pairing_are_draws(board, misere, exact_goal):
    position = Position.empty(Rules(*board, misere=misere, exact_goal=exact_goal))
    result = search(position, Limits(1_000))
    assert (result.score.outcome, result.score.distance) == ("draw", position.empties)
    assert result.stopped_by == "proof"


@pytest.mark.parametrize("misere", [False, True])
def test_what_pairings_prove_the_solver_for_one_word_proves_too(misere):
    rng = random.Random(5)
    found = 0
    sizes = (9, 3, 9), (2, 12, 9), (1, 18, 9), (5, 5, 5), (3, 6, 5), (6, 4, 6)
    for rules in (Rules(*size, misere=misere) for size in sizes):
        for position in random_positions(rng, [rules] * 25, (2, rules.cells)):
            move = solver.find_draw(position, Budget(NO_LIMIT))
            if move is not None:
                found += 1
                assert search(position, Limits(5_000_000)).score.outcome == "draw"
                child = position.play(move)
                assert child.ending().state == "drawn" or search(child, Limits(5_000_000)).score.outcome == "draw"
    assert found >= 20


@sampled("number", 100, 400)
def test_too_few_cells_are_seen_only_where_there_is_no_pairing(number):
    rng, paired, refused = random.Random("few cells"), 0, 0
    for _ in range(number):
        rules = Rules(rng.randint(3, 12), rng.randint(7, 12), rng.randint(4, 7), exact_goal=rng.random() < 0.3)
        position = random_position(rng, rules, rng.randrange(rules.cells // 2))
        if position is None:
            continue
        hopeless = solver.cannot_prove(position)
        lines, pairs = prepared(rules, position.relative())
        found = kernel_draw.match(lines, pairs, Budget(NO_LIMIT).record, 1)
        assert not (hopeless and found)
        paired, refused = paired + found, refused + hopeless
    assert 20 * paired > number
    assert refused > 0
