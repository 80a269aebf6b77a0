# mypy: ignore-errors
"""Bitboards: a board in the bits of one 64-bit word; lines are found by shifts.

A cell is one bit, and its neighbour in a direction is a fixed number of bits away (the direction's *stride*). A spare
bit that is never marked is above each column (or, in the other layout, at the end of each row), so that no shift wraps
from one column into the next. A 2 x 3 board, spare bits dotted:

    by columns            by rows (where only that fits)
      .  .  .
      1  4  7               4  5  6  .
      0  3  6               0  1  2  .

The layout by columns fits if (rows + 1) * columns <= 64, that by rows if (columns + 1) * rows <= 64. In both, one step
up is a shift to the left by ``up``, so the code below serves both.

A *span* is ``goal`` cells in a row, given by its lowest bit. Only directions in which a span fits the board are
listed, so every shift within a span is below 64 bits. A *line* is a span of marks of one side; with an exact goal
that side must have no mark on its flanks (the two cells that would make it longer).
"""

import numba
from numba import boolean, int64, uint64, void

from kinarow.game.kernel_geometry import BLOCKED, BOARD
from kinarow.kernels.declare import part
from kinarow.solvers.common.capacity import MAX_COLUMNS, WORD_BITS
from kinarow.solvers.common.kernel_bits import ALL, ONE, ZERO
from kinarow.solvers.common.kernel_games import all_cells, read_rules
from kinarow.solvers.common.layout import DIRECTIONS, GAME_DTYPE

GAME = numba.from_dtype(GAME_DTYPE)


# ---------------------------------------------------------------- the record


@part(uint64(int64))
def bit(place):
    """Return the bitboard of one cell."""
    return ONE << uint64(place)


@part(boolean(BOARD))
def is_by_columns(board):
    """Return True if the layout is by columns."""
    return (board.rows + 1) * board.columns <= WORD_BITS


@part(boolean(BOARD))
def has_layout(board):
    """Return True if the board is a plain rectangle that fits one of the layouts."""
    if board.layers > 1 or board.wraps_rows != 0 or board.wraps_columns != 0 or board.steps < DIRECTIONS:
        return False
    for cell in range(board.cells):
        if board.marks[cell] == BLOCKED:
            return False
    return is_by_columns(board) or ((board.columns + 1) * board.rows <= WORD_BITS and board.columns <= MAX_COLUMNS)


@part(void(BOARD))
def place_cells(board):
    """Set the bit index (``place``) of each cell of a board that has a layout."""
    by_columns = is_by_columns(board)
    for cell in range(board.cells):
        height = board.rows - 1 - cell // board.columns
        column = cell % board.columns
        board.place[cell] = column * (board.rows + 1) + height if by_columns else height * (board.columns + 1) + column


@part(void(GAME, int64, int64))
def _add_stride(game, stride, length):
    """Add a direction if a span fits its longest line, of ``length`` cells."""
    if game.goal <= length:
        game.stride[game.directions] = stride
        game.directions += 1


@part(void(BOARD, GAME, int64))
def set_bitboard(board, game, off):
    """Fill a zeroed game record from a board that has a layout; ``off`` is the sum of the ``OFF_...`` switches."""
    read_rules(board, game)
    place_cells(board)
    rows = game.rows = board.rows
    columns = game.columns = board.columns
    game.gravity = board.gravity
    game.off = off
    by_columns = is_by_columns(board)
    up = 1 if by_columns else columns + 1
    side = rows + 1 if by_columns else 1
    game.up = up
    game.side = side
    game.by_rows = 0 if by_columns else 1
    game.directions = 0
    _add_stride(game, up, rows)
    if columns == 1:
        # For goal 1 a mark is a line across the single column too. The longest shift moves every cell off the board.
        _add_stride(game, WORD_BITS - 1, 1)
    else:
        _add_stride(game, side, columns)
        _add_stride(game, side + up, min(rows, columns))
        _add_stride(game, abs(side - up), min(rows, columns))
    game.fill_steps = 0
    while (rows - 1) >> game.fill_steps != 0:
        game.fill_steps += 1
    game.board = all_cells(board)
    for column in range(columns):
        game.bottom |= bit(column * side)
        if by_columns:
            game.column[column] = bit(column * side + rows)
    for cell in range(board.cells):
        mark = bit(board.place[cell])
        game.column[cell % columns] |= mark
        if cell // columns % 2 == 0:
            game.claim |= mark
    for index in range(board.cells):
        place = board.place[board.order[index]]
        game.order[index] = place
        game.rank[place] = index


# ---------------------------------------------------------------- spans


@part(uint64(GAME, uint64, uint64))
def spans(game, stride, cells):
    """Return the first cells of the runs of ``goal`` cells within ``cells``, by doubling; goal 4 has a faster path."""
    if game.goal == 4:
        part = cells & (cells >> stride)
        return part & (part >> (stride + stride))
    whole = ALL
    part = cells
    offset = ZERO
    step = stride
    goal = game.goal
    while True:
        if goal & 1:
            whole &= part >> offset
            offset += step
        goal >>= 1
        if goal == 0:
            return whole
        part &= part >> step
        step += step


