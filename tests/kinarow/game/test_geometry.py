"""Lines and symmetries of every kind of board, against counting by formula and walking by hand."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.game.geometry import geometry
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from tests.support import contract, oracle
from tests.support.positions import EVERY_RULE

SIZES = [(1, 1), (1, 7), (7, 1), (2, 3), (3, 3), (4, 3), (3, 5), (6, 7), (7, 6), (15, 14), (25, 24), (25, 25)]
FEW_SIZES = [(1, 6), (5, 1), (2, 3), (3, 3), (5, 3), (4, 6)]
EVERY_SIZE = pytest.mark.parametrize(("rows", "columns"), SIZES)


@EVERY_SIZE
def test_the_lines_are_those_found_by_walking_and_as_many_as_the_formula_says(rows, columns):
    for goal in {1, 2, 3, max(rows, columns), max(1, min(rows, columns))}:
        if goal > max(rows, columns):
            continue
        rules = Rules(rows, columns, goal)
        board = geometry(rules)
        walked = oracle.lines(rules)
        across, down = max(0, columns - goal + 1), max(0, rows - goal + 1)
        assert len(walked) == rows * across + down * columns + 2 * across * down
        found = [(list(line.cells), list(line.flanks)) for _, line in board.directed_lines]
        assert sorted(found) == sorted(walked)
        expected = rows * columns if goal == 1 else len(walked)
        assert len(board.lines) == len(set(map(frozenset, board.lines))) == expected
        assert sum(board.centrality) == goal * expected
        assert sorted(board.move_order) == list(range(rows * columns))


@EVERY_SIZE
def test_symmetries_are_permutations_that_keep_lines_and_form_a_group(rows, columns):
    for gravity in (False, True):
        board = geometry(Rules(rows, columns, min(3, max(rows, columns)), gravity))
        assert len(board.symmetries) == (2 if gravity else 8 if rows == columns else 4)
        identity = tuple(range(rows * columns))
        assert board.symmetries[0] == identity
        lines = set(map(frozenset, board.lines))
        for permutation in board.symmetries:
            assert tuple(sorted(permutation)) == identity
            assert {frozenset(permutation[cell] for cell in line) for line in lines} == lines
        group = set(board.symmetries)
        assert all(tuple(a[cell] for cell in b) in group for a, b in product(group, group))


@pytest.mark.parametrize("gravity", [False, True], ids=["free", "gravity"])
@pytest.mark.parametrize(("rows", "columns"), FEW_SIZES)
@given(data=st.data())
def test_all_images_of_a_board_and_its_colour_swap_have_one_canonical_form(rows, columns, gravity, data):
    rules = Rules(rows, columns, 1, gravity)
    cells = data.draw(st.lists(st.sampled_from([0, 1, 2]), min_size=rules.cells, max_size=rules.cells))
    position = Position(rules, bytes(cells), data.draw(st.sampled_from([1, 2])))
    form = position.canonical()
    assert bytes(position.relative()[cell] for cell in form.to_original) == form.position.cells
    for permutation in geometry(rules).symmetries:
        image = bytes(cells[cell] for cell in permutation)
        swapped = bytes((0, 2, 1)[mark] for mark in image)
        assert Position(rules, image, position.to_move).canonical().position.cells == form.position.cells
        assert Position(rules, swapped, 3 - position.to_move).canonical().position.cells == form.position.cells


def test_boards_that_no_symmetry_joins_have_different_canonical_forms():
    rules = Rules(2, 3, 2)
    forms = {Position(rules, bytes(cells), 1).canonical().position.cells for cells in product(range(3), repeat=6)}
    # Burnside: (3^6 + 3^3 + 3^4 + 3^3) / 4 boards up to the four symmetries of a rectangle.
    assert len(forms) == (3**6 + 3**3 + 3**4 + 3**3) // 4


def test_the_stabiliser_holds_just_the_symmetries_that_change_nothing():
    marks = (0, 0), (1, 0), (1, 2)
    assert [len(geometry(Rules(3, 3, 3)).stabiliser(bytes([*two] + [0] * 7))) for two in marks] == [8, 2, 1]
    assert len(geometry(Rules(3, 3, 3, gravity=True)).stabiliser(bytes([0, 0, 0, 0, 0, 0, 1, 2, 1]))) == 2


@pytest.mark.parametrize("exact_goal", [False, True], ids=["normal", "exact"])
@pytest.mark.parametrize(("rows", "columns"), [*FEW_SIZES, (25, 24)])
def test_completed_lines_are_those_found_by_walking(rows, columns, exact_goal):
    rng = random.Random(rows * 100 + columns)
    for _ in range(60 if rows < 25 else 3):
        rules = Rules(rows, columns, rng.randint(1, min(6, max(rows, columns))), exact_goal=exact_goal)
        density = rng.random()
        cells = bytes(rng.random() < density for _ in range(rules.cells))
        mask = sum(1 << cell for cell, mark in enumerate(cells) if mark)
        lines = geometry(rules).completed(mask)
        assert set(map(frozenset, lines)) == set(map(frozenset, oracle.completed(rules, cells, 1)))


# The static evaluation is what the contract says: a sum over the lines that one side alone has marked.


@EVERY_RULE
def test_it_is_the_sum_over_all_lines_under_every_rule(flags):
    rng = random.Random(str(flags))
    for _ in range(60):
        rows, columns = rng.randint(1, 7), rng.randint(1, 8)
        goal = rng.randint(1, max(rows, columns))
        cells = bytes(rng.choice((0, 0, 0, 1, 2)) for _ in range(rows * columns))
        position = Position(Rules(rows, columns, goal, *flags), cells, rng.choice((1, 2)))
        board = [list(row) for row in position.board]
        request = {"board": board, "goal": goal, "to_move": "XO"[position.to_move - 1]}
        expected = contract.static_evaluation(contract.Asked(request))
        assert static_evaluation(position) == expected
        assert static_evaluation(Position(Rules(rows, columns, goal), cells, position.to_move)) == expected


def test_long_lines_count_no_more_than_ten_to_the_twelfth():
    rules = Rules(1, 25, 20)
    cells = bytes([1] * 19 + [0] * 6)
    # Six lines begin at columns 0 to 5 and hold 19 down to 14 marks: all count the most.
    assert static_evaluation(Position(rules, cells, 1)) == 6 * 10**12
    assert static_evaluation(Position(rules, cells, 2)) == -6 * 10**12
