"""The exact kernel for any lines: with every shortcut on, off and all off it says what the brute force says."""

import random
from itertools import product

import numba
import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.solvers.common.bounds import CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.result import new_result
from kinarow.solvers.line_masks import kernel, layout, records
from tests.support.positions import RULE_FLAGS, drawn, random_positions, space, true_scores, true_value
from tests.support.samples import sampled

SHAPES = [
    (space(2, 3, 3), 3), (space(3, 2, 2), 2), (space(4, 4, 4), 4), (space(4, 2, 2), 3),
    (space(2, 2, 4), 4),
    (space(2, 3, 3).replace(".", "#", 2), 3), ("..../..../..../....", 3, "rows"), ("..../..../..../#..#", 3, "both"),
    ("..../..../....", 3, "none", ("horizontal", "diagonal")),
]  # fmt: skip
SWITCHES = [1 << bit for bit in range(layout.ALL_SWITCHES.bit_length())]


def solved(position, off, nodes=10**6):
    game, result, budget = records.new_game(position.rules, off), new_result(), Budget(nodes)
    bits = CellBits(records.cell_bits(position.rules))
    result["lower"], result["upper"] = -position.empties, position.empties
    result["move"] = bits.places[position.legal_moves()[0]]
    state = np.zeros(1, layout.STATE_DTYPE).view(np.recarray)
    state["generation"] = 1
    table = np.zeros(records.table_words(position.empties, nodes), np.uint64)
    words = map(np.uint64, bits.bitboards(position))
    kernel.solve(game[0], state[0], *words, budget.record, table, result[0])
    return bits.bounds(result), budget


@pytest.mark.parametrize("off", [0, *SWITCHES, layout.ALL_SWITCHES])
@sampled("count", 1, 12)
def test_every_shortcut_on_and_off_finds_the_value_of_the_brute_force(off, count):
    rng = random.Random(off)
    games = [
        drawn(*shape, gravity=gravity, misere=misere, exact_goal=exact, marks=rng.choice(("own", "own", "shared")))
        for shape, (gravity, misere, exact), _ in product(SHAPES, RULE_FLAGS, range(count))
    ]
    for position in random_positions(rng, games, (1, 6)):
        bounds, _ = solved(position, off)
        assert bounds.exact
        assert bounds.lower == true_value(position) == true_scores(position)[bounds.move], position
        assert bounds.line[0] == bounds.move


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
def test_stacks_alone_are_a_draw_at_once():
    """In 3 x 3 x 4 with goal 4 a line runs along a stack: no search is needed, but without that bound a long one."""
    position = Position.empty(drawn(space(4, 3, 3), 4, gravity=True))
    bounds, budget = solved(position, 0, 10_000)
    assert (bounds.lower, bounds.upper) == (0, 0)
    assert budget.nodes < 1_000
    assert not solved(position, layout.OFF_UPRIGHT | kernel.OFF_SYMMETRY, 10_000)[0].exact


def test_a_small_budget_bounds_the_value():
    position = Position.empty(drawn(space(2, 3, 4), 3, gravity=True, misere=True))
    for nodes in (1, 10, 100, 1_000, 10_000):
        bounds, budget = solved(position, 0, nodes)
        assert budget.nodes <= nodes
        assert bounds.lower <= -10 <= bounds.upper
        assert bounds.move in position.legal_moves()
