"""The bitboard finds lines as a walk along the cells does, in both layouts, for every goal."""

import random

import numpy as np
import pytest

from kinarow.game.rules import Rules
from kinarow.solvers.common import bitboard, kernel_bitboard
from tests.support.oracle import STEPS, completes_line

SIZES = [(1, 1), (1, 7), (6, 1), (25, 1), (1, 25), (2, 22), (3, 5), (5, 4), (6, 7), (7, 8), (4, 13), (3, 16), (5, 11)]
COUNT = 12


def drawn(rng, rows, columns):
    """A random board of one side's marks, as rows of text and as a bitboard."""
    cells = [[("X" if rng.random() < 0.55 else ".") for _ in range(columns)] for _ in range(rows)]
    places = bitboard.cell_bits(rows, columns)
    marks = sum(1 << places[r * columns + c] for r in range(rows) for c in range(columns) if cells[r][c] == "X")
    return tuple("".join(row) for row in cells), marks


def goals(rows, columns):
    longest = max(rows, columns)
    return sorted({min(goal, longest) for goal in (1, 2, 3, 4, 5, longest)})


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("exact_goal", [False, True])
def test_completing_cells_and_lines_are_those_found_by_walking(size, exact_goal):
    rows, columns = size
    rng = random.Random(f"{size} {exact_goal}")
    places = bitboard.cell_bits(rows, columns)
    for goal in goals(rows, columns):
        game = bitboard.new_game(Rules(rows, columns, goal, True, False, exact_goal))[0]
        for _ in range(COUNT):
            board, marks = drawn(rng, rows, columns)
            own = np.uint64(marks)
            empty = game.board & ~own
            expected = 0
            line = False
            for cell, place in enumerate(places):
                r, c = divmod(cell, columns)
                with_it = [list(row) for row in board]
                with_it[r][c] = "X"
                completes = completes_line(with_it, r, c, goal, exact_goal)
                if board[r][c] == ".":
                    expected |= completes << place
                else:
                    line = line or completes
            assert int(kernel_bitboard.completing_cells(game, own, empty)) == expected
            assert kernel_bitboard.has_line(game, own) == line


@pytest.mark.parametrize("exact_goal", [False, True])
def test_a_line_is_possible_while_a_span_is_free_and_unflanked(exact_goal):
    rng = random.Random(7)
    for rows, columns in [(3, 5), (5, 4), (3, 16), (1, 9)]:
        places = bitboard.cell_bits(rows, columns)
        for goal in goals(rows, columns):
            game = bitboard.new_game(Rules(rows, columns, goal, True, False, exact_goal))[0]
            for _ in range(COUNT):
                _, own = drawn(rng, rows, columns)
                empty = sum(1 << p for p in places if rng.random() < 0.5) & ~own
                expected = free_span_cells(rows, columns, goal, exact_goal, own, empty, places)
                own, empty = np.uint64(own), np.uint64(empty)
                assert kernel_bitboard.can_line(game, own, empty) == (expected != 0)


def free_span_cells(rows, columns, goal, exact_goal, own, empty, places):
    """All cells of the spans that hold only these own or empty cells, unflanked by own marks if the goal is exact."""

    def bitboard_of(cells):
        return sum({1 << places[r * columns + c] for r, c in cells if 0 <= r < rows and 0 <= c < columns})

    found = 0
    for down, right in STEPS:
        for row in range(rows):
            for column in range(columns):
                cells = [(row + down * i, column + right * i) for i in range(-1, goal + 1)]
                last_row, last_column = cells[-2]
                if not (0 <= last_row < rows and 0 <= last_column < columns):
                    continue
                span = bitboard_of(cells[1:-1])
                if span & ~(own | empty) or (exact_goal and bitboard_of([cells[0], cells[-1]]) & own):
                    continue
                found |= span
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_marks_land_on_the_lowest_empty_cell_and_mirrors_exchange_columns(size):
    rows, columns = size
    rng = random.Random(str(size))
    game = bitboard.new_game(Rules(rows, columns, min(4, max(size)), True))[0]
    places = bitboard.cell_bits(rows, columns)
    for _ in range(COUNT):
        heights = [rng.randint(0, rows) for _ in range(columns)]
        cells = [(rows - 1 - h, c) for c in range(columns) for h in range(heights[c])]
        occupied = sum(1 << places[r * columns + c] for r, c in cells)
        landing = sum(1 << places[(rows - 1 - h) * columns + c] for c, h in enumerate(heights) if h < rows)
        image = sum(1 << places[r * columns + columns - 1 - c] for r, c in cells)
        assert int(kernel_bitboard.landing(game, np.uint64(occupied))) == landing
        assert int(kernel_bitboard.mirror(game, np.uint64(occupied))) == image
        empty = game.board & ~np.uint64(occupied)
        assert kernel_bitboard.fill_up(game, np.uint64(landing), empty) == empty
        assert kernel_bitboard.fill_down(game, empty & ~(empty >> np.uint64(0)), empty) == 0
        top = sum(1 << places[c] for c in range(columns)) & int(empty)
        assert kernel_bitboard.fill_down(game, np.uint64(top), empty) == empty


def test_every_cell_has_its_own_bit_and_larger_boards_do_not_fit():
    for rows, columns in SIZES:
        places = bitboard.cell_bits(rows, columns)
        assert len(set(places)) == rows * columns
        assert 0 <= min(places) <= max(places) < 63
    for rows, columns in [(8, 8), (64, 1), (1, 33), (4, 16)]:
        assert not bitboard.fits(rows, columns)
