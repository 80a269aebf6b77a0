"""Renju on large boards: forbidden cells, patterns and every proof, against a brute force over sets of cells."""

import random

import numpy as np
import pytest

from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.large_boards.board import kernel_patterns as patterns
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.records import load
from kinarow.solvers.large_boards.search.layout import DECISIVE, WIN
from kinarow.solvers.large_boards.search.records import new_board
from tests.support import renju
from tests.support.large_boards import TUNABLES, Engine
from tests.support.samples import sampled


def random_board(rng, rows, columns, density):
    """A board with about this share of marks, Black's about as many as White's, in no order of play."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    marked = rng.sample(cells, int(density * len(cells)))
    more = len(marked) * rng.choice((50, 60, 75)) // 100
    return renju.Board(rows, columns, marked[:more], marked[more:])


def record_of(board, black_to_move):
    rows, columns = board.size
    record = new_board(rows, columns, 5, False, False, False, TUNABLES, beginner=0 if black_to_move else 1)
    own, other = (board.black, board.white) if black_to_move else (board.white, board.black)
    cells = [divmod(cell, columns) for cell in range(rows * columns)]
    load(record, np.array([1 if cell in own else 2 if cell in other else 0 for cell in cells]))
    return record


def played(rng, rows, columns, marks):
    """A board after so many random legal moves and whether Black is to move; None where the game ended before."""
    board = renju.Board(rows, columns)
    for number in range(marks):
        black = number % 2 == 0
        legal = renju.legal(board, black)
        if not legal:
            return None
        cell = rng.choice(legal)
        board = renju.child(board, cell, black)
        if renju.wins(board.black if black else board.white, cell, exactly=black):
            return None
    black = marks % 2 == 0
    return (board, black) if renju.legal(board, black) else None


@pytest.mark.parametrize("case", renju.CASES, ids=lambda case: case["name"])
def test_forbidden_cells(case):
    board = renju.Board.read(case["board"])
    record = record_of(board, True)[0]
    cells = [row * board.size[1] + column for row, column in board.empty]
    forbidden = {write_move(cell, Rules(*board.size, 5, renju=True)) for cell in cells if is_forbidden(record, cell)}
    assert forbidden == set(case["forbidden"])


@sampled("count", 12, 120)
def test_forbidden_cells_are_those_of_the_brute_force(count):
    rng = random.Random("forbidden")
    kinds = set()
    for _ in range(count):
        board = random_board(rng, *rng.choice([(15, 15), (9, 9), (7, 12)]), rng.uniform(0.1, 0.5))
        for black_to_move in (True, False):
            record = record_of(board, black_to_move)[0]
            found = {cell for cell in board.empty if is_forbidden(record, cell[0] * board.size[1] + cell[1])}
            assert found == renju.forbidden(board)
        kinds |= {renju.fault(board, cell) for cell in found}
    assert len(kinds) == 3


@sampled("count", 12, 120)
def test_cell_patterns_from_four_upwards_are_what_the_rules_say(count):
    rng = random.Random("patterns")
    seen = set()
    for number in range(count):
        board = random_board(rng, 9, 9, rng.uniform(0.2, 0.5))
        black_to_move = number % 2 == 0
        record = record_of(board, black_to_move)[0]
        for cell in rng.sample(list(board.empty), 12):
            for black in (True, False):
                side = 0 if black == black_to_move else 1
                found = int(record.cell_pattern[cell[0] * 9 + cell[1], side])
                expected = expected_pattern(board, cell, black)
                if found in (patterns.DOUBLE_THREE_CELL, patterns.THREES_CELL) or expected is None:
                    continue
                seen.add(expected)
                found = patterns.FOUR_CELL if found == patterns.FOUR_THREE_CELL else found
                assert (found if found >= patterns.FOUR_CELL or found == 1 else 0) == expected
    assert seen >= {0, patterns.FORBIDDEN_CELL, patterns.FOUR_CELL, patterns.FIVE_CELL}


def expected_pattern(board, cell, black):
    """The cell pattern from four upwards or forbidden; None where the side can complete a line elsewhere already."""
    stones = (board.black if black else board.white) | {cell}
    if renju.wins(stones, cell, exactly=black):
        return patterns.FIVE_CELL
    if black and renju.fault(board, cell) in ("overline", "double four"):
        return patterns.FORBIDDEN_CELL
    free = set(board.empty) - {cell}
    own = stones - {cell}
    before = {point for point in free if renju.wins(own | {point}, point, exactly=black)}
    if before:
        return None
    after = {point for point in free if renju.wins(stones | {point}, point, exactly=black)}
    return (0, patterns.FOUR_CELL, patterns.OPEN_FOUR_CELL)[min(len(after), 2)]


@pytest.mark.parametrize("shape", [(5, 5), (6, 6), (3, 9), (1, 11), (2, 7), (4, 7)], ids=str)
@sampled("number", 3, 80)
def test_every_proof_is_true(shape, number):
    """Also where a side with free cells has no legal move, which ends the game as a draw."""
    rng = random.Random(str(shape))
    asked = 0
    while asked < number:
        found = played(rng, *shape, shape[0] * shape[1] - rng.randint(2, 7))
        if found is None:
            continue
        board, black = found
        asked += 1
        truth = renju.values(board, black)
        best = max(truth.values())
        for fixed_depth in (False, True):
            for report in Engine(record_of(board, black)).think(fixed_depth=fixed_depth):
                move = divmod(report.best, shape[1])
                assert move in truth
                if not report.proven:
                    continue
                assert np.sign(report.value) == np.sign(best) == np.sign(truth[move]), board.__dict__
                if best:
                    plies, true_plies = WIN - abs(report.value), shape[0] * shape[1] + 1 - abs(best)
                    assert plies == true_plies if report.exact else plies >= true_plies
            assert report.proven


def crowded(rng, marks):
    """A board with marks near the middle of 15 × 15, the game going on."""
    while True:
        board = renju.Board(15, 15)
        near = [(r, c) for r in range(4, 11) for c in range(4, 11)]
        for number in range(marks):
            black = number % 2 == 0
            cell = rng.choice([cell for cell in near if cell in board.empty])
            if black and renju.fault(board, cell):
                break
            board = renju.child(board, cell, black)
            if renju.wins(board.black if black else board.white, cell, exactly=black):
                break
        else:
            return board, marks % 2 == 0


@sampled("number", 40, 90)
def test_wins_by_threats_are_found_again_by_looking_at_every_move(number):
    """Of both sides; the wins in up to five plies are searched for again in full."""
    rng = random.Random("threats")
    found = {True: 0, False: 0}
    for _ in range(number):
        board, black = crowded(rng, rng.choice((13, 14, 17, 18)))
        plies = Engine(record_of(board, black)).plies_by_threats()
        if not 0 < plies <= 5:
            continue
        report = Engine(record_of(board, black)).answer(plies, fixed_depth=True)
        assert report.value >= DECISIVE, board.__dict__
        found[black] += plies > 1
    assert all(found.values())


def test_white_wins_by_a_four_whose_answer_is_forbidden():
    """White plays a four; the cell that would stop it makes an overline for Black."""
    cells = [["."] * 15 for _ in range(15)]
    cells[7][2:7] = "XOOO."
    for row in (4, 5, 6, 8, 9):  # with (7, 7) there are six
        cells[row][7] = "X"
    cells[0][0] = cells[0][14] = "O"
    position = Position.from_rows(["".join(row) for row in cells], to_move="O", renju=True, goal=5)
    assert 7 * 15 + 7 in position.play(7 * 15 + 6).forbidden()
    answer = search(position, Limits(max_nodes=20_000))
    assert (answer.score.outcome, answer.score.distance, answer.move) == ("win", 3, 7 * 15 + 6)
    lost = search(position.play(answer.move), Limits(max_nodes=2_000))
    assert (lost.score.outcome, lost.score.distance) == ("loss", 2)
    assert lost.move in position.play(answer.move).legal_moves()


def test_no_move_of_a_search_is_forbidden():
    rng = random.Random("moves")
    rules = Rules(15, 15, 5, renju=True)
    for _ in range(6):
        board, black = crowded(rng, 22)
        cells = bytes(
            1 if divmod(cell, 15) in board.black else 2 if divmod(cell, 15) in board.white else 0 for cell in range(225)
        )
        position = Position(rules, cells, 1 if black else 2)
        for limits in (Limits(max_nodes=1), Limits(max_nodes=3_000), Limits(max_nodes=5_000, max_depth=2)):
            answer = search(position, limits)
            last = position
            for move in answer.line:
                assert move in last.legal_moves()
                last = last.play(move)
