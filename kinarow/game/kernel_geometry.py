# mypy: ignore-errors
"""The lines of a board, its symmetries and the order of its moves, from the rules alone (``geometry`` says more)."""

import numba
import numpy as np
from numba import boolean, int64, uint64, void

from kinarow.game.board_record import BOARD_DTYPE
from kinarow.game.size import MAX_CELLS
from kinarow.kernels.declare import part

BOARD = numba.from_dtype(BOARD_DTYPE)

BLOCKED = 3
LARGEST_CUBE = 4

# The steps within a layer (rows, columns), in the order of ``DIRECTION_NAMES``; a step to the layer above changes row
# and column by -1, 0 or 1.
_DOWN = (0, 1, 1, 1)
_RIGHT = (1, 0, 1, -1)
# The six orders of the three axes: at 3 * order + i stands the axis that becomes axis i.
_AXES = (0, 1, 2, 0, 2, 1, 1, 0, 2, 1, 2, 0, 2, 0, 1, 2, 1, 0)
_TURNS = 6 * 8  # Orders of the axes, each with any of the three axes reversed
# Permutations of the coordinates 0 to 3 that keep opposite ones opposite; of each and its reverse only one. They are
# symmetries of Qubic's cube.
_NAMES = (0, 1, 2, 3, 0, 2, 1, 3, 1, 0, 3, 2, 1, 3, 0, 2)

_CELL_WORD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_NONE = np.uint64(0)


# ---------------------------------------------------------------- lines


@part(void(BOARD))
def prepare_board(board):
    """Set the number of cells and the steps of a board whose rules and marks are set."""
    board.cells = board.layers * board.rows * board.columns
    board.steps = 0
    for direction in range(4):
        if board.layers > 1 or (board.directions >> direction) & 1:
            _add_step(board, 0, _DOWN[direction], _RIGHT[direction])
    if board.layers > 1:
        for down in range(-1, 2):
            for right in range(-1, 2):
                _add_step(board, 1, down, right)


@part(void(BOARD, int64, int64, int64))
def _add_step(board, up, down, right):
    """Add a step along which lines lie, and after how many steps it leads back (``ring``), at most goal + 2."""
    step = board.steps
    board.step[step, 0] = up
    board.step[step, 1] = down
    board.step[step, 2] = right
    board.steps += 1
    back = 1
    while back < board.goal + 2:
        rows = back * down % board.rows if board.wraps_columns != 0 else down
        columns = back * right % board.columns if board.wraps_rows != 0 else right
        if up == 0 and rows == 0 and columns == 0:
            break
        back += 1
    board.ring[step] = back


@part(int64(BOARD, int64, int64, int64))
def _moved(board, cell, step, by):
    """Return the cell that is ``by`` steps away; -1 if it is blocked or off the board."""
    column = cell % board.columns + by * board.step[step, 2]
    row = cell // board.columns % board.rows + by * board.step[step, 1]
    layer = cell // (board.rows * board.columns) + by * board.step[step, 0]
    if board.wraps_columns != 0:
        row %= board.rows
    if board.wraps_rows != 0:
        column %= board.columns
    if not (0 <= layer < board.layers and 0 <= row < board.rows and 0 <= column < board.columns):
        return -1
    other = (layer * board.rows + row) * board.columns + column
    return other if board.marks[other] != BLOCKED else -1


@part(boolean(BOARD, int64, int64))
def _find_line(board, step, first):
    """Set ``line`` and ``flank`` to the line along a step from its first cell; return False if there is none.

    A line that is a whole ring counts once, from its lowest cell.
    """
    gap = board.ring[step] - board.goal  # cells of the ring beside the line; 2 also stands for more, and for no ring
    if gap < 0:
        return False
    for i in range(board.goal):
        cell = _moved(board, first, step, i)
        if cell < 0 or (gap == 0 and cell < first):
            return False
        board.line[i] = cell
    # A line that is a whole ring has no flanks; in a ring with one cell more, that cell is the only flank.
    board.flank[0] = _moved(board, first, step, -1) if gap > 0 else -1
    board.flank[1] = _moved(board, first, step, board.goal) if gap > 1 else -1
    return True


