"""The layout of the records of a game and of a search for the kernels without gravity."""

import numpy as np

from kinarow.solvers.common.capacity import FREE_PLACEMENT_LINES as MAX_LINES
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE

MAX_PLIES = MAX_CELLS + 4

GAME_DTYPE = np.dtype(
    [
        ("goal", np.int64),
        ("cells", np.int64),
        ("misere", np.int64),
        ("exact_goal", np.int64),
        ("off", np.int64),
        ("full", np.uint64),
        ("lines", np.int64),
        ("line", np.uint64, (MAX_LINES,)),
        ("flank", np.uint64, (MAX_LINES,)),
        ("order", np.int64, (MAX_CELLS,)),
        ("images", IMAGES_DTYPE),
        ("decisive", np.int64),
    ],
    align=True,
)
STATE_DTYPE = np.dtype(
    [
        # Bounds on the value that are known beforehand, set before each search (see ``find_value``).
        ("least", np.int64),
        ("most", np.int64),
        ("generation", np.int64),
        ("root_move", np.int64),
        ("alive_count", np.int64, (MAX_PLIES,)),
        ("alive", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("score", np.int64, (MAX_PLIES, MAX_CELLS)),
        # The state of the current node.
        ("completing", np.uint64, (2,)),
        ("potential", np.int64, (2,)),
        ("fork", np.uint64),
        ("forced", np.uint64),
        ("pairs", np.int64),
        ("pair", np.uint64, (MAX_LINES,)),
    ],
    align=True,
)
