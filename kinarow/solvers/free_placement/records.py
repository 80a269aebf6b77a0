"""Makes the records of the free-placement kernels: board with lines and symmetries, result, table size."""

from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common import bitboard
from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.common.proof_table import few_symmetries, write_images
from kinarow.solvers.free_placement.kernel import RESULT_DTYPE
from kinarow.solvers.free_placement.kernel_lines import BOARD_DTYPE

MOST_FILLINGS = 10_000
"""Steps of the search for a full board without a line: 3 x 3 x 3 needs a few hundred."""

_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def new_result() -> Any:
    """An empty result: a record array of length one; kernels take ``result[0]``."""
    return np.zeros(1, RESULT_DTYPE).view(np.recarray)


def table_size_hint(empties: int, misere: bool = False) -> int:
    """A good ``buckets_log2``, from 8 to 22, for the table of a position with so many empty cells."""
    return max(8, min(22, empties + (4 if misere else 1)))


def fits(rows: int, columns: int) -> bool:
    """Whether a board of this size has at most 64 cells."""
    return rows * columns <= WORD_BITS


def cell_bits(rows: int, columns: int) -> list[int]:
    """The default bit of each cell, row by row: the layout of ``bitboard``, or cells packed row by row.

    This solver needs no spare bits, so it also serves boards that are a little too large for that layout.
    """
    if bitboard.fits(rows, columns):
        return bitboard.cell_bits(rows, columns)
    return list(range(rows * columns))


def new_board(
    rows: int,
    columns: int,
    goal: int,
    misere: bool = False,
    exact_goal: bool = False,
    off: int = 0,
    bits: list[int] | None = None,
) -> Any:
    """The geometry of a board, with the working memory of one search at a time.

    Args:
        rows, columns: ``rows * columns <= 64``.
        goal: 1 or more.
        misere, exact_goal: the rules.
        off: the sum of the ``OFF_...`` switches.
        bits: the bit of each cell, row by row (default ``cell_bits``).

    Returns:
        A record array of length one; ``board[0]`` is what kernels take.

    Raises:
        ValueError: the board has more than 64 cells.
    """
    if not fits(rows, columns):
        raise ValueError(f"{rows} x {columns} cells do not fit {WORD_BITS} bits")
    places = cell_bits(rows, columns) if bits is None else bits
    lines = _lines(rows, columns, goal, exact_goal, places)
    board = _board_of_lines(lines, places, goal, misere, exact_goal, off)
    turned = []
    for turn in range(8 if rows == columns else 4):
        image = {}
        for tile, place in enumerate(places):
            row, column = divmod(tile, columns)
            row = rows - 1 - row if turn & 1 else row
            column = columns - 1 - column if turn & 2 else column
            row, column = (column, row) if turn & 4 else (row, column)
            image[place] = places[row * columns + column]
        turned.append(image)
    _add_symmetries(board, turned)
    return board


def new_shaped_board(rules: Rules, off: int = 0) -> Any:
    """The same for a board of any shape, whose cell ``c`` is bit ``c``: the kernels never ask where a cell lies.

    Args:
        rules: without gravity, at most 64 cells. The search takes blocked cells for marks of the opponent: they are
            on no line and on no flank.
        off: the sum of the ``OFF_...`` switches.
    """
    board = geometry(rules)
    lines = [(line, flanks if rules.exact_goal else 0) for _, line, flanks in board.masks]
    record = _board_of_lines(
        list(dict.fromkeys(lines)), list(range(rules.cells)), rules.goal, rules.misere, rules.exact_goal, off
    )
    _add_symmetries(record, few_symmetries(rules, list(range(rules.cells))))
    return record


def _board_of_lines(
    lines: list[tuple[int, int]], places: list[int], goal: int, misere: bool, exact_goal: bool, off: int
) -> Any:
    """The record of a board with these lines and flanks, without symmetries."""
    cells = len(places)
    board = np.zeros(1, BOARD_DTYPE).view(np.recarray)
    board["goal"], board["cells"], board["off"] = goal, cells, off
    board["misere"], board["exact_goal"] = misere, exact_goal
    board["least"], board["most"] = -cells, cells
    board["full"] = sum(1 << place for place in places)
    board["lines"] = board["alive_count"][:, 0] = len(lines)
    for index, (line, flank) in enumerate(lines):
        board["line"][0, index], board["flank"][0, index] = line, flank
        board["alive"][0, 0, index] = index
    through = [sum(line >> place & 1 for line, _ in lines) for place in places]
    order = sorted(range(len(places)), key=lambda tile: (-through[tile], tile))
    board["order"][0, : len(order)] = [places[tile] for tile in order]
    return board


def _lines(rows: int, columns: int, goal: int, exact_goal: bool, places: list[int]) -> list[tuple[int, int]]:
    """Each line and its flanks as bitboards; with goal 1 one line for each cell, unless the goal is exact."""

    def joined(cells: list[tuple[int, int]]) -> int:
        inside = [(r, c) for r, c in cells if 0 <= r < rows and 0 <= c < columns]
        return sum(1 << places[r * columns + c] for r, c in inside)

    lines = []
    for down, right in _STEPS[:1] if goal == 1 and not exact_goal else _STEPS:
        for row in range(rows):
            for column in range(columns):
                if not (row + down * (goal - 1) < rows and 0 <= column + right * (goal - 1) < columns):
                    continue
                cells = [(row + down * i, column + right * i) for i in range(-1, goal + 1)]
                lines.append((joined(cells[1:-1]), joined([cells[0], cells[-1]])))
    return lines


def _add_symmetries(board: Any, images: list[dict[int, int]]) -> None:
    """Write the board's symmetries, the identity first, and whether every full board holds a line."""
    record = board[0]
    lines = [int(line) for line in record.line[: record.lines]]
    write_images(record.images, images, lines)
    record.decisive = record.misere and not record.exact_goal and not _can_be_drawn(lines)


def _can_be_drawn(lines: list[int]) -> bool:
    """Whether two sides may fill a board without a line of either; True where ``MOST_FILLINGS`` steps do not tell.

    Of the lines that hold marks of one side only, one with the fewest empty cells comes first: its lowest empty cell
    goes to the other side, or to the same side, and so on.
    """
    steps = 0

    def fill(marks: tuple[int, int]) -> bool:
        nonlocal steps
        steps += 1
        if steps > MOST_FILLINGS:
            return True
        fewest, chosen, owner = WORD_BITS + 1, 0, 0
        for line in lines:
            for side in (0, 1):
                left = line & ~marks[side]
                if not line & marks[1 - side] and left.bit_count() < fewest:
                    fewest, chosen, owner = left.bit_count(), left, side
        if fewest > WORD_BITS:
            return True
        if not chosen:
            return False
        cell = chosen & -chosen
        given = [(marks[0] | cell, marks[1]), (marks[0], marks[1] | cell)]
        return fill(given[1 - owner]) or fill(given[owner])

    return fill((0, 0))
