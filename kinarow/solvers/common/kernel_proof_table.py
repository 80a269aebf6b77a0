# mypy: ignore-errors
"""Proof table: the transposition table of searches that answer yes or no.

A query is a position of two disjoint bitboards, a side to move, and a number of plies: does a side reach its aim
within them? A yes within n plies holds for more plies and a no for fewer, so an entry has the least n with a yes and
the largest with a no. A search without a limit of plies always asks with the same number. Positions that are images of
each other under a symmetry may share an entry.

A table is a header of one bucket, whose first word counts searches, then buckets of two entries of 32 bytes:

    key | key | facts | zone        facts, lowest bits first:  least yes (8) | largest no (8) | node count log2 (8)
                                                               | unused (8) | generation (32)

The zone is the set of cells that the proof of the least yes depends on, or without a yes that of the first no. In a
bucket the first entry keeps the query that cost most nodes, the second is always replaced (TwoBig: Breuker, Uiterwijk
and van den Herik 1994). Entries of another generation count as empty, so no search clears the table. ``line_masks``
keeps bounds in such a table, in place of the least yes and the largest no.
"""

import numba
import numpy as np
from numba import boolean, int64, types, uint64, void

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.capacity import PROOF_BUCKET_WORDS as BUCKET_WORDS
from kinarow.solvers.common.capacity import PROOF_ENTRY_WORDS as ENTRY_WORDS
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index, mix
from kinarow.solvers.common.layout import IMAGES_DTYPE

FACTS = 2
_ZONE = 3
_NEVER = 255
_BYTE = np.uint64(255)
_NO_SHIFT = np.uint64(8)
_NODE_COUNT_LOG_SHIFT = np.uint64(16)
_GENERATION_SHIFT = np.uint64(32)
_LAST_GENERATION = np.uint64(0xFFFFFFFF)
_SALT = np.uint64(0x9E3779B97F4A7C15)

UNKNOWN = -1  # an answer that is neither yes (1) nor no (0)

IMAGES = numba.from_dtype(IMAGES_DTYPE)
TABLE = types.Array(uint64, 1, "C")


# ---------------------------------------------------------------- symmetry


@part(uint64(IMAGES, int64, uint64))
def mapped(images, symmetry, cells):
    """Return the image of ``cells`` under a symmetry."""
    image = ZERO
    while cells != ZERO:
        image |= ONE << uint64(images.image[symmetry, lowest_index(cells)])
        cells &= cells - ONE
    return image


@part(types.Tuple((int64, uint64, uint64))(IMAGES, uint64, uint64, int64, boolean))
def make_key(images, first, second, mover, shared):
    """Return a symmetry and the two words of the key of a position's image under it.

    With ``shared`` that is the least image, so that symmetric positions share a key; otherwise the position itself. The
    first word is complemented if ``mover`` is 1. The words of a position are disjoint, so positions with different
    movers differ, unless the second word is empty and the first has exactly 32 of 64 cells.
    """
    chosen = 0
    least_first = first
    least_second = second
    if shared:
        for symmetry in range(1, images.count):
            image_first = mapped(images, symmetry, first)
            if image_first > least_first:
                continue
            image_second = mapped(images, symmetry, second)
            if image_first < least_first or image_second < least_second:
                least_first = image_first
                least_second = image_second
                chosen = symmetry
    return chosen, ~least_first if mover == 1 else least_first, least_second


@part(boolean(IMAGES, uint64, uint64))
def can_mirror(images, mover, follower):
    """Return True if, in misere, the ``follower`` (not to move) can mirror the mover's moves to the end of the game.

    That needs a symmetry that is its own inverse and maps the mover's marks to the follower's; all cells that it leaves
    in place (fixed cells) must already be the follower's. The follower answers each move by its image and never
    completes a line: if it completed one off the fixed cells, the mover would have completed the line's image before. A
    line through a fixed cell contains a cell and its image (``images.mirror``), which are not both the follower's.
    Symmetries map flanks to flanks, so this holds with an exact goal; with gravity they keep heights, so the image of a
    playable cell is playable.
    """
    for symmetry in range(1, images.count):
        fixed = images.fixed[symmetry]
        if images.mirror[symmetry] != 0 and (follower & fixed) == fixed:
            # A quick test first: most symmetries fail with the first cell.
            if mover != ZERO and ((follower >> uint64(images.image[symmetry, lowest_index(mover)])) & ONE) == ZERO:
                continue
            if mapped(images, symmetry, mover) == (follower & ~fixed):
                return True
    return False


