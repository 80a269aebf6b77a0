"""The search of large boards against the oracle: its threats, and every proof under every rule."""

import itertools
import random
import threading
import time

import numba
import numpy as np
import pytest

from kinarow.solvers.common.budget import FRESH_NODES, Budget
from kinarow.solvers.large_boards import solver
from kinarow.solvers.large_boards.board.kernel_cells import can_line
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.records import load
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from kinarow.solvers.large_boards.search.kernel_deepening import begin
from kinarow.solvers.large_boards.search.kernel_pvs import aspiration_search
from kinarow.solvers.large_boards.search.layout import DECISIVE, WIN
from kinarow.solvers.large_boards.search.records import new_board
from kinarow.solvers.large_boards.search.tunables import DEFAULTS, new_tunables
from tests.support import oracle
from tests.support.large_boards import STATE_RULES, TUNABLES, Engine, snapshot
from tests.support.plain import plain_answers
from tests.support.samples import sampled

FLAGS = list(itertools.product((False, True), repeat=3))


def loaded(rules, cells):
    board = new_board(*rules, TUNABLES)
    load(board, np.array(cells, np.int8))
    return board


def random_cells(rng, rules, marks, forbid_lines=True):
    """Cells after so many random moves from the empty board, 1 the side to move; None where the game ended."""
    rows, columns, goal, gravity, _, exact = rules
    board = ("." * columns,) * rows
    side = "X" if marks % 2 == 0 else "O"
    for _ in range(marks):
        moves = oracle.legal_moves(board, gravity)
        move = rng.choice(moves)
        board = oracle.with_mark(board, move, side)
        if forbid_lines and oracle.completes_line(board, *move, goal, exact):
            return None
        side = "O" if side == "X" else "X"
    return board


def as_cells(board):
    return [{".": 0, "X": 1, "O": 2}[mark] for row in board for mark in row]


def positions(rng, rules, marks, number):
    found = []
    for _ in range(200 * number):
        board = random_cells(rng, rules, max(0, marks - rng.randrange(2)))
        if board is not None and len(found) < number:
            found.append(board)
    return found


def distance_of(report):
    return WIN - abs(report.value)


def outcome_of(report):
    assert report.proven
    return (report.value >= DECISIVE) - (report.value <= -DECISIVE)


@pytest.mark.parametrize("flags", FLAGS, ids=lambda flags: "gravity={} misere={} exact={}".format(*flags))
@pytest.mark.parametrize(
    "shape", [(3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4), (2, 5, 2), (1, 8, 3), (5, 5, 4), (5, 5, 3)], ids=str
)
@sampled("number", 2, 12)
def test_every_proof_is_true(flags, shape, number):
    rows, columns, goal = shape
    gravity, misere, exact = flags
    rules = (rows, columns, goal, gravity, misere, exact)
    rng = random.Random(11)
    for board in positions(rng, rules, max(0, rows * columns - rng.choice((6, 9))), number):
        value, plies, best = oracle.judge(board, "X", goal, gravity, misere, exact)
        reports = Engine(loaded(rules, as_cells(board))).think()
        assert reports[-1].proven, board
        for report in reports:
            if report.proven:
                assert outcome_of(report) == value, board
                assert report.value == 0 or distance_of(report) >= plies
                assert report.value == 0 or not report.exact or distance_of(report) == plies
                move = divmod(report.best, columns)
                if value == 0 or report.exact:
                    assert move in best or (value == 0 and keeps_draw(board, move, rules))


@pytest.mark.parametrize("flags", FLAGS, ids=lambda flags: "gravity={} misere={} exact={}".format(*flags))
@pytest.mark.parametrize("slots", [1 << 6, pytest.param(1 << 14, marks=pytest.mark.slow)])
@sampled("number", 1, 3)
def test_proofs_are_true_with_a_table_kept_from_other_positions(flags, slots, number):
    """Whole games backwards and forwards through one table, also one that must forget most of it."""
    rows, columns, goal = 4, 4, 4
    gravity, misere, exact = flags
    rules = (rows, columns, goal, gravity, misere, exact)
    rng = random.Random(31)
    engine = Engine(loaded(rules, [0] * (rows * columns)), slots=slots)
    for marks in (10, 6, 8, 7, 9, 6):
        for board in positions(rng, rules, marks, number):
            value, plies, _ = oracle.judge(board, "X", goal, gravity, misere, exact)
            engine.go_on(loaded(rules, as_cells(board)), 10**9)
            last = engine.think(keep=True)[-1]
            assert last.proven, board
            assert outcome_of(last) == value, board
            assert last.value == 0 or distance_of(last) >= plies
            assert last.value == 0 or not last.exact or distance_of(last) == plies


