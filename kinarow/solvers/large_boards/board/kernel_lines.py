# mypy: ignore-errors
"""The lines of the board as words, and the patterns of a cell by what lies around it on a line.

The cells each way of a cell are numbered together with the steps to the edge (``codes_of_end`` under Caro), so that one
table has the patterns of both sides: ``pattern_table``, by the sum of the numbers ``end_code`` of both ends.
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
def turned(word, bits):
    """Return the word turned so that what begins at a bit comes first."""
    bits = types.uint64(bits) & _WORD_BITS
    return word >> bits | word << (types.uint64(-types.int64(bits)) & _WORD_BITS)


@inlined
def line_with(line, bit, side):
    """Return the line with a mark of a side on the empty cell that begins at a bit."""
    return line | types.uint64(side + 1) << types.uint64(bit)


@inlined
def window_at(game, line, bit):
    """Return the part of a line around the cell that begins at a bit, for ``patterns_in``."""
    return turned(line, types.int64(bit) - 2 * game.radius)


@inlined
def patterns_in(game, window):
    """Return the direction patterns of the cell in the middle of a window: of side 0, and of side 1 << 4."""
    cells = types.uint64(2 * game.radius)
    ends = (types.uint64(1) << cells) - types.uint64(1)
    before = types.uint64(game.end_code[types.uint64(0), window & ends])
    after = types.uint64(game.end_code[types.uint64(1), window >> (cells + CELL_BITS) & ends])
    return types.uint64(game.pattern_table[before + after])


@inlined
def pattern_on(game, side, line, bit):
    """Return the direction pattern for a side of the cell that begins at a bit of a line."""
    return types.int64(patterns_in(game, window_at(game, line, bit))) >> (4 * side) & 15


@part(types.void(GAME, types.int64))
def lay_out_lines(game, cell):
    """Set where a cell lies on its lines, and what ends them beside it: an edge or a blocked cell."""
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
def _number_ends(game):
    """Set what the cells before and after a cell add to the number of its surrounding, by their bits in a line."""
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
    """Set the patterns of every surrounding, and the numbers of both ends; the state is working memory."""
    radius = game.radius
    # 1. The patterns as one side sees them, and where those of the side that began in Renju begin.
    digit, power = state.threat_depth[:], state.least_threat_nodes[:]
    seen = state.region_channels[:]
    ends = codes_of_end(radius, radius + 1, game.caro)
    fill_patterns(seen, digit, power, radius, game.goal, game.exact_goal, game.caro, 0)
    if game.beginner >= 0:
        fill_patterns(seen[ends * ends :], digit, power, radius, game.goal, 1, 0, 1)
    # 2. How either side sees each end: its own marks are 1, and without Caro the edge is a mark of the other.
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
    # 3. Both together.
    starts = (ends * ends if game.beginner == 0 else 0, ends * ends if game.beginner == 1 else 0)
    for after in range(both):
        for before in range(both):
            patterns = types.int64(0)
            for side in range(2):
                code = types.int64(view[side * both + before]) + ends * types.int64(view[side * both + after])
                patterns |= types.int64(seen[starts[side] + code]) << (4 * side)
            game.pattern_table[before + both * after] = patterns
    for patterns in range(PATTERNS * PATTERNS):
        both_quads = quad_with(0, 0, patterns & 15) | quad_with(0, 0, patterns >> 4) << 16
        game.quads_of_patterns[patterns] = both_quads
    _number_ends(game)
