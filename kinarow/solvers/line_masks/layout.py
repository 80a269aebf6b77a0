"""The memory layout of a game and of a search for the line-mask kernel, and the kernel's switches."""

import numpy as np

from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE, fields_of_type

MAX_LINES = 832  # exact goal 1 on 64 cells in layers: a line in each of 13 directions at every cell
MAX_MEMBERS = 6400  # at most four lines for each cell and 25 cells of a line; layers have shorter lines

# Switches for tests: each turns off one shortcut of ``negamax``.
OFF_FORCED = 1
OFF_DISTANCE = 2
OFF_ALIVE = 4
OFF_TABLE = 8
OFF_SYMMETRY = 16
OFF_UPRIGHT = 32
ALL_SWITCHES = 63

GAME_DTYPE = np.dtype(
    [
        *fields_of_type("goal cells gravity misere exact_goal shared off lines"),
        *fields_of_type("stacks full floor", np.uint64),
        *fields_of_type("line flank", np.uint64, MAX_LINES),
        ("upright", np.int64, (MAX_LINES,)),
        ("member_start", np.int32, (MAX_CELLS + 1,)),
        ("member", np.int16, (MAX_MEMBERS,)),
        ("order", np.int64, (MAX_CELLS,)),
        ("images", IMAGES_DTYPE),
    ],
    align=True,
)
STATE_DTYPE = np.dtype(
    [*fields_of_type("generation root_move"), *fields_of_type("score", np.int64, MAX_CELLS + 1, MAX_CELLS)], align=True
)
