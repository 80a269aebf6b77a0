# mypy: ignore-errors
"""What Python asks of a board's geometry: its lines, the order of its moves and its symmetries."""

from numba import int16, int64, types, void

from kinarow.game.kernel_geometry import (
    BOARD,
    begin_images,
    find_image,
    list_lines,
    order_moves,
    prepare_board,
    read_line,
)
from kinarow.kernels.declare import entry

TABLE = types.Array(int16, 2, "C")


@entry(int64(BOARD, TABLE), "game")
def write_lines(board, table):
    """Write a row for each line: its step, its cells, and its two flanks, -1 for none; return their number."""
    prepare_board(board)
    list_lines(board)
    for index in range(board.lines):
        read_line(board, index)
        table[index, 0] = board.line_step[index]
        for i in range(board.goal):
            table[index, 1 + i] = board.line[i]
        for end in range(2):
            table[index, board.goal + 1 + end] = board.flank[end]
    return board.lines


@entry(void(BOARD), "game")
def write_order(board):
    """Set the fixed ``order`` of moves."""
    prepare_board(board)
    order_moves(board)


@entry(int64(BOARD, int64), "game")
def begin_symmetries(board, most):
    """Prepare ``write_symmetries``; return the number of rows that its table needs."""
    prepare_board(board)
    return begin_images(board, most)


@entry(int64(BOARD, TABLE), "game")
def write_symmetries(board, table):
    """Write the ``image`` of each cell under each symmetry, a row each, the identity first; return their number."""
    count = 0
    for index in range(len(table)):
        if find_image(board, index):
            for cell in range(board.cells):
                table[count, cell] = board.image[cell]
            count += 1
    return count
