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
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.board_record import BOARD_DTYPE, MAX_STEPS, RULE_NAMES
from kinarow.game.rules import DIRECTION_NAMES, Rules
from kinarow.game.size import MANY_SYMMETRIES
from kinarow.kernels.shared_library import Library

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "marks", "layers"})
"""The rules under which every symmetry of the board, and exchanging the sides, keeps the value of a position."""

SMALL_CELLS = 64
SMALL_KEPT = 512  # Geometries of plain boards of at most SMALL_CELLS cells that stay in memory: each takes under 30 kB
LARGE_KEPT = 48  # Geometries of larger plain boards that stay in memory: each takes up to half a megabyte
SHAPES_KEPT = 16  # Geometries of other boards that stay in memory: a torus of 25 × 25 has 5000 symmetries
TABLE_BYTES = 256  # The length of a table for bytes.translate, which applies a permutation fast: the table is the board
FEW_SYMMETRIES = 8  # Up to this number, which plain boards don't exceed, symmetries are stored as tuples too
ALL_SYMMETRIES = 1 << 30

_kernels = Library("game")


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


Permutation = tuple[int, ...]  # A symmetry: place i holds the cell of the old board that moves to cell i


@dataclass(frozen=True)
class Geometry:
    """The lines, symmetries and move order of a board, which follow from its rules; ``geometry(rules)`` caches it."""

    rules: Rules

    @cached_property
    def _written(self) -> tuple[list[int], NDArray[np.intp]]:
        """The step of each direction, and a row for each line: index of the direction, cells, two flanks or -1."""
        rules, board = self.rules, board_of(self.rules)
        table = np.empty((MAX_STEPS * rules.cells, rules.goal + 3), np.int16)
        count = _kernels.write_lines(board, table)
        steps: list[int] = (board["step"][0] @ (rules.rows * rules.columns, rules.columns, 1)).tolist()
        return steps, table[:count].astype(np.intp)

    @cached_property
    def directed_lines(self) -> tuple[tuple[int, Line], ...]:
        """Every line with the index of its direction, ordered by direction, then by first cell."""
        return tuple(
            (direction, Line(tuple(line[:-2]), tuple(cell for cell in line[-2:] if cell >= 0)))
            for direction, *line in self._written[1].tolist()
        )

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """The cells of every line; lines with equal cells, such as those of all directions with goal 1, appear once."""
        return tuple({frozenset(line.cells): line.cells for _, line in self.directed_lines}.values())

    @cached_property
    def line_array(self) -> NDArray[np.intp]:
        """``lines`` as an array with a row for each line and ``goal`` columns."""
        return np.array(self.lines, np.intp).reshape(len(self.lines), self.rules.goal)

    @cached_property
    def directed_line_arrays(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Arrays (lines, goal) and (lines, 2): cells and flanks of ``directed_lines``; ``rules.cells`` is no flank."""
        table = self._written[1]
        return table[:, 1:-2], np.where(table[:, -2:] < 0, self.rules.cells, table[:, -2:])

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The directions that have lines; only for boards without joined edges."""
        assert self.rules.wrap == "none"
        found = []
        for index, written in enumerate(self._written[0]):
            step = max(0, written)  # on boards of one cell in a layer a step may lead back; no cell is a flank there
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
        """Return the cells of each line that a side's marks complete.

        ``mask`` has the side's marks, bit ``1 << cell``; ``opposing`` those of the other side, needed under Caro alone.
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
            firsts = starts  # the first cells of the completed lines, after the steps below
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
        """All symmetries of the board without its blocked cells."""
        return _symmetries(replace(self.rules, blocked=0), ALL_SYMMETRIES)

    @property
    def symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries of the board without its blocked cells, identity first.

        A plain board has two under gravity, eight if it is square, else four. Joined edges add shifts; with fewer
        directions only the symmetries that keep them remain. A cube has 48, Qubic's cube more.
        """
        return tuple(map(tuple, self._symmetries.array.tolist()))

    def canonical(self, board: bytes) -> tuple[bytes, Permutation]:
        """Return the smallest of a board's symmetric images, and the first symmetry that gives it."""
        if board.count(board[:1]) == len(board):  # all images are equal; comparing them is slow on a large torus
            return board, tuple(range(len(board)))
        images = self._symmetries.images(board)
        smallest = min(images)
        return smallest, self._symmetries[images.index(smallest)]

    def equal_cells(self, board: bytes, cell: int) -> tuple[int, ...]:
        """Return the cells to which the board's own symmetries map a cell, in tile order: equally good moves."""
        found = self.stabiliser(board)
        return (cell,) if len(found) == 1 else tuple(sorted({symmetry[cell] for symmetry in found}))

    def stabiliser(self, board: bytes) -> list[Permutation]:
        """Return the symmetries that keep the board, identity first; of over ``MANY_SYMMETRIES``, none that shift."""
        symmetries = self._symmetries
        if len(symmetries.array) > MANY_SYMMETRIES:
            symmetries = _symmetries(replace(self.rules, blocked=0), MANY_SYMMETRIES)
        return [symmetries[index] for index, image in enumerate(symmetries.images(board)) if image == board]

    @cached_property
    def move_order(self) -> tuple[int, ...]:
        """All cells in the order in which equal moves are preferred: most lines, then nearest the centre, then tile."""
        board = board_of(self.rules)
        _kernels.write_order(board)
        return tuple(board["order"][0, : self.rules.cells].tolist())

    def first_of(self, cells: Container[int]) -> int:
        """Return the cell that comes first in ``move_order``; ``cells`` must contain a cell of the board."""
        return next(cell for cell in self.move_order if cell in cells)


class _Symmetries:
    """A sequence of symmetries that maps a board by all of them at once."""

    def __init__(self, array: NDArray[np.int16]) -> None:
        self.array = array  # (symmetries, cells): each row is a ``Permutation``
        self._rows = tuple(map(bytes, array.tolist())) if array.shape[1] <= TABLE_BYTES else ()
        self._few = tuple(map(tuple, array.tolist())) if len(array) <= FEW_SYMMETRIES else ()

    def __getitem__(self, index: int) -> Permutation:
        return self._few[index] if self._few else tuple(self._rows[index] if self._rows else self.array[index].tolist())

    def images(self, board: bytes) -> list[bytes]:
        """Return the images of a board, in the order of the symmetries."""
        if self._rows:
            return list(map(bytes.translate, self._rows, repeat(board.ljust(TABLE_BYTES, b"\0"))))
        return list(map(bytes, np.frombuffer(board, np.uint8)[self.array]))


@lru_cache(maxsize=SHAPES_KEPT)
def _symmetries(rules: Rules, most: int) -> _Symmetries:
    """Return the symmetries of an empty board, identity first; if there are more than ``most``, without shifts."""
    if not rules.within(RULES_HANDLED):
        return _Symmetries(np.arange(rules.cells, dtype=np.int16)[None])
    board = board_of(rules)
    _kernels.begin_symmetries(board, most)
    rows, columns = (np.arange(shifts, dtype=np.int16) for shifts in board["shifts"][0].tolist())
    table = np.empty((_kernels.begin_symmetries(board, 0), rules.cells), np.int16)
    unshifted = table[: _kernels.write_symmetries(board, table)]
    # NumPy adds the shifts: a torus of 25 x 25 has 5,000 symmetries.
    place, column = np.divmod(unshifted, rules.columns)
    layer, row = np.divmod(place, rules.rows)
    row = layer[:, None] * rules.rows + (row[:, None] + rows[:, None]) % rules.rows
    column = (column[:, None] + columns[:, None]) % rules.columns
    return _Symmetries((row[:, :, None] * rules.columns + column[:, None]).reshape(-1, rules.cells))


def board_of(rules: Rules, marks: bytes | None = None) -> Any:
    """Return a board with these marks, by default empty, as an array of one ``BOARD_DTYPE`` record for kernels."""
    board = np.zeros(1, BOARD_DTYPE)
    directions = sum(1 << DIRECTION_NAMES.index(name) for name in rules.directions)
    numbers = (*(getattr(rules, name) for name in RULE_NAMES[:-2]), rules.marks == "shared", directions)
    for name, number in zip(RULE_NAMES, numbers, strict=True):
        board[name] = number
    board["marks"][0, : rules.cells] = np.frombuffer(marks or rules.empty_board, np.int8)
    return board


_small_geometry = lru_cache(maxsize=SMALL_KEPT)(Geometry)
_large_geometry = lru_cache(maxsize=LARGE_KEPT)(Geometry)
_shaped_geometry = lru_cache(maxsize=SHAPES_KEPT)(Geometry)


def geometry(rules: Rules) -> Geometry:
    """Return the geometry of a game; it is built once and cached."""
    if not rules.plain:
        return _shaped_geometry(rules)
    return _small_geometry(rules) if rules.cells <= SMALL_CELLS else _large_geometry(rules)