@part(uint64(GAME, uint64, uint64, uint64))
def gapped_spans(game, stride, own, empty):
    """Return the spans of a direction with exactly one empty cell and own marks on all others (own & empty = 0)."""
    whole = ALL
    whole_gapped = ZERO
    part = own
    part_gapped = empty
    offset = ZERO
    step = stride
    goal = game.goal
    while True:
        if goal & 1:
            whole_gapped = (whole_gapped & (part >> offset)) | (whole & (part_gapped >> offset))
            whole &= part >> offset
            offset += step
        goal >>= 1
        if goal == 0:
            return whole_gapped
        part_gapped = (part_gapped & (part >> step)) | (part & (part_gapped >> step))
        part &= part >> step
        step += step


@part(uint64(GAME, uint64, uint64))
def flanked(game, stride, marks):
    """Return the spans of a direction that have one of ``marks`` on a flank."""
    span = uint64(game.goal - 1) * stride
    # Two shifts, because their sum may reach 64 bits.
    return (marks << stride) | ((marks >> span) >> stride)


@part(uint64(GAME, uint64, uint64))
def covered(game, stride, cells):
    """Return all cells of the spans of a direction, given as their lowest bits in ``cells``."""
    length = 1
    while length < game.goal:
        step = min(length, game.goal - length)
        cells |= cells << (uint64(step) * stride)
        length += step
    return cells


# ---------------------------------------------------------------- lines


@part(uint64(uint64, uint64))
def fourth_cells(stride, own):
    """Return the cells that complete four in a row in a direction: beside three own marks, or between two and one."""
    twice = stride + stride
    below = own << stride
    above = own >> stride
    two_below = below & (own << twice)
    two_above = above & (own >> twice)
    three = (two_below & (own << (twice + stride))) | (two_above & (own >> (twice + stride)))
    return three | (two_below & above) | (two_above & below)


@part(boolean(GAME, uint64))
def has_span(game, cells):
    """Return True if a span is within ``cells``, whatever is on its flanks."""
    held = ZERO
    if game.goal == 4 and game.directions == DIRECTIONS:
        for i in range(DIRECTIONS):
            part = cells & (cells >> game.stride[i])
            held |= part & (part >> (game.stride[i] + game.stride[i]))
        return held != ZERO
    for i in range(game.directions):
        if spans(game, game.stride[i], cells) != ZERO:
            return True
    return False


@part(boolean(GAME, uint64))
def has_line(game, marks):
    """Return True if these marks of one side contain a line."""
    if game.exact_goal == 0:
        return has_span(game, marks)
    for i in range(game.directions):
        stride = game.stride[i]
        if (spans(game, stride, marks) & ~flanked(game, stride, marks)) != ZERO:
            return True
    return False


@part(uint64(GAME, uint64, uint64))
def completing_cells(game, own, empty):
    """Return the empty cells where a mark completes an own line (own & empty = 0)."""
    completing = ZERO
    if game.goal == 4 and game.exact_goal == 0:
        if game.directions == DIRECTIONS:
            for i in range(DIRECTIONS):
                completing |= fourth_cells(game.stride[i], own)
        else:
            for i in range(game.directions):
                completing |= fourth_cells(game.stride[i], own)
        return completing & empty
    for i in range(game.directions):
        stride = game.stride[i]
        gapped = gapped_spans(game, stride, own, empty)
        if game.exact_goal != 0:
            gapped &= ~flanked(game, stride, own)
        if gapped != ZERO:
            completing |= covered(game, stride, gapped)
    return completing & empty


@part(boolean(GAME, uint64, uint64))
def can_line(game, own, empty):
    """Return True if the side can still complete a line, if it got all empty cells (own & empty = 0).

    Once False it stays so to the end of the game.
    """
    if game.exact_goal == 0:
        return has_span(game, own | empty)
    for i in range(game.directions):
        stride = game.stride[i]
        if (spans(game, stride, own | empty) & ~flanked(game, stride, own)) != ZERO:
            return True
    return False


# ---------------------------------------------------------------- gravity


@part(uint64(GAME, uint64))
def landing(game, occupied):
    """Return the lowest empty cell of each column, where a mark lands."""
    return ((occupied << game.up) | game.bottom) & ~occupied & game.board


@part(uint64(GAME, uint64, uint64))
def fill_up(game, cells, through):
    """Return ``cells`` and all that they reach upwards through ``through``, in log2(rows) steps (Kogge-Stone)."""
    step = game.up
    for _ in range(game.fill_steps):
        cells |= through & (cells << step)
        through &= through << step
        step += step
    return cells


@part(uint64(GAME, uint64, uint64))
def fill_down(game, cells, through):
    """Return ``cells`` and all that they reach downwards through ``through``, as ``fill_up`` does."""
    step = game.up
    for _ in range(game.fill_steps):
        cells |= through & (cells >> step)
        through &= through >> step
        step += step
    return cells


@part(uint64(GAME, uint64))
def mirror(game, cells):
    """Return the bitboard with left and right exchanged."""
    half = game.columns // 2
    image = cells & game.column[half] if game.columns & 1 else ZERO
    for i in range(half):
        shift = uint64((game.columns - 1 - 2 * i) * int64(game.side))
        image |= ((cells & game.column[i]) << shift) | ((cells >> shift) & game.column[i])
    return image
