"""Arrays (boards, cells) of boards of one game."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.geometry import geometry
from kinarow.game.rules import BLOCKED, EMPTY, O, Rules
from kinarow.game.rules import SWAP_SIDES as _SWAP_SIDES

Boards = NDArray[np.uint8]

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "layers"})

SWAP_SIDES = np.frombuffer(_SWAP_SIDES[: BLOCKED + 1], np.uint8)  # Indexed by a cell: the cell with X and O exchanged


class Children(NamedTuple):
    """The boards after each move of some boards."""

    boards: Boards  # seen from the side to move after the move
    parents: NDArray[np.intp]  # the index of the board before each move, ascending
    moves: NDArray[np.intp]  # the cell that each move marks
    completed: NDArray[np.bool_]  # whether the move completed a line


def children(boards: Boards, rules: Rules) -> Children:
    """Return the boards after each move of a game with gravity, seen from the side to move: 1 own, 2 the opponent's."""
    supported = np.ones(boards.shape, bool)
    supported[:, : -rules.columns] = boards[:, rules.columns :] != EMPTY
    parents, moves = np.nonzero((boards == EMPTY) & supported)
    after = SWAP_SIDES[boards[parents]]
    after[np.arange(len(moves)), moves] = O
    return Children(after, parents, moves, has_line(after == O, rules))


def parents(boards: Boards, rules: Rules) -> tuple[Boards, NDArray[np.intp]]:
    """Return the boards before each possible last move of a game with gravity, and the index of each in ``boards``.

    The index says which board the move leads to. The boards before are seen from the side that made the move: 1 own, 2
    the opponent's.
    """
    uncovered = np.ones(boards.shape, bool)
    uncovered[:, rules.columns :] = boards[:, : -rules.columns] == EMPTY
    numbers, last = np.nonzero((boards == O) & uncovered)
    before = SWAP_SIDES[boards[numbers]]
    before[np.arange(len(last)), last] = EMPTY
    return before, numbers


def has_line(marks: NDArray[np.bool_], rules: Rules) -> NDArray[np.bool_]:
    """Return for each board whether one side's marks, an array (boards, cells), hold a line; not in Caro and Renju."""
    lines, flanks = geometry(rules).directed_line_arrays
    if not len(lines) or not len(marks):
        return np.zeros(len(marks), bool)
    # Packed to a bit for each board, so that each operation handles eight boards a byte.
    packed = np.packbits(np.ascontiguousarray(marks.T), axis=1)
    whole = np.bitwise_and.reduce(packed[lines], axis=1)
    if rules.exact_goal:
        # A row of zeros, to which the index of a missing flank points.
        flanked = np.pad(packed, ((0, 1), (0, 0)))
        whole &= ~np.bitwise_or.reduce(flanked[flanks], axis=1)
    bits = np.bitwise_or.reduce(whole, axis=0)
    return np.unpackbits(bits, count=len(marks)).astype(bool)


def lines_stand_alone(rules: Rules) -> bool:
    """Return True if ``has_line`` is right under these rules: lines depend on one side's marks alone."""
    return rules.within(RULES_HANDLED)


def canonical_boards(relative: Boards, rules: Rules) -> tuple[Boards, NDArray[np.intp]]:
    """Return the smallest image of each board, and the index in ``symmetries_of`` of the symmetry that gives it."""
    best = np.ascontiguousarray(relative)
    text = f"S{rules.cells}"
    chosen = np.zeros(len(relative), np.intp)
    for number, symmetry in enumerate(symmetries_of(rules)[1:], 1):
        image = np.ascontiguousarray(relative[:, symmetry])
        smaller = (image.view(text) < best.view(text))[:, 0]
        best = np.where(smaller[:, None], image, best)
        chosen[smaller] = number
    return np.ascontiguousarray(best), chosen


def symmetries_of(rules: Rules) -> NDArray[np.intp]:
    """Return the empty board's symmetries, a row each, identity first: ``image[i]`` is ``board[row[i]]``."""
    return np.array(geometry(rules).stabiliser(rules.empty_board), np.intp)
