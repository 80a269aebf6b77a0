"""What one search on a large board remembers: its record, and a table whose proven entries hold the whole position.

The table is one array of words. Slot i has two words at 2 * i: the position's 64-bit hash, and its facts

    value + 32768 (16 bits) | move (10) | depth + 1 (8) | bound (2) | certain (1) | generation (16)

and ``position_words`` words of its own behind all slots, the marks of both sides. A hash may stand for two
positions, so an estimate from the table is only probable. An entry is *certain* when its value rests on no
estimate and on nothing left out; it is believed only after all marks have been compared.

Values count from the root: a win for the side to move, n plies from the root, is PROVEN - n, a loss the
negative; in the table they count from the position. Estimates are within +-ESTIMATE_LIMIT.
"""

import math

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, mix
from service.engine.kernels.large_board import BOARD, MAX_CELLS, MAX_WORDS
from service.engine.kernels.large_tunables import TUNABLES_DTYPE

PROVEN = 30000
PROVEN_FROM = 29000  # |value| >= this: a proven win or loss
ESTIMATE_LIMIT = 20000  # also what a loss is worth that candidate moves could not prove
INFINITY = 32000

MAX_PLY = 160
MAX_LINE = 64
MAX_FOURS = 64  # deepest four-search, in moves of both sides
REDUCTION_SIZE = 64

BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT = range(4)

_BUCKET = 2
_AGE_WORTH = 4  # an entry that is one search older gives way like one this much shallower
_VALUE_OFFSET = 32768
_MOVE_SHIFT = np.uint64(16)
_DEPTH_SHIFT = np.uint64(26)
_BOUND_SHIFT = np.uint64(34)
_CERTAIN_SHIFT = np.uint64(36)
_GENERATION_SHIFT = np.uint64(37)
_VALUE_BITS = np.uint64(0xFFFF)
_MOVE_BITS = np.uint64(0x3FF)
_DEPTH_BITS = np.uint64(0xFF)
_BOUND_BITS = np.uint64(0x3)
_GENERATION_BITS = np.uint64(0xFFFF)
_SIDE_KEY = np.uint64(0xA0761D6478BD642F)
_FAILED_KEY = np.uint64(0xE7037ED1A0B428DB)
_BOUNDED_KEY = np.uint64(0x8EBC6AF09C88C6E3)

SEARCH_DTYPE = np.dtype(
    [
        *(
            (name, *spec.subdtype) if (spec := TUNABLES_DTYPE.fields[name][0]).subdtype else (name, spec)
            for name in TUNABLES_DTYPE.names
        ),
        # Asked for before a search.
        ("generation", np.int64),
        ("oldest", np.int64),  # entries from this generation on are believed
        ("slots", np.int64),
        ("position_words", np.int64),
        ("plain", np.int64),  # 1: full width, nothing beyond the depth, no threat search
        # What came out: value, best move, its line, whether the value rests on no estimate.
        ("value", np.int64),
        ("best", np.int64),
        ("resolved", np.int64),
        ("line_length", np.int64),
        ("line", np.int16, (MAX_LINE,)),
        # Inside a search.
        ("soft", np.int64),  # counts estimates used and moves left out
        (
            "block",
            np.int64,
        ),  # of the node in hand: the cell that completes a line for the other side, -1 for none
        ("floor", np.int64),  # of the node in hand: what is proven of the moves not listed
        ("four_nodes", np.int64),
        ("threat_nodes", np.int64),
        ("bounded", np.int64),  # 1: the threat search looks for wins within so many plies, not threats
        ("cut", np.int64),  # counts what the threat search left out for want of nodes or width
        ("deepest", np.int64),
        ("reduction", np.int8, (REDUCTION_SIZE, REDUCTION_SIZE)),
        ("pv_length", np.int64, (MAX_PLY,)),
        ("pv", np.int16, (MAX_PLY, MAX_LINE)),
        ("four_line", np.int16, (MAX_FOURS + 4,)),
        ("killer", np.int16, (MAX_PLY, 2)),
        ("counter", np.int16, (2, MAX_CELLS + 1)),
        ("history", np.int32, (2, MAX_CELLS)),
        ("zone", np.uint64, (MAX_PLY, MAX_WORDS)),
        ("urgent", np.int64),  # 1: a pass at the root loses to threats; where a mark may change that:
        ("urgent_zone", np.uint64, (MAX_WORDS,)),
        ("moves", np.int16, (MAX_PLY, MAX_CELLS)),
        ("ranks", np.int32, (MAX_PLY, MAX_CELLS)),
    ],
    align=True,
)
SEARCH = numba.from_dtype(SEARCH_DTYPE)
TABLE = types.Array(types.uint64, 1, "C")


