"""The gravity solver against plain minimax, bounds on against off, compiled against plain, whole against cut short."""

import random

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import KnownBounds
from kinarow.solvers.common import bitboard
from kinarow.solvers.common.bounds import CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.result import new_result
from kinarow.solvers.gravity import kernel, solver
from kinarow.solvers.gravity.records import new_state
from tests.support.positions import judged, random_position, true_scores, true_value

RULES = [(misere, exact) for misere in (False, True) for exact in (False, True)]
EVERY_RULE = pytest.mark.parametrize("flags", RULES, ids=["normal", "exact", "misere", "misere-exact"])
SIZES = [(r, c) for r in range(1, 8) for c in range(1, 8) if 1 < r * c <= 20]
WIDE_SIZES = [(2, 22), (3, 17), (4, 13), (5, 11)]
POSITIONS = 60
PLENTY = 10**9
SWITCHES = [kernel.ALL_SWITCHES, *(1 << i for i in range(kernel.ALL_SWITCHES.bit_length()))]


class Solver:
    """The kernel with a table of its own, stamped anew for each question."""

    def __init__(self, words=kernel.BUCKET_WORDS << 10):
        self.table, self.state, self.result = np.zeros(words, np.uint64), new_state(), new_result()
        self.generation = 0

    def ask(self, position, *, off=0, nodes=PLENTY, stop=False):
        """Lower and upper bound and the move; the line, the nodes and the reason are kept beside them."""
        rules = position.rules
        places = bitboard.cell_bits(rules.rows, rules.columns)
        words = map(np.uint64, CellBits(places).bitboards(position))
        self.generation = self.generation % kernel.LAST_GENERATION + 1
        if self.generation == 1:
            self.table[:] = 0
        self.state["generation"] = self.generation
        budget = Budget(nodes)
        if stop:
            budget.stop()
        known = -rules.cells, rules.cells, np.uint64(2**64 - 1)
        game = bitboard.new_game(rules, off)
        kernel.solve(game, self.state, *words, *known, budget.array, self.table, self.result)
        result = self.result[0]
        self.nodes, self.ended_by = budget.nodes, budget.ended_by
        self.line = [places.index(int(place)) for place in result.line[: int(result.moves)]]
        return int(result.lower), int(result.upper), places.index(int(result.move))


def random_positions(name, flags, count=POSITIONS, sizes=SIZES, max_empties=12):
    rng = random.Random(f"{name} {flags}")
    found = []
    while len(found) < count:
        rows, columns = rng.choice(sizes)
        rules = Rules(rows, columns, rng.randint(1, min(max(rows, columns), 6)), True, *flags)
        marks = rng.randint(max(0, rules.cells - max_empties), rules.cells - 1)
        position = random_position(rng, rules, marks)
        if position is not None:
            found.append(position)
    return found


@EVERY_RULE
def test_value_move_and_line_are_the_oracles(flags):
    """Also on wide boards, which are laid out by rows; a line that ends early ends before the game does."""
    asked = Solver()
    wide = random_positions("wide", flags, 8, WIDE_SIZES, max_empties=7)
    for position in [*random_positions("oracle", flags), *wide]:
        value = true_value(position)
        assert asked.ask(position)[:2] == (value, value)
        assert asked.ended_by is None
        assert 1 <= len(asked.line) <= judged(position)[1]
        assert asked.ask(position)[2] == asked.line[0]
        for cell in asked.line:
            assert cell in judged(position)[2]
            position = position.play(cell)


@EVERY_RULE
@pytest.mark.parametrize("off", SWITCHES)
def test_each_bound_changes_nodes_but_no_answer(flags, off):
    asked = Solver()
    for position in random_positions("off", flags, max_empties=16):
        assert asked.ask(position) == asked.ask(position, off=off)


