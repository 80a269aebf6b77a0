"""The record of a game, which the kernels of its solver make from the rules."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from kinarow.game.board_record import BOARD_DTYPE, RULE_NAMES
from kinarow.game.rules import DIRECTION_NAMES, Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.bounds import CellBits

GAMES_KEPT = 64


def board_of(rules: Rules, marks: bytes | None = None) -> Any:
    """Return the record of a board with these marks, by default none, as an array of one."""
    board = np.zeros(1, BOARD_DTYPE)
    directions = sum(1 << DIRECTION_NAMES.index(name) for name in rules.directions)
    numbers = (*(getattr(rules, name) for name in RULE_NAMES[:-2]), rules.marks == "shared", directions)
    for name, number in zip(RULE_NAMES, numbers, strict=True):
        board[name] = number
    board["marks"][0, : rules.cells] = np.frombuffer(marks or rules.empty_board, np.int8)
    return board


def games_of(kernels: Library, dtype: "np.dtype[np.void]") -> Callable[..., tuple[Pointer, CellBits]]:
    """Return a cached function from rules to a solver's record of a game of at most 64 cells, and its cells' bits."""

    @lru_cache(maxsize=GAMES_KEPT)
    def game_of(rules: Rules, off: int = 0) -> tuple[Pointer, CellBits]:
        game, board = Pointer(np.zeros(1, dtype)), board_of(rules)
        kernels.set_rules(board, game, off)
        return game, CellBits(board["place"][0, : rules.cells].tolist())

    return game_of
