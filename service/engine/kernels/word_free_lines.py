"""The lines of a free board in words: the record of a game and its searches, and what the lines threaten.

Lines are kept as words in a list, and each ply of a search keeps the list of those that one side at least
can still complete: a line is *alive* for a side while it holds no mark of the other and, with an exact goal,
no own mark on its flanks (the cells that would make it longer). Own marks never leave the board, so a dead
line stays dead, and every line completed later is among those alive now. ``need`` is the number of its
empty cells. With an exact goal the window that completes a line is alive until it is full, so everything
said of alive lines holds there too, unless a step says otherwise.
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels import word
from service.engine.kernels.bits import ONE, ZERO, lowest_index, popcount
from service.engine.kernels.proof_table import IMAGES_DTYPE, MAX_SYMMETRIES, make_key, write_images

MAX_CELLS = 64
MAX_LINES = 256  # goal 1 with an exact goal has a line in each of four directions at every cell
MAX_PLIES = MAX_CELLS + 4

# The switches: each takes one short cut away, so that tests can compare (see ``attack`` and ``enforce``).
OFF_POTENTIAL = 1
OFF_PASS = 2
OFF_DISTANCE = 4
OFF_SYMMETRY = 8
OFF_PLAN = 16
OFF_MIRROR = 32
OFF_RESERVE = 64
OFF_PAIRING = 128
OFF_IDLE = 256
ALL_SWITCHES = 511

# Symmetric positions share a table entry up to this many marks; beyond it the eight images cost more.
SYMMETRY_MARKS = 8

# A potential counts lines as 2^-need in these units: exact, since no rules ask for more than 25 in a row.
UNIT = 1 << 40
# How much a line weighs for its empty cells when moves are ordered: four times as much for each mark.
_WEIGHT = 1 << 24

SPACE_DTYPE = np.dtype(
    [
        ("goal", np.int64),
        ("cells", np.int64),
        ("misere", np.int64),
        ("exact_goal", np.int64),
        ("off", np.int64),
        ("full", np.uint64),
        ("lines", np.int64),
        ("line", np.uint64, (MAX_LINES,)),
        ("flank", np.uint64, (MAX_LINES,)),
        ("order", np.int64, (MAX_CELLS,)),
        ("images", IMAGES_DTYPE),
        ("fixed", np.uint64, (MAX_SYMMETRIES,)),
        ("mirror", np.int64, (MAX_SYMMETRIES,)),
        # What is known of the value beforehand; set anew for each search, see ``word_free.find_value``.
        ("least", np.int64),
        ("most", np.int64),
        # From here on: the state of one search.
        ("generation", np.int64),
        ("root_move", np.int64),
        ("alive_count", np.int64, (MAX_PLIES,)),
        ("alive", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("score", np.int64, (MAX_PLIES, MAX_CELLS)),
        ("zone", np.uint64, (MAX_PLIES,)),
        # Of the node in hand.
        ("completing", np.uint64, (2,)),
        ("potential", np.int64, (2,)),
        ("fork", np.uint64, (2,)),
        ("forced", np.uint64),
        ("pairs", np.int64),
        ("pair", np.uint64, (MAX_LINES,)),
    ],
    align=True,
)
SPACE = numba.from_dtype(SPACE_DTYPE)

FIRST = 0  # attacker or enforcer, in the pairs of the space
SECOND = 1  # defender or avoider

_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


# ---------------------------------------------------------------- what Python prepares


def fits(rows: int, columns: int) -> bool:
    """Whether a board of this size can be solved here."""
    return rows * columns <= MAX_CELLS


def word_bits(rows: int, columns: int) -> list[int]:
    """The default bit of each cell, row by row: the layout of the word boards, else cells packed row by row.

    Nothing here needs the spare bits of that layout, so boards a little too large for it can be solved too.
    """
    if word.fits(rows, columns):
        return word.word_bits(rows, columns)
    return list(range(rows * columns))


def new_space(
    rows: int,
    columns: int,
    goal: int,
    misere: bool = False,
    exact_goal: bool = False,
    off: int = 0,
    bits: list[int] | None = None,
) -> np.recarray:
    """The geometry of a board and the room one search needs; use it for one search at a time.

    Args:
        rows, columns: ``rows * columns <= 64``.
        goal: 1 or more.
        misere, exact_goal: the rules.
        off: the sum of the ``OFF_...`` switches.
        bits: the bit of each cell, row by row (default ``word_bits``).

    Returns:
        An array of one record; ``space[0]`` is what kernels take.

    Raises:
        ValueError: the board does not fit a word.
    """
    if not fits(rows, columns):
        raise ValueError(f"{rows} x {columns} cells do not fit one word of {MAX_CELLS} bits")
    places = word_bits(rows, columns) if bits is None else bits
    space = np.zeros(1, SPACE_DTYPE).view(np.recarray)
    space["goal"], space["cells"], space["off"] = goal, rows * columns, off
    space["misere"], space["exact_goal"] = misere, exact_goal
    space["least"], space["most"] = -rows * columns, rows * columns
    space["full"] = sum(1 << place for place in places)
    lines = _lines(rows, columns, goal, exact_goal, places)
    space["lines"] = space["alive_count"][:, 0] = len(lines)
    for index, (line, flank) in enumerate(lines):
        space["line"][0, index], space["flank"][0, index] = line, flank
        space["alive"][0, 0, index] = index
    through = [sum(line >> place & 1 for line, _ in lines) for place in places]
    order = sorted(range(len(places)), key=lambda tile: (-through[tile], tile))
    space["order"][0, : len(order)] = [places[tile] for tile in order]
    _add_symmetries(space, rows, columns, places, [line for line, _ in lines])
    return space


def _lines(rows: int, columns: int, goal: int, exact_goal: bool, places: list[int]) -> list[tuple[int, int]]:
    """Each line as a word and the word of its flanks; with goal 1 one line a cell unless the goal is exact."""

    def joined(cells: list[tuple[int, int]]) -> int:
        inside = [(r, c) for r, c in cells if 0 <= r < rows and 0 <= c < columns]
        return sum(1 << places[r * columns + c] for r, c in inside)

    found = []
    for down, right in _STEPS[:1] if goal == 1 and not exact_goal else _STEPS:
        for row in range(rows):
            for column in range(columns):
                if not (row + down * (goal - 1) < rows and 0 <= column + right * (goal - 1) < columns):
                    continue
                cells = [(row + down * i, column + right * i) for i in range(-1, goal + 1)]
                found.append((joined(cells[1:-1]), joined([cells[0], cells[-1]])))
    return found


def _add_symmetries(space: np.recarray, rows: int, columns: int, places: list[int], lines: list[int]) -> None:
    """Write the board's symmetries as maps of bits, the identity first, and say which can mirror a game."""
    images = []
    for turn in range(8 if rows == columns else 4):
        image = {}
        for tile, place in enumerate(places):
            row, column = divmod(tile, columns)
            row = rows - 1 - row if turn & 1 else row
            column = columns - 1 - column if turn & 2 else column
            row, column = (column, row) if turn & 4 else (row, column)
            image[place] = places[row * columns + column]
        images.append(image)
    write_images(space[0].images, images)
    for index, image in enumerate(images):
        fixed = sum(1 << place for place, other in image.items() if place == other)
        space["fixed"][0, index] = fixed
        pairs = [1 << place | 1 << other for place, other in image.items() if place != other]
        safe = all(any(line & pair == pair for pair in pairs) for line in lines if line & fixed)
        undoes_itself = all(image[other] == place for place, other in image.items())
        space["mirror"][0, index] = index > 0 and undoes_itself and safe


