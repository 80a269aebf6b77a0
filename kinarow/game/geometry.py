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
from itertools import compress, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import DIRECTION_NAMES, EMPTY, Rules, Wrap
from kinarow.game.rules import Direction as DirectionName

KNOWN = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "marks", "layers"})
"""The rules under which every symmetry of the board is one of the game, and the sides may be exchanged too."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The steps (rows, columns) in which a line may lie, in the order of ``DIRECTION_NAMES``."""

SPACE_DIRECTIONS = (
    *((0, down, right) for down, right in DIRECTIONS),
    *((1, down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)),
)
"""The steps (layers, rows, columns) in which a line may lie on a board with layers."""

LARGEST_CUBE = 5  # Up to this side a cube of lines from edge to edge has symmetries that are no turns: 192 for Qubic
GEOMETRIES_KEPT = 512  # Geometries of plain boards that stay in memory: each is small, and a server sees few kinds
SHAPES_KEPT = 16  # How many geometries of other boards stay in memory: a torus of 25 × 25 has 5000 symmetries
MANY_SYMMETRIES = 512  # With more, on joined boards of over 64 cells, a stabiliser leaves out those that shift
MANY_CELLS = 64  # With more, the masks of the lines through each cell would take too much memory
TABLE_BYTES = 256  # The size of the table of bytes.translate: with a board as the table it looks up cells fast


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
    """What follows from the shape of the board, goal and gravity alone; ``geometry(rules)`` returns it."""

    rules: Rules

    @cached_property
    def _steps(self) -> tuple[tuple[int, int, int], ...]:
        if self.rules.layers > 1:
            return SPACE_DIRECTIONS
        return tuple((0, *DIRECTIONS[DIRECTION_NAMES.index(name)]) for name in self.rules.directions)

    @cached_property
    def directed_lines(self) -> tuple[tuple[int, Line], ...]:
        """Every line with the index of its direction, ordered by direction, then by first cell."""
        return tuple((index, line) for index, step in enumerate(self._steps) for line in self._lines_along(step))

    def _lines_along(self, step: tuple[int, int, int]) -> list[Line]:
        """The lines that lead in one direction, ordered by first cell."""
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

    def _order(self, step: tuple[int, int, int]) -> int:
        """The number of steps that lead back to the first cell, at most the goal and two."""
        up, down, right = step
        for by in range(1, self.rules.goal + 2):
            rows = by * down % self.rules.rows if self.rules.wraps_columns else down
            columns = by * right % self.rules.columns if self.rules.wraps_rows else right
            if (up, rows, columns) == (0, 0, 0):
                return by
        return self.rules.goal + 2

    def _moved(self, step: tuple[int, int, int], by: int) -> NDArray[np.intp]:
        """The cell that is ``by`` steps away from each cell; -1 if it is blocked or off the board."""
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
        if self.rules.wrap == "none":
            return tuple(dict.fromkeys(line.cells for _, line in self.directed_lines))
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
        """The cells and the two flanks of each of ``directed_lines``, a row for each line.

        The number of cells stands for a flank beyond the edge.
        """
        lines = [line for _, line in self.directed_lines]
        cells = np.array([line.cells for line in lines], np.intp).reshape(len(lines), self.rules.goal)
        flanks = [(*line.flanks, self.rules.cells, self.rules.cells)[:2] for line in lines]
        return cells, np.array(flanks, np.intp).reshape(len(lines), 2)

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The directions that have lines, as masks; only where no edges are joined."""
        assert self.rules.wrap == "none"
        found = []
        for index, (up, down, right) in enumerate(self._steps):
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

    @cached_property
    def _through(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each cell the lines through it, as masks of their cells and of their flanks."""
        through: list[list[tuple[int, int]]] = [[] for _ in range(self.rules.cells)]
        for cells, line, flanks in self.masks:
            for cell in cells:
                through[cell].append((line, flanks))
        return tuple(map(tuple, through))

    def completes(self, cell: int, mask: int, opposing: int) -> bool:
        """Whether the marks of one side, bit ``1 << cell``, hold a line now that this cell is marked; not in Renju.

        ``opposing``: the marks of the other side, which count under Caro alone.
        """
        if self.rules.cells > MANY_CELLS:
            return bool(self.completed(mask, opposing))
        exact_goal, caro = self.rules.exact_goal, self.rules.caro
        for line, flanks in self._through[cell]:
            if line & mask == line:
                closed = caro and flanks & opposing == flanks and flanks.bit_count() == 2
                if not closed and not (exact_goal and flanks & mask):
                    return True
        return False

    def completed(self, mask: int, opposing: int = 0, exactly: bool = False) -> list[tuple[int, ...]]:
        """The cells of each line that the marks of one side, bit ``1 << cell``, complete under the rules of the game.

        ``opposing``: the marks of the other side, which count under Caro alone. With ``exactly`` only exactly ``goal``
        in a row count for this side, as in Renju, whatever the rules say.
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
                lines.append(tuple(first + shift for shift in shifts))
        return lines

    @cached_property
    def _symmetry_table(self) -> NDArray[np.int16]:
        """The symmetries as an array with a row for each."""
        return _symmetries(self.rules, shifted=True)

    @cached_property
    def symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries of the board without its blocked cells, identity first.

        A plain board has two under gravity, eight if it is square, else four. Joined edges add their shifts,
        a choice of directions leaves those that keep it. A cube has 48, a cube of Qubic's kind more.
        """
        return tuple(tuple(row) for row in self._symmetry_table.tolist())

    @cached_property
    def _symmetry_bytes(self) -> tuple[bytes, ...]:
        """The symmetries of a board of at most ``TABLE_BYTES`` cells, a byte a cell."""
        return tuple(map(bytes, self._symmetry_table.tolist()))

    def _images(self, board: bytes) -> list[bytes]:
        """The images of a board under all symmetries, in their order."""
        if len(board) <= TABLE_BYTES:
            table = board.ljust(TABLE_BYTES, b"\0")
            return [symmetry.translate(table) for symmetry in self._symmetry_bytes]
        return list(map(bytes, np.frombuffer(board, np.uint8)[self._symmetry_table]))

    def canonical(self, board: bytes, *, keeping_distances: bool = False) -> tuple[bytes, Permutation]:
        """The smallest of a board's symmetric images, and the symmetry that gives it.

        Where several symmetries give it the first one counts, so the symmetry is a function of the board. With
        ``keeping_distances`` only symmetries count that map neighbours on neighbours: all but some of a cube.
        """
        if keeping_distances and self._turns is not None:
            turned = [(bytes(row), place) for place, row in enumerate(np.frombuffer(board, np.uint8)[self._turns])]
            smallest, index = min(turned)
            return smallest, tuple(self._turns[index].tolist())
        images = self._images(board)
        smallest = min(images)
        index = images.index(smallest)
        if len(images) > MANY_SYMMETRIES:
            # Too many to keep all of them as tuples.
            return smallest, tuple(self._symmetry_table[index].tolist())
        return smallest, self.symmetries[index]

    def equal_cells(self, board: bytes, cell: int) -> tuple[int, ...]:
        """The cells on which the symmetries of a board map a cell: moves there are equally good, in tile order."""
        symmetries = self.stabiliser(board)
        return (cell,) if len(symmetries) == 1 else tuple(sorted({symmetry[cell] for symmetry in symmetries}))

    @cached_property
    def _turns(self) -> NDArray[np.int16] | None:
        """The symmetries that keep distances, identity first; None if all do."""
        rules = self.rules
        if not _is_cube_from_edge_to_edge(rules):
            return None
        return _space_symmetries(rules.layers, rules.rows, rules.columns, rules.gravity, edge_to_edge=False)

    def stabiliser(self, board: bytes, *, keeping_distances: bool = False) -> list[Permutation]:
        """The symmetries that map the board to itself, identity first; of very many only the ones without a shift."""
        if keeping_distances and self._turns is not None:
            cells = np.frombuffer(board, np.uint8)
            return [tuple(row) for row in self._turns[(cells[self._turns] == cells).all(axis=1)].tolist()]
        if len(self._symmetry_table) <= MANY_SYMMETRIES:
            return list(compress(self.symmetries, map(board.__eq__, self._images(board))))
        table = _symmetries(self.rules, shifted=False)
        cells = np.frombuffer(board, np.uint8)
        return [tuple(row) for row in table[(cells[table] == cells).all(axis=1)].tolist()]

    @cached_property
    def centrality(self) -> tuple[int, ...]:
        """The number of lines through each cell; the fixed order of moves begins with the most."""
        through = [0] * self.rules.cells
        for line in self.lines:
            for cell in line:
                through[cell] += 1
        return tuple(through)

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
        """The cell that comes first in the fixed order; one of them must be on the board."""
        return next(cell for cell in self.move_order if cell in cells)


