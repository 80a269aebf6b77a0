"""An independent judge of every game, written from docs/rules.md alone; it shares no code with the package.

It is slow and obviously right: runs are walked cell by cell, every move is tried, and the only short cut is a memory of
positions already judged. A game is anything with the fields of ``kinarow.Rules``; a board is the bytes of its cells in
tile order, 0 empty, 1 X, 2 O, 3 blocked; a side is 1 or 2. In Renju X is Black, the side that began.
"""

from functools import cache, lru_cache
from itertools import product

import numpy as np

STEPS = {"horizontal": (0, 0, 1), "vertical": (0, 1, 0), "diagonal": (0, 1, 1), "antidiagonal": (0, 1, -1)}
"""In layers, rows and columns."""
IN_SPACE = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]


@lru_cache(maxsize=2000)
def directions(game):
    """For each direction two maps: from a cell to the next one forwards, and to the next one backwards."""
    sides = game.layers, game.rows, game.columns
    rings = False, game.wrap in ("columns", "both"), game.wrap in ("rows", "both")
    cells = {place: cell for cell, place in enumerate(product(*map(range, sides)))}
    found = []
    for step in IN_SPACE if game.layers > 1 else [STEPS[name] for name in game.directions]:
        forwards = {}
        for place, cell in cells.items():
            along = zip(place, step, sides, rings, strict=True)
            there = tuple((at + by) % side if ring else at + by for at, by, side, ring in along)
            if there in cells:
                forwards[cell] = cells[there]
        found.append((forwards, {there: here for here, there in forwards.items()}))
    return found


def put(game, cells, cell, side):
    """The board after one more mark."""
    return cells[:cell] + bytes((1 if game.marks == "shared" else side,)) + cells[cell + 1 :]


def run_through(cells, cell, direction):
    """The unbroken run of equal marks through a marked cell, and whether the other side's stand at both ends."""
    run, closed = {cell}, True
    for way in direction:
        at = way.get(cell)
        while at is not None and at not in run and cells[at] == cells[cell]:
            run.add(at)
            at = way.get(at)
        closed = closed and at is not None and cells[at] == 3 - cells[cell]
    return frozenset(run), closed


def lines_through(game, cells, cell):
    """The runs through a marked cell that count as lines."""
    exact = game.exact_goal or (game.renju and cells[cell] == 1)
    found = []
    for direction in directions(game):
        run, closed = run_through(cells, cell, direction)
        if not exact if len(run) > game.goal else len(run) == game.goal and not (game.caro and closed):
            found.append(run)
    return found


def line_cells(game, cells, side):
    """All cells of a side that are part of a line, in order."""
    return [cell for cell, mark in enumerate(cells) if mark == side and lines_through(game, cells, cell)]


def reachable(game, cells):
    """The empty cells, under gravity those on which a mark comes to lie, in order."""
    free = [cell for cell, mark in enumerate(cells) if mark == 0]
    under, empty = -game.rows * game.columns if game.layers > 1 else game.columns, set(free)
    return [cell for cell in free if cell + under not in empty] if game.gravity else free


def moves(game, cells, side):
    """The cells that a side may mark, in order."""
    restricted = game.renju and side == 1
    return [cell for cell in reachable(game, cells) if not restricted or fault(game, cells, cell) is None]


def completing(game, cells, side):
    """The moves of a side that complete a line; in Renju too all of them are legal."""
    return [cell for cell in reachable(game, cells) if lines_through(game, put(game, cells, cell, side), cell)]


def safe(game, cells, side):
    """The moves of a side that do not lose at once."""
    own = completing(game, cells, side)
    if game.misere:
        return [move for move in moves(game, cells, side) if move not in own]
    return [
        move
        for move in moves(game, cells, side)
        if move in own or not completing(game, put(game, cells, move, side), 3 - side)
    ]


def scores(game, cells, side):
    """The exact score of each move for the side that makes it, a win in n plies being cells + 1 - n."""
    found = {}
    for move in moves(game, cells, side):
        after = put(game, cells, move, side)
        if lines_through(game, after, move):
            found[move] = -len(cells) if game.misere else len(cells)
        else:
            value = -score(game, after, 3 - side)
            found[move] = value - (value > 0) + (value < 0)
    return found


@cache
def score(game, cells, side):
    """The exact score of a position that no line has ended."""
    return max(scores(game, cells, side).values(), default=0)


# Lines counted, and minimax to a depth: a win on a board with m marks is WIN - m, a loss its negative, a draw 0, and
# anything smaller an estimate.

WIN = 10**15
DECISIVE = WIN - 1000


@lru_cache(maxsize=500)
def lines(game):
    """Every line in each direction as its cells and the others next to its ends; with goal 1 one in each direction."""
    found = []
    for forwards, backwards in directions(game):
        for first in range(game.layers * game.rows * game.columns):
            line = [first]
            while len(line) < game.goal and forwards.get(line[-1], first) not in line:
                line.append(forwards[line[-1]])
            if len(line) == game.goal:
                ends = backwards.get(first), forwards.get(line[-1])
                found.append((line, [cell for cell in ends if cell is not None and cell not in line]))
    return found


