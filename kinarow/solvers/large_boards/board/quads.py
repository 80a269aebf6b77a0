"""The quads of cells: the direction patterns that each stands for, and the cell pattern that they add up to."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.layout import DIRECTIONS, QUADS
from kinarow.solvers.large_boards.board.patterns import (
    BUILD_CELL,
    DOUBLE_THREE_CELL,
    FIVE,
    FIVE_CELL,
    FORBIDDEN_CELL,
    FOUR,
    FOUR_CELL,
    FOUR_THREE_CELL,
    LINE_FOURS,
    OPEN_FOUR,
    OPEN_FOUR_CELL,
    OPEN_THREE,
    OPEN_THREE_2,
    OPEN_TWO,
    OPEN_TWO_2,
    OPEN_TWO_3,
    OVERLINE,
    THREE,
    THREE_CELL,
    THREES_CELL,
)

PATTERNS = 16  # Direction patterns


@cache
def patterns_of_quads() -> NDArray[np.int64]:
    """The four patterns of each quad, (65536, 4)."""
    quads = np.arange(QUADS)[:, None] >> (2 * np.arange(DIRECTIONS))
    return quads & 3 | quads >> 6 & 12


@cache
def cell_patterns_of_quads(beginner: bool = False) -> NDArray[np.int64]:
    """The cell pattern of each quad, (65536,), for either side, or for the side that began in Renju."""

    def count(*kinds: int) -> NDArray[np.int64]:
        return np.isin(patterns_of_quads(), kinds).sum(axis=1)

    fours, threes = count(FOUR, OPEN_FOUR), count(OPEN_THREE, OPEN_THREE_2)
    cases = [(count(FIVE) > 0, FIVE_CELL)]
    if beginner:
        cases.append(((count(OVERLINE, LINE_FOURS) > 0) | (fours > 1), FORBIDDEN_CELL))
        cases.append((threes > 1, DOUBLE_THREE_CELL))
    cases += [
        ((count(OPEN_FOUR) > 0) | (fours > 1), OPEN_FOUR_CELL),
        ((fours > 0) & (threes > 0), FOUR_THREE_CELL),
        (fours > 0, FOUR_CELL),
        (threes > 1, THREES_CELL),
        (threes > 0, THREE_CELL),
        (count(THREE, OPEN_TWO, OPEN_TWO_2, OPEN_TWO_3) > 1, BUILD_CELL),
    ]
    conditions, patterns = zip(*cases, strict=True)
    return np.select(conditions, patterns)


def quads_of(game: np.record, state: np.record) -> NDArray[np.int64]:
    """The quad of each cell for each side, (cells, 2); marked cells keep those that they had before."""
    quads: NDArray[np.int64] = state["quads"][: int(game["cells"]), None].astype(np.int64) >> [0, 16] & 0xFFFF
    return quads
