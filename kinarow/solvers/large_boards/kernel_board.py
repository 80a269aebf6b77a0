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
The sums of the estimate are kept for each number of marks, and worked out from the log only when they are wanted.
"""

import numba
import numpy as np
from numba import njit, types

from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index, mix
from kinarow.solvers.large_boards.kernel_patterns import (
    BUILD_CELL,
    CELL_PATTERNS,
    DOUBLE_THREE_CELL,
    FIVE_CELL,
    FORBIDDEN_CELL,
    FOUR,
    FOUR_CELL,
    FOUR_THREE_CELL,
    NONE,
    OPEN_FOUR,
    OPEN_FOUR_CELL,
    OPEN_THREE,
    OPEN_THREE_2,
    THREE,
    caro_codes_of_end,
    pattern_of_missing,
)
from kinarow.solvers.large_boards.kernel_vectors import (
    BOTH,
    HIDDEN,
    LANES,
    add_difference,
    add_to_pool,
    assign,
    assign_both,
    set_change,
    subtract_active,
)

MAX_CELLS = 625
MAX_WORDS = 10
MAX_TABLE_CELLS = 12
TABLE_SIZE = 3**MAX_TABLE_CELLS
DIRECTIONS = 4
QUADS = 1 << 16
TUPLES = 3876  # unordered four-tuples of the 16 direction patterns
FEATURES = LANES
CHANNELS = LANES
INPUTS = 2 * (FEATURES + CHANNELS)
EMBEDDINGS = 258  # of the pairs of direction patterns, then of a mark of side 0 and of side 1
_MARK_EMBEDDING = 256
REGION_STEP = 2
MAX_REGIONS = 14 * 14
REGIONS_KEPT = 192  # marks for which the regions are kept: more than a search puts
_THREAT_KINDS = 5
THREATS = 1 << (2 * _THREAT_KINDS + 1)
MAX_ANSWERS = (
    1 + DIRECTIONS
)  # cells that may stop a line under Caro: the one that completes it, one beside each run
MAX_FOURS = 32
"""The most cells that make fours that are listed."""

_MOST_FORESEEN = 8  # cells that make fours among which the board looks for what they have in common

WORD_SHIFT = 6
BIT_MASK = 63
_MAX_SIDE = 25
MAX_LOG = MAX_CELLS * (1 + DIRECTIONS * (_MAX_SIDE - 1) // 2) + 1
"""Every mark logs its own cell, and every two cells on a line are logged at most once; one place is for a draft."""
MAX_KIND_LOG = 2 * MAX_LOG

# The same for words without a sign.
_WORD_SHIFT = np.uint64(WORD_SHIFT)
_BIT_MASK = np.uint64(BIT_MASK)
_QUAD_BITS = np.uint64(0xFFFF)
_HIGH_QUAD = np.uint64(16)
_PATTERN_BITS = np.uint64(0x03030303)
_UPPER_HALF = np.uint64(6)
_PAIR_BITS = np.uint64(255)
_DIRECTION_BITS = np.uint64(3)
_LOW_CODE = np.uint64(0xFFFFFFFF)
_HIGH_CODE = np.uint64(32)
_KIND_BITS = np.uint64(15)
_KIND_SHIFT = np.uint64(4)
_SIDE_SHIFT = np.uint64(8)
_SECOND_SIDE = np.uint64(1 << 8)
_PLACE_SHIFT = np.uint64(9)

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
        ("power", np.int32, (2 * _MAX_SIDE,)),
        ("unit", np.int64, (16,)),
        ("pattern_points", np.int64, (16,)),
        # By marks on the board: the sums over the empty cells of the points and the features of their tuples, by
        # side; and those of the channels over the regions. For up to ``summed`` marks they are known
        # (``bring_sums_up_to_date``).
        ("point_sums", np.int64, (MAX_CELLS + 1, 2)),
        ("sums", np.int16, ((MAX_CELLS + 1) * 2 * FEATURES,)),
        ("pools", np.int32, ((MAX_CELLS + 1) * BOTH,)),
        ("summed", np.int64),
        ("count", np.int64, (2, CELL_PATTERNS)),
        ("mask", np.uint64, (2, CELL_PATTERNS, MAX_WORDS)),
        ("near_mask", np.uint64, (MAX_WORDS,)),
        ("open_mask", np.uint64, (MAX_WORDS,)),
        ("answer", np.int16, (MAX_ANSWERS,)),
        # Of cells that make fours: the cells, and from one of them the direction and the steps to each.
        ("four_cell", np.int16, (MAX_FOURS,)),
        ("four_line", np.int8, (MAX_FOURS,)),
        ("four_steps", np.int8, (MAX_FOURS,)),
        ("stones", np.uint64, (2, MAX_WORDS)),
        ("mark", np.int8, (MAX_CELLS,)),
        ("cell_pattern", np.uint8, (MAX_CELLS, 2)),
        ("quads", np.uint32, (MAX_CELLS,)),  # of side 0, and of side 1 << 16
        ("cell_pattern_of_quad", np.uint8, (2, QUADS)),  # in the rows of ``quad_row``, one for each side
        ("quad_row", np.uint64, (2,)),
        # Of the estimate (``weights``): the number of a quad's tuple; its points for the mover and for the other side
        # (32 bits each) and its features; the embeddings that make the channels of a cell, for side 0 and then for
        # side 1, those of marks rectified; points by ``threats``; and the layers above.
        ("tuple_of_quad", np.uint16, (QUADS,)),
        ("tuple_points", np.int64, (TUPLES,)),
        ("features", np.int16, (TUPLES * FEATURES,)),
        ("embedding", np.int16, (EMBEDDINGS * BOTH,)),
        ("cell_bias", np.int16, (BOTH,)),
        ("region_bias", np.int16, (BOTH,)),
        ("threat_points", np.int16, (THREATS,)),
        ("has_network", np.int64),
        ("input_bias", np.int16, (INPUTS,)),
        ("layer", np.int16, (INPUTS * HIDDEN,)),
        ("threat_layer", np.int32, (THREATS, HIDDEN)),
        ("output", np.int32, (HIDDEN,)),
        ("inputs", np.int16, (INPUTS,)),
        ("hidden", np.int32, (HIDDEN,)),
        ("channels", np.int16, (BOTH,)),  # the change of those of a cell
        ("no_features", np.int16, (FEATURES,)),  # zeros
        # Regions are numbered row by row. A cell belongs to its first one, the next, and the two below them.
        ("region_columns", np.int64),
        ("regions", np.int64),
        ("first_region", np.uint8, (MAX_CELLS,)),
        ("empty_quads", np.uint32, (MAX_CELLS,)),  # ``quads`` of a board without marks
        ("quad_order", np.int16, (2, QUADS)),  # of the order of moves: for the mover, and for the other side
        ("code", np.uint64, (DIRECTIONS, MAX_CELLS)),  # of side 0, and of side 1 << 32
        # By a mark of a side at a place of the surrounding; 0 at the cell itself.
        ("code_change", np.uint64, (2, 2 * _MAX_SIDE + 1)),
        ("row", np.uint8, (MAX_CELLS,)),
        ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
        ("pattern_table", np.uint8, (TABLE_SIZE,)),
        # The log, for each mark on the board in turn: what was near marks; the cells whose quads it changed, its own
        # first, with the quads before and after; and the cell patterns that it changed, as
        # (cell << 1 | side) << 8 | pattern before << 4 | pattern after.
        ("near_cells", np.uint64, (MAX_CELLS, MAX_WORDS)),
        ("near_before", np.uint64, (MAX_CELLS, MAX_WORDS)),
        ("log_end", np.int64, (MAX_CELLS + 1,)),
        ("log_cell", np.uint16, (MAX_LOG,)),
        ("log_before", np.uint32, (MAX_LOG,)),
        ("log_after", np.uint32, (MAX_LOG,)),
        ("kind_log_end", np.int64, (MAX_CELLS + 1,)),
        ("kind_log", np.uint32, (MAX_KIND_LOG,)),
        # The channels of the regions for the last ``REGIONS_KEPT`` numbers of marks. The last field, as on an empty
        # board nothing is kept beyond the first regions, so that a copy need not go on.
        ("region_channels", np.int16, (REGIONS_KEPT * MAX_REGIONS * BOTH,)),
    ],
    align=True,
)
BOARD = numba.from_dtype(BOARD_DTYPE)
BOARDS = types.Array(BOARD, 1, "C")


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
def quad_of(board, cell, side):
    """The quad of a cell for a side; a marked cell keeps those that it had before."""
    return types.int64(board.quads[cell]) >> (16 * side) & 0xFFFF


@njit(inline="always")
def pattern_of(board, cell, side, direction):
    """The direction pattern of a cell; a marked cell keeps those that it had before."""
    quad = quad_of(board, cell, side) >> (2 * direction)
    return (quad & 3) | (quad >> 6 & 12)


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def points_of(board, cell, side):
    """The points of the patterns of a cell, that order threats and judge futile moves (``tunables``)."""
    points = types.int64(0)
    for direction in range(DIRECTIONS):
        points += board.pattern_points[pattern_of(board, cell, side, direction)]
    return points


@njit(inline="always")
def _log_change(board, end, place, before, after):
    """Log other quads of a cell at the end of the log, and return the new end.

    A cell whose quads stay, or that is marked, is written too, but the next entry takes its place: about half of the
    cells change, which a processor cannot foresee, and a wrong guess costs it more than writing them all.
    """
    board.log_cell[end] = place
    board.log_before[end] = before
    board.log_after[end] = after
    empty = board.mark[place] == 0
    return end + types.uint64((before != after) & empty)


@njit(inline="always")
def _change_codes(board, cell, side, end):
    """Bring the codes around a new mark up to date, and log the new quads; returns the log's end."""
    radius = board.radius
    for direction in range(DIRECTIONS):
        step = board.step[direction]
        line = types.uint64(direction)
        shift = line + line
        others = ~(_PATTERN_BITS << shift)
        before = types.int64(board.reach[cell, line, 0])
        after = types.int64(board.reach[cell, line, 1])
        for steps in range(-before, after + 1):
            place = types.uint64(cell + steps * step)
            code = board.code[line, place] + board.code_change[side, types.uint64(radius - steps)]
            board.code[line, place] = code
            patterns = types.uint64(board.pattern_table[code & _LOW_CODE])
            patterns |= types.uint64(board.pattern_table[code >> _HIGH_CODE]) << _HIGH_QUAD
            patterns = (patterns | patterns << _UPPER_HALF) & _PATTERN_BITS
            quads = types.uint64(board.quads[place])
            end = _log_change(board, end, place, quads, (quads & others) | patterns << shift)
    return end


