"""The solver for boards without gravity: against the oracle on boards of every shape, and itself with bounds off."""

import random
from functools import cache
from itertools import product

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
from tests.support import oracle
from tests.support.positions import drawn, judged, mirrored_position, random_positions, space, true_scores, true_value
from tests.support.samples import sampled

ENDLESS = 1 << 60
RULES = [{"misere": misere, "exact_goal": exact} for misere in (False, True) for exact in (False, True)]
EVERY_RULE = pytest.mark.parametrize("flags", RULES, ids=str)
BOARDS = [(1, 6, 2), (2, 4, 3), (3, 3, 3), (3, 4, 3), (2, 5, 2), (4, 3, 4), (3, 5, 4), (5, 4, 3), (4, 5, 4), (3, 6, 5)]
SHAPES = [(".../.../...", 3, "both"), ("..../..../....", 3, "rows"), ("..../..../....", 4, "both"),
          ("#.../..#./...#/.#..", 3, "both"), ("../../../..", 3, "both")]  # fmt: skip
SWITCHES = [0, kernel_lines.ALL_SWITCHES, *(1 << i for i in range(kernel_lines.ALL_SWITCHES.bit_length()))]
MOST_EMPTY = 8

new_game = cache(records.new_game)


class Solver:
    """The kernel with a table of its own or a given one."""

    def __init__(self, table=None):
        self.table = np.zeros(table_words(8), np.uint64) if table is None else table
        self.result = new_result()

    def solve(self, position, off=0, nodes=ENDLESS):
        """The answer record; the nodes and the reason are kept beside it."""
        rules = position.rules
        places, budget = records.cell_bits(rules), Budget(nodes)
        state = np.zeros(1, STATE_DTYPE).view(np.recarray)
        state.least, state.most = -rules.cells, rules.cells
        with np.errstate(over="ignore"):
            words = map(np.uint64, CellBits(places).bitboards(position))
            kernel.solve(new_game(rules, off), state, *words, budget.array, self.table, self.result)
        self.nodes, self.ended_by = budget.nodes, budget.ended_by
        self.move = places.index(int(self.result[0].move))
        self.line = [places.index(int(place)) for place in self.result[0].line[: int(self.result[0].moves)]]
        return self.result[0]


def positions(name, boards, flags, count):
    games = [Rules(*board, **flags) for board in boards for _ in range(count)]
    return list(random_positions(random.Random(f"{name} {flags}"), games, (1, MOST_EMPTY)))


def first_best(position):
    return position.geometry.first_of(judged(position)[2])


@EVERY_RULE
def test_values_moves_and_lines_are_the_oracles(flags):
    solver = Solver()
    for position in positions("values", BOARDS, flags, 4):
        value = true_value(position)
        result = solver.solve(position)
        assert (result.lower, result.upper) == (value, value)
        assert solver.ended_by is None
        assert solver.move == solver.line[0] == first_best(position)
        for cell in solver.line:
            assert true_scores(position)[cell] == true_value(position)
            position = position.play(cell)


@EVERY_RULE
@sampled("count", 1, 20)
def test_every_bound_may_be_switched_off_without_a_change_of_value(flags, count):
    solver = Solver()
    for position in positions("off", [(3, 3, 2), (2, 6, 3), (4, 3, 3), (3, 5, 3), (4, 4, 4)], flags, 6):
        answers = {(int(solver.solve(position, off).lower), solver.move) for off in SWITCHES}
        assert answers == {(true_value(position), first_best(position))}
    games = [drawn(*shape, **flags) for shape in SHAPES for _ in range(count)]
    for position in random_positions(random.Random(str(flags)), games, (4, 7)):
        answers = {
            (int(result.lower), int(result.upper)) for off in SWITCHES if (result := solver.solve(position, off))
        }
        assert answers == {(true_value(position),) * 2}, position


@EVERY_RULE
def test_a_budget_that_ends_leaves_true_bounds_and_a_move_that_keeps_the_lower(flags):
    solver = Solver()
    for position in positions("budget", [(3, 4, 3), (4, 4, 3), (3, 5, 4)], flags, 4):
        solver.solve(position)
        for nodes in {*range(1, 30), solver.nodes // 2 + 1}:
            result = solver.solve(position, nodes=nodes)
            assert solver.nodes <= nodes
            assert result.lower <= true_value(position) <= result.upper
            assert true_scores(position)[solver.move] >= result.lower
            assert result.lower == result.upper or solver.ended_by == "nodes"


def test_answers_and_nodes_do_not_depend_on_what_the_table_held():
    table = np.zeros(table_words(8), np.uint64)
    asked = [each for flags in RULES for each in positions("history", [(3, 4, 3), (4, 4, 3)], flags, 4)]

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


@pytest.mark.parametrize("exact_goal", [False, True], ids=["longer", "exact"])
def test_who_mirrors_does_not_lose_in_misere_and_wins_where_no_draw_exists(exact_goal):
    rng, solver = random.Random(f"mirror {exact_goal}"), Solver()
    outcomes = set()
    for shape in (("..../..../....", 3, "rows"), ("..../..../..../....", 4, "both"), (space(2, 3, 3), 3),
                  (space(3, 2, 2), 2)):  # fmt: skip
        rules = drawn(*shape, misere=True, exact_goal=exact_goal)
        for _ in range(15):
            position = mirrored_position(rng, rules, (rules.cells - 6) // 2)
            if position is not None:
                best = true_value(position)
                found = [solver.solve(position, off).lower for off in (0, kernel_lines.OFF_MIRROR)]
                assert found == [best, best]
                outcomes.add((best > 0) - (best < 0))
    assert outcomes == {0, -1}


@pytest.mark.parametrize(("shape", "goal"), [("../..", 2), (".../.../...", 3), ("...../.....", 3), (".../.../...", 2)])
def test_a_board_is_decisive_if_every_full_one_holds_a_line(shape, goal):
    rules = drawn(shape, goal, misere=True)
    full = map(bytes, product((1, 2), repeat=rules.cells))
    decided = all(oracle.line_cells(rules, cells, 1) or oracle.line_cells(rules, cells, 2) for cells in full)
    assert records.new_game(rules)[0].decisive == decided


def test_3x3x3_in_misere_is_won_from_the_centre():
    """Golomb and Hales, 2002: no full board is without a line, and the first player mirrors."""
    solver = Solver()
    assert solver.solve(Position.empty(drawn(space(3, 3, 3), 3, misere=True)), nodes=2_000).lower > 0
    assert solver.move == 13


def few_answers():
    solver = Solver()
    asked = [each for flags in RULES for each in positions("few", [(3, 3, 3), (2, 5, 3), (3, 4, 2)], flags, 3)]
    return [[int(solver.solve(position).lower), solver.move, solver.nodes] for position in asked]
