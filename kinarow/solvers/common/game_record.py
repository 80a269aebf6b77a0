"""Game records: what a solver's kernels derive from the rules of a game."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from kinarow.game.geometry import board_of
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.solvers.common.bounds import CellBits

GAMES_KEPT = 64


def games_of(kernels: Library, dtype: "np.dtype[np.void]") -> Callable[..., tuple[Pointer, CellBits]]:
    """Return a cached function that makes a solver's game record from rules, with the bits of the board's cells."""

    @lru_cache(maxsize=GAMES_KEPT)
    def game_of(rules: Rules, off: int = 0) -> tuple[Pointer, CellBits]:
        game, board = Pointer(np.zeros(1, dtype)), board_of(rules)
        kernels.set_rules(board, game, off)
        return game, CellBits(board["place"][0, : rules.cells].tolist())

    return game_of
