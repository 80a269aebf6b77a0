"""The quads of cells: the direction patterns that each stands for, the cell pattern that they add up to, its tuple."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, QUADS
from kinarow.solvers.large_boards.board.records import new_rules


@cache
def patterns_of_quads() -> NDArray[np.int64]:
    """The four patterns of each quad, (65536, 4)."""
    quads = np.arange(QUADS)[:, None] >> (2 * np.arange(DIRECTIONS))
    return quads & 3 | quads >> 6 & 12


@cache
def cell_patterns_of_quads() -> NDArray[np.uint8]:
    """The cell pattern of each quad, (65536,)."""
    found: NDArray[np.uint8] = new_rules(Rules(5, 5, 5), -1)["cell_pattern_of_quad"][0, 0]
    return found


@cache
def tuples_of_quads() -> NDArray[np.uint16]:
    """The number of the unordered tuple of patterns of each quad, (65536,); tuples are numbered in ascending order."""
    found: NDArray[np.uint16] = new_rules(Rules(5, 5, 5), -1)["tuple_of_quad"][0]
    return found


def quads_of(game: np.record, state: np.record) -> NDArray[np.int64]:
    """The quad of each cell for each side, (cells, 2); marked cells keep those that they had before."""
    quads: NDArray[np.int64] = state["quads"][: int(game["cells"]), None].astype(np.int64) >> [0, 16] & 0xFFFF
    return quads
