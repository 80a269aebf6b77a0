"""The bit layout of a board, its lines and its symmetries.

A board is ``rows * columns`` cells counted row by row from the top left; the tile printed on a board
is the cell plus one. In a mask the bit of a cell is ``1 << cell``. A 3 × 4 board::

        column  0   1   2   3
    row 0       0   1   2   3        a step to the right      + 1
    row 1       4   5   6   7        a step down              + columns
    row 2       8   9  10  11        down and to the right    + columns + 1
                                     down and to the left     + columns - 1

Layers lie one above the other, the bottom one first, each counted like this: a step up is + rows * columns.

A line is ``goal`` different cells, each one step from the cell before it, none of them blocked. Where edges are joined
a step may lead over them; two ways through the same cells in one direction are one line. On other boards no line wraps
round an edge, because every test begins only at cells from which the whole line lies on the board.
"""

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations, product, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import DIRECTION_NAMES, EMPTY, Rules

KNOWN = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "marks", "layers"})
"""The rules under which every symmetry of the board is one of the game, and the sides may be exchanged too."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The steps (rows, columns) in which a line may lie, in the order of ``DIRECTION_NAMES``."""

SPACE_DIRECTIONS = (
    *((0, down, right) for down, right in DIRECTIONS),
    *((1, down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)),
)
"""The steps (layers, rows, columns) in which a line may lie on a board with layers."""

LARGEST_CUBE = 4
"""Up to this side a cube of lines from edge to edge has symmetries that are no turns, 192 for Qubic. They map
neighbours on distant cells, so a larger cube does without: levels look near the marks alone there."""

SMALL_CELLS = 64
SMALL_KEPT = 512  # Geometries of plain boards of at most SMALL_CELLS cells that stay in memory: each takes under 30 kB
LARGE_KEPT = 48  # Those of larger plain boards: each takes up to half a megabyte, and a server sees few kinds
SHAPES_KEPT = 16  # How many geometries of other boards stay in memory: a torus of 25 × 25 has 5000 symmetries
TABLE_BYTES = 256  # The size of the table of bytes.translate: with a board as the table it looks up cells fast
FEW_SYMMETRIES = 8  # Up to this number, as plain boards have, they are kept as tuples too
MANY_SYMMETRIES = 512  # With more, on joined boards of over 64 cells, a stabiliser leaves out those that shift


class Line(NamedTuple):
    """One line: its ``goal`` cells, and its flanks, the up to two cells that would make it longer."""

    cells: tuple[int, ...]
    flanks: tuple[int, ...]


class Direction(NamedTuple):
    """The lines of one direction, as masks of their first cells."""

    step: int  # from a cell to the next one of its line
    shifts: tuple[int, ...]  # from the first cell to each cell of its line
    starts: int  # the cells at which a whole line begins
    preceded: int  # the starts with a cell of the board before them
    followed: int  # the starts with a cell of the board after the last cell of the line


Step = tuple[int, int, int]  # Layers, rows and columns
Permutation = tuple[int, ...]  # A symmetry: place i holds the cell of the old board that moves to cell i


