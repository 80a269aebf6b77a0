"""The line-count kernel keeps its own contract: the state it updates, the windows it is given, the table it shares.

The other kernels are judged by this one, so it is judged by plain minimax and the oracle.
"""

import random

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_SIDE
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.line_counts import kernel, layout
from kinarow.solvers.line_counts.layout import STATE_DTYPE
from kinarow.solvers.line_counts.solver import game_of
from tests.support import oracle
from tests.support.positions import EVERY_RULE, lively_position, plain_positions

SWITCHES = [1 << i for i in range(kernel.ALL_SWITCHES.bit_length())] + [kernel.ALL_SWITCHES]


def prepared(position, table_bits=12, off=0):
    game = game_of(position.rules).array.copy()
    game["off"] = off
    state = np.empty(1, STATE_DTYPE)
    kernel.set_up(game, state, np.frombuffer(position.relative(), np.int8))
    table = np.zeros((2 * int(game[0]["words"]) + kernel.EXTRA_WORDS) << table_bits, np.uint64)
    state["generation"], state["table_mask"] = 1, (1 << table_bits) - 1
    return game, state, table


def negamax(position, depth, alpha=-kernel.INFINITY, beta=kernel.INFINITY, table_bits=12, off=0):
    """The kernel's value of a position."""
    game, state, table = prepared(position, table_bits, off)
    budget = Budget(10**8)
    value = kernel.negamax(game[0], state[0], budget.record, table, 0, 0, depth, alpha, beta)
    assert budget.ended_by is None
    return int(value)


def true_value_to(depth, position):
    """The plain value on the kernel's scale, and whether it rests on no estimate; both count a win down by marks."""
    value, certain = oracle.value_to(depth, position.rules, position.cells, position.to_move)
    if abs(value) >= oracle.DECISIVE:
        value += kernel.WIN - oracle.WIN if value > 0 else oracle.WIN - kernel.WIN
    return value, certain


def plain_and_lively(name, flags, plain, lively):
    rng = random.Random(f"{name} {flags}")
    return [*plain_positions(name, flags, plain, 12), *(lively_position(rng, flags) for _ in range(lively))]


# The state.


@EVERY_RULE
def test_the_state_says_what_counting_anew_says(flags):
    """Open lines, the estimate, completed lines and playable cells, after marks put in any order."""
    rng = random.Random(f"count {flags}")
    for position in plain_positions("count", flags, 25, 30, goals=(2, 9)):
        rules, cells = position.rules, position.relative()
        if rules.goal == 1:
            continue  # the first mark ends the game, and there is nothing to estimate
        game, state, _ = prepared(position)
        for _ in range(min(6, position.empties - 1)):
            side, cell = rng.randrange(2), rng.choice(oracle.reachable(rules, cells))
            kernel.put(game[0], state[0], cell, side)
            cells = oracle.put(rules, cells, cell, side + 1)
        assert state["estimate"][0] == oracle.estimate(rules, cells, 1)
        assert list(state["alive"][0]) == [len(oracle.open_lines(rules, cells, side)) for side in (1, 2)]
        playable = [cell for cell in range(rules.cells) if kernel.playable(game[0], state[0], cell)]
        assert playable == oracle.reachable(rules, cells)
        for cell in (cell for cell, mark in enumerate(cells) if not mark):
            for side in (0, 1):
                walked = oracle.lines_through(rules, oracle.put(rules, cells, cell, side + 1), cell)
                assert kernel.completes_line(game[0], state[0], cell, side) == bool(walked)


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
    for position in plain_and_lively("window", flags, 15, 6):
        depth = rng.randint(1, 4 if position.empties <= 9 else 3)
        value, _ = true_value_to(depth, position)
        assert negamax(position, depth) == value
        near = [value - 1, value, value + 1, 0, rng.randint(-300, 300), kernel.DECISIVE, -kernel.DECISIVE]
        for alpha in near:
            for beta in (alpha + 1, alpha + rng.randint(2, 50), kernel.INFINITY):
                found = negamax(position, depth, alpha, beta)
                assert (alpha < found < beta and found == value) or (
                    (found <= alpha and value <= found) or (found >= beta and value >= found)
                )


@EVERY_RULE
def test_a_table_too_small_for_the_search_changes_no_value(flags):
    for position in plain_positions("table", flags, 8, 12):
        depth = min(position.empties, 7)
        assert len({negamax(position, depth, table_bits=bits) for bits in (0, 1, 4, 16)}) == 1


@EVERY_RULE
def test_each_short_cut_may_be_switched_off_without_a_change_of_value(flags):
    for position in plain_and_lively("off", flags, 8, 8):
        for depth in range(1, min(position.empties, 5) + 1):
            value = negamax(position, depth)
            assert [negamax(position, depth, off=off) for off in SWITCHES] == [value] * len(SWITCHES)


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
