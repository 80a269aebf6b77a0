"""The memory layout of a game and of a search for the kernels without gravity."""

import numpy as np

from kinarow.solvers.common.capacity import FREE_PLACEMENT_LINES as MAX_LINES
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE, fields_of_type

MAX_PLIES = MAX_CELLS + 4

GAME_DTYPE = np.dtype(
    [
        *fields_of_type("goal cells misere exact_goal off lines decisive"),
        ("full", np.uint64),
        *fields_of_type("line flank", np.uint64, MAX_LINES),
        ("order", np.int64, (MAX_CELLS,)),
        ("images", IMAGES_DTYPE),
    ],
    align=True,
)
STATE_DTYPE = np.dtype(
    [
        *fields_of_type("generation root_move"),
        ("alive_count", np.int64, (MAX_PLIES,)),
        ("alive", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("score", np.int64, (MAX_PLIES, MAX_CELLS)),
        # The state of the current node.
        ("completing", np.uint64, (2,)),
        ("potential", np.int64, (2,)),
        *fields_of_type("fork forced", np.uint64),
        ("pairs", np.int64),
        ("pair", np.uint64, (MAX_LINES,)),
    ],
    align=True,
)
