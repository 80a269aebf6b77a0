# mypy: ignore-errors
"""The transposition table (zobrist keys: Zobrist 1970), in buckets of two; proven entries hold the whole position.

The table is one array of words. Slot i has the position's 64-bit key at word 2 * i, and then its *facts*:

    value + 32768 (16 bits) | move + 1 (10) | depth + 1 (8) | bound (2) | proven (1) | generation (16)

Behind all slots each has ``position_words`` more words: the marks of both sides. Positions may share a key, so an
ordinary entry may belong to another position. An entry is *proven* if its value rests on no estimate and no pruning;
it is trusted only after comparing all marks. Values count from the entry's position, not from the root.

Threads may share a table without locks, and read what another has half written. So each word is loaded once, and all
words but the facts are stored xor a hash of the facts, which shows if they belong together (lockless hashing: Hyatt and
Mann 2002).
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, mix
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.common.kernel_memory import load, prefetch
from kinarow.solvers.common.kernel_memory import store as store_word
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DECISIVE

TABLE = types.Array(types.uint64, 1, "C")

BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT = range(4)

_BUCKET = 2
_AGE_WORTH = 4  # for replacement, a generation of age counts as so many plies less depth
_VALUE_OFFSET = 32768
_MOVE_SHIFT = np.uint64(16)
_DEPTH_SHIFT = np.uint64(26)
_BOUND_SHIFT = np.uint64(34)
_PROVEN_SHIFT = np.uint64(36)
_GENERATION_SHIFT = np.uint64(37)
_VALUE_BITS = np.uint64(0xFFFF)
_MOVE_BITS = np.uint64(0x3FF)
_DEPTH_BITS = np.uint64(0xFF)
_BOUND_BITS = np.uint64(0x3)
_SIDE_KEY = np.uint64(0xA0761D6478BD642F)
_VCT_FAILED_KEY = np.uint64(0xE7037ED1A0B428DB)
_IN_PLIES_KEY = np.uint64(0x8EBC6AF09C88C6E3)


@part(types.int64(STATE, types.uint64))
def _first_slot(state, key):
    return types.int64(mix(key) & np.uint64(state.slots - 1)) & ~(_BUCKET - 1)


@part(types.uint64(STATE, types.int64))
def position_key(state, side):
    """Return the zobrist key of the board with this side to move."""
    return state.key ^ _SIDE_KEY if side != 0 else state.key


@inlined
def prefetch_child(game, state, table, side, cell):
    """Prefetch the bucket of the position after the side's move on ``cell``."""
    key = position_key(state, 1 - side) ^ game.zobrist[types.uint64(side), types.uint64(cell)]
    prefetch(table, 2 * _first_slot(state, key))


@part(types.boolean(GAME, STATE, TABLE, types.uint64, types.uint64))
def _same_position(game, state, table, key, facts):
    """Return True if a slot of the key's bucket holds the marks on the board, written together with these facts."""
    words = game.words
    code = mix(facts)
    slot = _first_slot(state, key)
    for i in range(slot, slot + _BUCKET):
        place = 2 * state.slots + i * state.position_words
        same = 0
        while same < words and (
            load(table, place + same) == state.stones[0, same] ^ code
            and load(table, place + words + same) == state.stones[1, same] ^ code
        ):
            same += 1
        if same == words:
            return True
    return False


@part(types.boolean(GAME, STATE, TABLE, types.int64, types.uint64, types.uint64))
def _is_of(game, state, table, slot, facts, key):
    """Return True if the slot's entry, with these facts, has this key and a generation that this search may trust."""
    return load(table, 2 * slot) ^ mix(facts) == key and types.int64(facts >> _GENERATION_SHIFT) >= state.oldest


@part(types.uint64(GAME, STATE, TABLE, types.uint64))
def find(game, state, table, key):
    """Return the facts of the entry for the key that this search may trust, or 0."""
    slot = _first_slot(state, key)
    for i in range(slot, slot + _BUCKET):
        facts = load(table, 2 * i + 1)
        if _is_of(game, state, table, i, facts, key):
            return facts
    return ZERO


@part(types.int64(types.uint64))
def entry_move(facts):
    """Return the entry's best move, -1 for none."""
    return types.int64((facts >> _MOVE_SHIFT) & _MOVE_BITS) - 1


