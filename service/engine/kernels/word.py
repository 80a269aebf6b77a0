"""The word board: a board in the bits of one 64-bit word, its geometry in a record, lines found by shifts.

A cell is one bit, and every fourth neighbour of it is a fixed number of bits away. A spare bit that is never
marked lies above each column (or, in the other layout, at the end of each row), so that no shift wraps from
one column into the next. A 2 x 3 board, spare bits dotted:

    by columns            by rows (where only that fits)
      .  .  .
      1  4  7               4  5  6  .
      0  3  6               0  1  2  .

The layout by columns fits where (rows + 1) * columns <= 64, that by rows where (columns + 1) * rows <= 64. In
both, one step up is a shift to the left by ``up``, so the code that follows need not know which it is.

A *window* is ``goal`` cells in a row, named by its lowest bit. Only directions in which a window fits the
board are listed, so every shift within a window is below 64 bits. A *line* is a window of marks of one side;
with an exact goal, one whose flanks (the two cells that would make it longer) are not marked by that side.
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ALL, ONE, ZERO

MAX_BITS = 64
MAX_COLUMNS = 32
DIRECTIONS = 4

GAME_DTYPE = np.dtype(
    [
        ("rows", np.int64),
        ("columns", np.int64),
        ("cells", np.int64),
        ("goal", np.int64),
        ("gravity", np.int64),
        ("misere", np.int64),
        ("exact_goal", np.int64),
        ("off", np.int64),
        ("directions", np.int64),
        ("stride", np.uint64, (DIRECTIONS,)),
        ("up", np.uint64),
        ("side", np.uint64),
        ("fill_steps", np.int64),
        ("board", np.uint64),
        ("bottom", np.uint64),
        ("claim", np.uint64),
        ("by_rows", np.int64),
        ("column", np.uint64, (MAX_COLUMNS,)),
        ("order", np.int64, (MAX_BITS,)),
        ("rank", np.int64, (MAX_BITS,)),
    ],
    align=True,
)
"""The geometry and rules of a word board.

