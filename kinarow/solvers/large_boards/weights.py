"""The points of a cell by the patterns of its four directions: for the estimate, and for the order of moves.

With gravity and in misère they are sums of the hand-set points of the patterns (``tunables``). Other boards use those
of ``weights.npz``, which ``training.fit`` has learned from the engine's own searches. As patterns are named by the
marks that are missing to a line, the same points serve every goal and size.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.kernel_board import DIRECTIONS, QUADS, THREATS
from kinarow.solvers.large_boards.kernel_patterns import NONE, cell_pattern_of

PATTERNS = 16
LEARNED = Path(__file__).with_name("weights.npz")

_BITS = 4


class Weights(NamedTuple):
    """Points by the number of a cell's four patterns (``quad`` of ``kernel_board``), and by the threats on the board.

    Attributes:
        points: of the estimate, (65536,).
        threats: of the estimate, (2048,): by the kinds of threatening cells (``kernel_board.threats``).
        order: of the order of moves, (2, 65536): by the patterns for the mover, and for the other side.
    """

    points: NDArray[np.int16]
    threats: NDArray[np.int16]
    order: NDArray[np.int16]


@cache
def patterns_of_quads() -> NDArray[np.int64]:
    """The four patterns of each quad, (65536, 4)."""
    quads = np.arange(QUADS)[:, None] >> (2 * np.arange(DIRECTIONS))
    return quads & 3 | quads >> 6 & 12


@cache
def tuples_of_quads() -> NDArray[np.int64]:
    """The number of the unordered tuple of patterns of each quad, (65536,); tuples are numbered in ascending order."""
    ascending = np.sort(patterns_of_quads(), axis=1) << (_BITS * np.arange(DIRECTIONS)[::-1])
    return np.unique(ascending.sum(axis=1), return_inverse=True)[1]


@cache
def alive_of_quads() -> NDArray[np.int64]:
    """How many patterns of each quad are not NONE, (65536,)."""
    return (patterns_of_quads() != NONE).sum(axis=1)


@cache
def cell_patterns_of_quads(unit: tuple[int, ...], flag: int = 0) -> NDArray[np.int64]:
    """The cell pattern of each quad, (65536,), given what each pattern adds to the tally of a cell.

    Args:
        flag: what the tally begins with: in Renju that of the side that began is ``BEGINNER_FLAG``.
    """
    tallies = flag + np.array(unit)[patterns_of_quads()].sum(axis=1)
    found, places = np.unique(tallies, return_inverse=True)
    return np.array([cell_pattern_of(int(tally)) for tally in found])[places]


def hand_set(tunables: np.recarray, unit: tuple[int, ...]) -> Weights:
    """Sums of the points of patterns, and bonuses for threats; the order adds points for the cell pattern."""
    points = tunables["pattern_points"][0][patterns_of_quads()].sum(axis=1)
    by_cell = tunables["cell_pattern_order"][0][:, cell_patterns_of_quads(unit)]
    defence = points * int(tunables["defence_share"][0]) // 16
    # The bonuses begin with open fours, the bits with builds, which have none.
    bonuses = np.zeros(tunables["threat_bonus"][0].shape, np.int64)
    bonuses[:, 1:] = tunables["threat_bonus"][0][:, :0:-1] * [[1], [-1]]
    bits = np.arange(THREATS)[:, None] >> np.arange(bonuses.size) & 1
    threats = int(tunables["move_bonus"][0]) + bits @ bonuses.ravel()
    order = np.stack([points, defence]) + by_cell
    return Weights(points.astype(np.int16), threats.astype(np.int16), order.astype(np.int16))


@cache
def learned(path: Path = LEARNED) -> Weights:
    """The weights of a file with ``points`` and ``order`` of each unordered tuple, and ``threats``."""
    with np.load(path) as data:
        tuples = tuples_of_quads()
        return Weights(data["points"][tuples], data["threats"], data["order"][:, tuples])
