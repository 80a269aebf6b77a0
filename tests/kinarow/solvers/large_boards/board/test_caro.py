"""The rule of Caro on large boards: patterns cell by cell and every proof, against a brute force over runs of cells."""

import random

import numpy as np
import pytest

from kinarow.solvers.large_boards.board import kernel_patterns as patterns
from kinarow.solvers.large_boards.board.kernel_answers import count_answers
from kinarow.solvers.large_boards.board.records import load
from kinarow.solvers.large_boards.search.layout import DECISIVE, WIN
from kinarow.solvers.large_boards.search.records import new_board
from tests.support.large_boards import TUNABLES, Engine
from tests.support.samples import sampled
from tests.support.shapes import STEPS, Game, has_line, moves, random_marks, text_of, values

OTHER = {"X": "O", "O": "X"}


def caro(rows, columns, goal, exact_goal=False):
    return Game("/".join(["." * columns] * rows), goal, exact_goal=exact_goal, caro=True)


def board_of(game, marks, side="X"):
    """The kernel's board, side 0 being ``side``."""
    _, rows, columns = game.sides
    board = new_board(rows, columns, game.goal, False, False, game.exact_goal, TUNABLES, caro=True)
    load(board, np.array([relative(marks.get(game.cell(cell)), side) for cell in range(game.cells)]))
    return board


def relative(mark, side):
    return 0 if mark is None else 1 if mark == side else 2


def completing(game, marks, side):
    return {cell for cell in moves(game, marks) if has_line(game, {**marks, cell: side}, side)}


def stopping(game, marks, side):
    """The cells that the other side may mark so that the side completes no line next."""
    return {cell for cell in moves(game, marks) if not completing(game, {**marks, cell: OTHER[side]}, side)}


def expected_pattern(game, marks, cell, side):
    """The cell pattern from four upwards, None where a line of the side stands or can be completed already."""
    if completing(game, marks, side):
        return patterns.FIVE_CELL if cell in completing(game, marks, side) else None
    after = {**marks, cell: side}
    if not completing(game, after, side):
        return 0
    return patterns.FOUR_CELL if stopping(game, after, side) else patterns.OPEN_FOUR_CELL


def crowded_line(game, rng):
    """Few marks, but many of them in one row, column or diagonal: there fours and closed runs are likely."""
    _, rows, columns = game.sides
    _, down, right = rng.choice([step for step in STEPS.values() if rows > 1 or step == (0, 0, 1)])
    row, column = rng.randrange(rows), rng.randrange(columns)
    line = {(0, row + i * down, column + i * right) for i in range(-game.goal, game.goal + 1)}
    mixes = "XXXXO.", "XXX..O", ".......XO"
    marks = {}
    for cell in moves(game, {}):
        mark = rng.choice(rng.choice(mixes[:2]) if cell in line else mixes[2])
        if mark != ".":
            marks[cell] = mark
    return marks


SHAPES = [(7, 8, 5), (6, 6, 4), (5, 7, 3), (2, 9, 6), (3, 4, 2), (1, 12, 5), (1, 14, 7)]


@pytest.mark.parametrize("exact_goal", [False, True], ids=["normal", "exact"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@sampled("rounds", 12, 120)
def test_cell_patterns_from_four_upwards_are_what_the_rules_say(shape, exact_goal, rounds):
    game = caro(*shape, exact_goal)
    rng = random.Random(str(game))
    seen = set()
    for _ in range(rounds):
        marks = crowded_line(game, rng)
        if has_line(game, marks, "X"):
            continue
        record = board_of(game, marks)[0]
        free = moves(game, marks)
        for cell in rng.sample(free, min(5, len(free))):
            expected = expected_pattern(game, marks, cell, "X")
            if expected is None:
                continue
            found = int(record.cell_pattern[cell[1] * shape[1] + cell[2], 0])
            found = patterns.FOUR_CELL if found == patterns.FOUR_THREE_CELL else found
            assert (found if found >= patterns.FOUR_CELL else 0) == expected, (text_of(game, marks), cell)
            seen.add(expected)
    assert seen


@pytest.mark.parametrize("shape", [(3, 8, 5), (1, 9, 4), (1, 12, 5), (2, 10, 6)], ids=str)
@sampled("rounds", 120, 600)
def test_the_answers_to_a_four_are_those_that_stop_it(shape, rounds):
    game = caro(*shape)
    rng = random.Random(str(shape))
    several = 0
    for _ in range(rounds):
        marks = crowded_line(game, rng)
        record = board_of(game, marks)[0]
        if not record.count[0, patterns.FIVE_CELL] or has_line(game, marks, "X"):
            continue
        count = count_answers(record, 0)
        found = {game.cell(int(cell)) for cell in record.answer[:count]}
        assert found == stopping(game, marks, "X"), text_of(game, marks)
        several += count > 1
    assert several


SMALL = [(3, 3, 2), (3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4), (2, 6, 3), (1, 9, 3), (5, 5, 4), (5, 5, 3), (3, 7, 4)]


@pytest.mark.parametrize("exact_goal", [False, True], ids=["normal", "exact"])
@pytest.mark.parametrize("shape", SMALL, ids=str)
@sampled("number", 2, 20)
def test_every_proof_is_true(shape, exact_goal, number):
    game = caro(*shape, exact_goal)
    rng = random.Random(str(game))
    for _ in range(number):
        found = random_marks(game, rng, rng.randint(2, 9))
        if found is None:
            continue
        marks, side = found
        truth = values(game, marks, side)
        best = max(truth.values())
        for report in Engine(board_of(game, marks, side)).think():
            if not report.proven:
                continue
            move = game.cell(int(report.best))
            assert np.sign(report.value) == np.sign(best) == np.sign(truth[move]), text_of(game, marks)
            if best:
                plies, true_plies = WIN - abs(report.value), game.cells + 1 - abs(best)
                assert plies == true_plies if report.exact else plies >= true_plies, text_of(game, marks)
        assert report.proven


@pytest.mark.parametrize("exact_goal", [False, True], ids=["normal", "exact"])
@pytest.mark.parametrize("shape", [(7, 7, 4, 14), (8, 8, 5, 24), (6, 7, 3, 3)], ids=str)
@sampled("number", 12, 200)
def test_wins_by_threats_are_found_again_at_fixed_depth(shape, exact_goal, number):
    rows, columns, goal, count = shape
    game = caro(rows, columns, goal, exact_goal)
    rng = random.Random(str(game))
    found = 0
    for _ in range(number):
        sample = random_marks(game, rng, rows * columns - count)
        if sample is None:
            continue
        plies = Engine(board_of(game, *sample)).plies_by_threats()
        if 0 < plies <= 7:
            found += plies > 3
            report = Engine(board_of(game, *sample)).answer(plies, fixed_depth=True)
            assert report.value >= DECISIVE, text_of(game, sample[0])
            assert WIN - report.value <= plies
    assert found or goal == 5


def test_a_mark_at_the_far_end_stops_a_four():
    """O has closed one end of four X; O may answer at the open end or one cell further."""
    game = caro(3, 9, 5)
    marks = {(0, 1, 0): "O", **{(0, 1, c): "X" for c in range(1, 5)}}
    record = board_of(game, marks)[0]
    assert count_answers(record, 0) == 2
    assert sorted(int(cell) for cell in record.answer[:2]) == [14, 15]