# ---------------------------------------------------------------- lines and weights


@njit(types.void(SPACE), cache=True)
def prepare(space):
    """Give every line to the first ply of a search that begins at ply 2."""
    for i in range(space.lines):
        space.alive[0, i] = i
        space.alive[1, i] = i
    space.alive_count[0] = space.lines
    space.alive_count[1] = space.lines


@njit(types.void(SPACE, types.int64, types.uint64, types.uint64, types.int64), cache=True)
def survey(space, ply, first, second, limit):
    """Sort the lines of the ply before into those still alive, and sum up what they threaten.

    ``alive[ply]`` gets the lines alive for a side at least; ``completing[s]`` the empty cells that complete
    a line for side s; ``potential[s]`` the sum of 2^-need over its lines with need <= limit, in units of
    2^-40; ``pair`` the two empty cells of each line of the first side with need = 2; ``fork`` a cell on two
    different pairs and the union of these pairs, or zeros.
    """
    goal = space.goal
    exact_goal = space.exact_goal
    count = 0
    completing_first = ZERO
    completing_second = ZERO
    potential_first = 0
    potential_second = 0
    pairs = 0
    seen = ZERO
    fork = ZERO
    fork_cells = ZERO
    for i in range(space.alive_count[ply - 1]):
        index = space.alive[ply - 1, i]
        line = space.line[index]
        own = line & first
        other = line & second
        for_first = other == ZERO
        for_second = own == ZERO
        if exact_goal != 0:
            for_first = for_first and (space.flank[index] & first) == ZERO
            for_second = for_second and (space.flank[index] & second) == ZERO
        if not (for_first or for_second):
            continue
        space.alive[ply, count] = index
        count += 1
        if for_first:
            need = goal - types.int64(popcount(own))
            if need <= limit:
                potential_first += UNIT >> need
            if need == 1:
                completing_first |= line ^ own
            elif need == 2:
                pair = line ^ own
                if (pair & seen) != ZERO and fork == ZERO:
                    for j in range(pairs):
                        known = space.pair[j]
                        if (known & pair) != ZERO and known != pair:
                            fork = known & pair
                            fork_cells = known | pair
                space.pair[pairs] = pair
                pairs += 1
                seen |= pair
        if for_second:
            need = goal - types.int64(popcount(other))
            if need <= limit:
                potential_second += UNIT >> need
            if need == 1:
                completing_second |= line ^ other
    space.alive_count[ply] = count
    space.completing[FIRST] = completing_first
    space.completing[SECOND] = completing_second
    space.potential[FIRST] = potential_first
    space.potential[SECOND] = potential_second
    space.fork[0] = fork
    space.fork[1] = fork_cells
    space.pairs = pairs


