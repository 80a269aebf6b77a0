# mypy: ignore-errors
"""The lines of the board as words of two bits a cell, and a table of the patterns of a line's windows.

A window is a cell with ``radius`` cells each way on a line. The cells on either end, with the steps to the edge, have a
code (``codes_of_end`` under Caro). The sum of both ends' codes (``end_code``) indexes ``pattern_table``, which has the
patterns of both sides.
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.large_boards.board.kernel_cells import quad_with
from kinarow.solvers.large_boards.board.kernel_patterns import codes_of_end, fill_patterns
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, MAX_SIDE
from kinarow.solvers.large_boards.board.patterns import PATTERNS

CELL_BITS = np.uint64(2)
_WORD_BITS = np.uint64(63)
_BEYOND = np.uint64(3)


@inlined
def rotated(word, bits):
    """Return the word rotated to the right, if ``bits`` is negative to the left."""
    bits = types.uint64(bits) & _WORD_BITS
    return word >> bits | word << (types.uint64(-types.int64(bits)) & _WORD_BITS)


@inlined
def line_with(line, bit, side):
    """Return the line with a mark of a side on the empty cell at ``bit``."""
    return line | types.uint64(side + 1) << types.uint64(bit)


@inlined
def window_at(game, line, bit):
    """Return the line rotated so that the window around the cell at ``bit`` comes first."""
    return rotated(line, types.int64(bit) - 2 * game.radius)


@inlined
def patterns_in(game, window):
    """Return the patterns of the cell in the middle of a window: side 0's, plus side 1's << 4."""
    cells = types.uint64(2 * game.radius)
    ends = (types.uint64(1) << cells) - types.uint64(1)
    before = types.uint64(game.end_code[types.uint64(0), window & ends])
    after = types.uint64(game.end_code[types.uint64(1), window >> (cells + CELL_BITS) & ends])
    return types.uint64(game.pattern_table[before + after])


@inlined
def pattern_on(game, side, line, bit):
    """Return a side's pattern, on this line, of the cell at ``bit``."""
    return types.int64(patterns_in(game, window_at(game, line, bit))) >> (4 * side) & 15


@part(types.void(GAME, types.int64))
def lay_out_lines(game, cell):
    """Set the number and bit of a cell in its four lines, and put an edge or blocked cell beside it on these lines."""
    row = cell // game.columns
    column = cell - row * game.columns
    for direction in range(DIRECTIONS):
        line = (row, column, column - row + MAX_SIDE, column + row)[direction]
        bit = 2 * (column if direction == 0 else row) + 2
        game.line[cell, direction] = line
        game.line_bit[cell, direction] = bit
        for end in range(2):
            if game.radius > 0 and game.reach[cell, direction, end] == 0:
                game.empty_lines[direction, line] |= _BEYOND << types.uint64(bit - 2 + 4 * end)


@part(types.void(GAME))
def _fill_end_codes(game):
    """Fill in ``end_code``: what the cells on each end of a window, given as bits, add to the window's code."""
    radius = game.radius
    ends = codes_of_end(radius, radius + 1, 1)
    for bits in range(1 << (2 * radius)):
        for end in range(2):
            number = types.int64(0)
            power = types.int64(1)
            steps = types.int64(0)
            while steps < radius:
                mark = bits >> (2 * (steps if end == 1 else radius - 1 - steps)) & 3
                if mark == 3:
                    break
                number += mark * power
                power *= 3
                steps += 1
            game.end_code[end, bits] = (codes_of_end(radius, steps, 1) + number) * (ends if end == 1 else 1)


@part(types.void(GAME, STATE))
def set_patterns(game, state):
    """Fill in ``pattern_table``, ``quads_of_patterns`` and ``end_code``; arrays of ``state`` are scratch memory."""
    radius = game.radius
    # 1. The patterns from one side's view; in Renju those of the side that began follow.
    digit, power = state.threat_depth[:], state.least_threat_nodes[:]
    one_side = state.region_channels[:]
    ends = codes_of_end(radius, radius + 1, game.caro)
    fill_patterns(one_side, digit, power, radius, game.goal, game.exact_goal, game.caro, 0)
    if game.beginner >= 0:
        fill_patterns(one_side[ends * ends :], digit, power, radius, game.goal, 1, 0, 1)
    # 2. The code of each end in either side's view, where own marks are 1; without Caro the edge is an opponent's mark.
    view = state.pattern_log[:]
    both = codes_of_end(radius, radius + 1, 1)
    for steps in range(radius + 1):
        first = codes_of_end(radius, steps, 1)
        for number in range(codes_of_end(radius, steps + 1, 1) - first):
            rest = number
            own = codes_of_end(radius, steps, game.caro)
            other = own
            of_place = 1
            for place in range(radius if game.caro == 0 else steps):
                mark = rest % 3 if place < steps else 2
                own += mark * of_place
                other += (3 - mark if 0 < mark and place < steps else mark) * of_place
                rest //= 3
                of_place *= 3
            view[first + number] = own
            view[both + first + number] = other
    # 3. Both sides' patterns of each window.
    starts = (ends * ends if game.beginner == 0 else 0, ends * ends if game.beginner == 1 else 0)
    for after in range(both):
        for before in range(both):
            patterns = types.int64(0)
            for side in range(2):
                code = types.int64(view[side * both + before]) + ends * types.int64(view[side * both + after])
                patterns |= types.int64(one_side[starts[side] + code]) << (4 * side)
            game.pattern_table[before + both * after] = patterns
    for patterns in range(PATTERNS * PATTERNS):
        both_quads = quad_with(0, 0, patterns & 15) | quad_with(0, 0, patterns >> 4) << 16
        game.quads_of_patterns[patterns] = both_quads
    _fill_end_codes(game)
