# mypy: ignore-errors
"""Puts marks on a board and takes them back, and keeps the patterns of all cells up to date.

Take marks back in the reverse order of putting them: what a mark changed is logged, and restored from the log.
The sums of the estimate are worked out from the log only when they are wanted (``network/kernel_sums``).
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.kernel_bits import ONE
from kinarow.solvers.large_boards.board.kernel_cells import (
    HIGH_CODE,
    HIGH_QUAD,
    LOW_CODE,
    PATTERN_BITS,
    QUAD_BITS,
    quad_of,
    quad_with,
)
from kinarow.solvers.large_boards.board.kernel_record import BOARD
from kinarow.solvers.large_boards.board.kernel_scan import scan_pattern
from kinarow.solvers.large_boards.board.layout import BIT_MASK, DIRECTIONS, MAX_WORDS, WORD_SHIFT

# Indexes are words without a sign: those are not tested for being below zero.
_WORD_SHIFT = np.uint64(WORD_SHIFT)
_BIT_MASK = np.uint64(BIT_MASK)
_UPPER_HALF = np.uint64(6)
_KIND_BITS = np.uint64(15)
_KIND_SHIFT = np.uint64(4)
_SIDE_SHIFT = np.uint64(8)
_SECOND_SIDE = np.uint64(1 << 8)
_PLACE_SHIFT = np.uint64(9)


@inlined
def _log_change(board, end, place, before, after):
    """Log other quads of a cell at the end of the log, and return the new end.

    A cell whose quads stay, or that is marked, is written too, but the next entry takes its place: about half of the
    cells change, which a processor cannot foresee, and a wrong guess costs it more than writing them all.
    """
    board.log_cell[end] = place
    board.log_before[end] = before
    board.log_after[end] = after
    empty = board.mark[place] == 0
    return end + types.uint64((before != after) & empty)


@inlined
def _change_codes(board, cell, side, end):
    """Bring the codes around a new mark up to date, and log the new quads; returns the log's end."""
    radius = board.radius
    for direction in range(DIRECTIONS):
        step = board.step[direction]
        line = types.uint64(direction)
        shift = line + line
        others = ~(PATTERN_BITS << shift)
        before = types.int64(board.reach[cell, line, 0])
        after = types.int64(board.reach[cell, line, 1])
        for steps in range(-before, after + 1):
            place = types.uint64(cell + steps * step)
            code = board.code[line, place] + board.code_change[side, types.uint64(radius - steps)]
            board.code[line, place] = code
            patterns = types.uint64(board.pattern_table[code & LOW_CODE])
            patterns |= types.uint64(board.pattern_table[code >> HIGH_CODE]) << HIGH_QUAD
            patterns = (patterns | patterns << _UPPER_HALF) & PATTERN_BITS
            quads = types.uint64(board.quads[place])
            end = _log_change(board, end, place, quads, (quads & others) | patterns << shift)
    return end


@part(types.uint64(BOARD, types.uint64, types.uint64))
def _scan_surroundings(board, cell, end):
    """Log the new quads around a new mark where there is no table of patterns; returns the log's end."""
    for direction in range(DIRECTIONS):
        step = board.step[direction]
        before = types.int64(board.reach[cell, direction, 0])
        after = types.int64(board.reach[cell, direction, 1])
        for steps in range(-before, after + 1):
            place = types.int64(cell) + steps * step
            if board.mark[place] == 0:
                new = types.uint64(0)
                for side in range(2):
                    pattern = scan_pattern(board, place, side, direction)
                    quad = quad_with(quad_of(board, place, side), direction, pattern)
                    new |= types.uint64(quad) << types.uint64(16 * side)
                index = types.uint64(place)
                end = _log_change(board, end, index, types.uint64(board.quads[index]), new)
    return end


@inlined
def _log_kind(board, kinds, entry, was, now):
    """Log another cell pattern at the end of the log of cell patterns, as ``_log_change``; returns the new end."""
    board.kind_log[kinds] = entry | was << _KIND_SHIFT | now
    return kinds + types.uint64(was != now)


@inlined
def _set_changed_quads(board, first, end, kinds):
    """Set the quads that are logged from ``first`` on, and log the changes of cell patterns; returns that log's end."""
    row_0 = board.quad_row[0]
    row_1 = board.quad_row[1]
    for i in range(first, end):
        place = types.uint64(board.log_cell[i])
        quads = types.uint64(board.log_after[i])
        board.quads[place] = quads
        entry = place << _PLACE_SHIFT
        was = types.uint64(board.cell_pattern[place, 0])
        now = types.uint64(board.cell_pattern_of_quad[row_0, quads & QUAD_BITS])
        kinds = _log_kind(board, kinds, entry, was, now)
        was = types.uint64(board.cell_pattern[place, 1])
        now = types.uint64(board.cell_pattern_of_quad[row_1, quads >> HIGH_QUAD])
        kinds = _log_kind(board, kinds, entry | _SECOND_SIDE, was, now)
    return kinds