@EVERY_RULE
def test_a_budget_cut_short_leaves_true_bounds_and_a_move_that_keeps_the_lower_one(flags):
    asked = Solver()
    for position in random_positions("budget", flags, POSITIONS // 2):
        asked.ask(position)
        for nodes in {1, 2, 5, max(1, asked.nodes // 2)}:
            lower, upper, move = asked.ask(position, nodes=nodes)
            assert asked.nodes <= nodes
            assert lower <= true_value(position) <= upper
            assert lower == upper or asked.ended_by == "nodes"
            assert true_scores(position)[move] >= lower


@EVERY_RULE
def test_answers_and_nodes_do_not_depend_on_what_was_asked_before_nor_answers_on_the_size_of_the_table(flags):
    positions = random_positions("history", flags, max_empties=16)
    used, tiny = Solver(), Solver(kernel.BUCKET_WORDS)

    def asked(solver, position):
        return solver.ask(position), solver.line, solver.nodes

    first = [asked(used, position) for position in positions]
    assert first == [asked(used, position) for position in reversed(positions)][::-1]
    assert first == [asked(Solver(), position) for position in positions]
    assert [answer for answer, *_ in first] == [tiny.ask(position) for position in positions]


def test_stamps_that_run_out_leave_no_trace_when_the_table_is_cleared():
    asked, positions = Solver(), random_positions("stamps", (False, False), 20)
    for number in range(2 * kernel.LAST_GENERATION):
        position = positions[number % len(positions)]
        assert asked.ask(position)[:2] == (true_value(position),) * 2


CONNECT_FOUR = (
    # Columns played, from 1, and the value on the scale of the kernel: positions of published test sets, whose
    # scores BitBully 0.0.79 gives as well.
    ("2252576253462244111563365343671351441", -39), ("7422341735647741166133573473242566", 36),
    ("23163416124767223154467471272416755633", 0), ("5554224333234511764415115", 32),
    ("1233722555341451114725221333", -29), ("274552224131661", 0), ("5455174361263362", -17), ("6146", 40),
    ("243335424257", 36),
)  # fmt: skip


def test_connect_four_positions_have_their_published_values():
    asked = Solver(kernel.BUCKET_WORDS << 12)
    for columns, value in CONNECT_FOUR:
        assert asked.ask(Position.from_moves(columns, game="connect-four"))[:2] == (value, value)


def test_a_stop_flag_ends_a_long_search_with_bounds():
    asked = Solver(kernel.BUCKET_WORDS << 12)
    lower, upper, move = asked.ask(Position.empty(Rules(6, 7, 4, True)), stop=True)
    assert asked.ended_by == "stop"
    assert lower <= 2 <= upper
    assert move == 5 * 7 + 3


def few_answers():
    """Values, moves and node counts of a few small positions under every rule."""
    asked = Solver(4 * kernel.BUCKET_WORDS)
    positions = [each for flags in RULES for each in random_positions("plain", flags, 3, max_empties=6)]
    return [[*asked.ask(position), asked.nodes] for position in positions]


# What is known of a value beforehand spares work, and changes neither what is proven nor the move.


def known_positions(name, flags):
    """Random positions with true bounds at random: exact with the best moves and some others, or a lower one."""
    rng = random.Random(f"{name} {flags}")
    for position in random_positions(name, flags, 30, [(3, 4), (4, 4), (4, 5), (5, 3), (2, 7)]):
        cells, value = position.rules.cells, true_value(position)
        known = KnownBounds(max(-cells, value - rng.randint(0, 4)), cells, position.legal_moves())
        if rng.random() < 0.5:
            others = [move for move in position.legal_moves() if rng.random() < 0.3]
            known = KnownBounds(value, value, tuple({*judged(position)[2], *others}))
        yield position, known


@EVERY_RULE
def test_the_value_and_the_move_are_those_of_a_search_that_knows_nothing(flags):
    for position, known in known_positions("known", flags):
        alone = solver.solve(position, Budget(PLENTY))
        found = solver.solve(position, Budget(PLENTY), known=known)
        assert (found.lower, found.upper, found.move) == (alone.lower, alone.upper, alone.move)
        assert (found.lower, found.move in judged(position)[2]) == (true_value(position), True)


@EVERY_RULE
def test_a_search_cut_short_claims_no_more_for_its_move_than_the_move_reaches(flags):
    for position, known in known_positions("cut", flags):
        for nodes in (1, 3, 10, 30, 100, 300):
            found = solver.solve(position, Budget(nodes), known=known)
            assert found.lower <= true_value(position) <= found.upper
            assert found.lower <= true_scores(position)[found.move]
