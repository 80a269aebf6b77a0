"""The state of a board of up to 25 x 25 cells: the patterns around every cell, updated with each mark.

For every cell, direction and side the board holds the direction pattern that a mark of the side on that cell would
make; for every empty cell and side it holds the cell pattern. Cells of each cell pattern are kept as bit sets, one
bit for each cell. ``kernel_patterns`` defines both kinds of pattern. The four direction patterns of a cell together
are its *quad*, a number that indexes the points of ``weights``.

A direction pattern depends on the marks within ``radius`` of the cell: goal - 1 cells each way, or goal cells with
an exact goal, because there one mark more would spoil the line. With up to 12 such cells the surrounding is a
ternary number (0 empty, 1 own, 2 the other's or the edge) that indexes a table of patterns. For a longer goal, under
Caro from goal 6 on, the board has ``no_pattern_table``: the pattern is worked out from the marks each time, and its
open kinds below OPEN_FOUR are decided more simply. Caro numbers its surroundings in its own way
(``fill_caro_patterns``).

Cells are row * columns + column; side 0 is the side to move in the position loaded, side 1 the other.
Take marks back in the reverse order of putting them.
"""

import numba
import numpy as np
from numba import njit, types

from kinarow.solvers.common.kernel_bits import ONE, mix
from kinarow.solvers.large_boards.kernel_patterns import (
    BEGINNER_FLAG,
    BUILD_CELL,
    CELL_PATTERNS,
    DOUBLE_THREE_CELL,
    FIVE_CELL,
    FORBIDDEN_CELL,
    NONE,
    OPEN_FOUR,
    OPEN_FOUR_CELL,
    OPEN_THREE,
    OPEN_THREE_2,
    caro_codes_of_end,
    cell_pattern_of,
    pattern_of_missing,
)

MAX_CELLS = 625
MAX_WORDS = 10
MAX_TABLE_CELLS = 12
TABLE_SIZE = 3**MAX_TABLE_CELLS
DIRECTIONS = 4
QUADS = 1 << 16
_THREAT_KINDS = 5
THREATS = 1 << (2 * _THREAT_KINDS + 1)
MAX_ANSWERS = (
    1 + DIRECTIONS
)  # cells that may stop a line under Caro: the one that completes it, one beside each run

WORD_SHIFT = 6
BIT_MASK = 63
_CANDIDATE_REACH = 2  # an empty cell this near to a mark, on a line with it, is a candidate move
_ROOM = 100  # cells allowed to the side that began, so many that some are left after two more marks
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
        ("caro", np.int64),
        ("beginner", np.int64),  # in Renju the side that began, otherwise -1
        ("first_code", np.int64, (2,)),  # where the patterns of each side begin in the table
        ("radius", np.int64),
        ("no_pattern_table", np.int64),
        ("empty", np.int64),
        ("key", np.uint64),
        ("step", np.int64, (DIRECTIONS,)),
        ("power", np.int32, (2 * 25,)),
        ("unit", np.int64, (16,)),
        ("pattern_points", np.int64, (16,)),
        ("total", np.int64, (2,)),
        ("alive", np.int64, (2,)),
        ("count", np.int64, (2, CELL_PATTERNS)),
        ("mask", np.uint64, (2, CELL_PATTERNS, MAX_WORDS)),
        ("near_mask", np.uint64, (MAX_WORDS,)),
        ("open_mask", np.uint64, (MAX_WORDS,)),
        ("answer", np.int16, (MAX_ANSWERS,)),
        ("stones", np.uint64, (2, MAX_WORDS)),
        ("mark", np.int8, (MAX_CELLS,)),
        ("near", np.uint8, (MAX_CELLS,)),
        ("cell_pattern", np.uint8, (MAX_CELLS, 2)),
        ("pattern", np.uint8, (MAX_CELLS, 2, DIRECTIONS)),
        ("quad", np.uint16, (MAX_CELLS, 2)),  # the four patterns as one number, four bits each
        ("quad_points", np.int16, (QUADS,)),  # of the estimate
        ("threat_points", np.int16, (THREATS,)),  # of the estimate, by ``threats``
        ("quad_order", np.int16, (2, QUADS)),  # of the order of moves: for the mover, and for the other side
        ("points", np.int32, (MAX_CELLS, 2)),
        ("tally", np.int64, (MAX_CELLS, 2)),
        ("code", np.int32, (MAX_CELLS, DIRECTIONS, 2)),
        ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
        ("pattern_table", np.uint8, (TABLE_SIZE,)),
    ],
    align=True,
)
BOARD = numba.from_dtype(BOARD_DTYPE)