def test_a_kept_table_saves_nodes_and_a_cleared_one_changes_nothing():
    """Two plies on, the depth that was reached costs less; a search that keeps nothing counts as the first did."""
    rules = (15, 15, 5, False, False, False)
    board = random_cells(random.Random(23), rules, 12)
    later = list(as_cells(board))
    engine = Engine(loaded(rules, as_cells(board)), 60_000)
    report = engine.think()[-1]
    for cell, mark in zip(report.line[:2], (1, 2), strict=True):
        later[cell] = mark
    fresh = Engine(loaded(rules, later))
    expected = fresh.think(report.depth)
    engine.go_on(loaded(rules, later), 10**9)
    engine.think(report.depth, keep=True)
    assert engine.budget.nodes < fresh.budget.nodes
    engine.go_on(loaded(rules, later), 10**9)
    assert engine.think(report.depth) == expected
    assert engine.budget.nodes == fresh.budget.nodes


def keeps_draw(board, move, rules):
    _, _, goal, gravity, misere, exact = rules
    child = oracle.with_mark(board, move, "X")
    if oracle.completes_line(child, *move, goal, exact):
        return False
    return not any("." in row for row in child) or oracle.judge(child, "O", goal, gravity, misere, exact)[0] == 0


@pytest.mark.parametrize("flags", FLAGS, ids=lambda flags: "gravity={} misere={} exact={}".format(*flags))
def test_the_fixed_depth_search_is_the_minimax_of_the_estimate(flags):
    gravity, misere, exact = flags
    rng = random.Random(13)
    for rows, columns, goal in ((3, 4, 3), (4, 5, 4)):
        rules = (rows, columns, goal, gravity, misere, exact)
        for number, board in enumerate(positions(rng, rules, rows * columns - 11, 6)):
            depth = number % 3 + 1
            engine = Engine(loaded(rules, as_cells(board)))
            report = engine.answer(depth, fixed_depth=True)
            if report.depth < depth:
                assert report.proven
            expected = minimax(engine, 0, report.depth, 0)
            assert report.value == expected, (board, depth)


def minimax(engine, side, depth, ply):
    """The value by trying everything, with the kernel's estimate at the horizon."""
    board = engine.board[0]
    columns, goal = board.columns, board.goal
    if board.empty == 0 or (ply > 0 and not can_line(board)):
        return 0
    if depth == 0:
        return estimate(board, side)
    rows = ["".join(".XO"[mark] for mark in board.mark[r * columns : (r + 1) * columns]) for r in range(board.rows)]
    best = None
    for r, c in oracle.legal_moves(tuple(rows), board.gravity):
        child = oracle.with_mark(tuple(rows), (r, c), "XO"[side])
        if oracle.completes_line(child, r, c, goal, board.exact_goal):
            value = (-1 if board.misere else 1) * (WIN - ply - 1)
        else:
            put(board, r * columns + c, side)
            value = -minimax(engine, 1 - side, depth - 1, ply + 1)
            take_back(board, r * columns + c)
        best = value if best is None else max(best, value)
    return best


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shape", [(7, 7, 4, 12), (8, 8, 5, 22), (6, 7, 3, 3)], ids=str)
@sampled("number", 10, 60)
def test_wins_by_threats_are_found_again_at_fixed_depth(shape, exact, number):
    rows, columns, goal, marks = shape
    rules = (rows, columns, goal, False, False, exact)
    rng = random.Random(17)
    found = 0
    for board in positions(rng, rules, marks, number):
        plies = Engine(loaded(rules, as_cells(board))).plies_by_threats()
        if plies == 0 or plies > 7:
            continue
        found += plies > 3
        truth = Engine(loaded(rules, as_cells(board))).answer(plies, fixed_depth=True)
        assert outcome_of(truth) == 1, board
        assert distance_of(truth) <= plies
    assert found


