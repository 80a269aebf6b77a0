"""Makes the records of the kernel for any lines: a game with its lines and symmetries, result, table size."""

from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common.proof_table import few_symmetries, write_images
from kinarow.solvers.line_masks import kernel

MOST_BUCKETS_LOG2 = 20


def new_result() -> Any:
    """An empty result: a record array of length one; kernels take ``result[0]``."""
    return np.zeros(1, kernel.RESULT_DTYPE).view(np.recarray)


def table_words(empties: int, node_limit: int) -> int:
    """The size in words of a table that serves a search well: a power of two, at most 64 MB."""
    buckets_log2 = min(MOST_BUCKETS_LOG2, empties, max(0, node_limit.bit_length() - 1))
    return kernel.BUCKET_WORDS << buckets_log2


def cell_bits(rules: Rules) -> list[int]:
    """The bit of each cell: cells of a stack are ``stacks`` bits apart, the lowest first."""
    if rules.rise > 0:
        return list(range(rules.cells))
    # Rows count from the top, bits from the floor.
    rows = range(rules.rows - 1, -1, -1)
    return [row * rules.columns + column for row in rows for column in range(rules.columns)]


def new_game(rules: Rules, off: int = 0) -> Any:
    """The record of a game, with the working memory of one search at a time.

    Args:
        rules: of at most 64 cells. The search takes blocked cells for marks of the opponent: they are on no line and
            on no flank.
        off: the sum of the ``OFF_...`` switches.
    """
    game = np.zeros(1, kernel.GAME_DTYPE).view(np.recarray)
    record = game[0]
    board, places = geometry(rules), cell_bits(rules)
    record["goal"], record["cells"], record["off"] = rules.goal, rules.cells, off
    record["gravity"], record["misere"], record["exact_goal"] = rules.gravity, rules.misere, rules.exact_goal
    record["stacks"] = rules.stacks
    record["full"] = sum(1 << place for place in places)
    record["floor"] = sum(1 << place for place in places if place < rules.stacks)
    lines = _lines(rules, places)
    by_cell: list[list[int]] = [[] for _ in places]
    record["lines"] = len(lines)
    for index, (line, flank) in enumerate(lines):
        record["line"][index], record["flank"][index] = line, flank
        # A run of neighbours in a stack; one along joined edges is none.
        run = sum(1 << rules.stacks * step for step in range(rules.goal))
        upright = rules.gravity and not rules.misere and rules.goal > 2 and line == run * (line & -line)
        record["upright"][index] = upright and not off & kernel.OFF_UPRIGHT
        for place in places:
            if line >> place & 1:
                by_cell[place].append(index)
    flat = [index for owned in by_cell for index in owned]
    record["member"][: len(flat)] = flat
    record["member_start"][1 : len(places) + 1] = np.cumsum([len(owned) for owned in by_cell])
    record["order"][: len(places)] = [places[cell] for cell in board.move_order]
    write_images(record["images"], few_symmetries(rules, places), [line for line, _ in lines])
    return game


def _lines(rules: Rules, places: list[int]) -> list[tuple[int, int]]:
    """Each line and its flanks as masks of bits; without an exact goal each set of cells once."""

    def mask(cells: tuple[int, ...]) -> int:
        return sum(1 << places[cell] for cell in cells)

    board = geometry(rules)
    if not rules.exact_goal:
        return [(mask(cells), 0) for cells in board.lines]
    return list(dict.fromkeys((mask(line.cells), mask(line.flanks)) for _, line in board.directed_lines))