# --- patterns without a table --------------------------------------------------------------------


@njit(types.int64(BOARD, types.int64, types.int64, types.int64), cache=True)
def beside(board, cell, direction, steps):
    """The mark so many steps (within the radius) from the cell, 0 where there is none, -1 beyond the edge."""
    if steps < 0:
        if -steps > types.int64(board.reach[cell, direction, 0]):
            return -1
    elif steps > types.int64(board.reach[cell, direction, 1]):
        return -1
    return types.int64(board.mark[cell + steps * board.step[direction]])


@njit(types.boolean(BOARD, *(types.int64,) * 6), cache=True)
def _span_survives(board, cell, own, direction, start, hole, answer):
    """Whether the span with one hole can be completed after the other side has marked ``answer``, both in steps."""
    if answer == hole:
        return False
    before = beside(board, cell, direction, start - 1)
    after = beside(board, cell, direction, start + board.goal)
    closed_before = before == 3 - own or answer == start - 1
    closed_after = after == 3 - own or answer == start + board.goal
    return not (closed_before and closed_after)


@njit(types.boolean(BOARD, types.int64, types.int64, types.int64, types.int64), cache=True)
def _is_spoiled(board, cell, own, direction, start):
    """Whether the marks beside the span that begins ``start`` steps from the cell spoil it (exact goal, Caro)."""
    if board.exact_goal == 0 and board.caro == 0:
        return False
    before = beside(board, cell, direction, start - 1)
    after = beside(board, cell, direction, start + board.goal)
    if board.exact_goal != 0 and (before == own or after == own):
        return True
    return board.caro != 0 and before == 3 - own and after == 3 - own


@njit(types.boolean(BOARD, *(types.int64,) * 5), cache=True)
def _is_unstoppable(board, cell, own, direction, low, high):
    """Whether a line through the cell, which is about to be marked, can be completed whatever one cell is answered.

    For Caro; ``low`` and ``high`` are the free steps each way.
    """
    goal = board.goal
    step = board.step[direction]
    for answer in range(-low - 1, high + 2):
        if answer == 0 or beside(board, cell, direction, answer) != 0:
            continue
        stopped = True
        for start in range(-low, high - goal + 2):
            if _is_spoiled(board, cell, own, direction, start):
                continue
            missing = 0
            hole = 0
            for i in range(start, start + goal):
                if i != 0 and board.mark[cell + i * step] == 0:
                    missing += 1
                    hole = i
            if missing == 1 and _span_survives(board, cell, own, direction, start, hole, answer):
                stopped = False
                break
        if stopped:
            return False
    return True


@njit(types.int64(BOARD, types.int64, types.int64, types.int64, types.int64), cache=True)
def _free_steps(board, cell, own, direction, end):
    """How many cells beyond the cell, up to goal - 1, hold no mark of the other side, towards one end (0 or 1)."""
    step = board.step[direction] if end == 1 else -board.step[direction]
    most = min(types.int64(board.reach[cell, direction, end]), board.goal - 1)
    free = 0
    while free < most:
        mark = board.mark[cell + (free + 1) * step]
        if mark != 0 and mark != own:
            break
        free += 1
    return free


