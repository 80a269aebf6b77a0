# mypy: ignore-errors
"""The lines of a board, and the Maker-Breaker game of a position with at most 64 empty cells."""

import numba
from numba import boolean, int8, int64, types, uint64, void

from kinarow.game.kernel_geometry import BOARD, drop_repeated, list_lines, prepare_board, read_line, sort_by_run
from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO
from kinarow.solvers.common.kernel_games import read_rules, write_images
from kinarow.solvers.maker_breaker.kernel_lines import GAME
from kinarow.solvers.maker_breaker.layout import LINES_DTYPE, MAX_LINES

LINES = numba.from_dtype(LINES_DTYPE)
MARKS = types.Array(int8, 1, "C")
EMPTY = 0


@entry(void(BOARD, LINES))
def set_rules(board, lines):
    """Fill a zeroed record with the board's lines. Caro is ignored: it only removes lines, so a draw stays a draw."""
    read_rules(board, lines)
    for index in range(board.cells):
        lines.order[index] = board.order[index]
    list_lines(board)
    sort_by_run(board)
    drop_repeated(board, board.exact_goal)
    lines.columns = board.columns
    lines.lines = board.lines
    for index in range(board.lines):
        read_line(board, index)
        for i in range(board.goal):
            lines.cell[index * board.goal + i] = board.line[i]
        for end in range(2):
            lines.flank[index, end] = board.flank[end]
        lines.direction[index] = board.line_step[index]


@part(boolean(LINES, MARKS, int64, int64))
def is_open(lines, marks, index, maker):
    """Return True if a side (``maker``, 1 or 2) can still complete the line; with an exact goal flanks may spoil it."""
    breaker = 3 - maker
    for i in range(lines.goal):
        if marks[lines.cell[index * lines.goal + i]] == breaker:
            return False
    for end in range(2 if lines.exact_goal != 0 else 0):
        flank = lines.flank[index, end]
        if flank >= 0 and marks[flank] == maker:
            return False
    return True


@entry(int64(BOARD, LINES, GAME, int64))
def set_game(board, lines, game, maker):
    """Fill a zeroed game record with the lines that a side can still complete; return their number, -1 if too many."""
    prepare_board(board)
    for index in range(lines.cells):
        cell = lines.order[index]
        board.place[cell] = -1
        if board.marks[cell] == EMPTY:
            board.place[cell] = game.cells
            board.order[game.cells] = cell
            game.cells += 1
    for index in range(lines.lines):
        if is_open(lines, board.marks[:], index, maker):
            if game.lines == MAX_LINES:
                return -1
            line = ZERO
            for i in range(lines.goal):
                place = board.place[lines.cell[index * lines.goal + i]]
                if place >= 0:
                    line |= ONE << uint64(place)
            game.line[game.lines] = line
            game.lines += 1
    if game.lines > 0:
        write_images(board, game.images)
    return game.lines
