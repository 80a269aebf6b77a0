"""Boards of any size up to 25 x 25 with the shapes around every cell kept up to date as marks come and go.

For every cell, direction and side the board holds the *shape* that a mark of the side on that cell would
make in that direction. A shape is named by how many more own marks would then complete a line through the
cell, and by whether that can be done in more than one way ("open"):

    FIVE          completes a line               (the names are those of goal 5; any goal is meant)
    OPEN_FOUR     then two or more cells complete one       FOUR    then exactly one cell does
    OPEN_THREE    then a next mark makes an open four       THREE   then a next mark makes a four
    OPEN_TWO      then a next mark makes an open three      TWO     then a next mark makes a three
    OPEN_ONE      then a next mark makes an open two        ONE     then a next mark makes a two
    FAR           more marks are missing                    NONE    no line through the cell is possible

A 1 or 2 (3) after a name counts the cells that would make the better shape. The four shapes of an empty
cell add up to its *category* for the side; cells of each category are kept as bit sets:

    FIVE_CELL 9        completes a line
    OPEN_FOUR_CELL 8   leaves two or more cells that complete a line (an open four, or two fours)
    FOUR_THREE_CELL 7, FOUR_CELL 6   leaves exactly one
    THREES_CELL 5, THREE_CELL 4      two or more open threes, one
    BUILD_CELL 3       two or more shapes of THREE or OPEN_TWO

The shape of a cell is a function of the marks within `radius` of it: goal - 1 cells each way, goal with an
exact goal, for then a mark more would spoil the line. Up to 12 such cells the surroundings are a ternary
number (0 empty, 1 own, 2 the other's or the edge) and a table holds the shape; longer goals are *wide*: their
shapes are worked out from the marks each time, with the open kinds below four decided more simply.

Cells are row * columns + column; side 0 is the side to move in the position loaded, side 1 the other.
Take marks back in the reverse order of putting them.
"""

from functools import lru_cache

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, mix

MAX_CELLS = 625
MAX_WORDS = 10
MAX_TABLE_CELLS = 12
TABLE_SIZE = 3**MAX_TABLE_CELLS
DIRECTIONS = 4

NONE, FAR, ONE_MARK, OPEN_ONE, TWO, OPEN_TWO, OPEN_TWO_2, OPEN_TWO_3 = range(8)
THREE, OPEN_THREE, OPEN_THREE_2, FOUR, OPEN_FOUR, FIVE = range(8, 14)

CATEGORIES = 10
BUILD_CELL, THREE_CELL, THREES_CELL, FOUR_CELL, FOUR_THREE_CELL, OPEN_FOUR_CELL, FIVE_CELL = range(3, 10)

WORD_SHIFT = 6
BIT_MASK = 63
# A tally counts the shapes of a cell that matter for its category, a byte each.
_FIVE_UNIT = 1 << 40
_OPEN_FOUR_UNIT = 1 << 32
_FOUR_UNIT = 1 << 24
_OPEN_THREE_UNIT = 1 << 16
_BUILD_UNIT = 1
_BYTE = 255
_CANDIDATE_REACH = 2  # an empty cell this near to a mark, on a line with it, is a candidate move
_KEY_SEED = np.uint64(0x9E3779B97F4A7C15)

BOARD_DTYPE = np.dtype(
    [
        ("rows", np.int64),
        ("columns", np.int64),
        ("cells", np.int64),
        ("words", np.int64),
        ("goal", np.int64),
        ("gravity", np.int64),
        ("misere", np.int64),
        ("exact_goal", np.int64),
        ("radius", np.int64),
        ("wide", np.int64),
        ("empty", np.int64),
        ("key", np.uint64),
        ("step", np.int64, (DIRECTIONS,)),
        ("power", np.int32, (2 * 25,)),
        ("unit", np.int64, (16,)),
        ("shape_points", np.int64, (16,)),
        ("total", np.int64, (2,)),
        ("alive", np.int64, (2,)),
        ("count", np.int64, (2, CATEGORIES)),
        ("mask", np.uint64, (2, CATEGORIES, MAX_WORDS)),
        ("near_mask", np.uint64, (MAX_WORDS,)),
        ("open_mask", np.uint64, (MAX_WORDS,)),
        ("stones", np.uint64, (2, MAX_WORDS)),
        ("mark", np.int8, (MAX_CELLS,)),
        ("near", np.uint8, (MAX_CELLS,)),
        ("category", np.uint8, (MAX_CELLS, 2)),
        ("kind", np.uint8, (MAX_CELLS, 2, DIRECTIONS)),
        ("points", np.int32, (MAX_CELLS, 2)),
        ("tally", np.int64, (MAX_CELLS, 2)),
        ("code", np.int32, (MAX_CELLS, DIRECTIONS, 2)),
        ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
        ("shapes", np.uint8, (TABLE_SIZE,)),
    ],
    align=True,
)
BOARD = numba.from_dtype(BOARD_DTYPE)


