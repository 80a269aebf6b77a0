"""The layout of the gravity kernel's working memory and table."""

import numpy as np

from kinarow.solvers.common.capacity import MAX_COLUMNS, WORD_BITS

MAX_PLIES = WORD_BITS + 2

# A table consists of buckets of four entries of two words, key and facts: one cache line of 64 bytes. In a table that
# threads share the first word is the key xor a mix of the facts.
ENTRY_WORDS = 2
BUCKET_WORDS = 8
# The facts word, lowest bits first: generation, lower and upper bound (+64), best move (63: none), base-4 logarithm
# of the node count, full columns (layout by rows only, where the key does not show them).
LAST_GENERATION = 511

STATE_DTYPE = np.dtype(
    [
        ("generation", np.uint64),
        ("begun", np.uint64),
        ("bucket_mask", np.uint64),
        ("last_mask", np.uint64),
        ("filled", np.int64),
        ("symmetric", np.int64),
        ("root_move", np.uint64),
        ("jitter", np.uint64),
        ("shared", np.int64),
        ("move", np.uint64, (MAX_PLIES, MAX_COLUMNS)),
        ("threat", np.uint64, (MAX_PLIES, MAX_COLUMNS)),
        ("weight", np.int64, (MAX_PLIES, MAX_COLUMNS)),
    ],
    align=True,
)
"""The working memory of one search, or of several that share a table. ``begun``: the latest generation of which a
search has begun, 0 before the first. ``bucket_mask`` (at most ``last_mask``) tells the part of the table in use, and
``filled`` counts its entries. ``root_move``: the move that decided the latest search. ``jitter``: changes the order of
moves a little, in a helper; otherwise 0. ``shared``: 1 where threads share the table. ``move``, ``threat`` and
``weight``: the listed moves, the cells on which each makes the mover threaten a line, and their order, by the number
of marks on the board."""
