"""The solver for boards without gravity: against brute force, known theory, and itself with bounds off."""

import random
from functools import cache

import numba
import numpy as np
import pytest

from kinarow.game.rules import Rules
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.proof_table import table_words
from kinarow.solvers.common.result import new_result
from kinarow.solvers.free_placement import kernel, kernel_lines, records
from tests.support.plain import plain_answers

ENDLESS = 1 << 60
RULES = [(misere, exact) for misere in (False, True) for exact in (False, True)]
BOARDS = [(1, 6, 2), (2, 4, 3), (3, 3, 3), (3, 4, 3), (2, 5, 2), (4, 3, 4), (3, 5, 4), (5, 4, 3), (4, 5, 4), (3, 6, 5)]
SWITCHES = [0, kernel_lines.ALL_SWITCHES, *(1 << i for i in range(kernel_lines.ALL_SWITCHES.bit_length()))]
MOST_EMPTY = 8


def new_table(buckets_log2):
    """An empty table of the proofs."""
    return np.zeros(table_words(buckets_log2), np.uint64)


class Brute:
    """Plain minimax over sets of cells on the solver's scale, nothing pruned: written from the rules alone."""

    def __init__(self, rows, columns, goal, misere, exact_goal):
        self.rows, self.columns, self.goal = rows, columns, goal
        self.misere, self.exact_goal = misere, exact_goal
        self.cells = frozenset((r, c) for r in range(rows) for c in range(columns))
        self.value = cache(self._value)

    def completes(self, marks, cell):
        """Whether the mark at the cell is part of a line of these marks."""
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                r, c = cell[0] + sign * down, cell[1] + sign * right
                while (r, c) in marks:
                    length += 1
                    r, c = r + sign * down, c + sign * right
            if length == self.goal or (length > self.goal and not self.exact_goal):
                return True
        return False

    def move_value(self, own, opponent, cell):
        """The value of a position for the side to move if it marks the cell."""
        if self.completes(own | {cell}, cell):
            return -len(self.cells) if self.misere else len(self.cells)
        value = -self.value(opponent, own | {cell})
        return value - (value > 0) + (value < 0)

    def _value(self, own, opponent):
        empty = self.cells - own - opponent
        return max((self.move_value(own, opponent, cell) for cell in empty), default=0)

    def random_position(self, rng, most_empty):
        """Own and opponent's cells of a game played at random that has not ended, or None."""
        for _ in range(200):
            order = sorted(self.cells)
            rng.shuffle(order)
            marks = max(0, len(order) - rng.randint(1, most_empty))
            sides = [frozenset(), frozenset()]
            for i, cell in enumerate(order[:marks]):
                sides[i & 1] |= {cell}
                if self.completes(sides[i & 1], cell):
                    break
            else:
                return sides[marks & 1], sides[1 - (marks & 1)]
        return None


