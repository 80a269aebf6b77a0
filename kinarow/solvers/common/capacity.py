"""Sizes of the kernels' records, for Python that must not load kernels."""

WORD_BITS = 64  # Bits of a bitboard, and so the most cells of a board whose cells are bits
MAX_COLUMNS = 32  # Columns that the record of a bitboard lists
MAX_SYMMETRIES = 256  # Symmetries that a record holds of a board of any shape: the torus of 5 × 5 has 200

PROOF_ENTRY_WORDS = 4
PROOF_BUCKET_WORDS = 2 * PROOF_ENTRY_WORDS
"""Words of 8 bytes of an entry and of a bucket of a proof table."""
BUCKET_BYTES = 8 * PROOF_BUCKET_WORDS

FREE_PLACEMENT_LINES = 256
"""Lines of a board for the solver without gravity: with an exact goal, goal 1 has one in each of four directions at
every cell."""

ENDLESS_NODES = 10**12  # A search with at least this node limit may take hours; its table may be larger

ANY_MOVE = (1 << WORD_BITS) - 1  # Nothing is known of which moves are best: each bit is a candidate

NO_MOVES, BEST_MOVES, ALL_MOVES = range(3)
"""How many moves get a value in a bulk call: none, those that are as good as the best, or all."""

NO_VALUE = -128  # In place of the value of a position or move that is not legal, was not wanted or has not been found


def table_words(buckets_log2: int) -> int:
    """Size in 64-bit words of a proof table of ``2 ** buckets_log2`` buckets of 64 bytes."""
    return ((1 << buckets_log2) + 1) * PROOF_BUCKET_WORDS


def has_bitboard(rows: int, columns: int) -> bool:
    """Return True if a board of this size has a layout in 64 bits, and no more columns than a record lists."""
    by_columns = (rows + 1) * columns <= WORD_BITS
    by_rows = (columns + 1) * rows <= WORD_BITS
    return (by_columns or by_rows) and columns <= MAX_COLUMNS