@njit(types.uint64(BOARD, types.uint64, types.uint64), cache=True)
def _scan_surroundings(board, cell, end):
    """Log the new quads around a new mark where there is no table of patterns; returns the log's end."""
    for direction in range(DIRECTIONS):
        step = board.step[direction]
        before = types.int64(board.reach[cell, direction, 0])
        after = types.int64(board.reach[cell, direction, 1])
        for steps in range(-before, after + 1):
            place = types.int64(cell) + steps * step
            if board.mark[place] == 0:
                new = types.uint64(0)
                for side in range(2):
                    pattern = _scan_pattern(board, place, side, direction)
                    quad = _quad_with(quad_of(board, place, side), direction, pattern)
                    new |= types.uint64(quad) << types.uint64(16 * side)
                index = types.uint64(place)
                end = _log_change(board, end, index, types.uint64(board.quads[index]), new)
    return end


@njit(inline="always")
def _log_kind(board, kinds, entry, was, now):
    """Log another cell pattern at the end of the log of cell patterns, as ``_log_change``; returns the new end."""
    board.kind_log[kinds] = entry | was << _KIND_SHIFT | now
    return kinds + types.uint64(was != now)


@njit(inline="always")
def _set_changed_quads(board, first, end, kinds):
    """Set the quads that are logged from ``first`` on, and log the changes of cell patterns; returns that log's end."""
    row_0 = board.quad_row[0]
    row_1 = board.quad_row[1]
    for i in range(first, end):
        place = types.uint64(board.log_cell[i])
        quads = types.uint64(board.log_after[i])
        board.quads[place] = quads
        entry = place << _PLACE_SHIFT
        was = types.uint64(board.cell_pattern[place, 0])
        now = types.uint64(board.cell_pattern_of_quad[row_0, quads & _QUAD_BITS])
        kinds = _log_kind(board, kinds, entry, was, now)
        was = types.uint64(board.cell_pattern[place, 1])
        now = types.uint64(board.cell_pattern_of_quad[row_1, quads >> _HIGH_QUAD])
        kinds = _log_kind(board, kinds, entry | _SECOND_SIDE, was, now)
    return kinds


