"""Bounds from Maker-Breaker games, for boards of all shapes without gravity and misère, and draws by pairings."""

from functools import lru_cache
from typing import Any

import numpy as np

from kinarow.game.geometry import board_of
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import BUCKET_BYTES, ENDLESS_NODES, WORD_BITS, table_words
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.maker_breaker.layout import GAME_DTYPE, LINES_DTYPE, PAIRS_DTYPE, STATE_DTYPE

kernels = Library("maker_breaker")

RULES_HANDLED = frozenset({"exact_goal", "wrap", "directions", "caro", "layers"})
PAIRED = frozenset({"misere", "exact_goal"})
GAMES_KEPT = 16
MIN_TABLE_BITS = 6
USUAL_TABLE_BITS = 18
MAX_TABLE_BITS = 20  # Above the usual 2^18 buckets the table grows with the nodes, to 64 MB
MAX_ENDLESS_TABLE_BITS = 23
NODE_NS = 50_000  # About the most nanoseconds that a node takes (one that looks for a pairing)


def fits(rules: Rules) -> bool:
    """Return True if this solver supports the rules."""
    return rules.within(RULES_HANDLED)


def knows_pairings(rules: Rules) -> bool:
    """Return True if pairings may prove a draw on a plain board of more than 64 cells."""
    return rules.within(PAIRED) and rules.goal > 1


def fits_position(position: Position) -> bool:
    """Return True if this solver supports the rules and the position has at most 64 empty cells."""
    return fits(position.rules) and position.empties <= WORD_BITS


@lru_cache(maxsize=GAMES_KEPT)
def lines_of(rules: Rules) -> Pointer:
    """Return the record of a board's lines, shared by all searches."""
    lines = Pointer(np.zeros(1, LINES_DTYPE))
    kernels.set_rules(board_of(rules), lines)
    return lines


def _marks(position: Position) -> Any:
    return np.frombuffer(position.relative(), np.int8)


def cannot_prove(position: Position) -> bool:
    """Return True if a count shows that there are too few empty cells for a pair on each of the mover's lines."""
    return bool(kernels.is_hopeless(lines_of(position.rules), _marks(position)))


def find_draw(position: Position, budget: Budget) -> int | None:
    """Return a move that keeps a draw by pairings, or None; only the deadline and the stop flag limit the search."""
    pairs = np.empty(1, PAIRS_DTYPE)
    move = int(kernels.find_draw(lines_of(position.rules), pairs, budget.pointer, _marks(position)))
    return move if move >= 0 else None


def new_game(lines: list[int], cells: int, off: int = 0) -> Any:
    """Return a game record, without symmetries, from the lines as masks of the cells that the maker lacks."""
    game = np.zeros(1, GAME_DTYPE)
    game["off"], game["cells"], game["lines"] = off, cells, len(lines)
    game["line"][0, : len(lines)] = lines
    game["images"]["count"], game["images"]["image"][0, 0] = 1, range(WORD_BITS)
    return game


def never_completes(
    position: Position, budget: Budget, *, opponent_is_maker: bool, nodes: int
) -> tuple[bool, int | None]:
    """Return (True, move) if blocking alone keeps one side, the maker, from completing any line.

    The maker is the opponent of the side to move, or that side itself. ``move`` is one that the opponent's lines can be
    blocked after; it is None if the side to move is the maker, or if any move will do.
    """
    board, game = board_of(position.rules, position.relative()), np.zeros(1, GAME_DTYPE)
    lines = kernels.set_game(board, lines_of(position.rules), game, 2 if opponent_is_maker else 1)
    if lines <= 0:
        return lines == 0, None
    holds, move = blocks(game, budget, maker_moves=not opponent_is_maker, nodes=nodes)
    return holds, int(board["order"][0, move]) if opponent_is_maker and move >= 0 else None


def blocks(game: Any, budget: Budget, *, maker_moves: bool, nodes: int) -> tuple[bool, int]:
    """Return (True, bit) if the breaker is proven to keep the maker from all lines; ``bit`` is its move, or -1."""
    state = np.zeros(1, STATE_DTYPE)
    budget.set_poll_interval(NODE_NS)
    most = MAX_TABLE_BITS if nodes < ENDLESS_NODES else MAX_ENDLESS_TABLE_BITS
    most = min(most, max(USUAL_TABLE_BITS, nodes.bit_length() - 5), int(game["cells"][0]), nodes.bit_length())
    size = POOL.fitting_bits(max(MIN_TABLE_BITS, most), BUCKET_BYTES)
    with budget.part(nodes=nodes) as part, POOL.borrow("maker-breaker", table_words(size)) as table:
        maker_wins = kernels.solve(game, state, part.pointer, table.pointer, int(maker_moves))
    return part.finished and not maker_wins, int(state["root_move"][0])