@njit(types.int64(BOARD, types.int64, types.int64, types.int64), cache=True)
def _scan_pattern(board, cell, side, direction):
    """The direction pattern worked out from the marks on the board, for goals too long for the table.

    Exact from FOUR upwards; below, "open" means that two or more spans of ``goal`` cells are as full.
    """
    goal = board.goal
    step = board.step[direction]
    own = side + 1
    low = _free_steps(board, cell, own, direction, 0)
    high = _free_steps(board, cell, own, direction, 1)
    fewest = goal + 1
    ways = 0
    first_hole = 0
    for start in range(-low, high - goal + 2):
        if _is_spoiled(board, cell, own, direction, start):
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
    if board.caro != 0 and fewest == 1:
        return pattern_of_missing(fewest, _is_unstoppable(board, cell, own, direction, low, high))
    return pattern_of_missing(fewest, ways >= 2)


# --- marks ---------------------------------------------------------------------------


@njit(types.void(BOARD, types.int64, types.int64, types.int64, types.int64), cache=True)
def _set_pattern(board, cell, side, direction, pattern):
    """Give an empty cell another pattern in one direction, and update everything that depends on it."""
    old = types.int64(board.pattern[cell, side, direction])
    board.pattern[cell, side, direction] = pattern
    quad = types.int64(board.quad[cell, side])
    new_quad = quad + ((pattern - old) << (4 * direction))
    board.quad[cell, side] = new_quad
    board.points[cell, side] += board.pattern_points[pattern] - board.pattern_points[old]
    board.total[side] += types.int64(board.quad_points[new_quad]) - types.int64(board.quad_points[quad])
    if old == NONE:
        board.alive[side] += 1
    elif pattern == NONE:
        board.alive[side] -= 1
    units = board.unit[pattern] - board.unit[old]
    if units == 0:
        return
    tally = board.tally[cell, side] + units
    board.tally[cell, side] = tally
    cell_pattern = cell_pattern_of(tally)
    was = types.int64(board.cell_pattern[cell, side])
    if cell_pattern != was:
        word = cell >> WORD_SHIFT
        bit = ONE << np.uint64(cell & BIT_MASK)
        board.cell_pattern[cell, side] = cell_pattern
        board.mask[side, was, word] &= ~bit
        board.mask[side, cell_pattern, word] |= bit
        board.count[side, was] -= 1
        board.count[side, cell_pattern] += 1


@njit(types.void(BOARD, types.int64, types.int64, types.int64, types.int64, types.int64), cache=True)
def _change_neighbour(board, cell, side, direction, place, sign):
    """Update a cell: at ``place`` of its surrounding in a direction a mark of a side came (sign 1) or went (-1)."""
    if board.no_pattern_table != 0:
        if board.mark[cell] == 0:
            for s in range(2):
                pattern = _scan_pattern(board, cell, s, direction)
                if pattern != types.int64(board.pattern[cell, s, direction]):
                    _set_pattern(board, cell, s, direction, pattern)
        return
    power = sign * types.int64(board.power[place])
    own = types.int64(board.code[cell, direction, side]) + power
    other = types.int64(board.code[cell, direction, 1 - side]) + 2 * power
    board.code[cell, direction, side] = own
    board.code[cell, direction, 1 - side] = other
    if board.mark[cell] == 0:
        pattern = types.int64(board.pattern_table[own])
        if pattern != types.int64(board.pattern[cell, side, direction]):
            _set_pattern(board, cell, side, direction, pattern)
        pattern = types.int64(board.pattern_table[other])
        if pattern != types.int64(board.pattern[cell, 1 - side, direction]):
            _set_pattern(board, cell, 1 - side, direction, pattern)


@njit(types.void(BOARD, types.int64, types.int64), cache=True)
def _change_near(board, cell, sign):
    """Count a mark that came (sign 1) or went (-1) near the cell, and update the set of cells near marks."""
    before = types.int64(board.near[cell])
    board.near[cell] = before + sign
    if before == 0 or before + sign == 0:
        board.near_mask[cell >> WORD_SHIFT] ^= ONE << np.uint64(cell & BIT_MASK)


