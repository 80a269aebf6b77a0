"""The line-count kernel keeps its own contract: the state it updates, the windows it is given, the table it shares.

The other kernels are judged by this one, so it is judged by plain minimax and the oracle.
"""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_SIDE
from kinarow.solvers.common.budget import NO_DEADLINE, Budget
from kinarow.solvers.line_counts import kernel, layout, solver
from kinarow.solvers.line_counts.layout import STATE_DTYPE
from kinarow.solvers.line_counts.records import game_of
from tests.support.minimax import DECISIVE, WIN, estimate, open_lines, plain_value
from tests.support.oracle import completes_line, legal_moves
from tests.support.plain import read_plain
from tests.support.positions import (
    EVERY_RULE,
    RULE_FLAGS,
    SIDE,
    board_rows,
    judged,
    lively_position,
    random_position,
    random_rules,
    small_positions,
)


def random_positions(seed, flags, count, max_cells):
    rng = random.Random(f"{seed} {flags}")
    found = []
    while len(found) < count:
        rules = random_rules(rng, max_cells)
        rules = Rules(rules.rows, rules.columns, rules.goal, *flags)
        position = random_position(rng, rules, rng.randrange(rules.cells))
        if position is not None:
            found.append((rng, position))
    return found


SWITCHES = [1 << i for i in range(kernel.ALL_SWITCHES.bit_length())] + [kernel.ALL_SWITCHES]


def prepared(position, table_bits=12, off=0):
    game = game_of(position.rules).array.copy()
    game["off"] = off
    state = np.empty(1, STATE_DTYPE)
    kernel.set_up(game, state, np.frombuffer(position.relative(), np.int8))
    table = np.zeros((2 * int(game[0]["words"]) + kernel.EXTRA_WORDS) << table_bits, np.uint64)
    state["generation"], state["table_mask"] = 1, (1 << table_bits) - 1
    return game, state, table


def test_the_words_of_the_hash_depend_on_no_version_of_numpy():
    words = game_of(Rules(3, 3, 3)).array[0]["zobrist"]
    assert words.ravel()[:2].tolist() == [5293867312936332263, 3203249464833614467]
    assert len(np.unique(words)) == words.size


def negamax(position, depth, alpha=-kernel.INFINITY, beta=kernel.INFINITY, table_bits=12, off=0):
    """The kernel's value of a position, and whether it rests on no estimate."""
    game, state, table = prepared(position, table_bits, off)
    budget = Budget(10**8, NO_DEADLINE)
    value = kernel.negamax(game[0], state[0], budget.record, table, 0, 0, depth, alpha, beta)
    assert budget.ended_by is None
    return int(value), state["unproven_count"][0] == 0


def in_kernel_units(value):
    """A plain value on the kernel's scale: both count a win from a constant down by the marks at the end."""
    if abs(value) >= DECISIVE:
        return value - WIN + kernel.WIN if value > 0 else value + WIN - kernel.WIN
    return value


# The state.


@EVERY_RULE
def test_marks_put_and_taken_back_leave_the_state_as_it_was(flags):
    for rng, position in random_positions("undo", flags, 12, 40):
        game, state, _ = prepared(position)
        cells = [cell for cell, mark in enumerate(position.cells) if not mark]
        rng.shuffle(cells)
        before, done = state.tobytes(), []
        for cell in cells:
            side = rng.randrange(2)
            done.append((side, cell))
            kernel.put(game[0], state[0], side, cell)
        for side, cell in reversed(done):
            kernel.take_back(game[0], state[0], side, cell)
        assert state.tobytes() == before


