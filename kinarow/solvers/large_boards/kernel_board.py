"""The state of a board of up to 25 x 25 cells: the patterns around every cell, updated with each mark.

For every cell, direction and side the board holds the direction pattern that a mark of the side on that cell would
make; for every empty cell and side it holds the cell pattern. Cells of each cell pattern are kept as bit sets, one
bit for each cell. ``kernel_patterns`` defines both kinds of pattern. The four direction patterns of a cell together
are its *quad*, a number that indexes the points of ``weights`` and the cell patterns.

A direction pattern depends on the marks within ``radius`` of the cell: goal - 1 cells each way, or goal cells with
an exact goal, because there one mark more would spoil the line. With up to 12 such cells the surrounding is a
ternary number (0 empty, 1 own, 2 the other's or the edge) that indexes a table of patterns. For a longer goal, under
Caro from goal 6 on, the board has ``no_pattern_table``: the pattern is worked out from the marks each time, and its
open kinds below OPEN_FOUR are decided more simply. Caro numbers its surroundings in its own way
(``fill_caro_patterns``).

Cells are row * columns + column; side 0 is the side to move in the position loaded, side 1 the other.
Take marks back in the reverse order of putting them: what a mark changed is logged, and restored from the log.
The sums of the estimate are kept for each number of marks.
"""

import numba
import numpy as np
from numba import njit, types

from kinarow.solvers.common.kernel_bits import ONE, mix
from kinarow.solvers.large_boards.kernel_patterns import (
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
    pattern_of_missing,
)

MAX_CELLS = 625
MAX_WORDS = 10
MAX_TABLE_CELLS = 12
TABLE_SIZE = 3**MAX_TABLE_CELLS
DIRECTIONS = 4
QUADS = 1 << 16
TUPLES = 3876  # unordered four-tuples of the 16 direction patterns
LANES = 4  # 16-bit numbers in a word of sums
FEATURE_WORDS = 4
FEATURES = LANES * FEATURE_WORDS
SUM_WORDS = 1 + FEATURE_WORDS
HIDDEN = 16
_THREAT_KINDS = 5
THREATS = 1 << (2 * _THREAT_KINDS + 1)
MAX_ANSWERS = (
    1 + DIRECTIONS
)  # cells that may stop a line under Caro: the one that completes it, one beside each run

WORD_SHIFT = 6
BIT_MASK = 63
MAX_LOG = 2 * MAX_CELLS * MAX_TABLE_CELLS * DIRECTIONS // 2
"""Every two cells on a line, no farther apart than half a surrounding, are logged at most once, for both sides."""

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
        # By marks on the board and side: the sums over the empty cells of what ``tuple_points`` gives their tuples.
        ("sums", np.int64, (MAX_CELLS + 1, 2, SUM_WORDS)),
        ("alive", np.int64, (2,)),  # the patterns of all empty cells that are not NONE
        ("count", np.int64, (2, CELL_PATTERNS)),
        ("mask", np.uint64, (2, CELL_PATTERNS, MAX_WORDS)),
        ("near_mask", np.uint64, (MAX_WORDS,)),
        ("open_mask", np.uint64, (MAX_WORDS,)),
        ("answer", np.int16, (MAX_ANSWERS,)),
        ("stones", np.uint64, (2, MAX_WORDS)),
        ("mark", np.int8, (MAX_CELLS,)),
        ("cell_pattern", np.uint8, (MAX_CELLS, 2)),
        ("quad", np.uint16, (MAX_CELLS, 2)),  # the four patterns as one number: ``_quad_with``
        # What a quad says of a cell, in the rows of ``facts_row``, one for each side:
        # patterns that are not NONE << 4 | cell pattern
        ("quad_facts", np.uint8, (2, QUADS)),
        ("facts_row", np.int64, (2,)),
        # Of the estimate (``weights``): the number of a quad's tuple; its points for the mover and for the other side
        # (32 bits each) and its features (16 bits each); points by ``threats``; and the network above the features.
        ("tuple_of_quad", np.uint16, (QUADS,)),
        ("tuple_points", np.int64, (TUPLES, SUM_WORDS)),
        ("threat_points", np.int16, (THREATS,)),
        ("has_network", np.int64),
        ("input_bias", np.int32, (2 * FEATURES,)),
        ("layer", np.int32, (2 * FEATURES, HIDDEN)),
        ("threat_layer", np.int32, (THREATS, HIDDEN)),
        ("output", np.int32, (HIDDEN,)),
        ("hidden", np.int32, (HIDDEN,)),
        ("quad_order", np.int16, (2, QUADS)),  # of the order of moves: for the mover, and for the other side
        ("code", np.int64, (MAX_CELLS, DIRECTIONS)),  # of side 0, and of side 1 << 32
        ("code_change", np.int64, (2, 2 * 25)),  # by a mark of a side at a place of the surrounding
        ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
        ("pattern_table", np.uint8, (TABLE_SIZE,)),
        # The log, for each mark on the board in turn: what was near marks, ``alive``, and the cells that it changed as
        # (2 * cell + side) << 20 | cell pattern << 16 | quad
        ("near_cells", np.uint64, (MAX_CELLS, MAX_WORDS)),
        ("near_before", np.uint64, (MAX_CELLS, MAX_WORDS)),
        ("alive_before", np.int64, (MAX_CELLS, 2)),
        ("log_end", np.int64, (MAX_CELLS + 1,)),
        ("log", np.uint32, (MAX_LOG,)),
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


