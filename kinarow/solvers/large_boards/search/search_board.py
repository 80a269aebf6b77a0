"""The board that a search begins with: empty, with the weights in force for its rules."""

import numpy as np

from kinarow.solvers.large_boards.board.empty_board import empty_board
from kinarow.solvers.large_boards.network.board_weights import set_weights
from kinarow.solvers.large_boards.network.weights import Weights, hand_set, learned


def new_board(
    rows: int,
    columns: int,
    goal: int,
    gravity: bool,
    misere: bool,
    exact_goal: bool,
    tunables: np.recarray,
    caro: bool = False,
    beginner: int = -1,
    weights: Weights | None = None,
) -> np.recarray:
    """An empty board for these rules.

    Args:
        rows, columns: 1 to 25 each.
        goal: 1 to max(rows, columns).
        tunables: from ``tunables.new_tunables``.
        caro: not with gravity or misere.
        beginner: in Renju the side that began, 0 or 1: goal 5 without another rule.
        weights: of the estimate and the order of moves; by default those in force for the rules.

    Returns:
        An array of one record; ``board[0]`` is what kernels take. Keep the array alive while they run.
    """
    board = empty_board(rows, columns, goal, gravity, misere, exact_goal, caro, beginner)
    record = board[0]
    record.pattern_points[:] = tunables["pattern_points"][0]
    if weights is None:
        units = tuple(record.unit.tolist())
        weights = hand_set(tunables, units) if gravity or misere else learned()
    set_weights(record, weights)
    return board