@EVERY_RULE
def test_the_state_says_what_counting_anew_says(flags):
    """Open lines, the estimate, completed lines and playable cells, after marks put in any order."""
    for rng, position in random_positions("count", flags, 25, 30):
        rules = position.rules
        if rules.goal == 1:
            continue  # the first mark ends the game, and there is nothing to estimate
        game, state, _ = prepared(position)
        sides = (position.to_move, 3 - position.to_move)
        mine, yours = (SIDE[side] for side in sides)
        for _ in range(min(6, position.empties - 1)):
            side = rng.randrange(2)
            cell = rng.choice(position.legal_moves())
            kernel.put(game[0], state[0], side, cell)
            marked = bytearray(position.cells)
            marked[cell] = sides[side]
            position = Position(rules, bytes(marked), 3 - sides[side])
        board = board_rows(position)
        assert state["estimate"][0] == estimate(board, mine, rules)
        assert list(state["alive"][0]) == [len(open_lines(board, side, rules)) for side in (mine, yours)]
        legal = legal_moves(board, rules.gravity)
        for cell in range(rules.cells):
            assert kernel.playable(game[0], state[0], cell) == (divmod(cell, rules.columns) in legal)
        for cell in (cell for cell, mark in enumerate(position.cells) if not mark):
            for side, mark in enumerate(sides):
                filled = bytearray(position.cells)
                filled[cell] = mark
                rows = board_rows(Position(rules, bytes(filled), 1))
                walked = completes_line(rows, *divmod(cell, rules.columns), rules.goal, rules.exact_goal)
                assert kernel.completes_line(game[0], state[0], side, cell) == walked


def test_the_largest_boards_fit_the_records():
    most = 0
    for rows, columns in [(MAX_SIDE, MAX_SIDE), (MAX_SIDE, 1), (1, MAX_SIDE), (MAX_SIDE, MAX_SIDE - 1)]:
        for goal in range(1, max(rows, columns) + 1):
            lines = [line for _, line in geometry(Rules(rows, columns, goal, wrap="both")).directed_lines]
            assert len(lines) <= layout.MAX_LINES
            assert sum(len(line.flanks) for line in lines) <= layout.MAX_FLANKS
            most = max(most, sum(len(line.cells) for line in lines))
            assert len(lines) * 10**12 < kernel.MAX_ESTIMATE
    assert most == layout.MAX_MEMBERS
    assert kernel.WIN - MAX_SIDE**2 > kernel.DECISIVE > kernel.MAX_ESTIMATE


# The search.


@EVERY_RULE
def test_every_window_is_answered_as_the_contract_says(flags):
    rng = random.Random(f"window {flags}")
    positions = [position for _, position in random_positions("window", flags, 15, 12)]
    for position in positions + [lively_position(rng, flags) for _ in range(6)]:
        depth = rng.randint(1, 4 if position.empties <= 9 else 3)
        plain, _ = plain_value(board_rows(position), SIDE[position.to_move], position.rules, depth)
        value = in_kernel_units(plain)
        assert negamax(position, depth)[0] == value
        near = [value - 1, value, value + 1, 0, rng.randint(-300, 300), kernel.DECISIVE, -kernel.DECISIVE]
        for alpha in near:
            for beta in (alpha + 1, alpha + rng.randint(2, 50), kernel.INFINITY):
                found, _ = negamax(position, depth, alpha, beta)
                assert (alpha < found < beta and found == value) or (
                    (found <= alpha and value <= found) or (found >= beta and value >= found)
                )


@EVERY_RULE
def test_each_iteration_finds_the_plain_minimax_value_of_its_depth(flags):
    rng = random.Random(f"iterations {flags}")
    positions = [position for _, position in random_positions("iterations", flags, 10, 12)]
    for position in positions + [lively_position(rng, flags) for _ in range(12)]:
        rules, board, side = position.rules, board_rows(position), SIDE[position.to_move]
        budget = Budget(10**8)
        for found in solver.iterate(position, budget, 4 if position.empties <= 9 else 3):
            plain, certain = plain_value(board, side, rules, found.depth)
            marks = rules.cells - position.empties
            assert found.score.proven or not certain
            complete = found.score.outcome == "draw"
            assert found.score == solver.to_score(in_kernel_units(plain), rules.cells, marks, complete, rules)


@EVERY_RULE
@settings(max_examples=40)
@given(data=st.data())
def test_it_solves_every_small_board_as_the_oracle_does(flags, data):
    position = data.draw(small_positions(flags))
    outcome, plies, best = judged(position)
    *_, found = solver.iterate(position, Budget(10**8), None)
    assert (found.score.outcome, found.score.distance) == (outcome, plies)
    assert found.move in best
    assert found.line[0] == found.move


@EVERY_RULE
def test_a_table_too_small_for_the_search_changes_no_value(flags):
    for _, position in random_positions("table", flags, 8, 12):
        depth = min(position.empties, 7)
        assert len({negamax(position, depth, table_bits=bits)[0] for bits in (0, 1, 4, 16)}) == 1