@dataclass(frozen=True)
class Geometry:
    """What follows from the shape of the board, goal and gravity alone; ``geometry(rules)`` returns it."""

    rules: Rules

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps along which lines may lie."""
        if self.rules.layers > 1:
            return SPACE_DIRECTIONS
        return tuple((0, *DIRECTIONS[DIRECTION_NAMES.index(name)]) for name in self.rules.directions)

    @cached_property
    def directed_lines(self) -> tuple[tuple[int, Line], ...]:
        """Every line with the index of its direction, ordered by direction, then by first cell."""
        return tuple((index, line) for index, step in enumerate(self.steps) for line in self._lines_along(step))

    def _lines_along(self, step: Step) -> list[Line]:
        order = self._order(step)
        if self.rules.goal > order:
            return []
        # A row for each cell at which a line may begin, from the cell before it to the cell after its last.
        reach = np.array([self._moved(step, by) for by in range(-1, self.rules.goal + 1)]).T
        inner = reach[:, 1:-1]
        whole = (inner >= 0).all(axis=1)
        if self.rules.goal == order:
            whole &= inner[:, 0] == inner.min(axis=1)  # a whole ring counts once, from its first cell
        # A line that is a whole ring has no flanks, and the gap of one cell in a ring is one flank.
        flanks = reach[:, [0, -1][: order - self.rules.goal]]
        return [
            Line(tuple(cells), tuple(cell for cell in beyond if cell >= 0))
            for cells, beyond in zip(inner[whole].tolist(), flanks[whole].tolist(), strict=True)
        ]

    def _order(self, step: Step) -> int:
        """Return the number of steps that lead back to the first cell, at most the goal and two."""
        up, down, right = step
        for by in range(1, self.rules.goal + 2):
            rows = by * down % self.rules.rows if self.rules.wraps_columns else down
            columns = by * right % self.rules.columns if self.rules.wraps_rows else right
            if (up, rows, columns) == (0, 0, 0):
                return by
        return self.rules.goal + 2

    def _moved(self, step: Step, by: int) -> NDArray[np.intp]:
        """Return the cell ``by`` steps away from each cell; -1 if it is blocked or off the board."""
        sides = (self.rules.layers, self.rules.rows, self.rules.columns)
        joined = (False, self.rules.wraps_columns, self.rules.wraps_rows)
        cell, on = np.zeros(self.rules.cells, np.intp), np.ones(self.rules.cells, bool)
        for place, along, side, ring in zip(np.indices(sides).reshape(3, -1), step, sides, joined, strict=True):
            moved = place + by * along
            if ring:
                moved %= side
            on &= (moved >= 0) & (moved < side)
            cell = cell * side + moved
        free = np.array([mark == EMPTY for mark in self.rules.empty_board])
        return np.where(on & free[np.where(on, cell, 0)], cell, -1)

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """The cells of every line, each set of cells once (with goal 1 all directions give the same lines)."""
        return tuple({frozenset(line.cells): line.cells for _, line in self.directed_lines}.values())

    @cached_property
    def counted_lines(self) -> tuple[Line, ...]:
        """``directed_lines`` where flanks count, otherwise ``lines`` without flanks."""
        if self.rules.flanks_count:
            return tuple(line for _, line in self.directed_lines)
        return tuple(Line(cells, ()) for cells in self.lines)

    @cached_property
    def line_array(self) -> NDArray[np.intp]:
        """``lines`` as an array with a row for each line and ``goal`` columns."""
        return np.array(self.lines, np.intp).reshape(len(self.lines), self.rules.goal)

    @cached_property
    def directed_line_arrays(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The cells and the two flanks of ``directed_lines``, a row each; ``rules.cells`` is no flank."""
        lines = [line for _, line in self.directed_lines]
        cells = np.array([line.cells for line in lines], np.intp).reshape(len(lines), self.rules.goal)
        flanks = [(*line.flanks, self.rules.cells, self.rules.cells)[:2] for line in lines]
        return cells, np.array(flanks, np.intp).reshape(len(lines), 2)

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The directions that have lines, as masks; only where no edges are joined."""
        assert self.rules.wrap == "none"
        found = []
        for index, (up, down, right) in enumerate(self.steps):
            # On a board of one row a step down leads nowhere; without flanks its size does not matter.
            step = max(0, (up * self.rules.rows + down) * self.rules.columns + right)
            lines = [line for direction, line in self.directed_lines if direction == index]
            starts = sum(1 << line.cells[0] for line in lines)
            preceded = sum(1 << line.cells[0] for line in lines if line.cells[0] - step in line.flanks)
            followed = sum(1 << line.cells[0] for line in lines if line.cells[-1] + step in line.flanks)
            if lines:
                shifts = tuple(number * step for number in range(self.rules.goal))
                found.append(Direction(step, shifts, starts, preceded, followed))
        return tuple(found)

    @cached_property
    def masks(self) -> tuple[tuple[tuple[int, ...], int, int], ...]:
        """Every line as its cells, the mask of these and the mask of its flanks."""
        return tuple(
            (line.cells, sum(1 << cell for cell in line.cells), sum(1 << cell for cell in line.flanks))
            for _, line in self.directed_lines
        )

    def completed(self, mask: int, opposing: int = 0, exactly: bool = False) -> list[tuple[int, ...]]:
        """Return the lines that a side's marks, bit ``1 << cell``, complete; ``opposing`` marks count under Caro.

        With ``exactly`` only exactly ``goal`` in a row count for this side, as in Renju.
        """
        lines = []
        goal = self.rules.goal
        exact_goal = self.rules.exact_goal or exactly
        if self.rules.wrap != "none":
            return [
                cells
                for cells, line, flanks in self.masks
                if line & mask == line and not (exact_goal and flanks & mask)
            ]
        for step, shifts, starts, preceded, followed in self.directions:
            firsts = starts
            for shift in shifts:
                firsts &= mask >> shift
                if not firsts:
                    break
            if firsts and exact_goal:
                firsts &= ~((mask << step) & preceded)
                firsts &= ~((mask >> goal * step) & followed)
            if firsts and self.rules.caro:
                firsts &= ~((opposing << step & preceded) & (opposing >> goal * step & followed))
            while firsts:
                first = (firsts & -firsts).bit_length() - 1
                firsts &= firsts - 1
                lines.append(tuple(map(first.__add__, shifts)))
        return lines

    @cached_property
    def _symmetries(self) -> "_Symmetries":
        return _symmetries(self.rules)

    @property
    def symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries of the board without its blocked cells, identity first.

        A plain board has two under gravity, eight if it is square, else four. Joined edges add their shifts,
        a choice of directions leaves those that keep it. A cube has 48, a cube of Qubic's kind more.
        """
        return tuple(map(tuple, self._symmetries.array.tolist()))

    def canonical(self, board: bytes) -> tuple[bytes, Permutation]:
        """Return the smallest of a board's symmetric images, and the first symmetry that gives it."""
        if board.count(board[:1]) == len(board):  # its images are all alike, and a large torus has 5,000
            return board, tuple(range(len(board)))
        images = self._symmetries.images(board)
        smallest = min(images)
        return smallest, self._symmetries[images.index(smallest)]

    def equal_cells(self, board: bytes, cell: int) -> tuple[int, ...]:
        """Return the cells on which the symmetries of a board map a cell, in tile order: equally good moves."""
        found = self.stabiliser(board)
        return (cell,) if len(found) == 1 else tuple(sorted({symmetry[cell] for symmetry in found}))

    def stabiliser(self, board: bytes) -> list[Permutation]:
        """Return the symmetries that keep the board, identity first; of very many only those without a shift."""
        many = len(self._symmetries.array) > MANY_SYMMETRIES
        symmetries = _symmetries(self.rules, shifted=False) if many else self._symmetries
        return [symmetries[index] for index, image in enumerate(symmetries.images(board)) if image == board]

    @cached_property
    def centrality(self) -> tuple[int, ...]:
        """The number of lines through each cell; the fixed order of moves begins with the most."""
        return tuple(np.bincount(self.line_array.ravel(), minlength=self.rules.cells).tolist())

    @cached_property
    def move_order(self) -> tuple[int, ...]:
        """All cells in the order in which equal moves are preferred: most lines, then nearest the centre, then tile."""

        def rank(cell: int) -> tuple[int, int, int]:
            layer, place = divmod(cell, self.rules.rows * self.rules.columns)
            row, column = divmod(place, self.rules.columns)
            off_centre = abs(2 * row - self.rules.rows + 1) + abs(2 * column - self.rules.columns + 1)
            if self.rules.gravity and self.rules.layers == 1:
                # Under gravity a player chooses the column alone.
                return (abs(2 * column - self.rules.columns + 1), column, -row)
            if self.rules.layers > 1:
                off_centre += abs(2 * layer - self.rules.layers + 1)
            return (-self.centrality[cell], off_centre, cell)

        return tuple(sorted(range(self.rules.cells), key=rank))

    def first_of(self, cells: Container[int]) -> int:
        """Return the cell that comes first in the fixed order; one of them must be on the board."""
        return next(cell for cell in self.move_order if cell in cells)