def _is_cube_from_edge_to_edge(rules: Rules) -> bool:
    """Whether the lines of a small cube go from edge to edge: without flanks, so that each may be mapped on any."""
    cube = rules.goal == rules.layers == rules.rows == rules.columns <= LARGEST_CUBE
    return cube and not rules.gravity and rules.within(KNOWN)


def _symmetries(rules: Rules, shifted: bool) -> NDArray[np.int16]:
    """The symmetries of a board without its blocked cells, with or without the shifts of joined edges."""
    if not rules.within(KNOWN):
        return np.arange(rules.cells, dtype=np.int16)[None]
    if rules.layers > 1:
        cube = _is_cube_from_edge_to_edge(rules)
        return _space_symmetries(rules.layers, rules.rows, rules.columns, rules.gravity, edge_to_edge=cube)
    return _symmetry_table(rules.rows, rules.columns, rules.gravity, rules.wrap, rules.directions, shifted)


@lru_cache(maxsize=SHAPES_KEPT)
def _symmetry_table(
    rows: int, columns: int, gravity: bool, wrap: Wrap, directions: tuple[DirectionName, ...], shifted: bool
) -> NDArray[np.int16]:
    """The symmetries of a board with these directions, a row for each, identity first."""
    sides = (rows, columns)
    place = np.indices(sides, np.int16).reshape(2, -1)
    ring = (shifted and not gravity and wrap in ("columns", "both"), shifted and wrap in ("rows", "both"))
    orders = [order for order in permutations((0, 1)) if _keeps_axes(order, sides, gravity, wrap)]
    images = []
    for order in orders:
        for turns in product((False,) if gravity else (False, True), (False, True)):
            if not _keeps_directions(order, turns, directions):
                continue
            # Each coordinate under all shifts of its own, then all pairs of them.
            row, column = (
                ((sides[axis] - 1 - place[axis] if turns[axis] else place[axis])[None, :] + shifts[:, None]) % side
                for axis, side, joined in zip(order, sides, ring, strict=True)
                for shifts in [np.arange(side if joined else 1, dtype=np.int16)]
            )
            images.append((row[:, None, :] * np.int16(columns) + column[None, :, :]).reshape(-1, rows * columns))
    return np.concatenate(images)


