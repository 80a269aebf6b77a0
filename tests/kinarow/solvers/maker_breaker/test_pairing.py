"""Draws by pairings: the pattern is what it claims, no move of the opponent breaks a proof, small cases agree."""

import random
import time
from collections import Counter
from itertools import product

import numpy as np
import pytest

from kinarow.game.geometry import DIRECTIONS, geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.maker_breaker import kernel_draw, solver
from kinarow.solvers.maker_breaker.kernel_draw import TILING
from kinarow.solvers.maker_breaker.layout import PAIRS_DTYPE, TILING_SIDE
from tests.support.positions import random_position, random_positions
from tests.support.samples import sampled


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


def test_every_cell_of_the_pattern_is_in_one_pair():
    side, steps = TILING_SIDE, dict(zip("-|\\/", DIRECTIONS, strict=True))
    seen = Counter()
    for row, column in product(range(side), repeat=2):
        down, right = steps[TILING[row][column]]
        other = (row + down) % side, (column + right) % side
        if TILING[other[0]][other[1]] == TILING[row][column]:
            seen.update([(row, column), other])
    assert set(seen.values()) == {1}
    assert len(seen) == side**2


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
        hopeless = solver.hopeless(position)
        lines, pairs = prepared(rules, position.relative())
        found = kernel_draw.match(lines, pairs, Budget(NO_LIMIT).record, 1)
        assert not (hopeless and found)
        paired, refused = paired + found, refused + hopeless
    assert 20 * paired > number
    assert refused > 0
