"""The quads of cells: the direction patterns that each stands for, and the cell pattern that they add up to."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.library import Library
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, QUADS

kernels = Library("large_boards")

PATTERNS = 16  # Direction patterns


@cache
def patterns_of_quads() -> NDArray[np.int64]:
    """The four patterns of each quad, (65536, 4)."""
    quads = np.arange(QUADS)[:, None] >> (2 * np.arange(DIRECTIONS))
    return quads & 3 | quads >> 6 & 12


@cache
def cell_patterns_of_quads(unit: tuple[int, ...], flag: int = 0) -> NDArray[np.int64]:
    """The cell pattern of each quad, (65536,), given what each pattern adds to the tally of a cell.

    Args:
        flag: what the tally begins with: in Renju that of the side that began is ``BEGINNER_FLAG``.
    """
    tallies = flag + np.array(unit)[patterns_of_quads()].sum(axis=1)
    kinds, places = np.unique(tallies, return_inverse=True)
    return np.array([kernels.cell_pattern_of(int(tally)) for tally in kinds])[places]


def quads_of(game: np.record, state: np.record) -> NDArray[np.int64]:
    """The quad of each cell for each side, (cells, 2); marked cells keep those that they had before."""
    quads: NDArray[np.int64] = state["quads"][: int(game["cells"]), None].astype(np.int64) >> [0, 16] & 0xFFFF
    return quads
