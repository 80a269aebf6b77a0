"""Draws proven by a pairing: each line holds two empty cells that are answered by each other. Boards of any size.

A side that answers each mark on one cell of a pair on the other cell never lets the opponent have both, and never has
both itself. So if every line that a side can still complete holds a pair of empty cells, that side completes none:
against its will in the normal game, by its own choice in misère. ``docs/bounds.md`` says why this holds whoever is to
move. Without gravity, with or without an exact goal.
"""

from collections import Counter
from functools import lru_cache

from kinarow.game.geometry import DIRECTIONS, Direction, geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.maker_breaker.solver import masks, open_lines

TILING = (r"//\/|--/", r"--//|\\/", "/\\/--\\\\\\", r"|\\\--\/", r"|/\|\--|", r"/|||--\|", "/||--||\\", r"/\/--||/")
"""A tiling of the plane by pairs (after Hales and Jewett, Regularity and positional games, 1963).

Each cell is paired with its neighbour of the same sign, in the direction that the sign draws. Along each of the four
directions every row of the tile, continued periodically, has exactly one pair, so nine cells in a row always hold a
whole pair.
"""
KNOWN = frozenset({"misere", "exact_goal"})
TILING_SIDE = len(TILING)
TILING_GOAL = TILING_SIDE + 1  # The smallest goal that the tiling serves

SIGNS = "-|\\/"
MATCHINGS = 6  # Moves tried where the side to move needs one more mark for a pairing
TILINGS_KEPT = 8 * TILING_SIDE**2  # Tilings kept in memory, four masks each: those of eight board sizes

_Change = tuple[int, int, "_Change | None"]  # A group that gets a cell, the cell that it gives away, to whom


def knows(rules: Rules) -> bool:
    """Whether pairings may prove a draw on a plain board of more than 64 cells."""
    return rules.within(KNOWN) and rules.goal > 1


def hopeless(position: Position) -> bool:
    """Whether a quick look shows that the empty cells are too few to pair the lines of the side to move."""
    rules, served = position.rules, position.rules.goal - 1  # the most lines that a pair serves
    # In each direction a mark closes at most ``goal`` lines of the other side, and with an exact goal two of its own.
    closed = (rules.cells - position.empties + 1) // 2 * 4 * (rules.goal + 2)
    if 2 * (len(position.geometry.directed_lines) - closed) > served * position.empties:
        return True
    own, opponent = masks(position)
    starts = (_open_starts(rules, board, own, opponent) for board in position.geometry.directions)
    return 2 * sum(-(-lines.bit_count() // served) for lines in starts) > position.empties


def find_draw(position: Position, budget: Budget) -> int | None:
    """A move that keeps the draw that pairings prove for an ongoing position; None if they prove none.

    Also None if the budget ends the search; only its time and its stop flag count.
    """
    rules = position.rules
    own, opponent = masks(position)
    empty = (1 << rules.cells) - 1 & ~(own | opponent)
    own_pairs = _pairs(rules, own, opponent, budget)
    if own_pairs is None:
        return None
    if rules.misere:
        if _pairs(rules, opponent, own, budget) is None:
            return None
        # With an odd number of empty cells one belongs to no pair, and the side to move begins with such a cell.
        allowed = empty if position.empties % 2 == 0 else empty & ~own_pairs
        return next((cell for cell in position.geometry.move_order if allowed >> cell & 1), None)
    if _pairs(rules, opponent, own, budget) is not None:
        return position.geometry.first_of(position.legal_moves())
    urgent = _urgent(rules, opponent, own, position.geometry.move_order)
    return next((move for move in urgent if _pairs(rules, opponent, own | 1 << move, budget) is not None), None)


def _pairs(rules: Rules, maker: int, breaker: int, budget: Budget) -> int | None:
    """The cells of pairs for all lines that the maker can still complete; None if none were found."""
    paired = tiled_pairs(rules, maker, breaker, budget) if rules.goal >= TILING_GOAL else None
    return matched_pairs(open_lines(rules, maker, breaker), budget) if paired is None else paired


def matched_pairs(lines: list[int], budget: Budget) -> int | None:
    """The cells of pairs for lines in the order of ``lines_by_run``; None if the search finds none.

    Neighbouring lines are joined while they have two cells in common. Each group gets two of its cells, by augmenting
    paths.
    """
    groups: list[int] = []
    for line in lines:
        both = groups[-1] & line if groups else 0
        if both & both - 1:
            groups[-1] = both
        else:
            groups.append(line)
    owner: dict[int, int] = {}
    for group in groups * 2:
        if not budget.poll() or not _give_cell(group, owner):
            return None
    return sum(owner)


def _give_cell(group: int, owner: dict[int, int]) -> bool:
    """Give a group one more cell, for which others may have to change theirs; whether that succeeds."""
    seen = 0
    queue: list[_Change] = [(group, 0, None)]
    for change in queue:
        reach = change[0] & ~seen
        seen |= reach
        while reach:
            cell = reach & -reach
            reach ^= cell
            if cell in owner:
                queue.append((owner[cell], cell, change))
                continue
            step: _Change | None = change
            while step is not None:
                owner[cell] = step[0]
                _, cell, step = step
            return True
    return False


def tiled_pairs(rules: Rules, maker: int, breaker: int, budget: Budget) -> int | None:
    """The cells of the pairs of the first tiling that has a pair on each open line; None if no tiling has.

    A line is named by its first cell; all lines of one direction are handled at once.
    """
    empty = (1 << rules.cells) - 1 & ~(maker | breaker)
    open_starts = [(board.step, _open_starts(rules, board, maker, breaker)) for board in geometry(rules).directions]
    for place in range(TILING_SIDE**2):
        if not budget.poll():
            return None
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


def _urgent(rules: Rules, maker: int, breaker: int, order: tuple[int, ...]) -> list[int]:
    """The empty cells that a breaker would mark first: those on the most nearly complete lines of the maker."""
    weight: Counter[int] = Counter()
    for cells, line, flanks in geometry(rules).masks:
        if not line & breaker and not (rules.exact_goal and flanks & maker):
            left = [cell for cell in cells if not maker >> cell & 1]
            weight.update(dict.fromkeys(left, 1 << 2 * (rules.goal - len(left))))
    return sorted((cell for cell in order if cell in weight), key=lambda cell: -weight[cell])[:MATCHINGS]
