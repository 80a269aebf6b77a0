"""The layout of the record of a board for the search for short wins, and of its table."""

import numpy as np

from kinarow.game.size import MAX_CELLS
from kinarow.solvers.common.capacity import PLAIN_SYMMETRIES
from kinarow.solvers.common.capacity import SHORT_WINS_GOAL as MAX_GOAL

MAX_LINES = 2400
MAX_THROUGH = 4 * MAX_GOAL
MAX_WIN_PLIES = 11  # the longest question: six marks a side fit a word of the key
MAX_PLIES = 2 * MAX_WIN_PLIES + 4  # each ply may be followed by a pass
ZONE_WORDS = (MAX_CELLS + 63) // 64

EMPTY = -1

# An entry: two words of key, one of facts (least n yes, largest n no, generation), then the zone.
ENTRY_WORDS = 16

BOARD_DTYPE = np.dtype(
    [
        ("cells", np.int64),
        ("goal", np.int64),
        ("lines", np.int64),
        ("off", np.int64),
        ("line", np.int16, (MAX_LINES, MAX_GOAL)),
        ("through", np.int16, (MAX_CELLS, MAX_THROUGH)),
        ("through_count", np.int16, (MAX_CELLS,)),
        ("order", np.int16, (MAX_CELLS,)),
        ("symmetries", np.int64),
        ("image", np.int16, (PLAIN_SYMMETRIES, MAX_CELLS)),
        ("inverse", np.int64, (PLAIN_SYMMETRIES,)),
        # From here on: the state of one search.
        ("generation", np.int64),
        ("root_move", np.int64),
        ("mark", np.int8, (MAX_CELLS,)),
        ("count", np.int8, (2, MAX_LINES)),
        ("touched", np.int64, (2,)),
        ("stack", np.int16, (2, MAX_LINES)),
        ("added", np.int64, (2,)),
        ("marked", np.int16, (2, MAX_PLIES)),
        ("score", np.int64, (MAX_CELLS,)),
        ("candidates", np.int64, (MAX_PLIES,)),
        ("candidate", np.int16, (MAX_PLIES, MAX_CELLS)),
        ("zone", np.uint64, (MAX_PLIES, ZONE_WORDS)),
        ("union", np.uint64, (MAX_PLIES, ZONE_WORDS)),
        ("completing", np.int64, (2, 2)),
        ("pairs", np.int64),
        ("pair", np.int16, (MAX_LINES, 2)),
        ("fork", np.int64, (3,)),
        ("forced", np.int64),
        ("potential", np.int64),
        ("key", np.uint64, (2,)),
        ("sorted", np.int64, (MAX_PLIES,)),
    ],
    align=True,
)
