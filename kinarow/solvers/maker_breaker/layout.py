"""The layout of the records of a Maker-Breaker game and of its search, and the kernel's switches."""

import numpy as np

from kinarow.solvers.common.capacity import WORD_BITS as MAX_CELLS
from kinarow.solvers.common.layout import IMAGES_DTYPE, alike

MAX_LINES = 256
MAX_PLIES = MAX_CELLS + 2

# Switches: each turns one shortcut off, so that tests can compare (see ``maker_wins``).
OFF_PAIRING = 1
OFF_ZONE = 2
OFF_SYMMETRY = 4
OFF_STATIC_CHECK = 8
OFF_SPLIT = 16
ALL_SWITCHES = 31

GAME_DTYPE = np.dtype(
    [*alike("off lines cells"), ("line", np.uint64, (MAX_LINES,)), ("images", IMAGES_DTYPE)], align=True
)
STATE_DTYPE = np.dtype(
    [
        *alike("generation root_move symmetry"),
        ("winning_move", np.uint64),
        ("key", np.uint64, (2,)),
        ("count", np.int64, (MAX_PLIES,)),
        ("left", np.uint64, (MAX_PLIES, MAX_LINES)),
        ("index", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("zone", np.uint64, (MAX_PLIES,)),
        ("weight", np.int64, (MAX_PLIES, MAX_CELLS)),
        # The state of one search for a pairing.
        *alike("free paired", np.uint64),
        ("queued", np.int64),
        *alike("owner kept_owner", np.int64, MAX_CELLS),
        ("want", np.uint64, (MAX_LINES,)),
        *alike("queue via before first last has stuck kept_has kept_stuck", np.int64, MAX_LINES),
    ],
    align=True,
)