@njit(types.int64(SEARCH, types.uint64), cache=True)
def _slot(search, key):
    """The first slot of the key's bucket."""
    return types.int64(mix(key) & np.uint64(search.slots - 1)) & ~(_BUCKET - 1)


@njit(types.uint64(BOARD, types.int64), cache=True)
def position_key(board, side):
    """The hash of the position with this side to move."""
    return board.key ^ _SIDE_KEY if side != 0 else board.key


@njit(types.boolean(BOARD, SEARCH, TABLE, types.int64), cache=True)
def _same_position(board, search, table, slot):
    """Whether the slot's marks are the board's."""
    words = board.words
    place = 2 * search.slots + slot * search.position_words
    for i in range(words):
        if table[place + i] != board.stones[0, i] or table[place + words + i] != board.stones[1, i]:
            return False
    return True


@njit(types.int64(SEARCH, TABLE, types.uint64), cache=True)
def find(search, table, key):
    """The slot of the entry for the key that this search may believe, or -1."""
    slot = _slot(search, key)
    for i in range(slot, slot + _BUCKET):
        if table[2 * i] == key and types.int64(table[2 * i + 1] >> _GENERATION_SHIFT) >= search.oldest:
            return i
    return -1


@njit(types.int64(TABLE, types.int64), cache=True)
def entry_move(table, slot):
    """The entry's move."""
    return types.int64((table[2 * slot + 1] >> _MOVE_SHIFT) & _MOVE_BITS)


@njit(types.int64(TABLE, types.int64), cache=True)
def entry_depth(table, slot):
    """The depth, at least -1, that the entry was searched to."""
    return types.int64((table[2 * slot + 1] >> _DEPTH_SHIFT) & _DEPTH_BITS) - 1


@njit(types.int64(TABLE, types.int64), cache=True)
def entry_bound(table, slot):
    """What the entry's value is: one of the BOUND constants."""
    return types.int64((table[2 * slot + 1] >> _BOUND_SHIFT) & _BOUND_BITS)


@njit(types.boolean(BOARD, SEARCH, TABLE, types.int64), cache=True)
def entry_certain(board, search, table, slot):
    """Whether the entry is certain, and truly of this position."""
    if (table[2 * slot + 1] >> _CERTAIN_SHIFT) & ONE == ZERO:
        return False
    return _same_position(board, search, table, slot)


@njit(types.int64(TABLE, types.int64, types.int64), cache=True)
def entry_value(table, slot, ply):
    """The entry's value, counted from the root of a search that is ``ply`` plies deep."""
    value = types.int64(table[2 * slot + 1] & _VALUE_BITS) - _VALUE_OFFSET
    if value >= PROVEN_FROM:
        return value - ply
    if value <= -PROVEN_FROM:
        return value + ply
    return value