@njit(types.void(BOARD, types.int64, types.int64, types.int64), cache=True)
def _change_surroundings(board, cell, side, sign):
    """Update every cell within the radius: a mark of the side came to (sign 1) or went from (-1) ``cell``."""
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
def _count_cell(board, cell, sign):
    """Subtract an empty cell from the totals of both sides (sign -1), or add it again (1)."""
    word = cell >> WORD_SHIFT
    bit = ONE << np.uint64(cell & BIT_MASK)
    for side in range(2):
        cell_pattern = types.int64(board.cell_pattern[cell, side])
        board.mask[side, cell_pattern, word] ^= bit
        board.count[side, cell_pattern] += sign
        board.total[side] += sign * types.int64(board.quad_points[types.int64(board.quad[cell, side])])
        for direction in range(DIRECTIONS):
            if board.pattern[cell, side, direction] != NONE:
                board.alive[side] += sign
    board.open_mask[word] ^= bit


@njit(types.void(BOARD, types.int64, types.int64), nogil=True, cache=True)
def put(board, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell."""
    _count_cell(board, cell, -1)
    board.mark[cell] = side + 1
    board.stones[side, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
    board.key ^= board.zobrist[side, cell]
    board.empty -= 1
    _change_surroundings(board, cell, side, 1)


@njit(types.void(BOARD, types.int64), nogil=True, cache=True)
def take_back(board, cell):
    """Take back the last mark put, which is on this cell."""
    side = types.int64(board.mark[cell]) - 1
    board.mark[cell] = 0
    board.stones[side, cell >> WORD_SHIFT] &= ~(ONE << np.uint64(cell & BIT_MASK))
    board.key ^= board.zobrist[side, cell]
    board.empty += 1
    _count_cell(board, cell, 1)
    _change_surroundings(board, cell, side, -1)


@njit(types.int64(BOARD, types.int64), cache=True)
def threats(board, side):
    """The kinds of threatening cells on the board as the bits of a number: those of the side to move, and the other's.

    From BUILD_CELL to FOUR_THREE_CELL of either side, and the other's OPEN_FOUR_CELL.
    """
    other = 1 - side
    found = types.int64(0)
    for kind in range(_THREAT_KINDS):
        if board.count[side, BUILD_CELL + kind] > 0:
            found |= 1 << kind
        if board.count[other, BUILD_CELL + kind] > 0:
            found |= 1 << (_THREAT_KINDS + kind)
    if board.count[other, OPEN_FOUR_CELL] > 0:
        found |= 1 << (2 * _THREAT_KINDS)
    return found


# --- Renju ----------------------------------------------------------------------------------------


@njit(types.boolean(BOARD, types.int64), nogil=True, cache=True)
def is_forbidden(board, cell):
    """Whether the rules of Renju forbid the empty cell to the side that began, whosever move it is.

    Of two open threes one may not be real: where none of the cells that would make it a straight four may be marked,
    because that is forbidden in its turn or makes a five. ``kinarow.renju`` has the same rule in plain Python.
    """
    black = board.beginner
    if board.cell_pattern[cell, black] == FORBIDDEN_CELL:
        return True
    if board.cell_pattern[cell, black] != DOUBLE_THREE_CELL:
        return False
    real = 0
    put(board, cell, black)
    for direction in range(DIRECTIONS):
        # The patterns of a marked cell are those it had before.
        pattern = types.int64(board.pattern[cell, black, direction])
        if pattern != OPEN_THREE and pattern != OPEN_THREE_2:
            continue
        for sign in range(-1, 2, 2):
            steps = types.int64(sign)
            while abs(steps) < board.radius and beside(board, cell, direction, steps) == black + 1:
                steps += sign
            if beside(board, cell, direction, steps) != 0:
                continue
            point = cell + steps * board.step[direction]
            if (
                board.pattern[point, black, direction] != OPEN_FOUR
                or board.cell_pattern[point, black] == FIVE_CELL
            ):
                continue
            if not is_forbidden(board, point):
                real += 1
                break
    take_back(board, cell)
    return real >= 2


@njit(types.boolean(BOARD), cache=True)
def beginner_may_move(board):
    """Whether the side that began, in Renju, has an empty cell that is not forbidden to it."""
    black = board.beginner
    if board.empty > board.count[black, FORBIDDEN_CELL] + board.count[black, DOUBLE_THREE_CELL]:
        return True
    for cell in range(board.cells):
        if board.mark[cell] == 0 and not is_forbidden(board, cell):
            return True
    return False


@njit(types.boolean(BOARD, types.int64), cache=True)
def has_room_against(board, side):
    """Whether the other side, a few marks on, certainly has a legal move: a game without one is drawn.

    In Renju every mark changes the patterns of at most 40 cells.
    """
    black = board.beginner
    if black < 0 or side == black:
        return True
    allowed = board.empty - board.count[black, FORBIDDEN_CELL] - board.count[black, DOUBLE_THREE_CELL]
    return allowed > _ROOM


@njit(types.boolean(BOARD, types.int64), cache=True)
def playable(board, cell):
    """Whether the cell is a legal move: it is empty and, with gravity, nothing empty lies below it."""
    if board.mark[cell] != 0:
        return False
    below = cell + board.columns
    return board.gravity == 0 or below >= board.cells or board.mark[below] != 0


# --- an empty board ---------------------------------------------------------------------------


@njit(types.void(BOARD, types.int64), cache=True)
def _measure_reach(board, cell):
    """Set how many cells lie between a cell and the edge, each way in each direction."""
    row = cell // board.columns
    left = cell - row * board.columns
    right = board.columns - 1 - left
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


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def _edge_code(board, cell, direction):
    """The ternary number of a cell's empty surrounding: cells beyond the edge count as the other side's."""
    if board.no_pattern_table != 0:
        return 0
    radius = board.radius
    code = 0
    if board.caro != 0:
        ends = caro_codes_of_end(radius, radius + 1)
        before = caro_codes_of_end(radius, min(types.int64(board.reach[cell, direction, 0]), radius))
        after = caro_codes_of_end(radius, min(types.int64(board.reach[cell, direction, 1]), radius))
        return before + ends * after
    for k in range(1, radius + 1):
        if k > types.int64(board.reach[cell, direction, 0]):
            code += 2 * types.int64(board.power[radius - k])
        if k > types.int64(board.reach[cell, direction, 1]):
            code += 2 * types.int64(board.power[radius + k - 1])
    return code


@njit(types.void(BOARD), nogil=True, cache=True)
def prepare(board):
    """Set up every cell of an empty board whose numbers and table of patterns are already there."""
    # The reach beyond what patterns and candidates look at is never needed.
    far = max(board.radius, types.int64(_CANDIDATE_REACH))
    board.count[0, 0] = board.cells
    board.count[1, 0] = board.cells
    if board.beginner >= 0:
        for cell in range(board.cells):
            board.tally[cell, board.beginner] = BEGINNER_FLAG
    for cell in range(board.cells):
        word = cell >> WORD_SHIFT
        bit = ONE << np.uint64(cell & BIT_MASK)
        board.open_mask[word] |= bit
        board.mask[0, 0, word] |= bit
        board.mask[1, 0, word] |= bit
        for side in range(2):
            board.points[cell, side] = DIRECTIONS * board.pattern_points[NONE]
            board.total[side] += types.int64(board.quad_points[0])
        _measure_reach(board, cell)
    for cell in range(board.cells):
        for direction in range(DIRECTIONS):
            code = _edge_code(board, cell, direction)
            for end in range(2):
                board.reach[cell, direction, end] = min(types.int64(board.reach[cell, direction, end]), far)
            for side in range(2):
                board.code[cell, direction, side] = code + board.first_code[side]
                if board.no_pattern_table != 0:
                    pattern = _scan_pattern(board, cell, side, direction)
                else:
                    pattern = types.int64(board.pattern_table[code + board.first_code[side]])
                if pattern != NONE:
                    _set_pattern(board, cell, side, direction, pattern)


@njit(types.void(BOARD), cache=True)
def fill_keys(board):
    """Fill in the random words of the position's hash: the same on every machine."""
    word = _KEY_SEED
    for side in range(2):
        for cell in range(MAX_CELLS):
            word = word + _KEY_SEED
            board.zobrist[side, cell] = mix(word)