@EVERY_RULE
def test_each_short_cut_may_be_switched_off_without_a_change_of_value(flags):
    rng = random.Random(f"off {flags}")
    positions = [position for _, position in random_positions("off", flags, 8, 12)]
    for position in positions + [lively_position(rng, flags) for _ in range(8)]:
        for depth in range(1, min(position.empties, 5) + 1):
            value, _ = negamax(position, depth)
            assert [negamax(position, depth, off=off)[0] for off in SWITCHES] == [value] * len(SWITCHES)


def test_entries_of_another_generation_or_of_part_of_a_position_count_as_empty():
    """A table full of what earlier searches of this and of larger boards wrote changes nothing."""
    small, large = Position.empty(Rules(3, 4, 3)), Position.empty(Rules(7, 10, 4))
    game, state, table = prepared(small, 10)
    budget = Budget(10**8)
    clean = kernel.negamax(game[0], state[0], budget.record, table, 0, 0, 12, -kernel.INFINITY, kernel.INFINITY)
    nodes = budget.nodes
    for generation in (2, 3):
        for position, depth in ((large, 3), (small, 12)):
            game, state, _ = prepared(position, 10)
            stride = 2 * int(game[0]["words"]) + kernel.EXTRA_WORDS
            entries = (len(table) // stride).bit_length() - 1
            state["generation"], state["table_mask"] = (2 * generation + (position is small), (1 << entries) - 1)
            budget = Budget(10**8)
            value = kernel.negamax(
                game[0], state[0], budget.record, table, 0, 0, depth, -kernel.INFINITY, kernel.INFINITY
            )
    assert (int(value), budget.nodes) == (int(clean), nodes)


@EVERY_RULE
def test_the_budget_and_the_stop_flag_end_the_search_and_undo_its_marks(flags):
    position = Position.empty(Rules(6, 7, 4, *flags))
    for nodes, reason in ((1, "nodes"), (777, "nodes"), (10**9, "stop")):
        game, state, table = prepared(position)
        board, words = state["board"].tobytes(), state["words"].tobytes()
        budget = Budget(nodes)
        if reason == "stop":
            budget.stop()
        kernel.negamax(game[0], state[0], budget.record, table, 0, 0, 30, -kernel.INFINITY, kernel.INFINITY)
        assert budget.ended_by == reason
        assert budget.nodes <= min(nodes, 10_000)
        assert reason == "stop" or budget.nodes == nodes
        assert (state["board"].tobytes(), state["words"].tobytes()) == (board, words)
        assert not state["have"][0, :, : int(game["lines"][0])].any()


# What it visits.

BENCH = [
    (Rules(3, 3, 3), 9), (Rules(3, 4, 3, gravity=True), 12), (Rules(2, 6, 3, misere=True), 12),
    (Rules(4, 3, 3, exact_goal=True), 12), (Rules(6, 7, 4, gravity=True), 6), (Rules(9, 8, 5), 3),
]  # fmt: skip
BENCH_NODES = [2130, 1302, 39087, 4390, 2598, 5625]


def bench():
    """The nodes of the whole bench: they change when, and only when, the search does."""
    visited = []
    for rules, depth in BENCH:
        budget = Budget(10**8)
        for _ in solver.iterate(Position.empty(rules), budget, depth):
            pass
        visited.append(budget.nodes)
    return visited


def test_the_nodes_it_visits_have_not_changed():
    """Where a change to the search is meant, so are new numbers here."""
    assert bench() == BENCH_NODES


PLAIN_BENCH = """
import numpy as np
from kinarow.solvers.line_counts import kernel
from kinarow.solvers.common.budget import Budget
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.solvers.line_counts import solver
np.seterr(over="ignore")  # words wrap, as in compiled code
for flags in [(g, m, e) for g in (False, True) for m in (False, True) for e in (False, True)]:
    budget = Budget(10**8)
    *_, found = solver.iterate(Position.empty(Rules(2, 4, 3, *flags)), budget, 6)
    print(found, budget.nodes)
"""


def test_as_plain_python_it_does_exactly_the_same():
    compiled = []
    for flags in RULE_FLAGS:
        budget = Budget(10**8)
        *_, found = solver.iterate(Position.empty(Rules(2, 4, 3, *flags)), budget, 6)
        compiled.append(f"{found} {budget.nodes}")
    assert read_plain(PLAIN_BENCH, warnings="error").splitlines() == compiled
