# mypy: ignore-errors
"""Cells that make fours, and what marks would change there, worked out without putting the marks."""

from numba import types

from kinarow.kernels.declare import entry, inlined
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import HIGH_CODE, LOW_CODE, pattern_of, quad_of, quad_with
from kinarow.solvers.large_boards.board.kernel_record import BOARD
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, MAX_FOURS, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FOUR, FOUR_CELL, FOUR_THREE_CELL, OPEN_FOUR_CELL, THREE

_MOST_FORESEEN = 8  # cells that make fours among which the board looks for what they have in common


@inlined
def _line_between(board, cell, other):
    """The direction of the line through two cells, -1 for none, and the steps from the second to the first."""
    down = types.int64(board.row[cell]) - types.int64(board.row[other])
    right = cell - other - down * board.columns
    if down == 0:
        return types.int64(0), right
    if right == 0:
        return types.int64(1), down
    if right == down:
        return types.int64(2), down
    if right == -down:
        return types.int64(3), down
    return types.int64(-1), down


@inlined
def _pattern_of_code(board, side, code):
    """The direction pattern of a surrounding for a side."""
    return types.int64(board.pattern_table[code >> HIGH_CODE if side != 0 else code & LOW_CODE])


@inlined
def _is_four_after(board, side, cell, answer):
    """Whether the side still has a four or more on the cell after a mark of the other side on another cell."""
    direction, steps = _line_between(board, cell, answer)
    if direction < 0 or abs(steps) > board.radius:
        return True
    code = board.code[direction, cell] + board.code_change[1 - side, board.radius - steps]
    pattern = _pattern_of_code(board, side, code)
    quad = quad_with(quad_of(board, cell, side), direction, pattern)
    return board.cell_pattern_of_quad[board.quad_row[side], quad] >= FOUR_CELL


@inlined
def _foresees_fours(board):
    """Whether codes say what a mark changes: not with gravity, under Caro, in Renju and without a table of patterns.

    There a mark may make a four of the other side possible, or it takes long to find out.
    """
    return board.gravity == 0 and board.caro == 0 and board.beginner < 0 and board.no_pattern_table == 0


@inlined
def _leaves_four_on_line(board, side, cell, direction, apart):
    """Whether a mark on the cell and its answer, ``apart`` steps before it, leave a four to make on their line."""
    step = board.step[direction]
    after = types.int64(board.reach[cell, direction, 1])
    for steps in range(-types.int64(board.reach[cell, direction, 0]), after + 1):
        place = cell + steps * step
        if steps == 0 or steps == -apart or board.mark[place] != 0:
            continue
        code = board.code[direction, place] + board.code_change[side, board.radius - steps]
        if abs(steps + apart) <= board.radius:
            code += board.code_change[1 - side, board.radius - steps - apart]
        if _pattern_of_code(board, side, code) >= FOUR:
            return True
    return False


@inlined
def _four_may_lead_on(board, side, number, count):
    """Whether a mark on this one of ``board.four_cell`` may be part of a new four: see ``list_fours``."""
    cell = types.int64(board.four_cell[number])
    for i in range(count):
        line, steps = _line_between(board, cell, types.int64(board.four_cell[i]))
        near = i != number and abs(steps) <= board.radius
        board.four_line[i] = line if near else -1
        board.four_steps[i] = steps if near else 0
    for direction in range(DIRECTIONS):
        pattern = pattern_of(board, cell, side, direction)
        if THREE <= pattern < FOUR:
            return True
        code = board.code[direction, cell]
        beside_it = 0
        apart = types.int64(0)
        for i in range(count):
            if board.four_line[i] == direction:
                apart = types.int64(board.four_steps[i])
                code += board.code_change[side, board.radius - apart]
                beside_it += 1
        if pattern >= FOUR:
            if beside_it != 1 or _leaves_four_on_line(board, side, cell, direction, apart):
                return True
        elif beside_it > 0 and _pattern_of_code(board, side, code) >= THREE:
            return True
    return False


@entry(types.int64(BOARD, types.int64))
def list_fours(board, side):
    """List cells where the side makes a four in ``board.four_cell``, those with a three first; returns how many.

    No cell may complete a line or make two fours. A four that may not lead on is left out: alone it wins nothing, and
    where another four gives it a meaning, it can be made after that one. A four and its answer take two of the cells
    that make fours. New ones come only on lines with a three: through one of these cells, were the others all marked
    by the side, or on the line of a four beyond its answer. All are listed where it takes long to find out: with many
    cells, and with more than two under an exact goal, where a further mark may spoil a line.
    """
    count = types.int64(0)
    for cell_pattern in range(FOUR_THREE_CELL, FOUR_CELL - 1, -1):
        for word in range(board.words):
            bits = board.mask[side, cell_pattern, word]
            while bits != ZERO and count < MAX_FOURS:
                board.four_cell[count] = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                count += 1
    if not _foresees_fours(board) or count > _MOST_FORESEEN or (count > 2 and board.exact_goal != 0):
        return count
    leading = types.int64(0)
    for number in range(count):
        leading |= types.int64(_four_may_lead_on(board, side, number, count)) << number
    kept = types.int64(0)
    for number in range(count):
        if leading >> number & 1 != 0:
            board.four_cell[kept] = board.four_cell[number]
            kept += 1
    return kept


@entry(types.boolean(BOARD, types.int64, types.int64))
def leaves_four(board, side, answer):
    """Whether a side may have a cell that makes a four or more after the other side has marked the answer.

    The answer is the only cell that completes a line for the side. True also where that takes long to find out.
    """
    if not _foresees_fours(board):
        return True
    for word in range(board.words):
        bits = board.mask[side, FOUR_CELL, word] | board.mask[side, FOUR_THREE_CELL, word]
        bits |= board.mask[side, OPEN_FOUR_CELL, word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if _is_four_after(board, side, cell, answer):
                return True
    return False