# ---------------------------------------------------------------- the table


@part(int64(TABLE))
def new_generation(table):
    """Begin a search for which the table counts as empty; return its generation."""
    if table[0] >= _LAST_GENERATION:
        table[:] = ZERO
    table[0] += ONE
    return int64(table[0])


@part(int64(TABLE, uint64, uint64))
def _bucket_of(table, key_first, key_second):
    buckets = uint64(table.size // BUCKET_WORDS - 1)
    hashed = mix(key_first + mix(key_second + _SALT)) & (buckets - ONE)
    return (int64(hashed) + 1) * BUCKET_WORDS


@part(int64(TABLE, int64, uint64, uint64))
def find(table, generation, key_first, key_second):
    """Return the index of the entry with this key and generation, or -1."""
    bucket = _bucket_of(table, key_first, key_second)
    for entry in range(bucket, bucket + BUCKET_WORDS, ENTRY_WORDS):
        if (
            table[entry] == key_first
            and table[entry + 1] == key_second
            and int64(table[entry + FACTS] >> _GENERATION_SHIFT) == generation
        ):
            return entry
    return -1


@inlined
def log_of(nodes):
    """Return the base-2 logarithm of a node count, rounded down."""
    log = 0
    while nodes > 1:
        nodes >>= 1
        log += 1
    return log


@inlined
def stamped(generation, node_count_log):
    """Return a facts word with its generation and node count; the caller adds the rest."""
    return (uint64(generation) << _GENERATION_SHIFT) | (uint64(node_count_log) << _NODE_COUNT_LOG_SHIFT)


@part(int64(TABLE, int64, uint64, uint64, int64))
def slot_for(table, generation, key_first, key_second, node_count_log):
    """Write the key of a new entry and return its index; the caller sets its facts and zone.

    It takes the bucket's first entry if it cost at least as many nodes, and moves that to the second, else the second.
    """
    entry = _bucket_of(table, key_first, key_second)
    facts = table[entry + FACTS]
    if int64(facts >> _GENERATION_SHIFT) == generation:
        if int64((facts >> _NODE_COUNT_LOG_SHIFT) & _BYTE) <= node_count_log:
            for i in range(ENTRY_WORDS):
                table[entry + ENTRY_WORDS + i] = table[entry + i]
        else:
            entry += ENTRY_WORDS
    table[entry] = key_first
    table[entry + 1] = key_second
    return entry


@part(int64(TABLE, int64, int64))
def stored_answer(table, entry, plies):
    """Return an entry's answer for this number of plies: 1 yes, 0 no, or ``UNKNOWN``."""
    facts = table[entry + FACTS]
    if int64(facts & _BYTE) <= plies:
        return 1
    if int64((facts >> _NO_SHIFT) & _BYTE) >= plies:
        return 0
    return UNKNOWN


@part(uint64(IMAGES, TABLE, int64, int64))
def zone_of(images, table, entry, symmetry):
    """Return an entry's zone, mapped back by the symmetry of the key that found it."""
    zone = table[entry + _ZONE]
    return mapped(images, images.inverse[symmetry], zone) if symmetry else zone


@part(void(TABLE, int64, uint64, uint64, int64, int64, uint64, int64))
def store(table, generation, key_first, key_second, plies, answer, zone, nodes):
    """Store the answer to a query with its zone (already mapped by the symmetry of ``make_key``) and cost in nodes."""
    node_count_log = log_of(nodes)
    least_yes = _NEVER
    largest_no = 0
    entry = find(table, generation, key_first, key_second)
    if entry >= 0:
        facts = table[entry + FACTS]
        least_yes = int64(facts & _BYTE)
        largest_no = int64((facts >> _NO_SHIFT) & _BYTE)
        node_count_log = max(node_count_log, int64((facts >> _NODE_COUNT_LOG_SHIFT) & _BYTE))
    else:
        entry = slot_for(table, generation, key_first, key_second, node_count_log)
        table[entry + _ZONE] = zone
    if answer == 0:
        largest_no = max(largest_no, plies)
    elif plies < least_yes:
        least_yes = plies
        table[entry + _ZONE] = zone
    table[entry + FACTS] = stamped(generation, node_count_log) | (uint64(largest_no) << _NO_SHIFT) | uint64(least_yes)