@lru_cache(maxsize=SHAPES_KEPT)
def _space_symmetries(layers: int, rows: int, columns: int, gravity: bool, edge_to_edge: bool) -> NDArray[np.int16]:
    """The symmetries of a board with layers, a row for each, identity first; with gravity layers stay where they are.

    ``edge_to_edge`` says of a cube that its lines are those from edge to edge. On each of them a coordinate stands
    still, counts up or counts down, so any renaming of the numbers 0 to side - 1 that maps opposite ones on opposite
    ones, the same for all coordinates, maps lines on lines (Qubic: Silver, 1967).
    """
    sides = (layers, rows, columns)
    place = np.indices(sides).reshape(3, -1)
    names = [tuple(range(max(sides)))]
    if edge_to_edge:
        last = layers - 1
        # One of a renaming and its reverse: the turns below make the other.
        names = [
            name
            for name in permutations(range(layers))
            if name[0] < name[last] and all(name[i] + name[last - i] == last for i in range(layers))
        ]
    image = []
    for name, order in product(names, permutations((0, 1, 2))):
        if any(sides[axis] != sides[i] for i, axis in enumerate(order)) or (gravity and order[0] != 0):
            continue
        for turns in product((False,) if gravity else (False, True), (False, True), (False, True)):
            renamed = np.array(name)[place[list(order)]]
            for axis, turned in enumerate(turns):
                if turned:
                    renamed[axis] = sides[axis] - 1 - renamed[axis]
            image.append((renamed[0] * rows + renamed[1]) * columns + renamed[2])
    return np.array(image, np.int16)


def _keeps_axes(order: tuple[int, ...], sides: tuple[int, int], gravity: bool, wrap: Wrap) -> bool:
    """Whether rows and columns may stand for each other, where ``order`` swaps them."""
    return order == (0, 1) or (sides[0] == sides[1] and not gravity and wrap in ("none", "both"))


def _keeps_directions(order: tuple[int, ...], turns: tuple[bool, ...], directions: tuple[DirectionName, ...]) -> bool:
    """Whether a symmetry maps the directions in which lines count on each other."""
    flat = [name in directions for name in ("horizontal", "vertical")]
    slanted = [name in directions for name in ("diagonal", "antidiagonal")]
    return (order == (0, 1) or flat[0] == flat[1]) and (turns[0] == turns[1] or slanted[0] == slanted[1])


_plain_geometry = lru_cache(maxsize=GEOMETRIES_KEPT)(Geometry)
_shaped_geometry = lru_cache(maxsize=SHAPES_KEPT)(Geometry)


def geometry(rules: Rules) -> Geometry:
    """The geometry of a game; it is built once and cached."""
    return _plain_geometry(rules) if rules.plain else _shaped_geometry(rules)
