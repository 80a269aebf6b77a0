# mypy: ignore-errors
"""Prepares an empty board: the surroundings of its cells, their patterns, and the words of its hash."""

import numpy as np
from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.kernel_bits import ONE, mix
from kinarow.solvers.large_boards.board.kernel_cells import HIGH_CODE, quad_of, quad_with
from kinarow.solvers.large_boards.board.kernel_patterns import caro_codes_of_end
from kinarow.solvers.large_boards.board.kernel_record import BOARD
from kinarow.solvers.large_boards.board.kernel_scan import scan_pattern
from kinarow.solvers.large_boards.board.layout import BIT_MASK, DIRECTIONS, MAX_CELLS, WORD_SHIFT

_CANDIDATE_REACH = 2  # an empty cell this near to a mark, on a line with it, is a candidate move
_KEY_SEED = np.uint64(0x9E3779B97F4A7C15)


@part(types.void(BOARD, types.int64))
def _measure_reach(board, cell):
    """Set how many cells lie between a cell and the edge, each way in each direction."""
    row = cell // board.columns
    left = cell - row * board.columns
    right = board.columns - 1 - left
    up = row
    down = board.rows - 1 - row
    board.row[cell] = row
    board.reach[cell, 0, 0] = left
    board.reach[cell, 0, 1] = right
    board.reach[cell, 1, 0] = up
    board.reach[cell, 1, 1] = down
    board.reach[cell, 2, 0] = min(up, left)
    board.reach[cell, 2, 1] = min(down, right)
    board.reach[cell, 3, 0] = min(up, right)
    board.reach[cell, 3, 1] = min(down, left)


@part(types.int64(BOARD, types.int64, types.int64))
def _edge_code(board, cell, direction):
    """The ternary number of a cell's empty surrounding: cells beyond the edge count as the other side's."""
    if board.no_pattern_table != 0:
        return 0
    radius = board.radius
    code = 0
    if board.caro != 0:
        ends = caro_codes_of_end(radius, radius + 1)
        before = caro_codes_of_end(radius, min(types.int64(board.reach[cell, direction, 0]), radius))
        after = caro_codes_of_end(radius, min(types.int64(board.reach[cell, direction, 1]), radius))
        return before + ends * after
    for k in range(1, radius + 1):
        if k > types.int64(board.reach[cell, direction, 0]):
            code += 2 * types.int64(board.power[radius - k])
        if k > types.int64(board.reach[cell, direction, 1]):
            code += 2 * types.int64(board.power[radius + k - 1])
    return code


@part(types.void(BOARD, types.int64))
def _list_near_cells(board, cell):
    """Set the cells that become candidates by a mark on a cell."""
    row = cell // board.columns
    column = cell - row * board.columns
    for down in range(-_CANDIDATE_REACH, _CANDIDATE_REACH + 1):
        for right in range(-_CANDIDATE_REACH, _CANDIDATE_REACH + 1):
            on_line = down == 0 or right == 0 or abs(down) == abs(right)
            inside = 0 <= row + down < board.rows and 0 <= column + right < board.columns
            if on_line and inside and (down != 0 or right != 0):
                other = (row + down) * board.columns + column + right
                board.near_cells[cell, other >> WORD_SHIFT] |= ONE << np.uint64(other & BIT_MASK)


@entry(types.void(BOARD))
def prepare(board):
    """Set up every cell of an empty board whose sizes and tables are already there; the network comes after it."""
    for place in range(2 * board.radius if board.no_pattern_table == 0 else 0):
        power = types.uint64(board.power[place])
        index = place if place < board.radius else place + 1
        board.code_change[0, index] = power + (power << (HIGH_CODE + ONE))
        board.code_change[1, index] = (power << ONE) + (power << HIGH_CODE)
    for cell in range(board.cells):
        board.open_mask[cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
        _measure_reach(board, cell)
        _list_near_cells(board, cell)
    for cell in range(board.cells):
        for direction in range(DIRECTIONS):
            code = _edge_code(board, cell, direction)
            for end in range(2):
                board.reach[cell, direction, end] = min(types.int64(board.reach[cell, direction, end]), board.radius)
            board.code[direction, cell] = types.uint64(
                code + board.first_code[0] + ((code + board.first_code[1]) << 32)
            )
            for side in range(2):
                if board.no_pattern_table != 0:
                    pattern = scan_pattern(board, cell, side, direction)
                else:
                    pattern = types.int64(board.pattern_table[code + board.first_code[side]])
                quad = quad_with(quad_of(board, cell, side), direction, pattern)
                board.quads[cell] = (types.int64(board.quads[cell]) & (0xFFFF << (16 * (1 - side)))) | (
                    quad << (16 * side)
                )
        for side in range(2):
            cell_pattern = types.int64(board.cell_pattern_of_quad[board.quad_row[side], quad_of(board, cell, side)])
            board.cell_pattern[cell, side] = cell_pattern
            board.mask[side, cell_pattern, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
            board.count[side, cell_pattern] += 1


@entry(types.void(BOARD))
def fill_keys(board):
    """Fill in the random words of the position's hash: the same on every machine."""
    word = _KEY_SEED
    for side in range(2):
        for cell in range(MAX_CELLS):
            word = word + _KEY_SEED
            board.zobrist[side, cell] = mix(word)
