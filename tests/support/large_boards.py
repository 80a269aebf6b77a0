"""Boards of the solver for large boards: rules of every kind, and the state of a board to compare."""

import numpy as np

from kinarow.game.size import MAX_CELLS
from kinarow.solvers.large_boards.network.kernel_sums import bring_sums_up_to_date

STATE_RULES = [
    (15, 15, 5, False, False, False),
    (15, 15, 5, False, False, True),
    (9, 11, 6, False, False, False),
    (8, 9, 4, True, False, False),
    (12, 10, 9, False, False, True),
    (9, 9, 7, False, False, True),
    (25, 25, 25, False, False, False),
    (3, 5, 4, False, True, False),
    (6, 6, 1, False, False, False),
    (6, 6, 2, False, False, True),
]


def snapshot(board):
    """All that marks shape, of the cells that are empty."""
    record = board[0]
    bring_sums_up_to_date(record)
    empty = [cell for cell in range(record.cells) if record.mark[cell] == 0]
    whole = ("count", "mask", "near_mask", "open_mask", "stones", "key", "empty", "code")
    state = {name: np.array(record[name]).tolist() for name in whole}
    marks = record.cells - record.empty
    state["point_sums"] = record.point_sums[marks].tolist()
    for name in ("sums", "pools"):
        state[name] = record[name].reshape(MAX_CELLS + 1, -1)[marks].tolist()
    for name in ("quads", "cell_pattern"):
        state[name] = record[name][empty].tolist()
    return state
