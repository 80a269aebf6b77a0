"""Brute force for boards of every shape: runs along chains of cells, nothing shared with the product.

A chain is all the cells that steps in one direction connect: a path from edge to edge (or from one blocked cell to the
next), or a ring where edges are joined. A side has completed a line where a longest run of its marks on a chain has
``goal`` cells or more; with an exact goal only where it has exactly ``goal`` cells. Under Caro a run of exactly
``goal`` does not count where marks of the other side stand at both its ends. With shared marks all marks are one's own.
A cell is (layer, row, column).
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

STEPS = {"horizontal": (0, 0, 1), "vertical": (0, 1, 0), "diagonal": (0, 1, 1), "antidiagonal": (0, 1, -1)}
SPACE_STEPS = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]


@dataclass(frozen=True)
class Game:
    """A game as a request names it; ``board`` holds the blocked cells, such as ``.../.#./...``, layers with ``//``."""

    board: str
    goal: int
    wrap: str = "none"
    directions: tuple[str, ...] = tuple(STEPS)
    gravity: bool = False
    misere: bool = False
    exact_goal: bool = False
    caro: bool = False
    shared: bool = False

    @property
    def layers(self):
        return [layer.split("/") for layer in self.board.split("//")]

    @property
    def sides(self):
        return len(self.layers), len(self.layers[0]), len(self.layers[0][0])

    @property
    def size(self):
        """The size fields of a request."""
        deep, high, wide = self.sides
        return {"rows": high, "columns": wide} | ({"layers": deep} if deep > 1 else {})

    @property
    def cells(self):
        deep, high, wide = self.sides
        return deep * high * wide

    @property
    def free(self):
        """The cells that are not blocked, in tile order."""
        places = product(*map(range, self.sides))
        return [(layer, r, c) for layer, r, c in places if self.layers[layer][r][c] != "#"]

    def cell(self, index):
        """The cell of a tile, counted from 0."""
        _, high, wide = self.sides
        return index // (high * wide), index // wide % high, index % wide

    def tile(self, cell):
        """The number of a cell, counted from 1."""
        _, high, wide = self.sides
        layer, row, column = cell
        return (layer * high + row) * wide + column + 1

    @property
    def fields(self):
        """The rule fields of a request."""
        return {
            "goal": self.goal,
            **({} if len(self.layers) > 1 else {"wrap": self.wrap, "directions": list(self.directions)}),
            "gravity": self.gravity,
            "misere": self.misere,
            "exact_goal": self.exact_goal,
            "caro": self.caro,
            **({"marks": "shared"} if self.shared else {}),
        }


@lru_cache(maxsize=200)
def chains(game):
    """Every chain as its cells in their order, and whether it is a ring."""
    deep, high, wide = game.sides
    free = set(game.free)

    def step(cell, up, down, right):
        layer, row, column = cell[0] + up, cell[1] + down, cell[2] + right
        if game.wrap in ("columns", "both"):
            row %= high
        if game.wrap in ("rows", "both"):
            column %= wide
        return (layer, row, column) if (layer, row, column) in free else None

    found = []
    for along in SPACE_STEPS if deep > 1 else [STEPS[name] for name in game.directions]:
        back = [-part for part in along]
        left = set(free)
        beginnings = [cell for cell in sorted(free) if step(cell, *back) is None]
        for first in beginnings:
            path = [first]
            while (after := step(path[-1], *along)) is not None:
                path.append(after)
            left -= set(path)
            found.append((path, False))
        while left:
            ring = [min(left)]
            while (after := step(ring[-1], *along)) != ring[0]:
                ring.append(after)
            left -= set(ring)
            found.append((ring, True))
    return found


def has_line(game, marks, side):
    """Whether a side has completed a line; ``marks`` maps each marked cell to its side."""
    for cells, ring in chains(game):
        own = [cell in marks if game.shared else marks.get(cell) == side for cell in cells]
        if ring and all(own):
            runs = [len(own)]
        else:
            if ring:  # cut where a run ends
                cut = own.index(False)
                own = own[cut:] + own[:cut]
            runs = [len(run) for run in "".join("x" if each else " " for each in own).split()]
        if game.caro:
            # On a path: the marks from end to end with the run's two neighbours.
            seen = "".join("x" if marks.get(cell) == side else "o" if cell in marks else " " for cell in cells)
            closed = [len(run) for run in re.findall("(?<=o)x+(?=o)", seen)]
            for run in closed:
                if run == game.goal:
                    runs.remove(run)
        if any(run == game.goal or (run > game.goal and not game.exact_goal) for run in runs):
            return True
    return False


def moves(game, marks):
    """The legal cells."""
    empty = [cell for cell in game.free if cell not in marks]
    if not game.gravity:
        return empty
    if len(game.layers) > 1:
        return [(layer, r, c) for layer, r, c in empty if (layer - 1, r, c) not in empty]
    return [(0, r, c) for _, r, c in empty if (0, r + 1, c) not in empty]


def values(game, marks, side):
    """The exact score of each legal move for the side that makes it, on the scale of the answers."""
    known = {}

    def after(board, mover):
        """The score of a move; ``board`` holds it already."""
        if has_line(game, board, mover):
            return -game.cells if game.misere else game.cells
        if not moves(game, board):
            return 0
        value = -best(board, "O" if mover == "X" else "X")
        return value - (value > 0) + (value < 0)

    def best(board, mover):
        key = frozenset(board.items())
        if key not in known:
            known[key] = max(after({**board, cell: mover}, mover) for cell in moves(game, board))
        return known[key]

    return {cell: after({**marks, cell: side}, side) for cell in moves(game, marks)}


def random_marks(game, rng, empties):
    """Marks of an ongoing game with so many empty cells left, and the side to move; None where it ended before.

    Sides complete a line only where they must, so that games last.
    """
    marks, side = {}, rng.choice("XO")
    while (moves_left := moves(game, marks)) and len(game.free) - len(marks) > empties:
        cell = next(
            (
                cell
                for cell in rng.sample(moves_left, len(moves_left))
                if not has_line(game, {**marks, cell: side}, side)
            ),
            None,
        )
        if cell is None:
            return None
        marks[cell] = side
        side = "O" if side == "X" else "X"
    return (marks, side) if moves_left else None


def mirrored_marks(game, rng, pairs):
    """Marks of a game in which O answered so many moves of X by their images: turned by half, or left for right under
    gravity. X is to move. None where somebody completed a line, or the image is the cell itself.
    """
    deep, high, wide = game.sides
    marks = {}
    for _ in range(pairs):
        layer, row, column = rng.choice(moves(game, marks))
        image = (layer, row, wide - 1 - column)
        if not game.gravity:
            image = (deep - 1 - layer, high - 1 - row, wide - 1 - column)
        marks |= {(layer, row, column): "X", image: "O"}
    return None if len(marks) < 2 * pairs or any(has_line(game, marks, side) for side in "XO") else marks


def text_of(game, marks):
    """The board as a request writes it."""
    marks = dict.fromkeys(marks, "X") if game.shared else marks
    return "//".join(
        "/".join("".join(marks.get((at, r, c), mark) for c, mark in enumerate(row)) for r, row in enumerate(layer))
        for at, layer in enumerate(game.layers)
    )
