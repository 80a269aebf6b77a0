"""Makes the record of a game without gravity, with its lines and symmetries, and says which table size suits it."""

from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common import bitboard, proof_table
from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.free_placement.layout import GAME_DTYPE

MOST_FILLINGS = 10_000  # Steps of the search for a full board without a line: 3 x 3 x 3 needs a few hundred


def table_size_hint(empties: int, misere: bool = False) -> int:
    """A good ``buckets_log2``, from 8 to 22, for the table of a position with so many empty cells."""
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