@njit(inline="always")
def _set_cell_pattern(board, entry, was, cell_pattern):
    """Give the empty cell of an entry of the log of cell patterns another one."""
    place = entry >> _PLACE_SHIFT
    side = entry >> _SIDE_SHIFT & ONE
    word = place >> _WORD_SHIFT
    bit = ONE << (place & _BIT_MASK)
    board.cell_pattern[place, side] = cell_pattern
    board.mask[side, was, word] &= ~bit
    board.mask[side, cell_pattern, word] |= bit
    board.count[side, was] -= 1
    board.count[side, cell_pattern] += 1


@njit(inline="always")
def _remove_cell(board, cell):
    """Take an empty cell out of the numbers and the sets of both sides, because it gets a mark."""
    word = cell >> _WORD_SHIFT
    bit = ONE << (cell & _BIT_MASK)
    for side in range(2):
        cell_pattern = types.uint64(board.cell_pattern[cell, side])
        board.mask[side, cell_pattern, word] &= ~bit
        board.count[side, cell_pattern] -= 1
    board.open_mask[word] ^= bit


@njit(types.void(BOARD, types.int64, types.int64), nogil=True, cache=True)
def put(board, cell, side):
    """Put a mark of a side (0 or 1) on an empty cell.

    The sums are left for ``bring_sums_up_to_date``: most marks are taken back before anything asks for an estimate.
    """
    # Indexes without a sign are not tested for being below zero.
    place = types.uint64(cell)
    owner = types.uint64(side)
    marks = types.uint64(board.cells - board.empty)
    # Loops over all words, not only over those in use, have a fixed length and so need no preparation.
    for word in range(MAX_WORDS):
        board.near_before[marks, word] = board.near_mask[word]
        board.near_mask[word] |= board.near_cells[place, word]
    _remove_cell(board, place)
    board.mark[place] = side + 1
    board.stones[owner, place >> _WORD_SHIFT] |= ONE << (place & _BIT_MASK)
    board.key ^= board.zobrist[owner, place]
    board.empty -= 1
    board.summed = min(board.summed, types.int64(marks))
    first = types.uint64(board.log_end[marks])
    board.log_cell[first] = place
    board.log_before[first] = board.quads[place]
    first += ONE
    if board.no_pattern_table != 0:
        end = _scan_surroundings(board, place, first)
    else:
        end = _change_codes(board, cell, owner, first)
    board.log_end[marks + ONE] = end
    first_kind = types.uint64(board.kind_log_end[marks])
    kinds = _set_changed_quads(board, first, end, first_kind)
    board.kind_log_end[marks + ONE] = kinds
    for i in range(first_kind, kinds):
        entry = types.uint64(board.kind_log[i])
        _set_cell_pattern(board, entry, entry >> _KIND_SHIFT & _KIND_BITS, entry & _KIND_BITS)


