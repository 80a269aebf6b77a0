"""The memory layout of a Maker-Breaker game and of its search, and the kernel's switches."""

import numpy as np

from kinarow.game.board_record import MAX_LINES as MOST_LINES
from kinarow.game.size import MAX_CELLS as BOARD_CELLS
from kinarow.game.size import MAX_SIDE
from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE, fields_of_type

MAX_LINES = 256
MAX_MEMBERS = 60_000  # The cells of all lines together, most on a torus of 25 x 25 with goal 24
MAX_GROUPS = 2400  # Lines of a plain board with goal 2 or more
TILING_SIDE = 8
TILING_GOAL = TILING_SIDE + 1  # The smallest goal that the tiling of ``kernel_draw`` draws
MAX_PLIES = MAX_CELLS + 2

# Switches for tests: each turns off one shortcut of ``maker_wins``.
OFF_PAIRING = 1
OFF_ZONE = 2
OFF_SYMMETRY = 4
OFF_STATIC_CHECK = 8
OFF_SPLIT = 16
ALL_SWITCHES = 31

# The lines of a whole board; those of one row, column or diagonal follow each other.
LINES_DTYPE = np.dtype(
    [
        *fields_of_type("columns cells goal misere exact_goal lines"),
        ("order", np.int16, (BOARD_CELLS,)),
        ("cell", np.int16, (MAX_MEMBERS,)),
        ("flank", np.int16, (MOST_LINES, 2)),
        ("direction", np.int8, (MOST_LINES,)),
    ],
    align=True,
)
GAME_DTYPE = np.dtype(
    [*fields_of_type("off lines cells"), ("line", np.uint64, (MAX_LINES,)), ("images", IMAGES_DTYPE)], align=True
)
STATE_DTYPE = np.dtype(
    [
        *fields_of_type("generation root_move symmetry"),
        ("winning_move", np.uint64),
        ("key", np.uint64, (2,)),
        ("count", np.int64, (MAX_PLIES,)),
        ("left", np.uint64, (MAX_PLIES, MAX_LINES)),
        ("index", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("zone", np.uint64, (MAX_PLIES,)),
        ("weight", np.int64, (MAX_PLIES, MAX_CELLS)),
        # The state of one search for a pairing.
        *fields_of_type("free paired", np.uint64),
        ("queued", np.int64),
        *fields_of_type("owner kept_owner", np.int64, MAX_CELLS),
        ("want", np.uint64, (MAX_LINES,)),
        *fields_of_type("queue via before first last has stuck kept_has kept_stuck", np.int64, MAX_LINES),
    ],
    align=True,
)
PAIRS_DTYPE = np.dtype(
    [
        *fields_of_type("stamp groups queued"),
        ("marks", np.int8, (BOARD_CELLS,)),
        ("paired", np.int8, (BOARD_CELLS,)),
        *fields_of_type("owner seen weight", np.int64, BOARD_CELLS),
        ("length", np.int64, (MAX_GROUPS,)),
        ("want", np.int16, (MAX_GROUPS, MAX_SIDE)),
        *fields_of_type("queue via before", np.int64, BOARD_CELLS + 1),
    ],
    align=True,
)
