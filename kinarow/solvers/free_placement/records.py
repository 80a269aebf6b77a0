"""Makes the record of a game without gravity, with its lines and symmetries, and says which table size suits it."""

from itertools import count
from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common import bitboard, proof_table
from kinarow.solvers.free_placement.layout import GAME_DTYPE

MOST_FILLINGS = 10_000  # Steps of the search for a full board without a line: 3 x 3 x 3 needs a few hundred


def table_size_hint(empties: int, misere: bool = False) -> int:
    """A good ``buckets_log2``, from 8 to 22, for the table of a position with this number of empty cells."""
    return max(8, min(22, empties + (4 if misere else 1)))


def cell_bits(rules: Rules) -> list[int]:
    """The bit of each cell: as in ``bitboard`` where that has a layout for the board, else the cell itself."""
    if rules.plain and bitboard.fits(rules.rows, rules.columns):
        return bitboard.cell_bits(rules.rows, rules.columns)
    return list(range(rules.cells))


def new_game(rules: Rules, off: int = 0) -> Any:
    """The record of a game, which searches share: a record array of length one.

    The rules have no gravity and at most 64 cells. The search takes blocked cells for marks of the opponent: they are
    on no line and on no flank. ``off`` is the sum of the ``OFF_...`` switches.
    """
    places = cell_bits(rules)
    lines = proof_table.line_masks(rules, places)
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    record = game[0]
    record.goal, record.cells, record.off = rules.goal, rules.cells, off
    record.misere, record.exact_goal = rules.misere, rules.exact_goal
    record.full = sum(1 << place for place in places)
    record.lines = len(lines)
    record.line[: len(lines)], record.flank[: len(lines)] = zip(*lines, strict=True) if lines else ((), ())
    # Among equal moves the engine's own fixed order decides.
    record.order[: rules.cells] = [places[cell] for cell in geometry(rules).move_order]
    masks = [line for line, _ in lines]
    maps = proof_table.few_symmetries(rules, rules.empty_board, dict(enumerate(places)))
    proof_table.write_images(record.images, maps, masks)
    record.decisive = rules.misere and not rules.exact_goal and not _can_be_drawn(masks)
    return game


def _can_be_drawn(lines: list[int]) -> bool:
    """Whether two sides may fill a board without a line of either; True if ``MOST_FILLINGS`` steps do not tell.

    Each step chooses, among the lines that one side may still complete, one with the fewest empty cells. It gives the
    lowest of these cells to the other side, which blocks the line; if that fails, to the same side.
    """
    steps = count(1)

    def fill(marks: tuple[int, int]) -> bool:
        open_lines = [(line & ~marks[side], side) for line in lines for side in (0, 1) if not line & marks[1 - side]]
        if next(steps) > MOST_FILLINGS or not open_lines:
            return True
        missing, owner = min(open_lines, key=lambda each: each[0].bit_count())
        if not missing:
            return False  # the line is complete
        cell = missing & -missing
        after = [(marks[0] | cell, marks[1]), (marks[0], marks[1] | cell)]
        return fill(after[1 - owner]) or fill(after[owner])

    return fill((0, 0))