@njit(types.void(BOARD, types.int64), nogil=True, cache=True)
def take_back(board, cell):
    """Take back the last mark put, which is on this cell."""
    place = types.uint64(cell)
    owner = types.uint64(board.mark[place]) - ONE
    word = place >> _WORD_SHIFT
    bit = ONE << (place & _BIT_MASK)
    board.mark[place] = 0
    board.stones[owner, word] &= ~bit
    board.key ^= board.zobrist[owner, place]
    board.empty += 1
    marks = types.uint64(board.cells - board.empty)
    # 1. The cells around.
    if board.no_pattern_table == 0:
        radius = board.radius
        for direction in range(DIRECTIONS):
            step = board.step[direction]
            line = types.uint64(direction)
            before = types.int64(board.reach[place, line, 0])
            after = types.int64(board.reach[place, line, 1])
            for steps in range(-before, after + 1):
                change = board.code_change[owner, types.uint64(radius - steps)]
                board.code[line, types.uint64(cell + steps * step)] -= change
    for i in range(types.uint64(board.log_end[marks]) + ONE, types.uint64(board.log_end[marks + ONE])):
        board.quads[types.uint64(board.log_cell[i])] = board.log_before[i]
    for i in range(types.uint64(board.kind_log_end[marks]), types.uint64(board.kind_log_end[marks + ONE])):
        entry = types.uint64(board.kind_log[i])
        _set_cell_pattern(board, entry, entry & _KIND_BITS, entry >> _KIND_SHIFT & _KIND_BITS)
    # 2. The cell itself.
    for each in range(2):
        cell_pattern = types.uint64(board.cell_pattern[place, each])
        board.mask[each, cell_pattern, word] |= bit
        board.count[each, cell_pattern] += 1
    board.open_mask[word] ^= bit
    for i in range(MAX_WORDS):
        board.near_mask[i] = board.near_before[marks, i]