@pytest.mark.parametrize("width", [9, 10])
@sampled("number", 10, 40)
def test_with_gravity_a_cell_without_support_is_no_threat(width, number):
    rules = (7, width, 4, True, False, False)
    rng = random.Random(19)
    decided = 0
    for board in positions(rng, rules, 16, number):
        report = Engine(loaded(rules, as_cells(board))).answer(6)
        if report.proven and distance_of(report) <= 7:
            decided += 1
            truth = Engine(loaded(rules, as_cells(board))).answer(distance_of(report), fixed_depth=True)
            assert outcome_of(truth) == outcome_of(report), board
            assert distance_of(truth) <= distance_of(report)
    assert decided


def test_the_node_limit_is_exact_and_the_answer_depends_on_nothing_else():
    rules = (15, 15, 5, False, False, False)
    board = random_cells(random.Random(23), rules, 12)
    engine = Engine(loaded(rules, as_cells(board)), 30_000)
    first = engine.think()
    assert engine.budget.nodes == 30_000
    assert engine.budget.ended_by == "nodes"
    other = random_cells(random.Random(24), rules, 10)
    engine.go_on(loaded(rules, as_cells(other)), 10_000)
    engine.think()
    engine.go_on(loaded(rules, as_cells(board)), 30_000)
    before = snapshot(engine.board)
    assert engine.think() == first
    assert snapshot(engine.board) == before


def test_a_deadline_and_a_stop_flag_end_the_search():
    rules = (15, 15, 5, False, False, False)
    cells = as_cells(random_cells(random.Random(29), rules, 12))
    start = time.monotonic()
    Engine(loaded(rules, cells), deadline_ns=time.monotonic_ns() + 50_000_000).think()
    assert time.monotonic() - start < 10
    engine = Engine(loaded(rules, cells))
    threading.Timer(0.1, engine.budget.stop).start()
    engine.think()
    assert engine.budget.ended_by == "stop"


@pytest.mark.parametrize("seed", range(8))
def test_the_root_keeps_its_best_move_when_its_entry_is_displaced(seed):
    """An iteration that the budget ends replaces the best move only by one that it found to be better."""
    rules = (15, 15, 5, False, False, False)
    engine = Engine(loaded(rules, as_cells(random_cells(random.Random(seed), rules, 12))))
    begin(engine.board, engine.search, engine.table, 0, 0)
    for depth in range(1, 5):
        assert aspiration_search(engine.board, engine.search, engine.budget.array, engine.table, depth)
    best = int(engine.search[0].best)
    engine.table[:] = 0
    engine.budget = Budget(50)
    aspiration_search(engine.board, engine.search, engine.budget.array, engine.table, 5)
    assert int(engine.search[0].best) == best


@pytest.mark.parametrize("rules", STATE_RULES, ids=str)
def test_every_rule_gets_a_legal_first_move(rules):
    report = Engine(loaded(rules, [0] * (rules[0] * rules[1])), 3_000).answer()
    row, column = divmod(report.best, rules[1])
    assert (row, column) in oracle.legal_moves(("." * rules[1],) * rules[0], rules[3])
    assert report.line[0] == report.best


def few_answers():
    found = []
    for flags in FLAGS:
        rules = (4, 5, 4, *flags)
        for board in positions(random.Random(31), rules, 6, 1):
            engine = Engine(loaded(rules, as_cells(board)), 60, slots=64)
            reports = [[r.depth, r.value, r.best, list(r.line), bool(r.proven)] for r in engine.think()]
            found.append([reports, engine.budget.nodes])
    return found


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="this is the plain side already")
def test_plain_python_gives_the_same_answers_and_nodes():
    assert len(few_answers()) == len(FLAGS)
    assert plain_answers(__name__) == few_answers()


def test_unknown_tunables_are_refused():
    with pytest.raises(KeyError):
        new_tunables(no_such_number=1)
    assert int(new_tunables(move_bonus=7)["move_bonus"][0]) == 7 != DEFAULTS["move_bonus"]


def test_the_clock_is_read_after_writing_proven_entries():
    """Their part of the table may be memory that the system has yet to find, milliseconds at a time."""
    rules = (25, 25, 4, False, False, False)
    rows = ["." * 25] * 24 + [".............O.X.O......."]
    engine = Engine(loaded(rules, as_cells(rows)), slots=1 << 20)
    engine.budget = Budget(20_000)
    engine.budget.poll_by_cost(solver.max_node_ns(rules[2]))
    engine.think()
    record = engine.budget.record
    usual = (record["nodes"] - FRESH_NODES) // (record["usual_mask"] + 1)
    assert record["polls"] > FRESH_NODES + 2 * usual