@njit(inline="always")
def _quad_with(quad, direction, pattern):
    """The quad with another pattern in one direction.

    The lower halves of all four patterns come before the upper ones, so that cells with few marks around, the most
    frequent ones, have near numbers: what tables say of them is then near in memory.
    """
    return (quad & ~(0x0303 << (2 * direction))) | ((pattern & 3) | (pattern & 12) << 6) << (2 * direction)


@njit(inline="always")
def pattern_of(board, cell, side, direction):
    """The direction pattern of a cell; a marked cell keeps those that it had before."""
    quad = types.int64(board.quad[cell, side]) >> (2 * direction)
    return (quad & 3) | (quad >> 6 & 12)


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def points_of(board, cell, side):
    """The points of the patterns of a cell, that order threats and judge futile moves (``tunables``)."""
    points = types.int64(0)
    for direction in range(DIRECTIONS):
        points += board.pattern_points[pattern_of(board, cell, side, direction)]
    return points


@njit(inline="always")
def _set_cell_pattern(board, cell, side, was, cell_pattern):
    """Give an empty cell another cell pattern."""
    word = cell >> WORD_SHIFT
    bit = ONE << np.uint64(cell & BIT_MASK)
    board.cell_pattern[cell, side] = cell_pattern
    board.mask[side, was, word] &= ~bit
    board.mask[side, cell_pattern, word] |= bit
    board.count[side, was] -= 1
    board.count[side, cell_pattern] += 1


@njit(inline="always")
def _set_quad(board, cell, side, quad, new_quad, end):
    """Give an empty cell another quad, and log the old one at ``end``; returns the change of ``alive``."""
    row = board.facts_row[side]
    facts = types.int64(board.quad_facts[row, new_quad])
    old_facts = types.int64(board.quad_facts[row, quad])
    was = types.int64(board.cell_pattern[cell, side])
    board.quad[cell, side] = new_quad
    board.log[end] = (2 * cell + side) << 20 | was << 16 | quad
    cell_pattern = facts & 15
    if cell_pattern != was:
        _set_cell_pattern(board, cell, side, was, cell_pattern)
    return (facts >> 4) - (old_facts >> 4)


@njit(inline="always")
def _remove_cell(board, cell):
    """Take an empty cell out of the numbers and the sets of both sides, because it gets a mark."""
    word = cell >> WORD_SHIFT
    bit = ONE << np.uint64(cell & BIT_MASK)
    for side in range(2):
        facts = types.int64(board.quad_facts[board.facts_row[side], types.int64(board.quad[cell, side])])
        board.alive[side] -= facts >> 4
        cell_pattern = types.int64(board.cell_pattern[cell, side])
        board.mask[side, cell_pattern, word] &= ~bit
        board.count[side, cell_pattern] -= 1
    board.open_mask[word] ^= bit


@njit(types.void(BOARD, types.int64), cache=True)
def _scan_surroundings(board, cell):
    """Work out again the patterns of every cell within the radius, where there is no table of them."""
    for direction in range(DIRECTIONS):
        step = board.step[direction]
        before = types.int64(board.reach[cell, direction, 0])
        after = types.int64(board.reach[cell, direction, 1])
        for steps in range(-before, after + 1):
            place = cell + steps * step
            if steps == 0 or board.mark[place] != 0:
                continue
            for side in range(2):
                quad = types.int64(board.quad[place, side])
                pattern = _scan_pattern(board, place, side, direction)
                new_quad = _quad_with(quad, direction, pattern)
                if new_quad != quad:
                    board.alive[side] += _set_quad(board, place, side, quad, new_quad, types.int64(0))


