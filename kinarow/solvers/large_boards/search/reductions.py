"""The table of late move reductions."""

import math

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.search.layout import DEPTH_UNIT, REDUCTION_SIZE


def table_of_reductions(scales: list[int]) -> NDArray[np.int16]:
    """The reduction of the first search of a late quiet move, by scale, depth in plies and number of the move.

    It is scale / 256 * ln(depth) * ln(number) plies, in units of 1 / ``DEPTH_UNIT`` ply.
    """
    table = np.zeros((len(scales), REDUCTION_SIZE, REDUCTION_SIZE), np.int16)
    for kind, scale in enumerate(scales):
        for depth in range(1, REDUCTION_SIZE):
            for number in range(1, REDUCTION_SIZE):
                plies = scale / 256 * math.log(depth) * math.log(number)
                table[kind, depth, number] = int(DEPTH_UNIT * plies)
    return table
