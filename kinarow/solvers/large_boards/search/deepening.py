"""Iterative deepening on large boards as an iterator over its results."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.budget import Budget

kernels = Library("large_boards")

_FIELDS = ("depth", "value", "best", "proven", "exact")


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of an iteration; values are those of ``layout``."""

    depth: int  # plies of the main search completed
    value: int  # of best for the side to move
    best: int  # a legal cell
    line: tuple[int, ...]  # the principal variation, beginning with best
    proven: bool  # the outcome is certain
    exact: bool  # the distance is certain too


def iterative_deepening(
    board: np.recarray,
    search: np.recarray,
    budget: Budget,
    table: NDArray[np.uint64],
    max_depth: int,
    fixed_depth: bool = False,
    keep: bool = False,
) -> Iterator[Iteration]:
    """Deepen until a proof, the last depth or the end of the budget; the last iteration yielded is the answer.

    Args:
        board: a loaded board, the game not over; unchanged at the end.
        search, table: from ``new_search`` and ``new_table``, for this search alone.
        budget: what the search may spend.
        max_depth: 1 or more; depths beyond the empty cells are never searched.
        fixed_depth: search all moves to exactly the depth (see ``kernel_pvs``).
        keep: trust the entries of earlier searches with this record and table, which had the same rules.
    """
    board_pointer, search_pointer, table_pointer = Pointer(board), Pointer(search), Pointer(table)
    kernels.begin(board_pointer, search_pointer, table_pointer, fixed_depth, keep)
    while kernels.deepen(board_pointer, search_pointer, budget.pointer, table_pointer, max_depth):
        yield result(search)


def result(search: np.recarray) -> Iteration:
    """The latest result of a search."""
    record = search[0]
    line = tuple(record["found_line"][: record["found_length"]].tolist())
    depth, value, best, proven, exact = (int(record[f"found_{name}"]) for name in _FIELDS)
    return Iteration(depth, value, best, line, bool(proven), bool(exact))
