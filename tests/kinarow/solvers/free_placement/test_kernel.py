"""The solver for boards without gravity: against the oracle, known theory, and itself with bounds off."""

import random
from functools import cache

import numba
import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.solvers.common.bounds import CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.proof_table import table_words
from kinarow.solvers.common.result import new_result
from kinarow.solvers.free_placement import kernel, kernel_lines, records
from kinarow.solvers.free_placement.layout import STATE_DTYPE
from tests.support.plain import plain_answers
from tests.support.positions import judged, random_position, true_move_value, true_value

ENDLESS = 1 << 60
RULES = [(misere, exact) for misere in (False, True) for exact in (False, True)]
BOARDS = [(1, 6, 2), (2, 4, 3), (3, 3, 3), (3, 4, 3), (2, 5, 2), (4, 3, 4), (3, 5, 4), (5, 4, 3), (4, 5, 4), (3, 6, 5)]
SWITCHES = [0, kernel_lines.ALL_SWITCHES, *(1 << i for i in range(kernel_lines.ALL_SWITCHES.bit_length()))]
MOST_EMPTY = 8

new_game = cache(records.new_game)


def new_state(rules):
    state = np.zeros(1, STATE_DTYPE).view(np.recarray)
    state.least, state.most = -rules.cells, rules.cells
    return state


def new_table(buckets_log2):
    return np.zeros(table_words(buckets_log2), np.uint64)


class Solver:
    """The kernel with a table of its own or a given one."""

    def __init__(self, table=None):
        self.table = new_table(8) if table is None else table
        self.result = new_result()

    def solve(self, position, off=0, nodes=ENDLESS):
        """The answer record; the nodes and the reason are kept beside it."""
        rules = position.rules
        places, budget = records.cell_bits(rules), Budget(nodes)
        with np.errstate(over="ignore"):
            words = map(np.uint64, CellBits(places).bitboards(position))
            kernel.solve(new_game(rules, off), new_state(rules), *words, budget.array, self.table, self.result)
        self.nodes, self.ended_by = budget.nodes, budget.ended_by
        self.move = places.index(int(self.result[0].move))
        self.line = [places.index(int(place)) for place in self.result[0].line[: int(self.result[0].moves)]]
        return self.result[0]


def positions(rng, board, flags, count):
    rules = Rules(*board, False, *flags)
    marks = [max(0, rules.cells - rng.randint(1, MOST_EMPTY)) for _ in range(count)]
    found = (random_position(rng, rules, number) for number in marks)
    return [position for position in found if position is not None]


def first_best(position):
    return position.geometry.first_of(judged(position)[2])


@pytest.mark.parametrize("flags", RULES, ids=str)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_values_moves_and_lines_are_the_oracles(board, flags):
    solver = Solver()
    for position in positions(random.Random(str((board, flags))), board, flags, 4):
        value = true_value(position)
        result = solver.solve(position)
        assert (result.lower, result.upper) == (value, value)
        assert solver.ended_by is None
        assert solver.move == solver.line[0] == first_best(position)
        for cell in solver.line:
            assert true_move_value(position, cell) == true_value(position)
            position = position.play(cell)


@pytest.mark.parametrize("flags", RULES, ids=str)
def test_every_bound_may_be_switched_off_without_a_change_of_value(flags):
    rng, solver = random.Random(str(flags)), Solver()
    for board in [(3, 3, 2), (2, 6, 3), (4, 3, 3), (3, 5, 3), (4, 4, 4)]:
        for position in positions(rng, board, flags, 6):
            answers = {(int(solver.solve(position, off).lower), solver.move) for off in SWITCHES}
            assert answers == {(true_value(position), first_best(position))}


@pytest.mark.parametrize("flags", RULES, ids=str)
def test_a_budget_that_ends_leaves_true_bounds_and_a_move_that_keeps_the_lower(flags):
    rng, solver = random.Random(str(flags)), Solver()
    for board in [(3, 4, 3), (4, 4, 3), (3, 5, 4)]:
        for position in positions(rng, board, flags, 4):
            solver.solve(position)
            for nodes in {*range(1, 30), solver.nodes // 2 + 1}:
                result = solver.solve(position, nodes=nodes)
                assert solver.nodes <= nodes
                assert result.lower <= true_value(position) <= result.upper
                assert true_move_value(position, solver.move) >= result.lower
                assert result.lower == result.upper or solver.ended_by == "nodes"


def test_answers_and_nodes_do_not_depend_on_what_the_table_held():
    rng, table = random.Random(5), new_table(8)
    asked = [each for flags in RULES for board in [(3, 4, 3), (4, 4, 3)] for each in positions(rng, board, flags, 4)]

    def answer(table_used, position):
        solver = Solver(table_used)
        return int(solver.solve(position).lower), solver.line, solver.nodes

    fresh = [answer(None, position) for position in asked]
    assert [answer(table, position) for position in asked] == fresh
    assert [answer(table, position) for position in reversed(asked)] == fresh[::-1]


def test_the_table_is_cleared_when_its_generations_run_out():
    solver, empty = Solver(), Position.empty(Rules(3, 3, 3))
    solver.solve(empty)
    solver.table[0] = np.uint64(0xFFFFFFFF)
    result = solver.solve(empty)
    assert (result.lower, result.upper, int(solver.table[0])) == (0, 0, 1)


def few_answers():
    rng, solver = random.Random(11), Solver()
    asked = [
        position
        for flags in RULES
        for board in [(3, 3, 3), (2, 5, 3), (3, 4, 2)]
        for position in positions(rng, board, flags, 3)
    ]
    return [[int(solver.solve(position).lower), solver.move, solver.nodes] for position in asked]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="this is the plain side already")
def test_plain_python_gives_the_same_answers_and_nodes():
    assert plain_answers(__name__) == few_answers()
