"""The search of large boards against the oracle: its threats, and every proof in every game it takes."""

import random
from collections import Counter

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.layout import DECISIVE, WIN
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from kinarow.solvers.large_boards.search.kernel_deepening import begin
from kinarow.solvers.large_boards.search.kernel_pvs import aspiration_search
from kinarow.solvers.large_boards.search.kernel_table import entry_bound, entry_depth, entry_move
from tests.support import oracle
from tests.support.large_boards import STATE_RULES, Engine, board_of, new, snapshot
from tests.support.positions import EVERY_RULE, RULE_FLAGS, random_position, random_positions, true_scores
from tests.support.samples import sampled

GAMES = [
    *(
        Rules(*size, *flags)
        for size in [(3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4), (2, 5, 2), (1, 8, 3), (5, 5, 4), (5, 5, 3)]
        for flags in RULE_FLAGS
    ),
    *(
        Rules(*size, caro=True, exact_goal=exact_goal)
        for size in [(3, 3, 2), (3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4), (2, 6, 3), (1, 9, 3), (5, 5, 4), (5, 5, 3),
                     (3, 7, 4)]
        for exact_goal in (False, True)
    ),
    *(Rules(*size, *flags, blocked=blocked)
      for size, blocked in [((4, 4, 3), 0x0221), ((5, 5, 4), 0x100_2040), ((2, 8, 4), 0x1008), ((1, 11, 4), 0x20)]
      for flags in RULE_FLAGS),
    *(Rules(5, 5, 4, caro=True, exact_goal=exact_goal, blocked=0x100_2040) for exact_goal in (False, True)),
    *(Rules(*size, 5, renju=True) for size in [(5, 5), (6, 6), (3, 9), (1, 11), (2, 7), (4, 7)]),
]  # fmt: skip
GOMOKU, MIDDLE = Rules(15, 15, 5), 225 - 12


def position(rules, seed, empties):
    """A position with this number of empty cells, after random moves."""
    rng = random.Random(seed)
    return next(found for found in iter(lambda: random_position(rng, rules, rules.cells - empties), 0) if found)


def distance_of(report):
    return WIN - abs(report.value)


def outcome_of(report):
    assert report.proven
    return (report.value >= DECISIVE) - (report.value <= -DECISIVE)


def assert_proofs_are_true(position, reports):
    """The last is a proof; each has the true outcome, its move keeps it, and its distance is true or a bound."""
    truth = true_scores(position)
    best = max(truth.values())
    assert reports[-1].proven, position
    for report in reports:
        assert report.best in truth, position
        if report.proven:
            assert outcome_of(report) == np.sign(best) == np.sign(truth[report.best]), position
            plies = position.rules.cells + 1 - abs(best)
            assert best == 0 or (distance_of(report) == plies if report.exact else distance_of(report) >= plies), (
                position
            )


@pytest.mark.parametrize("rules", GAMES, ids=str)
@sampled("number", 2, 20)
def test_every_proof_is_true(rules, number):
    """Also in Renju where a side with free cells has no legal move, which ends the game as a draw."""
    for position in random_positions(random.Random(str(rules)), [rules] * 2 * number, (2, 9)):
        for fixed_depth in (False, True):
            assert_proofs_are_true(position, Engine(board_of(position)).think(fixed_depth=fixed_depth))


@EVERY_RULE
@pytest.mark.parametrize("slots", [1 << 6, pytest.param(1 << 14, marks=pytest.mark.slow)])
@sampled("number", 1, 3)
def test_proofs_are_true_with_a_table_kept_from_other_positions(flags, slots, number):
    """Whole games backwards and forwards through one table, also one that must forget most of it."""
    rules = Rules(4, 4, 4, *flags)
    engine = Engine(new(rules), slots=slots)
    for empties in (6, 10, 8, 9, 7, 10):
        for position in random_positions(random.Random(31), [rules] * 2 * number, (empties, empties + 1)):
            engine.go_on(board_of(position), 10**9)
            assert_proofs_are_true(position, engine.think(keep=True)[-1:])


def test_a_kept_table_saves_nodes_and_a_cleared_one_changes_nothing():
    """Two plies on, the depth that was reached costs less, mostly; a search that keeps nothing counts as the first."""
    kept = cleared = 0
    for seed in range(24, 34):
        first = position(GOMOKU, seed, MIDDLE)
        engine = Engine(board_of(first), 60_000)
        report = engine.think()[-1]
        if len(report.line) < 2:
            continue
        later = first.play(report.line[0]).play(report.line[1])
        fresh = Engine(board_of(later))
        expected = fresh.think(report.depth)
        engine.go_on(board_of(later), 10**9)
        engine.think(report.depth, keep=True)
        kept, cleared = kept + engine.budget.nodes, cleared + fresh.budget.nodes
        engine.go_on(board_of(later), 10**9)
        assert engine.think(report.depth) == expected
        assert engine.budget.nodes == fresh.budget.nodes
    assert kept < cleared


@EVERY_RULE
def test_the_fixed_depth_search_is_the_minimax_of_the_estimate(flags):
    for rules in (Rules(3, 4, 3, *flags), Rules(4, 5, 4, *flags)):
        for number, position in enumerate(random_positions(random.Random(13), [rules] * 8, (11, 12))):
            depth = number % 3 + 1
            engine = Engine(board_of(position))
            report = engine.answer(depth, fixed_depth=True)
            assert report.proven or report.depth == depth
            assert report.value == minimax(engine, rules, position.relative(), 1, report.depth, 0), (position, depth)


