"""Draws proven by a pairing: each line holds two empty cells that are answered by each other. Boards of any size.

A side that answers each mark on one cell of a pair on the other cell never lets the opponent have both, and never has
both itself. So if every line that a side can still complete holds a pair of empty cells, that side completes none:
against its will in the normal game, by its own choice in misère. ``docs/bounds.md`` says why this holds whoever is to
move. Without gravity, with or without an exact goal.
"""

from functools import lru_cache

from kinarow.game.geometry import DIRECTIONS, Direction, geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.maker_breaker.solver import lines_by_run, masks, open_lines

TILING = (r"//\/|--/", r"--//|\\/", "/\\/--\\\\\\", r"|\\\--\/", r"|/\|\--|", r"/|||--\|", "/||--||\\", r"/\/--||/")
"""A tiling of the plane by pairs (after Hales and Jewett, Regularity and positional games, 1963).

Each cell is paired with its neighbour of the same sign, in the direction that the sign draws. Along each of the four
directions every row of the tile, continued periodically, has exactly one pair, so nine cells in a row always hold a
whole pair.
"""
TILING_SIDE = len(TILING)
TILING_GOAL = TILING_SIDE + 1  # The smallest goal that the tiling serves

SIGNS = "-|\\/"
LEAST_GOAL = 5  # With smaller goals a board of more than 64 cells has a pairing only near the end of the game
MATCHINGS = 6  # Moves tried where the side to move needs one more mark for a pairing
TILINGS_KEPT = 8 * TILING_SIDE**2  # Tilings kept in memory, four masks each: those of eight board sizes


class BudgetSpent(Exception):
    """The budget ended before it was known whether pairings prove a draw."""


def find_draw(position: Position, budget: Budget) -> int | None:
    """A move that keeps the draw that pairings prove for an ongoing position; None if they prove none.

    Of the budget only the time and the stop flag count.

    Raises:
        BudgetSpent: one of them ended the search.
    """
    rules = position.rules
    if rules.gravity or rules.goal < LEAST_GOAL:
        return None
    own, opponent = masks(position)
    empty = (1 << rules.cells) - 1 & ~(own | opponent)
    own_pairs = _pairs(rules, own, opponent, budget)
    if own_pairs is None:
        return None
    if rules.misere:
        if _pairs(rules, opponent, own, budget) is None:
            return None
        # With an odd number of empty cells one belongs to no pair, and the side to move begins with such a cell.
        return _first(position, empty if position.empties % 2 == 0 else empty & ~own_pairs)
    if _pairs(rules, opponent, own, budget) is not None:
        return _first(position, empty)
    for move in _urgent(rules, opponent, own, position.geometry.move_order):
        if _pairs(rules, opponent, own | 1 << move, budget) is not None:
            return move
    return None


def hopeless(position: Position) -> bool:
    """Whether a quick look shows that ``find_draw`` finds no draw."""
    rules = position.rules
    if rules.gravity or rules.goal < LEAST_GOAL:
        return True
    return rules.goal < TILING_GOAL and not has_enough_cells(rules, *masks(position))


def _first(position: Position, cells: int) -> int | None:
    """The first of these cells in the fixed order; None if the set is empty."""
    return next((cell for cell in position.geometry.move_order if cells >> cell & 1), None)


def _pairs(rules: Rules, maker: int, breaker: int, budget: Budget) -> int | None:
    """The cells of a pairing against the maker's lines, as a mask; None without one."""
    if rules.goal >= TILING_GOAL:
        paired = tiled_pairs(rules, maker, breaker, budget)
        if paired is not None:
            return paired
    if not has_enough_cells(rules, maker, breaker):
        return None
    return match(open_lines(rules, maker, breaker), budget)


