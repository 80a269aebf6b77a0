# mypy: ignore-errors
"""Tables over quads (the four direction patterns of a cell): their unordered tuples and their cell patterns."""

from kinarow.kernels.declare import part
from kinarow.solvers.large_boards.board.kernel_cells import pattern_in, quad_with
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, QUADS
from kinarow.solvers.large_boards.board.patterns import (
    BUILD_CELL,
    DOUBLE_THREE_CELL,
    FIVE,
    FIVE_CELL,
    FORBIDDEN_CELL,
    FOUR,
    FOUR_CELL,
    FOUR_THREE_CELL,
    LINE_FOURS,
    OPEN_FOUR,
    OPEN_FOUR_CELL,
    OPEN_THREE,
    OPEN_THREE_2,
    OPEN_TWO,
    OPEN_TWO_2,
    OPEN_TWO_3,
    OVERLINE,
    PATTERNS,
    THREE,
    THREE_CELL,
    THREES_CELL,
)

_NOT_NUMBERED = 0xFFFF


@part("int64(int64, int64)")
def _cell_pattern(quad, beginner):
    """Return the cell pattern of a quad; ``beginner`` is 1 for the side under Renju's restrictions."""
    fives = 0
    fours = 0
    open_fours = 0
    threes = 0
    builds = 0
    forbidden = 0
    for direction in range(DIRECTIONS):
        pattern = pattern_in(quad, direction)
        fives += pattern == FIVE
        open_fours += pattern == OPEN_FOUR
        fours += pattern == FOUR or pattern == OPEN_FOUR
        threes += pattern == OPEN_THREE or pattern == OPEN_THREE_2
        builds += pattern == THREE or pattern == OPEN_TWO or pattern == OPEN_TWO_2 or pattern == OPEN_TWO_3
        forbidden += pattern == OVERLINE or pattern == LINE_FOURS
    if fives > 0:
        return FIVE_CELL
    if beginner != 0 and (forbidden > 0 or fours > 1):
        return FORBIDDEN_CELL
    if beginner != 0 and threes > 1:
        return DOUBLE_THREE_CELL
    if open_fours > 0 or fours > 1:
        return OPEN_FOUR_CELL
    if fours > 0:
        return FOUR_THREE_CELL if threes > 0 else FOUR_CELL
    if threes > 0:
        return THREES_CELL if threes > 1 else THREE_CELL
    return BUILD_CELL if builds > 1 else 0


@part("void(uint8[::1], uint16[::1], int64[::1], int64)")
def fill_cell_patterns(cell_pattern, tuple_of_quad, found, beginner):
    """Fill in the cell pattern of each quad, computed once for each tuple; ``found`` is scratch memory by tuple."""
    found[:] = 0
    for quad in range(QUADS):
        number = tuple_of_quad[quad]
        if found[number] == 0:
            found[number] = 1 + _cell_pattern(quad, beginner)
        cell_pattern[quad] = found[number] - 1


@part("void(uint16[::1])")
def number_tuples(tuple_of_quad):
    """Fill in the number of each quad's unordered tuple of patterns; tuples are numbered in ascending order."""
    tuple_of_quad[:] = _NOT_NUMBERED
    number = 0
    for a in range(PATTERNS):
        for b in range(a, PATTERNS):
            for c in range(b, PATTERNS):
                for d in range(c, PATTERNS):
                    tuple_of_quad[quad_with(quad_with(quad_with(quad_with(0, 0, a), 1, b), 2, c), 3, d)] = number
                    number += 1
    for quad in range(QUADS):
        if tuple_of_quad[quad] == _NOT_NUMBERED:
            # Sort the four patterns.
            a, b = min(pattern_in(quad, 0), pattern_in(quad, 1)), max(pattern_in(quad, 0), pattern_in(quad, 1))
            c, d = min(pattern_in(quad, 2), pattern_in(quad, 3)), max(pattern_in(quad, 2), pattern_in(quad, 3))
            least, most = min(a, c), max(b, d)
            inner, other = max(a, c), min(b, d)
            ascending = quad_with(quad_with(0, 0, least), 1, min(inner, other))
            ascending = quad_with(quad_with(ascending, 2, max(inner, other)), 3, most)
            tuple_of_quad[quad] = tuple_of_quad[ascending]