def minimax(engine, rules, cells, side, depth, ply):
    """The value by trying everything, with the kernel's estimate at the horizon."""
    board = engine.board
    if board.state.empty == 0 or (ply > 0 and not board.state.quads[board.state.mark == 0].any()):
        return 0
    if depth == 0:
        return estimate(*board, side - 1)
    values = []
    for move in oracle.moves(rules, cells, side):
        after = oracle.put(rules, cells, move, side)
        if oracle.lines_through(rules, after, move):
            values.append((-1 if rules.misere else 1) * (WIN - ply - 1))
        else:
            put(*board, move, side - 1)
            values.append(-minimax(engine, rules, after, 3 - side, depth - 1, ply + 1))
            take_back(*board, move)
    return max(values)


@pytest.mark.parametrize(
    ("rules", "empties"),
    [
        *((Rules(7, 7, 4, exact_goal=exact), 37) for exact in (False, True)),
        *((Rules(8, 8, 5, exact_goal=exact), 42) for exact in (False, True)),
        *((Rules(6, 7, 3, exact_goal=exact), 39) for exact in (False, True)),
        *((Rules(7, 7, 4, exact_goal=exact, caro=True), 35) for exact in (False, True)),
        *((Rules(8, 8, 5, exact_goal=exact, caro=True), 40) for exact in (False, True)),
        *((Rules(6, 7, 3, exact_goal=exact, caro=True), 39) for exact in (False, True)),
        (Rules(8, 8, 5, renju=True), 46), (Rules(7, 7, 4, blocked=0x11_0000_2040), 33),
    ],
    ids=str,
)  # fmt: skip
@sampled("number", 12, 100)
def test_wins_by_threats_are_found_again_at_fixed_depth(rules, empties, number):
    """By looking at every move; in Renju both sides win some."""
    found, games = Counter(), [rules] * number * (40 if rules.renju else 1)
    for count, position in enumerate(random_positions(random.Random(17), games, (empties, empties + 1))):
        if count >= 4 * number and len(found) == 2:
            break
        plies = Engine(board_of(position)).plies_by_threats()
        if 0 < plies <= (5 if rules.renju else 7):
            found[position.to_move] += plies > 1
            truth = Engine(board_of(position)).answer(plies, fixed_depth=True)
            assert outcome_of(truth) == 1, position
            assert distance_of(truth) <= plies
    assert found.total() or rules.goal == 5
    assert len(found) == 2 or not rules.renju


def test_the_node_limit_is_exact_and_the_answer_depends_on_nothing_else():
    asked = position(GOMOKU, 24, MIDDLE)
    engine = Engine(board_of(asked), 30_000)
    first = engine.think()
    assert (engine.budget.nodes, engine.budget.ended_by) == (30_000, "nodes")
    engine.go_on(board_of(position(GOMOKU, 25, MIDDLE)), 10_000)
    engine.think()
    engine.go_on(board_of(asked), 30_000)
    before = snapshot(engine.board)
    assert engine.think() == first
    assert snapshot(engine.board) == before


@pytest.mark.parametrize("seed", range(8))
def test_the_root_keeps_its_best_move_when_its_entry_is_displaced(seed):
    """An iteration that the budget ends replaces the best move only by one that it found to be better."""
    engine = Engine(board_of(position(GOMOKU, seed, MIDDLE)))
    begin(*engine.board, engine.table, 0, 0)
    for depth in range(1, 5):
        assert aspiration_search(*engine.board, engine.budget.record, engine.table, depth)
    best = int(engine.state[0].best)
    engine.table[:] = 0
    engine.budget = Budget(10)  # too few to find a better one
    aspiration_search(*engine.board, engine.budget.record, engine.table, 5)
    assert int(engine.state[0].best) == best


def test_an_entry_names_a_move_only_where_one_was_searched():
    """An estimate of the horizon, of depth 0, has none: the first cell of the board would be tried in its place."""
    engine = Engine(board_of(position(GOMOKU, 26, MIDDLE)), 3_000)
    engine.think()
    facts = [fact for fact in engine.table[1 : 2 * engine.state[0].slots : 2] if fact and entry_bound(fact)]
    moves = {depth: {entry_move(fact) for fact in facts if entry_depth(fact) == depth} for depth in (0, 1, 2)}
    assert -1 in moves[0]
    assert 0 not in moves[0] | moves[1] | moves[2]
    assert len(moves[1] | moves[2]) > 2


@pytest.mark.parametrize("rules", STATE_RULES, ids=str)
def test_every_rule_gets_a_legal_first_move(rules):
    report = Engine(new(rules), 3_000).answer()
    assert report.best in Position.empty(rules).legal_moves()
    assert report.line[0] == report.best


def test_white_wins_by_a_four_whose_answer_is_forbidden():
    """White plays a four; the cell that would stop it makes an overline for Black."""
    cells = [["."] * 15 for _ in range(15)]
    cells[7][2:7] = "XOOO."
    for row in (4, 5, 6, 8, 9):  # with (7, 7) there are six
        cells[row][7] = "X"
    cells[0][0] = cells[0][14] = "O"
    position = Position.from_rows(cells, to_move="O", renju=True, goal=5)
    assert 7 * 15 + 7 in position.play(7 * 15 + 6).forbidden()
    answer = search(position, Limits(max_nodes=20_000))
    assert (answer.score.outcome, answer.score.distance, answer.move) == ("win", 3, 7 * 15 + 6)
    lost = search(position.play(answer.move), Limits(max_nodes=2_000))
    assert (lost.score.outcome, lost.score.distance) == ("loss", 2)
    assert lost.move in position.play(answer.move).legal_moves()