@part(uint64(int64))
def _word(cell):
    """Return a pseudo-random word for a cell; the hash of a set of cells is the sum of their words."""
    word = uint64(cell + 1) * _CELL_WORD
    word = (word ^ (word >> _HALF)) * _CELL_WORD
    return word ^ (word >> _HALF)


@part(uint64(BOARD, int64))
def _hash(board, with_flanks):
    """Return the hash of the cells of the line read last; ``with_flanks``, unless 0, adds its flanks."""
    found = _NONE
    for i in range(board.goal):
        found += _word(board.line[i])
    for end in range(2 if with_flanks != 0 else 0):
        if board.flank[end] >= 0:
            found += _word(board.flank[end] + MAX_CELLS)
    return found


@part(void(BOARD))
def list_lines(board):
    """List the lines of all directions, ordered by direction and first cell."""
    board.lines = 0
    for step in range(board.steps):
        for first in range(board.cells):
            if _find_line(board, step, first):
                board.line_step[board.lines] = step
                board.line_first[board.lines] = first
                board.lines += 1


@part(void(BOARD, int64))
def drop_repeated(board, with_flanks):
    """Remove lines with the same cells as an earlier line; ``with_flanks``, unless 0, only if flanks are equal too.

    There are such lines only with goal 1 or joined edges.
    """
    if board.goal > 1 and board.wraps_rows == 0 and board.wraps_columns == 0:
        return
    count = 0
    for index in range(board.lines):
        read_line(board, index)
        word = _hash(board, with_flanks)
        known = False
        for i in range(count):
            if board.line_hash[i] == word:
                known = True
                break
        if not known:
            board.line_hash[count] = word
            board.line_step[count] = board.line_step[index]
            board.line_first[count] = board.line_first[index]
            count += 1
    board.lines = count


@part(void(BOARD))
def sort_by_run(board):
    """Sort the lines so that all lines in one row, column or diagonal follow each other."""
    for index in range(board.lines):
        read_line(board, index)
        line_step = board.line_step[index]
        line_first = board.line_first[index]
        # Cells of one row, column or diagonal have the same remainder by the step.
        step = abs(board.line[1] - board.line[0]) if board.goal > 1 else 1
        key = uint64((int64(line_step) << 20) + (board.line[0] % step << 10) + board.line[0])
        place = index
        while place > 0 and board.line_hash[place - 1] > key:
            board.line_hash[place] = board.line_hash[place - 1]
            board.line_step[place] = board.line_step[place - 1]
            board.line_first[place] = board.line_first[place - 1]
            place -= 1
        board.line_hash[place] = key
        board.line_step[place] = line_step
        board.line_first[place] = line_first


@part(void(BOARD, int64))
def read_line(board, index):
    """Set ``line`` and ``flank`` to a line in the list."""
    _find_line(board, int64(board.line_step[index]), int64(board.line_first[index]))


# ---------------------------------------------------------------- the order of moves


@part(void(BOARD))
def order_moves(board):
    """Set ``order`` to the cells as equal moves are preferred: most lines, then nearest the centre, then tile.

    With gravity and one layer a player chooses only the column, so the order is by column, nearest the centre first,
    and within it from the floor up. Replaces the list of lines.
    """
    by_column = board.gravity != 0 and board.layers == 1
    board.number[: board.cells] = 0
    list_lines(board)
    drop_repeated(board, 0)
    for index in range(board.lines):
        read_line(board, index)
        for i in range(board.goal):
            board.number[board.line[i]] -= 1  # negative, so that cells on more lines have a lower rank
    for cell in range(board.cells):
        column = cell % board.columns
        row = cell // board.columns % board.rows
        layer = cell // (board.rows * board.columns)
        across = abs(2 * column - board.columns + 1)
        down = abs(2 * row - board.rows + 1)
        up = abs(2 * layer - board.layers + 1)
        if by_column:
            rank = (across << 20) + (column << 10) + board.rows - row
        else:
            rank = (board.number[cell] << 20) + ((across + down + up) << 10)
        # Insertion sort is stable, so cells of equal rank stay in tile order.
        place = cell
        while place > 0 and board.image[place - 1] > rank:
            board.image[place] = board.image[place - 1]
            board.order[place] = board.order[place - 1]
            place -= 1
        board.image[place] = rank
        board.order[place] = cell


# ---------------------------------------------------------------- symmetries


