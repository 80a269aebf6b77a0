# mypy: ignore-errors
"""Puts marks on the board and takes them back (last one first), and keeps the patterns of all cells up to date.

A mark logs what it changes, and taking it back restores that from the log. The network's sums are computed from the log
only when an estimate is wanted (``network/kernel_sums``).
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.kernel_bits import ONE
from kinarow.solvers.large_boards.board.kernel_cells import HIGH_QUAD, PATTERN_BITS, QUAD_BITS, quad_of, quad_with
from kinarow.solvers.large_boards.board.kernel_lines import CELL_BITS, line_with, patterns_in, rotated, window_at
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_scan import scan_pattern
from kinarow.solvers.large_boards.board.layout import BIT_MASK, DIRECTIONS, MAX_WORDS, WORD_SHIFT

# Indexes are unsigned: Numba tests signed ones for being negative.
_WORD_SHIFT = np.uint64(WORD_SHIFT)
_BIT_MASK = np.uint64(BIT_MASK)
_CELL_PATTERN_BITS = np.uint64(15)
_CELL_PATTERN_SHIFT = np.uint64(4)
_SIDE_SHIFT = np.uint64(8)
_SECOND_SIDE = np.uint64(1 << 8)
_PLACE_SHIFT = np.uint64(9)


@inlined
def _log_change(state, end, place, before, after):
    """Log a cell's quads before and after, if they differ; return the log's new end.

    Branch-free, as half of the cells change.
    """
    state.log_cell[end] = place
    state.log_before[end] = before
    state.log_after[end] = after
    empty = state.mark[place] == 0
    return end + types.uint64((before != after) & empty)


@inlined
def _change_lines(game, state, cell, side, end):
    """Put a new mark on its lines and log the changed quads around it; return the log's new end."""
    for direction in range(DIRECTIONS):
        step = game.step[direction]
        line = types.uint64(direction)
        shift = line + line
        others = ~(PATTERN_BITS << shift)
        before = types.int64(game.reach[cell, line, 0])
        after = types.int64(game.reach[cell, line, 1])
        number = types.uint64(game.line[cell, line])
        bit = types.int64(game.line_bit[cell, line])
        word = line_with(state.lines[line, number], bit, side)
        state.lines[line, number] = word
        window = window_at(game, word, bit - 2 * before)
        for steps in range(-before, after + 1):
            place = types.uint64(cell + steps * step)
            patterns = types.uint64(game.quads_of_patterns[patterns_in(game, window)])
            window = rotated(window, CELL_BITS)
            quads = types.uint64(state.quads[place])
            end = _log_change(state, end, place, quads, (quads & others) | patterns << shift)
    return end


@part(types.uint64(GAME, STATE, types.uint64, types.uint64))
def _scan_around(game, state, cell, end):
    """Log the changed quads around a new mark without a pattern table; return the log's new end."""
    for direction in range(DIRECTIONS):
        step = game.step[direction]
        before = types.int64(game.reach[cell, direction, 0])
        after = types.int64(game.reach[cell, direction, 1])
        for steps in range(-before, after + 1):
            place = types.int64(cell) + steps * step
            if state.mark[place] == 0:
                new = types.uint64(0)
                for side in range(2):
                    pattern = scan_pattern(game, state, place, side, direction)
                    quad = quad_with(quad_of(state, place, side), direction, pattern)
                    new |= types.uint64(quad) << types.uint64(16 * side)
                index = types.uint64(place)
                end = _log_change(state, end, index, types.uint64(state.quads[index]), new)
    return end


@inlined
def _log_cell_pattern(state, end, cell_and_side, was, now):
    """Log a cell's pattern before and after, if they differ; return the log's new end."""
    state.pattern_log[end] = cell_and_side | was << _CELL_PATTERN_SHIFT | now
    return end + types.uint64(was != now)


@inlined
def _set_changed_quads(game, state, first, end, changes):
    """Apply the quads logged from ``first`` to ``end``; log the changed cell patterns and return that log's new end."""
    row_0 = game.quad_row[0]
    row_1 = game.quad_row[1]
    for i in range(first, end):
        place = types.uint64(state.log_cell[i])
        quads = types.uint64(state.log_after[i])
        state.quads[place] = quads
        side_0 = place << _PLACE_SHIFT
        was = types.uint64(state.cell_pattern[place, 0])
        now = types.uint64(game.cell_pattern_of_quad[row_0, quads & QUAD_BITS])
        changes = _log_cell_pattern(state, changes, side_0, was, now)
        was = types.uint64(state.cell_pattern[place, 1])
        now = types.uint64(game.cell_pattern_of_quad[row_1, quads >> HIGH_QUAD])
        changes = _log_cell_pattern(state, changes, side_0 | _SECOND_SIDE, was, now)
    return changes


