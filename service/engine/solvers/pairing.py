"""Draws proven by a pairing: two empty cells of each line that are answered one by the other. Boards of any size.

Who answers each mark on one cell of a pair by the other never lets the opponent have both, nor ever has both
himself. So where every line that a side may still complete holds a pair of empty cells, that side completes
none: against its will in the normal game, by its own choice in misère. ``docs/bounds.md`` says why that holds
whoever is to move. Without gravity, with or without an exact goal.
"""

import time
from functools import lru_cache

from service.engine.geometry import DIRECTIONS, Direction, geometry
from service.engine.kernels.control import NO_DEADLINE
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers.blocking import lines_by_run, masks, open_lines

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

TILINGS_KEPT = 8 * PATTERN_SIDE**2
"""The tilings of eight sizes of boards stay in memory: four masks each."""


class OutOfTime(Exception):
    """The deadline came before it was known whether pairings prove a draw."""


def find_draw(position: Position, deadline_ns: int = NO_DEADLINE) -> int | None:
    """A move that keeps a draw which pairings prove of an ongoing position; None where they prove none.

    Args:
        position: of any rules.
        deadline_ns: when to give up, on the scale of ``time.monotonic_ns()``.

    Raises:
        OutOfTime: the deadline has passed.
    """
    rules = position.rules
    if rules.gravity or rules.goal < LEAST_GOAL:
        return None
    own, opponent = masks(position)
    empty = (1 << rules.cells) - 1 & ~(own | opponent)
    own_pairs = _pairs(rules, own, opponent, deadline_ns)
    if own_pairs is None:
        return None
    if rules.misere:
        if _pairs(rules, opponent, own, deadline_ns) is None:
            return None
        # The cell that is left over of an odd number belongs to no pair, and he who is to move begins with it.
        return _first(position, empty if position.empties % 2 == 0 else empty & ~own_pairs)
    if _pairs(rules, opponent, own, deadline_ns) is not None:
        return _first(position, empty)
    for move in _urgent(rules, opponent, own, position.geometry.move_order):
        if _pairs(rules, opponent, own | 1 << move, deadline_ns) is not None:
            return move
    return None


def _first(position: Position, cells: int) -> int | None:
    """The first of the cells in the fixed order."""
    return next((cell for cell in position.geometry.move_order if cells >> cell & 1), None)


def _pairs(rules: Rules, builder: int, blocker: int, deadline_ns: int) -> int | None:
    """The cells of a pairing against one side's lines, as a mask; None if none is found."""
    if rules.goal >= PATTERN_GOAL:
        paired = _tiled(rules, builder, blocker, deadline_ns)
        if paired is not None:
            return paired
    if not _enough_cells(rules, builder, blocker):
        return None
    return match(open_lines(rules, builder, blocker), deadline_ns)


def _enough_cells(rules: Rules, builder: int, blocker: int) -> bool:
    """Whether the empty cells may suffice: a pair serves at most the ``goal - 1`` lines of its run with both cells."""
    most = rules.goal - 1
    pairs = sum(
        -(-_open_starts(rules, board, builder, blocker).bit_count() // most)
        for board in geometry(rules).directions
    )
    return 2 * pairs <= rules.cells - (builder | blocker).bit_count()


def _tiled(rules: Rules, builder: int, blocker: int, deadline_ns: int) -> int | None:
    """The cells of the pairs of the first tiling that holds one for each open line; None if none does.

    Lines are told by their first cells, all of one direction at once.
    """
    empty = (1 << rules.cells) - 1 & ~(builder | blocker)
    open_starts = [
        (board.step, _open_starts(rules, board, builder, blocker)) for board in geometry(rules).directions
    ]
    for place in range(PATTERN_SIDE**2):
        _check(deadline_ns)
        tiling = _tiling(rules.rows, rules.columns, *divmod(place, PATTERN_SIDE))
        paired = 0
        for step, starts in open_starts:
            pairs = tiling.get(step, 0) & empty & empty >> step
            served = on_lines = 0
            for i in range(rules.goal - 1):
                served |= pairs >> i * step
                on_lines |= starts << i * step
            if starts & ~served:
                break
            paired |= pairs & on_lines | (pairs & on_lines) << step
        else:
            return paired
    return None


def _open_starts(rules: Rules, board: Direction, builder: int, blocker: int) -> int:
    """The first cells of the lines of a direction that the builder may still complete."""
    spoiled = 0
    for i in range(rules.goal):
        spoiled |= blocker >> i * board.step
    if rules.exact_goal:
        spoiled |= (
            builder << board.step & board.preceded | builder >> rules.goal * board.step & board.followed
        )
    return board.starts & ~spoiled


@lru_cache(maxsize=TILINGS_KEPT)
def _tiling(rows: int, columns: int, down: int, right: int) -> dict[int, int]:
    """The first cells of the pairs on a board by the step to the second, the pattern laid so far off.

    Two directions that have the same step on a narrow board have no line of ``PATTERN_GOAL`` cells there.
    """
    firsts: dict[int, int] = {}
    for row in range(rows):
        for column in range(columns):
            sign = PATTERN[(row + down) % PATTERN_SIDE][(column + right) % PATTERN_SIDE]
            step_down, step_right = DIRECTIONS[SIGNS.index(sign)]
            other_row, other_column = row + step_down, column + step_right
            if not (other_row < rows and 0 <= other_column < columns):
                continue
            if PATTERN[(other_row + down) % PATTERN_SIDE][(other_column + right) % PATTERN_SIDE] == sign:
                step = step_down * columns + step_right
                firsts[step] = firsts.get(step, 0) | 1 << row * columns + column
    return firsts


def _check(deadline_ns: int) -> None:
    """Give up when the deadline has passed."""
    if time.monotonic_ns() >= deadline_ns:
        raise OutOfTime


def match(lines: list[int], deadline_ns: int = NO_DEADLINE) -> int | None:
    """A pairing for lines in the order of ``lines_by_run``: the mask of its cells, or None if none is found.

    Neighbours are joined while they have two cells in common; each group wants a pair of these, and cells
    are given out by augmenting paths.

    Raises:
        OutOfTime: the deadline has passed.
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
        _check(deadline_ns)
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