@part(boolean(BOARD, int64))
def _is_ring(board, axis):
    """Return True if a cyclic shift along an axis gives an equivalent board: 0 layers, 1 rows, 2 columns.

    Axis 1 moves the rows, so the columns must wrap; with gravity rows can't move.
    """
    if axis == 1:
        return board.wraps_columns != 0 and board.gravity == 0
    return axis == 2 and board.wraps_rows != 0


@part(int64(BOARD, int64))
def _side(board, axis):
    """Return the number of cells along an axis: 0 layers, 1 rows, 2 columns."""
    return board.layers if axis == 0 else board.rows if axis == 1 else board.columns


@part(boolean(BOARD, int64))
def _is_turn(board, turn):
    """Return True if a turn is a symmetry of the board: it keeps its sides, its joined edges, gravity and its steps.

    ``turn // 8 % 6`` is the order of the axes; the bit ``2 - axis`` of ``turn`` reverses an axis.
    """
    order = turn // 8 % 6
    for i in range(3):
        axis = _AXES[3 * order + i]
        turned = (turn >> (2 - axis)) & 1
        fixed = board.layers == 1 if i == 0 else i == 1 and board.gravity != 0 and board.layers == 1
        fixed = fixed or (i == 0 and board.gravity != 0)
        if fixed and (axis != i or turned == 1):
            return False
        if _side(board, axis) != _side(board, i) or _is_ring(board, axis) != _is_ring(board, i):
            return False
    for step in range(board.steps):
        code = 0  # the step as a number in base 3, positive where its first coordinate is
        for i in range(3):
            axis = _AXES[3 * order + i]
            along = board.step[step, axis]
            code = 3 * code + (-along if (turn >> (2 - axis)) & 1 else along)
        known = False
        for other in range(board.steps):
            if abs(code) == 9 * board.step[other, 0] + 3 * board.step[other, 1] + board.step[other, 2]:
                known = True
        if not known:
            return False
    return True


@part(int64(BOARD, int64))
def begin_images(board, most):
    """Prepare ``find_image``, and return the number of indices to try; some of them have no symmetry.

    If there are more than ``most`` symmetries, those that shift the board are left out. On Qubic's cube some symmetries
    rename coordinates (Silver, 1967). Marks do not matter.
    """
    is_cube = 1 < board.goal == board.layers == board.rows == board.columns == LARGEST_CUBE and board.gravity == 0
    turns = 4 * _TURNS if is_cube else _TURNS
    board.shifts[0] = board.rows if _is_ring(board, 1) else 1
    board.shifts[1] = board.columns if _is_ring(board, 2) else 1
    found = 0
    for turn in range(turns):
        found += _is_turn(board, turn % _TURNS)
    if found * board.shifts[0] * board.shifts[1] > most:
        board.shifts[:] = 1
    return turns * board.shifts[0] * board.shifts[1]


@part(boolean(BOARD, int64))
def find_image(board, index):
    """Set ``image`` to the symmetry with this index, 0 being the identity; return False if the index has none.

    The symmetry moves the mark of cell ``image[c]`` to cell ``c``.
    """
    shift = index % (board.shifts[0] * board.shifts[1])
    turn = index // (board.shifts[0] * board.shifts[1])
    if not _is_turn(board, turn % _TURNS):
        return False
    name = turn // _TURNS
    order = turn // 8 % 6
    for cell in range(board.cells):
        image = 0
        for i in range(3):
            axis = _AXES[3 * order + i]
            side = _side(board, i)
            if axis == 2:
                place = cell % board.columns
            elif axis == 1:
                place = cell // board.columns % board.rows
            else:
                place = cell // (board.rows * board.columns)
            if name > 0:
                place = _NAMES[LARGEST_CUBE * name + place]
            if (turn >> (2 - axis)) & 1:
                place = side - 1 - place
            if i == 1:
                place = (place + shift // board.shifts[1]) % side
            elif i == 2:
                place = (place + shift % board.shifts[1]) % side
            image = image * side + place
        board.image[cell] = image
    return True


@part(boolean(BOARD))
def keeps_marks(board):
    """Return True if the symmetry found last maps the board's marks on themselves."""
    for cell in range(board.cells):
        if board.marks[board.image[cell]] != board.marks[cell]:
            return False
    return True