``stride``: bits from a cell to its neighbour in each of the ``directions`` that hold a window. ``up`` and
``side``: bits to the cell above and to the cell on the right. ``claim``: the cells an odd number of cells
from above the top (the top row, the third from the top, ...). ``column``: the cells of each column (by
columns with its spare bit), left to right. ``order``: the bits of all cells, centre first; ``rank`` its
inverse. ``off``: switches of bounds.
"""

GAME = numba.from_dtype(GAME_DTYPE)


# ---------------------------------------------------------------- what Python prepares


def fits(rows: int, columns: int) -> bool:
    """Whether a board of this size has a layout in one word (and no more columns than a record lists)."""
    by_columns = (rows + 1) * columns <= MAX_BITS
    by_rows = (columns + 1) * rows <= MAX_BITS
    return (by_columns or by_rows) and columns <= MAX_COLUMNS


def word_bits(rows: int, columns: int) -> list[int]:
    """The bit of each cell, cells row by row from the top left."""
    up, side = _steps(rows, columns)
    return [(rows - 1 - row) * up + column * side for row in range(rows) for column in range(columns)]


def _steps(rows: int, columns: int) -> tuple[int, int]:
    """Bits to the cell above and to the cell on the right."""
    return (1, rows + 1) if (rows + 1) * columns <= MAX_BITS else (columns + 1, 1)


def _strides(rows: int, columns: int, goal: int) -> list[int]:
    """The strides of the directions that hold a window."""
    up, side = _steps(rows, columns)
    if columns == 1:
        # To the side there is nothing: the longest shift brings every cell onto bits that are never marked.
        return [up] * (goal <= rows) + [MAX_BITS - 1] * (goal == 1)
    short = min(rows, columns)
    lengths = ((up, rows), (side, columns), (side + up, short), (abs(side - up), short))
    return [stride for stride, length in lengths if goal <= length]


def new_game(
    rows: int,
    columns: int,
    goal: int,
    gravity: bool,
    misere: bool = False,
    exact_goal: bool = False,
    *,
    off: int = 0,
    order: list[int] | None = None,
) -> np.recarray:
    """The record of a game on a word board.

    Args:
        rows, columns: a size that ``fits``.
        goal: 1 or more; above the longest side there is no line and every game is a draw.
        gravity, misere, exact_goal: the rules.
        off: the sum of the switches of bounds that a solver shall do without.
        order: all cells (row * columns + column), the ones to prefer among equals first; default by the
            number of windows through the column and then the cell, centre first, then from the left.

    Returns:
        An array of one record; ``game[0]`` is what kernels take.

    Raises:
        ValueError: the board does not fit a word, or the goal is below 1.
    """
    if not fits(rows, columns) or goal < 1:
        raise ValueError(f"no word board of {rows} x {columns} cells with goal {goal}")
    up, side = _steps(rows, columns)
    places = word_bits(rows, columns)
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["rows"], game["columns"], game["cells"], game["goal"] = rows, columns, rows * columns, goal
    game["gravity"], game["misere"], game["exact_goal"], game["off"] = gravity, misere, exact_goal, off
    game["up"], game["side"], game["by_rows"] = up, side, side == 1 and up != 1
    strides = _strides(rows, columns, goal)
    game["directions"] = len(strides)
    game["stride"][0, : len(strides)] = strides
    game["fill_steps"] = max(0, rows - 1).bit_length()
    game["board"] = sum(1 << place for place in places)
    game["bottom"] = sum(1 << column * side for column in range(columns))
    game["claim"] = sum(1 << places[row * columns + c] for row in range(0, rows, 2) for c in range(columns))
    for column in range(columns):
        spare = 1 << column * side + rows if up == 1 else 0
        game["column"][0, column] = spare | sum(1 << places[row * columns + column] for row in range(rows))
    middle = [abs(2 * (cell % columns) - columns + 1) for cell in range(rows * columns)]
    chosen = order or sorted(range(rows * columns), key=lambda cell: (middle[cell], cell % columns, -cell))
    for index, cell in enumerate(chosen):
        game["order"][0, index] = places[cell]
        game["rank"][0, places[cell]] = index
    return game


# ---------------------------------------------------------------- windows


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def windows(game, stride, cells):
    """The windows of a direction that lie wholly within these cells.

    Doubling: a window of 2n cells is two of n; the binary digits of the goal say which to put together. The
    goal of most games goes straight through: it takes a quarter of the time so.
    """
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


@njit(types.uint64(GAME, types.uint64, types.uint64, types.uint64), cache=True)
def gapped_windows(game, stride, own, empty):
    """The windows of a direction that hold one empty cell and else own marks (own & empty = 0)."""
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


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def flanked(game, stride, marks):
    """The window places of a direction with one of these marks on a flank."""
    span = types.uint64(game.goal - 1) * stride
    # In two shifts, for together they may reach 64.
    return (marks << stride) | ((marks >> span) >> stride)


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def covered(game, stride, found):
    """All cells of these windows of a direction."""
    length = 1
    while length < game.goal:
        step = min(length, game.goal - length)
        found |= found << (types.uint64(step) * stride)
        length += step
    return found


# ---------------------------------------------------------------- lines


@njit(types.uint64(types.uint64, types.uint64), cache=True)
def fourth_cells(stride, own):
    """The cells of a direction that complete a window of four with three own marks: three on a side, or two and one."""
    twice = stride + stride
    below = own << stride
    above = own >> stride
    two_below = below & (own << twice)
    two_above = above & (own >> twice)
    three = (two_below & (own << (twice + stride))) | (two_above & (own >> (twice + stride)))
    return three | (two_below & above) | (two_above & below)


@njit(types.boolean(GAME, types.uint64), cache=True)
def has_line(game, marks):
    """Whether these marks of one side hold a line."""
    for i in range(game.directions):
        stride = game.stride[i]
        found = windows(game, stride, marks)
        if game.exact_goal != 0:
            found &= ~flanked(game, stride, marks)
        if found != ZERO:
            return True
    return False


@njit(types.boolean(GAME, types.uint64), cache=True)
def has_window(game, cells):
    """Whether a window lies wholly within these cells, whatever the exact goal says of its flanks."""
    for i in range(game.directions):
        if windows(game, game.stride[i], cells) != ZERO:
            return True
    return False


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def completing(game, own, empty):
    """All empty cells that complete a line when the side with these own marks marks one (own & empty = 0)."""
    found = ZERO
    if game.goal == 4 and game.exact_goal == 0:
        for i in range(game.directions):
            found |= fourth_cells(game.stride[i], own)
        return found & empty
    for i in range(game.directions):
        stride = game.stride[i]
        gapped = gapped_windows(game, stride, own, empty)
        if game.exact_goal != 0:
            gapped &= ~flanked(game, stride, own)
        if gapped != ZERO:
            found |= covered(game, stride, gapped)
    return found & empty


@njit(types.boolean(GAME, types.uint64, types.uint64), cache=True)
def can_line(game, own, empty):
    """Whether the side could still get a line if all empty cells were its to choose from (own & empty = 0).

    With an exact goal a window flanked by an own mark is lost for good. False is final: whatever is
    marked later, the side never completes a line.
    """
    for i in range(game.directions):
        stride = game.stride[i]
        found = windows(game, stride, own | empty)
        if game.exact_goal != 0:
            found &= ~flanked(game, stride, own)
        if found != ZERO:
            return True
    return False


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def line_cells(game, own, empty):
    """The empty cells that lie on a line the side could still get, as in ``can_line``."""
    cells = ZERO
    for i in range(game.directions):
        stride = game.stride[i]
        found = windows(game, stride, own | empty)
        if game.exact_goal != 0:
            found &= ~flanked(game, stride, own)
        cells |= covered(game, stride, found)
    return cells & empty


# ---------------------------------------------------------------- gravity


@njit(types.uint64(GAME, types.uint64), cache=True)
def landing(game, occupied):
    """The cells where a mark comes to rest: the lowest empty one of each column."""
    return ((occupied << game.up) | game.bottom) & ~occupied & game.board


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def fill_up(game, cells, through):
    """These cells and all above them that are reached through ``through`` (a parallel prefix in log2(rows) steps)."""
    step = game.up
    for _ in range(game.fill_steps):
        cells |= through & (cells << step)
        through &= through << step
        step += step
    return cells


@njit(types.uint64(GAME, types.uint64, types.uint64), cache=True)
def fill_down(game, cells, through):
    """These cells and all below them that are reached through ``through``."""
    step = game.up
    for _ in range(game.fill_steps):
        cells |= through & (cells >> step)
        through &= through >> step
        step += step
    return cells


@njit(types.uint64(GAME, types.uint64), cache=True)
def mirror(game, word):
    """The word with left and right exchanged."""
    image = ZERO
    last = game.columns - 1
    for i in range(game.columns):
        shift = (last - 2 * i) * types.int64(game.side)
        cells = word & game.column[i]
        if shift >= 0:
            image |= cells << types.uint64(shift)
        else:
            image |= cells >> types.uint64(-shift)
    return image


@njit(types.uint64(types.int64), cache=True)
def bit(place):
    """The word of one bit."""
    return ONE << types.uint64(place)
