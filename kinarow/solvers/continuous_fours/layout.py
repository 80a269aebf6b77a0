"""The layout of the search for continuous fours and of its table."""

import numpy as np

MAX_ATTACKS = 64  # the most marks of the attacker in one win
MAX_PAIRS = 1024  # the most moves with their replies that a node looks at

SEARCH_DTYPE = np.dtype(
    [
        ("generation", np.uint64),
        # Whether a search was cut short by its plies, so that a longer one may find more.
        ("cut", np.int64),
        ("root_move", np.int64),
        ("move", np.int16, (MAX_ATTACKS, MAX_PAIRS)),
        ("reply", np.int16, (MAX_ATTACKS, MAX_PAIRS)),
    ],
    align=True,
)

# A table entry: the hash of the position, and generation (32) | plies of the failure (32).
ENTRY_WORDS = 2
