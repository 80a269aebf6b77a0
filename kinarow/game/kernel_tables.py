# mypy: ignore-errors
"""The kernels that Python calls for a board's lines, the order of its moves and its symmetries."""

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
    """Write a row for each line: the index of its step, its cells, and two flanks, -1 for none; return the count."""
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
    """Set ``order``, the fixed order of moves."""
    prepare_board(board)
    order_moves(board)


@entry(int64(BOARD, int64), "game")
def begin_symmetries(board, most):
    """Prepare ``write_symmetries``, with at most ``most`` symmetries or none that shift; return its table's rows."""
    prepare_board(board)
    return begin_images(board, most)


@entry(int64(BOARD, TABLE), "game")
def write_symmetries(board, table):
    """Write a row for each symmetry, identity first, with the ``image`` of each cell; return the number of rows."""
    count = 0
    for index in range(len(table)):
        if find_image(board, index):
            for cell in range(board.cells):
                table[count, cell] = board.image[cell]
            count += 1
    return count
