"""Sizes of the kernels' records, for Python code that must not load kernels."""

WORD_BITS = 64  # Bits of a bitboard, so also the most cells
MAX_COLUMNS = 32  # The most columns of a bitboard
MAX_SYMMETRIES = 256  # The most symmetries that a game record holds: the torus of 5 × 5 has 200

PROOF_ENTRY_WORDS = 4
PROOF_BUCKET_WORDS = 2 * PROOF_ENTRY_WORDS
"""Words of 8 bytes of an entry and of a bucket of a proof table."""
BUCKET_BYTES = 8 * PROOF_BUCKET_WORDS

FREE_PLACEMENT_LINES = 256
"""The most lines of a board in ``free_placement``: exact goal 1 has one in each of four directions at every cell."""

ENDLESS_NODES = 10**12  # A search with at least this node limit may take hours, so its table may be larger

ANY_MOVE = (1 << WORD_BITS) - 1  # As a set of candidate moves: all

NO_MOVES, BEST_MOVES, ALL_MOVES = range(3)
"""Which moves get a value in a bulk call: none, those that are as good as the best, or all."""

NO_VALUE = -128  # In place of a value that is unknown or was not asked for, and for illegal moves


def table_words(buckets_log2: int) -> int:
    """Return the size, in 64-bit words, of a proof table with ``2 ** buckets_log2`` buckets."""
    return ((1 << buckets_log2) + 1) * PROOF_BUCKET_WORDS


def has_bitboard(rows: int, columns: int) -> bool:
    """Return True if a plain board of this size fits ``kernel_bitboard``."""
    by_columns = (rows + 1) * columns <= WORD_BITS
    by_rows = (columns + 1) * rows <= WORD_BITS
    return (by_columns or by_rows) and columns <= MAX_COLUMNS