def completed(game, cells, side):
    """The lines of a side, each as its cells; a run longer than the goal holds several."""
    return [
        line
        for line, flanks in lines(game)
        if all(cells[cell] == side for cell in line)
        and not (game.exact_goal and any(cells[cell] == side for cell in flanks))
    ]


def open_lines(game, cells, side):
    """How many marks of the side each line holds that it may still complete."""
    return [
        sum(cells[cell] == side for cell in line)
        for line, flanks in lines(game)
        if all(cells[cell] in (0, side) for cell in line)
        and not (game.exact_goal and any(cells[cell] == side for cell in flanks))
    ]


def estimate(game, cells, side):
    """The heuristic for a side: its open lines count 1, 10, 100 ... by their marks, the other's against it."""
    mine, yours = (sum(10 ** (n - 1) for n in open_lines(game, cells, each) if n) for each in (side, 3 - side))
    return (yours - mine) if game.misere else (mine - yours)


def values_to(depth, game, cells, side):
    """For each move its value by plain minimax to a depth, and whether that rests on no estimate."""
    return {move: _after(depth - 1, game, put(game, cells, move, side), move) for move in moves(game, cells, side)}


def value_to(depth, game, cells, side):
    """The same of the position."""
    values = values_to(depth, game, cells, side).values()
    return max(value for value, _ in values), all(certain for _, certain in values)


@lru_cache(maxsize=100_000)
def _after(depth, game, cells, move):
    """The value for the side that has just moved."""
    side = cells[move]
    if lines_through(game, cells, move):
        marks = len(cells) - cells.count(0)
        return (marks - WIN if game.misere else WIN - marks), True
    if 0 not in cells or not any(open_lines(game, cells, each) for each in (1, 2)):
        return 0, True
    if depth == 0:
        return estimate(game, cells, side), False
    value, certain = value_to(depth, game, cells, 3 - side)
    return -value, certain


# Renju. A four is a set of four stones that one more makes a five: a straight four, which two stones can complete, is
# one set, and two fours in one line are two. A three is a set of three stones that one more makes a straight four.


@lru_cache(maxsize=100_000)
def fault(game, cells, cell):
    """Why Black may not mark an empty cell, None where it may."""
    after = put(game, cells, cell, 1)
    lengths = [len(run_through(after, cell, direction)[0]) for direction in directions(game)]
    if 5 in lengths:
        return None
    if max(lengths) > 5:
        return "overline"
    if sum(len(_fours(game, after, cell, direction)) for direction in directions(game)) > 1:
        return "double four"
    threes = set()
    for direction in directions(game):
        for point in near(cell, direction, 3):
            if after[point]:
                continue
            more = put(game, after, point, 1)
            row, _ = run_through(more, point, direction)
            straight = len(row) == 4 and cell in row and len(_fours(game, more, point, direction).get(row, ())) == 2
            if straight and not lines_through(game, more, point) and fault(game, after, point) is None:
                threes.add(row - {point})
    return "double three" if len(threes) > 1 else None


def faults(game, cells):
    """Every cell that Black may not mark, in order, and why."""
    found = {cell: fault(game, cells, cell) for cell in reachable(game, cells)}
    return {cell: why for cell, why in found.items() if why}


def _fours(game, cells, cell, direction):
    """The fours in one direction that Black's stone on the cell is part of, each with the cells that complete it."""
    found = {}
    for point in near(cell, direction, 4):
        if not cells[point]:
            row, _ = run_through(put(game, cells, point, 1), point, direction)
            if len(row) == 5 and cell in row:
                found.setdefault(row - {point}, set()).add(point)
    return found


def near(cell, direction, most):
    """The cells of the line through a cell, at most ``most`` steps away each way."""
    for way in direction:
        at = cell
        for _ in range(most):
            if (at := way.get(at)) is None:
                break
            yield at


# Shared marks, by tables of all sets of marks.


def scores_of_all_marks(game):
    """The score of every set of shared marks, by its mask, for the side to move: 33 MB and a minute for 25 cells."""
    cells = game.rows * game.columns
    masks = np.arange(1 << cells, dtype=np.int32)
    over = np.zeros(1 << cells, bool)
    for line, _ in lines(game):
        mask = sum(1 << cell for cell in line)
        over |= masks & mask == mask
    counts = sum((masks >> cell & 1).astype(np.int8) for cell in range(cells))
    found = np.where(over, cells + 1 if game.misere else -cells - 1, 0).astype(np.int8)
    for count in range(cells - 1, -1, -1):
        waiting = masks[(counts == count) & ~over]
        best = np.full(len(waiting), -128, np.int8)
        for cell in range(cells):
            free = waiting >> cell & 1 == 0
            after = found[waiting[free] | np.int32(1 << cell)]
            best[free] = np.maximum(best[free], np.sign(after) - after)
        found[waiting] = best
    return found
