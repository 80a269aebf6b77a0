"""Draws proven by a pairing: two empty cells of each line that are answered one by the other. Boards of any size.

Who answers each mark on one cell of a pair by the other never lets the opponent have both, nor ever has both
himself. So where every line that a side may still complete holds a pair of empty cells, that side completes
none: against its will in the normal game, by its own choice in misère. ``docs/bounds.md`` says why that holds
whoever is to move. Without gravity, with or without an exact goal.
"""

from collections.abc import Iterator
from functools import lru_cache

from service.engine.geometry import DIRECTIONS
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers.blocking import lines_by_run, masks

PATTERN = (
    r"//\/|--/",
    r"--//|\\/",
    "/\\/--\\\\\\",
    r"|\\\--\/",
    r"|/\|\--|",
    r"/|||--\|",
    "/||--||\\",
    r"/\/--||/",
)
"""A tiling of the plane by pairs (after Hales and Jewett, Regularity and positional games, 1963).

Each cell is paired with the neighbour in the direction drawn that bears the same sign. Along each of the four
directions, each run of the tile has exactly one pair, so nine cells in a row always hold a whole one.
"""
PATTERN_SIDE = len(PATTERN)
PATTERN_GOAL = PATTERN_SIDE + 1
"""The least goal that the tiling serves."""

SIGNS = "-|\\/"
LEAST_GOAL = 5
"""Below, no board of more than one word has a pairing but near its end."""

MATCHINGS = 6
"""So many replies are tried where the side to move needs one more mark for a pairing."""

TILINGS_KEPT = 8


def find_draw(position: Position) -> int | None:
    """A move that keeps a draw which pairings prove of an ongoing position; None where they prove none."""
    rules = position.rules
    if rules.gravity or rules.goal < LEAST_GOAL:
        return None
    own, opponent = masks(position)
    empty = (1 << rules.cells) - 1 & ~(own | opponent)
    own_pairs = _pairs(rules, own, opponent, empty)
    if own_pairs is None:
        return None
    if rules.misere:
        if _pairs(rules, opponent, own, empty) is None:
            return None
        # The cell that is left over of an odd number belongs to no pair, and he who is to move begins with it.
        return _first(position, empty if position.empties % 2 == 0 else empty & ~own_pairs)
    if _pairs(rules, opponent, own, empty) is not None:
        return _first(position, empty)
    for move in _urgent(rules, opponent, own, position.geometry.move_order):
        mark = 1 << move
        if _pairs(rules, opponent, own | mark, empty & ~mark) is not None:
            return move
    return None


def _first(position: Position, cells: int) -> int | None:
    """The first of the cells in the fixed order."""
    return next((cell for cell in position.geometry.move_order if cells >> cell & 1), None)


def _pairs(rules: Rules, builder: int, blocker: int, empty: int) -> int | None:
    """The cells of a pairing against one side's lines, as a mask; None if none is found."""
    lines = [line & empty for line, flanks in lines_by_run(rules) if not (line & blocker or flanks & builder)]
    if rules.goal >= PATTERN_GOAL:
        for pairs in _tilings(rules.rows, rules.columns):
            paired = _cells_paired(pairs, lines, empty)
            if paired is not None:
                return paired
    return match(lines)


def _cells_paired(pairs: tuple[int, ...], lines: list[int], empty: int) -> int | None:
    """The pairs of a tiling that the lines need, as a mask of their cells; None if a line holds no whole one."""
    whole = [pair for pair in pairs if pair & ~empty == 0]
    paired = 0
    for line in lines:
        pair = next((pair for pair in whole if pair & ~line == 0), None)
        if pair is None:
            return None
        paired |= pair
    return paired


@lru_cache(maxsize=TILINGS_KEPT)
def _tilings(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """The pairs on a board for each place that the pattern may be laid at."""
    return tuple(
        tuple(_tiling(rows, columns, down, right))
        for down in range(PATTERN_SIDE)
        for right in range(PATTERN_SIDE)
    )


def _tiling(rows: int, columns: int, down: int, right: int) -> Iterator[int]:
    for row in range(rows):
        for column in range(columns):
            sign = PATTERN[(row + down) % PATTERN_SIDE][(column + right) % PATTERN_SIDE]
            step_down, step_right = DIRECTIONS[SIGNS.index(sign)]
            other_row, other_column = row + step_down, column + step_right
            if not (other_row < rows and 0 <= other_column < columns):
                continue
            if PATTERN[(other_row + down) % PATTERN_SIDE][(other_column + right) % PATTERN_SIDE] == sign:
                yield 1 << row * columns + column | 1 << other_row * columns + other_column


def match(lines: list[int]) -> int | None:
    """A pairing for lines in the order of ``lines_by_run``: the mask of its cells, or None if none is found.

    Neighbours are joined while they have two cells in common; each group wants a pair of these, and cells
    are given out by augmenting paths.
    """
    groups: list[int] = []
    for line in lines:
        both = groups[-1] & line if groups else 0
        if both & both - 1:
            groups[-1] = both
        else:
            groups.append(line)
    everything = 0
    for group in groups:
        everything |= group
    if 2 * len(groups) > everything.bit_count():
        return None
    owner: dict[int, int] = {}
    free = everything
    for wanted in range(2 * len(groups)):
        used = _give_cell(groups, owner, free, wanted >> 1)
        if not used:
            return None
        free &= ~used
    return everything & ~free


def _give_cell(groups: list[int], owner: dict[int, int], free: int, group: int) -> int:
    """Give a group one more cell along an augmenting path; the free cell that it used up, 0 if there is none."""
    visited = 0
    came_from: dict[int, tuple[int, int] | None] = {group: None}
    queue = [group]
    for asked in queue:
        reach = groups[asked] & ~visited
        if reach & free:
            used = cell = reach & free & -(reach & free)
            step: int | None = asked
            while step is not None:
                owner[cell] = step
                before = came_from[step]
                step, cell = before if before is not None else (None, 0)
            return used
        visited |= reach
        while reach:
            cell = reach & -reach
            reach ^= cell
            if owner[cell] not in came_from:
                came_from[owner[cell]] = (asked, cell)
                queue.append(owner[cell])
    return 0


def _urgent(rules: Rules, builder: int, blocker: int, order: tuple[int, ...]) -> list[int]:
    """The empty cells on most of the builder's nearest lines, which a blocker would mark first."""
    weight: dict[int, int] = {}
    for line, flanks in lines_by_run(rules):
        if line & blocker or flanks & builder:
            continue
        left = line & ~builder
        value = 1 << 2 * (rules.goal - left.bit_count())
        while left:
            cell = left & -left
            left ^= cell
            weight[cell] = weight.get(cell, 0) + value
    place = {1 << cell: index for index, cell in enumerate(order)}
    ranked = sorted(weight, key=lambda cell: (-weight[cell], place[cell]))
    return [cell.bit_length() - 1 for cell in ranked[:MATCHINGS]]
