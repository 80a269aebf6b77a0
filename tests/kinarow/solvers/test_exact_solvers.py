"""The exact solvers against the oracle in every game that they take, whole and cut short, bounds on and off."""

import random
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import KnownBounds
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.free_placement import kernel_lines
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import kernel as gravity_kernel
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.line_masks import layout as masks_layout
from kinarow.solvers.line_masks import solver as line_masks
from tests.support import oracle
from tests.support.positions import (
    EVERY_GAME,
    drawn,
    judged,
    mirrored_position,
    random_positions,
    random_rules,
    space,
    true_scores,
    true_value,
)  # fmt: skip
from tests.support.samples import sampled

PLENTY = 10**7
SWITCHES = {
    gravity: gravity_kernel.ALL_SWITCHES,
    free_placement: kernel_lines.ALL_SWITCHES,
    line_masks: masks_layout.ALL_SWITCHES,
}
"""For each solver the switches of its bounds and short cuts."""
NAMES = {solver: solver.__name__.split(".")[-2] for solver in SWITCHES}
EVERY_SOLVER = pytest.mark.parametrize("solver", SWITCHES, ids=NAMES.values())
LONG = {
    gravity: [Rules(*size, 4, gravity=True) for size in ((2, 22), (3, 17), (4, 13), (5, 11))],  # laid out by rows
    free_placement: [Rules(*size, 4) for size in ((22, 1), (9, 3), (8, 3))],
    line_masks: [],
}


def positions(name, solver, count, empties=(1, 8)):
    """Positions of some games of every kind that the solver takes."""
    rng = random.Random(f"{name} {NAMES[solver]}")
    every, plain = (
        [rules for rules in games if solver.fits(rules)]
        for games in (EVERY_GAME, [random_rules(rng, 20) for _ in range(20 * count)])
    )
    return list(random_positions(rng, [*rng.choices(every, k=count), *plain[:count], *LONG[solver]], empties))


def without(solver, off):
    """The solver with some of its bounds and short cuts switched off."""
    usual = solver.game_of
    return patch.object(solver, "game_of", lambda rules: usual(rules, off))


@EVERY_SOLVER
@sampled("count", 60, 600)
def test_values_moves_and_lines_are_those_of_the_oracle(solver, count):
    for position in positions("values", solver, count):
        budget = Budget(PLENTY)
        found = solver.solve(position, budget)
        assert (found.lower, found.upper) == (true_value(position),) * 2, position
        assert (budget.ended_by, found.line[0]) == (None, found.move)
        assert solver is not free_placement or found.move == position.geometry.first_of(judged(position)[2])
        for cell in found.line:
            assert position.ending().state == "ongoing"
            assert cell in judged(position)[2]
            position = position.play(cell)


@pytest.mark.parametrize(
    ("solver", "off"),
    [
        (solver, off)
        for solver, switches in SWITCHES.items()
        for off in (switches, *(1 << bit for bit in range(switches.bit_length())))
    ],
    ids=lambda each: NAMES.get(each, each),
)
@sampled("count", 40, 400)
def test_each_bound_changes_nodes_but_no_value_and_no_move(solver, off, count):
    """As many positions are searched as it takes to see a bound that seldom applies."""
    nodes, empties = {0}, {gravity: (8, 16), free_placement: (4, 12), line_masks: (1, 9)}
    for batch in range(30):
        for position in positions(f"off {off} {batch}", solver, count, empties[solver]):
            whole, more = Budget(PLENTY), Budget(PLENTY)
            expected = solver.solve(position, whole)
            with without(solver, off):
                assert solver.solve(position, more)[:3] == expected[:3], position
            nodes.add(more.nodes - whole.nodes)
        if nodes != {0}:
            return
    pytest.fail("it changes nothing")


