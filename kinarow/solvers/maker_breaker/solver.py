"""Bounds from the Maker-Breaker game, for boards of all shapes without gravity and misère."""

from functools import lru_cache
from typing import Any

import numpy as np

from kinarow.game.geometry import Line, geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules, other
from kinarow.kernels.library import Library
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import ENDLESS_NODES, WORD_BITS
from kinarow.solvers.common.proof_table import BUCKET_BYTES, few_symmetries, table_words, write_images
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.maker_breaker.layout import GAME_DTYPE, MAX_LINES, STATE_DTYPE

kernels = Library("maker_breaker")

KNOWN = frozenset({"exact_goal", "wrap", "directions", "caro", "layers"})
GAMES_KEPT = 64
MIN_TABLE_BITS = 6
USUAL_TABLE_BITS = 18
MAX_TABLE_BITS = 20  # Above the usual 2^18 buckets the table grows with the nodes, to 64 MB
MAX_ENDLESS_TABLE_BITS = 23
NODE_NS = 50_000  # Nanoseconds that the most expensive node takes, roughly: one that looks for a pairing


def knows(rules: Rules) -> bool:
    """Whether the solver knows the game."""
    return rules.within(KNOWN)


def fits(position: Position) -> bool:
    """Whether the kernel serves the position: of a game that the solver knows, with at most 64 empty cells."""
    return knows(position.rules) and position.empties <= WORD_BITS


@lru_cache(maxsize=GAMES_KEPT)
def lines_by_run(rules: Rules) -> tuple[tuple[int, int], ...]:
    """Each line and its flanks as masks, bit ``1 << cell``; those of a row, column or diagonal follow each other.

    With an exact goal an own mark on a flank spoils a line for a side; otherwise the flanks are 0. Lines that Caro
    closes are among them, so that a draw is one under Caro too.
    """

    def run(directed: tuple[int, Line]) -> tuple[int, int, int]:
        direction, (cells, _) = directed
        step = abs(cells[1] - cells[0]) if len(cells) > 1 else 1
        return direction, cells[0] % step, cells[0]  # the cells of a run have the same remainder

    lines = [line for _, line in sorted(geometry(rules).directed_lines, key=run)]
    masks = ([sum(1 << cell for cell in cells) for cells in line] for line in lines)
    return tuple(dict.fromkeys((mask, flanks if rules.exact_goal else 0) for mask, flanks in masks))


def masks(position: Position) -> tuple[int, int]:
    """The marks of the side to move and of its opponent, bit ``1 << cell``."""
    return position.marks(position.to_move), position.marks(other(position.to_move))


def open_lines(rules: Rules, maker: int, breaker: int) -> list[int]:
    """The empty cells of each line that the maker can still complete, in the order of ``lines_by_run``."""
    return [line & ~maker for line, flanks in lines_by_run(rules) if not (line & breaker) and not (flanks & maker)]


def new_game(lines: list[int], cells: int, symmetries: list[dict[int, int]], off: int = 0) -> Any:
    """The record of a game, an array of length one.

    Each of ``lines`` holds the cells that the maker lacks, as bits 0 to ``cells - 1``. The ``symmetries`` map the set
    of lines to itself, the identity first. ``off`` is the sum of the ``OFF_...`` switches.
    """
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["off"], game["cells"], game["lines"] = off, cells, len(lines)
    game["line"][0, : len(lines)] = lines
    write_images(game[0].images, symmetries)
    return game


def never_completes(
    position: Position, budget: Budget, *, opponent_is_maker: bool, nodes: int
) -> tuple[bool, int | None]:
    """Whether mere blocking provably keeps one side of an ongoing position that ``fits`` from ever completing a line.

    Args:
        opponent_is_maker: True for the opponent's lines, False for those of the side to move.
        nodes: the most nodes to spend here.

    Returns:
        That, and with ``opponent_is_maker`` a move of the side to move that preserves it, None where every move does.
    """
    own, opponent = masks(position)
    lines = open_lines(position.rules, *((opponent, own) if opponent_is_maker else (own, opponent)))
    if len(lines) > MAX_LINES:
        return False, None
    if not lines:
        return True, None
    board = position.geometry
    filled = own | opponent | position.rules.blocked
    cells = [cell for cell in board.move_order if not filled >> cell & 1]
    place = {cell: index for index, cell in enumerate(cells)}
    bitboards = [sum(1 << index for index, cell in enumerate(cells) if line >> cell & 1) for line in lines]
    symmetries = few_symmetries(position.rules, position.cells, place)
    holds, move = blocks(bitboards, len(cells), symmetries, budget, maker_moves=not opponent_is_maker, nodes=nodes)
    return holds, cells[move] if opponent_is_maker and move >= 0 else None


def blocks(
    lines: list[int], cells: int, symmetries: list[dict[int, int]], budget: Budget, *, maker_moves: bool, nodes: int
) -> tuple[bool, int]:
    """Whether the breaker provably keeps the maker from all lines of ``new_game``, and a bit that it marks, or -1."""
    game = new_game(lines, cells, symmetries)
    state = np.zeros(1, STATE_DTYPE)
    budget.poll_by_cost(NODE_NS)
    most = MAX_TABLE_BITS if nodes < ENDLESS_NODES else MAX_ENDLESS_TABLE_BITS
    most = min(most, max(USUAL_TABLE_BITS, nodes.bit_length() - 5))
    size = POOL.fitting_bits(max(MIN_TABLE_BITS, min(most, cells, nodes.bit_length())), BUCKET_BYTES)
    with budget.part(nodes=nodes) as part, POOL.borrow("maker-breaker", table_words(size)) as table:
        maker_wins = kernels.solve(game, state, part.pointer, table.pointer, int(maker_moves))
    return part.finished and not maker_wins, int(state["root_move"][0])
