"""The bit layout of a board, its lines and its symmetries.

A board is ``rows * columns`` cells counted row by row from the top left; the tile printed on a board
is the cell plus one. In a mask the bit of a cell is ``1 << cell``. A 3 × 4 board::

        column  0   1   2   3
    row 0       0   1   2   3        a step to the right      + 1
    row 1       4   5   6   7        a step down              + columns
    row 2       8   9  10  11        down and to the right    + columns + 1
                                     down and to the left     + columns - 1

A line is ``goal`` cells on such a step. Nothing wraps round an edge because every test starts only
at the cells from which the whole line lies on the board.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.engine.rules import Rules

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The steps (rows, columns) in which a line may lie."""

GEOMETRIES_KEPT = 512
"""How many geometries stay in memory; each is small, and a server sees few kinds of board."""


class Line(NamedTuple):
    """One line: its ``goal`` cells, and the cells (none, one or two) that would make it longer."""

    cells: tuple[int, ...]
    flanks: tuple[int, ...]


class Direction(NamedTuple):
    """Where the lines of one direction begin, as masks of their first cells.

    Attributes:
        step: from a cell to the next one of its line.
        starts: cells at which a whole line begins.
        preceded: those of ``starts`` with a cell on the board before them.
        followed: those of ``starts`` with a cell on the board after the line's last.
    """

    step: int
    starts: int
    preceded: int
    followed: int


Permutation = tuple[int, ...]
"""A symmetry: at place ``i`` stands the cell of the old board that is seen at cell ``i`` of the new."""


@dataclass(frozen=True)
class Geometry:
    """What follows from the size, the goal and gravity alone; get it by ``geometry(rules)``."""

    rows: int
    columns: int
    goal: int
    gravity: bool

    def _inside(self, row: int, column: int) -> bool:
        return 0 <= row < self.rows and 0 <= column < self.columns

    @cached_property
    def directed_lines(self) -> tuple[tuple[int, Line], ...]:
        """Every line with the index of its direction, in the order of directions and cells."""
        found = []
        for index, (down, right) in enumerate(DIRECTIONS):
            for cell in range(self.rows * self.columns):
                row, column = divmod(cell, self.columns)
                if not self._inside(row + (self.goal - 1) * down, column + (self.goal - 1) * right):
                    continue
                step = down * self.columns + right
                ends = ((row - down, column - right), (row + self.goal * down, column + self.goal * right))
                flanks = tuple(r * self.columns + c for r, c in ends if self._inside(r, c))
                found.append((index, Line(tuple(cell + i * step for i in range(self.goal)), flanks)))
        return tuple(found)

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """The cells of every line, each set of cells once (with goal 1 the directions coincide)."""
        return tuple(dict.fromkeys(line.cells for _, line in self.directed_lines))

    @cached_property
    def line_array(self) -> NDArray[np.intp]:
        """``lines`` as an array of one row for each line, ``goal`` columns."""
        return np.array(self.lines, np.intp).reshape(len(self.lines), self.goal)

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The four directions as masks, those without a line left out."""
        found = []
        for index, (down, right) in enumerate(DIRECTIONS):
            step = down * self.columns + right
            starts = preceded = followed = 0
            for direction, line in self.directed_lines:
                if direction == index:
                    first, last = line.cells[0], line.cells[-1]
                    starts |= 1 << first
                    preceded |= (first - step in line.flanks) << first
                    followed |= (last + step in line.flanks) << first
            if starts:
                found.append(Direction(step, starts, preceded, followed))
        return tuple(found)

    def completed(self, mask: int, exact_goal: bool) -> list[tuple[int, ...]]:
        """The cells of each line that the marks of one side complete.

        Args:
            mask: the marks of the side, bit ``1 << cell``.
            exact_goal: whether a longer run is no line.
        """
        found = []
        for step, starts, preceded, followed in self.directions:
            firsts = starts & mask
            for i in range(1, self.goal):
                if not firsts:
                    break
                firsts &= mask >> (i * step)
            if firsts and exact_goal:
                firsts &= ~((mask << step) & preceded)
                firsts &= ~((mask >> (self.goal * step)) & followed)
            while firsts:
                first = (firsts & -firsts).bit_length() - 1
                firsts &= firsts - 1
                found.append(tuple(first + i * step for i in range(self.goal)))
        return found

    @cached_property
    def symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries, identity first: two under gravity, eight of a square, else four."""
        last_row, last_column = self.rows - 1, self.columns - 1
        # Each as what stands in place of row and column, told by (transposed, row turned, column turned).
        kinds = [(False, False, False), (False, False, True)]
        if not self.gravity:
            kinds += [(False, True, False), (False, True, True)]
            if self.rows == self.columns:
                kinds += [(True, row, column) for row in (False, True) for column in (False, True)]

        def seen(row: int, column: int, transposed: bool, turn_row: bool, turn_column: bool) -> int:
            row = last_row - row if turn_row else row
            column = last_column - column if turn_column else column
            return column * self.columns + row if transposed else row * self.columns + column

        cells = [divmod(cell, self.columns) for cell in range(self.rows * self.columns)]
        return tuple(tuple(seen(row, column, *kind) for row, column in cells) for kind in kinds)

    @cached_property
    def _getters(self) -> tuple[Callable[[bytes], tuple[int, ...]], ...]:
        return tuple(itemgetter(*permutation) for permutation in self.symmetries)

    def canonical(self, board: bytes) -> tuple[bytes, int]:
        """The smallest of a board's symmetric images, and the index of the symmetry that gives it.

        Of several symmetries that give it the first is taken, so the choice is a function of the board.
        """
        if len(board) == 1:
            return board, 0
        images = [bytes(getter(board)) for getter in self._getters]
        smallest = min(images)
        return smallest, images.index(smallest)

    def stabiliser(self, board: bytes) -> list[Permutation]:
        """The symmetries under which the board looks the same, identity first."""
        return [p for p in self.symmetries if bytes(board[cell] for cell in p) == board]

    @cached_property
    def centrality(self) -> tuple[int, ...]:
        """For each cell the number of lines through it: the fixed order of moves begins with the most."""
        through = [0] * (self.rows * self.columns)
        for line in self.lines:
            for cell in line:
                through[cell] += 1
        return tuple(through)

    @cached_property
    def move_order(self) -> tuple[int, ...]:
        """All cells in the fixed order in which equal moves are preferred: most lines, nearest the centre, tile."""

        def rank(cell: int) -> tuple[int, int, int]:
            row, column = divmod(cell, self.columns)
            off_centre = abs(2 * row - self.rows + 1) + abs(2 * column - self.columns + 1)
            if self.gravity:
                # The row is not chosen under gravity: only the column's place counts.
                return (abs(2 * column - self.columns + 1), column, -row)
            return (-self.centrality[cell], off_centre, cell)

        return tuple(sorted(range(self.rows * self.columns), key=rank))


@lru_cache(maxsize=GEOMETRIES_KEPT)
def _geometry(rows: int, columns: int, goal: int, gravity: bool) -> Geometry:
    return Geometry(rows, columns, goal, gravity)


def geometry(rules: Rules) -> Geometry:
    """The geometry of a game, built once and kept."""
    return _geometry(rules.rows, rules.columns, rules.goal, rules.gravity)