@inlined
def _set_cell_pattern(state, entry, was, cell_pattern):
    """Replace the cell pattern ``was`` of the cell and side that an entry of the log names."""
    place = entry >> _PLACE_SHIFT
    side = entry >> _SIDE_SHIFT & ONE
    word = place >> _WORD_SHIFT
    bit = ONE << (place & _BIT_MASK)
    state.cell_pattern[place, side] = cell_pattern
    state.mask[side, was, word] &= ~bit
    state.mask[side, cell_pattern, word] |= bit
    state.count[side, was] -= 1
    state.count[side, cell_pattern] += 1


@inlined
def _remove_cell(state, cell):
    """Remove a cell from the empty cells, and from the sets of cells by cell pattern."""
    word = cell >> _WORD_SHIFT
    bit = ONE << (cell & _BIT_MASK)
    for side in range(2):
        cell_pattern = types.uint64(state.cell_pattern[cell, side])
        state.mask[side, cell_pattern, word] &= ~bit
        state.count[side, cell_pattern] -= 1
    state.open_mask[word] ^= bit


@entry(types.void(GAME, STATE, types.int64, types.int64))
def put(game, state, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell; ``bring_sums_up_to_date`` updates the network's sums later."""
    place = types.uint64(cell)
    owner = types.uint64(side)
    marks = types.uint64(game.cells - state.empty)
    # All words, not only those in use: a loop of constant length is faster.
    for word in range(MAX_WORDS):
        state.near_before[marks, word] = state.near_mask[word]
        state.near_mask[word] |= game.near_cells[place, word]
    _remove_cell(state, place)
    state.mark[place] = side + 1
    state.stones[owner, place >> _WORD_SHIFT] |= ONE << (place & _BIT_MASK)
    state.key ^= game.zobrist[owner, place]
    state.empty -= 1
    state.summed = min(state.summed, types.int64(marks))
    first = types.uint64(state.log_end[marks])
    state.log_cell[first] = place
    state.log_before[first] = state.quads[place]
    first += ONE
    if game.no_pattern_table != 0:
        end = _scan_around(game, state, place, first)
    else:
        end = _change_lines(game, state, cell, owner, first)
    state.log_end[marks + ONE] = end
    first_change = types.uint64(state.pattern_log_end[marks])
    changes = _set_changed_quads(game, state, first, end, first_change)
    state.pattern_log_end[marks + ONE] = changes
    for i in range(first_change, changes):
        entry = types.uint64(state.pattern_log[i])
        _set_cell_pattern(state, entry, entry >> _CELL_PATTERN_SHIFT & _CELL_PATTERN_BITS, entry & _CELL_PATTERN_BITS)


@entry(types.void(GAME, STATE, types.int64))
def take_back(game, state, cell):
    """Take back the last mark, which is on ``cell``."""
    place = types.uint64(cell)
    owner = types.uint64(state.mark[place]) - ONE
    word = place >> _WORD_SHIFT
    bit = ONE << (place & _BIT_MASK)
    state.mark[place] = 0
    state.stones[owner, word] &= ~bit
    state.key ^= game.zobrist[owner, place]
    state.empty += 1
    marks = types.uint64(game.cells - state.empty)
    # 1. Restore the lines and the cells around.
    if game.no_pattern_table == 0:
        for direction in range(DIRECTIONS):
            line = types.uint64(direction)
            mark = line_with(types.uint64(0), game.line_bit[place, line], owner)
            state.lines[line, types.uint64(game.line[place, line])] ^= mark
    for i in range(types.uint64(state.log_end[marks]) + ONE, types.uint64(state.log_end[marks + ONE])):
        state.quads[types.uint64(state.log_cell[i])] = state.log_before[i]
    for i in range(types.uint64(state.pattern_log_end[marks]), types.uint64(state.pattern_log_end[marks + ONE])):
        entry = types.uint64(state.pattern_log[i])
        _set_cell_pattern(state, entry, entry & _CELL_PATTERN_BITS, entry >> _CELL_PATTERN_SHIFT & _CELL_PATTERN_BITS)
    # 2. Make the cell an empty one again.
    for each in range(2):
        cell_pattern = types.uint64(state.cell_pattern[place, each])
        state.mask[each, cell_pattern, word] |= bit
        state.count[each, cell_pattern] += 1
    state.open_mask[word] ^= bit
    for i in range(MAX_WORDS):
        state.near_mask[i] = state.near_before[marks, i]