@EVERY_SOLVER
@sampled("count", 30, 300)
def test_a_budget_that_ends_leaves_true_bounds_and_a_move_that_keeps_the_lower_one(solver, count):
    for position in positions("budget", solver, count):
        whole = Budget(PLENTY)
        solver.solve(position, whole)
        for nodes in {1, 2, 3, 5, 8, 13, 21, whole.nodes // 2 + 1}:
            budget = Budget(nodes)
            found = solver.solve(position, budget)
            assert budget.nodes <= nodes
            assert found.lower <= true_value(position) <= found.upper
            assert true_scores(position)[found.move] >= found.lower
            assert found.exact or budget.ended_by == "nodes"


@EVERY_SOLVER
def test_answers_and_nodes_do_not_depend_on_what_the_table_held(solver):
    asked = positions("history", solver, 60, (6, 9))

    def answer(position, fresh=False):
        if fresh:
            POOL.free_idle()
        budget = Budget(10**6)
        return solver.solve(position, budget), budget.nodes

    first = [answer(position, fresh=True) for position in asked]
    assert [answer(position) for position in asked] == first
    assert [answer(position) for position in reversed(asked)] == first[::-1]


# Gravity.

CONNECT_FOUR = (
    # Columns played, from 1, and the value: positions of published test sets, whose scores BitBully 0.0.79 gives too.
    ("2252576253462244111563365343671351441", -39), ("7422341735647741166133573473242566", 36),
    ("23163416124767223154467471272416755633", 0), ("5554224333234511764415115", 32),
    ("1233722555341451114725221333", -29), ("274552224131661", 0), ("5455174361263362", -17), ("6146", 40),
    ("243335424257", 36),
)  # fmt: skip


def test_connect_four_positions_have_their_published_values():
    for columns, value in CONNECT_FOUR:
        assert gravity.solve(Position.from_moves(columns, game="connect-four"), Budget(PLENTY))[:2] == (value, value)


def test_answers_do_not_depend_on_the_size_of_the_table():
    for position in positions("sizes", gravity, 60, (6, 16)):
        with gravity.shared_table(position, 1) as tiny:
            assert gravity.solve(position, Budget(PLENTY), tiny)[:3] == gravity.solve(position, Budget(PLENTY))[:3]


@sampled("count", 60, 200)
def test_what_is_known_of_a_value_changes_neither_what_is_proven_nor_the_move(count):
    """Bounds that are true: exact with the best moves and some others, or a lower one. Cut short, a search claims for
    its move no more than the move reaches.
    """
    rng = random.Random("known")
    for position in positions("known", gravity, count, (1, 12)):
        cells, value, legal = position.rules.cells, true_value(position), position.legal_moves()
        known = KnownBounds(max(-cells, value - rng.randint(0, 4)), cells, legal)
        if rng.random() < 0.5:
            others = [move for move in legal if rng.random() < 0.3]
            known = KnownBounds(value, value, tuple({*judged(position)[2], *others}))
        alone, found = (gravity.solve(position, Budget(PLENTY), known=each) for each in (None, known))
        assert found[:3] == alone[:3]
        for nodes in (1, 3, 10, 30, 100, 300):
            found = gravity.solve(position, Budget(nodes), known=known)
            assert found.lower <= value <= found.upper
            assert found.lower <= true_scores(position)[found.move]


# Free placement.


def test_a_table_is_cleared_when_its_generations_run_out():
    POOL.free_idle()
    empty = Position.empty(Rules(3, 3, 3))
    free_placement.solve(empty, Budget(PLENTY))
    ((table,),) = POOL.idle.values()
    table.words[0] = 0xFFFFFFFF
    assert free_placement.solve(empty, Budget(PLENTY))[:2] == (0, 0)
    assert table.words[0] == 1


@pytest.mark.parametrize("exact_goal", [False, True], ids=["longer", "exact"])
def test_who_mirrors_does_not_lose_in_misere_and_wins_where_no_draw_exists(exact_goal):
    rng, outcomes = random.Random(f"mirror {exact_goal}"), set()
    for shape in (("..../..../....", 3, "rows"), ("..../..../..../....", 4, "both"), (space(2, 3, 3), 3),
                  (space(3, 2, 2), 2)):  # fmt: skip
        rules = drawn(*shape, misere=True, exact_goal=exact_goal)
        for position in (mirrored_position(rng, rules, (rules.cells - 6) // 2) for _ in range(15)):
            if position is not None:
                best = true_value(position)
                assert free_placement.solve(position, Budget(PLENTY)).lower == best
                with without(free_placement, kernel_lines.OFF_MIRROR):
                    assert free_placement.solve(position, Budget(PLENTY)).lower == best
                outcomes.add(np.sign(best))
    assert outcomes == {0, -1}


@pytest.mark.parametrize(("shape", "goal"), [("../..", 2), (".../.../...", 3), ("...../.....", 3), (".../.../...", 2)])
def test_a_board_is_decisive_if_every_full_one_holds_a_line(shape, goal):
    rules = drawn(shape, goal, misere=True)
    full = map(bytes, product((1, 2), repeat=rules.cells))
    decided = all(oracle.line_cells(rules, cells, 1) or oracle.line_cells(rules, cells, 2) for cells in full)
    assert free_placement.game_of(rules)[0].array["decisive"][0] == decided


def test_3x3x3_in_misere_is_won_from_the_centre():
    """Golomb and Hales, 2002: no full board is without a line, and the first player mirrors."""
    found = free_placement.solve(Position.empty(drawn(space(3, 3, 3), 3, misere=True)), Budget(2_000))
    assert (found.lower > 0, found.move) == (True, 13)


# Line masks.


def test_stacks_alone_are_a_draw_at_once():
    """In 3 x 3 x 4 with goal 4 a line runs along a stack: no search is needed, but without that bound a long one."""
    position = Position.empty(drawn(space(4, 3, 3), 4, gravity=True))
    assert line_masks.solve(position, Budget(1_000))[:2] == (0, 0)
    with without(line_masks, masks_layout.OFF_UPRIGHT | masks_layout.OFF_SYMMETRY):
        assert not line_masks.solve(position, Budget(10_000)).exact