@njit(types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.int64, types.int64), cache=True)
def weigh(space, ply, first, second, limit_first, limit_second):
    """Score each cell by the lines through it, nearly complete ones most, into ``score[ply]``.

    Counted are lines of the first side with need <= limit_first, of the second with need <= limit_second.
    Returns the empty cells on any of them.
    """
    goal = space.goal
    exact_goal = space.exact_goal
    touched = ZERO
    for cell in range(MAX_CELLS):
        space.score[ply, cell] = 0
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        own = line & first
        other = line & second
        weight = 0
        if other == ZERO and (exact_goal == 0 or (space.flank[index] & first) == ZERO):
            need = goal - types.int64(popcount(own))
            if need <= limit_first:
                weight += max(_WEIGHT >> (2 * need), 1)
        if own == ZERO and (exact_goal == 0 or (space.flank[index] & second) == ZERO):
            need = goal - types.int64(popcount(other))
            if need <= limit_second:
                weight += max(_WEIGHT >> (2 * need), 1)
        if weight != 0:
            cells = line & ~(first | second)
            touched |= cells
            while cells != ZERO:
                space.score[ply, lowest_index(cells)] += weight
                cells &= cells - ONE
    return touched


@njit(types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.int64), cache=True)
def line_cells(space, ply, other, own, limit):
    """The empty cells on lines with need <= limit that are free of the other side's marks."""
    cells = ZERO
    for i in range(space.alive_count[ply]):
        line = space.line[space.alive[ply, i]]
        if (line & other) == ZERO and space.goal - types.int64(popcount(line & own)) <= limit:
            cells |= line & ~own
    return cells


@njit(types.int64(SPACE, types.uint64, types.uint64, types.int64), cache=True)
def position_key(space, first, second, mover):
    """Write the table key of a position into ``space.images.key``; returns the symmetry it was mapped by."""
    few_marks = types.int64(popcount(first | second)) <= SYMMETRY_MARKS
    return make_key(space.images, first, second, mover, few_marks and (space.off & OFF_SYMMETRY) == 0)
