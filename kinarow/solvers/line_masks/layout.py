"""The layout of the records of a game and of a search for the kernel for any lines, and the kernel's switches."""

import numpy as np

from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE

MAX_LINES = 832  # exact goal 1 on 64 cells in layers: a line in each of 13 directions at every cell
MAX_MEMBERS = 6400  # at most four lines for each cell and 25 cells of a line; layers have shorter lines

# Switches: each turns one shortcut off, so that tests can compare (see ``negamax``).
OFF_FORCED = 1
OFF_DISTANCE = 2
OFF_ALIVE = 4
OFF_TABLE = 8
OFF_SYMMETRY = 16
OFF_UPRIGHT = 32
OFF_MIRROR = 64
ALL_SWITCHES = 127

GAME_DTYPE = np.dtype(
    [
        ("goal", np.int64),
        ("cells", np.int64),
        ("gravity", np.int64),
        ("misere", np.int64),
        ("exact_goal", np.int64),
        ("shared", np.int64),
        ("off", np.int64),
        ("stacks", np.uint64),
        ("full", np.uint64),
        ("floor", np.uint64),
        ("first_stack", np.uint64),
        ("lines", np.int64),
        ("line", np.uint64, (MAX_LINES,)),
        ("flank", np.uint64, (MAX_LINES,)),
        ("upright", np.int64, (MAX_LINES,)),
        ("member_start", np.int32, (MAX_CELLS + 1,)),
        ("member", np.int16, (MAX_MEMBERS,)),
        ("order", np.int64, (MAX_CELLS,)),
        ("images", IMAGES_DTYPE),
        ("twins", np.int64),
        ("twin", np.int64, (MAX_CELLS,)),
    ],
    align=True,
)
STATE_DTYPE = np.dtype(
    [("generation", np.int64), ("root_move", np.int64), ("score", np.int64, (MAX_CELLS + 1, MAX_CELLS))], align=True
)