@inlined
def _set_cell_pattern(board, entry, was, cell_pattern):
    """Give the empty cell of an entry of the log of cell patterns another one."""
    place = entry >> _PLACE_SHIFT
    side = entry >> _SIDE_SHIFT & ONE
    word = place >> _WORD_SHIFT
    bit = ONE << (place & _BIT_MASK)
    board.cell_pattern[place, side] = cell_pattern
    board.mask[side, was, word] &= ~bit
    board.mask[side, cell_pattern, word] |= bit
    board.count[side, was] -= 1
    board.count[side, cell_pattern] += 1


@inlined
def _remove_cell(board, cell):
    """Take an empty cell out of the numbers and the sets of both sides, because it gets a mark."""
    word = cell >> _WORD_SHIFT
    bit = ONE << (cell & _BIT_MASK)
    for side in range(2):
        cell_pattern = types.uint64(board.cell_pattern[cell, side])
        board.mask[side, cell_pattern, word] &= ~bit
        board.count[side, cell_pattern] -= 1
    board.open_mask[word] ^= bit


@entry(types.void(BOARD, types.int64, types.int64))
def put(board, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell.

    The sums are left for ``bring_sums_up_to_date``: most marks are taken back before anything asks for an estimate.
    """
    # Indexes without a sign are not tested for being below zero.
    place = types.uint64(cell)
    owner = types.uint64(side)
    marks = types.uint64(board.cells - board.empty)
    # Loops over all words, not only over those in use, have a fixed length and so need no preparation.
    for word in range(MAX_WORDS):
        board.near_before[marks, word] = board.near_mask[word]
        board.near_mask[word] |= board.near_cells[place, word]
    _remove_cell(board, place)
    board.mark[place] = side + 1
    board.stones[owner, place >> _WORD_SHIFT] |= ONE << (place & _BIT_MASK)
    board.key ^= board.zobrist[owner, place]
    board.empty -= 1
    board.summed = min(board.summed, types.int64(marks))
    first = types.uint64(board.log_end[marks])
    board.log_cell[first] = place
    board.log_before[first] = board.quads[place]
    first += ONE
    if board.no_pattern_table != 0:
        end = _scan_surroundings(board, place, first)
    else:
        end = _change_codes(board, cell, owner, first)
    board.log_end[marks + ONE] = end
    first_kind = types.uint64(board.kind_log_end[marks])
    kinds = _set_changed_quads(board, first, end, first_kind)
    board.kind_log_end[marks + ONE] = kinds
    for i in range(first_kind, kinds):
        entry = types.uint64(board.kind_log[i])
        _set_cell_pattern(board, entry, entry >> _KIND_SHIFT & _KIND_BITS, entry & _KIND_BITS)


@entry(types.void(BOARD, types.Array(types.int8, 1, "C")))
def load(board, cells):
    """Put a position on an empty board: 0 an empty cell, 1 a mark of side 0, 2 one of side 1."""
    for cell in range(board.cells):
        if cells[cell] != 0:
            put(board, cell, types.int64(cells[cell]) - 1)


@entry(types.void(BOARD, types.int64))
def take_back(board, cell):
    """Take back the last mark put, which is on this cell."""
    place = types.uint64(cell)
    owner = types.uint64(board.mark[place]) - ONE
    word = place >> _WORD_SHIFT
    bit = ONE << (place & _BIT_MASK)
    board.mark[place] = 0
    board.stones[owner, word] &= ~bit
    board.key ^= board.zobrist[owner, place]
    board.empty += 1
    marks = types.uint64(board.cells - board.empty)
    # 1. The cells around.
    if board.no_pattern_table == 0:
        radius = board.radius
        for direction in range(DIRECTIONS):
            step = board.step[direction]
            line = types.uint64(direction)
            before = types.int64(board.reach[place, line, 0])
            after = types.int64(board.reach[place, line, 1])
            for steps in range(-before, after + 1):
                change = board.code_change[owner, types.uint64(radius - steps)]
                board.code[line, types.uint64(cell + steps * step)] -= change
    for i in range(types.uint64(board.log_end[marks]) + ONE, types.uint64(board.log_end[marks + ONE])):
        board.quads[types.uint64(board.log_cell[i])] = board.log_before[i]
    for i in range(types.uint64(board.kind_log_end[marks]), types.uint64(board.kind_log_end[marks + ONE])):
        entry = types.uint64(board.kind_log[i])
        _set_cell_pattern(board, entry, entry & _KIND_BITS, entry >> _KIND_SHIFT & _KIND_BITS)
    # 2. The cell itself.
    for each in range(2):
        cell_pattern = types.uint64(board.cell_pattern[place, each])
        board.mask[each, cell_pattern, word] |= bit
        board.count[each, cell_pattern] += 1
    board.open_mask[word] ^= bit
    for i in range(MAX_WORDS):
        board.near_mask[i] = board.near_before[marks, i]
