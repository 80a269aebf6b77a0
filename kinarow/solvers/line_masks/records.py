"""Makes the records of the kernel for any lines: a game with its lines and symmetries, table size."""

from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common import proof_table
from kinarow.solvers.common.capacity import ENDLESS_NODES
from kinarow.solvers.common.record import write_by_cell
from kinarow.solvers.line_masks.layout import GAME_DTYPE, OFF_UPRIGHT

MOST_BUCKETS_LOG2 = 20
MOST_ENDLESS_BUCKETS_LOG2 = 23


def table_words(empties: int, node_limit: int) -> int:
    """The size in words of a table that serves a search well, at most 64 MB, endless 512 MB."""
    most = MOST_BUCKETS_LOG2 if node_limit < ENDLESS_NODES else MOST_ENDLESS_BUCKETS_LOG2
    return proof_table.table_words(min(most, empties, max(0, node_limit.bit_length() - 1)))


def cell_bits(rules: Rules) -> list[int]:
    """The bit of each cell: cells of a stack are ``stacks`` bits apart, the lowest first."""
    if rules.rise > 0:
        return list(range(rules.cells))
    # Rows count from the top, bits from the floor.
    rows = range(rules.rows - 1, -1, -1)
    return [row * rules.columns + column for row in rows for column in range(rules.columns)]


def new_game(rules: Rules, off: int = 0) -> Any:
    """An array of one record of a game of at most 64 cells; ``off`` is the sum of the ``OFF_...`` switches.

    The search takes blocked cells for marks of the opponent: they are on no line and on no flank.
    """
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    record = game[0]
    board, places = geometry(rules), cell_bits(rules)
    record["goal"], record["cells"], record["off"] = rules.goal, rules.cells, off
    record["gravity"], record["misere"], record["exact_goal"] = rules.gravity, rules.misere, rules.exact_goal
    record["shared"] = rules.marks == "shared"
    record["stacks"] = rules.stacks
    record["full"] = sum(1 << place for place in places)
    record["floor"] = sum(1 << place for place in places if place < rules.stacks)
    lines = proof_table.line_masks(rules, places)
    record["lines"] = len(lines)
    has_upright = rules.gravity and not rules.misere and rules.marks == "own" and rules.goal > 2
    run = sum(1 << rules.stacks * step for step in range(rules.goal))  # neighbours in the first stack, from the floor
    for index, (line, flank) in enumerate(lines):
        record["line"][index], record["flank"][index] = line, flank
        record["upright"][index] = has_upright and line == run * (line & -line) and not off & OFF_UPRIGHT
    owners = [[place for place in places if line >> place & 1] for line, _ in lines]
    write_by_cell(record, "member", owners, rules.cells)
    record["order"][: len(places)] = [places[cell] for cell in board.move_order]
    maps = proof_table.few_symmetries(rules, rules.empty_board, dict(enumerate(places)))
    proof_table.write_images(record["images"], maps)
    return game
