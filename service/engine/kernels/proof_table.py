"""The table of the yes-or-no searches on words: whole keys, which symmetric positions share, answers and zones.

A *question* is a position of two disjoint words, who is to move, and a number of plies: does a side get its way
within them? Whoever does within n plies does within more, so an entry keeps the least n with a yes and the
largest with a no. A question that knows no plies is always asked with the same number.

A table is a header of one bucket, whose first word counts searches, then buckets of two entries of 32 bytes:

    key | key | facts | zone        facts, lowest bits first:  least yes (8) | largest no (8) | effort (8)
                                                               | unused (8) | generation (32)

The zone is a set of cells, that of the least yes or, while there is none, of the first no; what it means is the
search's affair. Of the two entries the first keeps what cost most nodes (*effort*, their logarithm), the second
the rest. Entries of another generation count as empty, so a table serves one search after the other without
being cleared.
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_index, mix

MAX_CELLS = 64
MAX_SYMMETRIES = 8

ENTRY_WORDS = 4
BUCKET_WORDS = 2 * ENTRY_WORDS
_FACTS = 2
_ZONE = 3
_NEVER = 255
_BYTE = np.uint64(255)
_NO_SHIFT = np.uint64(8)
_EFFORT_SHIFT = np.uint64(16)
_GENERATION_SHIFT = np.uint64(32)
_LAST_GENERATION = np.uint64(0xFFFFFFFF)
_SALT = np.uint64(0x9E3779B97F4A7C15)

UNKNOWN = -1
"""What ``known`` says where the entry answers another number of plies only."""

IMAGES_DTYPE = np.dtype(
    [
        ("count", np.int64),
        ("image", np.uint8, (MAX_SYMMETRIES, MAX_CELLS)),
        ("inverse", np.int64, (MAX_SYMMETRIES,)),
        ("key", np.uint64, (2,)),
    ],
    align=True,
)
"""The symmetries of a game as maps of bits, the identity first, and room for the last key made."""

IMAGES = numba.from_dtype(IMAGES_DTYPE)
TABLE = types.Array(types.uint64, 1, "C")


# ---------------------------------------------------------------- what Python prepares


def new_table(buckets_log2: int) -> np.ndarray:
    """An empty table of ``2 ** buckets_log2`` buckets of 64 bytes; it serves any game, one search at a time."""
    return np.zeros(table_words(buckets_log2), np.uint64)


def table_words(buckets_log2: int) -> int:
    """How many words a table of ``2 ** buckets_log2`` buckets has."""
    return ((1 << buckets_log2) + 1) * BUCKET_WORDS


def write_images(images: np.record, maps: list[dict[int, int]]) -> None:
    """Write symmetries into a record of ``IMAGES_DTYPE``.

    Args:
        images: the record.
        maps: where each bit goes, at most 8, the identity first; with each its inverse.
    """
    images["count"] = len(maps)
    for number, image in enumerate(maps):
        for place, other in image.items():
            images["image"][number, place] = other
        images["inverse"][number] = maps.index({other: place for place, other in image.items()})


# ---------------------------------------------------------------- symmetry


@njit(types.uint64(IMAGES, types.int64, types.uint64), cache=True)
def mapped(images, symmetry, cells):
    """The word of cells with every bit moved as the symmetry says."""
    image = ZERO
    while cells != ZERO:
        image |= ONE << types.uint64(images.image[symmetry, lowest_index(cells)])
        cells &= cells - ONE
    return image


@njit(types.int64(IMAGES, types.uint64, types.uint64, types.int64, types.boolean), cache=True)
def make_key(images, first, second, mover, shared):
    """Write the key of a position into ``images.key``; returns the symmetry it was mapped by.

    With ``shared`` it is the least of the position's images. The first word is complemented when ``mover`` is 1.
    As the two words of a position are disjoint, this is reversible, unless the second is empty and the first
    has half of 64 cells.
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
    images.key[0] = ~least_first if mover == 1 else least_first
    images.key[1] = least_second
    return chosen


