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
# Behind the buckets of a table that threads share: an array by number of marks and thread, with the key of the position
# that the thread searches, or 0. Its last row has the number of marks + 1 of a position decided by another, or 0.
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
"""Scratch memory of one thread's search. ``begun``: the generation of the latest search, 0 before the first.
``bucket_mask`` (at most ``last_mask``): buckets in use less one; ``filled``: their entries; ``used``: the largest mask
since the table was cleared. ``shared``: 1 if all positions of a bulk call use one table. ``root_move``: the move that
decided the latest search, as a bitboard. ``thread``: this thread's number of ``threads``. Threads publish positions
with at least ``watched`` empty cells; ``target``: the number of marks at which an interrupted search goes on. By number
of marks on the board, ``move``: the listed moves; ``threat``: the cells on which each would threaten a line;
``weight``: their order, falling."""
