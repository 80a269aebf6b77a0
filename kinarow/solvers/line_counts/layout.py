"""The memory layout of the line-count kernel and its table entries, and its scale of values."""

import numpy as np

from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.solvers.common.layout import fields_of_type

MAX_LINES = 13 * MAX_CELLS  # exact goal 1 in layers: a line in each of 13 directions at every cell
MAX_GOAL = MAX_SIDE
MAX_MEMBERS = 60_000  # the cells of all lines together, most on a torus of 25 x 25 with goal 24
MAX_FLANKS = 2 * MAX_LINES
MAX_WORDS = (MAX_CELLS + 63) // 64

WIN = 1 << 60
DECISIVE = WIN - 1000  # |value| >= DECISIVE: a proven win or loss

INFINITY = WIN + 1

# A table entry: the whole position (own marks, then the other side's), a word of facts, and the value.
FACTS = 0  # offsets from the end of the position
VALUE = 1
EXTRA_WORDS = 2

GAME_DTYPE = np.dtype(
    [
        *fields_of_type("rise cells goal gravity misere exact_goal caro off words lines"),
        ("order", np.int16, (MAX_CELLS,)),
        ("member_start", np.int32, (MAX_CELLS + 1,)),
        ("member", np.int16, (MAX_MEMBERS,)),
        ("flank_start", np.int32, (MAX_CELLS + 1,)),
        ("flank", np.int16, (MAX_FLANKS,)),
        ("weight", np.int64, (MAX_GOAL + 2,)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
    ],
    align=True,
)
STATE_DTYPE = np.dtype(
    [
        *fields_of_type("hash generation table_mask", np.uint64),
        *fields_of_type("marks estimate unproven_count best value"),
        ("alive", np.int64, (2,)),
        ("board", np.int8, (MAX_CELLS + 1,)),
        *fields_of_type("have dead flanked", np.int8, 2, MAX_LINES),
        ("words", np.uint64, (2, MAX_WORDS)),
        ("history", np.int64, (2, MAX_CELLS)),
        ("moves", np.int16, (MAX_CELLS + 1, MAX_CELLS)),
        ("move_scores", np.int64, (MAX_CELLS + 1, MAX_CELLS)),
    ],
    align=True,
)

EMPTY_CELL = -1
NO_MARK, BLOCKED_MARK = 0, 3  # In ``Position.cells``
NOBODY = 2  # The owner of blocked cells on the state's board