@njit(inline="always")
def _change_line(board, cell, side, direction, sign, end, change_0, change_1):
    """Update the cells on one side of a new mark in a direction; returns the log's end and the changes of ``alive``."""
    radius = board.radius
    step = sign * board.step[direction]
    reach = types.int64(board.reach[cell, direction, 0 if sign < 0 else 1])
    place = radius if sign < 0 else radius - 1
    other = cell
    for _ in range(reach):
        other += step
        code = board.code[other, direction] + board.code_change[side, place]
        place -= sign
        board.code[other, direction] = code
        if board.mark[other] == 0:
            pattern = types.int64(board.pattern_table[code & 0xFFFFFFFF])
            quad = types.int64(board.quad[other, 0])
            new_quad = _quad_with(quad, direction, pattern)
            if new_quad != quad:
                change_0 += _set_quad(board, other, 0, quad, new_quad, end)
                end += 1
            pattern = types.int64(board.pattern_table[code >> 32])
            quad = types.int64(board.quad[other, 1])
            new_quad = _quad_with(quad, direction, pattern)
            if new_quad != quad:
                change_1 += _set_quad(board, other, 1, quad, new_quad, end)
                end += 1
    return end, change_0, change_1


@njit(types.void(BOARD, types.int64, types.int64), nogil=True, cache=True)
def put_to_look(board, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell without the sums: there is no estimate until it is taken back.

    For searches of threats, which need none.
    """
    marks = board.cells - board.empty
    for each in range(2):
        board.alive_before[marks, each] = board.alive[each]
    for word in range(board.words):
        board.near_before[marks, word] = board.near_mask[word]
        board.near_mask[word] |= board.near_cells[cell, word]
    _remove_cell(board, cell)
    board.mark[cell] = side + 1
    board.stones[side, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
    board.key ^= board.zobrist[side, cell]
    board.empty -= 1
    end = board.log_end[marks]
    if board.no_pattern_table != 0:
        _scan_surroundings(board, cell)
    else:
        change_0 = types.int64(0)
        change_1 = types.int64(0)
        for direction in range(DIRECTIONS):
            for sign in range(-1, 2, 2):
                end, change_0, change_1 = _change_line(
                    board, cell, side, direction, sign, end, change_0, change_1
                )
        board.alive[0] += change_0
        board.alive[1] += change_1
    board.log_end[marks + 1] = end


@njit(types.void(BOARD), cache=True)
def _sum_cells(board):
    """Work out the sums of the position from all empty cells."""
    marks = board.cells - board.empty
    for side in range(2):
        for i in range(SUM_WORDS):
            board.sums[marks, side, i] = 0
        for cell in range(board.cells):
            if board.mark[cell] == 0:
                number = types.int64(board.tuple_of_quad[types.int64(board.quad[cell, side])])
                for i in range(SUM_WORDS):
                    board.sums[marks, side, i] += board.tuple_points[number, i]


@njit(types.void(BOARD, types.int64, types.int64), nogil=True, cache=True)
def put(board, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell."""
    put_to_look(board, cell, side)
    if board.no_pattern_table != 0:
        _sum_cells(board)
        return
    marks = board.cells - board.empty
    for each in range(2):
        number = types.int64(board.tuple_of_quad[types.int64(board.quad[cell, each])])
        for i in range(SUM_WORDS):
            board.sums[marks, each, i] = board.sums[marks - 1, each, i] - board.tuple_points[number, i]
    for i in range(board.log_end[marks - 1], board.log_end[marks]):
        entry = types.int64(board.log[i])
        owner = entry >> 20 & 1
        before = types.int64(board.tuple_of_quad[entry & 0xFFFF])
        now = types.int64(board.tuple_of_quad[types.int64(board.quad[entry >> 21, owner])])
        for j in range(SUM_WORDS):
            board.sums[marks, owner, j] += board.tuple_points[now, j] - board.tuple_points[before, j]


@njit(types.void(BOARD, types.int64), nogil=True, cache=True)
def take_back(board, cell):
    """Take back the last mark put, which is on this cell."""
    side = types.int64(board.mark[cell]) - 1
    word = cell >> WORD_SHIFT
    bit = ONE << np.uint64(cell & BIT_MASK)
    board.mark[cell] = 0
    board.stones[side, word] &= ~bit
    board.key ^= board.zobrist[side, cell]
    board.empty += 1
    marks = board.cells - board.empty
    # 1. The cells around.
    if board.no_pattern_table != 0:
        _scan_surroundings(board, cell)
    else:
        for direction in range(DIRECTIONS):
            step = board.step[direction]
            other = cell
            for k in range(types.int64(board.reach[cell, direction, 0])):
                other -= step
                board.code[other, direction] -= board.code_change[side, board.radius + k]
            other = cell
            for k in range(types.int64(board.reach[cell, direction, 1])):
                other += step
                board.code[other, direction] -= board.code_change[side, board.radius - 1 - k]
        for i in range(board.log_end[marks], board.log_end[marks + 1]):
            entry = types.int64(board.log[i])
            place = entry >> 21
            owner = entry >> 20 & 1
            board.quad[place, owner] = entry & 0xFFFF
            cell_pattern = entry >> 16 & 15
            was = types.int64(board.cell_pattern[place, owner])
            if was != cell_pattern:
                _set_cell_pattern(board, place, owner, was, cell_pattern)
    # 2. The cell itself.
    for each in range(2):
        cell_pattern = types.int64(board.cell_pattern[cell, each])
        board.mask[each, cell_pattern, word] |= bit
        board.count[each, cell_pattern] += 1
        board.alive[each] = board.alive_before[marks, each]
    board.open_mask[word] ^= bit
    for i in range(board.words):
        board.near_mask[i] = board.near_before[marks, i]


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
    put_to_look(board, cell, black)
    for direction in range(DIRECTIONS):
        pattern = pattern_of(board, cell, black, direction)
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
                pattern_of(board, point, black, direction) != OPEN_FOUR
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


@njit(types.void(BOARD, types.int64), cache=True)
def _list_near_cells(board, cell):
    """Set the cells that become candidates by a mark on a cell."""
    row = cell // board.columns
    column = cell - row * board.columns
    for down in range(-_CANDIDATE_REACH, _CANDIDATE_REACH + 1):
        for right in range(-_CANDIDATE_REACH, _CANDIDATE_REACH + 1):
            on_line = down == 0 or right == 0 or abs(down) == abs(right)
            inside = 0 <= row + down < board.rows and 0 <= column + right < board.columns
            if on_line and inside and (down != 0 or right != 0):
                other = (row + down) * board.columns + column + right
                board.near_cells[cell, other >> WORD_SHIFT] |= ONE << np.uint64(other & BIT_MASK)


@njit(types.void(BOARD), nogil=True, cache=True)
def prepare(board):
    """Set up every cell of an empty board whose numbers and tables are already there."""
    for place in range(2 * board.radius if board.no_pattern_table == 0 else 0):
        power = types.int64(board.power[place])
        board.code_change[0, place] = power + (2 * power << 32)
        board.code_change[1, place] = 2 * power + (power << 32)
    for cell in range(board.cells):
        board.open_mask[cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
        _measure_reach(board, cell)
        _list_near_cells(board, cell)
    for cell in range(board.cells):
        for direction in range(DIRECTIONS):
            code = _edge_code(board, cell, direction)
            for end in range(2):
                board.reach[cell, direction, end] = min(
                    types.int64(board.reach[cell, direction, end]), board.radius
                )
            board.code[cell, direction] = code + board.first_code[0] + ((code + board.first_code[1]) << 32)
            for side in range(2):
                if board.no_pattern_table != 0:
                    pattern = _scan_pattern(board, cell, side, direction)
                else:
                    pattern = types.int64(board.pattern_table[code + board.first_code[side]])
                board.quad[cell, side] = _quad_with(types.int64(board.quad[cell, side]), direction, pattern)
        for side in range(2):
            facts = types.int64(board.quad_facts[board.facts_row[side], types.int64(board.quad[cell, side])])
            cell_pattern = facts & 15
            board.cell_pattern[cell, side] = cell_pattern
            board.mask[side, cell_pattern, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
            board.count[side, cell_pattern] += 1
            board.alive[side] += facts >> 4
    _sum_cells(board)


@njit(types.void(BOARD), cache=True)
def fill_keys(board):
    """Fill in the random words of the position's hash: the same on every machine."""
    word = _KEY_SEED
    for side in range(2):
        for cell in range(MAX_CELLS):
            word = word + _KEY_SEED
            board.zobrist[side, cell] = mix(word)