# --- shapes ---------------------------------------------------------------------------------------


@njit("int64(int64, int64)", cache=True)
def _better_shape(best, ways):
    """The shape of a mark after which the best next own mark has shape ``best``, in so many ways."""
    if best == FIVE:
        return OPEN_FOUR if ways >= 2 else FOUR
    if best == OPEN_FOUR:
        return OPEN_THREE_2 if ways >= 2 else OPEN_THREE
    if best == FOUR:
        return THREE
    if best == OPEN_THREE or best == OPEN_THREE_2:
        return min(OPEN_TWO + ways - 1, OPEN_TWO_3)
    if best == THREE:
        return TWO
    if best >= OPEN_TWO:
        return OPEN_ONE
    if best == TWO:
        return ONE_MARK
    return FAR if best > NONE else NONE


@njit("void(uint8[::1], int64, int64, int64)", cache=True)
def _fill_shapes(shapes, radius, goal, exact_goal):
    """Fill the table of shapes: a surrounding with one more own mark has a larger number, so go downwards."""
    size = 2 * radius
    count = 1
    for _ in range(size):
        count *= 3
    digit = np.zeros(64, np.int64)
    for code in range(count - 1, -1, -1):
        rest = code
        for i in range(size):
            digit[i] = rest % 3
            rest //= 3
        run = 1
        i = radius - 1
        while i >= 0 and digit[i] == 1:
            run += 1
            i -= 1
        i = radius
        while i < size and digit[i] == 1:
            run += 1
            i += 1
        if run == goal or (run > goal and exact_goal == 0):
            shapes[code] = FIVE
            continue
        best = 0
        ways = 0
        power = 1
        for i in range(size):
            if digit[i] == 0:
                shape = types.int64(shapes[code + power])
                if shape == OPEN_THREE_2:
                    shape = OPEN_THREE
                if shape == OPEN_TWO_2 or shape == OPEN_TWO_3:
                    shape = OPEN_TWO
                if shape > best:
                    best = shape
                    ways = 1
                elif shape == best:
                    ways += 1
            power *= 3
        shapes[code] = _better_shape(best, ways)


@njit(types.boolean(BOARD, types.int64, types.int64, types.int64, types.int64), cache=True)
def _spoiled(board, cell, own, direction, start):
    """Whether with an exact goal an own mark beside the window that begins ``start`` steps from cell spoils it."""
    if board.exact_goal == 0:
        return False
    step = board.step[direction]
    i = start - 1
    if -i <= types.int64(board.reach[cell, direction, 0]) and board.mark[cell + i * step] == own:
        return True
    i = start + board.goal
    return i <= types.int64(board.reach[cell, direction, 1]) and board.mark[cell + i * step] == own


