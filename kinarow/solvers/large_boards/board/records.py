"""Makes the game record of some rules, and states that hold a position."""

import numpy as np
from numpy.typing import ArrayLike

from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.solvers.large_boards.board.layout import GAME_DTYPE, MAX_WORDS, STATE_DTYPE

kernels = Library("large_boards")

ArrayOrPointer = np.recarray | Pointer
_EMPTY = np.zeros(MAX_CELLS, np.int8)


def new_rules(rules: Rules, beginner: int) -> np.recarray:
    """Return a game record without tunables and weights (``search/records.py`` adds them), in an array of one."""
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["blocked"][0] = np.frombuffer(rules.blocked.to_bytes(8 * MAX_WORDS, "little"), np.uint64)
    numbers = (rules.rows, rules.columns, rules.goal, rules.gravity, rules.misere, rules.exact_goal, rules.caro)
    kernels.set_rules(game, new_state(), *map(int, numbers), beginner)
    return game


def load(game: ArrayOrPointer, state: ArrayOrPointer, cells: ArrayLike = _EMPTY) -> None:
    """Put a position on a state's board. ``cells`` holds 0 empty, side + 1, or 3 blocked; by default all are empty."""
    kernels.load(game, state, np.asarray(cells, np.int8).ravel())


def new_state() -> np.recarray:
    """Return a state without a position, in an array of one."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)
