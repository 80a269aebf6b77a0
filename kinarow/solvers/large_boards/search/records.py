"""Makes the records of a search on a large board: the board with its weights, the search, and the table."""

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.common.record import offset_of
from kinarow.solvers.large_boards.board.records import empty_board
from kinarow.solvers.large_boards.network.records import set_weights
from kinarow.solvers.large_boards.network.weights import Weights, hand_set, learned
from kinarow.solvers.large_boards.search.layout import SEARCH_DTYPE, TUNABLES_DTYPE
from kinarow.solvers.large_boards.search.reductions import table_of_reductions


def table_words(slots: int, cells: int) -> int:
    """The size of a table in 64-bit words; ``slots`` is a power of two, 2 or more."""
    return slots * (2 + 2 * ((cells + 63) // 64))


def new_table(slots: int, cells: int) -> NDArray[np.uint64]:
    """An empty table; the system provides its memory only as slots are written."""
    return np.zeros(table_words(slots, cells), np.uint64)


def new_search(tunables: np.recarray) -> np.recarray:
    """A search record with these tunables, as an array of one; ``begin`` makes it ready for a position."""
    search = np.zeros(1, SEARCH_DTYPE).view(np.recarray)
    for name in TUNABLES_DTYPE.names or ():
        search[name][0] = tunables[name][0]
    search["reduction"][0] = table_of_reductions(search["reduction_scale"][0].tolist())
    return search


def copy_settings(search: np.recarray) -> np.recarray:
    """A new search record with the tunables of another, and without its past.

    Copies only what ``new_search`` fills in: the rest is memory that nobody has touched yet.
    """
    copied = np.zeros(1, SEARCH_DTYPE)
    settings = slice(offset_of(SEARCH_DTYPE, "generation"))  # the fields before this one
    copied.view(np.uint8)[settings] = search.view(np.ndarray).view(np.uint8)[settings]
    return copied.view(np.recarray)


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