@njit(types.int64(BOARD, types.int64, types.int64, types.int64), cache=True)
def _scan_shape(board, cell, side, direction):
    """The shape worked out from the marks on the board, for goals too long for the table.

    Exact from FOUR upwards; below, "open" means that two or more windows of ``goal`` cells are as full.
    """
    goal = board.goal
    step = board.step[direction]
    before = min(types.int64(board.reach[cell, direction, 0]), goal - 1)
    after = min(types.int64(board.reach[cell, direction, 1]), goal - 1)
    own = side + 1
    low = 0
    while low < before and (
        board.mark[cell - (low + 1) * step] == 0 or board.mark[cell - (low + 1) * step] == own
    ):
        low += 1
    high = 0
    while high < after and (
        board.mark[cell + (high + 1) * step] == 0 or board.mark[cell + (high + 1) * step] == own
    ):
        high += 1
    fewest = goal + 1
    ways = 0
    first_hole = 0
    for start in range(-low, high - goal + 2):
        if _spoiled(board, cell, own, direction, start):
            continue
        missing = 0
        hole = 0
        for i in range(start, start + goal):
            if i != 0 and board.mark[cell + i * step] == 0:
                missing += 1
                hole = i
        if missing < fewest:
            fewest = missing
            ways = 1
            first_hole = hole
        elif missing == fewest and (missing != 1 or hole != first_hole):
            ways += 1
    if fewest > goal:
        return NONE
    is_open = ways >= 2
    if fewest == 0:
        return FIVE
    if fewest == 1:
        return OPEN_FOUR if is_open else FOUR
    if fewest == 2:
        return OPEN_THREE if is_open else THREE
    if fewest == 3:
        return OPEN_TWO if is_open else TWO
    if fewest == 4:
        return OPEN_ONE if is_open else ONE_MARK
    return FAR