@part(types.int64(types.uint64))
def entry_depth(facts):
    """Return the depth that the entry was searched to, -1 or more."""
    return types.int64((facts >> _DEPTH_SHIFT) & _DEPTH_BITS) - 1


@part(types.int64(types.uint64))
def entry_bound(facts):
    """Return the entry's kind of bound, one of the BOUND constants."""
    return types.int64((facts >> _BOUND_SHIFT) & _BOUND_BITS)


@part(types.boolean(GAME, STATE, TABLE, types.uint64, types.uint64))
def entry_proven(game, state, table, key, facts):
    """Return True if the entry is proven and the position that it holds is the one on the board."""
    if (facts >> _PROVEN_SHIFT) & ONE == ZERO:
        return False
    return _same_position(game, state, table, key, facts)


@part(types.int64(types.uint64, types.int64))
def entry_value(facts, ply):
    """Return the entry's value with plies to a win or loss counted from the root, ``ply`` plies above the node."""
    value = types.int64(facts & _VALUE_BITS) - _VALUE_OFFSET
    if value >= DECISIVE:
        return value - ply
    if value <= -DECISIVE:
        return value + ply
    return value


@inlined
def _slot_to_fill(game, state, table, key):
    """Return the slot of the key's bucket to write to: the key's own, else that with the shallower or older entry."""
    slot = _first_slot(state, key)
    place = -1
    least = 1 << 30
    for i in range(slot, slot + _BUCKET):
        facts = load(table, 2 * i + 1)
        worth = entry_depth(facts)
        age = state.generation - types.int64(facts >> _GENERATION_SHIFT)
        if _is_of(game, state, table, i, facts, key):
            worth = -(1 << 30)
        elif age > state.generation - state.oldest:
            # Entries of untrusted generations count as empty, whatever is in them, so that results are repeatable.
            worth = -(1 << 29)
        else:
            worth -= _AGE_WORTH * age
        if worth < least:
            least = worth
            place = i
    return place


@part(types.void(GAME, STATE, BUDGET, TABLE, types.uint64, *(types.int64,) * 6))
def store(game, state, budget, table, key, value, ply, move, depth, bound, proven):
    """Write an entry; ``value`` counts plies from the root, ``move`` is -1 for none.

    A proven entry also gets the marks. Their first write may wait for memory, so the next node polls the clock.
    """
    place = _slot_to_fill(game, state, table, key)
    if value >= DECISIVE:
        value += ply
    elif value <= -DECISIVE:
        value -= ply
    facts = types.uint64(value + _VALUE_OFFSET)
    facts |= types.uint64(move + 1) << _MOVE_SHIFT
    facts |= types.uint64(min(max(depth, -1), 254) + 1) << _DEPTH_SHIFT
    facts |= types.uint64(bound) << _BOUND_SHIFT
    facts |= types.uint64(proven) << _PROVEN_SHIFT
    facts |= types.uint64(state.generation) << _GENERATION_SHIFT
    code = mix(facts)
    store_word(table, 2 * place, key ^ code)
    store_word(table, 2 * place + 1, facts)
    if proven != 0:
        words = game.words
        start = 2 * state.slots + place * state.position_words
        for i in range(words):
            store_word(table, start + i, state.stones[0, i] ^ code)
            store_word(table, start + words + i, state.stones[1, i] ^ code)
        budget.poll_mask = 0


@part(types.uint64(STATE, types.int64))
def _vct_failed_key(state, side):
    key = position_key(state, side) ^ _VCT_FAILED_KEY
    return key ^ _IN_PLIES_KEY if state.vct_in_plies != 0 else key


@part(types.boolean(GAME, STATE, TABLE, types.int64, types.int64))
def vct_known_to_fail(game, state, table, side, search_bound):
    """Return True if a VCT of the side has failed in this position with at least this bound (threats, or plies)."""
    facts = find(game, state, table, _vct_failed_key(state, side))
    return facts != ZERO and entry_depth(facts) >= search_bound


@part(types.void(GAME, STATE, BUDGET, TABLE, types.int64, types.int64))
def store_vct_failure(game, state, budget, table, side, search_bound):
    """Store that a VCT with this bound (threats, or plies) found no win of the side."""
    key = _vct_failed_key(state, side)
    store(game, state, budget, table, key, 0, 0, -1, search_bound, BOUND_NONE, 0)