class _Symmetries:
    def __init__(self, array: NDArray[np.int16]) -> None:
        self.array = array  # a row for each
        self._rows = tuple(map(bytes, array.tolist())) if array.shape[1] <= TABLE_BYTES else ()
        self._few = tuple(map(tuple, array.tolist())) if len(array) <= FEW_SYMMETRIES else ()

    def __getitem__(self, index: int) -> Permutation:
        return self._few[index] if self._few else tuple(self._rows[index] if self._rows else self.array[index].tolist())

    def images(self, board: bytes) -> list[bytes]:
        """Return the images of a board, in the order of the symmetries."""
        if self._rows:
            return list(map(bytes.translate, self._rows, repeat(board.ljust(TABLE_BYTES, b"\0"))))
        return list(map(bytes, np.frombuffer(board, np.uint8)[self.array]))


def _symmetries(rules: Rules, *, shifted: bool = True) -> _Symmetries:
    """Return the symmetries of a board without its blocked cells, with or without the shifts of joined edges."""
    if not rules.within(KNOWN):
        return _Symmetries(np.arange(rules.cells, dtype=np.int16)[None])
    fixed = {0} if rules.layers == 1 else set()
    if rules.gravity:
        fixed.add(1 if rules.layers == 1 else 0)
    rings = (False, rules.wraps_columns and 1 not in fixed, rules.wraps_rows)
    cube = 1 < rules.goal == rules.layers == rules.rows == rules.columns <= LARGEST_CUBE
    sides = (rules.layers, rules.rows, rules.columns)
    return _symmetry_table(sides, geometry(rules).steps, frozenset(fixed), rings, cube and not rules.gravity, shifted)


