# mypy: ignore-errors
"""Fills in what the game records of boards of at most 64 cells have in common: lines as bit masks, symmetries."""

from numba import int64, types, uint64, void

from kinarow.game.kernel_geometry import (
    BOARD,
    begin_images,
    drop_repeated,
    find_image,
    keeps_marks,
    list_lines,
    order_moves,
    prepare_board,
    read_line,
)
from kinarow.game.size import MANY_SYMMETRIES
from kinarow.kernels.declare import inlined, part
from kinarow.solvers.common.capacity import MAX_SYMMETRIES
from kinarow.solvers.common.kernel_bits import ONE, ZERO
from kinarow.solvers.common.kernel_proof_table import IMAGES

MASKS = types.Array(uint64, 1, "C")


@inlined
def read_rules(board, game):
    """Prepare a board with its move order, and copy to ``game`` the rules that all game records have."""
    prepare_board(board)
    order_moves(board)
    game.cells = board.cells
    game.goal = board.goal
    game.misere = board.misere
    game.exact_goal = board.exact_goal


@part(uint64(BOARD))
def all_cells(board):
    """Return the bitboard of all cells that have a place (the index of a bit)."""
    cells = ZERO
    for cell in range(board.cells):
        if board.place[cell] >= 0:
            cells |= ONE << uint64(board.place[cell])
    return cells


@part(int64(BOARD, MASKS, MASKS))
def write_lines(board, lines, flanks):
    """Write the distinct lines, and their flanks if the rules need them, as bit masks; return how many."""
    with_flanks = 1 if board.exact_goal != 0 or board.caro != 0 else 0
    list_lines(board)
    drop_repeated(board, with_flanks)
    for index in range(board.lines):
        read_line(board, index)
        line = ZERO
        for i in range(board.goal):
            line |= ONE << uint64(board.place[board.line[i]])
        flank = ZERO
        for end in range(2 * with_flanks):
            if board.flank[end] >= 0:
                flank |= ONE << uint64(board.place[board.flank[end]])
        lines[index] = line
        flanks[index] = flank
    return board.lines


@inlined
def set_lines(board, game, off):
    """Set the cells, move order, lines and symmetries of a game record, after ``read_rules``."""
    game.off = off
    game.full = all_cells(board)
    for index in range(board.cells):
        game.order[index] = board.place[board.order[index]]
    game.lines = write_lines(board, game.line[:], game.flank[:])
    write_images(board, game.images)


@part(int64(BOARD))
def _fixed_cells(board):
    """Return how many cells the symmetry in ``board.image`` leaves in place; -1 if it isn't its own inverse."""
    fixed = 0
    for cell in range(board.cells):
        image = board.image[cell]
        if board.image[image] != cell:
            return -1
        fixed += image == cell
    return fixed


@part(void(BOARD, IMAGES))
def _write_image(board, images):
    """Append the symmetry in ``board.image`` to ``images``."""
    number = images.count
    images.fixed[number] = ZERO
    for cell in range(board.cells):
        place = board.place[cell]
        if place >= 0:
            image = board.place[board.image[cell]]
            images.image[number, place] = image
            if image == place:
                images.fixed[number] |= ONE << uint64(place)
    images.count += 1


@part(void(BOARD, IMAGES))
def write_images(board, images):
    """Write the symmetries of the board as maps of places, with their inverses, the identity first.

    If there are more than the record holds, keep the involutions that leave the fewest cells in place: they serve
    mirror play.
    """
    tries = begin_images(board, MANY_SYMMETRIES)
    found = 0
    board.number[: board.cells + 1] = 0
    for index in range(tries):
        if find_image(board, index) and keeps_marks(board):
            found += 1
            fixed = _fixed_cells(board)
            if fixed >= 0:
                board.number[fixed] += 1
    images.count = 0
    fit_all = found <= MAX_SYMMETRIES
    for fixed in range(-1, board.cells):
        # First (-1) all of them if they fit, else the identity; then the involutions by fixed cells.
        if fixed >= 0 and (fit_all or board.number[fixed] == 0):
            continue
        for index in range(tries if fixed >= 0 or fit_all else 1):
            if images.count < MAX_SYMMETRIES and find_image(board, index) and keeps_marks(board):
                if fixed < 0 or _fixed_cells(board) == fixed:
                    _write_image(board, images)
    for number in range(images.count):
        images.inverse[number] = _inverse(board, images, number)


@part(int64(BOARD, IMAGES, int64))
def _inverse(board, images, number):
    """Return the number of the listed symmetry that undoes another; 0 if it isn't listed."""
    for other in range(images.count):
        undone = True
        for cell in range(board.cells):
            place = board.place[cell]
            if place >= 0 and images.image[other, images.image[number, place]] != place:
                undone = False
                break
        if undone:
            return other
    return 0
