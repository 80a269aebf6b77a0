"""The layout of the records of a Maker-Breaker game and of its search, and the kernel's switches."""

import numpy as np

from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE

MAX_LINES = 256
MAX_PLIES = MAX_CELLS + 2

# Switches: each turns one shortcut off, so that tests can compare (see ``maker_wins``).
OFF_PAIRING = 1
OFF_ZONE = 2
OFF_SYMMETRY = 4
OFF_DOMINATION = 8
OFF_STATIC_CHECK = 16
OFF_SPLIT = 32
ALL_SWITCHES = 63

GAME_DTYPE = np.dtype(
    [
        ("off", np.int64),
        ("lines", np.int64),
        ("line", np.uint64, (MAX_LINES,)),
        ("images", IMAGES_DTYPE),
        ("cells", np.int64),
    ],
    align=True,
)
STATE_DTYPE = np.dtype(
    [
        ("generation", np.int64),
        ("root_move", np.int64),
        ("count", np.int64, (MAX_PLIES,)),
        ("left", np.uint64, (MAX_PLIES, MAX_LINES)),
        ("index", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("zone", np.uint64, (MAX_PLIES,)),
        ("weight", np.int64, (MAX_PLIES, MAX_CELLS)),
        ("winning_move", np.uint64),
        ("symmetry", np.int64),
        ("key", np.uint64, (2,)),
        ("through", np.uint64, (MAX_CELLS,)),
        ("some_line", np.int64, (MAX_CELLS,)),
        ("dominator", np.int64, (MAX_PLIES, MAX_CELLS)),
        # The state of one search for a pairing.
        ("want", np.uint64, (MAX_LINES,)),
        ("owner", np.int64, (MAX_CELLS,)),
        ("queue", np.int64, (MAX_LINES,)),
        ("via", np.int64, (MAX_LINES,)),
        ("before", np.int64, (MAX_LINES,)),
        ("queued", np.int64),
        ("first", np.int64, (MAX_LINES,)),
        ("last", np.int64, (MAX_LINES,)),
        ("has", np.int64, (MAX_LINES,)),
        ("stuck", np.int64, (MAX_LINES,)),
        ("free", np.uint64),
        ("kept_owner", np.int64, (MAX_CELLS,)),
        ("kept_has", np.int64, (MAX_LINES,)),
        ("kept_stuck", np.int64, (MAX_LINES,)),
        ("paired", np.uint64),
    ],
    align=True,
)
