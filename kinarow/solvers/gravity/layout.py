"""The layout of the gravity kernel's working memory and table."""

import numpy as np

from kinarow.solvers.common.capacity import MAX_COLUMNS, WORD_BITS

MAX_PLIES = WORD_BITS + 2

# A table consists of buckets of four entries of two words, one cache line of 64 bytes. The first word is the key xor a
# mix of the second, the facts.
ENTRY_WORDS = 2
BUCKET_WORDS = 8
# The facts word, lowest bits first: generation, lower and upper bound (+64), best move (63: none), base-4 logarithm
# of the node count, a hash of the key xor the full columns (layout by rows only, where the key does not show them).
LAST_GENERATION = 511
# Behind the buckets of a table for threads: by number of marks and thread the key of the position that the thread
# searches, or 0. In the last row is the number of marks, plus one, of one that another thread has decided, or 0.
MOST_THREADS = 32
PATHS_WORDS = MAX_PLIES * MOST_THREADS

STATE_DTYPE = np.dtype(
    [
        ("generation", np.uint64),
        ("begun", np.uint64),
        ("bucket_mask", np.uint64),
        ("last_mask", np.uint64),
        ("used", np.uint64),
        ("shared", np.int64),
        ("filled", np.int64),
        ("symmetric", np.int64),
        ("root_move", np.uint64),
        ("thread", np.int64),
        ("threads", np.int64),
        ("watched", np.int64),
        ("target", np.int64),
        ("move", np.uint64, (MAX_PLIES, MAX_COLUMNS)),
        ("threat", np.uint64, (MAX_PLIES, MAX_COLUMNS)),
        ("weight", np.int64, (MAX_PLIES, MAX_COLUMNS)),
    ],
    align=True,
)
"""The working memory of one search, or of several that share a table. ``begun``: the latest generation of which a
search has begun, 0 before the first. ``bucket_mask`` (at most ``last_mask``) tells the part of the table in use, and
``filled`` counts its entries. ``used``: the largest part in use since the table was cleared. ``shared``: whether all
positions of bulk calls share the table. ``root_move``: the move that decided the latest search. ``thread`` is the
number of this thread among ``threads``. They tell each other what they search at positions with at least ``watched``
empty cells, and ``target`` is the number of marks at which this one goes on. ``move``, ``threat`` and ``weight``: the
listed moves, the cells on which each makes the mover threaten a line, and their order, by the number of marks on the
board."""
