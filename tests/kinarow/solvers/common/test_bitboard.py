"""The bitboard finds lines as a walk along the cells does, in both layouts, for every goal."""

import random
from dataclasses import replace

import numpy as np
import pytest

from kinarow.game.rules import Rules
from kinarow.solvers.common import kernel_bitboard
from kinarow.solvers.common.capacity import has_bitboard
from kinarow.solvers.gravity.solver import game_of
from tests.support import oracle

SIZES = [(1, 1), (1, 7), (6, 1), (25, 1), (1, 25), (2, 22), (3, 5), (5, 4), (6, 7), (7, 8), (4, 13), (3, 16), (5, 11)]
COUNT = 12


def boards(size, exact_goal):
    """Random marks of both sides under every goal: the rules, the cells, and those of each kind as a bitboard."""
    rng = random.Random(f"{size} {exact_goal}")
    longest = max(size)
    for goal in sorted({min(goal, longest) for goal in (1, 2, 3, 4, 5, longest)}):
        rules = Rules(*size, goal, exact_goal=exact_goal)
        for _ in range(COUNT):
            cells = bytes(rng.choices((0, 1, 2), (30, 55, 15), k=rules.cells))
            yield rules, cells, *(bits_of(size, [c for c in range(rules.cells) if cells[c] == k]) for k in (0, 1))


def bits_of(size, cells):
    places = game_of(Rules(*size, 1, gravity=True))[1].places
    return np.uint64(sum(1 << places[cell] for cell in cells))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("exact_goal", [False, True])
def test_lines_completing_cells_and_free_lines_are_those_found_by_walking(size, exact_goal):
    for rules, cells, empty, own in boards(size, exact_goal):
        game = game_of(replace(rules, gravity=True))[0].array[0]
        completing = bits_of(size, oracle.completing(rules, cells, 1))
        assert kernel_bitboard.completing_cells(game, own, empty) == completing
        assert kernel_bitboard.has_line(game, own) == bool(oracle.line_cells(rules, cells, 1))
        assert kernel_bitboard.can_line(game, own, empty) == bool(oracle.open_lines(rules, cells, 1))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_marks_land_on_the_lowest_empty_cell_and_mirrors_exchange_columns(size):
    rows, columns = size
    rng = random.Random(str(size))
    game, bits = game_of(Rules(rows, columns, min(4, max(size)), True))
    game, places = game.array[0], bits.places
    for _ in range(COUNT):
        heights = [rng.randint(0, rows) for _ in range(columns)]
        cells = [(rows - 1 - h, c) for c in range(columns) for h in range(heights[c])]
        occupied = sum(1 << places[r * columns + c] for r, c in cells)
        landing = sum(1 << places[(rows - 1 - h) * columns + c] for c, h in enumerate(heights) if h < rows)
        image = sum(1 << places[r * columns + columns - 1 - c] for r, c in cells)
        assert int(kernel_bitboard.landing(game, np.uint64(occupied))) == landing
        assert int(kernel_bitboard.mirror(game, np.uint64(occupied))) == image
        empty = game["board"] & ~np.uint64(occupied)
        assert kernel_bitboard.fill_up(game, np.uint64(landing), empty) == empty
        assert kernel_bitboard.fill_down(game, empty & ~(empty >> np.uint64(0)), empty) == 0
        top = sum(1 << places[c] for c in range(columns)) & int(empty)
        assert kernel_bitboard.fill_down(game, np.uint64(top), empty) == empty


def test_every_cell_has_its_own_bit_and_larger_boards_do_not_fit():
    for rows, columns in SIZES:
        places = game_of(Rules(rows, columns, 1, gravity=True))[1].places
        assert len(set(places)) == rows * columns
        assert 0 <= min(places) <= max(places) < 63
    for rows, columns in [(8, 8), (64, 1), (1, 33), (4, 16)]:
        assert not has_bitboard(rows, columns)