# ---------------------------------------------------------------- the table


@njit(types.int64(TABLE), cache=True)
def new_generation(table):
    """Make the table empty for the search that begins: the stamp of its entries."""
    if table[0] >= _LAST_GENERATION:
        table[:] = ZERO
    table[0] += ONE
    return types.int64(table[0])


@njit(types.int64(TABLE, types.uint64, types.uint64), cache=True)
def _bucket_of(table, key_first, key_second):
    """The index of the first word of the bucket for a key."""
    buckets = types.uint64(table.size // BUCKET_WORDS - 1)
    hashed = mix(key_first + mix(key_second + _SALT)) & (buckets - ONE)
    return (types.int64(hashed) + 1) * BUCKET_WORDS


@njit(types.int64(TABLE, types.int64, types.uint64, types.uint64), cache=True)
def find(table, generation, key_first, key_second):
    """The index of the entry of a key, or -1: the whole key and the generation must agree."""
    bucket = _bucket_of(table, key_first, key_second)
    for entry in range(bucket, bucket + BUCKET_WORDS, ENTRY_WORDS):
        if (
            table[entry] == key_first
            and table[entry + 1] == key_second
            and types.int64(table[entry + _FACTS] >> _GENERATION_SHIFT) == generation
        ):
            return entry
    return -1


@njit(types.int64(TABLE, types.int64, types.int64), cache=True)
def known(table, entry, plies):
    """What an entry answers to the question of so many plies: 1 yes, 0 no, or ``UNKNOWN``."""
    facts = table[entry + _FACTS]
    if types.int64(facts & _BYTE) <= plies:
        return 1
    if types.int64((facts >> _NO_SHIFT) & _BYTE) >= plies:
        return 0
    return UNKNOWN


@njit(types.uint64(IMAGES, TABLE, types.int64, types.int64), cache=True)
def zone_of(images, table, entry, symmetry):
    """The zone of an entry, mapped back from the symmetry of the key it was found by."""
    zone = table[entry + _ZONE]
    return mapped(images, images.inverse[symmetry], zone) if symmetry else zone


@njit(
    types.void(
        TABLE,
        types.int64,
        types.uint64,
        types.uint64,
        types.int64,
        types.int64,
        types.uint64,
        types.int64,
    ),
    cache=True,
)
def store(table, generation, key_first, key_second, plies, answer, zone, nodes):
    """Remember the answer to a question of so many plies that cost these nodes, and its zone.

    The zone is one of the position that the key stands for: mapped by the symmetry that ``make_key`` returned.
    """
    effort = 0
    while nodes > 1:
        nodes >>= 1
        effort += 1
    least_yes = _NEVER
    largest_no = 0
    entry = find(table, generation, key_first, key_second)
    if entry >= 0:
        facts = table[entry + _FACTS]
        least_yes = types.int64(facts & _BYTE)
        largest_no = types.int64((facts >> _NO_SHIFT) & _BYTE)
        effort = max(effort, types.int64((facts >> _EFFORT_SHIFT) & _BYTE))
    else:
        entry = _bucket_of(table, key_first, key_second)
        facts = table[entry + _FACTS]
        if types.int64(facts >> _GENERATION_SHIFT) == generation:
            if types.int64((facts >> _EFFORT_SHIFT) & _BYTE) <= effort:
                for i in range(ENTRY_WORDS):
                    table[entry + ENTRY_WORDS + i] = table[entry + i]
            else:
                entry += ENTRY_WORDS
        table[entry] = key_first
        table[entry + 1] = key_second
        table[entry + _ZONE] = zone
    if answer == 0:
        largest_no = max(largest_no, plies)
    elif plies < least_yes:
        least_yes = plies
        table[entry + _ZONE] = zone
    table[entry + _FACTS] = (
        (types.uint64(generation) << _GENERATION_SHIFT)
        | (types.uint64(effort) << _EFFORT_SHIFT)
        | (types.uint64(largest_no) << _NO_SHIFT)
        | types.uint64(least_yes)
    )
