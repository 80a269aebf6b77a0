"""The record of a board for the search for short wins, and its table."""

from collections.abc import Sequence

import numpy as np

from kinarow.game.geometry import Permutation, geometry
from kinarow.game.rules import Rules
from kinarow.solvers.short_wins.layout import BOARD_DTYPE, EMPTY


def new_board(rules: Rules, off: int = 0) -> np.recarray:
    """A board without marks for a goal up to 4: an array of one record; ``off`` is the sum of ``OFF_...`` switches."""
    cells, goal, lines = rules.cells, rules.goal, geometry(rules).lines
    board = np.zeros(1, BOARD_DTYPE).view(np.recarray)
    record = board[0]
    record["cells"], record["goal"], record["lines"], record["off"] = cells, goal, len(lines), off
    record["line"][: len(lines), :goal] = lines
    record["order"][:cells] = geometry(rules).move_order
    # The lines through each cell, in their order: member i of all lines in turn belongs to line i // goal.
    members = np.array(lines, np.int64).ravel()
    by_cell = np.argsort(members, kind="stable")
    counts = np.bincount(members, minlength=cells)
    places = np.arange(len(members)) - np.repeat(np.cumsum(counts) - counts, counts)
    record["through"][members[by_cell], places] = by_cell // goal
    record["through_count"][:cells] = counts
    record["mark"][:] = EMPTY
    set_symmetries(board, [tuple(range(cells))])
    return board


def set_symmetries(board: np.recarray, maps: Sequence[Permutation]) -> None:
    """Set the permutations of the cells that map the position on itself, the identity first; they form a group."""
    record = board[0]
    images = np.array(maps, np.int64)
    inverses = np.argsort(images, axis=1)
    record["symmetries"] = len(maps)
    record["image"][: len(maps), : images.shape[1]] = images
    record["inverse"][: len(maps)] = (inverses[:, None] == images[None]).all(axis=2).argmax(axis=1)