# --- the sums of the estimate ---------------------------------------------------------------------


@njit(types.void(BOARD), cache=True)
def _sum_cells(board):
    """Work out the sums of a board without marks from all cells."""
    for side in range(2):
        for cell in range(board.cells):
            number = types.uint64(board.tuple_of_quad[quad_of(board, cell, side)])
            board.point_sums[0, side] += board.tuple_points[number]
            for i in range(FEATURES):
                board.sums[side * FEATURES + i] += board.features[number * FEATURES + i]


@njit(types.void(BOARD), cache=True)
def _lay_out_regions(board):
    """Set which regions a cell belongs to, and the channels of the regions of a board without marks."""
    board.region_columns = board.columns // REGION_STEP + 2
    board.regions = board.region_columns * (board.rows // REGION_STEP + 2)
    for cell in range(board.cells):
        row = cell // board.columns
        column = cell - row * board.columns
        board.first_region[cell] = row // REGION_STEP * board.region_columns + column // REGION_STEP
        board.empty_quads[cell] = board.quads[cell]
    for region in range(board.regions):
        for i in range(BOTH):
            board.region_channels[region * BOTH + i] = board.region_bias[i]


@njit(inline="always")
def _exchange_tuple(board, marks, side, before, after):
    """Replace the tuple of one quad by that of another in the sums of a side."""
    was = types.uint64(board.tuple_of_quad[before])
    now = types.uint64(board.tuple_of_quad[after])
    if now != was:  # a mark often changes the patterns of one side only
        board.point_sums[marks, side] += board.tuple_points[now] - board.tuple_points[was]
        at = (types.uint64(2) * marks + types.uint64(side)) * types.uint64(FEATURES)
        add_difference(
            board.sums,
            at,
            board.features,
            now * types.uint64(FEATURES),
            board.features,
            was * types.uint64(FEATURES),
        )


@njit(inline="always")
def _row_of_pair(quads, direction):
    """Where ``embedding`` has the row of the patterns of both sides in a direction."""
    parts = quads >> (direction + direction) & _PATTERN_BITS
    number = (
        parts | parts >> types.uint64(6) | parts >> types.uint64(12) | parts >> types.uint64(18)
    ) & _PAIR_BITS
    return number * types.uint64(BOTH)


@njit(inline="always")
def _add_to_regions(board, marks, first, place):
    """Add the change of a cell, in ``board.channels``, to its four regions and to the pool."""
    row = first + types.uint64(board.first_region[place]) * types.uint64(BOTH)
    below = row + types.uint64(board.region_columns) * types.uint64(BOTH)
    right = types.uint64(BOTH)
    regions = (row, row + right, below, below + right)
    zero = types.uint64(0)
    add_to_pool(board.pools, marks * types.uint64(BOTH), board.region_channels, regions, board.channels, zero)


@njit(types.void(BOARD, types.uint64), cache=True)
def _update_regions(board, level):
    """Work out the regions for one more mark than ``level``, from those before and the log."""
    marks = level + ONE
    zero = types.uint64(0)
    both = types.uint64(BOTH)
    kept = types.uint64(REGIONS_KEPT)
    size = types.uint64(board.regions) * both
    source = (level % kept) * size
    target = (marks % kept) * size
    for i in range(types.uint64(board.regions)):
        assign_both(board.region_channels, target + i * both, board.region_channels, source + i * both)
    assign_both(board.pools, marks * both, board.pools, level * both)
    first = types.uint64(board.log_end[level])
    # 1. The cell that was marked.
    place = types.uint64(board.log_cell[first])
    quads = types.uint64(board.log_before[first])
    row = types.uint64(_MARK_EMBEDDING - 1) + types.uint64(board.mark[place])
    assign_both(board.channels, zero, board.embedding, row * both)
    rows = (
        _row_of_pair(quads, types.uint64(0)),
        _row_of_pair(quads, types.uint64(1)),
        _row_of_pair(quads, types.uint64(2)),
        _row_of_pair(quads, types.uint64(3)),
    )
    counts = quads != types.uint64(board.empty_quads[place])
    subtract_active(board.channels, zero, board.cell_bias, board.embedding, rows, counts)
    _add_to_regions(board, marks, target, place)
    # 2. The cells around, whose patterns in one direction are others.
    for i in range(first + ONE, types.uint64(board.log_end[marks])):
        place = types.uint64(board.log_cell[i])
        before = types.uint64(board.log_before[i])
        after = types.uint64(board.log_after[i])
        direction = lowest_index(before ^ after) >> ONE & _DIRECTION_BITS
        others = (
            _row_of_pair(before, direction + types.uint64(1) & _DIRECTION_BITS),
            _row_of_pair(before, direction + types.uint64(2) & _DIRECTION_BITS),
            _row_of_pair(before, direction + types.uint64(3) & _DIRECTION_BITS),
        )
        empty = types.uint64(board.empty_quads[place])
        was, now = _row_of_pair(before, direction), _row_of_pair(after, direction)
        set_change(
            board.channels,
            zero,
            board.cell_bias,
            board.embedding,
            others,
            was,
            now,
            before != empty,
            after != empty,
        )
        _add_to_regions(board, marks, target, place)


@njit(types.void(BOARD), nogil=True, cache=True)
def bring_sums_up_to_date(board):
    """Work out the sums of the position from those of the last position on the way to it that has them."""
    features = types.uint64(FEATURES)
    for level in range(board.summed, board.cells - board.empty):
        before_mark = types.uint64(level)
        marks = before_mark + ONE
        first = types.uint64(board.log_end[level])
        quads = types.uint64(board.log_before[first])
        for side in range(2):
            number = types.uint64(board.tuple_of_quad[quads >> types.uint64(16 * side) & _QUAD_BITS])
            board.point_sums[marks, side] = board.point_sums[level, side] - board.tuple_points[number]
            at = (types.uint64(2) * marks + types.uint64(side)) * features
            assign(board.sums, at, board.sums, at - types.uint64(2) * features)
            add_difference(
                board.sums, at, board.no_features, types.uint64(0), board.features, number * features
            )
        for i in range(first + ONE, types.uint64(board.log_end[marks])):
            before = types.uint64(board.log_before[i])
            after = types.uint64(board.log_after[i])
            _exchange_tuple(board, marks, 0, before & _QUAD_BITS, after & _QUAD_BITS)
            _exchange_tuple(board, marks, 1, before >> _HIGH_QUAD, after >> _HIGH_QUAD)
        if board.has_network != 0:
            _update_regions(board, before_mark)
    board.summed = max(board.summed, board.cells - board.empty)


@njit(types.boolean(BOARD), nogil=True, cache=True)
def can_line(board):
    """Whether a line is still possible: an empty cell has a pattern that is not NONE for one of the sides."""
    if board.count[0, 0] + board.count[1, 0] < 2 * board.empty:
        return True
    # Nearly always the first empty cell has one.
    for cell in range(board.cells):
        if board.mark[cell] == 0 and board.quads[cell] != 0:
            return True
    return False


@njit(inline="always")
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


@njit(inline="always")
def _pattern_of_code(board, side, code):
    """The direction pattern of a surrounding for a side."""
    return types.int64(board.pattern_table[code >> _HIGH_CODE if side != 0 else code & _LOW_CODE])


@njit(inline="always")
def _is_four_after(board, side, cell, answer):
    """Whether the side still has a four or more on the cell after a mark of the other side on another cell."""
    direction, steps = _line_between(board, cell, answer)
    if direction < 0 or abs(steps) > board.radius:
        return True
    code = board.code[direction, cell] + board.code_change[1 - side, board.radius - steps]
    pattern = _pattern_of_code(board, side, code)
    quad = _quad_with(quad_of(board, cell, side), direction, pattern)
    return board.cell_pattern_of_quad[board.quad_row[side], quad] >= FOUR_CELL


@njit(inline="always")
def _foresees_fours(board):
    """Whether codes say what a mark changes: not with gravity, under Caro, in Renju and without a table of patterns.

    There a mark may make a four of the other side possible, or it takes long to find out.
    """
    return board.gravity == 0 and board.caro == 0 and board.beginner < 0 and board.no_pattern_table == 0


@njit(inline="always")
def _leaves_four_on_line(board, side, cell, direction, apart):
    """Whether a mark on the cell and its answer, so many steps before it, leave a four to make on their line."""
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


@njit(inline="always")
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


@njit(types.int64(BOARD, types.int64), nogil=True, cache=True)
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


@njit(types.boolean(BOARD, types.int64, types.int64), nogil=True, cache=True)
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
    because that is forbidden in its turn or makes a five. ``kinarow.game.renju`` has the same rule in plain Python.
    """
    black = board.beginner
    if board.cell_pattern[cell, black] == FORBIDDEN_CELL:
        return True
    if board.cell_pattern[cell, black] != DOUBLE_THREE_CELL:
        return False
    real = 0
    put(board, cell, black)
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
    board.row[cell] = row
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
        power = types.uint64(board.power[place])
        index = place if place < board.radius else place + 1
        board.code_change[0, index] = power + (power << _HIGH_CODE + ONE)
        board.code_change[1, index] = (power << ONE) + (power << _HIGH_CODE)
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
            board.code[direction, cell] = types.uint64(
                code + board.first_code[0] + ((code + board.first_code[1]) << 32)
            )
            for side in range(2):
                if board.no_pattern_table != 0:
                    pattern = _scan_pattern(board, cell, side, direction)
                else:
                    pattern = types.int64(board.pattern_table[code + board.first_code[side]])
                quad = _quad_with(quad_of(board, cell, side), direction, pattern)
                board.quads[cell] = (
                    types.int64(board.quads[cell]) & 0xFFFF << 16 * (1 - side)
                ) | quad << 16 * side
        for side in range(2):
            cell_pattern = types.int64(
                board.cell_pattern_of_quad[board.quad_row[side], quad_of(board, cell, side)]
            )
            board.cell_pattern[cell, side] = cell_pattern
            board.mask[side, cell_pattern, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)
            board.count[side, cell_pattern] += 1
    _sum_cells(board)
    _lay_out_regions(board)


@njit(types.void(BOARD), cache=True)
def fill_keys(board):
    """Fill in the random words of the position's hash: the same on every machine."""
    word = _KEY_SEED
    for side in range(2):
        for cell in range(MAX_CELLS):
            word = word + _KEY_SEED
            board.zobrist[side, cell] = mix(word)