@lru_cache(maxsize=SHAPES_KEPT)
def _symmetry_table(
    sides: Step, steps: tuple[Step, ...], fixed: frozenset[int], rings: tuple[bool, ...], renamed: bool, shifted: bool
) -> _Symmetries:
    """Return the symmetries of a board with lines along these steps.

    ``fixed`` axes stay as they are; ``rings`` are the axes along which a board may be shifted.

    ``renamed`` says of a cube that its lines are those from edge to edge. On each of them a coordinate stands
    still, counts up or counts down, so any renaming of the numbers 0 to side - 1 that maps opposite ones on opposite
    ones, the same for all coordinates, maps lines on lines (Qubic: Silver, 1967).
    """
    last, (_, rows, columns) = sides[0] - 1, sides
    place = np.indices(sides, np.int16).reshape(3, -1)
    names = [tuple(range(max(sides)))]
    if renamed:
        # One of a renaming and its reverse: the turns below make the other.
        names = [
            name
            for name in permutations(names[0])
            if name[0] < name[last] and all(name[i] + name[last - i] == last for i in range(last + 1))
        ]
    images = []
    for name, order, turns in product(names, permutations((0, 1, 2)), product((False, True), repeat=3)):
        kept = all(order[axis] == axis and not turns[axis] for axis in fixed)
        equal = all((sides[axis], rings[axis]) == (sides[i], rings[i]) for i, axis in enumerate(order))
        if not (kept and equal and {_turned(step, order, turns) for step in steps} == set(steps)):
            continue
        numbers = np.array(name, np.int16)[place]
        # Each coordinate under all shifts of its own, then all combinations of them.
        layer, row, column = (
            ((side - 1 - numbers[axis] if turns[axis] else numbers[axis]) + shifts[:, None]) % side
            for axis, side, ring in zip(order, sides, rings, strict=True)
            for shifts in [np.arange(side if ring and shifted else 1, dtype=np.int16)]
        )
        images.append(((layer * rows + row)[:, None] * columns + column).reshape(-1, place.shape[1]))
    return _Symmetries(np.concatenate(images))


def _turned(step: Step, order: tuple[int, ...], turns: tuple[bool, ...]) -> Step:
    up, down, right = (-step[axis] if turns[axis] else step[axis] for axis in order)
    return max((up, down, right), (-up, -down, -right))


_small_geometry = lru_cache(maxsize=SMALL_KEPT)(Geometry)
_large_geometry = lru_cache(maxsize=LARGE_KEPT)(Geometry)
_shaped_geometry = lru_cache(maxsize=SHAPES_KEPT)(Geometry)


def geometry(rules: Rules) -> Geometry:
    """Return the geometry of a game; it is built once and cached."""
    if not rules.plain:
        return _shaped_geometry(rules)
    return _small_geometry(rules) if rules.cells <= SMALL_CELLS else _large_geometry(rules)
