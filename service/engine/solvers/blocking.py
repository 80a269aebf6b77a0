"""Bounds from the weaker game of building and blocking, for boards without gravity and misère."""

from functools import lru_cache
from typing import Any

from service.engine.geometry import DIRECTIONS, geometry
from service.engine.kernels import blocking as kernel
from service.engine.kernels.control import OUT_OF_NODES, RUNNING, poll_by_cost
from service.engine.kernels.proof_table import MAX_CELLS, table_words
from service.engine.position import Position, other
from service.engine.rules import Rules
from service.engine.solvers.tables import POOL

GAMES_KEPT = 64
MIN_TABLE_BITS = 6
MAX_TABLE_BITS = 18
NODE_NS = 20_000
"""What a node costs at most: a pairing is looked for."""


def fits(position: Position) -> bool:
    """Whether the kernel can take the position: no gravity, no misère, few enough empty cells."""
    rules = position.rules
    return not (rules.gravity or rules.misere) and position.empties <= MAX_CELLS


@lru_cache(maxsize=GAMES_KEPT)
def lines_by_run(rules: Rules) -> tuple[tuple[int, int], ...]:
    """Each line and its flanks as masks, bit ``1 << cell``; lines on the same row, column or diagonal in turn.

    The flanks are 0 unless the goal is exact, where a mark of its own on one spoils a line for a side.
    """
    found = []
    for direction, line in geometry(rules).directed_lines:
        down, right = DIRECTIONS[direction]
        row, column = divmod(line.cells[0], rules.columns)
        # All cells of a row, column or diagonal have the same cross product with its direction.
        run = row * right - column * down
        mask, flanks = (sum(1 << cell for cell in cells) for cells in (line.cells, line.flanks))
        found.append((direction, run, line.cells[0], mask, flanks if rules.exact_goal else 0))
    return tuple(dict.fromkeys((mask, flanks) for *_, mask, flanks in sorted(found)))


def masks(position: Position) -> tuple[int, int]:
    """The marks of the side to move and of its opponent, bit ``1 << cell``."""
    return position.marks(position.to_move), position.marks(other(position.to_move))


def open_lines(rules: Rules, builder: int, blocker: int) -> list[int]:
    """The empty cells of each line that the builder may still complete, lines on the same run in turn."""
    return [
        line & ~builder
        for line, flanks in lines_by_run(rules)
        if not (line & blocker) and not (flanks & builder)
    ]


def never_completes(
    position: Position, control: Any, *, opponent_builds: bool, nodes: int
) -> tuple[bool, int | None]:
    """Whether a side of an ongoing position surely completes no line, for the other need only block it.

    Args:
        position: one that ``fits``.
        control: the budget of the whole search; what is spent here is counted in it.
        opponent_builds: whose lines are meant, the opponent's or those of the side to move.
        nodes: what may be spent here at most.

    Returns:
        Whether it is proven; and with ``opponent_builds`` a move of the side to move that keeps it so, None
        where any does.
    """
    own, opponent = masks(position)
    lines = open_lines(position.rules, *((opponent, own) if opponent_builds else (own, opponent)))
    if len(lines) > kernel.MAX_LINES:
        return False, None
    if not lines:
        return True, None
    board = position.geometry
    cells = [cell for cell in board.move_order if not (own | opponent) >> cell & 1]
    place = {cell: index for index, cell in enumerate(cells)}
    words = [sum(1 << index for index, cell in enumerate(cells) if line >> cell & 1) for line in lines]
    maps = [[place[permutation[cell]] for cell in cells] for permutation in board.stabiliser(position.cells)]
    game = kernel.new_game(words, len(cells), maps)
    record = control[0]
    whole = int(record["node_limit"])
    record["node_limit"] = min(whole, int(record["nodes"]) + nodes)
    poll_by_cost(control, NODE_NS)
    size = max(MIN_TABLE_BITS, min(MAX_TABLE_BITS, len(cells), nodes.bit_length()))
    with POOL.borrow("blocking", table_words(size)) as table:
        succeeds = kernel.builder_succeeds(game[0], record, table.words, 0 if opponent_builds else 1)
    record["node_limit"] = whole
    finished = record["reason"] == RUNNING
    if record["reason"] == OUT_OF_NODES and record["nodes"] < whole:
        record["reason"] = RUNNING
    move = int(game[0]["root_move"])
    return finished and not succeeds, cells[move] if opponent_builds and move >= 0 else None