class Solver:
    """The kernels on cells (row, column) in place of bitboards."""

    def __init__(self, rows, columns, goal, misere=False, exact_goal=False, off=0, table=None):
        rules = Rules(rows, columns, goal, misere=misere, exact_goal=exact_goal)
        places = records.cell_bits(rules)
        self.bit = {(i // columns, i % columns): place for i, place in enumerate(places)}
        self.cell = {place: cell for cell, place in self.bit.items()}
        self.board = records.new_board(rules, off)
        self.order = [self.cell[int(place)] for place in self.board[0].order[: rows * columns]]
        self.table = new_table(8) if table is None else table
        self.result = new_result()

    def bitboard(self, cells):
        """The bitboard of a set of cells."""
        return np.uint64(sum(1 << self.bit[cell] for cell in cells))

    def solve(self, own=(), opponent=(), nodes=ENDLESS):
        """The answer record; the nodes and the reason are kept beside it."""
        budget = Budget(nodes)
        with np.errstate(over="ignore"):
            kernel.solve(
                self.board[0], self.bitboard(own), self.bitboard(opponent), budget.record, self.table, self.result[0]
            )
        self.nodes, self.ended_by = budget.nodes, budget.ended_by
        return self.result[0]


def positions(brute, rng, count):
    """Some random positions that are not over."""
    found = (brute.random_position(rng, MOST_EMPTY) for _ in range(count))
    return [position for position in found if position is not None]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_values_moves_and_lines_agree_with_brute_force(board, rules):
    rng = random.Random(str((board, rules)))
    brute, solver = Brute(*board, *rules), Solver(*board, *rules)
    for own, opponent in positions(brute, rng, 4):
        value = brute.value(own, opponent)
        result = solver.solve(own, opponent)
        assert (result.lower, result.upper) == (value, value)
        assert solver.ended_by is None
        expected = {c: brute.move_value(own, opponent, c) for c in brute.cells - own - opponent}
        first = next(cell for cell in solver.order if expected.get(cell) == value)
        assert solver.cell[int(result.move)] == first
        check_line(brute, own, opponent, [solver.cell[int(place)] for place in result.line[: result.moves]])


def check_line(brute, own, opponent, line):
    """Every move of the line keeps the value of the position it is played in."""
    assert line
    for i, cell in enumerate(line):
        assert brute.move_value(own, opponent, cell) == brute.value(own, opponent)
        if brute.completes(own | {cell}, cell):
            assert i == len(line) - 1
        own, opponent = opponent, own | {cell}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_bound_may_be_switched_off_without_a_change_of_value(rules):
    rng = random.Random(str(rules))
    table = new_table(8)
    for board in [(3, 3, 2), (2, 6, 3), (4, 3, 3), (3, 5, 3), (4, 4, 4)]:
        brute = Brute(*board, *rules)
        solvers = [Solver(*board, *rules, off, table) for off in SWITCHES]
        for own, opponent in positions(brute, rng, 6):
            answers = {(int(r.value), int(r.move)) for r in (s.solve(own, opponent) for s in solvers)}
            assert answers == {
                (brute.value(own, opponent), solvers[0].bit[first_best(brute, solvers[0], own, opponent)])
            }


def first_best(brute, solver, own, opponent):
    """The best move that comes first in the fixed order."""
    value = brute.value(own, opponent)
    empty = brute.cells - own - opponent
    return next(c for c in solver.order if c in empty and brute.move_value(own, opponent, c) == value)


THEORY = [  # rows, columns, goal, plies of the first player's win (0: a draw)
    *((3, 3, 3, 0), (3, 4, 3, 7), (4, 3, 3, 7), (3, 7, 3, 7), (4, 4, 3, 5), (5, 5, 3, 5), (4, 9, 3, 5), (7, 7, 3, 5)),
    *(
        (4, 4, 4, 0),
        (4, 5, 4, 0),
        (5, 5, 4, 0),
        (4, 6, 4, 0),
        (5, 6, 4, 11),
        (6, 6, 4, 11),
        (7, 7, 4, 11),
        (8, 8, 4, 11),
    ),
    *((5, 5, 5, 0), (6, 6, 5, 0), (6, 6, 6, 0), (7, 7, 6, 0), (1, 25, 9, 0), (3, 12, 9, 0), (6, 9, 9, 0)),
    *((1, 1, 1, 1), (2, 3, 1, 1), (2, 2, 2, 3), (1, 3, 2, 3), (1, 2, 2, 0), (1, 9, 3, 0)),
]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
@pytest.mark.parametrize(("rows", "columns", "goal", "plies"), THEORY)
def test_empty_boards_have_the_values_known_from_theory(rows, columns, goal, plies):
    solver = Solver(rows, columns, goal, table=new_table(14))
    result = solver.solve()
    value = rows * columns + 1 - plies if plies else 0
    assert (result.lower, result.upper) == (value, value)
    if plies:
        assert result.moves == plies


def test_misere_3x3_is_a_draw_only_by_the_centre():
    solver = Solver(3, 3, 3, misere=True)
    assert solver.solve().value == 0
    after = {cell: int(solver.solve(opponent={cell}).value) for cell in solver.bit}
    assert [cell for cell, value in after.items() if value == 0] == [(1, 1)]
    assert all(value >= 0 for value in after.values())


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_budget_that_ends_leaves_true_bounds_and_a_move_that_keeps_the_lower(rules):
    rng = random.Random(str(rules))
    for board in [(3, 4, 3), (4, 4, 3), (3, 5, 4)]:
        brute, solver = Brute(*board, *rules), Solver(*board, *rules)
        for own, opponent in positions(brute, rng, 4):
            solver.solve(own, opponent)
            for nodes in {*range(1, 30), solver.nodes // 2 + 1}:
                result = solver.solve(own, opponent, nodes)
                assert solver.nodes <= nodes
                assert result.lower <= brute.value(own, opponent) <= result.upper
                assert brute.move_value(own, opponent, solver.cell[int(result.move)]) >= result.lower
                assert result.lower == result.upper or solver.ended_by == "nodes"


def test_answers_and_nodes_do_not_depend_on_what_the_table_held():
    rng = random.Random(5)
    table = new_table(8)
    asked = []
    for rules in RULES:
        for board in [(3, 4, 3), (4, 4, 3)]:
            brute = Brute(*board, *rules)
            asked += [(board, rules, position) for position in positions(brute, rng, 4)]

    def answer(table_used, board, rules, position):
        solver = Solver(*board, *rules, table=table_used)
        result = solver.solve(*position)
        return int(result.lower), [int(place) for place in result.line[: result.moves]], solver.nodes

    fresh = [answer(None, *question) for question in asked]
    assert [answer(table, *question) for question in asked] == fresh
    assert [answer(table, *question) for question in reversed(asked)] == fresh[::-1]


def test_the_table_is_cleared_when_its_generations_run_out():
    solver = Solver(3, 3, 3)
    solver.solve()
    solver.table[0] = np.uint64(0xFFFFFFFF)
    result = solver.solve()
    assert (result.lower, result.upper, int(solver.table[0])) == (0, 0, 1)


def test_images_of_a_position_have_its_value():
    rng = random.Random(8)
    for rules in RULES:
        brute, solver = Brute(3, 4, 3, *rules), Solver(3, 4, 3, *rules)
        for own, opponent in positions(brute, rng, 5):
            turned = [frozenset((2 - r, 3 - c) for r, c in side) for side in (own, opponent)]
            assert int(solver.solve(own, opponent).lower) == int(solver.solve(*turned).lower)


def few_answers():
    """Value, move and nodes of a few positions under every rule."""
    rng = random.Random(11)
    answers = []
    for rules in RULES:
        for board in [(3, 3, 3), (2, 5, 3), (3, 4, 2)]:
            solver = Solver(*board, *rules)
            for own, opponent in positions(Brute(*board, *rules), rng, 3):
                result = solver.solve(own, opponent)
                answers.append([int(result.lower), int(result.move), solver.nodes])
    return answers


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="this is the plain side already")
def test_plain_python_gives_the_same_answers_and_nodes():
    assert plain_answers(__name__) == few_answers()
