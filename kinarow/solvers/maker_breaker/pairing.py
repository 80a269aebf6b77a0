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
from kinarow.solvers.maker_breaker.solver import masks

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


def knows(rules: Rules) -> bool:
    """Whether pairings may prove a draw on a plain board of more than 64 cells."""
    return rules.within(KNOWN) and rules.goal >= TILING_GOAL


def find_draw(position: Position, budget: Budget) -> int | None:
    """A move that keeps the draw that pairings prove for an ongoing position; None if they prove none.

    Also None if the budget ends the search; only its time and its stop flag count.
    """
    rules = position.rules
    own, opponent = masks(position)
    empty = (1 << rules.cells) - 1 & ~(own | opponent)
    own_pairs = tiled_pairs(rules, own, opponent, budget)
    if own_pairs is None:
        return None
    if rules.misere:
        if tiled_pairs(rules, opponent, own, budget) is None:
            return None
        # With an odd number of empty cells one belongs to no pair, and the side to move begins with such a cell.
        allowed = empty if position.empties % 2 == 0 else empty & ~own_pairs
        return next((cell for cell in position.geometry.move_order if allowed >> cell & 1), None)
    if tiled_pairs(rules, opponent, own, budget) is not None:
        return position.geometry.first_of(position.legal_moves())
    urgent = _urgent(rules, opponent, own, position.geometry.move_order)
    return next((move for move in urgent if tiled_pairs(rules, opponent, own | 1 << move, budget) is not None), None)


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