def has_enough_cells(rules: Rules, maker: int, breaker: int) -> bool:
    """Whether the empty cells may suffice: a pair serves at most the ``goal - 1`` lines that hold both its cells."""
    most = rules.goal - 1
    pairs = sum(
        -(-_open_starts(rules, board, maker, breaker).bit_count() // most) for board in geometry(rules).directions
    )
    return 2 * pairs <= rules.cells - (maker | breaker).bit_count()


def tiled_pairs(rules: Rules, maker: int, breaker: int, budget: Budget) -> int | None:
    """The cells of the pairs of the first tiling that has a pair on each open line; None if no tiling has.

    A line is named by its first cell; all lines of one direction are handled at once.
    """
    empty = (1 << rules.cells) - 1 & ~(maker | breaker)
    open_starts = [(board.step, _open_starts(rules, board, maker, breaker)) for board in geometry(rules).directions]
    for place in range(TILING_SIDE**2):
        _check(budget)
        tiling = tiling_masks(rules.rows, rules.columns, *divmod(place, TILING_SIDE))
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


def _open_starts(rules: Rules, board: Direction, maker: int, breaker: int) -> int:
    """The first cells of the lines of a direction that the maker can still complete."""
    spoiled = 0
    for i in range(rules.goal):
        spoiled |= breaker >> i * board.step
    if rules.exact_goal:
        spoiled |= maker << board.step & board.preceded | maker >> rules.goal * board.step & board.followed
    return board.starts & ~spoiled


@lru_cache(maxsize=TILINGS_KEPT)
def tiling_masks(rows: int, columns: int, down: int, right: int) -> dict[int, int]:
    """The first cells of the tiling's pairs on a board, by the step to the second cell; the tiling is shifted so far.

    On a narrow board two directions may have the same step, but then no line of ``TILING_GOAL`` cells fits in them.
    """
    firsts: dict[int, int] = {}
    for row in range(rows):
        for column in range(columns):
            sign = TILING[(row + down) % TILING_SIDE][(column + right) % TILING_SIDE]
            step_down, step_right = DIRECTIONS[SIGNS.index(sign)]
            other_row, other_column = row + step_down, column + step_right
            if not (other_row < rows and 0 <= other_column < columns):
                continue
            if TILING[(other_row + down) % TILING_SIDE][(other_column + right) % TILING_SIDE] == sign:
                step = step_down * columns + step_right
                firsts[step] = firsts.get(step, 0) | 1 << row * columns + column
    return firsts


def _check(budget: Budget) -> None:
    """Raise ``BudgetSpent`` when the time is over or the search was stopped."""
    if not budget.poll():
        raise BudgetSpent


def match(lines: list[int], budget: Budget) -> int | None:
    """A pairing for lines in the order of ``lines_by_run``: the mask of its cells, or None.

    Neighbouring lines are joined while they have two cells in common. Each group wants a pair of these, and cells are
    given out by augmenting paths.
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
        _check(budget)
        used = _give_cell(groups, owner, free, wanted >> 1)
        if not used:
            return None
        free &= ~used
    return everything & ~free


def _give_cell(groups: list[int], owner: dict[int, int], free: int, group: int) -> int:
    """Give a group one more cell along an augmenting path; returns the free cell used up, 0 if there is none."""
    visited = 0
    came_from: dict[int, tuple[int, int] | None] = {group: None}
    queue = [group]
    for each in queue:
        reach = groups[each] & ~visited
        if reach & free:
            used = cell = reach & free & -(reach & free)
            step: int | None = each
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
                came_from[owner[cell]] = (each, cell)
                queue.append(owner[cell])
    return 0


def _urgent(rules: Rules, maker: int, breaker: int, order: tuple[int, ...]) -> list[int]:
    """The empty cells that a breaker would mark first: those on the most nearly complete lines of the maker."""
    weight: dict[int, int] = {}
    for line, flanks in lines_by_run(rules):
        if line & breaker or flanks & maker:
            continue
        left = line & ~maker
        value = 1 << 2 * (rules.goal - left.bit_count())
        while left:
            cell = left & -left
            left ^= cell
            weight[cell] = weight.get(cell, 0) + value
    place = {1 << cell: index for index, cell in enumerate(order)}
    ranked = sorted(weight, key=lambda cell: (-weight[cell], place[cell]))
    return [cell.bit_length() - 1 for cell in ranked[:MATCHINGS]]