@njit(
    types.void(
        BOARD,
        SEARCH,
        TABLE,
        types.uint64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
    ),
    cache=True,
)
def store(board, search, table, key, value, ply, move, depth, bound, certain):
    """Keep what was found; of two other entries in the bucket the shallower, or older, gives way."""
    slot = _slot(search, key)
    place = -1
    for i in range(slot, slot + _BUCKET):
        # Only what may be believed: what is forgotten must not even choose the place.
        if table[2 * i] == key and types.int64(table[2 * i + 1] >> _GENERATION_SHIFT) >= search.oldest:
            place = i
    if place < 0:
        worst = 1 << 30
        for i in range(slot, slot + _BUCKET):
            worth = entry_depth(table, i)
            age = search.generation - types.int64(table[2 * i + 1] >> _GENERATION_SHIFT)
            if age > search.generation - search.oldest:
                worth = -(1 << 29)
            else:
                worth -= _AGE_WORTH * age
            if worth < worst:
                worst = worth
                place = i
    if value >= PROVEN_FROM:
        value += ply
    elif value <= -PROVEN_FROM:
        value -= ply
    facts = types.uint64(value + _VALUE_OFFSET)
    facts |= types.uint64(move) << _MOVE_SHIFT
    facts |= types.uint64(min(max(depth, -1), 254) + 1) << _DEPTH_SHIFT
    facts |= types.uint64(bound) << _BOUND_SHIFT
    facts |= types.uint64(certain) << _CERTAIN_SHIFT
    facts |= types.uint64(search.generation) << _GENERATION_SHIFT
    table[2 * place] = key
    table[2 * place + 1] = facts
    if certain != 0:
        words = board.words
        start = 2 * search.slots + place * search.position_words
        for i in range(words):
            table[start + i] = board.stones[0, i]
            table[start + words + i] = board.stones[1, i]


@njit(types.uint64(BOARD, SEARCH, types.int64), cache=True)
def _failed_key(board, search, side):
    """The key of what the threat search of the mode in force did not find."""
    key = position_key(board, side) ^ _FAILED_KEY
    return key ^ _BOUNDED_KEY if search.bounded != 0 else key


@njit(types.boolean(BOARD, SEARCH, TABLE, types.int64, types.int64), cache=True)
def known_failed(board, search, table, side, depth):
    """Whether the threat search of this depth, or a deeper one, is known to find nothing for the side.

    The depth counts threats, or in the bounded mode plies.
    """
    slot = find(search, table, _failed_key(board, search, side))
    return slot >= 0 and entry_depth(table, slot) >= depth


@njit(types.void(BOARD, SEARCH, TABLE, types.int64, types.int64), cache=True)
def store_failed(board, search, table, side, depth):
    """Remember that the threat search of this depth found nothing for the side."""
    store(board, search, table, _failed_key(board, search, side), 0, 0, 0, depth, BOUND_NONE, 0)


def table_words(slots: int, cells: int) -> int:
    """How many words a table of so many slots (a power of two, at least 2) needs on a board of so many cells."""
    return slots * (2 + 2 * ((cells + 63) // 64))


def new_table(slots: int, cells: int) -> np.ndarray:
    """An empty table; memory is taken from the system only as slots are written."""
    return np.zeros(table_words(slots, cells), np.uint64)


def new_search(tunables: np.ndarray) -> np.ndarray:
    """A search record with these tunables, as an array of one; ``begin`` makes it ready for a position."""
    search = np.zeros(1, SEARCH_DTYPE).view(np.recarray)
    for name in TUNABLES_DTYPE.names:
        search[name][0] = tunables[name][0]
    scale = int(search["reduction_scale"][0]) / 256
    for depth in range(1, REDUCTION_SIZE):
        for number in range(1, REDUCTION_SIZE):
            search["reduction"][0, depth, number] = int(scale * math.log(depth) * math.log(number))
    return search


def begin(search: np.ndarray, table: np.ndarray, cells: int, plain: bool = False, keep: bool = False) -> None:
    """Forget the last position: whatever was searched before shapes nothing from here on.

    Args:
        table: from ``new_table``, with a power of two of slots for a board of so many cells; it belongs to
            this search record alone.
        plain: search full width to the depth and no further (see ``large_search``).
        keep: go on believing what the table holds of positions of the same rules, searched in the same way.
    """
    record = search[0]
    words = (cells + 63) // 64
    record.slots = len(table) // (2 + 2 * words)
    record.position_words = 2 * words
    record.plain = int(plain)
    record.generation += 1
    if record.generation >= int(_GENERATION_BITS):
        table[:] = 0
        record.generation = record.oldest = 1
    if not keep or record.oldest == 0:
        record.oldest = record.generation
    record.killer[:] = -1
    record.counter[:] = -1
    record.history[:] = 0
    record.best = -1
    record.value = 0
    record.resolved = 0
    record.line_length = 0
    record.soft = 0
    record.bounded = 0
    record.urgent = 0
    record.cut = 0
