# mypy: ignore-errors
"""Prepares the empty board of a game: lines, candidate cells, patterns and zobrist words."""

import numpy as np
from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, mix
from kinarow.solvers.large_boards.board.kernel_cells import quad_of, quad_with
from kinarow.solvers.large_boards.board.kernel_lines import lay_out_lines, pattern_on, set_patterns
from kinarow.solvers.large_boards.board.kernel_quads import fill_cell_patterns, number_tuples
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_scan import scan_pattern
from kinarow.solvers.large_boards.board.layout import (
    BIT_MASK,
    BLOCKED_MARK,
    DIRECTIONS,
    MAX_CELLS,
    MAX_LINES,
    MAX_TABLE_CELLS,
    WORD_SHIFT,
)

_CANDIDATE_REACH = 2  # an empty cell within so many steps of a mark, on a line with it, is a candidate move
_KEY_SEED = np.uint64(0x9E3779B97F4A7C15)
_MAX_CARO_CELLS = 10  # the widest window with a pattern table under Caro, where windows also encode the edge
# Added to the hash in Renju, by the side that began: after a pass the same marks can occur in games of either beginner.
_BEGINNER_KEYS = (np.uint64(0xD6E8FEB86659FD93), np.uint64(0x9FB21C651E98DF25))


@part(types.boolean(GAME, types.int64))
def is_blocked(game, cell):
    """Return True if the cell is blocked."""
    return (game.blocked[cell >> WORD_SHIFT] >> np.uint64(cell & BIT_MASK)) & ONE != ZERO


@part(types.void(GAME, types.int64))
def _measure_reach(game, cell):
    """Set the steps each way from the cell to the edge or a blocked cell, at most the radius."""
    game.row[cell] = cell // game.columns
    for direction in range(DIRECTIONS):
        for end in range(2):
            down = 2 * end - 1 if direction > 0 else 0
            right = (2 * end - 1) * (1, 0, 1, -1)[direction]
            row = cell // game.columns + down
            column = cell % game.columns + right
            steps = 0
            while steps < game.radius and 0 <= row < game.rows and 0 <= column < game.columns:
                if is_blocked(game, row * game.columns + column):
                    break
                steps += 1
                row += down
                column += right
            game.reach[cell, direction, end] = steps


@part(types.void(GAME, types.int64))
def _set_near_cells(game, cell):
    """Set the cells that a mark on ``cell`` makes candidate moves."""
    row = cell // game.columns
    column = cell - row * game.columns
    for down in range(-_CANDIDATE_REACH, _CANDIDATE_REACH + 1):
        for right in range(-_CANDIDATE_REACH, _CANDIDATE_REACH + 1):
            on_line = down == 0 or right == 0 or abs(down) == abs(right)
            inside = 0 <= row + down < game.rows and 0 <= column + right < game.columns
            if on_line and inside and (down != 0 or right != 0):
                other = (row + down) * game.columns + column + right
                game.near_cells[cell, other >> WORD_SHIFT] |= ONE << np.uint64(other & BIT_MASK)


@part(types.void(GAME, STATE))
def _prepare_cells(game, state):
    """Set what a game record holds for each cell: zobrist words, reach, lines, candidates, patterns of no marks."""
    word = _KEY_SEED
    for side in range(2):
        for cell in range(MAX_CELLS):
            word += _KEY_SEED
            game.zobrist[side, cell] = mix(word)
    for cell in range(game.cells):
        state.mark[cell] = 0
        _measure_reach(game, cell)
        lay_out_lines(game, cell)
        _set_near_cells(game, cell)
    for cell in range(game.cells):
        for direction in range(DIRECTIONS):
            for side in range(2):
                if game.no_pattern_table != 0:
                    pattern = scan_pattern(game, state, cell, side, direction)
                else:
                    line = game.empty_lines[direction, game.line[cell, direction]]
                    pattern = pattern_on(game, side, line, game.line_bit[cell, direction])
                quad = quad_with(types.int64(0), direction, pattern)
                game.empty_quads[cell] |= types.uint32(quad << (16 * side))


@entry(types.void(GAME, STATE, *[types.int64] * 8))
def set_rules(game, state, rows, columns, goal, gravity, misere, exact_goal, caro, beginner):
    """Set the rules of a zeroed game record and all that follows from them; tunables and weights are set elsewhere.

    ``beginner`` is the side under Renju's restrictions, -1 in other games. ``state`` is scratch memory.
    """
    game.rows = rows
    game.columns = columns
    game.cells = rows * columns
    game.goal = goal
    game.words = (game.cells + BIT_MASK) >> WORD_SHIFT
    game.gravity = gravity
    game.misere = misere
    game.exact_goal = exact_goal
    game.caro = caro
    game.beginner = beginner
    game.step[0] = 1
    for direction in range(1, DIRECTIONS):
        game.step[direction] = columns + (0, 0, 1, -1)[direction]
    number_tuples(game.tuple_of_quad[:])
    for side in range(2):
        fill_cell_patterns(game.cell_pattern_of_quad[side], game.tuple_of_quad[:], game.tuple_points[:], side)
    if beginner >= 0:
        game.quad_row[beginner] = ONE
        game.empty_key = _BEGINNER_KEYS[0] if beginner == 0 else _BEGINNER_KEYS[1]
    game.radius = goal if exact_goal != 0 or caro != 0 or beginner >= 0 else goal - 1
    game.no_pattern_table = 2 * game.radius > (_MAX_CARO_CELLS if caro != 0 else MAX_TABLE_CELLS)
    if game.no_pattern_table == 0:
        set_patterns(game, state)
    _prepare_cells(game, state)


@part(types.void(GAME, STATE))
def clear(game, state):
    """Clear the board of a possibly uninitialised state; the network's sums are left to ``load``."""
    state.empty = 0
    state.key = game.empty_key
    state.count[:] = 0
    state.mask[:] = ZERO
    state.near_mask[:] = ZERO
    state.open_mask[:] = ZERO
    state.stones[:] = ZERO
    for direction in range(DIRECTIONS):
        for line in range(MAX_LINES):
            state.lines[direction, line] = game.empty_lines[direction, line]
    for cell in range(game.cells):
        state.mark[cell] = BLOCKED_MARK if is_blocked(game, cell) else 0
        state.quads[cell] = game.empty_quads[cell]
        if state.mark[cell] != 0:
            continue
        state.empty += 1
        word = cell >> WORD_SHIFT
        bit = ONE << np.uint64(cell & BIT_MASK)
        state.open_mask[word] |= bit
        for side in range(2):
            cell_pattern = types.int64(game.cell_pattern_of_quad[game.quad_row[side], quad_of(state, cell, side)])
            state.cell_pattern[cell, side] = cell_pattern
            state.mask[side, cell_pattern, word] |= bit
            state.count[side, cell_pattern] += 1
    # Arrays by number of marks count blocked cells as marks, so theirs is the first index in use.
    state.log_end[game.cells - state.empty] = 0
    state.pattern_log_end[game.cells - state.empty] = 0