@njit("int64(int64)", cache=True)
def _category(tally):
    """The category of a cell whose shapes add up to this tally."""
    if tally < 2:
        return 0
    if tally >= _FIVE_UNIT:
        return FIVE_CELL
    fours = (tally // _FOUR_UNIT) & _BYTE
    if tally >= _OPEN_FOUR_UNIT or fours >= 2:
        return OPEN_FOUR_CELL
    threes = (tally // _OPEN_THREE_UNIT) & _BYTE
    if fours == 1:
        return FOUR_THREE_CELL if threes > 0 else FOUR_CELL
    if threes > 0:
        return THREES_CELL if threes >= 2 else THREE_CELL
    return BUILD_CELL


# --- putting and taking ---------------------------------------------------------------------------


@njit(types.void(BOARD, types.int64, types.int64, types.int64, types.int64), cache=True)
def _set_shape(board, cell, side, direction, shape):
    """Give an empty cell another shape in one direction and bring everything that follows from it up to date."""
    old = types.int64(board.kind[cell, side, direction])
    board.kind[cell, side, direction] = shape
    points = board.shape_points[shape] - board.shape_points[old]
    board.points[cell, side] += points
    board.total[side] += points
    if old == NONE:
        board.alive[side] += 1
    elif shape == NONE:
        board.alive[side] -= 1
    units = board.unit[shape] - board.unit[old]
    if units == 0:
        return
    tally = board.tally[cell, side] + units
    board.tally[cell, side] = tally
    category = _category(tally)
    was = types.int64(board.category[cell, side])
    if category != was:
        word = cell >> WORD_SHIFT
        bit = ONE << np.uint64(cell & BIT_MASK)
        board.category[cell, side] = category
        board.mask[side, was, word] &= ~bit
        board.mask[side, category, word] |= bit
        board.count[side, was] -= 1
        board.count[side, category] += 1


@njit(types.void(BOARD, types.int64, types.int64, types.int64, types.int64, types.int64), cache=True)
def _change_neighbour(board, cell, side, direction, place, sign):
    """A mark of a side came (sign 1) or went (-1) at place ``place`` of the cell's surroundings in a direction."""
    if board.wide != 0:
        if board.mark[cell] == 0:
            for s in range(2):
                shape = _scan_shape(board, cell, s, direction)
                if shape != types.int64(board.kind[cell, s, direction]):
                    _set_shape(board, cell, s, direction, shape)
        return
    power = sign * types.int64(board.power[place])
    own = types.int64(board.code[cell, direction, side]) + power
    other = types.int64(board.code[cell, direction, 1 - side]) + 2 * power
    board.code[cell, direction, side] = own
    board.code[cell, direction, 1 - side] = other
    if board.mark[cell] == 0:
        shape = types.int64(board.shapes[own])
        if shape != types.int64(board.kind[cell, side, direction]):
            _set_shape(board, cell, side, direction, shape)
        shape = types.int64(board.shapes[other])
        if shape != types.int64(board.kind[cell, 1 - side, direction]):
            _set_shape(board, cell, 1 - side, direction, shape)


@njit(types.void(BOARD, types.int64, types.int64), cache=True)
def _change_near(board, cell, sign):
    """A mark came or went beside the cell: keep count, and the set of cells near marks."""
    before = types.int64(board.near[cell])
    board.near[cell] = before + sign
    if before == 0 or before + sign == 0:
        board.near_mask[cell >> WORD_SHIFT] ^= ONE << np.uint64(cell & BIT_MASK)


@njit(types.void(BOARD, types.int64, types.int64, types.int64), cache=True)
def _change_surroundings(board, cell, side, sign):
    """Tell every cell within the radius that a mark of the side came to or went from ``cell``."""
    radius = board.radius
    for direction in range(DIRECTIONS):
        step = board.step[direction]
        before = types.int64(board.reach[cell, direction, 0])
        for k in range(1, before + 1):
            if k <= radius:
                _change_neighbour(board, cell - k * step, side, direction, radius + k - 1, sign)
            if k <= _CANDIDATE_REACH:
                _change_near(board, cell - k * step, sign)
        after = types.int64(board.reach[cell, direction, 1])
        for k in range(1, after + 1):
            if k <= radius:
                _change_neighbour(board, cell + k * step, side, direction, radius - k, sign)
            if k <= _CANDIDATE_REACH:
                _change_near(board, cell + k * step, sign)


@njit(types.void(BOARD, types.int64, types.int64), cache=True)
def _hide(board, cell, sign):
    """Take what an empty cell counts for both sides out (sign -1) or in again (1)."""
    word = cell >> WORD_SHIFT
    bit = ONE << np.uint64(cell & BIT_MASK)
    for side in range(2):
        category = types.int64(board.category[cell, side])
        board.mask[side, category, word] ^= bit
        board.count[side, category] += sign
        board.total[side] += sign * types.int64(board.points[cell, side])
        for direction in range(DIRECTIONS):
            if board.kind[cell, side, direction] != NONE:
                board.alive[side] += sign
    board.open_mask[word] ^= bit


@njit(types.void(BOARD, types.int64, types.int64), nogil=True, cache=True)
def put(board, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell."""
    _hide(board, cell, -1)
    board.mark[cell] = side + 1
    board.stones[side, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
    board.key ^= board.zobrist[side, cell]
    board.empty -= 1
    _change_surroundings(board, cell, side, 1)


@njit(types.void(BOARD, types.int64), nogil=True, cache=True)
def take(board, cell):
    """Take back the mark that was put last, which is on this cell."""
    side = types.int64(board.mark[cell]) - 1
    board.mark[cell] = 0
    board.stones[side, cell >> WORD_SHIFT] &= ~(ONE << np.uint64(cell & BIT_MASK))
    board.key ^= board.zobrist[side, cell]
    board.empty += 1
    _hide(board, cell, 1)
    _change_surroundings(board, cell, side, -1)


@njit(types.boolean(BOARD, types.int64), cache=True)
def playable(board, cell):
    """Whether the rules let a mark be put on the cell now: it is empty and, with gravity, has support."""
    if board.mark[cell] != 0:
        return False
    below = cell + board.columns
    return board.gravity == 0 or below >= board.cells or board.mark[below] != 0


@njit(types.boolean(BOARD, types.int64, types.int64), cache=True)
def completes(board, cell, side):
    """Whether a mark of the side on this empty cell completes a line."""
    return board.category[cell, side] == FIVE_CELL


# --- making and loading ---------------------------------------------------------------------------


@njit(types.void(BOARD), cache=True)
def _prepare(board):
    """Set every cell of an empty board up; the numbers of the board and the table of shapes are there."""
    radius = board.radius
    for cell in range(board.cells):
        row = cell // board.columns
        column = cell - row * board.columns
        board.open_mask[cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
        left = column
        right = board.columns - 1 - column
        up = row
        down = board.rows - 1 - row
        board.reach[cell, 0, 0] = left
        board.reach[cell, 0, 1] = right
        board.reach[cell, 1, 0] = up
        board.reach[cell, 1, 1] = down
        board.reach[cell, 2, 0] = min(up, left)
        board.reach[cell, 2, 1] = min(down, right)
        board.reach[cell, 3, 0] = min(up, right)
        board.reach[cell, 3, 1] = min(down, left)
        board.mask[0, 0, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
        board.mask[1, 0, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
    # The reach beyond what shapes and candidates look at is never needed.
    far = max(radius, types.int64(_CANDIDATE_REACH))
    board.count[0, 0] = board.cells
    board.count[1, 0] = board.cells
    for cell in range(board.cells):
        for direction in range(DIRECTIONS):
            edge = 0
            for k in range(1, radius + 1):
                if board.wide == 0 and k > types.int64(board.reach[cell, direction, 0]):
                    edge += 2 * types.int64(board.power[radius - k])
                if board.wide == 0 and k > types.int64(board.reach[cell, direction, 1]):
                    edge += 2 * types.int64(board.power[radius + k - 1])
            for end in range(2):
                board.reach[cell, direction, end] = min(types.int64(board.reach[cell, direction, end]), far)
            for side in range(2):
                board.code[cell, direction, side] = edge
                if board.wide != 0:
                    shape = _scan_shape(board, cell, side, direction)
                else:
                    shape = types.int64(board.shapes[edge])
                if shape != NONE:
                    _set_shape(board, cell, side, direction, shape)


@njit(types.void(BOARD), cache=True)
def _fill_keys(board):
    """The random words that a position's hash is made of: the same on every machine."""
    word = _KEY_SEED
    for side in range(2):
        for cell in range(MAX_CELLS):
            word = word + _KEY_SEED
            board.zobrist[side, cell] = mix(word)


@lru_cache(maxsize=8)
def _shape_table(goal: int, radius: int, exact_goal: bool) -> np.ndarray:
    """The table of shapes of a rule, made once."""
    shapes = np.zeros(3 ** (2 * radius), np.uint8)
    _fill_shapes(shapes, radius, goal, int(exact_goal))
    return shapes


def new_board(
    rows: int, columns: int, goal: int, gravity: bool, misere: bool, exact_goal: bool, tunables: np.ndarray
) -> np.ndarray:
    """An empty board for these rules.

    Args:
        rows, columns: 1 to 25 each.
        goal: 1 to max(rows, columns).
        tunables: what ``large_tunables.new_tunables`` returns.

    Returns:
        An array of one record; ``board[0]`` is what kernels take. Keep the array alive while they run.
    """
    board = np.zeros(1, BOARD_DTYPE).view(np.recarray)
    record = board[0]
    radius = goal if exact_goal else goal - 1
    record.rows, record.columns, record.cells = rows, columns, rows * columns
    record.words = (rows * columns + BIT_MASK) >> WORD_SHIFT
    record.goal, record.gravity, record.misere, record.exact_goal = goal, gravity, misere, exact_goal
    record.empty = rows * columns
    record.radius = radius
    record.wide = 2 * radius > MAX_TABLE_CELLS
    record.step[:] = (1, columns, columns + 1, columns - 1)
    record.unit[[THREE, OPEN_TWO, OPEN_TWO_2, OPEN_TWO_3]] = _BUILD_UNIT
    record.unit[[OPEN_THREE, OPEN_THREE_2]] = _OPEN_THREE_UNIT
    record.unit[[FOUR, OPEN_FOUR, FIVE]] = _FOUR_UNIT, _OPEN_FOUR_UNIT, _FIVE_UNIT
    record.shape_points[:] = tunables["shape_points"][0]
    if not record.wide:
        table = _shape_table(goal, radius, exact_goal)
        record.shapes[: len(table)] = table
        record.power[: 2 * radius] = [3**i for i in range(2 * radius)]
    _fill_keys(record)
    _prepare(record)
    return board


def load(board: np.ndarray, cells: np.ndarray) -> None:
    """Put a position on an empty board.

    Args:
        board: what ``new_board`` returned, with no marks.
        cells: rows * columns numbers, row by row: 0 empty, 1 side to move, 2 the other side.
    """
    for cell, mark in enumerate(np.asarray(cells).ravel().tolist()):
        if mark:
            put(board[0], cell, mark - 1)
