"""Lines and symmetries of every kind of board, against counting by formula and walking by hand."""

import weakref
from itertools import product

import pytest

from kinarow.game.geometry import geometry
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from tests.support import oracle

SIZES = [(1, 1), (1, 7), (7, 1), (2, 3), (3, 3), (4, 3), (3, 5), (6, 7), (7, 6), (15, 14), (25, 24), (25, 25)]
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
        assert sorted(board.move_order) == list(range(rows * columns))


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        *((Rules(*size, min(3, max(size))), 8 if size[0] == size[1] else 4) for size in SIZES),
        *((Rules(*size, min(3, max(size)), gravity=True), 2) for size in SIZES), (Rules(3, 4, 3, wrap="both"), 4 * 12),
        (Rules(3, 3, 3, wrap="both"), 8 * 9), (Rules(3, 3, 3, wrap="rows", gravity=True), 2 * 3),
        (PRESETS["qubic"], 192), (Rules(3, 3, 3, layers=3), 48), (Rules(3, 3, 2, layers=3), 48),
        (Rules(4, 4, 3, layers=4), 48), (Rules(3, 4, 3, layers=2), 8), (Rules(3, 3, 3, layers=2), 16),
        (Rules(3, 3, 3, layers=3, gravity=True), 8), (Rules(3, 4, 3, layers=3, gravity=True), 4),
    ],
    ids=str,
)  # fmt: skip
def test_symmetries_are_permutations_that_keep_lines_and_form_a_group(rules, count):
    board = geometry(rules)
    group, lines, identity = set(board.symmetries), set(map(frozenset, board.lines)), tuple(range(rules.cells))
    assert (len(board.symmetries), board.symmetries[0]) == (count, identity)
    for permutation in group:
        assert tuple(sorted(permutation)) == identity
        assert {frozenset(permutation[cell] for cell in line) for line in lines} == lines
        assert all(tuple(permutation[cell] for cell in other) in group for other in board.symmetries[-8:])


def test_boards_that_no_symmetry_joins_have_different_canonical_forms():
    rules = Rules(2, 3, 2)
    forms = {Position(rules, bytes(cells), 1).canonical().position.cells for cells in product(range(3), repeat=6)}
    # Burnside: (3^6 + 3^3 + 3^4 + 3^3) / 4 boards up to the four symmetries of a rectangle.
    assert len(forms) == (3**6 + 3**3 + 3**4 + 3**3) // 4


def test_the_stabiliser_holds_just_the_symmetries_that_change_nothing():
    marks = (0, 0), (1, 0), (1, 2)
    assert [len(geometry(Rules(3, 3, 3)).stabiliser(bytes([*two] + [0] * 7))) for two in marks] == [8, 2, 1]
    assert len(geometry(Rules(3, 3, 3, gravity=True)).stabiliser(bytes([0, 0, 0, 0, 0, 0, 1, 2, 1]))) == 2


@pytest.mark.parametrize(("rows", "columns", "goal"), [(5, 7, 6), (3, 7, 4), (3, 3, 3), (1, 4, 2)])
def test_no_line_goes_round_a_ring_and_on(rows, columns, goal):
    rules = Rules(rows, columns, goal, wrap="both")
    assert {frozenset(line) for line in geometry(rules).lines} == {frozenset(line) for line, _ in oracle.lines(rules)}


def test_long_lines_count_no_more_than_ten_to_the_twelfth():
    rules = Rules(1, 25, 20)
    cells = bytes([1] * 19 + [0] * 6)
    # Six lines begin at columns 0 to 5 and hold 19 down to 14 marks: all count the most.
    assert static_evaluation(Position(rules, cells, 1)) == 6 * 10**12
    assert static_evaluation(Position(rules, cells, 2)) == -6 * 10**12


def test_few_large_boards_stay_in_memory_however_many_kinds_are_asked_about():
    """What follows from the size and goal of 25 × 25 takes up to 430 kB, of 8 × 8 at most 30 kB."""

    def alive(kinds):
        boards = [weakref.ref(geometry(Rules(*kind))) for kind in kinds]
        return sum(board() is not None for board in boards)

    assert alive(product((23, 24, 25), (22, 25), range(2, 22))) < 60
    assert alive(product((7, 8), (7, 8), range(2, 7))) == 20
